// Checks of a convex polygon: the turn at every corner, and the number of turns in all.
#include <abut/core/convex_polygon.h>
#include <abut/core/cross.h>
#include <abut/core/error.h>
#include <abut/core/planar_hull.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

namespace abut {
namespace {

using detail::cross;
using Eigen::Vector2d;

// A corner this close to the line through its neighbours, in units of the polygon's coordinates, counts as collinear:
// it is what rounding leaves of points on a rotated edge. Larger values would cut corners of finely divided circles.
constexpr double kCollinear = 16.0 * std::numeric_limits<double>::epsilon();

// How the boundary turns at a corner.
enum class Turn { left, right, straight, back };

Turn turn_at(const Vector2d& before, const Vector2d& corner, const Vector2d& after, double tolerance) {
  const Vector2d in = corner - before;
  const Vector2d out = after - corner;
  const double area = cross(in, out);
  // Height of the triangle over its longest side, which is how far it is from being flat.
  const double side = std::max({in.norm(), out.norm(), (after - before).norm()});
  if (std::abs(area) > tolerance * side) return area > 0.0 ? Turn::left : Turn::right;
  return in.dot(out) > 0.0 ? Turn::straight : Turn::back;
}

Turn turn_at(const std::vector<Vector2d>& points, std::size_t i, double tolerance) {
  const std::size_t count = points.size();
  return turn_at(points[(i + count - 1) % count], points[i], points[(i + 1) % count], tolerance);
}

// Removes corners on straight edges, round after round, since each removal joins two edges. The corners are linked, for
// a curve finely divided has many to remove.
void drop_straight_corners(std::vector<Vector2d>& points, double tolerance) {
  std::size_t count = points.size();
  std::vector<std::size_t> before(count);
  std::vector<std::size_t> after(count);
  for (std::size_t i = 0; i < count; ++i) {
    before[i] = (i + count - 1) % count;
    after[i] = (i + 1) % count;
  }
  std::vector<bool> is_left(count, true);
  for (std::size_t i = 0, kept = 0; count > 2 && kept < count; i = after[i]) {
    if (turn_at(points[before[i]], points[i], points[after[i]], tolerance) == Turn::straight) {
      after[before[i]] = after[i];
      before[after[i]] = before[i];
      is_left[i] = false;
      --count;
      kept = 0;
    } else {
      ++kept;
    }
  }
  std::vector<Vector2d> left;
  left.reserve(count);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_left[i]) left.push_back(points[i]);
  }
  points = std::move(left);
}

}  // namespace

std::vector<Vector2d> convex_polygon(std::span<const Vector2d> input) {
  double largest = 0.0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    for (int k = 0; k < 2; ++k) {
      if (!std::isfinite(input[i][k])) {
        throw InvalidInput("points[" + std::to_string(i) + "]", k, "must be finite", input[i][k]);
      }
      largest = std::max(largest, std::abs(input[i][k]));
    }
  }
  std::vector<Vector2d> points(input.begin(), input.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  while (points.size() > 1 && points.front() == points.back()) points.pop_back();
  if (points.size() < 3) {
    throw InvalidInput("points", "must have at least three distinct corners", static_cast<double>(points.size()));
  }
  const double tolerance = kCollinear * largest;
  drop_straight_corners(points, tolerance);

  std::size_t left = 0;
  std::size_t right = 0;
  double turning = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t count = points.size();
    const Vector2d in = points[i] - points[(i + count - 1) % count];
    const Vector2d out = points[(i + 1) % count] - points[i];
    const Turn turn = turn_at(points, i, tolerance);
    if (turn == Turn::left) ++left;
    if (turn == Turn::right) ++right;
    turning += std::abs(std::atan2(cross(in, out), in.dot(out)));
  }
  if (left == 0 && right == 0) throw InvalidInput("points", "must not lie on one line: the polygon has no area");
  if (left + right != points.size() || (left != 0 && right != 0)) {
    throw InvalidInput("points", "must be the corners of a convex polygon, in order around it");
  }
  if (turning > 3.0 * std::numbers::pi) throw InvalidInput("points", "must go around the polygon once");
  if (right != 0) std::reverse(points.begin(), points.end());
  return points;
}

std::vector<Vector2d> convex_hull_polygon(std::span<const Vector2d> input) {
  std::vector<Vector2d> points(input.begin(), input.end());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int k = 0; k < 2; ++k) {
      if (!std::isfinite(points[i][k])) {
        throw InvalidInput("points[" + std::to_string(i) + "]", k, "must be finite", points[i][k]);
      }
    }
  }
  detail::sort_distinct(points);
  if (points.size() < 3) {
    throw InvalidInput("points", "must have at least three distinct ones", static_cast<double>(points.size()));
  }
  const std::vector<Vector2d> hull = detail::planar_hull(points);
  if (hull.size() < 3) throw InvalidInput("points", "must not lie on one line: their hull has no area");
  return convex_polygon(hull);
}

}  // namespace abut
