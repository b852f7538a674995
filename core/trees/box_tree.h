// A wide tree of boxes over any items (triangles, prisms, children of a compound).
//
// The boxes of a node lie along the axes of the tree, or along axes of the node's own: then they are oriented boxes at
// the price of one rotation a node. Sources: Wald, Benthin, Boulos, "Getting Rid of Packets" (2008) for wide nodes;
// Gottschalk, Lin, Manocha, "OBBTree" (SIGGRAPH 1996) for boxes along principal axes.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/trees/box_node.h>
#include <abut/core/trees/packed_triangle.h>
#include <abut/core/trees/tree_kind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace abut {

/// Immutable. Coordinates of nodes are (point - origin()) / unit(), turned by the inverse of the node's rotation and
/// rounded outwards.
class BoxTree {
 public:
  static constexpr std::size_t kWidth = BoxNode::kWidth;
  static constexpr std::uint32_t kLeaf = BoxNode::kLeaf;
  /// Marks the last item of a leaf in items(); the other bits are the item.
  static constexpr std::uint32_t kLast = std::uint32_t{1} << 31;
  static constexpr std::size_t kMaxLeafItems = 4;
  /// No tree has more levels of nodes; traversals may size their stacks by it.
  static constexpr std::size_t kMaxDepth = 32;

  using Node = BoxNode;

  /// Gives points of an item whose convex hull contains it, at most 8, in the frame of the boxes; returns how many, the
  /// same number for every item.
  using ItemPoints = std::function<std::size_t(std::uint32_t item, std::span<Vector3d, 8> points)>;

  BoxTree() = default;
  /// Built top down by the surface-area heuristic, in parallel; the tree does not depend on the number of threads.
  /// @param boxes   One an item, none empty, fewer than 2^31; infinite sides are allowed.
  /// @param points  Where given, nodes may turn their boxes; not asked for items with an infinite side.
  explicit BoxTree(std::span<const Aabb> boxes, const ItemPoints& points = nullptr);

  /// The same items and nodes with other boxes: for vertices that moved. Queries slow down as far as items that were
  /// neighbours drift apart.
  /// @param boxes, points  As for the constructor, as many boxes as there are items.
  [[nodiscard]] BoxTree refitted(std::span<const Aabb> boxes, const ItemPoints& points = nullptr) const;

  /// Makes packed_triangles(), which refitted() passes on. For items that are triangles.
  /// @param triangles  One an item: indices of vertices, below `vertex_count`; where that is more than
  ///                   PackedTriangle::kMaxVertices there are none.
  void pack(std::span<const std::array<std::uint32_t, 3>> triangles, std::size_t vertex_count);

  [[nodiscard]] bool is_empty() const { return nodes_.empty(); }
  /// nodes()[0] is the root; children lie behind their parents.
  [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
  /// Item ids in leaf order, the last of each leaf with kLast: but for that mark a permutation of 0 … n - 1.
  [[nodiscard]] std::span<const std::uint32_t> items() const {
    return items_ != nullptr ? std::span<const std::uint32_t>(*items_) : std::span<const std::uint32_t>();
  }
  /// The triangles of items(), in that order; empty unless pack() has made them.
  [[nodiscard]] std::span<const PackedTriangle> packed_triangles() const {
    return packed_ != nullptr ? std::span<const PackedTriangle>(*packed_) : std::span<const PackedTriangle>();
  }
  /// Box of everything, exactly; empty for an empty tree.
  [[nodiscard]] const Aabb& bounds() const { return bounds_; }
  /// Some node has axes of its own.
  [[nodiscard]] bool is_oriented() const { return is_oriented_; }
  /// Levels of nodes, 0 for an empty tree.
  [[nodiscard]] std::size_t depth() const { return depth_; }
  /// Body frame, metres.
  [[nodiscard]] const Vector3d& origin() const { return origin_; }
  /// Metres: 1, or another power of two where coordinates are too large or too small for floats.
  [[nodiscard]] double unit() const { return unit_; }
  /// Half the side of a cube about the origin, in units, that holds all finite boxes.
  [[nodiscard]] float reach() const { return reach_; }

  /// Bytes of nodes, items and packed triangles.
  [[nodiscard]] std::size_t memory() const;

  /// The box of a child in the body frame, rounded outwards; around its turned box where the node is turned.
  [[nodiscard]] Aabb child_box(const Node& node, std::size_t slot) const;

  /// Shows every item below the boxes that `enter(box)` accepts, depth first: `visit(item)`.
  template <class Enter, class Visit>
  void visit(Enter&& enter, Visit&& visit) const;

  /// Calls visit(item) for the items of a leaf.
  template <class Visit>
  void visit_leaf(std::uint32_t leaf, Visit&& visit) const {
    const std::uint32_t* item = items_->data() + (leaf & ~kLeaf);
    for (;; ++item) {
      visit(*item & ~kLast);
      if ((*item & kLast) != 0) return;
    }
  }

 private:
  friend class BoxTreeBuilder;

  void set_frame(std::span<const Aabb> boxes);
  void fit(std::span<const Aabb> boxes, const ItemPoints& points);

  std::vector<Node> nodes_;
  std::shared_ptr<const std::vector<std::uint32_t>> items_;
  std::shared_ptr<const std::vector<PackedTriangle>> packed_;
  Aabb bounds_;
  Vector3d origin_ = Vector3d::Zero();
  double unit_ = 1.0;
  float reach_ = 0.0F;
  std::size_t depth_ = 0;
  bool is_oriented_ = false;
};

template <class Enter, class Visit>
void BoxTree::visit(Enter&& enter, Visit&& visit) const {
  if (is_empty() || !enter(bounds_)) return;
  std::uint32_t stack[(kWidth - 1) * kMaxDepth + kWidth];
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const std::uint32_t reference = stack[--size];
    if ((reference & kLeaf) != 0) {
      visit_leaf(reference, visit);
      continue;
    }
    const Node& node = nodes_[reference];
    for (std::size_t slot = node.count; slot-- > 0;) {
      if (enter(child_box(node, slot))) stack[size++] = node.child[slot];
    }
  }
}

}  // namespace abut
