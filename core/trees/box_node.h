// A node of a wide box tree: the boxes of up to eight children as floats, a coordinate of all eight side by side, so
// that one box, plane or ray is tested against all of them at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace abut {

/// Four cache lines. See BoxTree for the coordinates.
struct alignas(64) BoxNode {
  static constexpr std::size_t kWidth = 8;
  /// Marks a child that is a leaf; the other bits are its first position in BoxTree::items().
  static constexpr std::uint32_t kLeaf = std::uint32_t{1} << 31;

  float lower[3][kWidth];  ///< Boxes of the children; a box with an infinite side is infinite on all.
  float upper[3][kWidth];
  std::uint32_t child[kWidth];  ///< Index of a node, larger than this one's, or kLeaf | position in items().
  float rotation[4];            ///< Quaternion x, y, z, w: tree_from_node, of unit length to rounding.
  std::uint32_t count;          ///< Children, 1 to 8; they come first.
  std::uint32_t first;          ///< The items below this node are items()[first ... end).
  std::uint32_t end;
  std::uint32_t is_turned;  ///< Not 0: rotation is another than that of the tree.
};

}  // namespace abut
