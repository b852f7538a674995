// The grids of a scene, from its small boxes to its large ones, and which boxes rest in them.
#pragma once

#include <abut/broadphase/detail/column_grid.h>
#include <abut/broadphase/detail/column_records.h>
#include <abut/broadphase/detail/pair_pool.h>
#include <abut/broadphase/proxy_table.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::detail {

/// A first grid takes the boxes up to about six times the common size. What is larger goes to a second, coarser grid,
/// in which the smaller boxes are guests, and so on, until so few are left that testing each against all is cheapest.
///
/// Boxes that rest stay sorted in their columns, the base, from call to call. Boxes that have changed since the base
/// was built are "fresh" and entered anew in each call. The base is built again, and the grids chosen again, when too
/// many boxes have come to rest outside it, or more are fresh than rest.
class Levels {
 public:
  /// Takes up what has changed in the table since the last call.
  void update(const ProxyTable& table);
  /// Appends every pair with a changed proxy to `pool`. Does nothing else, so it may be called again.
  void find_pairs(const ProxyTable& table, PairPool& pool);

 private:
  struct Level {
    ColumnGrid grid;
    float guest_limit = 0.0F;  // smaller boxes are guests
    ColumnRecords base;
    ColumnRecords fresh;
  };

  void find_fresh(const ProxyTable& table);
  void find_larger(const ProxyTable& table);
  [[nodiscard]] bool is_worn() const;
  void rebuild(const ProxyTable& table);

  std::vector<Level> levels_;  // those past count_ keep memory for later
  std::size_t count_ = 0;
  std::vector<std::uint8_t> in_base_;  // per id
  std::vector<std::uint32_t> base_ids_;
  std::vector<std::uint32_t> fresh_ids_;
  std::vector<std::uint32_t> larger_;  // ids too large for the last grid, ascending
  std::size_t fresh_count_ = 0;        // of fresh_ids_
  std::size_t base_count_ = 0;         // boxes in the base that have not changed
  std::size_t resting_outside_ = 0;    // fresh boxes that did not change in this call
};

}  // namespace abut::detail
