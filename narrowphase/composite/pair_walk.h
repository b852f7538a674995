// The walk over pairs of boxes of two sides, of which at least one is a tree.
//
// An entry is a box of either side. The larger of the two is opened: the other one, turned into the frame of the opened
// node, is tested against all of its children at once. The relative rotation is set up once a query; trees whose nodes
// have rotations of their own add those at each step. All is done in floats, with room for their rounding, so that a
// pair is left out only where it is proven to be of no interest.
#pragma once

#include <abut/core/assert.h>
#include <abut/core/trees/node_kernels.h>
#include <abut/narrowphase/composite/entry_queue.h>
#include <abut/narrowphase/composite/walk_side.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace abut::detail {

/// From the coordinates of one side to those of the other, in floats. Of an outer side without a tree, which is never
/// opened, nothing is set.
struct WalkMap {
  std::array<std::array<float, 3>, 3> rotation;  ///< Rows.
  std::array<float, 3> translation;              ///< In units of the map.
  double unit = 1.0;                             ///< Metres: the outer side's, or a larger one, see is_far.
  float scale = 1.0F;                            ///< The inner side's unit in the map's.
  float reach = 0.0F;                            ///< The outer side's, in units of the map.
  float pad = 0.0F;                              ///< Bound on the rounding of any gap, in units of the map.
  /// The inner side is so far away, or so large, that squares of its coordinates would overflow in the outer side's
  /// unit: unit is then a larger one, and the boxes of nodes have to be brought to it.
  bool is_far = false;

  WalkMap(const WalkSide& outer, const WalkSide& inner, const Pose& outer_body_from_inner_body);

  /// The node of the outer side in the map's unit.
  [[nodiscard]] BoxTree::Node brought(const WalkSide& outer, const BoxTree::Node& node) const;
};

/// A direction across which a convex single part is known: all of it lies at or below `offset`.
struct WalkPlane {
  Vector3d normal;  ///< Unit, frame of the tree's body.
  double offset;    ///< Metres.
};

class PairWalk {
 public:
  using Entry = WalkEntry;

  PairWalk(const Part& a, const Part& b, const Pose& a_from_b);

  [[nodiscard]] const WalkSide& side_a() const { return a_; }
  [[nodiscard]] const WalkSide& side_b() const { return b_; }
  [[nodiscard]] const Pose& a_from_b() const { return a_from_b_; }
  [[nodiscard]] const Pose& b_from_a() const { return b_from_a_; }

  /// Walks from one pair of boxes on. Visitor:
  ///   double limit() const             metres; pairs that are proven to be farther apart are left out
  ///   bool visit(const Entry& entry)   both are leaves; true ends the walk
  ///   bool opens(Entry& entry)         one is a leaf, the other is not: false leaves the entry out
  ///   bool is_done() const             asked after that: true ends the walk
  /// @tparam kOverlaps  Only whether pairs are within limit() matters, which is >= 0: the tests then use all axes, and
  ///                    the deepest pairs come first. Else the nearest come first.
  /// @return Whether a visit ended it.
  template <bool kOverlaps, class Visitor>
  bool run(Visitor& visitor, WalkRef start_a = {}, WalkRef start_b = {});

  /// One of the sides is convex and single: boxes of the other one are also tested against these planes.
  void add_plane(const WalkPlane& plane) {
    planes_[next_plane_] = plane;
    next_plane_ = (next_plane_ + 1) % planes_.size();
    plane_count_ = std::min(plane_count_ + 1, planes_.size());
  }
  [[nodiscard]] std::span<const WalkPlane> planes() const { return {planes_.data(), plane_count_}; }
  void clear_planes() { plane_count_ = next_plane_ = 0; }

 private:
  static constexpr std::size_t kMaxPlanes = 3;

  static TurnedBox turned(const WalkSide& side, WalkRef ref, const WalkMap& map, const BoxTree::Node& node);
  static TurnedPlane turned(const WalkPlane& plane, const WalkSide& into, const WalkMap& map,
                            const BoxTree::Node& node);

  template <bool kOverlaps, class Visitor>
  bool run_depth_first(Visitor& visitor, const Entry& start);
  template <class Visitor>
  bool run_nearest_first(Visitor& visitor, const Entry& start);

  /// Writes the children of an entry's larger box that may be of interest, each with the other box, the nearest last.
  /// @param children  Room for BoxTree::kWidth. @return How many.
  template <bool kOverlaps>
  std::size_t open(const Entry& entry, double limit, WalkPlace* children) const;
  template <bool kOverlaps>
  unsigned test(const WalkSide& opened, const BoxTree::Node& node, const WalkSide& other, WalkRef other_ref,
                const WalkMap& opened_from_other, double limit, float* bounds) const;

  /// The same where the map is one of far sides. Not within open(), which its copy of the node would make slower.
  template <bool kOverlaps>
  [[gnu::noinline, gnu::cold]] unsigned test_far(const Entry& entry, bool opens_a, const BoxTree::Node& node,
                                                 double limit, float* bounds) const {
    return opens_a ? test<kOverlaps>(a_, map_a_from_b_.brought(a_, node), b_, entry.b, map_a_from_b_, limit, bounds)
                   : test<kOverlaps>(b_, map_b_from_a_.brought(b_, node), a_, entry.a, map_b_from_a_, limit, bounds);
  }

  static float rounded_up(double value) {
    const auto nearest = static_cast<float>(value);
    return static_cast<double>(nearest) < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
                                                : nearest;
  }

  WalkSide a_;
  WalkSide b_;
  Pose a_from_b_;
  Pose b_from_a_;
  WalkMap map_a_from_b_;
  WalkMap map_b_from_a_;
  WalkPlane plane_of_half_space_{Vector3d::UnitX(), 0.0};
  std::array<WalkPlane, kMaxPlanes> planes_;
  std::size_t plane_count_ = 0;
  std::size_t next_plane_ = 0;
  const NodeKernels& kernels_;
  // Depth first: a level of either tree leaves at most seven entries behind.
  std::array<WalkPlace, 2 * (BoxTree::kWidth - 1) * BoxTree::kMaxDepth + BoxTree::kWidth + 1> stack_;
};

template <bool kOverlaps>
unsigned PairWalk::test(const WalkSide& opened, const BoxTree::Node& node, const WalkSide& other, WalkRef other_ref,
                        const WalkMap& opened_from_other, double limit, float* bounds) const {
  const double unit = opened_from_other.unit;
  const float limit_units = rounded_up(limit / unit);
  if (other.is_plane()) {
    return kernels_.heights(node, turned(plane_of_half_space_, opened, opened_from_other, node), limit_units, bounds);
  }
  const TurnedBox box = turned(other, other_ref, opened_from_other, node);
  const float core_limit = other.radius() > 0.0 ? rounded_up((limit + other.radius()) / unit) : limit_units;
  unsigned near = ~0U;
  // Axes alone see a ball as a cube.
  if (!kOverlaps || other.radius() > 0.0) near = kernels_.distances(node, box, core_limit, bounds);
  if (kOverlaps && near != 0) near &= kernels_.overlaps(node, box, core_limit, bounds);
  std::array<float, BoxTree::kWidth> heights;
  for (const WalkPlane& plane : planes()) {
    if (near == 0) break;
    near &= kernels_.heights(node, turned(plane, opened, opened_from_other, node), limit_units, heights.data());
  }
  return near;
}

template <bool kOverlaps>
std::size_t PairWalk::open(const Entry& entry, double limit, WalkPlace* children) const {
  const bool opens_a = b_.is_leaf(entry.b) || (!a_.is_leaf(entry.a) && a_.size(entry.a) >= b_.size(entry.b));
  const WalkSide& opened = opens_a ? a_ : b_;
  const std::uint32_t index = opened.child(opens_a ? entry.a : entry.b);
  const WalkMap& map = opens_a ? map_a_from_b_ : map_b_from_a_;
  const BoxTree::Node& node = opened.tree()->nodes()[index];
  alignas(32) std::array<float, BoxTree::kWidth> bounds;
  unsigned near = map.is_far ? test_far<kOverlaps>(entry, opens_a, node, limit, bounds.data())
                  : opens_a  ? test<kOverlaps>(a_, node, b_, entry.b, map_a_from_b_, limit, bounds.data())
                             : test<kOverlaps>(b_, node, a_, entry.a, map_b_from_a_, limit, bounds.data());
  const double radius = opens_a ? b_.radius() : a_.radius();
  std::size_t count = 0;
  for (; near != 0; near &= near - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(near));
    Entry child = entry;
    child.bound = static_cast<double>(bounds[slot]) * map.unit - radius;
    (opens_a ? child.a : child.b) = {index, static_cast<std::uint8_t>(slot)};
    std::size_t at = count++;
    for (; at > 0 && children[at - 1].entry.bound < child.bound; --at) children[at] = children[at - 1];
    std::construct_at(&children[at].entry, child);
  }
  return count;
}

template <bool kOverlaps, class Visitor>
bool PairWalk::run(Visitor& visitor, WalkRef start_a, WalkRef start_b) {
  const Entry start{-std::numeric_limits<double>::infinity(), start_a, start_b};
  if constexpr (kOverlaps) {
    return run_depth_first<true>(visitor, start);
  } else {
    // Of a single part the first leaves are nearly the nearest, and a queue would cost more than it saves.
    const bool is_single = a_.tree() == nullptr || b_.tree() == nullptr;
    return is_single ? run_depth_first<false>(visitor, start) : run_nearest_first(visitor, start);
  }
}

template <bool kOverlaps, class Visitor>
bool PairWalk::run_depth_first(Visitor& visitor, const Entry& start) {
  std::size_t size = 0;
  std::construct_at(&stack_[size++].entry, start);
  while (size > 0) {
    Entry entry = stack_[--size].entry;
    const double limit = visitor.limit();
    if (!kOverlaps && entry.bound > limit) continue;
    const bool is_leaf_a = a_.is_leaf(entry.a);
    const bool is_leaf_b = b_.is_leaf(entry.b);
    if (is_leaf_a && is_leaf_b) {
      if (visitor.visit(entry)) return true;
      continue;
    }
    if ((is_leaf_a || is_leaf_b) && !visitor.opens(entry)) {
      if (visitor.is_done()) return true;
      continue;
    }
    ABUT_ASSERT(size + BoxTree::kWidth <= stack_.size());
    size += open<kOverlaps>(entry, limit, &stack_[size]);
  }
  return false;
}

// From the nearest pair of boxes straight down to leaves, which gives a limit, then from the nearest of those left
// behind. Where the queue is full the rest below a pair is walked depth first.
template <class Visitor>
bool PairWalk::run_nearest_first(Visitor& visitor, const Entry& start) {
  EntryQueue queue;
  Entry entry = start;
  for (;;) {
    const double limit = visitor.limit();
    if (!(entry.bound > limit)) {
      const bool is_leaf_a = a_.is_leaf(entry.a);
      const bool is_leaf_b = b_.is_leaf(entry.b);
      if (is_leaf_a && is_leaf_b) {
        if (visitor.visit(entry)) return true;
      } else if ((is_leaf_a || is_leaf_b) && !visitor.opens(entry)) {
        if (visitor.is_done()) return true;
      } else if (!queue.has_room(BoxTree::kWidth)) {
        if (run_depth_first<false>(visitor, entry)) return true;
      } else {
        std::array<WalkPlace, BoxTree::kWidth> children;
        const std::size_t count = open<false>(entry, limit, children.data());
        if (count > 0) {
          for (std::size_t i = 0; i + 1 < count; ++i) queue.push(children[i].entry);
          entry = children[count - 1].entry;
          continue;
        }
      }
    }
    if (queue.is_empty() || queue.least() > rounded_up(visitor.limit())) return false;
    entry = queue.pop();
  }
}

}  // namespace abut::detail
