// The grids of a scene, from its small boxes to its large ones, and which boxes rest in them.
#pragma once

#include <abut/broadphase/box_table.h>
#include <abut/broadphase/detail/column_base.h>
#include <abut/broadphase/detail/column_grid.h>
#include <abut/broadphase/detail/id_blocks.h>
#include <abut/broadphase/detail/record_scatter.h>
#include <abut/broadphase/detail/workers.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// A first grid takes the boxes up to about eight times the common size. What is larger goes to a second, coarser grid,
/// in which the smaller boxes are guests, and so on, until so few are left that testing each against all is cheapest.
///
/// Boxes that rest stay sorted in their columns, the base, from call to call. All others are "fresh" and entered anew
/// in each call. The base is built again, and the grids chosen again, when too many boxes have come to rest outside it;
/// and where more are fresh than rest, when most have left it, and every few calls.
class Levels {
 public:
  /// Takes up what has changed in the table since the last call.
  void update(const BoxTable& table, Workers& workers);
  /// update(), and the fresh boxes sorted as well, so that every box can be found in its columns. It changes nothing
  /// for the next update().
  void index(const BoxTable& table, Workers& workers);
  /// Finds every pair with a fresh box; the workers' sinks have it then.
  void find_pairs(const SweepContext& context, Workers& workers);

  [[nodiscard]] const IdBits& in_base() const { return in_base_; }
  [[nodiscard]] std::size_t base_count() const { return base_count_; }
  [[nodiscard]] std::size_t memory() const;
  /// Gives back memory that the last call had no use for, where that is much.
  /// @param boxes  Room to enter so many is kept in any case.
  void trim(const BoxTable& table, std::size_t boxes);

  struct Level {
    ColumnGrid grid;
    float guest_limit = 0.0F;  // smaller boxes are guests
    ColumnBase base;
    ColumnBase loose;  // the fresh boxes, for queries; only while indexed
  };
  /// From the finest to the coarsest.
  [[nodiscard]] std::span<const Level> levels() const { return {levels_.data(), count_}; }
  /// Ids too large for the last grid, ascending.
  [[nodiscard]] std::span<const std::uint32_t> larger() const { return larger_; }

 private:
  struct BlockCounts {
    std::size_t fresh = 0;
    std::size_t base = 0;
    std::size_t resting_outside = 0;
  };
  void sum_counts();
  void find_fresh(const BoxTable& table);
  void find_larger(const BoxTable& table);
  void append_larger(const BoxTable& table, const ColumnGrid& grid, const IdBlocks& ids);
  [[nodiscard]] bool is_worn(const BoxTable& table) const;
  void rebuild(const BoxTable& table, Workers& workers);

  std::vector<Level> levels_;  // those past count_ keep memory for later
  std::size_t count_ = 0;
  RecordScatter records_;
  IdBits in_base_;
  IdBlocks fresh_ids_;
  IdBlocks base_ids_;
  std::vector<BlockCounts> block_counts_;
  std::vector<std::uint32_t> larger_;
  std::vector<std::vector<std::uint32_t>> block_larger_;
  std::size_t fresh_count_ = 0;
  std::size_t base_count_ = 0;        // boxes in the base that have not changed
  std::size_t built_base_count_ = 0;  // boxes in the base when it was built
  std::size_t age_ = 0;               // calls of update() since the grids were chosen
  std::size_t resting_outside_ = 0;   // fresh boxes that did not change in this call
};

}  // namespace abut::detail
