// A binary tree of axis-aligned boxes over any items (triangles, prisms, children of a compound).
#pragma once

#include <abut/core/aabb.h>

#include <cstdint>
#include <span>
#include <vector>

namespace abut {

/// Built once, top down. Flat arrays: the two children of an inner node lie side by side.
class AabbTree {
 public:
  struct Node {
    Aabb box;
    std::uint32_t first = 0;  ///< Leaf: first position in items(). Inner node: index of the left child; right is + 1.
    std::uint32_t count = 0;  ///< Leaf: number of items, >= 1. Inner node: 0.

    [[nodiscard]] bool is_leaf() const { return count != 0; }
  };

  AabbTree() = default;
  /// @param boxes  One an item, none empty; infinite boxes are allowed.
  explicit AabbTree(std::span<const Aabb> boxes);

  [[nodiscard]] bool is_empty() const { return nodes_.empty(); }
  /// nodes()[0] is the root.
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  /// Item ids in leaf order: a permutation of 0 … n - 1.
  [[nodiscard]] std::span<const std::uint32_t> items() const { return items_; }
  /// Box of everything; empty for an empty tree.
  [[nodiscard]] const Aabb& bounds() const { return bounds_; }
  /// Number of levels, the root's being 1; 0 for an empty tree. At most kMaxDepth.
  [[nodiscard]] int depth() const { return depth_; }

  /// Splits are made so that no tree is deeper; traversals may size their stacks by it.
  static constexpr int kMaxDepth = 64;

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> items_;
  Aabb bounds_;
  int depth_ = 0;
};

}  // namespace abut
