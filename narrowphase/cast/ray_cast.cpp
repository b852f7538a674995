// The choice of method by the shape, and composites down to their leaves.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/cast/gjk_ray.h>
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/cast/ray_closed.h>
#include <abut/narrowphase/cast/ray_field.h>
#include <abut/narrowphase/cast/ray_walk.h>
#include <abut/narrowphase/cast/scaled_ray.h>
#include <abut/narrowphase/cast/sheared_ray.h>
#include <abut/narrowphase/cast/tree_ray_walk.h>
#include <abut/narrowphase/part.h>
#include <abut/narrowphase/rotate_unit.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace abut {
namespace {

using detail::LineInterval;
using detail::LocalRay;
using detail::ScaledHit;
using detail::ScaledRay;

constexpr double kRelativeRayTolerance = 1e-10;

/// In the frame of the shape asked.
using LocalAnswer = std::optional<ScaledHit>;

LocalAnswer cast(const Shape& shape, const LocalRay& ray, const RayCastOptions& options);

template <class G>
concept AlwaysClosed = std::same_as<G, Sphere> || std::same_as<G, Capsule> || std::same_as<G, HalfSpace>;
template <class G>
concept ClosedWithoutMargin =
    std::same_as<G, Box> || std::same_as<G, Cylinder> || std::same_as<G, Cone> || std::same_as<G, Ellipsoid>;

template <class G>
LocalAnswer cast_closed(const G& geometry, double margin, const LocalRay& ray) {
  const LineInterval interval = detail::inside(geometry, margin, ray);
  // One branch: each alone is hard to foretell.
  const LineInterval met = intersection(interval, {0.0, ray.max_t});
  if (met.is_empty()) return std::nullopt;
  ScaledHit hit;
  hit.t = met.enter;
  if (hit.t > 0.0) hit.normal = detail::normal_at(geometry, ray, hit.t);
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
  ScaledHit hit;
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

/// Across the edge by which a ray in the plane of a triangle enters it: in the plane of both, against the ray.
/// @param edges  As of InPlaneMeeting: at a corner two, of which one has the triangle behind it.
Vector3d edge_normal(const std::array<Vector3d, 3>& corners, const Vector3d& direction, unsigned edges) {
  constexpr double kParallel = 1e-10;  // sine: less, and what is left of the direction is rounding
  Vector3d best = -direction;
  double least_before = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    if ((edges >> i & 1U) == 0) continue;
    const Vector3d edge = corners[(i + 1) % 3] - corners[i];
    const double length = edge.norm();
    if (!(length > 0.0)) continue;
    const Vector3d along = edge / length;
    const Vector3d against = direction.dot(along) * along - direction;
    const double size = against.norm();
    if (!(size > kParallel * direction.norm())) continue;
    const double before = against.dot(corners[(i + 2) % 3] - corners[i]) / size;
    if (!(before < least_before)) continue;
    least_before = before;
    best = against;
  }
  return best;
}

LocalAnswer cast_edge_on(const detail::ShearedRay& sheared, const std::array<Vector3d, 3>& corners,
                         const LocalRay& ray) {
  const detail::InPlaneMeeting meeting =
      detail::meet_in_plane(sheared, corners[0].data(), corners[1].data(), corners[2].data());
  const LineInterval met = detail::intersection({meeting.enter, meeting.leave}, {0.0, ray.max_t});
  if (met.is_empty()) return std::nullopt;
  ScaledHit hit;
  hit.t = met.enter;
  hit.distance_error = meeting.distance_error;
  if (hit.t > 0.0) hit.normal = edge_normal(corners, ray.direction, meeting.edges);
  return hit;
}

/// @param sheared  Of the ray, for these corners or a mesh of which they are.
LocalAnswer cast_triangle(const detail::ShearedRay& sheared, const std::array<Vector3d, 3>& corners,
                          const LocalRay& ray) {
  const detail::TriangleMeeting meeting =
      detail::meet(sheared, corners[0].data(), corners[1].data(), corners[2].data());
  if (meeting.is_edge_on) return cast_edge_on(sheared, corners, ray);
  if (!(meeting.t >= 0.0 && meeting.t <= ray.max_t)) return std::nullopt;
  ScaledHit hit;
  hit.t = meeting.t;
  if (hit.t > 0.0) hit.normal = facing((corners[1] - corners[0]).cross(corners[2] - corners[0]), ray.direction);
  return hit;
}

LocalAnswer cast_triangle(const Triangle& triangle, const LocalRay& ray, const RayCastOptions& options) {
  const std::array<Vector3d, 3>& corners = triangle.points();
  if (ray.direction.isZero(0.0)) return march(detail::ConvexCore(triangle, 0.0), ray, options);
  const Vector3d lower = corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]);
  const Vector3d upper = corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]);
  const double in_plane = detail::in_plane_bound(lower.data(), upper.data(), ray.origin.data());
  return cast_triangle(detail::sheared_ray(ray.origin.data(), ray.direction.data(), in_plane), corners, ray);
}

bool is_before(const ScaledHit& hit, const LocalAnswer& best) {
  return !best || hit.t < best->t || (hit.t == best->t && hit.leaf < best->leaf);
}

/// Shows the items of a tree that the ray may meet; visit(item) returns the t beyond which nothing matters any more.
template <class Visit>
void visit_items(const BoxTree& tree, const LocalRay& ray, const Visit& visit) {
  if (tree.is_empty()) return;
  if (ray.direction.isZero(0.0) || !tree.bounds().lower.allFinite() || !tree.bounds().upper.allFinite()) {
    detail::walk_ray(tree, detail::SlabTest(ray.origin, ray.direction), ray.max_t, visit);
  } else {
    detail::visit_ray_items(detail::box_tree_ray(tree, ray.origin.data(), ray.direction.data()), ray.max_t, visit);
  }
}

/// The nearest hit over the leaves of a tree; of equal ones that of the lowest leaf.
template <class Cast>
LocalAnswer cast_leaves(const BoxTree& tree, const LocalRay& ray, const Cast& cast_leaf) {
  LocalAnswer best;
  visit_items(tree, ray, [&](std::uint32_t item) {
    LocalAnswer hit = cast_leaf(item);
    if (hit) {
      hit->leaf = item;
      if (is_before(*hit, best)) best = hit;
    }
    return best ? best->t : kInfinity;
  });
  return best;
}

/// Whether some leaf of a tree is met.
template <class Meets>
bool meets_leaf(const BoxTree& tree, const LocalRay& ray, const Meets& meets) {
  bool is_met = false;
  visit_items(tree, ray, [&](std::uint32_t item) {
    is_met = is_met || meets(item);
    return is_met ? -1.0 : kInfinity;
  });
  return is_met;
}

/// Where the ray meets a triangle of a mesh that it sees edge-on.
class EdgeOnTriangles {
 public:
  EdgeOnTriangles(const TriangleMesh& mesh, const detail::MeshRay& mesh_ray, const LocalRay& ray)
      : mesh_(mesh), sheared_(mesh_ray.sheared()), ray_(ray) {}

  [[nodiscard]] detail::EdgeOnCall call() {
    return {[](void* user, std::uint32_t triangle) {
              const auto& self = *static_cast<const EdgeOnTriangles*>(user);
              const LocalAnswer hit = cast_edge_on(self.sheared_, self.mesh_.corners(triangle), self.ray_);
              return hit ? hit->t : std::numeric_limits<double>::quiet_NaN();
            },
            this};
  }

 private:
  const TriangleMesh& mesh_;
  const detail::ShearedRay& sheared_;
  const LocalRay& ray_;
};

LocalAnswer cast_mesh(const TriangleMesh& mesh, const LocalRay& ray, const RayCastOptions& options) {
  if (ray.direction.isZero(0.0)) {
    return cast_leaves(mesh.tree(), ray, [&](std::uint32_t triangle) {
      return cast_triangle(Triangle(mesh.corners(triangle)), ray, options);
    });
  }
  const detail::MeshRay mesh_ray(mesh, ray.origin.data(), ray.direction.data());
  EdgeOnTriangles edge_on(mesh, mesh_ray, ray);
  const detail::FirstTriangle first = mesh_ray.first(ray.max_t, edge_on.call());
  if (first.triangle == detail::FirstTriangle::kNone) return std::nullopt;
  // Once more for the normal; t has the same bits.
  LocalAnswer hit = cast_triangle(mesh_ray.sheared(), mesh.corners(first.triangle), ray);
  if (hit) hit->leaf = first.triangle;
  return hit;
}

bool meets_mesh(const TriangleMesh& mesh, const LocalRay& ray, const RayCastOptions& options) {
  if (ray.direction.isZero(0.0)) return cast_mesh(mesh, ray, options).has_value();
  const detail::MeshRay mesh_ray(mesh, ray.origin.data(), ray.direction.data());
  EdgeOnTriangles edge_on(mesh, mesh_ray, ray);
  return mesh_ray.meets_any(ray.max_t, edge_on.call());
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
          if (margin == 0.0) return cast_triangle(geometry, ray, options);
          return march(detail::ConvexCore(geometry, margin), ray, options);
        } else if constexpr (std::same_as<G, ConvexHull>) {
          return march(detail::TypedCore<G>(geometry, margin), ray, options);
        } else if constexpr (ConvexGeometry<G>) {
          return march(detail::ConvexCore(geometry, margin), ray, options);
        } else if constexpr (std::same_as<G, TriangleMesh>) {
          return cast_mesh(geometry, ray, options);
        } else if constexpr (std::same_as<G, HeightField>) {
          const detail::FieldRay field_ray(geometry, ray);
          return cast_leaves(geometry.tree(), ray, [&](std::uint32_t item) { return field_ray.meet(item); });
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

/// cast().has_value(), found sooner where the shape is a composite.
bool meets(const Shape& shape, const LocalRay& ray, const RayCastOptions& options) {
  if (const auto* mesh = shape.get_if<TriangleMesh>()) return meets_mesh(*mesh, ray, options);
  if (const auto* field = shape.get_if<HeightField>()) {
    const detail::FieldRay field_ray(*field, ray);
    return meets_leaf(field->tree(), ray, [&](std::uint32_t item) { return field_ray.meet(item).has_value(); });
  }
  if (const auto* compound = shape.get_if<Compound>()) {
    return meets_leaf(compound->tree(), ray, [&](std::uint32_t item) {
      const CompoundChild& child = compound->children()[item];
      return meets(child.shape, into(child.pose, ray), options);
    });
  }
  return cast(shape, ray, options).has_value();
}

/// The largest that is at most a positive number.
double power_of_two_below(double value) {
  if (value < std::numeric_limits<double>::min()) return std::ldexp(1.0, std::ilogb(value));
  constexpr std::uint64_t kExponent = 0x7ff0000000000000;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & kExponent);
}

LocalRay into_body(const ScaledRay& ray, const Pose& world_from_body) {
  return {world_from_body.unrotate(ray.origin - world_from_body.translation()), world_from_body.unrotate(ray.direction),
          ray.max_t};
}

}  // namespace

void require_ray(const Ray& ray) {
  require_finite("origin", ray.origin);
  require_finite("direction", ray.direction);
  if (!(ray.max_t >= 0.0)) throw InvalidInput("max_t", "must be >= 0", ray.max_t);
}

detail::ScaledRay::ScaledRay(const Ray& ray) : origin(ray.origin) {
  const double largest = ray.direction.cwiseAbs().maxCoeff();
  scale = largest > 0.0 ? power_of_two_below(largest) : 1.0;
  direction = ray.direction / scale;
  max_t = ray.max_t * scale;
  ray_max_t = ray.max_t;
}

std::optional<ScaledHit> detail::first_hit_of(const ScaledRay& ray, const Shape& shape, const Pose& world_from_body,
                                              const RayCastOptions& options) {
  return cast(shape, into_body(ray, world_from_body), options);
}

bool detail::meets_shape(const ScaledRay& ray, const Shape& shape, const Pose& world_from_body,
                         const RayCastOptions& options) {
  return meets(shape, into_body(ray, world_from_body), options);
}

RayCastHit detail::unscaled(const ScaledHit& hit, const ScaledRay& ray, const Pose& world_from_body) {
  RayCastHit result;
  result.t = std::min(hit.t / ray.scale, ray.ray_max_t);
  result.point = ray.origin + hit.t * ray.direction;
  result.leaf = hit.leaf;
  result.status = hit.status;
  result.distance_error = hit.distance_error;
  result.starts_inside = hit.t == 0.0 && hit.status == SolveStatus::converged;
  const double size = hit.normal.cwiseAbs().maxCoeff();  // squares of tiny and of huge ones are out of range
  if (hit.t > 0.0 && size > 0.0) {
    result.normal = detail::rotate_unit(world_from_body, (hit.normal / size).normalized());
  } else if (!ray.direction.isZero(0.0)) {
    result.normal = -ray.direction.normalized();
  }
  return result;
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
  const ScaledRay scaled(ray);
  const LocalAnswer hit = detail::first_hit_of(scaled, shape, world_from_body, options);
  if (!hit) return std::nullopt;
  return detail::unscaled(*hit, scaled, world_from_body);
}

}  // namespace abut
