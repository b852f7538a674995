// The maximum of a function over the unit sphere with a proven upper bound: branch and bound over spherical triangles.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <queue>
#include <vector>

namespace abut::detail {

using Eigen::Vector3d;

struct SphereMaximum {
  double found = 0.0;  ///< A value that the function takes.
  double bound = 0.0;  ///< No value is larger.
};

/// A spherical triangle: corners, and what was sampled there. All its directions are nonnegative combinations of the
/// corners.
template <class Sample>
struct SphereCell {
  std::array<Vector3d, 3> corners;  ///< Unit.
  std::array<Sample, 3> samples;
  double bound = 0.0;
};

/// The eight cells of the octahedron are split in four, the one with the largest bound first, until no bound exceeds
/// the largest value found by more than `gap`, or `max_splits` cells have been split; the bound holds either way.
/// @param sample  Direction to Sample.
/// @param value   Sample to the function's value there.
/// @param bound   Cell to an upper bound of the function over the cell.
/// @param found   A value that the function is known to take.
/// @param gap     Largest value found to the gap that is good enough.
template <class SampleAt, class Value, class Bound, class Gap>
[[nodiscard]] SphereMaximum sphere_maximum(SampleAt&& sample, Value&& value, Bound&& bound, double found, Gap&& gap,
                                           int max_splits) {
  using Sample = decltype(sample(Vector3d()));
  using Cell = SphereCell<Sample>;
  const auto lower_bound_first = [](const Cell& a, const Cell& b) { return a.bound < b.bound; };
  std::priority_queue<Cell, std::vector<Cell>, decltype(lower_bound_first)> open(lower_bound_first);
  double closed = found;  // the largest bound among the cells that need no split
  const auto add = [&](const std::array<Vector3d, 3>& corners, const std::array<Sample, 3>& samples) {
    Cell cell{corners, samples, 0.0};
    cell.bound = bound(cell);
    if (cell.bound > found + gap(found)) {
      open.push(cell);
    } else {
      closed = std::max(closed, cell.bound);
    }
  };
  const auto visit = [&](const Vector3d& direction) {
    Sample result = sample(direction);
    found = std::max(found, value(result));
    return result;
  };

  for (const double x : {1.0, -1.0}) {
    for (const double y : {1.0, -1.0}) {
      for (const double z : {1.0, -1.0}) {
        const std::array<Vector3d, 3> corners{x * Vector3d::UnitX(), y * Vector3d::UnitY(), z * Vector3d::UnitZ()};
        add(corners, {visit(corners[0]), visit(corners[1]), visit(corners[2])});
      }
    }
  }
  for (int splits = 0; splits < max_splits && !open.empty() && open.top().bound > found + gap(found); ++splits) {
    const Cell cell = open.top();
    open.pop();
    std::array<Vector3d, 3> middles;
    std::array<Sample, 3> samples;
    for (std::size_t i = 0; i < 3; ++i) {
      middles[i] = (cell.corners[(i + 1) % 3] + cell.corners[(i + 2) % 3]).normalized();
      samples[i] = visit(middles[i]);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::size_t k = (i + 2) % 3;
      add({cell.corners[i], middles[k], middles[j]}, {cell.samples[i], samples[k], samples[j]});
    }
    add(middles, samples);
  }
  return {found, std::max({found, closed, open.empty() ? found : open.top().bound})};
}

/// Distance from the origin to the plane through the corners, a lower bound of |x| over the flat triangle.
[[nodiscard]] inline double plane_distance(const std::array<Vector3d, 3>& corners) {
  const Vector3d normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double length = normal.norm();
  return length > 0.0 ? std::abs(normal.dot(corners[0])) / length : 0.0;
}

}  // namespace abut::detail
