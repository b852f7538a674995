// The choice of method by the shape, and composites down to their leaves.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/cast/gjk_ray.h>
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/cast/ray_closed.h>
#include <abut/narrowphase/cast/ray_walk.h>
#include <abut/narrowphase/part.h>

#include <cmath>
#include <concepts>

namespace abut {
namespace {

using detail::LineInterval;
using detail::LocalRay;

constexpr double kRelativeRayTolerance = 1e-10;

/// In the frame of the shape asked.
struct LocalHit {
  double t = 0.0;
  Vector3d normal = Vector3d::Zero();  // any length; zero where the ray starts inside
  std::uint32_t leaf = RayCastHit::kNoLeaf;
  SolveStatus status = SolveStatus::converged;
  double distance_error = 0.0;
};
using LocalAnswer = std::optional<LocalHit>;

LocalAnswer cast(const Shape& shape, const LocalRay& ray, const RayCastOptions& options);

template <class G>
concept AlwaysClosed = std::same_as<G, Sphere> || std::same_as<G, Capsule> || std::same_as<G, HalfSpace>;
template <class G>
concept ClosedWithoutMargin =
    std::same_as<G, Box> || std::same_as<G, Cylinder> || std::same_as<G, Cone> || std::same_as<G, Ellipsoid>;

template <class G>
LocalAnswer cast_closed(const G& geometry, double margin, const LocalRay& ray) {
  const LineInterval interval = detail::inside(geometry, margin, ray);
  if (interval.is_empty() || interval.leave < 0.0 || interval.enter > ray.max_t) return std::nullopt;
  LocalHit hit;
  hit.t = std::max(interval.enter, 0.0);
  if (hit.t > 0.0) hit.normal = detail::normal_at(geometry, ray.at(hit.t));
  return hit;
}

template <class G>
class RayTarget {
 public:
  struct Point {
    Vector3d position;
  };
  explicit RayTarget(const G& core) : core_(core) {}
  [[nodiscard]] Point support(const Vector3d& direction) const { return {core_.support(direction)}; }

 private:
  const G& core_;
};

template <class Core>
LocalAnswer march(const Core& core, const LocalRay& ray, const RayCastOptions& options) {
  using Target = RayTarget<Core>;
  const double size = core.extent() + core.radius();
  const double tolerance = options.tolerance > 0.0 ? options.tolerance : kRelativeRayTolerance * size;
  // Around the point of the ray nearest to the centre, so that a far origin costs no digits.
  const Vector3d center = core.center();
  const double direction_sq = ray.direction.squaredNorm();
  const double shift = direction_sq > 0.0 ? (center - ray.origin).dot(ray.direction) / direction_sq : 0.0;
  Vector3d guess = ray.origin - center;
  if (!(guess.squaredNorm() > 0.0)) guess = direction_sq > 0.0 ? Vector3d(-ray.direction) : Vector3d(Vector3d::UnitX());
  const auto found =
      detail::gjk_ray<typename Target::Point>(Target(core), core.radius(), ray.at(shift), ray.direction, guess, -shift,
                                              ray.max_t - shift, tolerance, options.max_iterations);
  using Outcome = typename decltype(found)::Outcome;
  if (found.outcome == Outcome::miss) return std::nullopt;
  LocalHit hit;
  hit.t = std::clamp(found.t + shift, 0.0, ray.max_t);
  hit.normal = found.normal;
  if (found.t == -shift) hit.t = 0.0;
  hit.distance_error = found.gap;
  if (found.outcome == Outcome::stopped) hit.status = SolveStatus::iteration_limit;
  return hit;
}

LocalAnswer march(const detail::ConvexCore& core, const LocalRay& ray, const RayCastOptions& options) {
  return march<detail::ConvexCore>(core, ray, options);
}

Vector3d facing(const Vector3d& normal, const Vector3d& direction) {
  return normal.dot(direction) > 0.0 ? Vector3d(-normal) : normal;
}

LocalAnswer cast_triangle(const std::array<Vector3d, 3>& corners, const detail::TriangleRay& prepared,
                          const LocalRay& ray, const RayCastOptions& options) {
  using Answer = detail::TriangleRay::Answer;
  double t = 0.0;
  const Answer answer = ray.direction.isZero(0.0) ? Answer::parallel : prepared.meet(corners, t);
  if (answer == Answer::miss) return std::nullopt;
  if (answer == Answer::parallel) {
    const Triangle triangle(corners);
    return march(detail::ConvexCore(triangle, 0.0), ray, options);
  }
  LocalHit hit;
  hit.t = t;
  if (t > 0.0) hit.normal = facing((corners[1] - corners[0]).cross(corners[2] - corners[0]), ray.direction);
  return hit;
}

bool is_before(const LocalHit& hit, const LocalAnswer& best) {
  return !best || hit.t < best->t || (hit.t == best->t && hit.leaf < best->leaf);
}

/// The nearest hit over the leaves of a tree; of equal ones that of the lowest leaf.
template <class Cast>
LocalAnswer cast_leaves(const BoxTree& tree, const LocalRay& ray, const Cast& cast_leaf) {
  LocalAnswer best;
  detail::walk_ray(tree, detail::SlabTest(ray.origin, ray.direction), ray.max_t, [&](std::uint32_t item) {
    LocalAnswer hit = cast_leaf(item);
    if (hit) {
      hit->leaf = item;
      if (is_before(*hit, best)) best = hit;
    }
    return best ? best->t : kInfinity;
  });
  return best;
}

LocalRay into(const Pose& outer_from_inner, const LocalRay& ray) {
  LocalRay result = ray;
  result.origin = outer_from_inner.unrotate(ray.origin - outer_from_inner.translation());
  result.direction = outer_from_inner.unrotate(ray.direction);
  return result;
}

LocalAnswer cast(const Shape& shape, const LocalRay& ray, const RayCastOptions& options) {
  return std::visit(
      [&]<class G>(const G& geometry) -> LocalAnswer {
        const double margin = shape.margin();
        if constexpr (AlwaysClosed<G>) {
          return cast_closed(geometry, margin, ray);
        } else if constexpr (ClosedWithoutMargin<G>) {
          if (margin == 0.0) return cast_closed(geometry, margin, ray);
          return march(detail::TypedCore<G>(geometry, margin), ray, options);
        } else if constexpr (std::same_as<G, Triangle>) {
          if (margin == 0.0) return cast_triangle(geometry.points(), detail::TriangleRay(ray), ray, options);
          return march(detail::ConvexCore(geometry, margin), ray, options);
        } else if constexpr (std::same_as<G, ConvexHull>) {
          return march(detail::TypedCore<G>(geometry, margin), ray, options);
        } else if constexpr (ConvexGeometry<G>) {
          return march(detail::ConvexCore(geometry, margin), ray, options);
        } else if constexpr (std::same_as<G, TriangleMesh>) {
          const detail::TriangleRay prepared(ray);
          return cast_leaves(geometry.tree(), ray, [&](std::uint32_t item) {
            return cast_triangle(geometry.corners(item), prepared, ray, options);
          });
        } else if constexpr (std::same_as<G, HeightField>) {
          return cast_leaves(geometry.tree(), ray, [&](std::uint32_t item) {
            const detail::PointSet points(geometry.prism(item));
            return march(detail::ConvexCore(points, 0.0), ray, options);
          });
        } else {
          return cast_leaves(geometry.tree(), ray, [&](std::uint32_t item) {
            const CompoundChild& child = geometry.children()[item];
            LocalAnswer hit = cast(child.shape, into(child.pose, ray), options);
            if (hit) hit->normal = child.pose.rotate(hit->normal);
            return hit;
          });
        }
      },
      shape.geometry());
}

}  // namespace

void require_ray(const Ray& ray) {
  require_finite("origin", ray.origin);
  require_finite("direction", ray.direction);
  if (!(ray.max_t >= 0.0)) throw InvalidInput("max_t", "must be >= 0", ray.max_t);
}

std::optional<RayCastHit> detail::ray_cast_unchecked(const Ray& ray, const Shape& shape, const Pose& world_from_body,
                                                     const RayCastOptions& options) {
  const double largest = ray.direction.cwiseAbs().maxCoeff();
  const double scale = largest > 0.0 ? largest : 1.0;
  LocalRay local;
  local.origin = world_from_body.unrotate(ray.origin - world_from_body.translation());
  local.direction = world_from_body.unrotate(ray.direction / scale);
  local.max_t = ray.max_t * scale;
  const LocalAnswer answer = cast(shape, local, options);
  if (!answer) return std::nullopt;
  RayCastHit hit;
  hit.t = std::min(answer->t / scale, ray.max_t);
  hit.point = ray.origin + answer->t * (ray.direction / scale);
  hit.leaf = answer->leaf;
  hit.status = answer->status;
  hit.distance_error = answer->distance_error;
  hit.starts_inside = answer->t == 0.0 && answer->status == SolveStatus::converged;
  const double length = answer->normal.norm();
  if (answer->t > 0.0 && length > 0.0) {
    hit.normal = world_from_body.rotate(answer->normal / length);
  } else if (largest > 0.0) {
    hit.normal = -(ray.direction / scale).normalized();
  }
  return hit;
}

std::optional<RayCastHit> ray_cast(const Ray& ray, const Shape& shape, const Pose& world_from_body,
                                   const RayCastOptions& options) {
  try {
    require_ray(ray);
  } catch (const InvalidInput& error) {
    throw error.within("ray");
  }
  require_not_negative("tolerance", options.tolerance);
  if (options.max_iterations < 1) throw InvalidInput("max_iterations", "must be >= 1", options.max_iterations);
  return detail::ray_cast_unchecked(ray, shape, world_from_body, options);
}

}  // namespace abut
