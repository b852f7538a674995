// Which nodes of a binary tree become the children of wide ones: those of the least expected cost.
// Source: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (HPG 2017),
// for the choice from the leaves up. Departure: a leaf may hold what several leaves of the binary tree hold.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// A node of a binary tree in pre-order: its left child, where it has children, is the next node.
struct BinaryNode {
  std::uint32_t begin;  ///< The items below are begin ... end - 1.
  std::uint32_t end;
  std::uint32_t right;  ///< Index of the right child; 0: a leaf.
  float half_area;      ///< Half the surface of its box, in any unit.

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

/// What a search pays, each times the area of the box that leads there.
struct CollapseCosts {
  float node;  ///< The boxes of a wide node.
  float leaf;  ///< Coming to a leaf,
  float item;  ///< and for each item in it.
};

/// The cheapest way to hang the items of a binary tree below wide nodes.
template <std::size_t kWidth>
class WideCollapse {
 public:
  /// Of no tree yet.
  WideCollapse() = default;
  /// As assign().
  WideCollapse(std::span<const BinaryNode> tree, std::uint32_t max_leaf_items, const CollapseCosts& costs) {
    assign(tree, max_leaf_items, costs);
  }

  /// Chooses for a tree, in the memory that there is.
  /// @param tree            Outlives this.
  /// @param max_leaf_items  What holds no more may be a leaf; the leaves of the tree hold no more.
  void assign(std::span<const BinaryNode> tree, std::uint32_t max_leaf_items, const CollapseCosts& costs) {
    tree_ = tree;
    choices_.resize(tree.size());
    cheapest_.resize(tree.size());
    for (std::size_t i = tree.size(); i-- > 0;) {
      const BinaryNode& node = tree[i];
      std::array<float, kWidth>& cost = cheapest_[i];
      Choice& choice = choices_[i];
      const float as_leaf = node.half_area * (costs.leaf + costs.item * static_cast<float>(node.size()));
      if (node.right == 0) {
        cost.fill(as_leaf);
        choice = {.left = {}, .is_leaf = true};
        continue;
      }
      const std::array<float, kWidth>& left = cheapest_[i + 1];
      const std::array<float, kWidth>& right = cheapest_[node.right];
      const std::size_t most = std::min<std::size_t>(kWidth, node.size());  // children
      for (std::size_t k = 1; k < most; ++k) {
        cost[k] = left[0] + right[k - 1];
        choice.left[k] = 1;
        for (std::size_t l = 1; l < k; ++l) {
          const float split = left[l] + right[k - 1 - l];
          choice.left[k] = split < cost[k] ? static_cast<std::uint8_t>(l + 1) : choice.left[k];
          cost[k] = split < cost[k] ? split : cost[k];
        }
      }
      cost[0] = node.half_area * costs.node + cost[most - 1];
      choice.left[0] = choice.left[most - 1];
      choice.is_leaf = node.size() <= max_leaf_items && as_leaf <= cost[0];
      if (choice.is_leaf) cost[0] = as_leaf;
      for (std::size_t k = 1; k < kWidth; ++k) {
        if (k < most && cost[k - 1] > cost[k]) continue;
        cost[k] = cost[k - 1];
        choice.left[k] = 0;
      }
    }
  }

  /// Whether a node that is somebody's child is a leaf.
  [[nodiscard]] bool is_leaf(std::uint32_t node) const { return choices_[node].is_leaf; }

  /// Of a wide node in place of a node of the binary tree that has children: two to kWidth, in the order of their
  /// items.
  /// @return How many.
  [[nodiscard]] std::size_t children_of(std::uint32_t node, std::span<std::uint32_t, kWidth> children) const {
    const std::size_t left = choices_[node].left[0];
    std::uint32_t* end = gather(node + 1, left, children.data());
    end = gather(tree_[node].right, kWidth - left, end);
    return static_cast<std::size_t>(end - children.data());
  }

  /// Bytes held.
  [[nodiscard]] std::size_t memory() const {
    return choices_.capacity() * sizeof(choices_[0]) + cheapest_.capacity() * sizeof(cheapest_[0]);
  }

 private:
  struct Choice {
    // [k]: how many of k + 1 trees are in the left child, 0: as for k trees. [0]: how many of a wide node's.
    std::array<std::uint8_t, kWidth> left;
    bool is_leaf;
  };

  /// The trees, `count` or fewer, in place of a node. @return Behind the last.
  std::uint32_t* gather(std::uint32_t node, std::size_t count, std::uint32_t* to) const {
    while (count > 1 && choices_[node].left[count - 1] == 0) --count;
    if (count == 1) {
      *to = node;
      return to + 1;
    }
    const std::size_t left = choices_[node].left[count - 1];
    return gather(tree_[node].right, count - left, gather(node + 1, left, to));
  }

  std::span<const BinaryNode> tree_;
  std::vector<Choice> choices_;
  std::vector<std::array<float, kWidth>> cheapest_;  // [k]: as k + 1 children of one node, or fewer
};

}  // namespace abut::detail
