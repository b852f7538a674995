// GJK in the plane, on the cores of two shapes.
// Source: Zhang et al., "Barycode-based GJK Algorithm", Algorithms 1 and 6. Departures: it starts at the difference of
// the centres or at the corners that a cache remembers; the end of the search is a corner that comes again, which for
// polygons is exact, besides the gap between the upper and the lower bound; the yes or no knows a radius.
#pragma once

#include <abut/narrowphase/planar/barycode.h>
#include <abut/narrowphase/planar/planar_difference.h>
#include <abut/narrowphase/planar/simplex_memory.h>

#include <array>
#include <cmath>
#include <cstdint>

namespace abut::planar::detail {

/// One to three points and what they say of the origin.
struct Simplex {
  std::array<DifferencePoint, 3> points;
  int size = 0;
  Vector2d nearest = Vector2d::Zero();
  double nearest_sq = 0.0;

  [[nodiscard]] bool encloses() const { return size == 3; }

  void start(const DifferencePoint& point) {
    points[0] = point;
    size = 1;
    nearest = point.difference;
    nearest_sq = nearest.squaredNorm();
  }

  /// Adds the newest point. @return False where rounding brings it no nearer; then nothing has changed.
  bool extend(const DifferencePoint& newest) {
    const Nearest found = size == 1
                              ? nearest_on_segment(newest.difference, points[0].difference, 0, 1)
                              : nearest_with_newest(newest.difference, points[0].difference, points[1].difference);
    if (found.size == 3) {
      points[2] = newest;
      size = 3;
      nearest.setZero();
      nearest_sq = 0.0;
      return true;
    }
    const double found_sq = found.point.squaredNorm();
    // The newest carries what is nearer than before; of a side the other end is one of the old points.
    if (!(found_sq < nearest_sq) || found.carrier[0] != 0) return false;
    if (found.size == 2) points[1] = points[found.carrier[1] - 1u];
    points[0] = newest;
    size = found.size;
    nearest = found.point;
    nearest_sq = found_sq;
    return true;
  }

  /// Whether it has that pair of corners.
  [[nodiscard]] bool has(const DifferencePoint& point) const {
    for (int i = 0; i < size; ++i) {
      const DifferencePoint& own = points[static_cast<std::size_t>(i)];
      if (own.corner_a == point.corner_a && own.corner_b == point.corner_b) return true;
    }
    return false;
  }
};

/// The first simplex: of remembered corners, or the support point towards the other body's centre.
[[nodiscard]] inline Simplex first_simplex(const Difference& difference, const SimplexMemory* memory) {
  Simplex simplex;
  if (memory != nullptr && memory->size > 0 && memory->corner_a[0] < difference.a().size() &&
      memory->corner_b[0] < difference.b().size()) {
    simplex.start(difference.at(memory->corner_a[0], memory->corner_b[0]));
    if (memory->size == 2 && memory->corner_a[1] < difference.a().size() &&
        memory->corner_b[1] < difference.b().size()) {
      simplex.extend(difference.at(memory->corner_a[1], memory->corner_b[1]));
    }
    return simplex;
  }
  simplex.start(difference.support(-difference.center(), {}));  // any direction where that is zero
  return simplex;
}

struct GjkAnswer {
  Simplex simplex;
  double lower = 0.0;  ///< Metres: no point of the difference is nearer; meaningless where the origin is enclosed.
  int iterations = 0;
};

inline constexpr int kMaxIterations = 128;
/// Relative gap between the bounds of the distance at which the search ends, a few roundings.
inline constexpr double kGap = 1e-15;

/// The nearest point of the difference. @param memory  May be null.
[[nodiscard]] inline GjkAnswer gjk(const Difference& difference, const SimplexMemory* memory) {
  GjkAnswer answer;
  Simplex& simplex = answer.simplex;
  simplex = first_simplex(difference, memory);
  while (answer.iterations < kMaxIterations && !simplex.encloses() && simplex.nearest_sq > 0.0) {
    ++answer.iterations;
    const DifferencePoint newest = difference.support(-simplex.nearest, simplex.points[0]);
    const double along = simplex.nearest.dot(newest.difference);
    const double length = std::sqrt(simplex.nearest_sq);
    answer.lower = along / length;
    if (!(simplex.nearest_sq - along > kGap * simplex.nearest_sq) || simplex.has(newest)) break;
    if (!simplex.extend(newest)) break;
  }
  return answer;
}

/// Whether the difference comes within `limit` (metres, >= 0) of the origin (Algorithm 6). @param memory  May be null;
/// read and written.
[[nodiscard]] inline bool intersects(const Difference& difference, double limit, SimplexMemory* memory) {
  Simplex simplex = first_simplex(difference, memory);
  const double limit_sq = limit * limit;
  bool is_near = true;
  for (int i = 0; i < kMaxIterations; ++i) {
    if (simplex.encloses() || simplex.nearest_sq <= limit_sq) break;
    const DifferencePoint newest = difference.support(-simplex.nearest, simplex.points[0]);
    const double along = simplex.nearest.dot(newest.difference);
    // A line across the nearest point separates.
    if (along > 0.0 && along * along > limit_sq * simplex.nearest_sq) {
      is_near = false;
      break;
    }
    if (simplex.size == 2 && along < 0.0) {
      // Beyond the origin, in the angle opposite to that of the two corners: the triangle of the three encloses it.
      const Vector2d& w = newest.difference;
      if (cross(simplex.points[0].difference, w) * cross(simplex.points[1].difference, w) <= 0.0) break;
    }
    // No progress: as near as it gets, which is farther than the limit.
    if (simplex.has(newest) || !simplex.extend(newest)) {
      is_near = false;
      break;
    }
  }
  if (memory != nullptr && !simplex.encloses()) {
    memory->size = static_cast<std::uint8_t>(simplex.size);
    for (std::size_t i = 0; i < 2; ++i) {
      memory->corner_a[i] = simplex.points[i].corner_a;
      memory->corner_b[i] = simplex.points[i].corner_b;
    }
  }
  return is_near;
}

}  // namespace abut::planar::detail
