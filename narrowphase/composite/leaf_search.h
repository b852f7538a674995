// The pairs of leaves of two shapes within a limit, one by one, with what their owners are: what lists of contacts and
// manifolds are made of.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/part.h>
#include <abut/narrowphase/separation.h>

#include <cstdint>

namespace abut::detail {

/// A leaf that is no composite, or a whole shape that is none. What it refers to lives as long as the call.
struct FoundLeaf {
  const Part& part;
  const Shape* owner;        ///< The composite that it is an item of; null: it is the whole shape.
  std::uint32_t item;        ///< Of the owner.
  std::uint32_t outer_item;  ///< Of the whole shape; another one inside nested compounds only. 0 where there is none.
  std::uint64_t owner_path;  ///< A hash of the items that lead to the owner; 0 where that is the whole shape.
  Pose root_from_leaf;
};

/// Where pairs of leaves go.
class LeafSink {
 public:
  virtual ~LeafSink() = default;
  /// Metres: pairs that are farther apart are left out. It may shrink while pairs come.
  [[nodiscard]] virtual double limit() const = 0;
  /// @param separation  Of the two leaves, root frame. @return Whether to go on.
  virtual bool take(const FoundLeaf& a, const FoundLeaf& b, const Separation& separation) = 0;
};

/// Shows every pair of leaves whose signed distance is <= sink.limit(). Each comes once; their order does not depend on
/// anything but the shapes and poses.
/// @param a, b      One is a composite; not two half-spaces.
/// @param a_from_b  Pose of b in a. @param root_from_a  Into the frame that answers are in.
/// @param overlaps  Pairs are told apart by all fifteen axes of their boxes: pays where the limit stays and is >= 0.
/// @return Whether all were shown.
bool search_leaves(const Shape& a, const Shape& b, const Pose& a_from_b, const Pose& root_from_a,
                   const DistanceOptions& options, bool overlaps, LeafSink& sink);

}  // namespace abut::detail
