// The nodes of a tree of boxes, and walks over them for each instruction set that the processor may have.
//
// Interfaces are raw arrays and function pointers, since each set has a source file of its own (see sweep_kernels.h),
// and structures without constructors, which would be compiled for each set under one name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// Boxes of eight children, and who they are.
struct TreeNode {
  static constexpr std::size_t kWidth = 8;
  static constexpr std::uint32_t kLeaf = std::uint32_t{1} << 31;  ///< Set: the rest is an id; not set: a node.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};       ///< No child; its box is [infinity, -infinity].

  /// Which sides of the boxes.
  enum Side : std::uint32_t { kLower, kUpper };

  float side[2][3][kWidth];  ///< By Side and axis.
  std::uint32_t child[kWidth];
};

/// What the caller knows of each box, in one array by id. As much of it as a node has is fetched some time before the
/// box is shown.
struct TreeRecords {
  const char* first;     ///< Not null.
  std::size_t stride;    ///< Bytes from one to the next; 0: there are none, and `first` is anything.
  std::size_t patience;  ///< So many nodes are looked at, where there are some, before a box that is due is shown.
};

/// A ray, or the path of a box, for slab tests that never reject a box that is met. t counts in multiples of the
/// direction's largest component.
struct TreeRay {
  // The near side of a slab is met at (side - near_origin) * inverse: the lower side where the direction is positive.
  // Origins are rounded such that the near side is met too early and the far one too late.
  float near_origin[3];
  float far_origin[3];
  float inverse[3];
  TreeNode::Side near_side[3];  ///< The one that is met first.
  float limit;
  double scale;  ///< t of this struct over t of the caller.
  TreeRecords records;
};

/// A box whose neighbours are sought.
struct TreeBox {
  float lower[3];
  float upper[3];
  float limit_sq;  ///< Of the distance; below zero: nothing is sought any more.
  TreeRecords records;
};

/// Shows a box; returns the new limit, which counts where it is lower than the last.
using TreeCall = float (*)(void* user, std::uint32_t id);

/// Many questions, each a TreeRay or a TreeBox.
template <class Question>
struct TreeQuestions {
  std::size_t count;
  /// Makes the question of that index, just before its walk begins.
  void (*begin)(void* user, std::size_t index, Question& question);
  /// Shows it a box; returns its new limit, which counts where it is lower than the last.
  float (*show)(void* user, std::size_t index, const Question& question, std::uint32_t id);
  void* user;
};

/// One implementation.
struct TreeWalks {
  const char* name;
  /// Shows the boxes that may be met, nearer ones first within each node.
  void (*ray)(const TreeNode* nodes, const TreeRay& ray, TreeCall call, void* user);
  /// Shows the boxes that may be within the limit, likewise.
  void (*nearest)(const TreeNode* nodes, const TreeBox& box, TreeCall call, void* user);
  /// The same for many, a node or a box of each by turns: what one needs next comes from memory while others go on.
  void (*rays)(const TreeNode* nodes, const TreeQuestions<TreeRay>& rays);
  void (*nearest_of_each)(const TreeNode* nodes, const TreeQuestions<TreeBox>& boxes);
};

/// No way from the root is longer: the build sees to it.
inline constexpr std::size_t kMaxTreeDepth = 64;

/// Those that this processor can run, the plain one first and the fastest last. All show the same boxes in the same
/// order.
[[nodiscard]] std::span<const TreeWalks* const> all_tree_walks();
[[nodiscard]] inline const TreeWalks& best_tree_walks() {
  return *all_tree_walks().back();
}
[[nodiscard]] const TreeWalks& avx2_tree_walks();

}  // namespace abut::detail
