// One box or plane against the boxes of all children of a node, for each instruction set that the processor may
// have.
#pragma once

#include <abut/core/trees/box_node.h>

#include <cstddef>
#include <span>

namespace abut::detail {

// All lengths are floats in units of the node's tree, all coordinates along the node's axes. Infinite boxes are never
// excluded. Of a mask, bit i is child i.

/// A box of any orientation.
struct TurnedBox {
  float center[3];
  float half[3];     ///< Along its own axes; infinite for everything.
  float axes[3][3];  ///< axes[j]: its axis j.
  float reach[3];    ///< Half the sides of its box along the node's axes.
  /// What rounding may add to any gap; every test leaves that much room.
  float pad;

  /// Sets reach from half and axes.
  void set_reach() {
    for (std::size_t k = 0; k < 3; ++k) {
      reach[k] = 0.0F;
      for (std::size_t j = 0; j < 3; ++j) reach[k] += half[j] * (axes[j][k] < 0.0F ? -axes[j][k] : axes[j][k]);
    }
  }
};

/// The points x with normal·x <= offset, or beyond them by less than `pad`.
struct TurnedPlane {
  float normal[3];  ///< Unit.
  float offset;
  float pad;
};

/// One implementation.
struct NodeKernels {
  const char* name;

  /// Children that may come within `margin` of the box: not separated by more along any of fifteen axes.
  /// @param scores  Eight; the less, the deeper a child's box reaches into this one.
  unsigned (*overlaps)(const BoxNode& node, const TurnedBox& box, float margin, float* scores);
  /// Lower bounds on the signed distances of what the boxes hold (negative: minus a bound on the depth); exact for
  /// neither. @return The children whose bound is not above the limit.
  unsigned (*distances)(const BoxNode& node, const TurnedBox& box, float limit, float* bounds);
  /// The same against a half-space.
  unsigned (*heights)(const BoxNode& node, const TurnedPlane& plane, float limit, float* bounds);
};

/// Those that this processor can run, the plain one first and the fastest last. All give the same bits.
[[nodiscard]] std::span<const NodeKernels* const> all_node_kernels();
[[nodiscard]] const NodeKernels& best_node_kernels();

}  // namespace abut::detail
