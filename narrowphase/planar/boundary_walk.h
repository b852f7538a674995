// Which corners or sides of two planar cores face each other: a walk along the boundary of their Minkowski difference
// C = A - B, whose sides are those of A and of -B in the order of their directions.
//
// It starts at the support point of C along d, from the centre of a to that of b, and goes to the side on which the
// support value h falls as the direction turns. That leads to the nearest point without a detour. Let the cores be
// apart by g > 0, and let n be the direction of the nearest point x = -g n, so that y.n <= -g for all y of C.
// - n is less than a right angle from d: the difference of the centres is in C and a negative multiple of d.
// - The first turn is right. Let w be the support point at d, t the direction across d on the side of n, and
//   n = cos(φ) d + sin(φ) t. If w.d >= 0, then w.n <= -g gives w.t < 0: h falls towards n. If w.d < 0, d separates
//   already, and where h < 0 it has one minimum, as it is convex.
// - No side on the way stops the walk: a side between d and n in which the foot y = h(m) m of the origin lies, m its
//   normal, has h(m) (m.n) = y.n <= -g with m.n >= 0, hence h(m) < 0, and there the only minimum is the nearest point.
// - Nor does a corner w on the way. It stops the walk where w.e >= 0 for the next side e, after w.f < 0 for the last
// one
//   (at the start: -w is on the side of t). Then -w lies between the normals of f and e, so w is nearest along it.
// So the walk ends at the nearest point; if what it ends at does not separate, nothing does. GJK takes more than twice
// the time for distant pairs and four to six times as long for touching ones (bench_planar).
#pragma once

#include <abut/narrowphase/planar/outline.h>
#include <abut/narrowphase/planar/plane_vector.h>

#include <cmath>
#include <cstdint>

namespace abut::planar::detail {

/// Two cores; outlines that outlive it.
struct CorePair {
  const Outline& a;
  const Outline& b;
  PlaneMotion a_from_b;
};

enum class Facing : std::uint8_t {
  overlap,    ///< Nothing: no direction separates the cores.
  corners,    ///< A corner of each.
  side_of_a,  ///< A side of a and a corner of b.
  side_of_b,  ///< A corner of a and a side of b.
};

/// The parts of two cores that are nearest to each other.
struct FacingFeatures {
  Facing facing = Facing::overlap;
  Outline::Index corner_a = 0;  ///< Of a side its index, which is its first corner counter-clockwise.
  Outline::Index corner_b = 0;
  PlaneVector difference{0.0, 0.0};  ///< Where corners face each other: that of a less that of b, frame of a.
  /// Of the cores, metres; > 0 where they are apart. Of a side it may be less: minus the depth along its normal, which
  /// no direction near it undercuts. 0 for Facing::overlap.
  double gap = 0.0;
  int steps = 0;
};

/// From the centre of a to that of b, frame of a.
[[nodiscard]] inline PlaneVector between_centers(const CorePair& pair) {
  return pair.a_from_b * plane_vector(pair.b.center()) - plane_vector(pair.a.center());
}

/// Discs that miss each other by less than rounding count for nothing.
inline constexpr double kOutsideDiscs = 1.0 + 1e-12;

/// The discs about the centres around the cores are more than `limit` (metres, >= 0) apart.
[[nodiscard]] inline bool outer_discs_miss(const CorePair& pair, PlaneVector to_b, double limit) {
  const double outside = pair.a.reach() + pair.b.reach() + limit;
  return to_b.squared_norm() > kOutsideDiscs * (outside * outside);
}

/// The discs about the centres inside of the cores overlap, or come within `limit` (metres, >= 0) of each other. So do
/// the centres where they coincide.
[[nodiscard]] inline bool inner_discs_meet(const CorePair& pair, PlaneVector to_b, double limit) {
  const double inside = pair.a.inner_radius() + pair.b.inner_radius() + limit;
  return to_b.squared_norm() <= inside * inside;
}

/// One outline's place on the walk.
struct Walker {
  const Vector2d* ring;
  int size;
  int sense;  ///< 1: counter-clockwise, -1: clockwise.
  int corner;

  [[nodiscard]] PlaneVector here() const { return plane_vector(ring[corner]); }
  /// From here to the next corner.
  [[nodiscard]] PlaneVector along() const { return plane_vector(ring[corner + sense]) - here(); }
  void step() {
    corner += sense;
    corner = corner == size ? 0 : corner < 0 ? size - 1 : corner;
  }
  /// The side from here to the next corner.
  [[nodiscard]] Outline::Index side() const {
    const int first = sense > 0 ? corner : corner - 1;
    return static_cast<Outline::Index>(first < 0 ? size - 1 : first);
  }
};

// Inlined into each question, so that each computes what it asks for alone.
/// @param to_b  between_centers(pair), not zero.
[[nodiscard, gnu::always_inline]] inline FacingFeatures walk_boundary(const CorePair& pair, PlaneVector to_b) {
  const PlaneMotion& a_from_b = pair.a_from_b;
  const auto corner_a = static_cast<int>(pair.a.support(to_b));
  const auto corner_b = static_cast<int>(pair.b.support(a_from_b.unrotate(-to_b)));
  PlaneVector here_a = plane_vector(pair.a.corner(static_cast<Outline::Index>(corner_a)));
  PlaneVector here_b = a_from_b * plane_vector(pair.b.corner(static_cast<Outline::Index>(corner_b)));
  PlaneVector w = here_a - here_b;
  const int sense = 2 * static_cast<int>(to_b.cross(w) < 0.0) - 1;
  const double sign = sense;
  Walker on_a{pair.a.ring(), static_cast<int>(pair.a.size()), sense, corner_a};
  Walker on_b{pair.b.ring(), static_cast<int>(pair.b.size()), sense, corner_b};
  PlaneVector along_a = on_a.along();
  PlaneVector along_b = a_from_b.rotate(-on_b.along());  // of -B
  // Segments and points turn by half a circle or more at a corner, which the order of two sides by their cross product
  // cannot tell; but no side beyond a right angle from to_b is wanted.
  const bool is_thin = on_a.size < 3 || on_b.size < 3;

  FacingFeatures found;
  for (; found.steps <= on_a.size + on_b.size; ++found.steps) {
    bool is_a_next = sign * along_a.cross(along_b) > 0.0;
    bool is_last = false;
    if (is_thin) {
      const bool is_a_wanted = sign * to_b.cross(along_a) > 0.0;
      const bool is_b_wanted = sign * to_b.cross(along_b) > 0.0;
      is_last = !is_a_wanted && !is_b_wanted;
      is_a_next = is_a_wanted && (!is_b_wanted || is_a_next);
    }
    const PlaneVector along{is_a_next ? along_a.x : along_b.x, is_a_next ? along_a.y : along_b.y};
    if (is_last || w.dot(along) >= 0.0) {  // the corner is nearer than the side
      if (!(w.dot(to_b) < 0.0)) return found;
      found.facing = Facing::corners;
      found.corner_a = static_cast<Outline::Index>(on_a.corner);
      found.corner_b = static_cast<Outline::Index>(on_b.corner);
      found.difference = w;
      found.gap = std::sqrt(w.squared_norm());
      return found;
    }
    if ((w + along).dot(along) >= 0.0) {  // the foot is in the side
      found.gap = sign * along.cross(w) / std::sqrt(along.squared_norm());
      found.facing = is_a_next ? Facing::side_of_a : Facing::side_of_b;
      found.corner_a = is_a_next ? on_a.side() : static_cast<Outline::Index>(on_a.corner);
      found.corner_b = is_a_next ? static_cast<Outline::Index>(on_b.corner) : on_b.side();
      return found;
    }
    if (is_a_next) {
      on_a.step();
      here_a = on_a.here();
      along_a = on_a.along();
    } else {
      on_b.step();
      here_b = a_from_b * on_b.here();
      along_b = a_from_b.rotate(-on_b.along());
    }
    w = here_a - here_b;
  }
  return found;
}

}  // namespace abut::planar::detail
