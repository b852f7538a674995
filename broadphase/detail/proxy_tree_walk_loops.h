// The walks of proxy_tree_walk.h over a type Lanes that tests the eight children of a node. Included by one source file
// for each instruction set, in which Lanes is local.
#pragma once

#include <abut/broadphase/detail/proxy_tree_walk.h>
#include <abut/core/prefetch.h>

namespace abut::detail {

/// Every difference and product is off by 2^-24 at most; a few of them are put right by this.
inline constexpr float kTreeSlack = 4.0e-7F;

/// The last bits of the key of a child that waits: they give way to its lane, so that no two of a node are equal.
inline constexpr std::uint32_t kTreeLaneBits = TreeNode::kWidth - 1;

/// What Lanes says of a node's children, one by one.
struct TreeAnswer {
  unsigned mask;  ///< Those that count, a bit each.
  float keys[TreeNode::kWidth];
};

/// Lanes has, each with the children that count and their keys:
///   meet(node, ray, limit)      keys: where they are entered
///   approach(node, box, limit)  keys: squared distances
/// and, for what these return,
///   answer(children)             as TreeAnswer
///   push(node, children, stack)  as below, where it does so faster
template <class Lanes>
struct TreeWalkLoops {
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
  static constexpr std::size_t kStack = TreeNode::kWidth * (kMaxTreeDepth + 1);

  // All functions are members, since those of one instruction set must not stand in for those of another.

  // A child that waits: its key above and the child below, so that the nearer one is the smaller number.
  static std::uint64_t entry(float key, std::size_t lane, std::uint32_t child) {
    const std::uint32_t bits =
        (__builtin_bit_cast(std::uint32_t, key) & ~kTreeLaneBits) | static_cast<std::uint32_t>(lane);
    return std::uint64_t{bits} << 32 | child;
  }
  /// No larger than the child's.
  static float key_of(std::uint64_t entry) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(entry >> 32) & ~kTreeLaneBits);
  }
  static std::uint32_t child_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }

  /// Puts the children that count on a stack, the nearest on top; returns how many. Eight places may be
  /// written to, whatever their number.
  template <class Children>
  static std::size_t push(const TreeNode& node, const Children& children, std::uint64_t* stack) {
    if constexpr (requires { Lanes::push(node, children, stack); }) {
      return Lanes::push(node, children, stack);
    } else {
      const TreeAnswer answer = Lanes::answer(children);
      std::size_t size = 0;
      for (unsigned mask = answer.mask; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(mask));
        if (node.child[lane] == TreeNode::kNone) continue;
        const std::uint64_t next = entry(answer.keys[lane], lane, node.child[lane]);
        std::size_t at = size++;
        for (; at > 0 && stack[at - 1] < next; --at) stack[at] = stack[at - 1];
        stack[at] = next;
      }
      return size;
    }
  }

  /// A node, or as much of a box's record.
  static void fetch(const TreeNode* nodes, const TreeRecords& records, std::uint32_t child) {
    constexpr std::size_t kLine = 64;
    const bool is_leaf = (child & TreeNode::kLeaf) != 0;
    const std::size_t stride = is_leaf ? records.stride : sizeof(TreeNode);
    const char* const first = is_leaf ? records.first : reinterpret_cast<const char*>(nodes);
    const char* const place = first + (child & ~TreeNode::kLeaf) * stride;
    for (std::size_t done = 0; done < sizeof(TreeNode); done += kLine) prefetch(place + done);
  }

  static auto test(const TreeNode& node, const TreeRay& ray, float limit) { return Lanes::meet(node, ray, limit); }
  static auto test(const TreeNode& node, const TreeBox& box, float limit) { return Lanes::approach(node, box, limit); }
  static float limit_of(const TreeRay& ray) { return ray.limit; }
  static float limit_of(const TreeBox& box) { return box.limit_sq; }

  /// A box is shown a few nodes late, while what is known of it comes from memory. The same boxes are shown in the same
  /// order, but for some beyond the limit by roundings; nodes beyond it may be looked at in vain.
  template <class Question>
  static void walk(const TreeNode* nodes, const Question& question, TreeCall call, void* user) {
    std::uint64_t stack[kStack];
    std::size_t size = 0;
    float limit = limit_of(question);
    std::uint64_t due = kNothing;  // a box that is to be shown
    std::size_t patience = 0;
    const auto show_due = [&] {
      const float answer = call(user, child_of(due) & ~TreeNode::kLeaf);
      limit = answer < limit ? answer : limit;
      due = kNothing;
    };
    std::uint64_t next = 0;  // the root
    for (;;) {
      if ((child_of(next) & TreeNode::kLeaf) != 0) {
        if (due != kNothing) show_due();
        if (key_of(next) <= limit) due = next;
        patience = question.records.patience;
        if (due != kNothing && patience == 0) show_due();
      } else {
        const TreeNode& node = nodes[child_of(next)];
        const TreeAnswer answer = Lanes::answer(test(node, question, limit));
        std::uint64_t nearest = kNothing;
        const std::size_t first = size;
        for (unsigned mask = answer.mask; mask != 0; mask &= mask - 1) {
          const auto lane = static_cast<std::size_t>(__builtin_ctz(mask));
          if (node.child[lane] == TreeNode::kNone) continue;
          fetch(nodes, question.records, node.child[lane]);
          // The nearest goes on at once, the others wait, the nearer on top.
          const std::uint64_t child = entry(answer.keys[lane], lane, node.child[lane]);
          const std::uint64_t farther = child < nearest ? nearest : child;
          nearest = child < nearest ? child : nearest;
          if (farther == kNothing) continue;
          std::size_t at = size++;
          for (; at > first && stack[at - 1] < farther; --at) stack[at] = stack[at - 1];
          stack[at] = farther;
        }
        if (due != kNothing && --patience == 0) show_due();
        next = nearest;
        if (next != kNothing && key_of(next) <= limit) continue;
      }
      do {
        if (size == 0) {
          if (due == kNothing) return;
          show_due();
          return;
        }
        next = stack[--size];
      } while (!(key_of(next) <= limit));
    }
  }

  /// One of several walks that take turns.
  template <class Question>
  struct Turns {
    Question question;
    float limit;
    std::size_t index;
    std::uint32_t child;
    std::size_t size;
    std::uint64_t stack[kStack];

    void begin(const TreeQuestions<Question>& questions, std::size_t at) {
      index = at;
      questions.begin(questions.user, index, question);
      limit = limit_of(question);
      child = 0;
      size = 0;
    }
    /// Looks at the child, which was fetched a turn ago (all but the root), and fetches the next; whether there is one.
    bool advance(const TreeNode* nodes, const TreeQuestions<Question>& questions) {
      if ((child & TreeNode::kLeaf) != 0) {
        const float answer = questions.show(questions.user, index, question, child & ~TreeNode::kLeaf);
        limit = answer < limit ? answer : limit;
      } else {
        size += push(nodes[child], test(nodes[child], question, limit), stack + size);
      }
      while (size > 0) {
        const std::uint64_t next = stack[--size];
        if (!(key_of(next) <= limit)) continue;
        child = child_of(next);
        fetch(nodes, question.records, child);
        return true;
      }
      return false;
    }
  };

  template <class Question>
  static void walk_by_turns(const TreeNode* nodes, const TreeQuestions<Question>& questions) {
    // So many that what one fetches is there when its turn comes.
    constexpr std::size_t kWalks = 8;
    Turns<Question> walks[kWalks];
    Turns<Question>* open[kWalks];
    std::size_t open_count = 0;
    std::size_t begun = 0;
    for (; open_count < kWalks && begun < questions.count; ++open_count) {
      open[open_count] = &walks[open_count];
      open[open_count]->begin(questions, begun++);
    }
    while (open_count > 0) {
      for (std::size_t k = 0; k < open_count;) {
        if (open[k]->advance(nodes, questions)) {
          ++k;
        } else if (begun < questions.count) {
          open[k]->begin(questions, begun++);
        } else {
          open[k] = open[--open_count];
        }
      }
    }
  }

  static void ray(const TreeNode* nodes, const TreeRay& ray, TreeCall call, void* user) {
    walk(nodes, ray, call, user);
  }
  static void nearest(const TreeNode* nodes, const TreeBox& box, TreeCall call, void* user) {
    walk(nodes, box, call, user);
  }
  static void rays(const TreeNode* nodes, const TreeQuestions<TreeRay>& rays) { walk_by_turns(nodes, rays); }
  static void nearest_of_each(const TreeNode* nodes, const TreeQuestions<TreeBox>& boxes) {
    walk_by_turns(nodes, boxes);
  }

  static constexpr TreeWalks walks(const char* name) { return {name, &ray, &nearest, &rays, &nearest_of_each}; }
};

}  // namespace abut::detail
