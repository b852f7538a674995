// The faces of a convex hull: triangles of one plane joined into convex polygons, and which faces meet in a vertex.
// Contact patches need them, for a box of twelve triangles rests on its six sides.
#pragma once

#include <abut/core/prefetch.h>
#include <abut/core/simd.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

using Eigen::Vector3d;

class HullFaces {
 public:
  using Index = std::uint32_t;

  /// Vertices this near to the plane of a triangle next to them lie on its face; a fraction of the hull's diameter. The
  /// accuracy of witness points, and what six digits in a mesh file leave of a plane.
  static constexpr double kFlatness = 1e-6;

  /// No faces: of a point or a segment.
  HullFaces() = default;

  /// @param vertices   Metres.
  /// @param triangles  Of the surface, counter-clockwise seen from outside; a flat hull has both sides.
  HullFaces(std::span<const Vector3d> vertices, std::span<const std::array<Index, 3>> triangles);

  [[nodiscard]] std::size_t size() const { return faces_.size(); }
  /// Vertices of a face, counter-clockwise seen from outside, no three on one line; at least three.
  [[nodiscard]] std::span<const Index> corners(Index face) const {
    return {corners_.data() + faces_[face].first_side, faces_[face].corner_count};
  }
  /// Where the corners of a face begin in the list of the corners of all faces: numbers all sides of all faces.
  [[nodiscard]] Index first_side(Index face) const { return faces_[face].first_side; }
  /// Unit, out of the hull.
  [[nodiscard]] const Vector3d& normal(Index face) const { return faces_[face].normal; }
  /// Faces that have a vertex on them, be it as a corner or between corners; ascending.
  [[nodiscard]] std::span<const Index> faces_at(Index vertex) const {
    return faces_at_begin_.empty() ? std::span<const Index>() : row(faces_at_begin_, faces_at_, vertex);
  }

  /// Fetches into the caches where faces_at() of a vertex begins.
  void prefetch_row(Index vertex) const {
    if (!faces_at_begin_.empty()) detail::prefetch(&faces_at_begin_[vertex]);
  }
  /// Fetches into the caches the normal of a face, and where its corners begin.
  void prefetch(Index face) const { detail::prefetch(&faces_[face]); }

  /// A face, and the cosine of its normal's angle from a direction.
  struct Turned {
    Index face = 0;
    double rise = -2.0;  ///< Below -1: there is none.
  };
  /// The face at a vertex that is turned most to a direction, the first of several. @param direction  Unit.
  [[nodiscard]] Turned most_turned(Index vertex, const Vector3d& direction) const {
    Turned best;
    for (const Index face : faces_at(vertex)) {
      const double rise = faces_[face].normal.dot(direction);
      best.face = static_cast<Index>(select(rise > best.rise, face, best.face));
      best.rise = std::max(best.rise, rise);
    }
    return best;
  }

 private:
  static std::span<const Index> row(const std::vector<Index>& begin, const std::vector<Index>& values, Index i) {
    return {values.data() + begin[i], begin[i + 1] - begin[i]};
  }

  // In one line of the cache.
  struct alignas(32) FaceRecord {
    Vector3d normal;
    Index first_side;
    Index corner_count;
  };

  std::vector<FaceRecord> faces_;
  std::vector<Index> corners_;         // of one face after the other
  std::vector<Index> faces_at_begin_;  // compressed rows, with the next
  std::vector<Index> faces_at_;
};

}  // namespace abut::detail
