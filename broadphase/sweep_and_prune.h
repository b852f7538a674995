// Sweep-and-prune inside columns: the broad phase of the library.
//
// Sources: Ericson, Real-Time Collision Detection (2005), section 7.5 (sort and sweep along one axis) and 7.1 (grids,
// hashed cells). Sweeping all boxes along one axis costs more per box the more boxes there are, because the other two
// axes decide ever more candidates; so those two axes are cut into columns first, and each column is swept alone.
#pragma once

#include <abut/broadphase/broad_phase.h>
#include <abut/broadphase/proxy_table.h>
#include <abut/broadphase/query_results.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace abut {

/// The cost per proxy hardly depends on their number, on how the space is filled, or on how far things move.
///
/// Boxes that did not change since the last call are not swept against each other: their pairs are carried over from
/// the last list. Fixed and resting proxies are therefore cheap; setting a box to the same place is no change. Slow ones
/// are nearly as cheap while they stay within fat boxes around them; the pairs are those of the boxes all the same.
///
/// Runs in the caller's TBB arena. Once the numbers of proxies and pairs have settled, finding pairs allocates nothing.
class SweepAndPrune : public ProxyTable {
 public:
  /// @param margin  Gap up to which two boxes count as overlapping, metres, finite, >= 0.
  /// @throws InvalidInput  naming "margin".
  explicit SweepAndPrune(double margin = 0.0);
  ~SweepAndPrune();
  SweepAndPrune(SweepAndPrune&&) noexcept;
  SweepAndPrune& operator=(SweepAndPrune&&) noexcept;

  /// Finds the pairs anew and keeps them until the next call; pairs() shows them.
  void update();
  /// The same, and lists the pairs that only the new list has (began) and only the one before (ended), both sorted.
  void update(std::vector<ProxyPair>& began, std::vector<ProxyPair>& ended);
  /// The pairs of the last update(), as BroadPhase describes them. The list is bit for bit the same for any number of
  /// threads. Valid until the next update().
  [[nodiscard]] std::span<const ProxyPair> pairs() const;

  /// See BroadPhase: update(), and a copy of pairs().
  void find_pairs(std::vector<ProxyPair>& pairs);

  /// Makes the queries below answer for the boxes as they are now. Needed after every change of a box; costs about as
  /// much as sweeping the boxes that have changed of late, and for some calls to come slow boxes are swept as fast ones
  /// are. find_pairs() and update() end it when they find changes, so it comes after them.
  void index();
  [[nodiscard]] bool is_indexed() const;

  // Queries, on the boxes of all proxies, fixed and moving, widened by half the margin, filters aside. Several threads
  // may ask at once. Results replace what the argument held; the answers to a batch are found in parallel.
  //
  // All throw InvalidInput where the boxes are not indexed, or the query is not finite.

  /// Ids of the boxes that overlap `box`, ascending; touching counts.
  void find_overlaps(const Aabb& box, std::vector<std::uint32_t>& ids) const;
  void find_overlaps(std::span<const Aabb> boxes, QueryLists<std::uint32_t>& ids) const;
  /// The boxes that a ray meets, in the order in which it enters them; equal ones by id.
  void find_hits(const BoxRay& ray, std::vector<RayHit>& hits) const;
  void find_hits(std::span<const BoxRay> rays, QueryLists<RayHit>& hits) const;
  /// The first of them, or nothing.
  [[nodiscard]] std::optional<RayHit> find_first_hit(const BoxRay& ray) const;
  void find_first_hits(std::span<const BoxRay> rays, std::vector<std::optional<RayHit>>& hits) const;
  /// The `count` boxes nearest to `box`, by distance, equal ones by id; all when there are fewer.
  void find_nearest(const Aabb& box, std::size_t count, std::vector<NearBox>& near) const;
  void find_nearest(std::span<const Aabb> boxes, std::size_t count, QueryLists<NearBox>& near) const;

  /// Bytes held, the table of proxies included.
  [[nodiscard]] std::size_t memory() const;

 private:
  struct Workspace;
  void update(std::vector<ProxyPair>* began, std::vector<ProxyPair>* ended);
  void sweep(const BoxTable& boxes, std::vector<ProxyPair>* began, std::vector<ProxyPair>* ended);
  void mark_changed_fat_boxes();
  void require_indexed() const;

  std::unique_ptr<Workspace> workspace_;
};

static_assert(BroadPhase<SweepAndPrune>);

}  // namespace abut
