// Boxes in the world and the rounding of their ends.
#include <abut/world/detail/box_gap.h>
#include <abut/world/detail/scene_state.h>

#include <cmath>

namespace abut::detail {

Aabb wide_world_box(const Shape& shape, const Pose& world_from_body) {
  const Aabb box = world_box(shape, world_from_body);
  // The ends and the translation bound all that was added up. Ends without bound are exact.
  constexpr double kUnbounded = 1e300;
  double sum = world_from_body.translation().lpNorm<1>();
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    for (const double end : {std::abs(box.lower[axis]), std::abs(box.upper[axis])}) sum += end < kUnbounded ? end : 0.0;
  }
  return box.expanded(kGapRounding * sum);
}

}  // namespace abut::detail
