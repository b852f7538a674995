// What the visitors of a walk over pairs share: the pairs of leaves of an entry, composites inside compounds, and the
// quick tests that spare the exact solver.
#pragma once

#include <abut/narrowphase/composite/leaves.h>
#include <abut/narrowphase/composite/pair_walk.h>
#include <abut/narrowphase/composite/triangle_pair.h>
#include <abut/narrowphase/separation.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace abut::detail {

/// A leaf of one side, or the single part.
struct Leaf {
  const Part& part;
  const Pose& body_from_leaf;
  std::uint32_t item;
};

/// Calls visit(leaf), which returns true to end, for the leaves of a reference. @return Whether it was ended.
template <class Visit>
bool for_each_leaf(const WalkSide& side, WalkRef ref, bool skips_composites, Visit&& visit) {
  if (side.tree() == nullptr) {
    const Pose identity;
    return visit(Leaf{side.part(), identity, 0});
  }
  bool is_done = false;
  side.tree()->visit_leaf(side.child(ref), [&](std::uint32_t item) {
    if (is_done) return;
    visit_item(*side.part().shape(), item, [&](const Part& part, const Pose& body_from_leaf) {
      if (skips_composites && part.is_composite()) return;
      is_done = visit(Leaf{part, body_from_leaf, item});
    });
  });
  return is_done;
}

/// Composites among the leaves of an entry of which the other box is not a leaf: solve(is_a, leaf) for each, against
/// all that is below the other box. @return Whether other leaves are left for the walk to go on with.
template <class Solve>
bool solve_nested(const PairWalk& walk, PairWalk::Entry& entry, Solve&& solve) {
  const bool is_a = walk.side_a().is_leaf(entry.a);
  const WalkSide& side = is_a ? walk.side_a() : walk.side_b();
  bool& is_done = is_a ? entry.a_composites_done : entry.b_composites_done;
  if (side.tree() == nullptr || is_done || side.part().shape()->get_if<Compound>() == nullptr) return true;
  bool is_left = false;
  const bool is_ended = for_each_leaf(side, is_a ? entry.a : entry.b, false, [&](const Leaf& leaf) {
    if (!leaf.part.is_composite()) {
      is_left = true;
      return false;
    }
    return solve(is_a, leaf);
  });
  is_done = true;
  return is_left && !is_ended;
}

/// Bound on what is lost where points of b are carried into the frame of a, metres.
[[nodiscard]] inline double transform_rounding(const PairWalk& walk) {
  const WalkSide& b = walk.side_b();
  // Of points of a as well, which are projected onto directions.
  const WalkSide& a = walk.side_a();
  const double coordinates =
      walk.a_from_b().translation().cwiseAbs().maxCoeff() + a.frame().translation().cwiseAbs().maxCoeff() +
      a.unit() * static_cast<double>(a.reach()) +
      3.0 * (b.frame().translation().cwiseAbs().maxCoeff() + b.unit() * static_cast<double>(b.reach()));
  return 4.0 * std::numeric_limits<double>::epsilon() * coordinates;
}

/// Leaves that are nearer or deeper than others by no more are as near or as deep, metres: the tolerance to which
/// bodies of these sizes would be solved, or less.
[[nodiscard]] inline double tie_of(const PairWalk& walk, const DistanceOptions& options) {
  const auto size = [](const WalkSide& side) { return side.unit() * static_cast<double>(side.reach()); };
  const double smaller = std::min(size(walk.side_a()), size(walk.side_b()));
  const double both = size(walk.side_a()) + size(walk.side_b());
  const double points = options.tolerance > 0.0 ? options.tolerance : kRelativeTolerance * smaller;
  const double tie = options.tolerance > 0.0 ? 0.5 * points * points / both : 0.5 * kRelativeTolerance * points;
  return std::isfinite(tie) ? tie : 0.0;
}

/// Triangles of b in the frame of a.
[[nodiscard]] inline TriangleCorners carried(const Pose& a_from_b, const TriangleCorners& triangle) {
  return {a_from_b * triangle[0], a_from_b * triangle[1], a_from_b * triangle[2]};
}

/// Whether all points lie beyond one of the walk's planes by more than `limit`.
template <class Points>
[[nodiscard]] bool is_beyond_planes(const PairWalk& walk, const Points& points, double limit) {
  for (const WalkPlane& plane : walk.planes()) {
    double lowest = std::numeric_limits<double>::infinity();
    double largest = 0.0;
    for (const Vector3d& point : points) {
      lowest = std::min(lowest, plane.normal.dot(point));
      largest = std::max(largest, point.cwiseAbs().maxCoeff());
    }
    const double rounding = 16.0 * std::numeric_limits<double>::epsilon() * (largest + std::abs(plane.offset));
    if (lowest - plane.offset > limit + rounding) return true;
  }
  return false;
}

/// The plane across `normal` that bounds a convex single part. @param tree_normal  From the part towards the tree's
/// leaves, frame of the tree's body.
[[nodiscard]] inline WalkPlane plane_of_single(const Part& single, const Pose& tree_from_single,
                                               const Vector3d& tree_normal) {
  const ConvexCore core = single.core();
  const Vector3d support = tree_from_single * core.support(tree_from_single.unrotate(tree_normal));
  const double rounding = 8.0 * std::numeric_limits<double>::epsilon() *
                          (support.cwiseAbs().sum() + tree_from_single.translation().cwiseAbs().sum());
  return {tree_normal, tree_normal.dot(support) + core.radius() + rounding};
}

}  // namespace abut::detail
