// The expanding polytope's own geometry: a closed triangulated surface that grows by points, in fixed memory.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>

#include <array>
#include <cstdint>

namespace abut::detail {

/// Every face knows its three neighbours; expansion removes the faces that a new point sees and closes the hole with a
/// fan. About 60 kB: meant for the stack.
class Polytope {
 public:
  static constexpr int kMaxVertices = 264;
  static constexpr int kMaxFaces = 2 * kMaxVertices;

  struct Face {
    std::array<std::int16_t, 3> vertex;     // counter-clockwise seen from outside
    std::array<std::int16_t, 3> neighbour;  // across the edge from vertex[i] to vertex[i + 1]
    Vector3d normal;                        // unit, outwards; zero for a face without area
  };

  /// Four corners of a tetrahedron with volume, in any order.
  explicit Polytope(const std::array<DifferencePoint, 4>& corners);

  [[nodiscard]] const Face& face(int index) const { return faces_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const DifferencePoint& vertex(int index) const { return vertices_[static_cast<std::size_t>(index)]; }
  /// Signed distance of the face's plane from the origin; infinity for faces without area, retired or removed ones.
  [[nodiscard]] double offset(int index) const { return offsets_[static_cast<std::size_t>(index)]; }

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
  void retire(int index) { offsets_[static_cast<std::size_t>(index)] = kNoOffset; }

  [[nodiscard]] bool has_vertex(const Vector3d& difference) const;

  /// Adds a point that lies outside of face `seen`. @return False when memory is used up or rounding leaves no simple
  /// horizon; the polytope is then as before.
  bool expand(int seen, const DifferencePoint& point);

 private:
  static constexpr double kNoOffset = 1e300;

  int new_face(int i, int j, int k);
  [[nodiscard]] bool sees(const Vector3d& point, int face) const;

  std::array<DifferencePoint, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<double, kMaxFaces> offsets_;
  std::array<bool, kMaxFaces> alive_;
  std::array<std::int16_t, kMaxFaces> free_faces_;
  int vertex_count_ = 0;
  int face_count_ = 0;  // faces_ in use, alive or free
  int free_count_ = 0;
  double rounding_ = 0.0;  // heights below this are rounding, metres
};

}  // namespace abut::detail
