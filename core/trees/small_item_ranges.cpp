// By bins, or all ways where few items are left, or in halves.
#include <abut/core/assert.h>
#include <abut/core/infinity.h>
#include <abut/core/trees/item_bins.h>
#include <abut/core/trees/small_item_ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace abut::detail {
namespace {

// For ranges of no more all splits are weighed, without bins.
constexpr std::uint32_t kFewItems = 4;

}  // namespace

void SmallItemRanges::assign(const ItemRange& range, const ItemBox* boxes, std::uint32_t* items) {
  first_ = range.begin;
  count_ = range.size();
  boxes_ = boxes;
  items_ = items;
  ABUT_ASSERT(count_ <= kMostItems);
  place_.resize(count_);
  bins_.resize(count_);
  right_.resize(count_);
  for (std::uint32_t i = 0; i < count_; ++i) place_[i] = static_cast<std::uint16_t>(i);
}

ItemRange SmallItemRanges::range_of(std::uint32_t begin, std::uint32_t end) const {
  ItemRange range;
  range.begin = begin;
  range.end = end;
  for (std::uint32_t i = begin; i < end; ++i) range.add(box(i));
  return range;
}

void SmallItemRanges::order_items() {
  std::vector<std::uint32_t>& unordered = bins_;  // which are not needed any more
  unordered.assign(items_, items_ + count_);
  for (std::uint32_t i = 0; i < count_; ++i) items_[i] = unordered[place_[i]];
}

ItemRange::Halves SmallItemRanges::split(const ItemRange& range, bool must_halve) {
  if (must_halve) return halve(range);
  if (range.size() <= kFewItems) return split_few(range);
  const Binning binning(range);
  Bins bins(binning.bins);
  const std::uint32_t begin = range.begin - first_;
  const std::uint32_t end = range.end - first_;
  for (std::uint32_t i = begin; i < end; ++i) {
    const ItemBox& item = boxes_[place_[i]];
    std::int32_t bin[4];
    binning(item, bin);
    bins.add(item, bin);
    bins_[i] = static_cast<std::uint32_t>(bin[0] | bin[1] << 8 | bin[2] << 16);
  }
  const Split best = bins.cheapest_split(range.size());
  if (best.axis < 0) return halve(range);

  // Without branches on the side, which nobody can foresee.
  std::uint32_t border = begin;
  std::uint32_t right_count = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint16_t place = place_[i];
    const std::uint32_t is_left =
        static_cast<std::int32_t>(bins_[i] >> (8 * best.axis) & 0xffu) <= best.last_left ? 1 : 0;
    place_[border] = place;
    right_[right_count] = place;
    border += is_left;
    right_count += 1 - is_left;
  }
  std::copy(right_.begin(), right_.begin() + right_count, place_.begin() + border);
  auto [left, right] = bins.boxes_beside(best);
  for (std::uint32_t i = begin; i < border; ++i) left.add_center(boxes_[place_[i]]);
  for (std::uint32_t i = border; i < end; ++i) right.add_center(boxes_[place_[i]]);
  return range.halves(border + first_, left, right);
}

// The cheapest of all splits by position along an axis. @param range  Of two to kFewItems.
ItemRange::Halves SmallItemRanges::split_few(const ItemRange& range) {
  const std::uint32_t count = range.size();
  std::array<ItemBox, kFewItems> few;
  std::array<std::uint16_t, kFewItems> places{};
  std::array<std::array<float, 4>, kFewItems> center{};
  for (std::uint32_t i = 0; i < count; ++i) {
    few[i] = box(range.begin + i);
    places[i] = place_[range.begin - first_ + i];
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
    Float4Box left = Float4Box::none();
    for (std::uint32_t i = 1; i < count; ++i) {
      const ItemBox& reference = few[order[i - 1]];
      left.merge(reference.lower, reference.upper);
      left_cost[i] = left.half_area() * static_cast<float>(i);
    }
    Float4Box right = Float4Box::none();
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
    place_[range.begin - first_ + i] = places[from];
  }
  return range.halves(range.begin + best_left, left, right);
}

// The lower half along the longest axis first; ties by item, so that equal boxes split as well.
ItemRange::Halves SmallItemRanges::halve(const ItemRange& range) {
  const std::size_t axis = range.longest_axis();
  const auto center = [&](std::uint16_t place) {
    float of_axes[4];
    boxes_[place].twice_center().store(of_axes);
    return of_axes[axis];
  };
  const std::uint32_t middle = range.begin + range.size() / 2;
  std::nth_element(place_.begin() + (range.begin - first_), place_.begin() + (middle - first_),
                   place_.begin() + (range.end - first_), [&](std::uint16_t p, std::uint16_t q) {
                     const float at_p = center(p);
                     const float at_q = center(q);
                     return at_p != at_q ? at_p < at_q : items_[p] < items_[q];
                   });
  return range.halves(middle, range_of(range.begin, middle), range_of(middle, range.end));
}

}  // namespace abut::detail
