// The walks of proxy_tree_walk.h over a type Lanes that tests the eight children of a node. Included by one source file
// for each instruction set, in which Lanes is local.
#pragma once

#include <abut/broadphase/detail/proxy_tree_walk.h>

namespace abut::detail {

/// Every difference and product is off by 2^-24 at most; a few of them are put right by this.
inline constexpr float kTreeSlack = 4.0e-7F;

/// Lanes has, each with one bit a child and the keys of the children that count:
///   meet(node, ray, limit, keys)      keys: where they are entered
///   approach(node, box, limit, keys)  keys: squared distances
template <class Lanes>
struct TreeWalkLoops {
  struct Entry {
    std::uint32_t child;
    float key;
  };

  static void fetch(const TreeNode* nodes, const TreeRecords& records, std::uint32_t child) {
    constexpr std::size_t kLine = 64;
    const char* first = reinterpret_cast<const char*>(nodes + child);
    std::size_t size = sizeof(TreeNode);
    if ((child & TreeNode::kLeaf) != 0) {
      if (records.first == nullptr) return;
      first = records.first + (child & ~TreeNode::kLeaf) * records.stride;
      size = records.size;
    }
    for (std::size_t done = 0; done < size; done += kLine) __builtin_prefetch(first + done);
  }

  template <class Test>
  static void walk(const TreeNode* nodes, float limit, const TreeRecords& records, TreeCall call, void* user,
                   const Test& test) {
    Entry stack[(TreeNode::kWidth - 1) * kMaxTreeDepth + 1];
    std::size_t size = 1;
    stack[0] = {0, 0.0F};
    while (size > 0) {
      const Entry entry = stack[--size];
      if (!(entry.key <= limit)) continue;
      if ((entry.child & TreeNode::kLeaf) != 0) {
        const float answer = call(user, entry.child & ~TreeNode::kLeaf);
        limit = answer < limit ? answer : limit;
        continue;
      }
      const TreeNode& node = nodes[entry.child];
      float keys[TreeNode::kWidth];
      unsigned mask = test(node, limit, keys);
      const std::size_t begin = size;
      for (; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(mask));
        if (node.child[lane] == TreeNode::kNone) continue;
        // The nearest comes to lie on top; of equals the first.
        const Entry next = {node.child[lane], keys[lane]};
        fetch(nodes, records, next.child);
        std::size_t place = size++;
        for (; place > begin && stack[place - 1].key <= next.key; --place) stack[place] = stack[place - 1];
        stack[place] = next;
      }
    }
  }

  static void ray(const TreeNode* nodes, const TreeRay& ray, TreeCall call, void* user) {
    walk(nodes, ray.limit, ray.records, call, user,
         [&ray](const TreeNode& node, float limit, float* keys) { return Lanes::meet(node, ray, limit, keys); });
  }
  static void nearest(const TreeNode* nodes, const TreeBox& box, TreeCall call, void* user) {
    walk(nodes, box.limit_sq, box.records, call, user,
         [&box](const TreeNode& node, float limit, float* keys) { return Lanes::approach(node, box, limit, keys); });
  }

  static constexpr TreeWalks walks(const char* name) { return {name, &ray, &nearest}; }
};

}  // namespace abut::detail
