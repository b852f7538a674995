// A ray against the prisms of a height field.
//
// A ray that comes from outside enters by the ground, an outer wall or the base, never between two prisms. Those faces
// are one closed surface of triangles, and met as such (sheared_ray.h): at nodes, grid lines and diagonals, too, no ray
// passes between two prisms, and the normal is that of a face by which the ray enters.
#pragma once

#include <abut/core/shapes/height_field.h>
#include <abut/narrowphase/cast/ray_closed.h>
#include <abut/narrowphase/cast/scaled_ray.h>
#include <abut/narrowphase/cast/sheared_ray.h>

#include <array>
#include <cstdint>
#include <optional>

namespace abut::detail {

class FieldRay {
 public:
  /// @param field, ray  Must outlive this.
  FieldRay(const HeightField& field, const LocalRay& ray);

  /// Where the ray enters the field through faces of this prism, or t = 0 where it starts in the prism to rounding.
  [[nodiscard]] std::optional<ScaledHit> meet(std::uint32_t prism) const;

 private:
  using Corners = std::array<Vector3d, 3>;  // counter-clockwise, seen from outside
  struct Entry {
    ScaledHit hit;
    bool is_edge_on;  // the ray lies in the plane of the face
  };

  [[nodiscard]] bool starts_in(const HeightField::Prism& prism) const;
  void meet_walls(const HeightField::Prism& prism, std::uint32_t index, std::optional<Entry>& first) const;
  /// @param outward  The normal, any length.
  void meet_face(const Corners& corners, const Vector3d& outward, std::optional<Entry>& first) const;

  const HeightField& field_;
  const LocalRay& ray_;
  double rounding_;        // metres, of what is compared with the origin
  double outwards_ = 0.0;  // times TriangleMeeting::facing: > 0 where the ray leaves
  ShearedRay sheared_{};   // not of a zero direction
};

}  // namespace abut::detail
