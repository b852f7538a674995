#include <abut/io/triangulate.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace abut::detail {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// Corners are placed on a grid of 2^50 steps to the polygon's extent, finer than the rounding of their coordinates; the
// shear along the normal at most doubles that. Differences of grid points are therefore below 2^53: exact.
constexpr double kGridSteps = 0x1p50;

// Grid steps, 1e-7 of the extent: corners of files in single precision that are meant to lie on a line are off it by
// about this. Smaller, and their slivers are cut off as triangles; larger, and fewer corners are ears at first sight.
constexpr double kBlur = 1e-7 * kGridSteps;

// Of a ring without ears, for which the time grows with the third power: 256 take about 30 ms.
constexpr std::size_t kMostStuckCorners = 256;

// > 0 where p, q, r turn counterclockwise. Its sign is exact, 0 included: the differences are, their products decide
// where they are clearly apart, and else Kahan's difference of products, which errs by less than its own size
// (Jeannerod, Louvet and Muller, "Further Analysis of Kahan's Algorithm for the Accurate Computation of 2 x 2
// Determinants", Mathematics of Computation 82, 2013).
double turn(const Vector2d& p, const Vector2d& q, const Vector2d& r) {
  constexpr double kClearlyApart = 1e-15;  // of their sum; the rounding is below 4e-16 of it
  const Vector2d a = q - p;
  const Vector2d b = r - p;
  const double left = a.x() * b.y();
  const double right = a.y() * b.x();
  if (std::abs(left - right) > kClearlyApart * (std::abs(left) + std::abs(right))) return left - right;
  return std::fma(a.x(), b.y(), -right) + std::fma(-a.y(), b.x(), right);
}

// The corners in the plane, counterclockwise, on the grid: projected along the polygon's normal onto the coordinate
// plane that it faces most. That is an affine image of the polygon, which the choice of ears does not mind, and it
// keeps the coordinates of a polygon in a coordinate plane.
std::vector<Vector2d> flattened(std::span<const Vector3d> vertices, std::span<const std::uint32_t> polygon) {
  const Vector3d& origin = vertices[polygon[0]];
  double extent = std::numeric_limits<double>::min();  // which has an inverse
  for (const std::uint32_t i : polygon) extent = std::max(extent, (vertices[i] - origin).lpNorm<Eigen::Infinity>());
  int exponent = 0;
  std::frexp(extent, &exponent);
  const double scale = std::ldexp(1.0, -exponent);
  const auto corner = [&](std::size_t i) -> Vector3d { return scale * (vertices[polygon[i]] - origin); };  // below 1

  Vector3d normal = Vector3d::Zero();  // Newell's method
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) normal += corner(i).cross(corner(i + 1));
  int z = 0;
  normal.cwiseAbs().maxCoeff(&z);
  int x = (z + 1) % 3;
  int y = (z + 2) % 3;
  if (normal[z] < 0.0) std::swap(x, y);
  const double lean_x = normal[z] == 0.0 ? 0.0 : normal[x] / normal[z];
  const double lean_y = normal[z] == 0.0 ? 0.0 : normal[y] / normal[z];

  std::vector<Vector2d> points;
  points.reserve(polygon.size());
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector3d p = corner(i);
    points.emplace_back(std::nearbyint(kGridSteps * (p[x] - lean_x * p[z])),
                        std::nearbyint(kGridSteps * (p[y] - lean_y * p[z])));
  }
  return points;
}

// Clips ears off a ring of corners. Every triangle that it clips turns counterclockwise or has no area. The areas of
// the triangles with their signs add up to that of the polygon, and so do the numbers of times they wind around a
// point: of a simple polygon they therefore cover its inside once and nothing else, whichever ears are taken.
class EarClipper {
 public:
  EarClipper(std::span<const Vector3d> vertices, std::span<const std::uint32_t> polygon)
      : polygon_(polygon), points_(flattened(vertices, polygon)) {
    ring_.resize(polygon.size());
    std::iota(ring_.begin(), ring_.end(), 0U);
  }

  bool clip(std::vector<std::array<std::uint32_t, 3>>& triangles) {
    std::size_t next = 0;  // goes round, so that the cuts of a convex polygon are spread over it
    while (ring_.size() > 3) {
      const std::size_t i = next_to_clip(next % ring_.size());
      if (i == ring_.size()) return cut_by_least_area(triangles);
      append(before(i), i, after(i), triangles);
      ring_.erase(ring_.begin() + static_cast<std::ptrdiff_t>(i));
      next = i + 1;
    }
    append(0, 1, 2, triangles);
    return true;
  }

 private:
  std::size_t before(std::size_t i) const { return (i == 0 ? ring_.size() : i) - 1; }
  std::size_t after(std::size_t i) const { return i + 1 == ring_.size() ? 0 : i + 1; }
  const Vector2d& point(std::size_t i) const { return points_[ring_[i]]; }
  double turn_at(std::size_t i) const { return turn(point(before(i)), point(i), point(after(i))); }

  void append(std::size_t i, std::size_t j, std::size_t k, std::vector<std::array<std::uint32_t, 3>>& triangles) const {
    triangles.push_back({polygon_[ring_[i]], polygon_[ring_[j]], polygon_[ring_[k]]});
  }

  // The first corner from `start` on that is a fold; if there is none, an ear at first sight; if there is none, an ear;
  // if there is none, a straight one. The size of the ring where there is none either.
  std::size_t next_to_clip(std::size_t start) const {
    const auto first = [&](auto&& is_wanted) {
      std::size_t i = start;
      for (std::size_t tried = 0; tried < ring_.size(); ++tried, i = after(i)) {
        if (is_wanted(i)) return i;
      }
      return ring_.size();
    };
    std::size_t found = first([&](std::size_t i) { return is_fold(i); });
    if (found == ring_.size()) found = first([&](std::size_t i) { return is_ear(i, kBlur); });
    if (found == ring_.size()) found = first([&](std::size_t i) { return is_ear(i, 0.0); });
    if (found == ring_.size()) found = first([&](std::size_t i) { return turn_at(i) == 0.0; });
    return found;
  }

  // Whether the ring turns back at corner i or stands still. Next to a fold, what lies in the angle of a corner need
  // not be inside.
  bool is_fold(std::size_t i) const {
    return (point(i) - point(before(i))).dot(point(after(i)) - point(i)) <= 0.0 && turn_at(i) == 0.0;
  }

  // Whether the triangle of corner i and its neighbours turns counterclockwise, is wider than `margin`, and has all
  // other corners farther outside than it. Grid steps.
  bool is_ear(std::size_t i, double margin) const {
    const std::array corner = {point(before(i)), point(i), point(after(i))};
    const std::array least = {-margin * (corner[1] - corner[0]).norm(), -margin * (corner[2] - corner[1]).norm(),
                              -margin * (corner[0] - corner[2]).norm()};
    const double area = turn(corner[0], corner[1], corner[2]);
    if (!(area > 0.0 && area > -*std::min_element(least.begin(), least.end()))) return false;
    for (std::size_t k = 0; k < ring_.size(); ++k) {
      const Vector2d& x = point(k);
      if (x == corner[0] || x == corner[2]) continue;
      if (x == corner[1]) {
        if (k != i && (is_ahead(i, before(k)) || is_ahead(i, after(k)))) return false;
        continue;
      }
      if (turn(corner[0], corner[1], x) >= least[0] && turn(corner[1], corner[2], x) >= least[1] &&
          turn(corner[2], corner[0], x) >= least[2]) {
        return false;
      }
    }
    return true;
  }

  // Whether corner k lies strictly in the angle of corner i: where the ring comes back to the place of i, as around a
  // hole that is joined to the outline, it leaves from there through the triangle of i.
  bool is_ahead(std::size_t i, std::size_t k) const {
    return turn(point(before(i)), point(i), point(k)) > 0.0 && turn(point(i), point(after(i)), point(k)) > 0.0;
  }

  // A ring without ears crosses itself, if only by rounding. Of all ways to cut it, this is one with the least area,
  // which is that of the ring where any has no triangle turned round. Source: Klincsek, "Minimal Triangulations of
  // Polygonal Domains", Annals of Discrete Mathematics 9 (1980). False where the ring is too long.
  bool cut_by_least_area(std::vector<std::array<std::uint32_t, 3>>& triangles) const {
    const std::size_t size = ring_.size();
    if (size > kMostStuckCorners) return false;
    // Of the part of the ring from i to k, closed by a straight line: its least area, and the third corner of the
    // triangle at that line.
    std::vector<double> area(size * size, 0.0);
    std::vector<std::size_t> third(size * size, 0);
    for (std::size_t length = 2; length < size; ++length) {
      for (std::size_t i = 0; i + length < size; ++i) {
        const std::size_t k = i + length;
        double least = std::numeric_limits<double>::infinity();
        third[i * size + k] = i + 1;
        for (std::size_t j = i + 1; j < k; ++j) {
          const double sum = area[i * size + j] + area[j * size + k] + std::abs(turn(point(i), point(j), point(k)));
          if (!(sum < least)) continue;
          least = sum;
          third[i * size + k] = j;
        }
        area[i * size + k] = least;
      }
    }
    std::vector<std::array<std::size_t, 2>> open = {{0, size - 1}};
    while (!open.empty()) {
      const auto [i, k] = open.back();
      open.pop_back();
      if (k - i < 2) continue;
      const std::size_t j = third[i * size + k];
      append(i, j, k, triangles);
      open.push_back({i, j});
      open.push_back({j, k});
    }
    return true;
  }

  std::span<const std::uint32_t> polygon_;
  std::vector<Vector2d> points_;     // of all corners of the polygon, in grid steps
  std::vector<std::uint32_t> ring_;  // the corners that are left
};

}  // namespace

bool triangulate(std::span<const Vector3d> vertices, std::span<const std::uint32_t> polygon,
                 std::vector<std::array<std::uint32_t, 3>>& triangles) {
  if (polygon.size() < 3) return true;
  if (polygon.size() == 3) {
    triangles.push_back({polygon[0], polygon[1], polygon[2]});
    return true;
  }
  return EarClipper(vertices, polygon).clip(triangles);
}

}  // namespace abut::detail
