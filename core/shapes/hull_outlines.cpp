// Thins the rings that have too many corners.
#include <abut/core/shapes/hull_outlines.h>
#include <abut/core/thinned_ring.h>

#include <algorithm>

namespace abut::detail {

HullOutlines::HullOutlines(std::span<const Vector3d> vertices, const HullFaces& faces) {
  std::vector<Vector3d> ring;
  for (Index face = 0; face < faces.size(); ++face) {
    const std::span<const Index> corners = faces.corners(face);
    if (corners.size() <= kMostCorners) continue;
    ring.clear();
    for (const Index vertex : corners) ring.push_back(vertices[vertex]);
    number_of_face_.resize(faces.size(), kOwn);
    number_of_face_[face] = static_cast<Index>(outlines_.size());
    Outline& outline = outlines_.emplace_back();
    outline.corner_count = 0;
    for (const std::uint32_t place : thinned_ring(ring, kMostCorners)) {
      outline.vertices[outline.corner_count++] = corners[place];
    }
    outline.face = face;
    outline.first_side = kFirstSide + static_cast<Index>(kMostCorners * (outlines_.size() - 1));
    outline.is_bent = false;
    outline.normal = faces.normal(face);
  }
}

}  // namespace abut::detail
