// The expanding polytope's own geometry: a closed triangulated surface that grows by points, in fixed memory.
#pragma once

#include <abut/core/simd.h>
#include <abut/narrowphase/minkowski_difference.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// Faces lie in flat arrays and know no neighbours: the nearest face and those that a point sees are found by a sweep
/// over all planes, several at a time and without a branch, which costs less than a walk from face to face up to a
/// hundred faces. About 50 kB: meant for the stack.
class Polytope {
 public:
  static constexpr int kMaxVertices = 264;
  static constexpr int kMaxFaces = 2 * kMaxVertices;

  /// Vertices of an edge, in the order of the face that it belongs to.
  struct Edge {
    std::int16_t from;
    std::int16_t to;
  };

  /// Four corners of a tetrahedron with volume, in any order.
  explicit Polytope(const std::array<DifferencePoint, 4>& corners);

  [[nodiscard]] const DifferencePoint& vertex(int index) const { return vertices_[static_cast<std::size_t>(index)]; }
  /// Corners of a face, counter-clockwise seen from outside.
  [[nodiscard]] const std::array<std::int16_t, 3>& corners(int face) const { return corners_[at(face)]; }
  /// Unit, outwards; zero for a face without area.
  [[nodiscard]] Vector3d normal(int face) const {
    return {normal_x_[at(face)], normal_y_[at(face)], normal_z_[at(face)]};
  }
  /// Signed distance from the origin along the normal: no corner lies lower. kNoOffset for faces without area and
  /// retired ones.
  [[nodiscard]] double offset(int face) const { return rank_[at(face)]; }

  /// The face with the smallest offset, or -1 when none is left.
  [[nodiscard]] int nearest_face() const;
  /// Of a face and the faces coplanar with it (a facet is often several triangles): the one that comes nearest to the
  /// origin, with the weights of its nearest point. @param tolerance  How far apart coplanar planes may lie, metres.
  struct NearestPoint {
    int face = -1;
    std::array<double, 3> weight{};
  };
  [[nodiscard]] NearestPoint nearest_point(int face, double tolerance) const;

  /// No longer offered by nearest_face(); the surface stays closed.
  void retire(int face) { rank_[at(face)] = kNoOffset; }

  /// Adds a point that lies outside of some face. @return False when memory is used up, the point is a corner already,
  /// or rounding leaves no simple horizon; the polytope is then as before.
  bool expand(const DifferencePoint& point) { return grow(point) == Growth::done; }
  /// The same of any point. @return Whether it belongs to the polytope now.
  bool include(const DifferencePoint& point) {
    const Growth growth = grow(point);
    return growth == Growth::done || growth == Growth::needless;
  }

  static constexpr double kNoOffset = 1e300;

 private:
  static constexpr std::size_t kBlock = 2 * kSimdWidth;  // faces swept at a time
  using Registers = Simd<kSimdWidth>;

  enum class Growth : std::uint8_t {
    done,
    needless,  // the point lies outside of no face, or is a corner
    no_room,
    crossed,  // the faces that see the point have no simple horizon
  };
  Growth grow(const DifferencePoint& point);
  // By a point that sees the faces whose planes it lies above by more than `rounding`, metres.
  Growth grow_above(const DifferencePoint& point, double rounding);

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  int new_place();  // for one more face
  void set_face(int face, int i, int j, int k);
  void clear_face(int face);
  [[nodiscard]] bool is_loop(const Edge* horizon, int count) const;

  std::array<DifferencePoint, kMaxVertices> vertices_;
  // Planes, a face an element. Elements beyond the last face, up to a whole block, are seen by no point.
  alignas(64) std::array<double, kMaxFaces> normal_x_;
  alignas(64) std::array<double, kMaxFaces> normal_y_;
  alignas(64) std::array<double, kMaxFaces> normal_z_;
  alignas(64) std::array<double, kMaxFaces> plane_;  // offset along the normal
  alignas(64) std::array<double, kMaxFaces> rank_;   // of the lowest corner, unless the face is out of the race
  std::array<std::array<std::int16_t, 3>, kMaxFaces> corners_;
  int vertex_count_ = 0;
  int face_count_ = 0;
  double rounding_ = 0.0;  // heights below this are rounding, metres
};

static_assert(Polytope::kMaxFaces % (2 * kSimdWidth) == 0);

}  // namespace abut::detail
