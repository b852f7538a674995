// Each row's line is cut by all the other rows; what is left of it is a side of the polygon. Quadratic in the number of
// rows, which are few. Of rows of one sense only the tightest takes part: rounding would have each forbid the other.
#include <abut/core/cross.h>
#include <abut/core/error.h>
#include <abut/core/half_plane_polygon.h>
#include <abut/core/infinity.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>

namespace abut {
namespace {

using detail::cross;
using Eigen::Vector2d;

// Sides shorter than this, and polygons thinner, in units of the offsets that they are computed from, are rounding.
constexpr double kFlat = 64.0 * std::numeric_limits<double>::epsilon();

// Normals that differ by less, in radians, are one: what repeating a row at another scale does to it, and more.
constexpr double kOneSense = 4e-13;

struct Side {
  Vector2d begin;
  Vector2d end;
  double angle;  // of its normal
};

// What the other rows leave of a row's line, as an interval along it; empty: low > high.
struct Interval {
  double low = -kInfinity;
  double high = kInfinity;
};

HalfPlane normalized(const HalfPlane& row, std::size_t index) {
  const std::string field = "normals[" + std::to_string(index) + "]";
  for (int k = 0; k < 2; ++k) {
    if (!std::isfinite(row.normal[k])) throw InvalidInput(field, k, "must be finite", row.normal[k]);
  }
  if (!std::isfinite(row.offset)) {
    throw InvalidInput("offsets", static_cast<std::ptrdiff_t>(index), "must be finite", row.offset);
  }
  const double length = row.normal.stableNorm();
  if (!(length > 0.0)) throw InvalidInput(field, "must not be zero");
  HalfPlane unit{row.normal / length, row.offset / length};
  if (!std::isfinite(unit.offset) || !unit.normal.allFinite()) {
    throw InvalidInput(field, "must not be so short that the offset over its length overflows", length);
  }
  return unit;
}

Vector2d direction_of(const HalfPlane& row) {
  return {-row.normal.y(), row.normal.x()};
}

// Without those that a row of the same sense makes redundant. What a turn below kOneSense changes is rounding.
std::vector<HalfPlane> without_repeats(const std::vector<HalfPlane>& rows) {
  std::vector<std::size_t> by_offset(rows.size());
  std::iota(by_offset.begin(), by_offset.end(), std::size_t{0});
  std::sort(by_offset.begin(), by_offset.end(),
            [&](std::size_t i, std::size_t j) { return std::tie(rows[i].offset, i) < std::tie(rows[j].offset, j); });
  std::vector<std::size_t> kept;
  for (const std::size_t i : by_offset) {
    const bool is_redundant = std::any_of(kept.begin(), kept.end(), [&](std::size_t j) {
      return rows[i].normal.dot(rows[j].normal) > 0.0 && std::abs(cross(rows[i].normal, rows[j].normal)) <= kOneSense;
    });
    if (!is_redundant) kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<HalfPlane> distinct;
  for (const std::size_t i : kept) distinct.push_back(rows[i]);
  return distinct;
}

// Where row j's line meets row i's, along the latter. Both rows ask for the same point, from the same numbers: along
// lines that are nearly parallel rounding moves it far, and the side of one must end where that of the other begins.
double crossing(std::span<const HalfPlane> rows, std::size_t i, std::size_t j) {
  const HalfPlane& first = rows[std::min(i, j)];
  const HalfPlane& second = rows[std::max(i, j)];
  const Vector2d foot = first.offset * first.normal;
  const double place = (second.offset - second.normal.dot(foot)) / cross(first.normal, second.normal);
  return i < j ? place : direction_of(second).dot(foot + place * direction_of(first));
}

// Of row i, of rows without repeats.
Interval cut(std::span<const HalfPlane> rows, std::size_t i, double tolerance) {
  Interval left;
  const Vector2d foot = rows[i].offset * rows[i].normal;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (j == i) continue;
    const double slope = cross(rows[i].normal, rows[j].normal);  // sin of the angle from normal i to normal j
    if (std::abs(slope) > std::numeric_limits<double>::epsilon()) {
      if (slope > 0.0) {
        left.high = std::min(left.high, crossing(rows, i, j));
      } else {
        left.low = std::max(left.low, crossing(rows, i, j));
      }
    } else if (rows[j].offset - rows[j].normal.dot(foot) < -tolerance) {  // of opposite sense
      return {.low = kInfinity, .high = -kInfinity};
    }
  }
  return left;
}

}  // namespace

std::vector<Vector2d> half_plane_polygon(std::span<const HalfPlane> half_planes) {
  std::vector<HalfPlane> rows;
  double largest = 0.0;
  for (std::size_t i = 0; i < half_planes.size(); ++i) {
    rows.push_back(normalized(half_planes[i], i));
    largest = std::max(largest, std::abs(rows.back().offset));
  }
  rows = without_repeats(rows);
  const double tolerance = kFlat * largest;
  std::vector<Side> sides;
  bool is_touched = rows.empty();  // some line has a point that all rows allow
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Interval left = cut(rows, i, tolerance);
    if (left.low - left.high <= tolerance) is_touched = true;
    if (!(left.high - left.low > tolerance)) continue;
    if (!std::isfinite(left.low) || !std::isfinite(left.high)) {
      throw InvalidInput("half_planes", "must bound the polygon on all sides: it is unbounded");
    }
    const Vector2d foot = rows[i].offset * rows[i].normal;
    const Vector2d along = direction_of(rows[i]);
    sides.push_back(
        {foot + left.low * along, foot + left.high * along, std::atan2(rows[i].normal.y(), rows[i].normal.x())});
  }
  if (rows.empty()) throw InvalidInput("half_planes", "must bound the polygon on all sides: it is unbounded");
  if (!is_touched) throw InvalidInput("half_planes", "must leave some points: the polygon is empty");
  std::stable_sort(sides.begin(), sides.end(), [](const Side& s, const Side& t) { return s.angle < t.angle; });
  double area = 0.0;
  double length = 0.0;
  for (const Side& side : sides) {
    area += 0.5 * cross(side.begin - sides.front().begin, side.end - sides.front().begin);
    length = std::max(length, (side.end - side.begin).norm());
  }
  if (sides.size() < 3 || !(area > tolerance * length)) {
    throw InvalidInput("half_planes", "must leave a polygon with an area: it is flat");
  }
  std::vector<Vector2d> corners;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    // Two sides compute a corner each; where rounding parts them, the middle serves both.
    corners.emplace_back(0.5 * (sides[i].end + sides[(i + 1) % sides.size()].begin));
  }
  return corners;
}

}  // namespace abut
