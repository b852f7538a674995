// All pairs of leaves of two shapes that are near each other: what a solver of contacts asks of meshes, height fields
// and compounds, where distance() gives one pair.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/separation.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace abut {

/// Two leaves and how they lie to each other.
struct CompositeContact {
  std::uint32_t item_a = 0;  ///< Triangle, prism or child of a; 0 where a is no composite.
  std::uint32_t item_b = 0;
  Separation separation;  ///< Of the two leaves, world frame, metres.
};

// All three: any two shapes but not two half-spaces; world_from_a and world_from_b are their poses; a leaf pair counts
// where its signed distance is <= max_distance, which may be negative for overlaps deeper than that. A child of a
// compound that is itself a composite gives a contact for each pair of its own leaves, under the child's index. They
// throw InvalidInput naming max_distance where it is NaN (all_contacts and visit_contacts: or infinite), for options as
// distance() does, and for two half-spaces. The order does not depend on the number of threads.

/// Every pair within max_distance, ordered by item_a, then by item_b; `contacts` is cleared first.
void all_contacts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                  double max_distance, std::vector<CompositeContact>& contacts, const DistanceOptions& options = {});

/// The same pairs one by one, in the order in which they are found: visit(contact) returns false to end.
/// @return Whether all were visited.
bool visit_contacts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                    double max_distance, const std::function<bool(const CompositeContact&)>& visit,
                    const DistanceOptions& options = {});

/// The `count` pairs of smallest signed distance among those within max_distance, the deepest first, equal ones by
/// item_a, then item_b; fewer where there are not so many. Cheaper than sorting all contacts: what is proven to be less
/// deep is not solved.
void deepest_contacts(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                      std::size_t count, double max_distance, std::vector<CompositeContact>& contacts,
                      const DistanceOptions& options = {});

}  // namespace abut
