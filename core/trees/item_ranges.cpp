// How ranges of items are split.
#include <abut/core/assert.h>
#include <abut/core/trees/item_ranges.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace abut::detail {
namespace {

// For ranges of no more all splits are weighed, without bins.
constexpr std::uint32_t kFewItems = 4;
constexpr std::size_t kMaxBins = 16;
constexpr std::uint32_t kBlockItems = 8192;
// Unbounded sides are cut here, in units, for the choice of splits only.
constexpr double kFarAway = 1e12;

struct Split {
  float cost = kFloatInfinity;
  int axis = -1;
  std::int32_t bin = 0;  // items of bins 0 … bin go left
};

ItemRanges::Halves with_border(const ItemRange& range, std::uint32_t border, ItemRange left, ItemRange right) {
  left.begin = range.begin;
  left.end = border;
  right.begin = border;
  right.end = range.end;
  return {left, right};
}

}  // namespace

/// Maps centres to bins. Monotone along each axis, so that a split by bin is a split by position.
struct ItemRanges::Binning {
  Float4 origin;
  Float4 scale;
  std::size_t bins;

  explicit Binning(const ItemRange& range)
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
  void operator()(const ItemBox& item, std::int32_t* bin) const {
    ((item.twice_center() - origin) * scale).store_truncated(bin);
  }
};

/// Which side of a split an item goes to, by the same numbers as its bin.
struct ItemRanges::Side {
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
  [[nodiscard]] bool is_left(const ItemBox& item) const {
    float lower[4];
    float upper[4];
    std::memcpy(lower, &item.lower, sizeof(lower));
    std::memcpy(upper, &item.upper, sizeof(upper));
    return static_cast<std::int32_t>((lower[axis] + upper[axis] - origin) * scale) <= last_left;
  }
};

struct ItemRanges::Bins {
  std::array<std::array<FloatBox, kMaxBins>, 3> box;
  std::array<std::array<std::uint32_t, kMaxBins>, 3> count;
  std::size_t used;  ///< The others are not initialised: most ranges are small and need few.

  explicit Bins(std::size_t bins) : used(bins) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t b = 0; b < used; ++b) {
        box[k][b] = FloatBox::none();
        count[k][b] = 0;
      }
    }
  }

  void add(const ItemBox* begin, const ItemBox* end, const Binning& binning) {
    std::int32_t bin[4];
    for (const ItemBox* item = begin; item != end; ++item) {
      binning(*item, bin);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto b = static_cast<std::size_t>(bin[k]);
        box[k][b].merge(item->lower, item->upper);
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

  /// Of a range of so many items.
  [[nodiscard]] Split cheapest_split(std::uint32_t items) const {
    Split best;
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<float, kMaxBins> left_cost;
      FloatBox left = FloatBox::none();
      std::uint32_t left_items = 0;
      for (std::size_t b = 0; b + 1 < used; ++b) {
        left.merge(box[k][b]);
        left_items += count[k][b];
        left_cost[b] = left_items == 0 ? 0.0F : left.half_area() * static_cast<float>(left_items);
      }
      if (count[k][0] == items) continue;
      FloatBox right = FloatBox::none();
      std::uint32_t right_items = 0;
      for (std::size_t b = used - 1; b > 0; --b) {
        right.merge(box[k][b]);
        right_items += count[k][b];
        if (right_items == 0 || right_items == items) continue;
        const float cost = left_cost[b - 1] + right.half_area() * static_cast<float>(right_items);
        if (cost < best.cost) best = {cost, static_cast<int>(k), static_cast<std::int32_t>(b) - 1};
      }
    }
    return best;
  }
};

ItemRanges::ItemRanges(std::span<const Aabb> boxes, const Vector3d& origin, double unit)
    : count_(static_cast<std::uint32_t>(boxes.size())),
      boxes_(std::make_unique_for_overwrite<ItemBox[]>(boxes.size())),
      items_(std::make_unique_for_overwrite<std::uint32_t[]>(boxes.size())) {
  const double inverse_unit = 1.0 / unit;
  const auto refer = [&](std::uint32_t i) {
    const auto cut = [](double x) { return static_cast<float>(std::clamp(x, -kFarAway, kFarAway)); };
    const Vector3d lower = (boxes[i].lower - origin) * inverse_unit;
    const Vector3d upper = (boxes[i].upper - origin) * inverse_unit;
    boxes_[i] = {Float4::of(cut(lower.x()), cut(lower.y()), cut(lower.z()), 0.0F),
                 Float4::of(cut(upper.x()), cut(upper.y()), cut(upper.z()), 0.0F)};
    items_[i] = i;
  };
  if (count_ < kParallelItems) {
    for (std::uint32_t i = 0; i < count_; ++i) refer(i);
  } else {
    tbb::parallel_for(std::uint32_t{0}, count_, refer);
  }
}

ItemRange ItemRanges::range_of(std::uint32_t begin, std::uint32_t end) const {
  const auto add = [&](std::uint32_t first, std::uint32_t last, ItemRange range) {
    for (std::uint32_t i = first; i < last; ++i) range.add(*box(i));
    return range;
  };
  ItemRange range;
  if (end - begin < kParallelItems) {
    range = add(begin, end, range);
  } else {
    range = tbb::parallel_reduce(
        tbb::blocked_range<std::uint32_t>(begin, end, kBlockItems), ItemRange(),
        [&](const tbb::blocked_range<std::uint32_t>& block, const ItemRange& sum) {
          return add(block.begin(), block.end(), sum);
        },
        [](ItemRange a, const ItemRange& b) {
          a.add(b);
          return a;
        });
  }
  range.begin = begin;
  range.end = end;
  return range;
}

void ItemRanges::fill(Bins& bins, const ItemRange& range, const Binning& binning) const {
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

ItemRanges::Halves ItemRanges::split(const ItemRange& range, bool must_halve) {
  if (!must_halve) {
    if (range.size() <= kFewItems) return split_few(range);
    const Binning binning(range);
    Bins bins(binning.bins);
    fill(bins, range, binning);
    const Split best = bins.cheapest_split(range.size());
    if (best.axis >= 0) {
      const Side side(binning, static_cast<std::size_t>(best.axis), best.bin);
      return range.size() < kParallelItems ? partition(range, side, bins) : partition_blocks(range, side, bins);
    }
  }
  return halve(range);
}

// The cheapest of all splits by position along an axis. @param range  Of two to kFewItems.
ItemRanges::Halves ItemRanges::split_few(const ItemRange& range) {
  const std::uint32_t count = range.size();
  std::array<ItemBox, kFewItems> few;
  std::array<std::uint32_t, kFewItems> items{};
  std::array<std::array<float, 4>, kFewItems> center{};
  for (std::uint32_t i = 0; i < count; ++i) {
    few[i] = *box(range.begin + i);
    items[i] = items_[range.begin + i];
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
    FloatBox left = FloatBox::none();
    for (std::uint32_t i = 1; i < count; ++i) {
      const ItemBox& reference = few[order[i - 1]];
      left.merge(reference.lower, reference.upper);
      left_cost[i] = left.half_area() * static_cast<float>(i);
    }
    FloatBox right = FloatBox::none();
    for (std::uint32_t i = count - 1; i > 0; --i) {
      const ItemBox& reference = few[order[i]];
      right.merge(reference.lower, reference.upper);
      const float cost = left_cost[i] + right.half_area() * static_cast<float>(count - i);
      if (cost < best_cost) {
        best_cost = cost;
        best_left = i;
        best_order = order;
      }
    }
  }
  ItemRange left;
  ItemRange right;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t from = best_order[i];
    (i < best_left ? left : right).add(few[from]);
    boxes_[range.begin + i] = few[from];
    items_[range.begin + i] = items[from];
  }
  return with_border(range, range.begin + best_left, left, right);
}

// Without branches on the side, which nobody can foresee. The boxes of both sides are those of their bins.
ItemRanges::Halves ItemRanges::partition(const ItemRange& range, const Side& side, const Bins& bins) {
  ItemBox* const boxes = boxes_.get();
  std::uint32_t* const items = items_.get();
  std::uint32_t border = range.begin;
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    const ItemBox reference = boxes[i];
    const std::uint32_t item = items[i];
    boxes[i] = boxes[border];
    items[i] = items[border];
    boxes[border] = reference;
    items[border] = item;
    border += side.is_left(reference) ? 1 : 0;
  }
  ItemRange left;
  ItemRange right;
  for (std::size_t b = 0; b < bins.used; ++b) {
    (static_cast<std::int32_t>(b) <= side.last_left ? left : right).box.merge(bins.box[side.axis][b]);
  }
  left.add_centers(boxes + range.begin, boxes + border);
  right.add_centers(boxes + border, boxes + range.end);
  return with_border(range, border, left, right);
}

// The bins tell where the border lies, so that one pass by blocks finds who stands on the wrong side of it. As many on
// one side as on the other: the first of them change places, then the second, and so on, whatever the blocks.
ItemRanges::Halves ItemRanges::partition_blocks(const ItemRange& range, const Side& side, const Bins& bins) {
  struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t misplaced = 0;
    std::uint32_t first = 0;  ///< Of all that are misplaced on its side of the border, how many come before.
    ItemRange left;
    ItemRange right;
  };
  std::uint32_t border = range.begin;
  for (std::int32_t b = 0; b <= side.last_left; ++b) border += bins.count[side.axis][static_cast<std::size_t>(b)];

  // Blocks end at the border.
  const auto blocks_of = [](std::uint32_t items) { return (items + kBlockItems - 1) / kBlockItems; };
  const std::uint32_t left_blocks = blocks_of(border - range.begin);
  std::vector<Block> blocks(left_blocks + blocks_of(range.end - border));
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const bool is_left = b < left_blocks;
    blocks[b].begin = is_left ? range.begin + b * kBlockItems : border + (b - left_blocks) * kBlockItems;
    blocks[b].end = std::min(blocks[b].begin + kBlockItems, is_left ? border : range.end);
  }
  const auto misplaced = std::make_unique_for_overwrite<std::uint32_t[]>(range.size());
  tbb::parallel_for(std::uint32_t{0}, static_cast<std::uint32_t>(blocks.size()), [&](std::uint32_t b) {
    Block& block = blocks[b];
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const bool left = side.is_left(*box(i));
      (left ? block.left : block.right).add(*box(i));
      misplaced[block.begin - range.begin + block.misplaced] = i;
      block.misplaced += left == (b < left_blocks) ? 0 : 1;
    }
  });
  ItemRange left;
  ItemRange right;
  std::uint32_t on_side[2] = {0, 0};
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    std::uint32_t& before = on_side[b < left_blocks ? 0 : 1];
    blocks[b].first = before;
    before += blocks[b].misplaced;
    left.add(blocks[b].left);
    right.add(blocks[b].right);
  }
  ABUT_ASSERT(on_side[0] == on_side[1]);
  tbb::parallel_for(std::uint32_t{0}, left_blocks, [&](std::uint32_t b) {
    const Block& block = blocks[b];
    if (block.misplaced == 0) return;
    // The block on the right with the partner of the first.
    auto other = std::upper_bound(blocks.begin() + left_blocks, blocks.end(), block.first,
                                  [](std::uint32_t rank, const Block& right_block) { return rank < right_block.first; }) - 1;
    for (std::uint32_t k = 0; k < block.misplaced; ++k) {
      const std::uint32_t rank = block.first + k;
      while (rank - other->first >= other->misplaced) ++other;
      const std::uint32_t here = misplaced[block.begin - range.begin + k];
      const std::uint32_t there = misplaced[other->begin - range.begin + (rank - other->first)];
      std::swap(boxes_[here], boxes_[there]);
      std::swap(items_[here], items_[there]);
    }
  });
  return with_border(range, border, left, right);
}

// The lower half along the longest axis first; ties by item, so that equal boxes split as well.
ItemRanges::Halves ItemRanges::halve(const ItemRange& range) {
  float size[4];
  (range.centers.upper - range.centers.lower).store(size);
  const auto axis = static_cast<std::size_t>(std::max_element(size, size + 3) - size);
  struct Key {
    float center;
    std::uint32_t item;
    ItemBox box;
  };
  std::vector<Key> keys(range.size());
  for (std::uint32_t i = 0; i < range.size(); ++i) {
    const ItemBox& reference = boxes_[range.begin + i];
    float center[4];
    reference.twice_center().store(center);
    keys[i] = {center[axis], items_[range.begin + i], reference};
  }
  const std::uint32_t middle = range.size() / 2;
  std::nth_element(
      keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(middle), keys.end(),
      [](const Key& p, const Key& q) { return p.center != q.center ? p.center < q.center : p.item < q.item; });
  for (std::uint32_t i = 0; i < range.size(); ++i) {
    boxes_[range.begin + i] = keys[i].box;
    items_[range.begin + i] = keys[i].item;
  }
  return {range_of(range.begin, range.begin + middle), range_of(range.begin + middle, range.end)};
}

}  // namespace abut::detail
