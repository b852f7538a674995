// Greedy growth of the area, in the contact plane.
#include <abut/core/cross.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/narrowphase/manifold/reduction.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace abut::detail {
namespace {

using Eigen::Vector2d;

// Choices within this fraction of the best one are as good; it covers the slack of the outlines.
constexpr double kAsGood = 1e-4;

// Convex polygon that grows by a point at a time, counter-clockwise.
class GrowingHull {
 public:
  GrowingHull(const Vector2d& p, const Vector2d& q) : corners_{p, q} {}

  /// Twice the area that the point would add.
  [[nodiscard]] double gain(const Vector2d& point) const {
    if (count_ == 2) return std::abs(cross(corners_[0], corners_[1], point));
    double twice = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double inside = cross(corners_[i], corners_[next(i)], point);
      twice += std::abs(inside) - inside;  // 2 max(0, -inside) without a branch: which sides it sees cannot be foreseen
    }
    return 0.5 * twice;
  }

  /// All on one line so far.
  [[nodiscard]] bool is_line() const { return count_ == 2; }
  /// Of a line: its length times that by which the point would lengthen it.
  [[nodiscard]] double lengthening(const Vector2d& point) const {
    const Vector2d along = corners_[1] - corners_[0];
    return std::max(along.dot(corners_[0] - point), along.dot(point - corners_[1]));
  }
  /// @param point  One that lengthens the line.
  void lengthen(const Vector2d& point) {
    const bool is_behind = (corners_[1] - corners_[0]).dot(point - corners_[0]) < 0.0;
    corners_[is_behind ? 0 : 1] = point;
  }
  /// Of a line.
  [[nodiscard]] double length() const { return (corners_[1] - corners_[0]).norm(); }

  /// @param point  One that adds area.
  void add(const Vector2d& point) {
    if (count_ == 2) {
      if (cross(corners_[0], corners_[1], point) < 0.0) std::swap(corners_[0], corners_[1]);
      corners_[count_++] = point;
      return;
    }
    // The point takes the place of what lies between the first and the last side that it sees.
    std::size_t first = 0;
    while (!sees(first, point) || sees(first == 0 ? count_ - 1 : first - 1, point)) {
      if (++first == count_) return;
    }
    std::array<Vector2d, ContactManifold::kCapacity> grown;
    std::size_t count = 0;
    grown[count++] = corners_[first];
    grown[count++] = point;
    std::size_t i = next(first);
    while (sees(i, point)) i = next(i);
    for (; i != first; i = next(i)) grown[count++] = corners_[i];
    corners_ = grown;
    count_ = count;
  }

 private:
  [[nodiscard]] std::size_t next(std::size_t i) const { return i + 1 < count_ ? i + 1 : 0; }
  [[nodiscard]] bool sees(std::size_t side, const Vector2d& point) const {
    return cross(corners_[side], corners_[next(side)], point) < 0.0;
  }

  std::array<Vector2d, ContactManifold::kCapacity> corners_;
  std::size_t count_ = 2;
};

// Position of the first point whose value is as good as the best; the number of points when none exceeds `least`.
template <class Value>
std::size_t first_of_best(std::size_t count, double least, const Value& value) {
  std::array<double, ContactPatch::kCapacity> values;
  if (count > values.size()) {  // the points of many leaves
    double largest = least;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, value(i));
    if (!(largest > least)) return count;
    std::size_t i = 0;
    while (value(i) < (1.0 - kAsGood) * largest) ++i;
    return i;
  }
  double best = least;
  for (std::size_t i = 0; i < count; ++i) best = std::max(best, values[i] = value(i));
  if (!(best > least)) return count;
  std::size_t i = 0;
  while (values[i] < (1.0 - kAsGood) * best) ++i;
  return i;
}

}  // namespace

std::size_t first_of_patch(std::span<const PatchPoint> points, const Vector3d& middle, double most, double spacing) {
  const Vector2d center = middle.head<2>();
  const auto away = [&](const PatchPoint& point) { return (point.point_a.head<2>() - center).squaredNorm(); };
  double farthest = 0.0;
  for (const PatchPoint& point : points) {
    if (point.distance <= most) farthest = std::max(farthest, away(point));
  }
  const double as_far = (1.0 - kAsGood) * farthest - spacing * spacing;
  const auto first = std::find_if(points.begin(), points.end(), [&](const PatchPoint& point) {
    return point.distance <= most && away(point) >= as_far;
  });
  return static_cast<std::size_t>(first - points.begin());
}

std::size_t choose_spread(std::span<const PatchPoint> points, const Vector3d& first, double touching, double spacing,
                          std::span<std::size_t> chosen) {
  const auto at = [&](std::size_t i) { return Vector2d(points[i].point_a.x(), points[i].point_a.y()); };
  // Those that touch; where none of them is good enough, all.
  const auto best_of = [&](double least, const auto& value) {
    const std::size_t best = first_of_best(
        points.size(), least, [&](std::size_t i) { return points[i].distance <= touching ? value(i) : -1.0; });
    return best != points.size() ? best : first_of_best(points.size(), least, value);
  };
  const Vector2d start(first.x(), first.y());
  if (chosen.empty()) return 0;
  const std::size_t second = best_of(spacing * spacing, [&](std::size_t i) { return (at(i) - start).squaredNorm(); });
  if (second == points.size()) return 0;
  std::size_t count = 0;
  chosen[count++] = second;
  double least = spacing * (at(second) - start).norm();
  GrowingHull hull(start, at(second));
  while (count < chosen.size()) {
    std::size_t best = best_of(least, [&](std::size_t i) { return hull.gain(at(i)); });
    if (best == points.size()) {
      if (!hull.is_line()) break;
      // The first lies between the ends of a line, of which the second is the farther one.
      best = best_of(least, [&](std::size_t i) { return hull.lengthening(at(i)); });
      if (best == points.size()) break;
      chosen[count++] = best;
      hull.lengthen(at(best));
      least = spacing * hull.length();
      continue;
    }
    chosen[count++] = best;
    if (count < chosen.size()) hull.add(at(best));
  }
  return count;
}

}  // namespace abut::detail
