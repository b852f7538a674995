// Outlines of a hull's faces, as contact patches lay them over other bodies. Faces that are one but for a slight bend,
// as noise in the last digits of a scan makes them or a fine mesh of a bulge, have a common outline; and none has more
// corners than a patch can hold.
#pragma once

#include <abut/core/shapes/hull_exit.h>
#include <abut/core/shapes/hull_faces.h>
#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

class HullOutlines {
 public:
  using Index = HullFaces::Index;

  /// Corners of an outline; where there are more, those are left out without which it loses least area.
  static constexpr std::size_t kMostCorners = 32;
  /// The planes of so many faces are kept for an outline.
  static constexpr std::size_t kMostPlanes = 16;
  /// Numbers of sides begin here, beyond those of the sides of faces.
  static constexpr Index kFirstSide = Index{1} << 28;

  struct Outline {
    std::array<Index, kMostCorners> vertices;  ///< Counter-clockwise seen from outside.
    Index corner_count;
    Index face;         ///< The largest of the faces, which names it.
    Index first_side;   ///< Numbers its sides; different for all outlines.
    bool is_bent;       ///< Of several faces: the surface within lies above the plane of the corners.
    Index first_plane;  ///< With the next, of a bent one: where planes() begin, and how many there are.
    Index plane_count;
    Vector3d normal;  ///< Unit, out of the hull; the mean of its faces.
  };

  /// Every face is its own outline.
  HullOutlines() = default;

  /// @param vertices  Metres.
  HullOutlines(std::span<const Vector3d> vertices, const HullFaces& faces);

  /// Common with other faces where there are such; nullptr: the face is its own outline.
  [[nodiscard]] const Outline* of(Index face) const { return find(common_, face); }
  /// Of the face alone.
  [[nodiscard]] const Outline* alone(Index face) const { return find(alone_, face); }
  /// Of a bent outline: the surface over it is the lowest of these. None where there are more than kMostPlanes.
  [[nodiscard]] std::span<const ExitPlane> planes(const Outline& outline) const {
    return std::span(planes_).subspan(outline.first_plane, outline.plane_count);
  }
  [[nodiscard]] std::span<const Outline> all() const { return outlines_; }

 private:
  static constexpr Index kOwn = static_cast<Index>(-1);

  [[nodiscard]] const Outline* find(const std::vector<Index>& number_of_face, Index face) const {
    if (number_of_face.empty() || number_of_face[face] == kOwn) return nullptr;
    return &outlines_[number_of_face[face]];
  }

  std::vector<Index> common_;  // places in the outlines; empty: all faces are their own
  std::vector<Index> alone_;
  std::vector<Outline> outlines_;
  std::vector<ExitPlane> planes_;  // of one outline after the other
};

}  // namespace abut::detail
