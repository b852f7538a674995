// The core of a planar shape: the corners of a convex polygon, a segment or a point, and their support function.
//
// Along a polygon's boundary the support value rises to one top and falls again, so that from any corner the way up
// leads there (hill climbing, Zhang et al., section III). Comparing all corners without a branch is the alternative; it
// is slower already for four of them (bench_planar).
#pragma once

#include <Eigen/Core>

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

class Outline {
 public:
  using Index = std::uint32_t;

  /// @param corners  At least one; of a polygon counter-clockwise, no three on a line.
  explicit Outline(std::vector<Vector2d> corners);

  [[nodiscard]] std::span<const Vector2d> corners() const { return corners_; }
  [[nodiscard]] Index size() const { return static_cast<Index>(corners_.size()); }
  [[nodiscard]] const Vector2d& corner(Index i) const { return corners_[i]; }
  [[nodiscard]] Index next(Index i) const { return i + 1 < size() ? i + 1 : 0; }
  [[nodiscard]] Index previous(Index i) const { return i > 0 ? i - 1 : size() - 1; }

  /// Outward unit normals: side i goes from corner i to the next. A segment has two, a point none.
  [[nodiscard]] std::span<const Vector2d> normals() const { return normals_; }
  /// Mean of the corners.
  [[nodiscard]] const Vector2d& center() const { return center_; }
  /// Largest distance of a corner from the center, metres.
  [[nodiscard]] double reach() const { return reach_; }
  /// Radius of the largest disc about the center inside the polygon, metres; 0 for segments and points.
  [[nodiscard]] double inner_radius() const { return inner_radius_; }

  /// A corner farthest along `direction`. @param start  Where a climb starts: any corner; it changes the cost only.
  [[nodiscard]] Index support(const Vector2d& direction, Index start, SupportSearch search) const {
    return search == SupportSearch::climb ? climb(direction, start) : scan(direction);
  }

 private:
  [[nodiscard]] Index scan(const Vector2d& direction) const {
    const Vector2d* block = padded_.data();
    Index best = 0;
    double height = block[0].dot(direction);
    for (Index first = 0; first < size(); first += 4, block += 4) {
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
    return best;
  }
  [[nodiscard]] Index climb(const Vector2d& direction, Index start) const;

  std::vector<Vector2d> corners_;
  std::vector<Vector2d> normals_;
  std::vector<Vector2d> padded_;  // the corners, and the first one again up to a multiple of four
  Vector2d center_;
  double reach_ = 0.0;
  double inner_radius_ = 0.0;
};

inline Outline::Index Outline::climb(const Vector2d& direction, Index start) const {
  Index best = start;
  double height = corners_[best].dot(direction);
  const auto go = [&](auto step) {
    bool moved = false;
    while (true) {
      const Index candidate = step(best);
      const double value = corners_[candidate].dot(direction);
      if (!(value > height)) return moved;
      best = candidate;
      height = value;
      moved = true;
    }
  };
  if (!go([this](Index i) { return next(i); })) go([this](Index i) { return previous(i); });
  return best;
}

}  // namespace detail
}  // namespace abut::planar
