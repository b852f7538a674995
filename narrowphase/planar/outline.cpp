#include <abut/narrowphase/planar/outline.h>

#include <algorithm>
#include <utility>

namespace abut::planar::detail {

Outline::Outline(std::vector<Vector2d> corners) : corners_(std::move(corners)), center_(Vector2d::Zero()) {
  for (const Vector2d& corner : corners_) center_ += corner / static_cast<double>(corners_.size());
  for (const Vector2d& corner : corners_) reach_ = std::max(reach_, (corner - center_).norm());
  if (corners_.size() > 1) {
    for (Index i = 0; i < size(); ++i) {
      const Vector2d along = (corners_[next(i)] - corners_[i]).normalized();
      normals_.emplace_back(along.y(), -along.x());
    }
  }
  if (corners_.size() > 2) {
    inner_radius_ = reach_;
    for (Index i = 0; i < size(); ++i) {
      inner_radius_ = std::min(inner_radius_, normals_[i].dot(corners_[i] - center_));
    }
    inner_radius_ = std::max(inner_radius_, 0.0);
  }
  padded_ = corners_;
  while (padded_.size() % 4 != 0) padded_.push_back(corners_.front());
}

}  // namespace abut::planar::detail
