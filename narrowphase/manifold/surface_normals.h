// The normals that a surface has at one of its triangles: of the face, of its edges where the surface is bent outwards,
// of its corners where they stick out.
//
// A triangle by itself has a normal for every direction. Of those the surface has only the ones that no neighbour
// exceeds: along an edge, the arc between the normals of both faces; at a corner, the directions in which it is the
// highest of all corners around it. Any other direction is led back to the nearest of an edge's arc, or to the face.
#pragma once

#include <abut/core/shapes/height_field.h>
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/narrowphase/manifold/open_triangles.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace abut::detail {

/// Directions that differ by less, radians, are one: a direction so near the normal of a face is that normal.
inline constexpr double kSameNormal = 1e-4;

/// The nearest normal of either side, as nearest_normal() gives it; zero: not known yet.
struct NormalsOfSides {
  Vector3d front = Vector3d::Zero();
  Vector3d back = Vector3d::Zero();
};

/// One triangle of a mesh, or prism of a height field, and what lies around it. Refers to a shape that outlives it; all
/// is in that shape's frame. Open edges and those of three and more triangles have all normals from front to back, but
/// where the surface runs on in a triangle that is not joined (look_among()).
class SurfaceLeaf {
 public:
  SurfaceLeaf(const TriangleMesh& mesh, std::uint32_t triangle);
  /// Of a solid: it has no back, and besides its upper surface the walls around it and its base have normals.
  SurfaceLeaf(const HeightField& field, std::uint32_t prism);

  /// Needles have no normal.
  [[nodiscard]] bool has_normal() const { return has_normal_; }
  /// Unit, of the front.
  [[nodiscard]] const Vector3d& normal() const { return normal_; }
  [[nodiscard]] const std::array<Vector3d, 3>& corners() const { return corners_; }
  /// A needle that other triangles cover: it adds nothing to the surface.
  [[nodiscard]] bool is_covered() const;

  /// The nearest normal of the surface at this leaf.
  /// @param direction  Unit, out of the surface. @param side  1: of the front; -1: of the back.
  /// @return Unit; `direction` itself where it is one. Without a normal of its own: `direction`.
  [[nodiscard]] Vector3d nearest_normal(const Vector3d& direction, double side);
  /// The same, looked up in what is known of this direction, and noted there.
  [[nodiscard]] const Vector3d& nearest_normal(const Vector3d& direction, double side, NormalsOfSides& known);

  /// Mean cosine of the angles between its face and those of its neighbours: 1 within flat ground, or with no neighbour.
  [[nodiscard]] double flatness();

  /// Triangles of the mesh among which to look for what lies beyond open edges and around corners at their ends: where
  /// vertices differ by rounding, or lie within the edges of other triangles (T-junctions), the mesh does not tell it.
  /// @param triangles  Those that have open edges themselves, by arrange(); may hold this one. Outlives this.
  void look_among(std::span<const OpenTriangle> triangles) { around_ = triangles; }

  /// Where the surface runs on across an edge.
  struct Onward {
    std::uint32_t triangle = 0;
    Vector3d normal = Vector3d::Zero();  ///< Of that triangle's side that is this one's front.
    double sense = 1.0;                  ///< -1: that is its back.
  };
  /// Across an open edge, among the triangles of look_among().
  /// @param at  Metres along the edge; near an end, a little beside it.
  [[nodiscard]] std::optional<Onward> beyond_gap(std::size_t edge, double at) const;

  /// From now on corners and edges that do not reach into a ball have no normals: nothing is met there. The first ball
  /// is that of the separation: corners at open edges have normals of their own within it alone, as around others may
  /// lie triangles that were not met.
  /// @param center  Frame of the shape. @param radius  Metres.
  void meet_within(const Vector3d& center, double radius) {
    if (std::isinf(met_radius_)) {
      touched_center_ = center;
      touched_radius_ = radius;
    }
    met_center_ = center;
    met_radius_ = radius;
  }

 private:
  struct Edge {
    Vector3d along;    ///< Unit.
    Vector3d outward;  ///< Unit, in the plane of the triangle.
    Vector3d beyond;   ///< Front normal of the neighbour.
    bool is_open = false;
    bool is_known = false;  ///< Else the edge has no length, or nothing beyond it tells a normal.
  };
  /// What lies around a corner.
  struct Fan {
    bool is_exceeded = false;            ///< Some corner around it is higher along the direction.
    bool is_open = false;                ///< It ends at open edges: what was not met may lie around it too.
    Vector3d normal = Vector3d::Zero();  ///< Of the front: the sum of the normals around it.
  };

  void set_face();
  [[nodiscard]] bool is_met(const Vector3d& point) const;
  /// Within the first ball, where the surface itself is met.
  [[nodiscard]] bool is_touched(const Vector3d& point) const {
    return (point - touched_center_).squaredNorm() <= touched_radius_ * touched_radius_;
  }
  [[nodiscard]] bool is_edge_met(std::size_t edge) const;
  void find_edges();
  void find_beyond(std::size_t edge);
  /// @param corner  The highest along the direction. @param side  As of nearest_normal().
  [[nodiscard]] Fan fan(std::size_t corner, const Vector3d& direction, double side);
  /// @param slack  Radians: a corner that is higher by less does not exceed it.
  [[nodiscard]] Fan mesh_fan(std::size_t corner, const Vector3d& direction, double slack) const;
  /// Metres: a triangle so near a point holds it.
  [[nodiscard]] double gap() const;
  [[nodiscard]] Fan field_fan(std::size_t corner, const Vector3d& direction) const;

  const TriangleMesh* mesh_ = nullptr;
  const HeightField* field_ = nullptr;
  std::uint32_t item_;
  std::array<Vector3d, 3> corners_;
  Vector3d normal_ = Vector3d::Zero();
  bool has_normal_ = false;
  bool has_edges_ = false;
  std::array<Edge, 3> edges_;
  std::span<const OpenTriangle> around_;
  Vector3d met_center_ = Vector3d::Zero();
  double met_radius_ = std::numeric_limits<double>::infinity();
  Vector3d touched_center_ = Vector3d::Zero();
  double touched_radius_ = std::numeric_limits<double>::infinity();
  Vector3d fan_direction_ = Vector3d::Zero();  ///< Of fan_, which was the last one looked at; zero: none was.
  Fan fan_;
};

}  // namespace abut::detail
