#include "nesmino.h"

#include <abut/core/error.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace abut::study {
namespace {

/// The nearest point is R² p / (R² + t) for the t >= 0 that puts it on the surface. The function of t is convex and
/// falls, so Newton's method from t = 0 rises to its root and never passes it.
Vector3d project(const Ellipsoid& ellipsoid, const Vector3d& point) {
  const Eigen::Array3d radii = ellipsoid.radii().array();
  if ((point.array() / radii).square().sum() <= 1.0) return point;
  double t = 0.0;
  for (int i = 0; i < 60; ++i) {
    const Eigen::Array3d scaled = radii * point.array() / (radii.square() + t);
    const double value = scaled.square().sum() - 1.0;
    const double slope = -2.0 * (scaled.square() / (radii.square() + t)).sum();
    const double step = -value / slope;
    t += step;
    if (step <= 1e-15 * t) break;
  }
  return (radii.square() * point.array() / (radii.square() + t)).matrix();
}

Vector3d project(const Box& box, const Vector3d& point) {
  return point.cwiseMax(-box.half_extents()).cwiseMin(box.half_extents());
}

Vector3d project(const Shape& shape, const Pose& world_from_body, const Vector3d& point_world) {
  const Vector3d point_body = world_from_body.unrotate(point_world - world_from_body.translation());
  return world_from_body * study::project(shape, point_body);
}

}  // namespace

Vector3d project(const Shape& shape, const Vector3d& point) {
  if (const auto* ellipsoid = shape.get_if<Ellipsoid>()) return project(*ellipsoid, point);
  if (const auto* box = shape.get_if<Box>()) return project(*box, point);
  throw InvalidInput("shape", "only ellipsoids and boxes have a projection, not " + std::string(shape.type_name()));
}

// The dual of min |x|²/2 over D = A - B is min over u of f(u) = |u|²/2 + h_A(-u) + h_B(u) with support functions h; at
// its solution u = x. Smoothing subtracts (mu/2)|a - c|² inside h, with c the centre, which makes the maximiser
// a(u) = proj_A(c - u/mu), the gradient u - a(u) + b(u), and its Lipschitz constant 1 + 2/mu. f is 1-strongly convex.
NesminoResult nesmino(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                      const Vector3d& solution, double tolerance, int max_iterations) {
  const Vector3d center_a = world_from_a * center(a);
  const Vector3d center_b = world_from_b * center(b);
  NesminoResult result;
  Vector3d u = center_a - center_b;
  Vector3d v = u;
  double mu = 1.0;
  while (result.iterations < max_iterations) {
    ++result.iterations;
    const Vector3d on_a = project(a, world_from_a, center_a - v / mu);
    const Vector3d on_b = project(b, world_from_b, center_b + v / mu);
    result.nearest = on_a - on_b;
    if ((result.nearest - solution).norm() <= tolerance) {
      result.converged = true;
      break;
    }
    const Vector3d gradient = v - result.nearest;
    const double lipschitz = 1.0 + 2.0 / mu;
    const double root = std::sqrt(lipschitz);
    const Vector3d next = v - gradient / lipschitz;
    v = next + (root - 1.0) / (root + 1.0) * (next - u);
    u = next;
    if (gradient.norm() <= 0.1 * mu) {
      mu *= 0.5;
      v = u;  // the momentum of another function is of no use
    }
  }
  return result;
}

}  // namespace abut::study
