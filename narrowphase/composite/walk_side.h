// One side of a walk over pairs: the tree of a composite, or a single part that stands for a tree of one leaf.
#pragma once

#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/part.h>

#include <array>
#include <cstdint>

namespace abut::detail {

/// Something with a box on one side: a child of a node, all of the tree, or the single part.
struct WalkRef {
  static constexpr std::uint8_t kWhole = BoxTree::kWidth;

  std::uint32_t node = 0;
  std::uint8_t slot = kWhole;  ///< Of the node, or kWhole.
};

/// Half a box and where it is, floats in the units and the frame of its side.
struct WalkBox {
  std::array<float, 3> center;
  std::array<float, 3> half;
};

/// A part with what its boxes are measured in: the tree's frame and unit, or those of the single part's own box. The
/// box of a rounded single part is that of its core, that of a sphere a point; hulls keep one with their margin.
class WalkSide {
 public:
  explicit WalkSide(const Part& part);

  [[nodiscard]] const Part& part() const { return part_; }
  /// Null: a single part.
  [[nodiscard]] const BoxTree* tree() const { return tree_; }
  /// body_from_side: the axes of the boxes, at the origin of their coordinates.
  [[nodiscard]] const Pose& frame() const { return frame_; }
  /// Metres.
  [[nodiscard]] double unit() const { return unit_; }
  /// By how much a single part is larger than what its box holds, metres; 0 of a tree.
  [[nodiscard]] double radius() const { return radius_; }
  /// No coordinate of what finite boxes hold is larger, in units, with the radius.
  [[nodiscard]] float reach() const { return reach_; }
  [[nodiscard]] bool is_plane() const { return tree_ == nullptr && part_.is_half_space(); }
  [[nodiscard]] bool is_oriented() const { return tree_ != nullptr && tree_->is_oriented(); }

  /// The single part, or a leaf of the tree.
  [[nodiscard]] bool is_leaf(WalkRef ref) const {
    return tree_ == nullptr || (ref.slot != WalkRef::kWhole && (child(ref) & BoxTree::kLeaf) != 0);
  }
  /// What a reference into the tree leads to: a node's index or a leaf.
  [[nodiscard]] std::uint32_t child(WalkRef ref) const {
    return ref.slot == WalkRef::kWhole ? 0 : tree_->nodes()[ref.node].child[ref.slot];
  }
  [[nodiscard]] const BoxTree::Node& node(WalkRef ref) const { return tree_->nodes()[child(ref)]; }

  /// Turned by the rotation of its node where that has one.
  [[nodiscard]] WalkBox box(WalkRef ref) const {
    if (ref.slot == WalkRef::kWhole) return whole_;
    const BoxTree::Node& node = tree_->nodes()[ref.node];
    WalkBox box;
    for (std::size_t k = 0; k < 3; ++k) {
      box.center[k] = 0.5F * (node.lower[k][ref.slot] + node.upper[k][ref.slot]);
      box.half[k] = 0.5F * (node.upper[k][ref.slot] - node.lower[k][ref.slot]);
    }
    return box;
  }
  /// Length of the box's sides together, metres: the larger of two is opened first.
  [[nodiscard]] double size(WalkRef ref) const {
    const WalkBox b = box(ref);
    return unit_ * static_cast<double>(b.half[0] + b.half[1] + b.half[2]);
  }

 private:
  Part part_;
  const BoxTree* tree_ = nullptr;
  Pose frame_;
  double unit_ = 1.0;
  double radius_ = 0.0;
  float reach_ = 0.0F;
  WalkBox whole_{};
};

}  // namespace abut::detail
