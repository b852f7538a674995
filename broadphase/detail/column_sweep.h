// The sweep of a bucket of columns.
// Source: Ericson, Real-Time Collision Detection (2005), section 7.5.2 (sort and sweep on arrays). Departures: eight
// candidates at a time; boxes that rest are kept sorted apart and searched, not swept.
#pragma once

#include <abut/broadphase/detail/column_records.h>
#include <abut/broadphase/detail/pair_pool.h>
#include <abut/broadphase/proxy_table.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// Finds the pairs of which one box has changed and the other is in the same column: in `fresh`, whose boxes have
/// changed or come to rest of late, or in `base`, whose boxes have rested since it was built. At least one of the two
/// must be an own box of the grid. Const and cheap to make; one for a grid and a call.
class ColumnSweep {
 public:
  /// @param fresh,base  Entered in the same grid, and sorted.
  /// @param in_base     Per id: 0 where a box of `base` has changed since and is to be passed over.
  ColumnSweep(const ProxyTable& table, const ColumnRecords& fresh, const ColumnRecords& base,
              std::span<const std::uint8_t> in_base)
      : table_(table), fresh_(fresh), base_(base), in_base_(in_base) {}

  /// Thread-safe. A crowded column is swept by several tasks.
  void sweep_bucket(std::size_t bucket, PairPool& pool) const;

 private:
  void sweep_column(std::size_t column, PairWriter& writer) const;
  void sweep_self(RunRange run, PairWriter& writer) const;
  void sweep_cross(RunRange run, RunRange other, PairWriter& writer) const;
  template <bool kTies>
  void sweep_one_way(RunRange run, RunRange other, PairWriter& writer) const;
  void search_base(RunRange run, std::size_t column, ColumnRecords::Run kind, PairWriter& writer) const;
  void report(std::uint32_t word, std::uint32_t other, PairWriter& writer) const;

  const ProxyTable& table_;
  const ColumnRecords& fresh_;
  const ColumnRecords& base_;
  std::span<const std::uint8_t> in_base_;
};

}  // namespace abut::detail
