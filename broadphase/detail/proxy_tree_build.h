// The nodes of a ProxyTree over boxes that are given: one thread splits what is large, tasks make the branches below.
// Sources: those of item_bins.h for the splits and of wide_collapse.h for the choice of nodes among them.
#pragma once

#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/proxy_tree_walk.h>
#include <abut/core/large_arrays.h>
#include <abut/core/trees/item_box.h>
#include <abut/core/trees/small_item_ranges.h>
#include <abut/core/trees/wide_collapse.h>
#include <tbb/enumerable_thread_specific.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::detail {

/// Boxes and who they are, in the same order.
struct TreeItems {
  std::vector<ItemBox> boxes;
  std::vector<std::uint32_t> ids;

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ids.size()); }
  void clear() {
    boxes.clear();
    ids.clear();
  }
  void reserve(std::size_t count) {
    boxes.reserve(count);
    ids.reserve(count);
  }
  void add(const std::array<float, 3>& lower, const std::array<float, 3>& upper, std::uint32_t id) {
    boxes.push_back({Float4::of(lower[0], lower[1], lower[2], 0.0F), Float4::of(upper[0], upper[1], upper[2], 0.0F)});
    ids.push_back(id);
  }
  /// Bytes held.
  [[nodiscard]] std::size_t memory() const { return memory_of(boxes) + memory_of(ids); }
};

/// Keeps its memory from one tree to the next.
class ProxyTreeBuild {
 public:
  /// Runs in the caller's TBB arena; the same nodes for any number of threads.
  /// @param items  Not none, within ProxyTree::kReach. What is left of them is in no order.
  /// @param nodes  Its content is replaced; the root comes first. Of the items that are children of a node, those of
  ///               lower ids have lower lanes.
  void run(TreeItems& items, LargeVector<TreeNode>& nodes);

  /// Bytes held.
  [[nodiscard]] std::size_t memory() const;

 private:
  /// A part of the tree that one task makes.
  struct Branch {
    ItemRange range;
    std::size_t parent = 0;
    std::size_t lane = 0;
    std::vector<TreeNode> nodes;
  };
  /// What one thread needs for a branch.
  struct Room {
    SmallItemRanges ranges;
    std::vector<BinaryNode> tree;
    std::vector<Float4Box> boxes;  // of the nodes of the binary tree
    WideCollapse<TreeNode::kWidth> collapse;
    float least_area = 0.0F;  // added to that of every node

    void bisect(const ItemRange& range, std::size_t levels);
    std::uint32_t append(std::uint32_t root, const TreeItems& items, std::vector<TreeNode>& nodes) const;
  };

  [[nodiscard]] ItemRange::Halves split(TreeItems& items, const ItemRange& range, bool must_halve);
  void append_large(TreeItems& items, const ItemRange& range, std::size_t level, LargeVector<TreeNode>& nodes);
  void add_branch(const ItemRange& range, std::size_t parent, std::size_t lane);

  std::vector<Branch> branches_;
  std::size_t branch_count_ = 0;
  tbb::enumerable_thread_specific<Room> rooms_;
  std::vector<std::uint32_t> misplaced_;  // positions, for those of a range from its own first
};

}  // namespace abut::detail
