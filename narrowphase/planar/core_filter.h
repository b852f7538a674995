// A filter in single precision before the exact answer of a pair: all sides of two cores are tried as separating lines,
// those of the fixed shape many at once.
//
// What it proves holds for the exact shapes: every bound leaves room for its rounding (`slack`), and what lies within
// that, or is not finite, is unsure. A moving shape is prepared once for all its poses, a fixed one once for all
// queries: corners and normals in world axes with the origin at the shape's centre, so that nothing but the difference
// of two centres depends on the place.
#pragma once

#include <abut/narrowphase/planar/planar_lanes.h>
#include <abut/narrowphase/planar/planar_shape.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::planar::detail {

enum class Verdict : std::uint8_t {
  apart,        ///< Farther apart than the limit.
  overlapping,  ///< The cores overlap, or come within the limit.
  unsure,
};

/// One register of corners and sides of a fixed core. What is left over repeats the first one.
struct alignas(sizeof(float) * kFloatLanes) SideBlock {
  std::array<float, kFloatLanes> normal_x;
  std::array<float, kFloatLanes> normal_y;
  std::array<float, kFloatLanes> offset;  ///< Of the side's line along the normal; not of a point, which has no sides.
  std::array<float, kFloatLanes> corner_x;
  std::array<float, kFloatLanes> corner_y;
};

/// Fixed cores with more corners are told by their discs alone: from there on climbing is the cheaper way.
inline constexpr std::size_t kMostFixedCorners = 64;
inline constexpr std::size_t kMostBlocks = kMostFixedCorners / kFloatLanes;
/// The same for the moving core, whose corners and sides are taken one by one.
inline constexpr std::size_t kMostMovingCorners = 8;

/// A shape at its place. Metres, world axes, about the centre of the core.
struct FixedCore {
  Vector2d center = Vector2d::Zero();  ///< In the world.
  double radius = 0.0;
  float reach = 0.0f;
  float inner_radius = 0.0f;
  float slack = 0.0f;
  std::uint32_t first_block = 0;
  std::uint32_t block_count = 0;  ///< 0: no sides are kept.
  bool is_point = false;
};

/// Blocks of one core, without allocation.
using SideBlocks = std::array<SideBlock, kMostBlocks>;

/// @param blocks  Its sides come here.
[[nodiscard]] FixedCore fixed_core(const Shape& shape, const Pose& world_from_shape, SideBlocks& blocks);
/// @param blocks  Its sides are appended here.
[[nodiscard]] FixedCore fixed_core(const Shape& shape, const Pose& world_from_shape, std::vector<SideBlock>& blocks);

/// A moving shape at one place: its discs, as above.
struct PlacedDiscs {
  Vector2d center = Vector2d::Zero();
  float reach = 0.0f;
  float inner_radius = 0.0f;
  float slack = 0.0f;
};

/// Its corners and sides.
struct PlacedSides {
  std::uint32_t size = 0;  ///< 0: none are kept.
  bool is_point = false;
  std::array<float, kMostMovingCorners> corner_x;
  std::array<float, kMostMovingCorners> corner_y;
  std::array<float, kMostMovingCorners> normal_x;
  std::array<float, kMostMovingCorners> normal_y;
  std::array<float, kMostMovingCorners> offset;
};

class MovingCore {
 public:
  explicit MovingCore(const Shape& shape);

  [[nodiscard]] float reach() const { return reach_; }
  [[nodiscard]] PlacedDiscs discs_at(const Pose& world_from_shape) const {
    const Pose& pose = world_from_shape;
    const double place = std::abs(pose.translation.x()) + std::abs(pose.translation.y()) + center_length_;
    // Written out: a sum of vectors loads what was just stored as two numbers, and waits for it.
    const double x = pose.cos * center_.x() - pose.sin * center_.y() + pose.translation.x();
    const double y = pose.sin * center_.x() + pose.cos * center_.y() + pose.translation.y();
    return {{x, y}, reach_, inner_radius_, slack_ + static_cast<float>(kPlaceSlack * place)};
  }
  [[nodiscard]] PlacedSides sides_at(const Pose& world_from_shape) const;
  /// Half the sides of a box about the centre that holds the core, metres; the slack has room for its rounding.
  [[nodiscard]] Vector2d half_extents_at(const Pose& world_from_shape) const {
    const double x =
        std::abs(world_from_shape.cos) * half_extents_.x() + std::abs(world_from_shape.sin) * half_extents_.y();
    const double y =
        std::abs(world_from_shape.sin) * half_extents_.x() + std::abs(world_from_shape.cos) * half_extents_.y();
    return {std::min(x, full_reach_), std::min(y, full_reach_)};
  }

  // Of the rounding of places in the world, relative to their coordinates.
  static constexpr double kPlaceSlack = 0x1p-49;

 private:
  Vector2d center_;
  double center_length_;
  double full_reach_;      // not clamped to the filter's range
  Vector2d half_extents_;  // in the shape's frame
  float reach_;
  float inner_radius_;
  float slack_;
  std::uint32_t size_ = 0;
  bool is_point_;
  std::array<Vector2d, kMostMovingCorners> corners_;  // about the centre
  std::array<Vector2d, kMostMovingCorners> normals_;
  std::array<float, kMostMovingCorners> offsets_;
};

/// Relative to the sizes and the limit: the filter's coordinates are rounded to 2^-24 of them, and a handful of such
/// roundings add up.
inline constexpr float kFilterSlack = 0x1p-19f;

/// The limit in single precision, not above its range; kFilterSlack has room for the rounding.
[[nodiscard]] inline float filter_limit(double limit) {
  return static_cast<float>(std::min(limit, 1e38));
}

/// Whether the cores come within a limit of each other, as their discs tell.
/// @param limit  Metres, >= 0: the radii, and what else is asked for.
[[nodiscard]] inline Verdict filter_discs(const PlacedDiscs& moving, const FixedCore& fixed, float limit) {
  const auto dx = static_cast<float>(moving.center.x() - fixed.center.x());
  const auto dy = static_cast<float>(moving.center.y() - fixed.center.y());
  const float slack = moving.slack + fixed.slack + kFilterSlack * limit;
  const float apart_sq = dx * dx + dy * dy;
  const float outside = moving.reach + fixed.reach + limit + slack;
  if (apart_sq > (1.0f + kFilterSlack) * (outside * outside)) return Verdict::apart;
  const float inside = moving.inner_radius + fixed.inner_radius + limit - slack;
  if (inside > 0.0f && apart_sq < (1.0f - kFilterSlack) * (inside * inside)) return Verdict::overlapping;
  return Verdict::unsure;
}

/// The same as their sides tell, where the discs do not.
/// @tparam kProvesOverlap  False: it says apart or unsure, and does less work.
/// @param blocks  Those of `fixed`.
template <bool kProvesOverlap = true>
[[nodiscard]] Verdict filter_sides(const PlacedDiscs& discs, const PlacedSides& moving, const FixedCore& fixed,
                                   const SideBlock* blocks, float limit) {
  using L = Lanes<kFloatLanes>;
  using Floats = L::Floats;
  const auto dx = static_cast<float>(discs.center.x() - fixed.center.x());
  const auto dy = static_cast<float>(discs.center.y() - fixed.center.y());
  const float slack = discs.slack + fixed.slack + kFilterSlack * limit;
  const float far = limit + slack;
  if (fixed.block_count == 0 || moving.size == 0) return Verdict::unsure;
  blocks += fixed.first_block;

  bool is_deep = kProvesOverlap && !(moving.is_point && fixed.is_point);
  if (!fixed.is_point) {
    std::uint32_t deep = L::kAll;
    for (std::uint32_t block = 0; block < fixed.block_count; ++block) {
      const Floats normal_x = L::load(blocks[block].normal_x.data());
      const Floats normal_y = L::load(blocks[block].normal_y.data());
      Floats low = normal_x * moving.corner_x[0] + normal_y * moving.corner_y[0];
      for (std::uint32_t k = 1; k < moving.size; ++k) {
        low = L::smaller(normal_x * moving.corner_x[k] + normal_y * moving.corner_y[k], low);
      }
      const Floats gap = low + (normal_x * dx + normal_y * dy) - L::load(blocks[block].offset.data());
      if (L::above(gap, L::broadcast(far)) != 0) return Verdict::apart;
      if constexpr (kProvesOverlap) deep &= L::above(L::broadcast(-slack), gap);
    }
    is_deep = is_deep && deep == L::kAll;
  }
  if (moving.is_point) return is_deep ? Verdict::overlapping : Verdict::unsure;
  for (std::uint32_t k = 0; k < moving.size; ++k) {
    const float normal_x = moving.normal_x[k];
    const float normal_y = moving.normal_y[k];
    const float base = moving.offset[k] + (normal_x * dx + normal_y * dy);
    std::uint32_t beyond = L::kAll;
    std::uint32_t deep = 0;
    for (std::uint32_t block = 0; block < fixed.block_count; ++block) {
      const Floats height =
          L::load(blocks[block].corner_x.data()) * normal_x + L::load(blocks[block].corner_y.data()) * normal_y;
      beyond &= L::above(height, L::broadcast(base + far));
      if constexpr (kProvesOverlap) deep |= L::above(L::broadcast(base - slack), height);
    }
    if (beyond == L::kAll) return Verdict::apart;
    is_deep = is_deep && deep != 0;
  }
  return is_deep ? Verdict::overlapping : Verdict::unsure;
}

}  // namespace abut::planar::detail
