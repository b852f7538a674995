// The Minkowski difference D = A - B of two posed shapes as the papers' baselines see it: a support function in the
// world frame, which remembers its calls. Built on abut::support() alone, so that it shares nothing with the library's
// solvers.
#pragma once

#include <abut/core/obb.h>
#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <vector>

namespace abut::study {

class Minkowski {
 public:
  /// Both shapes must outlive it.
  Minkowski(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b)
      : a_(a), b_(b), world_from_a_(world_from_a), world_from_b_(world_from_b) {}

  /// S_D(d) of the papers: a point s of D with the least d·s (GJK++, eq. 8). World frame, metres.
  [[nodiscard]] Vector3d support(const Vector3d& d) {
    directions_.push_back(d);
    return world_from_a_ * abut::support(a_, world_from_a_.unrotate(-d)) -
           world_from_b_ * abut::support(b_, world_from_b_.unrotate(d));
  }

  /// Difference of the centres of the bounding boxes: x₀ of the papers.
  [[nodiscard]] Vector3d box_centers() const { return world_from_a_ * obb(a_).center - world_from_b_ * obb(b_).center; }
  /// Difference of the shapes' own centres, for hulls the means of their vertices: x₀ of the library.
  [[nodiscard]] Vector3d centers() const { return world_from_a_ * center(a_) - world_from_b_ * center(b_); }

  [[nodiscard]] int supports() const { return static_cast<int>(directions_.size()); }
  /// The d of all calls so far.
  [[nodiscard]] const std::vector<Vector3d>& directions() const { return directions_; }

 private:
  const Shape& a_;
  const Shape& b_;
  Pose world_from_a_;
  Pose world_from_b_;
  std::vector<Vector3d> directions_;
};

}  // namespace abut::study
