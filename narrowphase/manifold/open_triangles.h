// Triangles with open edges, and which of them are near a point: gravel and grass are thousands of pieces of surface,
// each of which is looked for around the edges of all others.
//
// A balanced tree of boxes without pointers: the triangle in the middle of a range is its node, and knows the box of
// the whole range. Of few triangles all are looked at.
#pragma once

#include <abut/core/shapes/triangle_mesh.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// Ranges of no more triangles are not divided.
inline constexpr std::size_t kFewOpenTriangles = 16;

/// A triangle of a mesh that has open edges, its box, and the box of those that are arranged around it.
class OpenTriangle {
 public:
  OpenTriangle(const TriangleMesh& mesh, std::uint32_t triangle);

  [[nodiscard]] std::uint32_t item() const { return item_; }

 private:
  struct Box {
    Vector3d low;
    Vector3d high;

    /// Farther than `gap` from a point, metres.
    [[nodiscard]] bool is_far(const Vector3d& point, double gap) const {
      for (int i = 0; i < 3; ++i) {
        if (low[i] - point[i] > gap || point[i] - high[i] > gap) return true;
      }
      return false;
    }
  };

  friend void arrange(std::span<OpenTriangle> triangles);
  template <class Visit>
  friend bool visit_near(std::span<const OpenTriangle> arranged, const Vector3d& point, double gap, Visit&& visit);

  std::uint32_t item_;
  Box box_;
  Box range_;
};

/// Puts triangles in the order in which visit_near() finds them. It depends on where they lie, and on their numbers
/// where that is the same, not on the order they come in.
void arrange(std::span<OpenTriangle> triangles);

/// Shows visit(item) the triangles whose boxes are within a distance of a point, until it returns true.
/// @param arranged  By arrange(). @param gap  Metres.
/// @return That some visit did.
template <class Visit>
bool visit_near(std::span<const OpenTriangle> arranged, const Vector3d& point, double gap, Visit&& visit) {
  while (arranged.size() > kFewOpenTriangles) {
    const std::size_t middle = arranged.size() / 2;
    const OpenTriangle& triangle = arranged[middle];
    if (triangle.range_.is_far(point, gap)) return false;
    if (!triangle.box_.is_far(point, gap) && visit(triangle.item_)) return true;
    if (visit_near(arranged.first(middle), point, gap, visit)) return true;
    arranged = arranged.subspan(middle + 1);
  }
  for (const OpenTriangle& triangle : arranged) {
    if (!triangle.box_.is_far(point, gap) && visit(triangle.item_)) return true;
  }
  return false;
}

}  // namespace abut::detail
