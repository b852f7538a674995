// The box of a node's lane, in doubles and in the coordinates of the node, and how it becomes floats.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/trees/box_node.h>

#include <cmath>
#include <cstddef>

namespace abut::detail {

/// Half the surface of a lane's box.
[[nodiscard]] inline double half_area(const Aabb& box) {
  const Vector3d size = box.upper - box.lower;
  return size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
}

/// Below `value - slack`, by no more than two steps of a float and the slack.
inline float rounded_down(double value, double slack) {
  constexpr double kStep = 0x1p-23;  // of a float, relative
  return static_cast<float>(value - slack - kStep * std::abs(value));
}

/// Rounds a box outwards into a lane of a node.
inline void store(const Aabb& box, double slack, BoxNode& node, std::size_t slot) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    node.lower[k][slot] = rounded_down(box.lower[axis], slack);
    node.upper[k][slot] = -rounded_down(-box.upper[axis], slack);
  }
}

inline bool is_finite(const Aabb& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

}  // namespace abut::detail
