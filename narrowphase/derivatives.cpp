// With n the normal, h_A and h_B the support functions of the cores in the world, p_A = ∇h_A(n), p_B = ∇h_B(-n), their
// Hessians H_A, H_B and h = n·(p_A - p_B), the first-order condition is Vᵀ (p_A - p_B) = 0, V a basis across n. At
// fixed n, a motion (τ, ω) of b moves p_B by dp = τ + ω × r_B + H_B (ω × n), r_B from b's origin. Hence
//     dn = V J⁻¹ Vᵀ dp,   J = Vᵀ (H_A + H_B) V - h I,
//     dp_A = H_A dn,      dp_B = dp - H_B dn,
// and by the envelope theorem the distance changes by n·(τ + ω × r_B). For a motion of a the signs turn.
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/smooth/smooth_core.h>

#include <cmath>

namespace abut {
namespace {

using Eigen::Matrix3d;
using Motion = Eigen::Matrix<double, 3, 6>;

// J is singular where an eigenvalue is below this fraction of the size of its terms.
constexpr double kIsolated = 1e-9;

Matrix3d cross_matrix(const Vector3d& v) {
  Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

struct Body {
  Vector3d point;    // of the core, world
  Matrix3d hessian;  // of h at its outward normal, world
  Motion motion;     // of the support point at a fixed normal, by the body's pose
};

Body body_at(const detail::SmoothCore& core, const Pose& world_from_body, const Vector3d& outward) {
  const SupportExpansion at = core.full_expansion(world_from_body.unrotate(outward));
  const Matrix3d& rotation = world_from_body.rotation();
  Body body;
  const Vector3d arm = world_from_body.rotate(at.point);
  body.point = arm + world_from_body.translation();
  body.hessian = rotation * at.hessian * rotation.transpose();
  // ω × arm - H (ω × outward)
  body.motion << Matrix3d::Identity(), body.hessian * cross_matrix(outward) - cross_matrix(arm);
  return body;
}

// By the pose of b. @param inverse  V J⁻¹ Vᵀ.
PoseDerivatives by_second(const Body& a, const Body& b, const Matrix3d& inverse, const Vector3d& normal) {
  PoseDerivatives result;
  result.normal = inverse * b.motion;
  result.point_a = a.hessian * result.normal;
  result.point_b = b.motion - b.hessian * result.normal;
  result.distance = normal.transpose() * b.motion;  // n·H_B vanishes
  return result;
}

}  // namespace

bool has_derivatives(const Shape& a, const Shape& b) {
  return detail::curved_core(a).has_value() && detail::curved_core(b).has_value();
}

std::optional<SeparationDerivatives> derivatives(const Shape& a, const Pose& world_from_a, const Shape& b,
                                                 const Pose& world_from_b, const Separation& separation) {
  const std::optional<detail::SmoothCore> core_a = detail::curved_core(a);
  const std::optional<detail::SmoothCore> core_b = detail::curved_core(b);
  if (!core_a || !core_b || separation.status != SolveStatus::converged) return std::nullopt;
  const Vector3d& normal = separation.normal;
  const Body body_a = body_at(*core_a, world_from_a, normal);
  const Body body_b = body_at(*core_b, world_from_b, -normal);

  const detail::TangentFrame frame = detail::tangent_frame(normal);
  const double height = normal.dot(body_a.point - body_b.point);
  const Matrix3d sum = body_a.hessian + body_b.hessian;
  const double uu = frame.u.dot(sum * frame.u) - height;
  const double uv = frame.u.dot(sum * frame.v);
  const double vv = frame.v.dot(sum * frame.v) - height;
  const double size = std::abs(uu) + std::abs(vv) + 2.0 * std::abs(height);
  const double smallest = 0.5 * (uu + vv) - std::hypot(0.5 * (uu - vv), uv);
  if (!(smallest > kIsolated * size)) return std::nullopt;
  const double determinant = uu * vv - uv * uv;
  const Matrix3d inverse =
      (vv * frame.u * frame.u.transpose() - uv * (frame.u * frame.v.transpose() + frame.v * frame.u.transpose()) +
       uu * frame.v * frame.v.transpose()) /
      determinant;

  SeparationDerivatives result;
  result.by_b = by_second(body_a, body_b, inverse, normal);
  // Seen from b the normal is the opposite one, and so are the roles of the points.
  const PoseDerivatives mirrored = by_second(body_b, body_a, inverse, -normal);
  result.by_a.distance = mirrored.distance;
  result.by_a.point_a = mirrored.point_b;
  result.by_a.point_b = mirrored.point_a;
  result.by_a.normal = -mirrored.normal;
  // From the cores to the surfaces.
  for (PoseDerivatives* by : {&result.by_a, &result.by_b}) {
    by->point_a += core_a->radius() * by->normal;
    by->point_b -= core_b->radius() * by->normal;
  }
  return result;
}

}  // namespace abut
