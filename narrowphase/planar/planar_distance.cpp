// Source of the separating-axis test: Ericson, Real-Time Collision Detection (2005), section 5.2.1. The Minkowski
// difference of two convex polygons has the edge normals of both; of these the one with the largest gap gives the
// signed distance while the polygons overlap. Segments also offer their own direction, for the ends of collinear ones.
#include <abut/narrowphase/planar/planar_distance.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::planar {
namespace {

// Cores nearer than this fraction of their coordinates have a direction made of rounding: the axis answers then.
constexpr double kTouching = 1e-12;

// A rotation and a translation, applied corner by corner so that nothing is stored.
class PlacedCore {
 public:
  PlacedCore(std::span<const Vector2d> corners, const Vector2d& translation, double angle)
      : corners_(corners), translation_(translation), cos_(std::cos(angle)), sin_(std::sin(angle)) {}

  [[nodiscard]] std::size_t size() const { return corners_.size(); }
  [[nodiscard]] Vector2d corner(std::size_t i) const {
    const Vector2d& p = corners_[i % corners_.size()];
    return {cos_ * p.x() - sin_ * p.y() + translation_.x(), sin_ * p.x() + cos_ * p.y() + translation_.y()};
  }
  [[nodiscard]] double farthest(const Vector2d& direction) const {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size(); ++i) largest = std::max(largest, corner(i).dot(direction));
    return largest;
  }
  /// Calls visit(unit normal) with every outward edge normal; a segment's two normals and two directions.
  template <class Visit>
  void visit_axes(Visit&& visit) const {
    if (size() == 1) return;
    for (std::size_t i = 0; i < size(); ++i) {
      const Vector2d edge = (corner(i + 1) - corner(i)).normalized();
      visit(Vector2d(edge.y(), -edge.x()));
      if (size() == 2) visit(edge);
    }
  }

 private:
  std::span<const Vector2d> corners_;
  Vector2d translation_;
  double cos_;
  double sin_;
};

struct Axis {
  double gap = -std::numeric_limits<double>::infinity();
  Vector2d normal = Vector2d::UnitX();  // from a to b
};

Axis best_axis(const PlacedCore& a, const PlacedCore& b) {
  Axis best;
  const auto consider = [&](const Vector2d& normal) {
    const double gap = -b.farthest(-normal) - a.farthest(normal);
    if (gap > best.gap) best = {gap, normal};
  };
  a.visit_axes(consider);
  b.visit_axes([&](const Vector2d& outward) { consider(-outward); });
  return best;
}

Vector2d nearest_on_segment(const Vector2d& p, const Vector2d& q, const Vector2d& x) {
  const Vector2d edge = q - p;
  const double length_sq = edge.squaredNorm();
  if (!(length_sq > 0.0)) return p;
  return p + std::clamp((x - p).dot(edge) / length_sq, 0.0, 1.0) * edge;
}

// The nearest points of two cores that do not overlap: a corner of one and an edge of the other.
void nearest_features(const PlacedCore& a, const PlacedCore& b, Vector2d& on_a, Vector2d& on_b) {
  double smallest_sq = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Vector2d& x, const Vector2d& y) {
    const double distance_sq = (y - x).squaredNorm();
    if (distance_sq < smallest_sq) {
      smallest_sq = distance_sq;
      on_a = x;
      on_b = y;
    }
  };
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      consider(a.corner(i), nearest_on_segment(b.corner(j), b.corner(j + 1), a.corner(i)));
      consider(nearest_on_segment(a.corner(i), a.corner(i + 1), b.corner(j)), b.corner(j));
    }
  }
}

// The stretch of a core's boundary that lies farthest along a direction, as an interval of the tangent.
struct Stretch {
  double height = 0.0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
};

Stretch farthest_stretch(const PlacedCore& core, const Vector2d& normal, const Vector2d& tangent, double tie) {
  Stretch stretch;
  stretch.height = core.farthest(normal);
  for (std::size_t i = 0; i < core.size(); ++i) {
    const Vector2d p = core.corner(i);
    if (p.dot(normal) < stretch.height - tie) continue;
    stretch.low = std::min(stretch.low, p.dot(tangent));
    stretch.high = std::max(stretch.high, p.dot(tangent));
  }
  return stretch;
}

}  // namespace

Separation distance(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b) {
  // Relative to a's origin: nothing is lost far from the world's.
  const PlacedCore core_a(a.corners(), Vector2d::Zero(), world_from_a.angle);
  const PlacedCore core_b(b.corners(), world_from_b.translation - world_from_a.translation, world_from_b.angle);
  const double size = std::abs(core_a.farthest(Vector2d::UnitX())) + std::abs(core_b.farthest(Vector2d::UnitX())) +
                      std::abs(core_a.farthest(Vector2d::UnitY())) + std::abs(core_b.farthest(Vector2d::UnitY()));

  const bool is_point_pair = a.corners().size() == 1 && b.corners().size() == 1;
  const Axis axis = is_point_pair ? Axis{0.0, Vector2d::UnitX()} : best_axis(core_a, core_b);
  Separation result;
  result.normal = axis.normal;
  double core_distance = axis.gap;
  Vector2d on_a = Vector2d::Zero();
  Vector2d on_b = Vector2d::Zero();
  bool separated = is_point_pair || axis.gap > 0.0;
  if (separated) {
    nearest_features(core_a, core_b, on_a, on_b);
    const double gap = (on_b - on_a).norm();
    separated = gap > kTouching * size;
    if (separated) {
      core_distance = gap;
      result.normal = (on_b - on_a) / gap;
    }
  }
  if (!separated) {
    // The two stretches that face each other share a middle: the witness points lie there.
    const Vector2d tangent(-result.normal.y(), result.normal.x());
    const double tie = kTouching * size;
    const Stretch top = farthest_stretch(core_a, result.normal, tangent, tie);
    const Stretch bottom = farthest_stretch(core_b, -result.normal, tangent, tie);
    const double along = 0.5 * (std::max(top.low, bottom.low) + std::min(top.high, bottom.high));
    on_a = top.height * result.normal + along * tangent;
    on_b = -bottom.height * result.normal + along * tangent;
  }
  result.distance = core_distance - a.radius() - b.radius();
  result.point_a = world_from_a.translation + on_a + a.radius() * result.normal;
  result.point_b = world_from_a.translation + on_b - b.radius() * result.normal;
  return result;
}

}  // namespace abut::planar
