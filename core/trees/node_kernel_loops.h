// The tests of a node's children, written once for lanes of any width.
// Source: Gottschalk, Lin, Manocha, "OBBTree" (SIGGRAPH 1996), section 5, for the fifteen axes. Departures: axes that
// are products of two edges are not normalised; their lengths are at most one, so that a gap beyond the margin stays
// one.
#pragma once

#include <abut/core/trees/node_kernels.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace abut::detail {

/// @tparam L  Eight floats: add, sub, mul, abs, larger (the second where one is NaN), root, select_positive, load,
///            store, all and `above`, the mask of lanes where the first is larger.
template <class L>
struct NodeLoops {
  using F = typename L::Floats;

  static unsigned children(const BoxNode& node) { return (1U << node.count) - 1U; }

  struct Gaps {
    F offset[3];  // from the children's centres to the box's, along the node's axes
    F half[3];    // of the children
    F node[3];    // gaps along the node's axes
    F box[3];     // gaps along the box's axes

    [[gnu::always_inline]] Gaps(const BoxNode& boxes, const TurnedBox& turned) {
      const F one_half = L::all(0.5F);
      for (std::size_t k = 0; k < 3; ++k) {
        const F lower = L::load(boxes.lower[k]);
        const F upper = L::load(boxes.upper[k]);
        offset[k] = L::sub(L::all(turned.center[k]), L::mul(one_half, L::add(lower, upper)));
        half[k] = L::mul(one_half, L::sub(upper, lower));
        node[k] = L::sub(L::sub(L::abs(offset[k]), half[k]), L::all(turned.reach[k]));
      }
      for (std::size_t j = 0; j < 3; ++j) {
        F along = L::all(0.0F);
        F reach = L::all(turned.half[j]);
        for (std::size_t k = 0; k < 3; ++k) {
          const F axis = L::all(turned.axes[j][k]);
          along = L::add(along, L::mul(axis, offset[k]));
          reach = L::add(reach, L::mul(L::abs(axis), half[k]));
        }
        box[j] = L::sub(L::abs(along), reach);
      }
    }
  };

  static unsigned overlaps(const BoxNode& node, const TurnedBox& box, float margin, float* scores) {
    const Gaps gaps(node, box);
    const F limit = L::all(margin + box.pad);
    F face = L::all(-std::numeric_limits<float>::infinity());
    for (std::size_t k = 0; k < 3; ++k) {
      face = L::larger(gaps.node[k], face);
      face = L::larger(gaps.box[k], face);
    }
    L::store(scores, face);
    unsigned apart = L::above(face, limit);
    const unsigned all = children(node);
    if ((all & ~apart) == 0) return 0;
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t j1 = (j + 1) % 3;
      const std::size_t j2 = (j + 2) % 3;
      for (std::size_t k = 0; k < 3; ++k) {
        // e_k × axis j has no component along e_k; along the box's other two axes it has those of e_k along each other.
        const std::size_t k1 = (k + 1) % 3;
        const std::size_t k2 = (k + 2) % 3;
        const float u1 = -box.axes[j][k2];
        const float u2 = box.axes[j][k1];
        const float own = box.half[j1] * std::abs(box.axes[j2][k]) + box.half[j2] * std::abs(box.axes[j1][k]);
        const F along = L::abs(L::add(L::mul(L::all(u1), gaps.offset[k1]), L::mul(L::all(u2), gaps.offset[k2])));
        const F reach =
            L::add(L::mul(L::all(std::abs(u1)), gaps.half[k1]), L::mul(L::all(std::abs(u2)), gaps.half[k2]));
        apart |= L::above(L::sub(L::sub(along, reach), L::all(own)), limit);
      }
    }
    return all & ~apart;
  }

  static unsigned distances(const BoxNode& node, const TurnedBox& box, float limit, float* bounds) {
    const Gaps gaps(node, box);
    F face = L::all(-std::numeric_limits<float>::infinity());
    F outside_node = L::all(0.0F);
    F outside_box = L::all(0.0F);
    const F zero = L::all(0.0F);
    for (std::size_t k = 0; k < 3; ++k) {
      face = L::larger(gaps.node[k], face);
      face = L::larger(gaps.box[k], face);
      const F out_node = L::larger(gaps.node[k], zero);
      const F out_box = L::larger(gaps.box[k], zero);
      outside_node = L::add(outside_node, L::mul(out_node, out_node));
      outside_box = L::add(outside_box, L::mul(out_box, out_box));
    }
    // Both are 0 where the boxes overlap along all axes; else not below the largest gap but for rounding.
    const F outside = L::root(L::larger(outside_node, outside_box));
    const F bound = L::sub(L::select_positive(face, outside, face), L::all(box.pad));
    L::store(bounds, bound);
    return children(node) & ~L::above(bound, L::all(limit));
  }

  static unsigned heights(const BoxNode& node, const TurnedPlane& plane, float limit, float* bounds) {
    const F one_half = L::all(0.5F);
    F height = L::all(-plane.offset - plane.pad);
    for (std::size_t k = 0; k < 3; ++k) {
      const F lower = L::load(node.lower[k]);
      const F upper = L::load(node.upper[k]);
      const F along = L::mul(L::all(plane.normal[k]), L::mul(one_half, L::add(lower, upper)));
      const F reach = L::mul(L::all(std::abs(plane.normal[k])), L::mul(one_half, L::sub(upper, lower)));
      height = L::add(height, L::sub(along, reach));
    }
    // NaN, of an infinite box, becomes the lowest bound.
    height = L::larger(height, L::all(-std::numeric_limits<float>::infinity()));
    L::store(bounds, height);
    return children(node) & ~L::above(height, L::all(limit));
  }

  static constexpr NodeKernels kernels(const char* name) { return {name, &overlaps, &distances, &heights}; }
};

}  // namespace abut::detail
