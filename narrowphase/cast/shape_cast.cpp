// Convex parts by conservative advancement, half-spaces by their plane, composites down to their leaves.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/cast/contact_rate.h>
#include <abut/narrowphase/cast/motion_bound.h>
#include <abut/narrowphase/cast/ray_walk.h>
#include <abut/narrowphase/cast/shape_cast.h>
#include <abut/narrowphase/cast/tilting_plane.h>
#include <abut/narrowphase/separate.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace abut {
namespace {

using detail::ConvexCore;
using detail::MovingCore;
using detail::Part;
using detail::PointSet;
using detail::TiltingPlane;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

/// A part and how it moves.
struct Mover {
  Part part;
  RigidMotion motion;
};

class Cast {
 public:
  Cast(double end, double tolerance, const ShapeCastOptions& options) : tolerance_(tolerance), options_(options) {
    best_.t = end;
  }

  [[nodiscard]] const ShapeCast& best() const { return best_; }

  /// Any two parts. `is_swapped`: what the caller calls a is b here.
  void run(const Mover& a, const Mover& b, bool is_swapped) {
    if (a.part.is_composite() && (!b.part.is_composite() || leaf_count(a.part) >= leaf_count(b.part))) {
      walk(a, b, is_swapped);
    } else if (b.part.is_composite()) {
      walk(b, a, !is_swapped);
    } else if (a.part.is_half_space()) {
      drop(b, a, !is_swapped);
    } else if (b.part.is_half_space()) {
      drop(a, b, is_swapped);
    } else {
      advance(a, b, is_swapped);
    }
  }

 private:
  static std::size_t leaf_count(const Part& part) { return tree_of(part).items().size(); }

  static const BoxTree& tree_of(const Part& part) {
    return std::visit(
        [](const auto& geometry) -> const BoxTree& {
          if constexpr (CompositeGeometry<std::decay_t<decltype(geometry)>>) {
            return geometry.tree();
          } else {
            static const BoxTree kEmpty;
            return kEmpty;
          }
        },
        part.shape()->geometry());
  }

  /// One leaf of a composite on its way.
  template <class Visit>
  static void visit_leaf(const Mover& composite, std::uint32_t item, const Visit& visit) {
    const Shape& shape = *composite.part.shape();
    if (const TriangleMesh* mesh = shape.get_if<TriangleMesh>()) {
      const Triangle triangle(mesh->corners(item));
      visit(Mover{Part(triangle), composite.motion});
    } else if (const HeightField* field = shape.get_if<HeightField>()) {
      const PointSet points(field->prism(item));
      visit(Mover{Part(points), composite.motion});
    } else if (const Compound* compound = shape.get_if<Compound>()) {
      const CompoundChild& child = compound->children()[item];
      visit(Mover{Part(child.shape), composite.motion.of_part(child.pose)});
    }
  }

  /// The leaves of `tree` that `other` may meet, the nearest first.
  void walk(const Mover& tree, const Mover& other, bool is_swapped) {
    if (other.part.is_half_space()) return walk_above(tree, other, is_swapped);
    // In the frame that the tree has at the start. While it turns, everything else may get off its straight path by as
    // much as the turn takes the farthest of its points.
    RigidMotion in_tree = other.motion;
    in_tree.start = Pose::relative(tree.motion.start, other.motion.start);
    in_tree.angular = tree.motion.start.unrotate(other.motion.angular);
    const Aabb start_box = box_of(other, tree.motion.start);
    if (!start_box.lower.allFinite() || !start_box.upper.allFinite()) {
      for (std::uint32_t item = 0; item < leaf_count(tree.part); ++item) {
        visit_leaf(tree, item, [&](const Mover& leaf) { run(leaf, other, is_swapped); });
      }
      return;
    }
    const Aabb box = detail::turned_box(in_tree, start_box);
    const Vector3d way = tree.motion.start.unrotate(other.motion.linear - tree.motion.linear);
    double bulge = 0.0;
    const double turn = tree.motion.angle();
    if (turn > 0.0) {
      const Vector3d from_pivot = box.center() - tree.motion.pivot;
      const double farthest = from_pivot.norm() + box.half_extents().norm() + way.norm();
      bulge = farthest * std::min(turn, 2.0);
    }
    const double rounding = 1e-14 * (box.lower.cwiseAbs().maxCoeff() + box.upper.cwiseAbs().maxCoeff() + bulge);
    const double grown = bulge + tolerance_ + rounding;
    const detail::SlabTest path(box.center(), way, box.half_extents() + Vector3d::Constant(grown));
    detail::walk_ray(tree_of(tree.part), path, best_.t, [&](std::uint32_t item) {
      visit_leaf(tree, item, [&](const Mover& leaf) { run(leaf, other, is_swapped); });
      return best_.t;
    });
  }

  /// Boxes of the tree are dropped on the half-space like bodies, and those that get there too late are left out.
  void walk_above(const Mover& tree, const Mover& half_space, bool is_swapped) {
    // A contact is let go of leaves alone: while a box recedes from the start, a leaf in it may be in contact or come.
    ShapeCastOptions options = options_;
    options.ignore_receding_contact = false;
    const auto is_met_in_time = [&](const Aabb& box) {
      if (!box.lower.allFinite() || !box.upper.allFinite()) return true;
      std::array<Vector3d, 8> corners;
      for (std::size_t i = 0; i < 8; ++i) {
        corners[i] = {i & 1 ? box.upper.x() : box.lower.x(), i & 2 ? box.upper.y() : box.lower.y(),
                      i & 4 ? box.upper.z() : box.lower.z()};
      }
      const PointSet points(corners);
      Cast of_box(best_.t, tolerance_, options);
      of_box.drop({Part(points), tree.motion}, half_space, false);
      best_.iterations += of_box.best_.iterations;
      return of_box.best_.outcome != ShapeCastOutcome::clear;
    };
    tree_of(tree.part).visit(is_met_in_time, [&](std::uint32_t item) {
      visit_leaf(tree, item, [&](const Mover& leaf) { run(leaf, half_space, is_swapped); });
    });
  }

  /// At the start, in a frame given by its pose in the world.
  static Aabb box_of(const Mover& mover, const Pose& world_from_frame) {
    const Pose frame_from_part = Pose::relative(world_from_frame, mover.motion.start);
    if (mover.part.is_composite()) return aabb(*mover.part.shape(), frame_from_part);
    const ConvexCore core = mover.part.core();
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d direction = frame_from_part.unrotate(Vector3d::Unit(axis));
      box.lower[axis] = (frame_from_part * core.support(-direction))[axis] - core.radius();
      box.upper[axis] = (frame_from_part * core.support(direction))[axis] + core.radius();
    }
    return box;
  }

  /// A convex part and a half-space, whose plane itself is what keeps them apart.
  void drop(const Mover& a, const Mover& b, bool is_swapped) {
    MovingCore core(a.part.core(), a.motion);
    const Vector3d way = a.motion.linear - b.motion.linear;
    const Vector3d upward = b.motion.start.rotate(b.part.as<HalfSpace>().normal());
    const TiltingPlane plane(core, a.motion, b.motion, upward);
    const double rate = way.norm() + core.turning_speed() + plane.speed();
    const auto look = [&](double t) {
      core.set_time(t);
      const Separation found = solve(a.part, core.pose(), b.part, b.motion.at(t), nullptr);
      return Look{found, found.distance};
    };
    const auto safe_time = [&](const Look& at, double t, double level) {
      const Vector3d& n = at.found.normal;
      const Span span = span_from(t, level);
      return plane.tilts() ? safe_time_above(plane, core, t, n, at.gap - level, span)
                           : safe_time_between(core, nullptr, n, way, at.gap - level, span);
    };
    pursue(a, b, is_swapped, rate, !core.turns() && !plane.tilts(), look, safe_time);
  }

  /// Two convex parts.
  void advance(const Mover& a, const Mover& b, bool is_swapped) {
    MovingCore core_a(a.part.core(), a.motion);
    MovingCore core_b(b.part.core(), b.motion);
    const Vector3d way = a.motion.linear - b.motion.linear;
    const double rate = way.norm() + core_a.turning_speed() + core_b.turning_speed();
    PairCache cache;
    const auto look = [&](double t) {
      core_a.set_time(t);
      core_b.set_time(t);
      const Separation found = solve(a.part, core_a.pose(), b.part, core_b.pose(), &cache);
      // What the plane across the normal itself is sure of.
      const Vector3d& n = found.normal;
      double unused = 0.0;
      const double gap = n.dot(core_b.pivot() - core_a.pivot()) - core_a.reach_along(n, 0.0, unused) -
                         core_b.reach_along(-n, 0.0, unused) - core_a.core().radius() - core_b.core().radius();
      return Look{found, gap};
    };
    const auto safe_time = [&](const Look& at, double t, double level) {
      return safe_time_between(core_a, &core_b, at.found.normal, way, at.gap - level, span_from(t, level));
    };
    pursue(a, b, is_swapped, rate, !core_a.turns() && !core_b.turns(), look, safe_time);
  }

  /// Two parts at one time.
  struct Look {
    Separation found;
    double gap;  // that the plane across the normal proves
  };

  /// From a contact that was come upon as soon as the parts were within the tolerance on to where they touch, if they
  /// do soon: what only passes by stays where it was found.
  template <class LookAt, class SafeTime>
  void close_in(Look& at, double& t, const LookAt& look, const SafeTime& safe_time) const {
    constexpr int kLooks = 8;
    constexpr double kTouch = 1e-3;  // of the tolerance
    Look nearest = at;
    double nearest_t = t;
    for (int k = 0; k < kLooks && nearest.found.distance > kTouch * tolerance_; ++k) {
      const double next_t = nearest_t + safe_time(nearest, nearest_t, 0.0);
      if (!(next_t > nearest_t && next_t < best_.t)) return;
      const Look next = look(next_t);
      if (!(next.found.distance < nearest.found.distance)) return;
      nearest = next;
      nearest_t = next_t;
    }
    if (nearest.found.distance > kTouch * tolerance_) return;
    at = nearest;
    t = nearest_t;
  }

  /// Goes on, from one look at two parts to the next, by the time for which the plane found keeps them apart, until
  /// they touch. What comes within the tolerance and goes again between two looks is passed over by that: where the
  /// cast comes to its end all the same, it goes back to where this may have been, and on by the time for which the gap
  /// stays more than kSure of the tolerance. Not where a contact is known: what is met before it has to touch.
  /// @param rate       Bound on how fast the distance can change, metres per unit of t.
  /// @param look       Of a time. @param safe_time  Of a look, its time, and the gap that is to be left.
  template <class LookAt, class SafeTime>
  void pursue(const Mover& a, const Mover& b, bool is_swapped, double rate, bool slides, const LookAt& look,
              const SafeTime& safe_time) {
    constexpr double kSure = 0.875;
    const bool is_first = best_.outcome == ShapeCastOutcome::clear;  // of all leaves
    Floor floor;
    double t = 0.0;
    double last_t = 0.0;
    double dip = 0.0;               // since the last look the distance may have been less than it is by this
    double doubtful_t = kInfinity;  // since when the parts may have been within the tolerance
    bool is_careful = false;
    for (int k = 0; k < options_.max_iterations; ++k) {
      Look at = look(t);
      if (at.found.distance > tolerance_ && at.found.distance <= tolerance_ + dip) {
        doubtful_t = std::min(doubtful_t, last_t);
      }
      if (is_careful && !floor.lets_go && at.found.distance <= tolerance_) close_in(at, t, look, safe_time);
      if (meets(at.found, t, a, b, is_swapped, floor, slides)) return;
      const double careful_level = kSure * std::min(tolerance_, at.gap);
      double step = safe_time(at, t, is_careful && !floor.lets_go ? careful_level : floor.level);
      step = std::min(step, longest_step(floor, at.found.distance, rate));
      dip = is_careful || floor.lets_go || !is_first || !(at.gap > 0.0) ? 0.0 : rate * step * (tolerance_ / at.gap);
      last_t = t;
      if (!(t + step < best_.t)) {
        if (is_careful || floor.lets_go || !is_first || t + step < 1.0) return;
        is_careful = true;
        dip = 0.0;
        if (doubtful_t < t) {
          t = doubtful_t;
          continue;
        }
        step = safe_time(at, t, careful_level);
        if (!(t + step < best_.t)) return;
      }
      t += step;
    }
    give_up(a, b, is_careful ? t : std::min(t, doubtful_t), is_swapped);
  }

  /// The level below which a distance is a hit.
  struct Floor {
    double level = 0.0;
    bool lets_go = false;  // of a contact at the start
  };

  /// While a contact is let go, parts move by no more than their depth at a time: so they do not part and come back
  /// within a step.
  [[nodiscard]] double longest_step(const Floor& floor, double distance, double rate) const {
    if (!floor.lets_go || !(rate > 0.0)) return kInfinity;
    return std::max(std::abs(distance), tolerance_) / rate;
  }

  Separation solve(const Part& a, const Pose& pose_a, const Part& b, const Pose& pose_b, PairCache* cache) {
    ++best_.iterations;
    const detail::PairQuery query{DistanceOptions{}, /*is_boolean=*/false};
    Separation found = detail::separate(a, b, Pose::relative(pose_a, pose_b), query, cache);
    detail::transform(found, pose_a);
    return found;
  }

  /// Whether the parts are in contact at t, or can no longer be: what ends the cast of a pair.
  bool meets(const Separation& found, double t, const Mover& a, const Mover& b, bool is_swapped, Floor& floor,
             bool slides) {
    const double distance = found.distance;
    if (distance > tolerance_) {
      floor = {};
      return false;
    }
    if (floor.lets_go && distance > floor.level + 0.125 * tolerance_) return false;
    const bool ignores = options_.ignore_receding_contact;
    if (t == 0.0 && !floor.lets_go && ignores && recedes(found, a, b)) {
      // Along a straight way the distance of convex sets is convex: where it does not fall, it never will.
      if (slides) return true;
      floor = {distance - tolerance_, true};
      return false;
    }
    // Of composites each pair of leaves in contact has a say, not only the deepest.
    const bool is_receding =
        t == 0.0 && !ignores && (best_.is_receding || !best_.starts_in_contact) && recedes(found, a, b);
    if (t < best_.t || (best_.outcome == ShapeCastOutcome::clear && t <= best_.t) ||
        (t == best_.t && distance < best_.contact.distance)) {
      best_.outcome = ShapeCastOutcome::hit;
      best_.t = t;
      best_.contact = found;
      best_.starts_in_contact = t == 0.0;
      if (is_swapped) swap_contact();
    }
    best_.is_receding = is_receding;
    return true;
  }

  /// How parts in contact approach each other at the start.
  struct Approach {
    double along_normal;  // of the distance at most, metres per unit of t
    double bend;          // what the turn of curved parts, or of the speeds themselves, may add to that soon
    double speed;         // of the points of contact, for rounding
    double soon;          // when to look first
  };

  /// Whether parts in contact at the start move apart or past each other. Where they approach each other along the
  /// normal, they may still: where corners and edges meet, the normal is one of many, and of two faces that touch only
  /// what they share counts.
  bool recedes(const Separation& found, const Mover& a, const Mover& b) {
    const Vector3d& n = found.normal;
    const detail::ContactRate rate(a.motion, b.motion, n);
    const Vector3d slip = rate.velocity(found.point_a);
    const double turn = a.motion.angle() + b.motion.angle();
    double approach = n.dot(slip);
    double extent = 0.0;
    if (turn > 0.0) {
      const ConvexCore core_a = a.part.core();
      approach = rate.approach(core_a, a.motion.start, n);
      extent = core_a.extent();
      if (!b.part.is_half_space()) {
        const ConvexCore core_b = b.part.core();
        approach = std::min(approach, rate.approach(core_b, b.motion.start, -n));
        extent += core_b.extent();
      }
    }
    // What is curved by a radius of up to ten times its extent, and turns where it stands on its middle, moves past.
    constexpr double kBend = 10.0 * detail::ContactRate::kTilt;
    const double bend = kBend * turn * extent;
    const auto speed_of = [](const RigidMotion& motion, const Vector3d& point) {
      return motion.linear.norm() + motion.angle() * (point - motion.start * motion.pivot).norm();
    };
    const double speed = speed_of(a.motion, found.point_a) + speed_of(b.motion, found.point_b);
    constexpr double kRounded = 1e-14;  // of the speeds: past each other
    if (approach <= kRounded * (speed + turn * size_of(found)) + bend) return true;
    if (b.part.is_half_space()) return false;  // with one normal only
    const double reach = std::max(found.distance, 0.0) + 0.125 * tolerance_;
    double soon = std::min(reach / approach, 1.0);
    if (turn > 0.0) {
      const double slides = slip.norm() + (a.motion.linear - b.motion.linear).norm();
      soon = std::min({soon, kBend / turn, reach / (approach + slides + turn * extent)});
    }
    return stops_falling(found, a, b, {approach, bend, speed, soon});
  }

  /// Looks whether the distance, which falls at first along the normal, does so no more before it has fallen through a
  /// gap within the tolerance and an eighth of it. Along a straight way it is convex: it then never will, and one look
  /// before and one after are enough. What turns is looked at more often, before its speeds change.
  bool stops_falling(const Separation& found, const Mover& a, const Mover& b, const Approach& approach) {
    const double deep = std::min(found.distance, 0.0) - 0.25 * tolerance_;
    Separation last = found;
    double t = 0.0;
    double step = approach.soon;
    constexpr int kLooks = 4;
    for (int look = 0; look < kLooks && t + step <= 1.0; ++look) {
      const double next_t = t + step;
      const Separation next = solve(a.part, a.motion.at(next_t), b.part, b.motion.at(next_t), nullptr);
      const double change = next.distance - last.distance;
      const double fall = approach.along_normal * step;
      const double error =
          last.distance_error + next.distance_error + 4.0 * kEpsilon * (size_of(found) + next_t * approach.speed);
      // Where a fall as fast as along the normal would stand far out of the rounding, what has not moved moves past.
      constexpr double kFaint = 1e-6;
      const double least = error < kFaint * fall ? -error : error;
      if (change > least - approach.bend * step) return true;
      if (next.distance < deep || (next.distance <= 0.0 && change < -0.95 * fall)) return false;
      last = next;
      t = next_t;
      step = t;
    }
    return false;
  }

  /// Of the coordinates of a contact, for rounding.
  static double size_of(const Separation& contact) {
    return contact.point_a.lpNorm<Eigen::Infinity>() + contact.point_b.lpNorm<Eigen::Infinity>();
  }

  void give_up(const Mover& a, const Mover& b, double t, bool is_swapped) {
    if (!(t < best_.t)) return;
    best_.contact = solve(a.part, a.motion.at(t), b.part, b.motion.at(t), nullptr);
    best_.outcome = ShapeCastOutcome::undecided;
    best_.t = t;
    best_.starts_in_contact = false;
    best_.is_receding = false;
    if (is_swapped) swap_contact();
  }

  void swap_contact() {
    std::swap(best_.contact.point_a, best_.contact.point_b);
    best_.contact.normal = -best_.contact.normal;
  }

  /// What is left of a motion.
  struct Span {
    double all;       ///< Until its end.
    double asked;     ///< Until the first contact that is known.
    double no_touch;  ///< Parts of whose gap more than this is left are not in contact, metres.
  };
  [[nodiscard]] Span span_from(double t, double level) const { return {1.0 - t, best_.t - t, tolerance_ - level}; }

  /// A time for which a gap along n, from a to b, is not used up. The same whatever is asked, so that parts in equal
  /// places are met at equal times, but where they are not met in the time that is asked for.
  /// @param core_b  Null: a plane that does not tilt.
  static double safe_time_between(const MovingCore& core_a, const MovingCore* core_b, const Vector3d& n,
                                  const Vector3d& way, double gap, const Span& span) {
    if (!(gap > 0.0)) return 0.0;
    const double approach = n.dot(way);
    double slope_a = 0.0;
    double slope_b = 0.0;
    const double reach_a = core_a.reach_along(n, 0.0, slope_a);
    const double reach_b = core_b == nullptr ? 0.0 : core_b->reach_along(-n, 0.0, slope_b);
    if (!core_a.turns() && (core_b == nullptr || !core_b->turns())) {
      return approach > 0.0 ? std::min(gap / approach, span.all) : span.all;
    }
    const auto left = [&](double tau, double& slope) {
      double rate_a = 0.0;
      double rate_b = 0.0;
      const double used_a = core_a.reach_along(n, tau, rate_a) - reach_a;
      const double used_b = core_b == nullptr ? 0.0 : core_b->reach_along(-n, tau, rate_b) - reach_b;
      slope = -approach - rate_a - rate_b;
      return gap - approach * tau - used_a - used_b;
    };
    return time_left(left, gap, std::abs(approach) + std::abs(reach_a) + std::abs(reach_b), span);
  }

  /// A time for which a gap above a plane that tilts is not used up, as above.
  /// @param core  At t. @param n  From it into the half-space.
  static double safe_time_above(const TiltingPlane& plane, const MovingCore& core, double t, const Vector3d& n,
                                double gap, const Span& span) {
    if (!(gap > 0.0)) return 0.0;
    double slope_now = 0.0;
    const double reach = plane.used(core, t, n, 0.0, slope_now);
    const auto left = [&](double tau, double& slope) {
      const double used = plane.used(core, t, n, tau, slope) - reach;
      slope = -slope;
      return gap - used;
    };
    return time_left(left, gap, std::abs(reach) + std::abs(slope_now), span);
  }

  /// A time until which what is left of a gap, concave in time, is not less than nothing.
  /// @param left  Of a time, and its slope there. @param size  Of what it is computed from besides the gap, metres.
  template <class Left>
  static double time_left(const Left& left, double gap, double size, const Span& span) {
    double slope = 0.0;
    if (span.asked < span.all && std::min(gap, left(span.asked, slope)) > span.no_touch) return span.asked;
    double safe = 0.0;
    double safe_left = gap;
    double beyond = span.all;
    double beyond_left = left(span.all, slope);
    // Less than this is rounding; the tolerance of a contact is far above it.
    const double slack = 1e-15 * (gap + size);
    if (beyond_left >= -slack) return span.all;
    // From inside along chords, which stay below the curve, from outside along tangents, which stay above it.
    constexpr int kRounds = 12;
    constexpr double kGoodEnough = 0.02;  // of the gap may be left: the next plane is better anyway
    for (int round = 0; round < kRounds && safe_left > kGoodEnough * gap; ++round) {
      const double tangent = slope < 0.0 ? beyond - beyond_left / slope : beyond;
      const double chord = safe + (beyond - safe) * (safe_left / (safe_left - beyond_left));
      double chord_slope = 0.0;
      const double chord_left = left(chord, chord_slope);
      if (chord_left >= -slack && chord > safe) {
        safe = chord;
        safe_left = chord_left;
      } else {
        break;  // rounding
      }
      if (!(tangent > safe && tangent < beyond)) break;
      const double tangent_left = left(tangent, slope);
      if (tangent_left >= 0.0) {
        safe = tangent;
        break;
      }
      beyond = tangent;
      beyond_left = tangent_left;
    }
    return safe;
  }

  double tolerance_;
  const ShapeCastOptions& options_;
  ShapeCast best_;
};

}  // namespace

detail::ToleranceShare::ToleranceShare(const Obb& box, const Pose& start, const Vector3d& linear)
    : by_size(box.half_extents.allFinite() ? kRelativeTolerance * box.half_extents.norm() : 0.0),
      by_rounding(1e-14 * (start.translation().lpNorm<1>() + linear.lpNorm<1>())) {}

double detail::contact_tolerance(const ShapeCastOptions& options, const ToleranceShare& a, const ToleranceShare& b) {
  const double asked = options.tolerance > 0.0 ? options.tolerance : a.by_size + b.by_size;
  return std::max(asked, a.by_rounding + b.by_rounding);
}

Aabb detail::turned_box(const RigidMotion& motion, const Aabb& box) {
  const double angle = motion.angle();
  if (!(angle > 0.0)) return box;
  const Vector3d pivot = motion.start * motion.pivot;
  // Every point stays as near to the pivot as it is, and within the chord of its turn.
  const double farthest = (box.lower - pivot).cwiseAbs().cwiseMax((box.upper - pivot).cwiseAbs()).norm();
  const double reach = reach_from_axis(box, pivot, motion.angular / angle);
  const double chord = angle < 3.0 ? 2.0 * std::sin(0.5 * angle) * reach : 2.0 * reach;
  const double rounding = 1e-14 * (pivot.lpNorm<1>() + farthest);
  const Aabb ball = Aabb::of_point(pivot).expanded(farthest + rounding);
  const Aabb grown = box.expanded(chord + rounding);
  return {ball.lower.cwiseMax(grown.lower), ball.upper.cwiseMin(grown.upper)};
}

ShapeCast detail::shape_cast_until(const Shape& a, const RigidMotion& motion_a, const Shape& b,
                                   const RigidMotion& motion_b, double end, double tolerance,
                                   const ShapeCastOptions& options) {
  Cast cast(end, tolerance, options);
  cast.run({Part(a), motion_a}, {Part(b), motion_b}, false);
  return cast.best();
}

ShapeCast shape_cast(const Shape& a, const RigidMotion& motion_a, const Shape& b, const RigidMotion& motion_b,
                     const ShapeCastOptions& options) {
  const auto check = [](const char* field, const RigidMotion& motion) {
    try {
      require_motion(motion);
    } catch (const InvalidInput& error) {
      throw error.within(field);
    }
  };
  check("motion_a", motion_a);
  check("motion_b", motion_b);
  require_not_negative("tolerance", options.tolerance);
  if (options.max_iterations < 1) throw InvalidInput("max_iterations", "must be >= 1", options.max_iterations);
  if (!a.is_bounded() && !b.is_bounded()) {
    throw InvalidInput("b", "must be bounded where a is not: two half-spaces have no distance");
  }
  const double tolerance = detail::contact_tolerance(options, {obb(a), motion_a.start, motion_a.linear},
                                                     {obb(b), motion_b.start, motion_b.linear});
  return detail::shape_cast_until(a, motion_a, b, motion_b, 1.0, tolerance, options);
}

ShapeCast shape_cast(const Shape& a, const RigidMotion& motion_a, const Shape& b, const Pose& world_from_b,
                     const ShapeCastOptions& options) {
  return shape_cast(a, motion_a, b, RigidMotion{.start = world_from_b}, options);
}

}  // namespace abut
