// Boxes entered in the columns of a grid: one record for each column that a box lies in, grouped by neighbouring
// columns.
#pragma once

#include <abut/broadphase/detail/column_grid.h>
#include <abut/broadphase/detail/id_blocks.h>
#include <abut/broadphase/detail/sweep_kernels.h>
#include <abut/broadphase/proxy_table.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

static_assert(SweepWord::kIdMask == ProxyTable::kMaxProxies - 1);

/// A box in one of its columns. Half a line of the cache.
struct alignas(16) ColumnRecord {
  float lower[3];  ///< Along the sweep, u, v.
  float upper[3];
  std::uint32_t word;  ///< See SweepWord.
  std::uint32_t run;   ///< 2 * column, and 1 more for a guest.
};

/// The first half of a counting sort by column: blocks of boxes scatter their records to buckets of neighbouring
/// columns. Memory is kept from one enter() to the next.
class RecordScatter {
 public:
  /// "Own" boxes have the sizes that the grid is made for, "guests" are smaller.
  /// @param guest_limit  Boxes up to this size, metres, are guests.
  /// @param word         Flags for every record.
  void enter(const BoxTable& table, const ColumnGrid& grid, float guest_limit, const IdBlocks& ids, std::uint32_t word);

  /// Groups of neighbouring columns, each worth a task. Their number depends on the grid alone.
  [[nodiscard]] std::size_t buckets() const { return buckets_; }
  [[nodiscard]] unsigned bucket_shift() const { return bucket_shift_; }
  [[nodiscard]] std::size_t columns_per_bucket() const { return std::size_t{1} << bucket_shift_; }
  /// Number of records.
  [[nodiscard]] std::size_t size() const { return bucket_begin_[buckets_]; }
  [[nodiscard]] std::size_t bucket_begin(std::size_t bucket) const { return bucket_begin_[bucket]; }
  [[nodiscard]] std::span<const ColumnRecord> bucket(std::size_t bucket) const {
    return {records_.data() + bucket_begin_[bucket], bucket_begin_[bucket + 1] - bucket_begin_[bucket]};
  }
  [[nodiscard]] std::size_t memory() const;
  /// Gives back what the last enter() had no use for, where that is much.
  /// @param boxes  Room for so many is kept in any case.
  void trim(const BoxTable& table, std::size_t boxes);

 private:
  void count_block(std::size_t block);
  void place();
  void scatter_block(std::size_t block);
  template <bool kWidens>
  void scatter_block_widened(std::size_t block);

  // The call of enter() in progress.
  const BoxTable* table_ = nullptr;
  const IdBlocks* ids_ = nullptr;
  ColumnGrid grid_;
  float guest_limit_ = 0.0F;
  std::uint32_t word_ = 0;

  std::size_t buckets_ = 0;
  unsigned bucket_shift_ = 0;              // log2 of the columns of a bucket
  std::vector<std::uint32_t> codes_;       // see ColumnGrid::Code, at the places of the ids
  std::vector<std::uint32_t> offsets_;     // per block and bucket: number, then first place, of its records
  std::vector<std::size_t> bucket_begin_;  // first record of each bucket, and the number of records
  std::vector<ColumnRecord> records_;      // and behind them one place a block for what is written in vain
};

}  // namespace abut::detail
