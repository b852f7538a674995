// From the derivatives by the pose of a capsule to those by the state of the car: the chain rule.
#include "collision_constraint.h"

#include <abut/core/error.h>

#include <chrono>
#include <cmath>

namespace abut::parking {
namespace {

// Metres and radians. Central differences are off by its square, and by rounding (some 1e-15 m²) over it: both are
// near 1e-10 here.
constexpr double kDifferenceStep = 1e-5;

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

CollisionConstraint::CollisionConstraint(const Car& car, const Shape& car_shape, const Shape& parked_shape,
                                         const Pose& world_from_parked, GradientMethod method)
    : car_(car),
      car_shape_(car_shape),
      parked_shape_(parked_shape),
      world_from_parked_(world_from_parked),
      method_(method) {
  if (!has_proximity(car_shape, parked_shape)) throw InvalidInput("shape", "must be a capsule or a padded polygon");
}

std::vector<double> CollisionConstraint::values(std::span<const State> states) {
  const Stopwatch stopwatch(effort_.seconds);
  std::vector<double> result;
  result.reserve(states.size());
  for (const State& state : states) result.push_back(proximity_at(pose_of(car_, state)).phi);
  return result;
}

std::vector<CollisionConstraint::Gradient> CollisionConstraint::gradients(std::span<const State> states) {
  const Stopwatch stopwatch(effort_.seconds);
  std::vector<Gradient> result;
  result.reserve(states.size());
  for (const State& state : states) {
    result.push_back(method_ == GradientMethod::exact ? exact_gradient(state) : difference_gradient(state));
  }
  return result;
}

Proximity CollisionConstraint::proximity_at(const Pose& world_from_car) {
  ++effort_.proximity_calls;
  return proximity(car_shape_, world_from_car, parked_shape_, world_from_parked_);
}

CollisionConstraint::Gradient CollisionConstraint::exact_gradient(const State& state) {
  const Pose world_from_car = pose_of(car_, state);
  const Proximity answer = proximity_at(world_from_car);
  const auto by_pose = derivatives(car_shape_, world_from_car, parked_shape_, world_from_parked_, answer).by_a.phi;
  const double by_x = by_pose[0];
  const double by_y = by_pose[1];
  const double by_turn = by_pose[5];  // about the world's z axis, through the middle of the capsule

  // The capsule turns about its middle, the car about its rear axle: a change of heading also moves the middle.
  const double heading = state[kHeading];
  const double by_heading = by_turn + car_.middle_from_axle * (by_y * std::cos(heading) - by_x * std::sin(heading));
  return {by_x, by_y, by_heading};
}

CollisionConstraint::Gradient CollisionConstraint::difference_gradient(const State& state) {
  Gradient result;
  for (const int i : {kX, kY, kHeading}) {
    State forward = state;
    State backward = state;
    forward[i] += kDifferenceStep;
    backward[i] -= kDifferenceStep;
    result[i] = (proximity_at(pose_of(car_, forward)).phi - proximity_at(pose_of(car_, backward)).phi) /
                (forward[i] - backward[i]);
  }
  return result;
}

}  // namespace abut::parking
