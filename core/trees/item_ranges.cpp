// How ranges of items are split.
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
    : boxes_(boxes.size()), items_(boxes.size()) {
  const double inverse_unit = 1.0 / unit;
  const auto refer = [&](std::uint32_t i) {
    const auto cut = [](double x) { return static_cast<float>(std::clamp(x, -kFarAway, kFarAway)); };
    const Vector3d lower = (boxes[i].lower - origin) * inverse_unit;
    const Vector3d upper = (boxes[i].upper - origin) * inverse_unit;
    boxes_[i] = {Float4::of(cut(lower.x()), cut(lower.y()), cut(lower.z()), 0.0F),
                 Float4::of(cut(upper.x()), cut(upper.y()), cut(upper.z()), 0.0F)};
    items_[i] = i;
  };
  const auto count = static_cast<std::uint32_t>(boxes.size());
  if (count < kParallelItems) {
    for (std::uint32_t i = 0; i < count; ++i) refer(i);
  } else {
    tbb::parallel_for(std::uint32_t{0}, count, refer);
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
      return range.size() < kParallelItems ? partition(range, side, bins) : partition_blocks(range, side);
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
  ItemBox* const boxes = boxes_.data();
  std::uint32_t* const items = items_.data();
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

// By blocks: how many of each go left, where they go, and there they go. Stable, hence the same for any blocks.
ItemRanges::Halves ItemRanges::partition_blocks(const ItemRange& range, const Side& side) {
  struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t left_at = 0;
    std::uint32_t right_at = 0;
    std::uint32_t left_count = 0;
    ItemRange left;
    ItemRange right;
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
  ItemRange left;
  ItemRange right;
  for (Block& block : blocks) {
    block.left_at = left_at;
    block.right_at = right_at;
    left_at += block.left_count;
    right_at += block.end - block.begin - block.left_count;
    left.add(block.left);
    right.add(block.right);
  }
  std::vector<ItemBox> boxes(range.size());
  std::vector<std::uint32_t> items(range.size());
  each_block([&](const Block& block, std::size_t) {
    std::uint32_t at[2] = {block.right_at - range.begin, block.left_at - range.begin};
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      std::uint32_t& to = at[goes_left(i) ? 1 : 0];
      boxes[to] = *box(i);
      items[to] = items_[i];
      ++to;
    }
  });
  each_block([&](const Block& block, std::size_t) {
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      boxes_[i] = boxes[i - range.begin];
      items_[i] = items[i - range.begin];
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
