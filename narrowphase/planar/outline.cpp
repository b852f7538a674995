#include <abut/narrowphase/planar/outline.h>

#include <algorithm>
#include <numbers>

namespace abut::planar::detail {

Outline::Outline(std::span<const Vector2d> corners)
    : center_(Vector2d::Zero()), size_(static_cast<Index>(corners.size())) {
  points_.push_back(corners.back());
  points_.insert(points_.end(), corners.begin(), corners.end());
  do {
    points_.push_back(corners.front());
  } while ((points_.size() - 1) % 4 != 0);
  const std::size_t ring_size = points_.size();
  for (std::size_t i = 1; size_ > 1 && i <= size_; ++i) {
    const Vector2d along = (points_[i + 1] - points_[i]).normalized();
    points_.emplace_back(along.y(), -along.x());
  }
  ring_ = points_.data() + 1;
  normals_ = points_.data() + ring_size;

  for (const Vector2d& corner : corners) center_ += corner / static_cast<double>(size_);
  for (const Vector2d& corner : corners) reach_ = std::max(reach_, (corner - center_).norm());
  if (size_ > 2) {
    inner_radius_ = reach_;
    for (Index i = 0; i < size_; ++i) inner_radius_ = std::min(inner_radius_, normals_[i].dot(corner(i) - center_));
    inner_radius_ = std::max(inner_radius_, 0.0);
  }

  const double width = 2.0 * std::numbers::pi / static_cast<double>(sectors_.size());
  const auto direction_at = [](double angle) { return Vector2d(std::cos(angle), std::sin(angle)); };
  for (std::size_t i = 0; i < sectors_.size(); ++i) {
    const double begin = width * static_cast<double>(i);
    Sector& sector = sectors_[sector_of(plane_vector(direction_at(begin + 0.5 * width)))];
    sector.first = climb(direction_at(begin), 0);
    const Index last = climb(direction_at(begin + width), sector.first);
    sector.count = last >= sector.first ? last - sector.first : last + size_ - sector.first;
  }
}

}  // namespace abut::planar::detail
