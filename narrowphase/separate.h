// The pair functions: separation of two parts, in the frame of a.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/part.h>
#include <abut/narrowphase/separation.h>

#include <limits>

namespace abut::detail {

/// What one query wants of a pair; the options, and what the caller may skip.
struct PairQuery {
  DistanceOptions options;
  /// Only whether distance <= options.max_distance matters: a proof of contact is enough.
  bool is_boolean = false;
  /// How deep the shapes overlap matters. Otherwise where they do the distance may be anything <= 0.
  bool needs_depth = true;
  /// A distance proven to be larger, metres, is enough where the plane across the pair's last normal proves it: that
  /// costs one support point. Less than options.max_distance, up to which other answers are exact. Composites make no
  /// use of it.
  double far_enough = std::numeric_limits<double>::infinity();
  /// Metres. An overlap proven to be less deep than this may be answered with beyond_limit, as a distance beyond
  /// options.max_distance may.
  double least_depth = -std::numeric_limits<double>::infinity();
};

// Each answers in the frame of a. With is_boolean the distance is only right about its side of max_distance.

/// Any two parts. `cache` may be null.
[[nodiscard]] Separation separate(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                                  PairCache* cache);

/// Whether distance <= query.options.max_distance, which is >= 0. `cache` may be null.
[[nodiscard]] bool collide(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                           PairCache* cache);

/// A half-space and a convex part: the support point against the plane.
[[nodiscard]] Separation separate_half_space(const HalfSpace& a, double margin_a, const ConvexCore& b,
                                             const Pose& a_from_b);

/// A composite and any part: branch and bound over the tree, or over both trees, from the leaves that answered last.
/// `cache` may be null.
[[nodiscard]] Separation separate_composite(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                                            PairCache* cache);

/// Whether leaves of a composite come within query.options.max_distance, which is >= 0, of any part: ends at the first,
/// and asks those first that did the last time. `cache` may be null.
[[nodiscard]] bool collide_composite(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                                     PairCache* cache);

/// Is shown the leaves of two composites; of a part that is none, that part.
class LeafVisitor {
 public:
  virtual ~LeafVisitor() = default;
  /// The parts live as long as the call. A leaf of a compound may be a composite itself.
  virtual void visit(const Part& a, const Pose& a_from_leaf, const Part& b, const Pose& b_from_leaf) = 0;
};

/// Calls visitor.visit once, with the pair of leaves that has a separation: of several that are as near or as deep, the
/// one whose witness points are nearest to it.
/// @param separation  What separate_composite answered, frame of a.
void visit_answering_leaves(const Part& a, const Part& b, const Pose& a_from_b, const Separation& separation,
                            LeafVisitor& visitor);

/// The same separation with a and b exchanged: from the frame of b into the frame of a.
[[nodiscard]] Separation exchanged(const Separation& b_against_a, const Pose& a_from_b);

/// Carries a separation from an inner frame to the outer one.
void transform(Separation& separation, const Pose& outer_from_inner);

}  // namespace abut::detail
