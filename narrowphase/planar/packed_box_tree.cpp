#include <abut/narrowphase/planar/packed_box_tree.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace abut::planar::detail {
namespace {

double middle(const Box2& box, int axis) {
  // Halves first: the sum may overflow.
  const double value = 0.5 * box.lower[axis] + 0.5 * box.upper[axis];
  return std::isfinite(value) ? value : 0.0;
}

double median(std::span<const Box2> boxes, int axis) {
  std::vector<double> values;
  for (const Box2& box : boxes) values.push_back(middle(box, axis));
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

// Item numbers, so that runs of kFanout lie close together.
std::vector<std::uint32_t> packed_order(std::span<const Box2> boxes) {
  std::vector<std::uint32_t> order(boxes.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto sort_by = [&](std::size_t first, std::size_t last, int axis) {
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.begin() + static_cast<std::ptrdiff_t>(last),
              [&](std::uint32_t i, std::uint32_t j) {
                const double a = middle(boxes[i], axis);
                const double b = middle(boxes[j], axis);
                return a != b ? a < b : i < j;
              });
  };
  sort_by(0, order.size(), 0);
  const double leaves = std::ceil(static_cast<double>(boxes.size()) / PackedBoxTree::kFanout);
  const auto slabs = static_cast<std::size_t>(std::ceil(std::sqrt(leaves)));
  const std::size_t slab = slabs * PackedBoxTree::kFanout;
  for (std::size_t first = 0; first < order.size(); first += slab) {
    sort_by(first, std::min(first + slab, order.size()), 1);
  }
  return order;
}

}  // namespace

PackedBoxTree::PackedBoxTree(std::span<const Box2> boxes) {
  if (boxes.empty()) return;
  origin_ = {median(boxes, 0), median(boxes, 1)};
  items_ = packed_order(boxes);
  std::vector<FloatBox> level;
  for (const std::uint32_t item : items_) level.push_back(seen_from_origin(boxes[item]));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (bool is_leaf = true; is_leaf || level.size() > 1; is_leaf = false) {
    const std::size_t first_of_level = nodes_.size();
    const std::size_t first_child = is_leaf ? 0 : first_of_level - level.size();
    std::vector<FloatBox> above;
    for (std::size_t i = 0; i < level.size(); i += kFanout) {
      Node node;
      node.is_leaf = is_leaf;
      node.first = static_cast<std::uint32_t>(first_child + i);
      node.count = static_cast<std::uint32_t>(std::min(kFanout, level.size() - i));
      node.lower_x.fill(kInfinity);
      node.lower_y.fill(kInfinity);
      node.upper_x.fill(-kInfinity);
      node.upper_y.fill(-kInfinity);
      FloatBox whole{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}};
      for (std::size_t k = 0; k < node.count; ++k) {
        const FloatBox& box = level[i + k];
        node.lower_x[k] = box.lower[0];
        node.lower_y[k] = box.lower[1];
        node.upper_x[k] = box.upper[0];
        node.upper_y[k] = box.upper[1];
        for (std::size_t axis = 0; axis < 2; ++axis) {
          whole.lower[axis] = std::min(whole.lower[axis], box.lower[axis]);
          whole.upper[axis] = std::max(whole.upper[axis], box.upper[axis]);
        }
      }
      nodes_.push_back(node);
      above.push_back(whole);
    }
    level = std::move(above);
  }
}

}  // namespace abut::planar::detail
