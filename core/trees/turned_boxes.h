// Nodes whose boxes lie along axes of their own.
#pragma once

#include <abut/core/trees/box_tree.h>

#include <span>

namespace abut::detail {

/// Turns the boxes of nodes to the principal axes of the points below, each node by itself, where that makes them
/// smaller by enough.
/// @param tree   That of the nodes; its frame and items are read.
/// @param nodes  All of the tree's, with their boxes along its axes; what lies below a node follows it, child by child.
/// @param boxes, points  As for the tree's constructor.
/// @param slack  By how much coordinates in the tree's frame are rounded, in its units.
/// @return Whether some node was turned.
bool turn_nodes(const BoxTree& tree, std::span<BoxNode> nodes, std::span<const Aabb> boxes,
                const BoxTree::ItemPoints& points, double slack);

}  // namespace abut::detail
