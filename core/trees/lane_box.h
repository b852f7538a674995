// The box of a node's lane while it grows, in doubles, and how it becomes floats.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/infinity.h>
#include <abut/core/trees/box_node.h>

#include <cmath>
#include <cstddef>

namespace abut::detail {

/// In the coordinates of a node.
struct LaneBox {
  Vector3d lower = Vector3d::Constant(kInfinity);
  Vector3d upper = Vector3d::Constant(-kInfinity);

  void add(const Vector3d& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  void add(const LaneBox& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  void add_everything() {
    lower.setConstant(-kInfinity);
    upper.setConstant(kInfinity);
  }
  [[nodiscard]] double half_area() const {
    const Vector3d size = upper - lower;
    return size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
  }
};

/// Below `value - slack`, by no more than two steps of a float and the slack.
inline float rounded_down(double value, double slack) {
  constexpr double kStep = 0x1p-23;  // of a float, relative
  return static_cast<float>(value - slack - kStep * std::abs(value));
}

/// Rounds a box outwards into a lane of a node.
inline void store(const LaneBox& box, double slack, BoxNode& node, std::size_t slot) {
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
