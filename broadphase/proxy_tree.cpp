// What goes into the tree, and questions as its walks take them.
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/broadphase/proxy_tree.h>
#include <abut/core/infinity.h>

#include <cmath>

namespace abut {
namespace {

bool is_within_reach(const FloatBox& box) {
  bool within = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    within = within && box.lower[axis] >= -ProxyTree::kReach && box.upper[axis] <= ProxyTree::kReach;
  }
  return within;
}

bool is_taken(ProxyTree::Proxies proxies, std::uint8_t state) {
  if (proxies == ProxyTree::Proxies::all) return true;
  return ((state & ProxyTable::kFixed) != 0) == (proxies == ProxyTree::Proxies::fixed);
}

}  // namespace

void ProxyTree::build(const ProxyTable& table, Proxies proxies, std::span<const double> widths) {
  nodes_.clear();
  far_.clear();
  items_.clear();
  if (proxies == Proxies::all) items_.reserve(table.size());
  const BoxArrays& boxes = table.boxes();
  for (std::uint32_t id = 0; id < table.id_bound(); ++id) {
    if (!table.contains(id) || !is_taken(proxies, table.states()[id])) continue;
    const double width = widths.empty() ? 0.0 : widths[id];
    FloatBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lower[axis] = detail::round_down(static_cast<double>(boxes.lower[axis][id]) - width);
      box.upper[axis] = detail::round_up(static_cast<double>(boxes.upper[axis][id]) + width);
    }
    if (is_within_reach(box)) {
      items_.add(box.lower, box.upper, id);
    } else {
      far_.push_back(id);
    }
  }
  if (items_.size() > 0) build_.run(items_, nodes_);
}

std::size_t ProxyTree::memory() const {
  return detail::memory_of(nodes_) + detail::memory_of(far_) + items_.memory() + build_.memory();
}

detail::TreeRay ProxyTree::prepared(const BoxRay& ray, const Vector3d& half) {
  detail::TreeRay query{};
  const double largest = ray.direction.cwiseAbs().maxCoeff();
  query.scale = largest > 0.0 ? largest : 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const double direction = ray.direction[axis];
    // Half extents are added with a rounding of their own.
    const double slack = 1e-15 * (std::abs(ray.origin[axis]) + half[axis]);
    const double above = ray.origin[axis] + half[axis] + slack;
    const double below = ray.origin[axis] - half[axis] - slack;
    const bool positive = direction >= 0.0;
    query.near_side[k] = positive ? detail::TreeNode::kLower : detail::TreeNode::kUpper;
    float down_up[2] = {detail::round_down(below), detail::round_up(above)};
    query.inverse[k] = static_cast<float>(query.scale / direction);
    if (direction == 0.0) {
      // One step away from the box, so that only the sides beyond decide: they are met at minus or plus infinity.
      query.inverse[k] = kFloatInfinity;
      down_up[0] = detail::from_ordered_key(detail::ordered_key(down_up[0]) - 1);
      down_up[1] = detail::from_ordered_key(detail::ordered_key(down_up[1]) + 1);
    }
    constexpr double kSteepest = 1e-30;
    const bool is_known = std::abs(above) < kReach && std::abs(below) < kReach && std::isfinite(above - below) &&
                          (direction == 0.0 || std::abs(direction) > kSteepest * query.scale);
    if (!is_known) {  // this axis rejects nothing
      query.inverse[k] = positive ? 1.0F : -1.0F;
      down_up[0] = -kFloatInfinity;
      down_up[1] = kFloatInfinity;
    }
    // Whether it is positive is hard to foretell: no branches.
    query.near_origin[k] = down_up[positive];
    query.far_origin[k] = down_up[!positive];
  }
  query.limit = limit_of(query, ray.max_t);
  return query;
}

detail::TreeBox ProxyTree::prepared(const Aabb& box, double max_distance) {
  detail::TreeBox query{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    query.lower[k] = box.lower[axis] > -kReach ? detail::round_down(box.lower[axis]) : -kFloatInfinity;
    query.upper[k] = box.upper[axis] < kReach ? detail::round_up(box.upper[axis]) : kFloatInfinity;
  }
  query.limit_sq = limit_of(max_distance);
  return query;
}

float ProxyTree::limit_of(const detail::TreeRay& query, double t) {
  const double scaled = t * query.scale * (1.0 + 1e-6);
  return scaled < static_cast<double>(detail::kLargestFloat) ? detail::round_up(scaled) : kFloatInfinity;
}

float ProxyTree::limit_of(double distance) {
  if (distance < 0.0) return -1.0F;
  const double square = distance * distance * (1.0 + 1e-6);
  return square < static_cast<double>(detail::kLargestFloat) ? detail::round_up(square) : kFloatInfinity;
}

}  // namespace abut
