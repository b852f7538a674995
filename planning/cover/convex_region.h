// A bounded convex region by the polygons of its surface, cut by half-spaces.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/pose.h>

#include <vector>

namespace abut::detail {

/// Built from a box by cuts; right to rounding, for regions of ordinary size.
class ConvexRegion {
 public:
  explicit ConvexRegion(const Aabb& box);

  /// Keeps the part where normal · x <= offset.
  /// @param normal  Any length but zero.
  void cut(const Vector3d& normal, double offset);

  [[nodiscard]] bool is_empty() const { return faces_.empty(); }
  /// Corners of the polygons; each corner of the region occurs in several.
  [[nodiscard]] const std::vector<std::vector<Vector3d>>& faces() const { return faces_; }
  /// The corners once more, each as often as polygons meet in it.
  [[nodiscard]] std::vector<Vector3d> corners() const;

 private:
  std::vector<std::vector<Vector3d>> faces_;
};

}  // namespace abut::detail
