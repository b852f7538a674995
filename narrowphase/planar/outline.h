// The core of a planar shape: the corners of a convex polygon, a segment or a point, and their support function.
//
// Along a polygon's boundary the support value rises to one top and falls again, so that from any corner the way up
// leads there (hill climbing, Zhang et al., section III). For a direction of which nothing is known, each eighth of the
// circle of directions knows the support of its first one; the way from there leads counter-clockwise and is short.
// Comparing all corners without a branch is the alternative; it is slower already for four of them (bench_planar).
#pragma once

#include <abut/narrowphase/planar/plane_vector.h>

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::planar {

using Eigen::Vector2d;

/// How the support point of a polygon is found.
enum class SupportSearch : std::uint8_t {
  climb,  ///< From the last one found, uphill.
  scan,   ///< All corners, without a branch: for study.
};

namespace detail {

// A query reads the first cache line of it, a sector and a few corners.
class alignas(64) Outline {
 public:
  using Index = std::uint32_t;

  /// @param corners  At least one; of a polygon counter-clockwise, no three on a line.
  explicit Outline(std::span<const Vector2d> corners);
  Outline(const Outline&) = delete;
  Outline& operator=(const Outline&) = delete;

  [[nodiscard]] std::span<const Vector2d> corners() const { return {ring_, size_}; }
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] const Vector2d& corner(Index i) const { return ring_[i]; }
  [[nodiscard]] Index next(Index i) const { return i + 1 < size_ ? i + 1 : 0; }
  [[nodiscard]] Index previous(Index i) const { return i > 0 ? i - 1 : size_ - 1; }
  /// The corners with the last one before the first and the first one after the last: indices -1 to size() are valid.
  [[nodiscard]] const Vector2d* ring() const { return ring_; }

  /// Outward unit normals: side i goes from corner i to the next. A segment has two, a point none.
  [[nodiscard]] std::span<const Vector2d> normals() const { return {normals_, size_ > 1 ? size_ : 0}; }
  /// Mean of the corners.
  [[nodiscard]] const Vector2d& center() const { return center_; }
  /// Largest distance of a corner from the center, metres.
  [[nodiscard]] double reach() const { return reach_; }
  /// Radius of the largest disc about the center inside the polygon, metres; 0 for segments and points.
  [[nodiscard]] double inner_radius() const { return inner_radius_; }

  /// A corner farthest along `direction`, which may be anything.
  [[nodiscard]] Index support(PlaneVector direction) const;
  /// The same. @param start  Where a climb starts: any corner; it changes the cost only.
  [[nodiscard]] Index support(const Vector2d& direction, Index start, SupportSearch search) const {
    return search == SupportSearch::climb ? climb(direction, start) : scan(direction);
  }

 private:
  // The supports of a sector's directions are these corners, counter-clockwise.
  struct Sector {
    Index first = 0;
    Index count = 0;  // of sides on the way from the first one to the last
  };

  [[nodiscard]] static std::size_t sector_of(PlaneVector direction);
  [[nodiscard]] Index wrapped(Index i) const { return i < size_ ? i : i - size_; }
  [[nodiscard]] Index climb(const Vector2d& direction, Index start) const;
  [[nodiscard]] Index scan(const Vector2d& direction) const;

  const Vector2d* ring_ = nullptr;
  const Vector2d* normals_ = nullptr;
  Vector2d center_;
  double reach_ = 0.0;
  double inner_radius_ = 0.0;
  Index size_ = 0;
  std::array<Sector, 8> sectors_;
  std::vector<Vector2d> points_;  // the ring, the first corner repeated up to a multiple of four, and the normals
};

// A fourth comparison, for sixteenths, costs more than the shorter ways save, up to 24 corners.
inline std::size_t Outline::sector_of(PlaneVector direction) {
  const double x = std::abs(direction.x);
  const double y = std::abs(direction.y);
  return static_cast<std::size_t>(std::signbit(direction.x)) |
         static_cast<std::size_t>(std::signbit(direction.y)) << 1 | static_cast<std::size_t>(y > x) << 2;
}

inline Outline::Index Outline::support(PlaneVector direction) const {
  const Sector& sector = sectors_[sector_of(direction)];
  Index best = sector.first;
  constexpr Index kFew = 8;
  for (Index count = sector.count; count > kFew;) {  // halves the way by whether its middle side still rises
    const Index half = count / 2;
    const Index middle = wrapped(best + half);
    const bool is_rising = (plane_vector(ring_[middle + 1]) - plane_vector(ring_[middle])).dot(direction) > 0.0;
    best = is_rising ? wrapped(middle + 1) : best;
    count = is_rising ? count - half - 1 : half;
  }
  double height = plane_vector(ring_[best]).dot(direction);
  while (true) {
    const double value = plane_vector(ring_[best + 1]).dot(direction);
    if (!(value > height)) return best;
    best = next(best);
    height = value;
  }
}

inline Outline::Index Outline::climb(const Vector2d& direction, Index start) const {
  Index best = start;
  double height = corner(best).dot(direction);
  const auto go = [&](auto step) {
    bool moved = false;
    while (true) {
      const Index candidate = step(best);
      const double value = corner(candidate).dot(direction);
      if (!(value > height)) return moved;
      best = candidate;
      height = value;
      moved = true;
    }
  };
  if (!go([this](Index i) { return next(i); })) go([this](Index i) { return previous(i); });
  return best;
}

inline Outline::Index Outline::scan(const Vector2d& direction) const {
  const Vector2d* block = ring_;
  Index best = 0;
  double height = block[0].dot(direction);
  for (Index first = 0; first < size_; first += 4, block += 4) {
    const double h0 = block[0].dot(direction);
    const double h1 = block[1].dot(direction);
    const double h2 = block[2].dot(direction);
    const double h3 = block[3].dot(direction);
    const Index low = static_cast<Index>(h1 > h0);
    const Index high = 2 + static_cast<Index>(h3 > h2);
    const double h01 = h1 > h0 ? h1 : h0;
    const double h23 = h3 > h2 ? h3 : h2;
    const double h = h23 > h01 ? h23 : h01;
    const Index found = first + (h23 > h01 ? high : low);
    best = h > height ? found : best;
    height = h > height ? h : height;
  }
  return best < size_ ? best : 0;
}

}  // namespace detail
}  // namespace abut::planar
