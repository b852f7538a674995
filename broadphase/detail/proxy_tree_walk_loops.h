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
  // A child that waits: its key above, which one it is below, so that the nearer is the smaller number; of equals the
  // boxes themselves come before the nodes.
  static std::uint64_t entry(float key, std::uint32_t child) {
    return std::uint64_t{__builtin_bit_cast(std::uint32_t, key)} << 32 | (child ^ TreeNode::kLeaf);
  }
  static float key_of(std::uint64_t entry) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(entry >> 32));
  }
  static std::uint32_t child_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry) ^ TreeNode::kLeaf; }

  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

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
    std::uint64_t stack[(TreeNode::kWidth - 1) * kMaxTreeDepth + 1];
    std::size_t size = 0;
    float keys[TreeNode::kWidth];
    std::uint32_t child = 0;
    for (;;) {
      if ((child & TreeNode::kLeaf) != 0) {
        const float answer = call(user, child & ~TreeNode::kLeaf);
        limit = answer < limit ? answer : limit;
      } else {
        const TreeNode& node = nodes[child];
        std::uint64_t nearest = kNothing;
        const std::size_t first = size;
        for (unsigned mask = test(node, limit, keys); mask != 0; mask &= mask - 1) {
          const auto lane = static_cast<std::size_t>(__builtin_ctz(mask));
          if (node.child[lane] == TreeNode::kNone) continue;
          fetch(nodes, records, node.child[lane]);
          // The nearest goes on at once, the others wait, the nearer on top.
          std::uint64_t next = entry(keys[lane], node.child[lane]);
          const std::uint64_t farther = next < nearest ? nearest : next;
          nearest = next < nearest ? next : nearest;
          next = farther;
          if (next == kNothing) continue;
          std::size_t at = size++;
          for (; at > first && stack[at - 1] < next; --at) stack[at] = stack[at - 1];
          stack[at] = next;
        }
        if (nearest != kNothing && key_of(nearest) <= limit) {
          child = child_of(nearest);
          continue;
        }
      }
      do {
        if (size == 0) return;
        --size;
      } while (!(key_of(stack[size]) <= limit));
      child = child_of(stack[size]);
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
