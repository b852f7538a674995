// How ranges of items are split.
#include <abut/core/assert.h>
#include <abut/core/trees/item_bins.h>
#include <abut/core/trees/item_ranges.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace abut::detail {
namespace {

constexpr std::uint32_t kBlockItems = 8192;
// Unbounded sides are cut here, in units, for the choice of splits only.
constexpr double kFarAway = 1e12;

}  // namespace

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
    for (std::uint32_t i = first; i < last; ++i) range.add(boxes_[i]);
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
  const auto add = [&](std::uint32_t first, std::uint32_t last, Bins& sum) {
    std::int32_t bin[4];
    for (std::uint32_t i = first; i < last; ++i) {
      binning(boxes_[i], bin);
      sum.add(boxes_[i], bin);
    }
  };
  if (range.size() < kParallelItems) {
    add(range.begin, range.end, bins);
    return;
  }
  // Smallest, largest and counts do not depend on the order in which blocks are joined.
  bins = tbb::parallel_reduce(
      tbb::blocked_range<std::uint32_t>(range.begin, range.end, kBlockItems), bins,
      [&](const tbb::blocked_range<std::uint32_t>& block, Bins sum) {
        add(block.begin(), block.end(), sum);
        return sum;
      },
      [](Bins a, const Bins& b) {
        a.add(b);
        return a;
      });
}

ItemRange::Halves ItemRanges::split(const ItemRange& range, bool must_halve) {
  if (must_halve) return halve(range);
  const Binning binning(range);
  Bins bins(binning.bins);
  fill(bins, range, binning);
  const Split best = bins.cheapest_split(range.size());
  if (best.axis < 0) return halve(range);
  const Side side(binning, best);
  return partition(range, side, range.begin + bins.items_left(best));
}

// The bins tell where the border lies, so that one pass by blocks finds who stands on the wrong side of it. As many on
// one side as on the other: the first of them change places, then the second, and so on, whatever the blocks.
ItemRange::Halves ItemRanges::partition(const ItemRange& range, const Side& side, std::uint32_t border) {
  struct Block {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t misplaced = 0;
    std::uint32_t first = 0;  ///< Of all that are misplaced on its side of the border, how many come before.
    ItemRange left;
    ItemRange right;
  };
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
      const bool left = side.is_left(boxes_[i]);
      (left ? block.left : block.right).add(boxes_[i]);
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
    auto other =
        std::upper_bound(blocks.begin() + left_blocks, blocks.end(), block.first,
                         [](std::uint32_t rank, const Block& right_block) { return rank < right_block.first; }) -
        1;
    for (std::uint32_t k = 0; k < block.misplaced; ++k) {
      const std::uint32_t rank = block.first + k;
      while (rank - other->first >= other->misplaced) ++other;
      const std::uint32_t here = misplaced[block.begin - range.begin + k];
      const std::uint32_t there = misplaced[other->begin - range.begin + (rank - other->first)];
      std::swap(boxes_[here], boxes_[there]);
      std::swap(items_[here], items_[there]);
    }
  });
  return range.halves(border, left, right);
}

// The lower half along the longest axis first; ties by item, so that equal boxes split as well.
ItemRange::Halves ItemRanges::halve(const ItemRange& range) {
  const std::size_t axis = range.longest_axis();
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
