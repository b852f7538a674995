// Questions about a scene: rays, overlaps, nearest bodies, groups; one at a time or many in parallel.
#pragma once

#include <abut/broadphase/query_results.h>
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/cast/shape_cast.h>
#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>
#include <abut/world/scene.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace abut {

/// Which bodies a query sees. The default sees every body whose filter accepts a body with the default filter.
struct QueryFilter {
  CollisionFilter collision{};     ///< Layers and mask of the query, as if it were a body.
  std::span<const BodyId> skip{};  ///< Not seen; stale handles skip nothing.
  /// Where it is set, only bodies for which it returns true are seen. In batches several threads call it at once. What
  /// it throws comes out; the lists of a batch are empty then, other answers partly written.
  std::function<bool(BodyId)> predicate{};
};

struct BodyRayHit {
  BodyId body;
  RayCastHit hit;
};

/// A body near a shape or a point; the query is a, the body b.
struct BodySeparation {
  BodyId body;
  Separation separation;
};

struct PairSeparation {
  BodyPair pair;
  Separation separation;
};

/// The first body that a moving shape meets; the shape is a, the body b.
struct BodyShapeCast {
  BodyId body;
  ShapeCast cast;  ///< A hit, or undecided: then no body is met before its t.
};

/// A moving shape of a batch.
struct MovingShape {
  Shape shape;
  RigidMotion motion;
};

/// A shape of a batch.
struct PlacedShape {
  Shape shape;
  Pose pose{};  ///< world_from_body
};

namespace detail {
struct QueryMemory;

/// An item of the list that answers a question of a batch.
template <class Item>
struct OfQuestion {
  std::size_t question;
  Item item;
};
}  // namespace detail

/// What one thread's queries remember from one to the next: where to look first, and memory. Answers do not depend on
/// it beyond the error bounds of the separations. Any scene, one thread at a time; copies are independent.
class QueryContext {
 public:
  QueryContext() = default;

 private:
  friend struct detail::QueryMemory;
  std::uint32_t last_hit_ = ~std::uint32_t{0};  // slots
  std::uint32_t last_nearest_ = ~std::uint32_t{0};
  std::vector<std::uint32_t> asked_without_limit_;
  std::vector<Aabb> boxes_[2];
  std::vector<std::vector<detail::OfQuestion<BodyRayHit>>> hit_blocks_;
  std::vector<std::vector<detail::OfQuestion<BodyId>>> body_blocks_;
  std::vector<std::vector<BodySeparation>> separation_blocks_;
};

// Threads: queries only read the scene. Any number of threads may ask at once, each with its own context, while no
// thread calls a non-const function of the scene. Batches run in the caller's TBB arena; their answers lie in the order
// of the questions and are the same for any number of threads.
//
// All but distance() answer by a tree over the bodies that Scene::prepare_queries() makes, and throw InvalidInput
// naming "scene" where a body has been added, removed or moved since. Once a context has been used, single queries
// allocate nothing but what their answer needs, and the size of a triangle, padded polygon or compound that is cast.
//
// Bodies in equal places are ordered by slot. Unbounded bodies have no distance from an unbounded shape and are not
// seen by it.

/// The first body that a ray meets; see ray_cast() of a shape for what a hit is.
/// @throws InvalidInput  naming "ray.origin", "ray.direction" or "ray.max_t".
[[nodiscard]] std::optional<BodyRayHit> ray_cast(const Scene& scene, const Ray& ray, const QueryFilter& filter,
                                                 QueryContext& context);
/// Some body that the ray meets, whichever is found first; for visibility.
[[nodiscard]] std::optional<BodyId> any_hit(const Scene& scene, const Ray& ray, const QueryFilter& filter,
                                            QueryContext& context);
/// The first hit on each body that the ray meets, by t.
/// @param hits  Replaced.
void all_hits(const Scene& scene, const Ray& ray, const QueryFilter& filter, QueryContext& context,
              std::vector<BodyRayHit>& hits);

/// The first body that a moving shape meets while the bodies stand still; see shape_cast() of two shapes.
/// @param shape  Bounded.
/// @throws InvalidInput  naming "shape", "motion.linear" and so on, "tolerance" or "max_iterations".
[[nodiscard]] std::optional<BodyShapeCast> shape_cast(const Scene& scene, const Shape& shape, const RigidMotion& motion,
                                                      const ShapeCastOptions& options, const QueryFilter& filter,
                                                      QueryContext& context);

/// The bodies whose distance from a shape is at most `margin`, by slot.
/// @param margin  Metres, finite and >= 0.
/// @param bodies  Replaced.
/// @throws InvalidInput  naming "margin", or what is not finite in "world_from_shape".
void overlaps(const Scene& scene, const Shape& shape, const Pose& world_from_shape, double margin,
              const QueryFilter& filter, QueryContext& context, std::vector<BodyId>& bodies);
/// Some such body.
[[nodiscard]] std::optional<BodyId> any_overlap(const Scene& scene, const Shape& shape, const Pose& world_from_shape,
                                                double margin, const QueryFilter& filter, QueryContext& context);

/// The body nearest to a shape, or the most deeply overlapping one, by signed distance.
/// @param max_distance  Metres; bodies farther away are not found. Infinite: none is too far.
/// @throws InvalidInput  naming "max_distance": NaN, "point", or what is not finite in "world_from_shape".
[[nodiscard]] std::optional<BodySeparation> nearest(const Scene& scene, const Shape& shape,
                                                    const Pose& world_from_shape, double max_distance,
                                                    const QueryFilter& filter, QueryContext& context);
/// The body nearest to a point.
[[nodiscard]] std::optional<BodySeparation> nearest(const Scene& scene, const Vector3d& point, double max_distance,
                                                    const QueryFilter& filter, QueryContext& context);
/// The `count` nearest bodies by distance; fewer where there are no more within max_distance.
/// @param bodies  Replaced.
void nearest(const Scene& scene, const Shape& shape, const Pose& world_from_shape, std::size_t count,
             double max_distance, const QueryFilter& filter, QueryContext& context,
             std::vector<BodySeparation>& bodies);
void nearest(const Scene& scene, const Vector3d& point, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, std::vector<BodySeparation>& bodies);

/// The pair of a body of one group and another body of the other group that are nearest or overlap most deeply, at the
/// current poses; filters do not apply. Needs no prepare_queries().
/// @return Nothing where every pair is farther apart than max_distance or has no distance; of equal pairs the first.
/// @throws InvalidInput  naming a[i] or b[i]: a stale handle; "max_distance": NaN.
[[nodiscard]] std::optional<PairSeparation> distance(const Scene& scene, std::span<const BodyId> a,
                                                     std::span<const BodyId> b, double max_distance,
                                                     QueryContext& context);

// Batches, answered in parallel. Answers are written by index; where their number differs from that of the questions
// InvalidInput names it. What is wrong with the i-th question is named "queries[i].ray.max_t" and so on.

void ray_cast(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter,
              std::span<std::optional<BodyRayHit>> hits);
void any_hit(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter,
             std::span<std::optional<BodyId>> bodies);
void all_hits(const Scene& scene, std::span<const Ray> rays, const QueryFilter& filter, QueryContext& context,
              QueryLists<BodyRayHit>& hits);
void shape_cast(const Scene& scene, std::span<const MovingShape> shapes, const ShapeCastOptions& options,
                const QueryFilter& filter, std::span<std::optional<BodyShapeCast>> hits);
void overlaps(const Scene& scene, std::span<const PlacedShape> shapes, double margin, const QueryFilter& filter,
              QueryContext& context, QueryLists<BodyId>& bodies);
void any_overlap(const Scene& scene, std::span<const PlacedShape> shapes, double margin, const QueryFilter& filter,
                 std::span<std::optional<BodyId>> bodies);
void nearest(const Scene& scene, std::span<const PlacedShape> shapes, double max_distance, const QueryFilter& filter,
             std::span<std::optional<BodySeparation>> bodies);
void nearest(const Scene& scene, std::span<const Vector3d> points, double max_distance, const QueryFilter& filter,
             std::span<std::optional<BodySeparation>> bodies);
void nearest(const Scene& scene, std::span<const PlacedShape> shapes, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, QueryLists<BodySeparation>& bodies);
void nearest(const Scene& scene, std::span<const Vector3d> points, std::size_t count, double max_distance,
             const QueryFilter& filter, QueryContext& context, QueryLists<BodySeparation>& bodies);

}  // namespace abut
