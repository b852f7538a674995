#include <abut/narrowphase/planar/planar_depth.h>
#include <abut/narrowphase/planar/planar_epa.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::planar::detail {
namespace {

// Up to here measuring all sides is faster than finding the best, though it grows with their number (bench_planar).
constexpr Outline::Index kManySides = 48;

// Measures the sides of `own`: visit(normal, gap) in the frame of `own`.
template <class Visit>
void visit_sides(const Outline& own, const Outline& other, const PlaneMotion& own_from_other, Visit&& visit) {
  const std::span<const Vector2d> normals = own.normals();
  if (normals.empty()) return;
  Outline::Index deepest = 0;
  for (Outline::Index i = 0; i < own.size(); ++i) {
    const PlaneVector normal = plane_vector(normals[i]);
    const PlaneVector inward = own_from_other.unrotate(-normal);  // frame of the other
    // A turn of nearly half a circle, as at the tip of a needle, would begin the walk where rounding hides the way.
    const bool turns_far = i == 0 || !(normal.dot(plane_vector(normals[i - 1])) > 0.0);
    if (turns_far) deepest = other.support(inward);
    // A counter-clockwise walk over the sides turns the direction counter-clockwise too. Of a side that is shorter than
    // the rounding of heights its own direction still tells whether it rises.
    for (Outline::Index steps = 0; steps < other.size(); ++steps) {
      const PlaneVector side = plane_vector(other.ring()[deepest + 1]) - plane_vector(other.ring()[deepest]);
      if (!(side.dot(inward) > 0.0)) break;
      deepest = other.next(deepest);
    }
    const double height = plane_vector(other.corner(deepest)).dot(inward);
    visit(normal, normal.dot(own_from_other.translation - plane_vector(own.corner(i))) - height);
  }
}

// The stretch of a core that lies as high along a direction as its highest corner, up to a tolerance: an interval of
// the coordinate along the tangent.
struct Stretch {
  double height = 0.0;
  double low = 0.0;
  double high = 0.0;
};

// @param normal  Unit, frame of the core. @param tie  Metres.
Stretch highest_stretch(const Outline& core, PlaneVector normal, PlaneVector tangent, double tie) {
  const Outline::Index top = core.support(normal);
  const PlaneVector corner = plane_vector(core.corner(top));
  Stretch stretch{corner.dot(normal), corner.dot(tangent), corner.dot(tangent)};
  for (const Outline::Index neighbour : {core.next(top), core.previous(top)}) {
    const PlaneVector beside = plane_vector(core.corner(neighbour));
    if (beside.dot(normal) < stretch.height - tie) continue;
    stretch.low = std::min(stretch.low, beside.dot(tangent));
    stretch.high = std::max(stretch.high, beside.dot(tangent));
  }
  return stretch;
}

}  // namespace

PlaneVector facing_middle(const CorePair& pair, PlaneVector normal) {
  const PlaneMotion& a_from_b = pair.a_from_b;
  const PlaneVector tangent{-normal.y, normal.x};
  const double tie = kTie * (pair.a.reach() + pair.b.reach());
  const Stretch top = highest_stretch(pair.a, normal, tangent, tie);
  const Stretch bottom = highest_stretch(pair.b, a_from_b.unrotate(-normal), a_from_b.unrotate(tangent), tie);
  const double shift = a_from_b.translation.dot(tangent);
  const double low = std::max(top.low, bottom.low + shift);
  const double high = std::min(top.high, bottom.high + shift);
  double middle = 0.5 * (low + high);
  if (low > high) {  // beside each other, up to the tie: where the longer stretch ends
    const bool a_is_longer = top.high - top.low > bottom.high - bottom.low;
    middle = a_is_longer == (low == top.low) ? low : high;
  }
  return top.height * normal + middle * tangent;
}

Axis best_axis(const CorePair& pair, PlaneVector hint) {
  const Outline& a = pair.a;
  const Outline& b = pair.b;
  const PlaneMotion& a_from_b = pair.a_from_b;
  Axis best;
  best.gap = -std::numeric_limits<double>::infinity();
  const auto consider = [&best](PlaneVector normal, double gap) {
    if (gap > best.gap) {
      best.normal = normal;
      best.gap = gap;
    }
  };
  const auto measure = [&](PlaneVector normal) {
    const PlaneVector of_a = plane_vector(a.corner(a.support(normal)));
    const PlaneVector of_b = a_from_b * plane_vector(b.corner(b.support(a_from_b.unrotate(-normal))));
    consider(normal, (of_b - of_a).dot(normal));
  };
  DeepestSide deepest;
  if (a.size() + b.size() > kManySides) deepest = expand_polygon(pair);
  if (deepest.is_found) {
    consider(deepest.normal, deepest.gap);
  } else {
    visit_sides(a, b, a_from_b, consider);
    visit_sides(b, a, a_from_b.inverse(),
                [&](PlaneVector outward, double gap) { consider(a_from_b.rotate(-outward), gap); });
  }
  // The ends of segments have directions of their own, and points have none at all.
  const double length = std::sqrt(hint.squared_norm());
  if (length > 0.0) measure((1.0 / length) * hint);
  for (const Outline* core : {&a, &b}) {
    if (core->size() != 2) continue;
    const PlaneVector across = plane_vector(core->normals()[0]);
    const PlaneVector along{-across.y, across.x};
    const PlaneVector direction = core == &a ? along : a_from_b.rotate(along);
    measure(direction);
    measure(-direction);
  }
  if (!(best.gap > -std::numeric_limits<double>::infinity())) measure({1.0, 0.0});

  best.point_a = facing_middle(pair, best.normal);
  return best;
}

}  // namespace abut::planar::detail
