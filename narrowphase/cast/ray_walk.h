// The items of a tree of boxes that a ray meets, nearest first.
// Source: Ericson, Real-Time Collision Detection (2005), section 5.3.3 (slabs); the bound on rounding is Ize's, "Robust
// BVH Ray Traversal" (JCGT 2013).
#pragma once

#include <abut/core/trees/box_tree.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace abut::detail {

/// A ray prepared for many boxes, or the path of a box: of half extents `half` around the point on the ray.
class SlabTest {
 public:
  SlabTest(const Vector3d& origin, const Vector3d& direction, const Vector3d& half = Vector3d::Zero())
      : origin_(origin), inverse_(direction.cwiseInverse()), half_(half) {}

  /// Where the box is entered, never too late; infinity where that is not by `limit`. Infinite boxes are allowed.
  [[nodiscard]] double entry(const Aabb& box, double limit) const {
    double enter = 0.0;
    double leave = limit;
    for (int axis = 0; axis < 3; ++axis) {
      const double lower = box.lower[axis] - half_[axis] - origin_[axis];
      const double upper = box.upper[axis] + half_[axis] - origin_[axis];
      if (std::isinf(inverse_[axis])) {
        const double rounding = kRounding * (std::abs(origin_[axis]) + half_[axis]);
        if (lower > rounding || upper < -rounding) return std::numeric_limits<double>::infinity();
        continue;
      }
      const double at_lower = lower * inverse_[axis];
      const double at_upper = upper * inverse_[axis];
      enter = std::max(enter, std::min(at_lower, at_upper));
      leave = std::min(leave, std::max(at_lower, at_upper));
    }
    // Each number above is off by a few units in its last place.
    return enter * (1.0 - kRounding) <= leave * (1.0 + kRounding) ? enter * (1.0 - kRounding)
                                                                  : std::numeric_limits<double>::infinity();
  }

 private:
  static constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();

  Vector3d origin_;
  Vector3d inverse_;
  Vector3d half_;
};

/// Calls visit(item) for the items whose boxes may be met by `limit`, about in the order in which they are entered.
/// visit() returns the t beyond which nothing matters any more.
template <class Visit>
void walk_ray(const BoxTree& tree, const SlabTest& ray, double limit, const Visit& visit) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  struct Entry {
    std::uint32_t reference;
    double t;
  };
  std::array<Entry, (BoxTree::kWidth - 1) * BoxTree::kMaxDepth + BoxTree::kWidth> stack;
  std::size_t size = 0;
  if (tree.is_empty()) return;
  const double root = ray.entry(tree.bounds(), limit);
  if (root <= limit && root < kNever) stack[size++] = {0, root};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.t > limit) continue;
    if ((entry.reference & BoxTree::kLeaf) != 0) {
      tree.visit_leaf(entry.reference, [&](std::uint32_t item) { limit = std::min(limit, visit(item)); });
      continue;
    }
    const BoxTree::Node& node = tree.nodes()[entry.reference];
    const std::size_t first = size;
    for (std::size_t slot = node.count; slot-- > 0;) {
      const double t = ray.entry(tree.child_box(node, slot), limit);
      if (t < kNever) stack[size++] = {node.child[slot], t};
    }
    // The nearest last, so that it is next.
    std::sort(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.begin() + static_cast<std::ptrdiff_t>(size),
              [](const Entry& p, const Entry& q) { return p.t > q.t || (p.t == q.t && p.reference > q.reference); });
  }
}

}  // namespace abut::detail
