// Top-down build of the wide tree: binned surface-area heuristic, a node's child with the largest area split until the
// node is full; small ranges are split to the end first, and wide_collapse.h says which of them become children.
// Sources: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies" (2007), section 3; Wald, Benthin,
// Boulos, "Getting Rid of Packets" (2008), section 3, for collapsing binary splits into wide nodes. Departures: halving
// takes over where the heuristic would lead deeper than kMaxDepth; large ranges are binned and partitioned by blocks
// whose results do not depend on who computes them.
#include <abut/core/assert.h>
#include <abut/core/infinity.h>
#include <abut/core/trees/box_tree.h>
#include <abut/core/trees/wide_collapse.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut {
namespace {

// Larger leaves save memory and cost tests of items.
constexpr auto kMaxLeafItems = static_cast<std::uint32_t>(BoxTree::kMaxLeafItems);
// In ranges of fewer items all splits are made first, then the nodes are chosen among them for the least cost.
constexpr std::uint32_t kCollapsedItems = 1024;
// Such splits end at leaves of so many. With four, contacts of meshes take a tenth longer; with one, trees are made
// in 1.2 of the time.
constexpr std::uint32_t kMaxBinaryLeafItems = 3;
// Only their ratios matter; measured on rays, distances and contacts of meshes.
constexpr detail::CollapseCosts kCosts{.node = 1.0F, .leaf = 0.5F, .item = 0.3F};
// For ranges of no more all splits are weighed, without bins.
constexpr std::uint32_t kFewItems = 4;
constexpr std::size_t kMaxBins = 16;
// Ranges of this size and more are binned and partitioned in parallel, and their children built in parallel.
constexpr std::uint32_t kParallelItems = 16384;
constexpr std::uint32_t kBlockItems = 8192;
// Unbounded sides are cut here, in units, for the choice of splits only.
constexpr double kFarAway = 1e12;

#if defined(__SSE2__)

struct Float4 {
  __m128 v;

  static Float4 of(float x, float y, float z, float w) { return {_mm_setr_ps(x, y, z, w)}; }
  static Float4 all(float x) { return {_mm_set1_ps(x)}; }
  friend Float4 min(Float4 a, Float4 b) { return {_mm_min_ps(a.v, b.v)}; }
  friend Float4 max(Float4 a, Float4 b) { return {_mm_max_ps(a.v, b.v)}; }
  friend Float4 operator+(Float4 a, Float4 b) { return {_mm_add_ps(a.v, b.v)}; }
  friend Float4 operator-(Float4 a, Float4 b) { return {_mm_sub_ps(a.v, b.v)}; }
  friend Float4 operator*(Float4 a, Float4 b) { return {_mm_mul_ps(a.v, b.v)}; }
  void store(float* to) const { _mm_storeu_ps(to, v); }
  void store_truncated(std::int32_t* to) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_cvttps_epi32(v));
  }
};

#else

struct Float4 {
  float v[4];

  static Float4 of(float x, float y, float z, float w) { return {{x, y, z, w}}; }
  static Float4 all(float x) { return {{x, x, x, x}}; }
  template <class Operation>
  static Float4 each(const Float4& a, const Float4& b, Operation operation) {
    Float4 result;
    for (std::size_t i = 0; i < 4; ++i) result.v[i] = operation(a.v[i], b.v[i]);
    return result;
  }
  friend Float4 min(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x < y ? x : y; });
  }
  friend Float4 max(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x > y ? x : y; });
  }
  friend Float4 operator+(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x + y; });
  }
  friend Float4 operator-(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x - y; });
  }
  friend Float4 operator*(const Float4& a, const Float4& b) {
    return each(a, b, [](float x, float y) { return x * y; });
  }
  void store(float* to) const { std::memcpy(to, v, sizeof(v)); }
  void store_truncated(std::int32_t* to) const {
    for (std::size_t i = 0; i < 4; ++i) to[i] = static_cast<std::int32_t>(v[i]);
  }
};

#endif

struct Bounds {
  Float4 lower;
  Float4 upper;

  static Bounds none() { return {Float4::all(kFloatInfinity), Float4::all(-kFloatInfinity)}; }
  void merge(Float4 low, Float4 high) {
    lower = min(lower, low);
    upper = max(upper, high);
  }
  void merge(const Bounds& other) { merge(other.lower, other.upper); }
  [[nodiscard]] float half_area() const {
    float size[4];
    (upper - lower).store(size);
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0];
  }
};

/// Box of an item, cut to finite coordinates; the fourth lanes are zero.
struct Reference {
  Float4 lower;
  Float4 upper;

  [[nodiscard]] Float4 twice_center() const { return lower + upper; }
};

/// References and, beside them, the items they stand for.
struct References {
  std::vector<Reference> boxes;
  std::vector<std::uint32_t> items;
};

struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  Bounds box = Bounds::none();
  Bounds centers = Bounds::none();  // of twice the centres

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
  void add(const Reference& reference) {
    box.merge(reference.lower, reference.upper);
    const Float4 center = reference.twice_center();
    centers.merge(center, center);
  }
  void add_centers(const Reference* first, const Reference* last) {
    for (const Reference* reference = first; reference != last; ++reference) {
      const Float4 center = reference->twice_center();
      centers.merge(center, center);
    }
  }
  void add(const Range& other) {
    box.merge(other.box);
    centers.merge(other.centers);
  }
};

/// Maps centres to bins. Monotone along each axis, so that a split by bin is a split by position.
struct Binning {
  Float4 origin;
  Float4 scale;
  std::size_t bins;

  explicit Binning(const Range& range)
      : origin(range.centers.lower), bins(std::min<std::size_t>(kMaxBins, 4 + range.size() / 4)) {
    float size[4];
    (range.centers.upper - range.centers.lower).store(size);
    float factor[4] = {};
    for (std::size_t k = 0; k < 3; ++k) {
      // A little less than all bins, so that no rounding leads past the last.
      const float per_bin = 0.9999F * static_cast<float>(bins) / size[k];
      factor[k] = size[k] > 0.0F && std::isfinite(per_bin) ? per_bin : 0.0F;
    }
    scale = Float4::of(factor[0], factor[1], factor[2], 0.0F);
  }
  void operator()(const Reference& reference, std::int32_t* bin) const {
    ((reference.twice_center() - origin) * scale).store_truncated(bin);
  }
};

/// Which side of a split an item goes to, by the same numbers as its bin.
struct Side {
  std::size_t axis;
  float origin;
  float scale;
  std::int32_t last_left;

  Side(const Binning& binning, std::size_t along, std::int32_t bin) : axis(along), last_left(bin) {
    float of_axes[4];
    binning.origin.store(of_axes);
    origin = of_axes[axis];
    binning.scale.store(of_axes);
    scale = of_axes[axis];
  }
  [[nodiscard]] bool is_left(const Reference& reference) const {
    float lower[4];
    float upper[4];
    std::memcpy(lower, &reference.lower, sizeof(lower));
    std::memcpy(upper, &reference.upper, sizeof(upper));
    return static_cast<std::int32_t>((lower[axis] + upper[axis] - origin) * scale) <= last_left;
  }
};

struct Bins {
  std::array<std::array<Bounds, kMaxBins>, 3> box;
  std::array<std::array<std::uint32_t, kMaxBins>, 3> count;
  std::size_t used;  ///< The others are not initialised: most ranges are small and need few.

  explicit Bins(std::size_t bins) : used(bins) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t b = 0; b < used; ++b) {
        box[k][b] = Bounds::none();
        count[k][b] = 0;
      }
    }
  }

  void add(const Reference* begin, const Reference* end, const Binning& binning) {
    std::int32_t bin[4];
    for (const Reference* reference = begin; reference != end; ++reference) {
      binning(*reference, bin);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto b = static_cast<std::size_t>(bin[k]);
        box[k][b].merge(reference->lower, reference->upper);
        ++count[k][b];
      }
    }
  }
  void add(const Bins& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t b = 0; b < used; ++b) {
        box[k][b].merge(other.box[k][b]);
        count[k][b] += other.count[k][b];
      }
    }
  }
};

struct Split {
  float cost = kFloatInfinity;
  int axis = -1;
  std::int32_t bin = 0;  // items of bins 0 … bin go left
};

Split cheapest_split(const Bins& bins, std::uint32_t items) {
  Split best;
  const std::size_t count = bins.used;
  for (std::size_t k = 0; k < 3; ++k) {
    std::array<float, kMaxBins> left_cost;
    Bounds left = Bounds::none();
    std::uint32_t left_items = 0;
    for (std::size_t b = 0; b + 1 < count; ++b) {
      left.merge(bins.box[k][b]);
      left_items += bins.count[k][b];
      left_cost[b] = left_items == 0 ? 0.0F : left.half_area() * static_cast<float>(left_items);
    }
    if (bins.count[k][0] == items) continue;
    Bounds right = Bounds::none();
    std::uint32_t right_items = 0;
    for (std::size_t b = count - 1; b > 0; --b) {
      right.merge(bins.box[k][b]);
      right_items += bins.count[k][b];
      if (right_items == 0 || right_items == items) continue;
      const float cost = left_cost[b - 1] + right.half_area() * static_cast<float>(right_items);
      if (cost < best.cost) best = {cost, static_cast<int>(k), static_cast<std::int32_t>(b) - 1};
    }
  }
  return best;
}

// Levels of nodes that halving needs for so many items.
std::size_t halving_levels(std::uint32_t items) {
  return (static_cast<std::size_t>(std::bit_width(items)) + 2) / 3 + 1;
}

}  // namespace

/// Turns references into nodes; the order of the references becomes the order of the items.
class BoxTreeBuilder {
 public:
  explicit BoxTreeBuilder(References references) : references_(std::move(references)) {}

  static void build(BoxTree& tree, std::span<const Aabb> boxes);

 private:
  using Node = BoxTree::Node;

  Reference* box(std::uint32_t position) { return references_.boxes.data() + position; }

  Range whole() {
    const auto count = static_cast<std::uint32_t>(references_.boxes.size());
    return range_of(0, count);
  }

  Range range_of(std::uint32_t begin, std::uint32_t end) {
    const auto add = [&](std::uint32_t first, std::uint32_t last, Range range) {
      for (std::uint32_t i = first; i < last; ++i) range.add(*box(i));
      return range;
    };
    Range range;
    if (end - begin < kParallelItems) {
      range = add(begin, end, range);
    } else {
      range = tbb::parallel_reduce(
          tbb::blocked_range<std::uint32_t>(begin, end, kBlockItems), Range(),
          [&](const tbb::blocked_range<std::uint32_t>& block, const Range& sum) {
            return add(block.begin(), block.end(), sum);
          },
          [](Range a, const Range& b) {
            a.add(b);
            return a;
          });
    }
    range.begin = begin;
    range.end = end;
    return range;
  }

  void fill(Bins& bins, const Range& range, const Binning& binning) {
    if (range.size() < kParallelItems) {
      bins.add(box(range.begin), box(range.end), binning);
      return;
    }
    // Smallest, largest and counts do not depend on the order in which blocks are joined.
    bins = tbb::parallel_reduce(
        tbb::blocked_range<std::uint32_t>(range.begin, range.end, kBlockItems), bins,
        [&](const tbb::blocked_range<std::uint32_t>& block, Bins sum) {
          sum.add(box(block.begin()), box(block.end()), binning);
          return sum;
        },
        [](Bins a, const Bins& b) {
          a.add(b);
          return a;
        });
  }

  std::pair<Range, Range> split(const Range& range, bool must_halve) {
    if (!must_halve) {
      if (range.size() <= kFewItems) return split_few(range);
      const Binning binning(range);
      Bins bins(binning.bins);
      fill(bins, range, binning);
      const Split best = cheapest_split(bins, range.size());
      if (best.axis >= 0) {
        const Side side(binning, static_cast<std::size_t>(best.axis), best.bin);
        return range.size() < kParallelItems ? partition(range, side, bins) : partition_blocks(range, side);
      }
    }
    return halve(range);
  }

  // The cheapest of all splits by position along an axis. @param range  Of two to kFewItems.
  std::pair<Range, Range> split_few(const Range& range) {
    const std::uint32_t count = range.size();
    std::array<Reference, kFewItems> few;
    std::array<std::uint32_t, kFewItems> items{};
    std::array<std::array<float, 4>, kFewItems> center{};
    for (std::uint32_t i = 0; i < count; ++i) {
      few[i] = *box(range.begin + i);
      items[i] = references_.items[range.begin + i];
      few[i].twice_center().store(center[i].data());
    }
    std::array<std::uint32_t, kFewItems> best_order = {0, 1};
    std::uint32_t best_left = 1;
    float best_cost = kFloatInfinity;
    for (std::size_t k = 0; k < 3 && count > 2; ++k) {
      std::array<std::uint32_t, kFewItems> order{};
      for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t before = 0;
        for (std::uint32_t j = 0; j < count; ++j) {
          before += (j < i ? center[j][k] <= center[i][k] : center[j][k] < center[i][k]) ? 1 : 0;
        }
        order[before] = i;
      }
      std::array<float, kFewItems> left_cost{};
      Bounds left = Bounds::none();
      for (std::uint32_t i = 1; i < count; ++i) {
        const Reference& reference = few[order[i - 1]];
        left.merge(reference.lower, reference.upper);
        left_cost[i] = left.half_area() * static_cast<float>(i);
      }
      Bounds right = Bounds::none();
      for (std::uint32_t i = count - 1; i > 0; --i) {
        const Reference& reference = few[order[i]];
        right.merge(reference.lower, reference.upper);
        const float cost = left_cost[i] + right.half_area() * static_cast<float>(count - i);
        if (cost < best_cost) {
          best_cost = cost;
          best_left = i;
          best_order = order;
        }
      }
    }
    Range left;
    Range right;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t from = best_order[i];
      (i < best_left ? left : right).add(few[from]);
      references_.boxes[range.begin + i] = few[from];
      references_.items[range.begin + i] = items[from];
    }
    return with_border(range, range.begin + best_left, left, right);
  }

  // Without branches on the side, which nobody can foresee. The boxes of both sides are those of their bins.
  std::pair<Range, Range> partition(const Range& range, const Side& side, const Bins& bins) {
    Reference* const boxes = references_.boxes.data();
    std::uint32_t* const items = references_.items.data();
    std::uint32_t border = range.begin;
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
      const Reference reference = boxes[i];
      const std::uint32_t item = items[i];
      boxes[i] = boxes[border];
      items[i] = items[border];
      boxes[border] = reference;
      items[border] = item;
      border += side.is_left(reference) ? 1 : 0;
    }
    Range left;
    Range right;
    for (std::size_t b = 0; b < bins.used; ++b) {
      (static_cast<std::int32_t>(b) <= side.last_left ? left : right).box.merge(bins.box[side.axis][b]);
    }
    left.add_centers(boxes + range.begin, boxes + border);
    right.add_centers(boxes + border, boxes + range.end);
    return with_border(range, border, left, right);
  }

  // By blocks: how many of each go left, where they go, and there they go. Stable, hence the same for any blocks.
  std::pair<Range, Range> partition_blocks(const Range& range, const Side& side) {
    struct Block {
      std::uint32_t begin = 0;
      std::uint32_t end = 0;
      std::uint32_t left_at = 0;
      std::uint32_t right_at = 0;
      std::uint32_t left_count = 0;
      Range left;
      Range right;
    };
    const auto goes_left = [&](std::uint32_t i) { return side.is_left(*box(i)); };
    std::vector<Block> blocks((range.size() + kBlockItems - 1) / kBlockItems);
    const auto each_block = [&](const auto& work) {
      tbb::parallel_for(std::size_t{0}, blocks.size(), [&](std::size_t b) { work(blocks[b], b); });
    };
    each_block([&](Block& block, std::size_t b) {
      block.begin = range.begin + static_cast<std::uint32_t>(b) * kBlockItems;
      block.end = std::min(block.begin + kBlockItems, range.end);
      for (std::uint32_t i = block.begin; i < block.end; ++i) {
        const bool left = goes_left(i);
        block.left_count += left ? 1 : 0;
        (left ? block.left : block.right).add(*box(i));
      }
    });
    std::uint32_t border = range.begin;
    for (const Block& block : blocks) border += block.left_count;
    std::uint32_t left_at = range.begin;
    std::uint32_t right_at = border;
    Range left;
    Range right;
    for (Block& block : blocks) {
      block.left_at = left_at;
      block.right_at = right_at;
      left_at += block.left_count;
      right_at += block.end - block.begin - block.left_count;
      left.add(block.left);
      right.add(block.right);
    }
    std::vector<Reference> boxes(range.size());
    std::vector<std::uint32_t> items(range.size());
    each_block([&](const Block& block, std::size_t) {
      std::uint32_t at[2] = {block.right_at - range.begin, block.left_at - range.begin};
      for (std::uint32_t i = block.begin; i < block.end; ++i) {
        std::uint32_t& to = at[goes_left(i) ? 1 : 0];
        boxes[to] = *box(i);
        items[to] = references_.items[i];
        ++to;
      }
    });
    each_block([&](const Block& block, std::size_t) {
      for (std::uint32_t i = block.begin; i < block.end; ++i) {
        references_.boxes[i] = boxes[i - range.begin];
        references_.items[i] = items[i - range.begin];
      }
    });
    return with_border(range, border, left, right);
  }

  // The lower half along the longest axis first; ties by item, so that equal boxes split as well.
  std::pair<Range, Range> halve(const Range& range) {
    float size[4];
    (range.centers.upper - range.centers.lower).store(size);
    const auto axis = static_cast<std::size_t>(std::max_element(size, size + 3) - size);
    struct Key {
      float center;
      std::uint32_t item;
      Reference box;
    };
    std::vector<Key> keys(range.size());
    for (std::uint32_t i = 0; i < range.size(); ++i) {
      const Reference& reference = references_.boxes[range.begin + i];
      float center[4];
      reference.twice_center().store(center);
      keys[i] = {center[axis], references_.items[range.begin + i], reference};
    }
    const std::uint32_t middle = range.size() / 2;
    std::nth_element(
        keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(middle), keys.end(),
        [](const Key& p, const Key& q) { return p.center != q.center ? p.center < q.center : p.item < q.item; });
    for (std::uint32_t i = 0; i < range.size(); ++i) {
      references_.boxes[range.begin + i] = keys[i].box;
      references_.items[range.begin + i] = keys[i].item;
    }
    return {range_of(range.begin, range.begin + middle), range_of(range.begin + middle, range.end)};
  }

  static std::pair<Range, Range> with_border(const Range& range, std::uint32_t border, Range left, Range right) {
    left.begin = range.begin;
    left.end = border;
    right.begin = border;
    right.end = range.end;
    return {left, right};
  }

  using Collapse = detail::WideCollapse<BoxTree::kWidth>;

  /// Splits a range down to the leaves of a binary tree. @param levels  That it may have below its root; log2 of its
  /// size, rounded up, or more.
  void bisect(const Range& range, std::size_t levels, std::vector<detail::BinaryNode>& tree) {
    const std::size_t index = tree.size();
    tree.push_back({range.begin, range.end, 0, range.box.half_area()});
    if (range.size() <= kMaxBinaryLeafItems) return;
    const auto [left, right] = split(range, levels <= static_cast<std::size_t>(std::bit_width(range.size())));
    bisect(left, levels - 1, tree);
    tree[index].right = static_cast<std::uint32_t>(tree.size());
    bisect(right, levels - 1, tree);
  }

  /// Some items below a node of a binary tree, or a leaf.
  struct Child {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t node;  ///< 0: a leaf.
  };

  /// Lanes that would stay empty make leaves smaller.
  std::size_t fill_lanes(std::array<Child, BoxTree::kWidth>& children, std::size_t count) {
    const auto leaf_size = [&](std::size_t i) {
      return children[i].node == 0 ? children[i].end - children[i].begin : 0;
    };
    for (; count < BoxTree::kWidth; ++count) {
      std::size_t largest = 0;
      for (std::size_t i = 1; i < count; ++i) {
        if (leaf_size(i) > leaf_size(largest)) largest = i;
      }
      if (leaf_size(largest) < 2) break;
      const auto [left, right] = split(range_of(children[largest].begin, children[largest].end), false);
      std::copy_backward(children.begin() + largest + 1, children.begin() + count, children.begin() + count + 1);
      children[largest] = {left.begin, left.end, 0};
      children[largest + 1] = {right.begin, right.end, 0};
    }
    return count;
  }

  std::uint32_t leaf(std::uint32_t begin, std::uint32_t end) {
    references_.items[end - 1] |= BoxTree::kLast;
    return BoxTree::kLeaf | begin;
  }

  /// Appends the subtree in place of a node of a binary tree.
  std::uint32_t append_collapsed(std::span<const detail::BinaryNode> tree, const Collapse& collapse, std::uint32_t root,
                                 std::vector<Node>& nodes) {
    const auto index = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back();
    std::array<std::uint32_t, BoxTree::kWidth> chosen{root};
    std::array<Child, BoxTree::kWidth> children{};
    std::size_t count = tree[root].right == 0 ? 1 : collapse.children_of(root, chosen);
    for (std::size_t i = 0; i < count; ++i) {
      const detail::BinaryNode& child = tree[chosen[i]];
      children[i] = {child.begin, child.end, collapse.is_leaf(chosen[i]) ? 0 : chosen[i]};
    }
    count = fill_lanes(children, count);
    Node node{};
    node.count = static_cast<std::uint32_t>(count);
    node.first = tree[root].begin;
    node.end = tree[root].end;
    for (std::size_t i = 0; i < count; ++i) {
      node.child[i] = children[i].node == 0 ? leaf(children[i].begin, children[i].end)
                                            : append_collapsed(tree, collapse, children[i].node, nodes);
    }
    nodes[index] = node;
    return index;
  }

  /// The children of a node over `range`, in the order of their items.
  std::vector<Range> children_of(const Range& range, bool must_halve) {
    std::vector<Range> children = {range};
    const std::uint32_t least = must_halve ? 2 : kMaxLeafItems + 1;
    const auto is_before = [&](const Range& p, const Range& q) {
      if ((p.size() >= least) != (q.size() >= least)) return p.size() >= least;
      if (!must_halve && p.box.half_area() != q.box.half_area()) return p.box.half_area() > q.box.half_area();
      return p.size() > q.size();
    };
    while (children.size() < BoxTree::kWidth) {
      const auto chosen = std::min_element(children.begin(), children.end(), is_before);
      if (chosen->size() < least) break;
      const auto [left, right] = split(*chosen, must_halve);
      *chosen = left;
      children.insert(chosen + 1, right);
    }
    return children;
  }

  /// Appends the subtree over a range. @param level  Of its root, 1 for that of the tree.
  std::uint32_t append(const Range& range, std::size_t level, std::vector<Node>& nodes) {
    const std::size_t levels = BoxTree::kMaxDepth - level;
    const bool is_small = range.size() < kCollapsedItems;
    if (is_small && levels > static_cast<std::size_t>(std::bit_width(range.size()))) {
      std::vector<detail::BinaryNode> tree;
      tree.reserve(2 * range.size());
      bisect(range, levels, tree);
      return append_collapsed(tree, Collapse(tree, kMaxLeafItems, kCosts), 0, nodes);
    }
    const auto index = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back();
    const std::vector<Range> children =
        children_of(range, is_small || level + halving_levels(range.size()) > BoxTree::kMaxDepth);
    Node node{};
    node.count = static_cast<std::uint32_t>(children.size());
    node.first = range.begin;
    node.end = range.end;
    const auto is_leaf = [&](std::size_t i) { return children[i].size() <= kMaxLeafItems; };
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (is_leaf(i)) node.child[i] = leaf(children[i].begin, children[i].end);
    }
    if (range.size() < kParallelItems) {
      for (std::size_t i = 0; i < children.size(); ++i) {
        if (!is_leaf(i)) node.child[i] = append(children[i], level + 1, nodes);
      }
    } else {
      std::array<std::vector<Node>, BoxTree::kWidth> parts;
      tbb::parallel_for(std::size_t{0}, children.size(), [&](std::size_t i) {
        if (!is_leaf(i)) append(children[i], level + 1, parts[i]);
      });
      for (std::size_t i = 0; i < children.size(); ++i) {
        if (is_leaf(i)) continue;
        const auto offset = static_cast<std::uint32_t>(nodes.size());
        node.child[i] = offset;
        for (Node& below : parts[i]) {
          for (std::size_t slot = 0; slot < below.count; ++slot) {
            if ((below.child[slot] & BoxTree::kLeaf) == 0) below.child[slot] += offset;
          }
          nodes.push_back(below);
        }
      }
    }
    nodes[index] = node;
    return index;
  }

  References references_;
};

void BoxTreeBuilder::build(BoxTree& tree, std::span<const Aabb> boxes) {
  const auto count = static_cast<std::uint32_t>(boxes.size());
  References references;
  references.boxes.resize(count);
  references.items.resize(count);
  const Vector3d origin = tree.origin_;
  const double inverse_unit = 1.0 / tree.unit_;
  const auto refer = [&](std::uint32_t i) {
    const auto cut = [](double x) { return static_cast<float>(std::clamp(x, -kFarAway, kFarAway)); };
    const Vector3d lower = (boxes[i].lower - origin) * inverse_unit;
    const Vector3d upper = (boxes[i].upper - origin) * inverse_unit;
    references.boxes[i] = {Float4::of(cut(lower.x()), cut(lower.y()), cut(lower.z()), 0.0F),
                           Float4::of(cut(upper.x()), cut(upper.y()), cut(upper.z()), 0.0F)};
    references.items[i] = i;
  };
  if (count < kParallelItems) {
    for (std::uint32_t i = 0; i < count; ++i) refer(i);
  } else {
    tbb::parallel_for(std::uint32_t{0}, count, refer);
  }
  BoxTreeBuilder builder(std::move(references));
  tree.nodes_.reserve(count / 3 + 1);
  builder.append(builder.whole(), 1, tree.nodes_);
  tree.nodes_.shrink_to_fit();
  tree.items_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(builder.references_.items));

  std::vector<std::uint8_t> level(tree.nodes_.size(), 1);
  for (std::size_t i = 0; i < tree.nodes_.size(); ++i) {
    tree.depth_ = std::max<std::size_t>(tree.depth_, level[i]);
    for (std::size_t slot = 0; slot < tree.nodes_[i].count; ++slot) {
      const std::uint32_t child = tree.nodes_[i].child[slot];
      if ((child & BoxTree::kLeaf) == 0) level[child] = static_cast<std::uint8_t>(level[i] + 1);
    }
  }
  ABUT_ASSERT(tree.depth_ <= BoxTree::kMaxDepth);
}

BoxTree::BoxTree(std::span<const Aabb> boxes, const ItemPoints& points) {
  if (boxes.empty()) return;
  set_frame(boxes);
  BoxTreeBuilder::build(*this, boxes);
  fit(boxes, points);
}

}  // namespace abut
