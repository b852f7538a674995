// The collision constraint: the proximity φ of the car and the parked car at states of the car, and its gradient.
// Source: Tracy et al., "DiffPills", section III (capsules) and section V (φ >= 0 in a trajectory optimisation).
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/proximity.h>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "car.h"

namespace abut::parking {

enum class GradientMethod : std::uint8_t {
  exact,        ///< abut::derivatives(), through the solution of the quadratic program.
  differences,  ///< Central differences of abut::proximity(), six calls a gradient.
};

/// What was asked of the constraint so far.
struct CollisionEffort {
  std::size_t proximity_calls = 0;
  double seconds = 0.0;  ///< Wall time, of the gradients too.
};

class CollisionConstraint {
 public:
  /// By x, y and heading of the car; no other part of the state moves the capsule.
  using Gradient = Eigen::Vector3d;

  /// @param car_shape, parked_shape  Capsules or padded polygons, see has_proximity(); a margin counts as radius.
  /// @throws InvalidInput  naming "shape" for others.
  CollisionConstraint(const Car& car, const Shape& car_shape, const Shape& parked_shape, const Pose& world_from_parked,
                      GradientMethod method);

  /// φ of each state, m²: > 0 apart.
  [[nodiscard]] std::vector<double> values(std::span<const State> states);
  [[nodiscard]] std::vector<Gradient> gradients(std::span<const State> states);

  [[nodiscard]] const CollisionEffort& effort() const { return effort_; }

 private:
  [[nodiscard]] Proximity proximity_at(const Pose& world_from_car);
  [[nodiscard]] Gradient exact_gradient(const State& state);
  [[nodiscard]] Gradient difference_gradient(const State& state);

  Car car_;
  Shape car_shape_;
  Shape parked_shape_;
  Pose world_from_parked_;
  GradientMethod method_;
  CollisionEffort effort_;
};

}  // namespace abut::parking
