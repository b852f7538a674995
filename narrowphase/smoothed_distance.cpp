#include <abut/core/error.h>
#include <abut/narrowphase/core_extent.h>
#include <abut/narrowphase/nearest_in_product.h>
#include <abut/narrowphase/newton_in_product.h>
#include <abut/narrowphase/part.h>
#include <abut/narrowphase/smooth/smooth_core.h>
#include <abut/narrowphase/smoothed_distance.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

namespace abut {
namespace {

// f is called converged when it is known to this fraction, or to rounding; the gradient is then good to 1e-6 of its
// largest value.
constexpr double kAccuracy = 1e-12;

// No point of the core is farther from its centre, up to rounding; metres.
double reach(const Sphere&) {
  return 0.0;
}
double reach(const Ellipsoid& shape) {
  return shape.radii().maxCoeff();
}
double reach(const Box& shape) {
  return shape.half_extents().norm();
}
double reach(const Capsule& shape) {
  return shape.half_length();
}
double reach(const Cylinder& shape) {
  return std::hypot(shape.radius(), shape.half_length());
}
double reach(const Cone& shape) {
  const double height = shape.half_length();
  return std::max(1.5 * height, std::hypot(shape.radius(), 0.5 * height));
}
double reach(const ConvexHull& shape) {
  return (shape.obb().center - shape.center()).norm() + shape.obb().half_extents.norm();
}
double reach(const Superquadric& shape) {
  return shape.radii().norm();
}
// As in core_extent.h: of triangles and padded polygons exact, of smooth solids of revolution half the diagonal of their
// box, whose middle the centre is.
double reach(const Triangle& shape) {
  return detail::core_extent(shape);
}
double reach(const PaddedPolygon& shape) {
  return detail::core_extent(shape);
}
// The centre lies anywhere in the box.
double reach(const SmoothHull& shape) {
  Vector3d farthest;
  for (int i = 0; i < 3; ++i) {
    const double upper = shape.core_support(Vector3d::Unit(i))[i] - shape.center()[i];
    const double lower = shape.center()[i] - shape.core_support(-Vector3d::Unit(i))[i];
    farthest[i] = std::max(upper, lower);
  }
  return farthest.norm();
}
double reach(const SmoothRevolution& shape) {
  return detail::core_extent(shape);
}

double reach_of(const Shape& shape) {
  return std::visit(
      []<class G>(const G& geometry) {
        if constexpr (ConvexGeometry<G>) return reach(geometry);
        return 0.0;
      },
      shape.geometry());
}

void require_convex(const Shape& shape) {
  if (!shape.is_convex()) {
    throw InvalidInput("shape",
                       "smoothed_distance needs a bounded convex shape, not " + std::string(shape.type_name()));
  }
}

// The weight of a spring that adds at most share_sq to V. Beyond 1 the point would only be held stiffer.
double spring_weight(double reach, double share_sq) {
  return reach * reach > share_sq ? share_sq / (reach * reach) : 1.0;
}

// The two cores as the solvers see them: about their centres, along the axes of a.
class CenteredCores {
 public:
  CenteredCores(const Shape& a, const Shape& b, const Pose& a_from_b)
      : a_(detail::Part(a).core()),
        b_(detail::Part(b).core()),
        curved_a_(detail::curved_core(a)),
        curved_b_(detail::curved_core(b)),
        a_from_b_(a_from_b) {}

  [[nodiscard]] const detail::ConvexCore& a() const { return a_; }
  [[nodiscard]] const detail::ConvexCore& b() const { return b_; }

  [[nodiscard]] detail::AnchoredPoints nearest(const detail::AnchoredPair& pair) const {
    const auto support_a = [this](const Vector3d& direction) -> Vector3d {
      return a_.support(direction) - a_.center();
    };
    const auto support_b = [this](const Vector3d& direction) {
      return a_from_b_.rotate(b_.support(a_from_b_.unrotate(direction)) - b_.center());
    };
    if (!curved_a_ || !curved_b_) return detail::nearest_in_product(pair, support_a, support_b);

    const auto expand_a = [this](const Vector3d& direction) {
      SupportExpansion expansion = curved_a_->full_expansion(direction);
      expansion.point -= a_.center();
      return expansion;
    };
    const auto expand_b = [this](const Vector3d& direction) {
      SupportExpansion expansion = curved_b_->full_expansion(a_from_b_.unrotate(direction));
      expansion.point = a_from_b_.rotate(expansion.point - b_.center());
      expansion.hessian = a_from_b_.rotation() * expansion.hessian * a_from_b_.rotation().transpose();
      return expansion;
    };
    const auto newton = [&](bool is_inside_a, bool is_inside_b, Vector3d& x, Vector3d& y) {
      return detail::newton_in_product(pair, expand_a, expand_b, is_inside_a, is_inside_b, x, y);
    };
    return detail::nearest_in_product(pair, support_a, support_b, newton);
  }

 private:
  detail::ConvexCore a_;
  detail::ConvexCore b_;
  std::optional<detail::SmoothCore> curved_a_;
  std::optional<detail::SmoothCore> curved_b_;
  const Pose& a_from_b_;
};

}  // namespace

SmoothedDistance smoothed_distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                   double smoothing_length) {
  require_convex(a);
  require_convex(b);
  require_positive("smoothing_length", smoothing_length);

  const Pose a_from_b = Pose::relative(world_from_a, world_from_b);
  const CenteredCores cores(a, b, a_from_b);
  const Vector3d& center_a = cores.a().center();
  const Vector3d& center_b = cores.b().center();
  const double share_sq = smoothing_length * smoothing_length / 3.0;
  detail::AnchoredPair pair;
  pair.offset = a_from_b * center_b - center_a;
  pair.reach_a = reach_of(a);
  pair.reach_b = reach_of(b);
  pair.weight_a = spring_weight(pair.reach_a, share_sq);
  pair.weight_b = spring_weight(pair.reach_b, share_sq);
  const double raise =
      std::sqrt(pair.weight_a * pair.reach_a * pair.reach_a + pair.weight_b * pair.reach_b * pair.reach_b + share_sq);
  const double radii = cores.a().radius() + cores.b().radius();

  const detail::AnchoredPoints found = cores.nearest(pair);

  // The gradient of the objective by a translation of b is 2 (y - x), the springs move along; by a rotation there is
  // the lever of y besides. That of the root is half of it over the root.
  SmoothedDistance result;
  const double root = std::sqrt(found.value + share_sq);
  result.distance = root - raise - radii;
  const Vector3d gap = world_from_a.rotate(found.gap);
  const Vector3d slope = root > 0.0 ? Vector3d(gap / root) : Vector3d(Vector3d::Zero());
  const Vector3d lever_a = world_from_a.rotate(center_a + found.point_a);
  const Vector3d lever_b = world_from_a.rotate(found.point_b) + world_from_b.rotate(center_b);
  result.point_a = world_from_a.translation() + lever_a;
  result.point_b = world_from_b.translation() + lever_b;
  result.by_a << -slope.transpose(), -lever_a.cross(slope).transpose();
  result.by_b << slope.transpose(), lever_b.cross(slope).transpose();
  result.iterations = found.iterations;

  // The root lies between sqrt(V_min + m²/3), with V_min >= 0 and >= V - error, and itself; the root of 1 - t is at
  // least 1 - t.
  constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();
  const double solver_error = root > 0.0 ? std::min(found.value_error / root, root - std::sqrt(share_sq)) : 0.0;
  const double coordinates = pair.offset.norm() + pair.reach_a + pair.reach_b + center_a.norm() + center_b.norm();
  result.distance_error = solver_error + kRounding * (coordinates + raise + radii);
  // Of the value that the solver gives up on, rounding of the coordinates may be the reason; m makes it matter.
  const bool is_accurate = found.value_error <= kAccuracy * root * root + kRounding * coordinates * coordinates;
  if (!is_accurate) result.status = SolveStatus::iteration_limit;
  return result;
}

}  // namespace abut
