// What single queries about a scene look for, each told of the bodies whose boxes the trees show. One query walks
// alone, those of a batch by turns; what they find is the same.
#pragma once

#include <abut/broadphase/query_results.h>
#include <abut/narrowphase/cast/scaled_ray.h>
#include <abut/world/detail/query_run.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace abut::detail {

inline constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

inline BoxPath path_of(const ScaledRay& ray) {
  return {{ray.origin, ray.direction, ray.max_t}, Vector3d::Zero()};
}

/// The bodies of a scene that a query sees.
struct SeenBodies {
  const SceneState& state;
  const QueryFilter& filter;

  [[nodiscard]] bool contain(std::uint32_t slot) const { return sees(state, filter, slot); }
  /// The remembered slot where it still holds a body that the query sees, or kNoSlot.
  [[nodiscard]] std::uint32_t usable(std::uint32_t slot) const {
    const bool is_used = slot < state.bodies.slot_count() && state.bodies.is_used(slot);
    return is_used && contain(slot) ? slot : kNoSlot;
  }
  [[nodiscard]] const Body& operator[](std::uint32_t slot) const { return state.bodies[slot]; }
  [[nodiscard]] BodyId id(std::uint32_t slot) const { return state.bodies.id(slot); }
  void fetch_id(std::uint32_t slot) const { state.bodies.fetch_id(slot); }
  /// Nothing for kNoSlot.
  [[nodiscard]] std::optional<BodyId> found(std::uint32_t slot) const {
    if (slot == kNoSlot) return std::nullopt;
    return id(slot);
  }
};

/// Where a ray meets a body that the trees show.
[[nodiscard]] std::optional<BodyRayHit> hit_of(const SeenBodies& bodies, std::uint32_t slot, const ScaledRay& ray);

/// The first body that a ray meets.
class FirstHit {
 public:
  explicit FirstHit(const Ray& ray) : rest_(ray) {}

  /// What is left of the ray.
  [[nodiscard]] BoxPath rest() const { return path_of(rest_); }
  /// @return rest().ray.max_t
  double consider(const SeenBodies& bodies, std::uint32_t slot) {
    if (!bodies.contain(slot)) return rest_.max_t;
    const Body& body = bodies[slot];
    const std::optional<ScaledHit> hit = first_hit_of(rest_, body.shape, body.pose, {});
    if (hit && (slot_ == kNoSlot || hit->t < hit_.t || (hit->t == hit_.t && slot < slot_))) {
      bodies.fetch_id(slot);
      hit_ = *hit;
      slot_ = slot;
      // Some roundings later, so that an equal t of another body is found.
      rest_.max_t = std::min(rest_.max_t, hit->t * (1.0 + 4.0 * std::numeric_limits<double>::epsilon()));
    }
    return rest_.max_t;
  }
  /// Or kNoSlot.
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  [[nodiscard]] std::optional<BodyRayHit> answer(const SeenBodies& bodies) const {
    if (slot_ == kNoSlot) return std::nullopt;
    return BodyRayHit{bodies.id(slot_), unscaled(hit_, rest_, bodies[slot_].pose)};
  }

 private:
  ScaledRay rest_;
  std::uint32_t slot_ = kNoSlot;
  ScaledHit hit_;
};

/// Some body that a ray meets.
class SomeHit {
 public:
  /// @param last  Slot of the last answer of such queries, looked at first.
  SomeHit(const Ray& ray, const SeenBodies& bodies, std::uint32_t last);

  /// Of max_t below zero once a body has been found.
  [[nodiscard]] BoxPath rest() const { return {{ray_.origin, ray_.direction, limit()}, Vector3d::Zero()}; }
  /// @return rest().ray.max_t
  double consider(const SeenBodies& bodies, std::uint32_t slot) {
    if (found_ == kNoSlot && slot != guess_ && bodies.contain(slot) && meets(bodies, slot)) found_ = slot;
    return limit();
  }
  /// Or kNoSlot.
  [[nodiscard]] std::uint32_t slot() const { return found_; }

 private:
  [[nodiscard]] double limit() const { return found_ == kNoSlot ? ray_.max_t : -1.0; }
  [[nodiscard]] bool meets(const SeenBodies& bodies, std::uint32_t slot) const {
    const Body& body = bodies[slot];
    return meets_shape(ray_, body.shape, body.pose, {});
  }

  ScaledRay ray_;
  std::uint32_t guess_;
  std::uint32_t found_ = kNoSlot;
};

/// Some body within a margin of a shape.
class SomeOverlap {
 public:
  /// @param last  As of SomeHit.
  SomeOverlap(const Asker& asker, double margin, const SeenBodies& bodies, std::uint32_t last);

  /// Of max_distance below zero once a body has been found.
  [[nodiscard]] BoxReach rest() const { return {asker_.box.expanded(margin_), limit()}; }
  /// @return rest().max_distance
  double consider(const SeenBodies& bodies, std::uint32_t slot);
  /// Or kNoSlot.
  [[nodiscard]] std::uint32_t slot() const { return found_; }

 private:
  [[nodiscard]] double limit() const { return found_ == kNoSlot ? 0.0 : -1.0; }

  Asker asker_;
  double margin_;
  std::uint32_t guess_;
  std::uint32_t found_ = kNoSlot;
};

/// The body nearest to a shape.
class Nearest {
 public:
  /// @param last  As of SomeHit.
  Nearest(const Asker& asker, double max_distance, const SeenBodies& bodies, std::uint32_t last);

  /// Overlapping boxes may hold depths of any size.
  [[nodiscard]] BoxReach rest() const { return {asker_.box, std::max(reach_, 0.0)}; }
  /// @return rest().max_distance
  double consider(const SeenBodies& bodies, std::uint32_t slot);
  /// Or kNoSlot.
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  [[nodiscard]] std::optional<BodySeparation> answer(const SeenBodies& bodies) const {
    if (slot_ == kNoSlot) return std::nullopt;
    return BodySeparation{bodies.id(slot_), best_};
  }

 private:
  void solve(const SeenBodies& bodies, std::uint32_t slot);

  Asker asker_;
  double reach_;
  std::uint32_t guess_;
  std::uint32_t slot_ = kNoSlot;
  Separation best_;
  bool is_without_limit_ = false;  // what best_ was asked with
};

/// The first body that a moving shape meets.
class FirstCast {
 public:
  /// @param shape  Lives longer than this.
  FirstCast(const Shape& shape, const RigidMotion& motion, const ShapeCastOptions& options);

  /// What is left of the path of a box around the shape.
  [[nodiscard]] BoxPath rest() const { return {{center_, motion_.linear, end_}, half_extents_}; }
  /// @return rest().ray.max_t
  double consider(const SeenBodies& bodies, std::uint32_t slot);
  /// Or kNoSlot.
  [[nodiscard]] std::uint32_t slot() const { return best_ ? best_->body.slot : kNoSlot; }
  [[nodiscard]] const std::optional<BodyShapeCast>& answer() const { return best_; }

 private:
  [[nodiscard]] bool misses(const Body& body) const;

  const Shape* shape_;
  RigidMotion motion_;
  ShapeCastOptions options_;
  ToleranceShare share_;
  Vector3d center_;        // of the box, which holds the shape at all angles
  Vector3d half_extents_;  // and what the shape adds to the tolerance: boxes of the trees hold the bodies' part
  double radius_;          // of a ball around it
  double end_ = 1.0;
  std::optional<BodyShapeCast> best_;
};

/// Whether a body that the trees show is within a margin of the asker.
[[nodiscard]] bool is_close(const SeenBodies& bodies, std::uint32_t slot, const Asker& asker, double margin);

/// Appends the `count` nearest bodies, sorted.
void append_nearest(const SeenBodies& bodies, const Asker& asker, std::size_t count, double max_distance,
                    QueryContext& context, std::vector<BodySeparation>& found);

}  // namespace abut::detail
