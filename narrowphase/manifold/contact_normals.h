// The normals of pairs of leaves: from what separates two leaves by themselves to what the surfaces that they belong to
// have there.
//
// Each connected piece of a mesh is met from one side, that of its deepest pair: walls that reach into a body from
// behind, as those of a box that stands in another one, are no contacts. What slips out sideways between two triangles
// is led back to the normal of the face (surface_normals.h).
//
// To another surface a closed mesh is a solid: it is met from outside, and what is seen from within it says nothing of
// the other. So the sides are right also where the two cross and the deepest pair is one that has gone through. An open
// surface is met from the side on which the middle of the solid lies that crosses it; where the deepest pair says
// otherwise, the two parts decide in which it cuts the solid (parted_solid.h). A convex body whose middle is outside a
// closed mesh meets it from outside, too; one whose middle is within may be in a room.
//
// Copies of a triangle that were met, wound either way, are one piece with it.
#pragma once

#include <abut/narrowphase/manifold/patch_leaf.h>

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <vector>

namespace abut::detail {

/// Cosine of the angle, 0.1 radians, by which a normal that a surface has may differ from that of a pair of leaves to
/// count as the same contact's.
inline constexpr double kCosSameContact = 0.995;

/// Cosine of the angle, 60 degrees, to which faces that have passed through each other look against each other: the
/// side walls of what reaches through say nothing.
inline constexpr double kCosMostTilt = 0.5;

/// A triangle of a mesh that some pair has met, and what its piece of surface is known by.
struct MetTriangle {
  const PatchLeaf* leaf;
  std::uint32_t piece = kNoPiece;
  double sense = 1.0;            ///< -1: its winding is the reverse of that of the piece's first triangle.
  std::uint32_t open_begin = 0;  ///< Those of its mesh in SideScratch::open_triangles.
  std::uint32_t open_end = 0;
  std::uint32_t copy_before = kNoPiece;  ///< The copies of it beside it, by place among those that were met: of any
  std::uint32_t copy_after = kNoPiece;   ///< number, each leads to the next.

  static constexpr std::uint32_t kNoPiece = ~std::uint32_t{0};
};

/// From where a piece of surface is met: the deepest pair on either side, in the sense of its first triangle.
struct SurfacePiece {
  double front = std::numeric_limits<double>::infinity();  ///< Metres: the least distance.
  double back = std::numeric_limits<double>::infinity();
  double solid_in_front = 0.0;  ///< Metres: how far in front of its triangles the middle of a solid lies that crosses
                                ///< them, summed.
  double side = 0.0;
  std::uint32_t pairs_begin = 0;  ///< Those that meet it in SideScratch::pairs_by_piece.
  std::uint32_t pairs_end = 0;

  void note(double found_side, double distance) {
    double& least = found_side > 0.0 ? front : back;
    least = std::min(least, distance);
  }
};

/// A triangle that was met, by where its corners are, in any order.
struct PlacedTriangle {
  std::uint64_t hash;
  std::uint32_t place;  ///< Among those that were met.

  friend auto operator<=>(const PlacedTriangle&, const PlacedTriangle&) = default;
};

/// What is known of one side.
struct SideScratch {
  explicit SideScratch(std::pmr::memory_resource* memory)
      : triangles(memory),
        open_triangles(memory),
        placed(memory),
        pieces(memory),
        pairs_by_piece(memory),
        piece_triangles(memory),
        open(memory) {}

  std::pmr::vector<MetTriangle> triangles;
  std::pmr::vector<OpenTriangle> open_triangles;  ///< Of each mesh together.
  std::pmr::vector<PlacedTriangle> placed;        ///< Of meshes that have copies of triangles.
  std::pmr::vector<SurfacePiece> pieces;
  std::pmr::vector<std::uint32_t> pairs_by_piece;  ///< Places of pairs, by leaves within a piece.
  std::pmr::vector<MetTriangle> piece_triangles;   ///< Of one piece.
  std::pmr::vector<std::uint32_t> open;
};

/// What a body is to the surface of the other.
struct MetBody {
  double outside = 0.0;  ///< 1: a closed mesh whose triangles run counterclockwise seen from outside, -1: clockwise; 0:
                         ///< no solid.
  double outward = 0.0;  ///< The same of a mesh that has a volume, if it is closed: to convex bodies, which may also be
                         ///< within.
  Vector3d middle = Vector3d::Zero();  ///< Of its volume, where it is a solid; frame of a.
};
using MetBodies = std::array<MetBody, 2>;

/// Fills PatchPair::normal and source.
/// @param pairs  All pairs of two bodies that are near, frame of a.
/// @param order  Their places, by leaves. @param slack  Metres: depths that differ by less are one.
void find_contact_normals(std::span<PatchPair> pairs, std::span<const std::uint32_t> order, const MetBodies& bodies,
                          double slack, std::array<SideScratch, 2>& scratch);

}  // namespace abut::detail
