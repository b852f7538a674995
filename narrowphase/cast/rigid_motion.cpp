// Poses along a motion.
#include <abut/core/error.h>
#include <abut/narrowphase/cast/rigid_motion.h>

#include <cmath>

namespace abut {
namespace {

// Turns by less, radians, are the rounding of two equal rotations.
constexpr double kNoTurn = 1e-15;

}  // namespace

RigidMotion RigidMotion::between(const Pose& start, const Pose& end, const Vector3d& pivot) {
  RigidMotion motion{.start = start, .pivot = pivot};
  motion.linear = end * pivot - start * pivot;
  Quaterniond turn = end.quaternion() * start.quaternion().conjugate();
  turn.normalize();
  if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
  const double sine = turn.vec().norm();  // of half the angle
  const double angle = 2.0 * std::atan2(sine, turn.w());
  if (sine > kNoTurn) motion.angular = angle / sine * turn.vec();
  return motion;
}

Pose RigidMotion::at(double t) const {
  if (t == 0.0) return start;
  const double rate = angle();
  if (rate == 0.0) return Pose(t * linear) * start;
  const Quaterniond turn(Eigen::AngleAxisd(rate * t, angular / rate));
  // The arm alone is turned, so that nothing is lost far from the origin.
  const Vector3d arm = start.rotate(pivot);
  return Pose(start.translation() + (arm - turn * arm) + t * linear, turn * start.quaternion());
}

RigidMotion RigidMotion::of_part(const Pose& body_from_part) const {
  return {.start = start * body_from_part,
          .linear = linear,
          .angular = angular,
          .pivot = body_from_part.unrotate(pivot - body_from_part.translation())};
}

void require_motion(const RigidMotion& motion) {
  require_finite("start", motion.start);
  require_finite("linear", motion.linear);
  for (int i = 0; i < 3; ++i) {
    const double coordinate = motion.angular[i];
    if (std::abs(coordinate) <= kMaxTurn) continue;  // written so that NaN is refused
    throw InvalidInput("angular", i, "must be finite and at most 1e+100 radians", coordinate);
  }
  require_finite("pivot", motion.pivot);
  const Vector3d way = motion.start.translation().cwiseAbs() + motion.linear.cwiseAbs();
  if (!std::isfinite(way.maxCoeff() + 2.0 * motion.pivot.stableNorm())) {
    throw InvalidInput("", "must stay finite: start, linear and pivot together are beyond the range of double");
  }
}

}  // namespace abut
