#include <abut/narrowphase/composite/walk_side.h>

#include <abut/core/infinity.h>
#include <abut/narrowphase/composite/leaves.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

float rounded_up(double value) {
  const auto nearest = static_cast<float>(value);
  return static_cast<double>(nearest) < value ? std::nextafter(nearest, kFloatInfinity) : nearest;
}

// A box along the core's own axes. Those of a triangle or a polygon would have to be found, and memory taken for it.
Obb box_of(const ConvexCore& core) {
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    box.lower[axis] = core.support(-Vector3d::Unit(axis))[axis];
    box.upper[axis] = core.support(Vector3d::Unit(axis))[axis];
  }
  return Obb::from_aabb(box);
}

}  // namespace

WalkSide::WalkSide(const Part& part) : part_(part) {
  Vector3d half = Vector3d::Constant(std::numeric_limits<double>::infinity());
  if (part.is_composite()) {
    tree_ = &tree_of(*part.shape());
    unit_ = tree_->unit();
    reach_ = tree_->reach();
    frame_ = Pose(tree_->origin());
    const Aabb& bounds = tree_->bounds();
    if (bounds.lower.allFinite() && bounds.upper.allFinite()) {
      // The origin is the centre of the bounds, but for rounding.
      half = (bounds.upper - tree_->origin()).cwiseMax(tree_->origin() - bounds.lower);
    }
  } else if (part.is_half_space()) {
    return;
  } else {
    Obb box;
    if (part.kind() == kPartKind<ConvexHull>) {
      box = obb(*part.shape());  // kept by the hull, with its margin
    } else {
      const ConvexCore core = part.core();
      box = box_of(core);
      radius_ = core.radius();
    }
    frame_ = Pose::from_matrix(box.center, box.axes);
    half = box.half_extents;
    const double largest = half.maxCoeff() + radius_;
    if (largest > 0.0 && !(largest > 1e-10 && largest < 1e10)) {
      unit_ = std::ldexp(1.0, std::max(std::ilogb(largest), std::numeric_limits<double>::min_exponent));
    }
    reach_ = rounded_up(largest / unit_);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    whole_.center[k] = 0.0F;
    whole_.half[k] = rounded_up(half[static_cast<Eigen::Index>(k)] / unit_ * (1.0 + 0x1p-40));
  }
}

}  // namespace abut::detail
