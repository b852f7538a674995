// What a convex body that is asked about the leaves of a mesh or height field learns from one and uses for the next.
#pragma once

#include <abut/narrowphase/composite/leaf_pairs.h>
#include <abut/narrowphase/separate.h>

namespace abut::detail {

/// Knowledge that goes from one leaf of a tree to the next, where the other side is a convex single part: the last
/// separating direction. Leaves of meshes and height fields share the frame of their body, so that it fits them all.
class SinglePartMemory {
 public:
  explicit SinglePartMemory(PairWalk& walk) : walk_(walk) {
    const WalkSide& a = walk.side_a();
    const WalkSide& b = walk.side_b();
    if (a.tree() != nullptr && b.tree() != nullptr) return;
    is_single_a_ = a.tree() == nullptr;
    const WalkSide& single = is_single_a_ ? a : b;
    const WalkSide& tree = is_single_a_ ? b : a;
    is_used_ = single.part().is_convex() && tree.part().shape()->get_if<Compound>() == nullptr;
  }

  /// Null where leaves have frames of their own.
  [[nodiscard]] PairCache* cache() { return is_used_ ? &cache_ : nullptr; }

  /// Of a leaf pair that was found apart.
  void learn() {
    if (!is_used_ || !cache_.has_solution || cache_.normal_a == last_normal_) return;
    last_normal_ = cache_.normal_a;
    const Pose& a_from_b = walk_.a_from_b();
    if (is_single_a_) {
      walk_.add_plane(plane_of_single(walk_.side_a().part(), a_from_b.inverse(), a_from_b.unrotate(cache_.normal_a)));
    } else {
      walk_.add_plane(plane_of_single(walk_.side_b().part(), a_from_b, -cache_.normal_a));
    }
  }
  void forget() { cache_.has_solution = false; }

  /// Whether a plane already separates a leaf by more than `limit`.
  [[nodiscard]] bool separates(const Leaf& a, const Leaf& b, double limit) const {
    if (!is_used_ || walk_.planes().empty()) return false;
    const Part& leaf = is_single_a_ ? b.part : a.part;
    if (leaf.kind() == kPartKind<Triangle>) return is_beyond_planes(walk_, leaf.as<Triangle>().points(), limit);
    if (leaf.kind() == kPartKind<PointSet>) return is_beyond_planes(walk_, leaf.as<PointSet>().points(), limit);
    return false;
  }

 private:
  PairWalk& walk_;
  PairCache cache_;
  Vector3d last_normal_ = Vector3d::Zero();
  bool is_used_ = false;
  bool is_single_a_ = false;
};

}  // namespace abut::detail
