#include <abut/narrowphase/planar/planar_depth.h>

#include <algorithm>
#include <limits>

namespace abut::planar::detail {
namespace {

// Corners within this fraction of the sizes of a side's line lie on it.
constexpr double kTie = 1e-12;

// Measures the sides of `own`: visit(normal, gap) in the frame of `own`.
template <class Visit>
void visit_sides(const Outline& own, const Outline& other, const Pose& own_from_other, Visit&& visit) {
  const std::span<const Vector2d> normals = own.normals();
  if (normals.empty()) return;
  Outline::Index deepest = other.support(own_from_other.unrotate(-normals[0]), 0, SupportSearch::climb);
  for (Outline::Index i = 0; i < own.size(); ++i) {
    const Vector2d inward = own_from_other.unrotate(-normals[i]);  // frame of the other
    double height = other.corner(deepest).dot(inward);
    // A counter-clockwise walk over the sides turns the direction counter-clockwise too.
    for (Outline::Index steps = 0; steps < other.size(); ++steps) {
      const Outline::Index next = other.next(deepest);
      const double value = other.corner(next).dot(inward);
      if (!(value > height)) break;
      deepest = next;
      height = value;
    }
    const double gap = normals[i].dot(own_from_other.translation - own.corner(i)) - height;
    visit(normals[i], gap);
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
Stretch highest_stretch(const Outline& core, const Vector2d& normal, const Vector2d& tangent, double tie) {
  const Outline::Index top = core.support(normal, 0, SupportSearch::climb);
  const Vector2d& corner = core.corner(top);
  Stretch stretch{corner.dot(normal), corner.dot(tangent), corner.dot(tangent)};
  for (const Outline::Index neighbour : {core.next(top), core.previous(top)}) {
    const Vector2d& beside = core.corner(neighbour);
    if (beside.dot(normal) < stretch.height - tie) continue;
    stretch.low = std::min(stretch.low, beside.dot(tangent));
    stretch.high = std::max(stretch.high, beside.dot(tangent));
  }
  return stretch;
}

}  // namespace

Axis best_axis(const Difference& difference, const Vector2d& hint) {
  const Outline& a = difference.a();
  const Outline& b = difference.b();
  const Pose& a_from_b = difference.a_from_b();
  Axis best;
  best.gap = -std::numeric_limits<double>::infinity();
  const auto consider = [&best](const Vector2d& normal, double gap) {
    if (gap > best.gap) {
      best.normal = normal;
      best.gap = gap;
    }
  };
  const auto measure = [&](const Vector2d& normal) {
    const DifferencePoint lowest = difference.support(normal, {});
    consider(normal, -lowest.difference.dot(normal));
  };
  visit_sides(a, b, a_from_b, consider);
  Pose b_from_a;
  b_from_a.cos = a_from_b.cos;
  b_from_a.sin = -a_from_b.sin;
  b_from_a.translation = b_from_a.rotate(-a_from_b.translation);
  visit_sides(b, a, b_from_a, [&](const Vector2d& outward, double gap) { consider(a_from_b.rotate(-outward), gap); });
  // The ends of segments have directions of their own, and points have none at all.
  const double length = hint.norm();
  if (length > 0.0) measure(hint / length);
  for (const Outline* core : {&a, &b}) {
    if (core->size() != 2) continue;
    const Vector2d& across = core->normals()[0];
    const Vector2d along(-across.y(), across.x());
    const Vector2d direction = core == &a ? along : a_from_b.rotate(along);
    measure(direction);
    measure(-direction);
  }
  if (!(best.gap > -std::numeric_limits<double>::infinity())) measure(Vector2d::UnitX());

  // What faces each other shares a middle.
  const Vector2d tangent(-best.normal.y(), best.normal.x());
  const double tie = kTie * (a.reach() + b.reach());
  const Stretch top = highest_stretch(a, best.normal, tangent, tie);
  const Vector2d normal_b = a_from_b.unrotate(-best.normal);
  const Stretch bottom = highest_stretch(b, normal_b, a_from_b.unrotate(tangent), tie);
  const double shift = a_from_b.translation.dot(tangent);
  const double low = std::max(top.low, bottom.low + shift);
  const double high = std::min(top.high, bottom.high + shift);
  best.point_a = top.height * best.normal + 0.5 * (low + high) * tangent;
  return best;
}

}  // namespace abut::planar::detail
