#include <abut/narrowphase/planar/core_filter.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::planar::detail {
namespace {

// Single precision would overflow somewhere beyond: then the filter is never sure.
constexpr double kLargest = 1e12;  // metres
// Metres: below, floats are subnormal and no longer have a relative precision.
constexpr double kSmallest = 1e-30;

float slack_of(double size, const Vector2d& place, const Vector2d& center) {
  const double slack = static_cast<double>(kFilterSlack) * size +
                       MovingCore::kPlaceSlack * (place.lpNorm<1>() + center.lpNorm<1>()) + kSmallest;
  return size <= kLargest && slack <= kLargest ? static_cast<float>(slack) : std::numeric_limits<float>::infinity();
}

float to_float(double value) {
  return static_cast<float>(std::min(value, 2.0 * kLargest));
}

}  // namespace

FixedCore fixed_core(const Shape& shape, const Pose& world_from_shape, SideBlocks& blocks) {
  const Outline& outline = shape.outline();
  FixedCore core;
  core.center = world_from_shape * outline.center();
  core.radius = shape.radius();
  core.reach = to_float(outline.reach());
  core.inner_radius = to_float(outline.inner_radius());
  core.slack = slack_of(outline.reach(), world_from_shape.translation, outline.center());
  core.is_point = outline.size() == 1;
  if (outline.size() > kMostFixedCorners || !std::isfinite(core.slack)) return core;
  const std::size_t count = (outline.size() + kFloatLanes - 1) / kFloatLanes;
  core.block_count = static_cast<std::uint32_t>(count);
  for (std::size_t lane = 0; lane < count * kFloatLanes; ++lane) {
    SideBlock& block = blocks[lane / kFloatLanes];
    const std::size_t i = lane % kFloatLanes;
    const auto index = static_cast<Outline::Index>(lane < outline.size() ? lane : 0);
    const Vector2d about_center = outline.corner(index) - outline.center();
    const Vector2d corner = world_from_shape.rotate(about_center);
    block.corner_x[i] = static_cast<float>(corner.x());
    block.corner_y[i] = static_cast<float>(corner.y());
    const Vector2d outward = core.is_point ? Vector2d::Zero() : outline.normals()[index];
    const Vector2d normal = world_from_shape.rotate(outward);
    block.normal_x[i] = static_cast<float>(normal.x());
    block.normal_y[i] = static_cast<float>(normal.y());
    block.offset[i] = static_cast<float>(outward.dot(about_center));
  }
  return core;
}

FixedCore fixed_core(const Shape& shape, const Pose& world_from_shape, std::vector<SideBlock>& blocks) {
  SideBlocks own;
  FixedCore core = fixed_core(shape, world_from_shape, own);
  core.first_block = static_cast<std::uint32_t>(blocks.size());
  blocks.insert(blocks.end(), own.begin(), own.begin() + core.block_count);
  return core;
}

MovingCore::MovingCore(const Shape& shape)
    : center_(shape.outline().center()),
      center_length_(center_.lpNorm<1>()),
      full_reach_(shape.outline().reach()),
      half_extents_(Vector2d::Zero()),
      reach_(to_float(full_reach_)),
      inner_radius_(to_float(shape.outline().inner_radius())),
      slack_(slack_of(full_reach_, Vector2d::Zero(), Vector2d::Zero())),
      is_point_(shape.outline().size() == 1) {
  const Outline& outline = shape.outline();
  for (const Vector2d& corner : outline.corners())
    half_extents_ = half_extents_.cwiseMax((corner - center_).cwiseAbs());
  if (outline.size() > kMostMovingCorners || !std::isfinite(slack_)) return;
  size_ = outline.size();
  for (Outline::Index i = 0; i < size_; ++i) {
    corners_[i] = outline.corner(i) - center_;
    normals_[i] = is_point_ ? Vector2d::Zero() : outline.normals()[i];
    offsets_[i] = static_cast<float>(normals_[i].dot(corners_[i]));
  }
}

PlacedSides MovingCore::sides_at(const Pose& world_from_shape) const {
  PlacedSides sides;
  sides.size = size_;
  sides.is_point = is_point_;
  for (std::uint32_t i = 0; i < size_; ++i) {
    const Vector2d corner = world_from_shape.rotate(corners_[i]);
    sides.corner_x[i] = static_cast<float>(corner.x());
    sides.corner_y[i] = static_cast<float>(corner.y());
    const Vector2d normal = world_from_shape.rotate(normals_[i]);
    sides.normal_x[i] = static_cast<float>(normal.x());
    sides.normal_y[i] = static_cast<float>(normal.y());
    sides.offset[i] = offsets_[i];
  }
  return sides;
}

}  // namespace abut::planar::detail
