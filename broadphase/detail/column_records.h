// Boxes entered in the columns of a grid and sorted there.
#pragma once

#include <abut/broadphase/detail/column_grid.h>
#include <abut/broadphase/detail/overlap_mask.h>
#include <abut/broadphase/proxy_table.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Positions in the sorted arrays of ColumnRecords.
struct RunRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
  [[nodiscard]] bool is_empty() const { return begin == end; }
};

/// One record for each column that a box lies in. The records of a column form four runs, each sorted by lower end on
/// the sweep axis. Memory is kept from one enter() to the next.
class ColumnRecords {
 public:
  /// "Own" boxes have the sizes that the grid is made for, "guests" are smaller. "Changed" is as in ProxyTable::State.
  enum Run : std::uint32_t { own_changed, own_still, guest_changed, guest_still, kRuns };

  // A record's word: the id and, above it, flags.
  static constexpr std::uint32_t kIdMask = ProxyTable::kMaxProxies - 1;
  static constexpr std::uint32_t kFirstU = std::uint32_t{1} << 28;  ///< See ColumnGrid.
  static constexpr std::uint32_t kFirstV = std::uint32_t{1} << 29;
  static constexpr std::uint32_t kFixed = std::uint32_t{1} << 30;
  static constexpr std::uint32_t kFiltered = std::uint32_t{1} << 31;

  /// Enters the boxes of `ids`, without those larger than the grid's limit. The runs are there once sort_bucket() has
  /// been called for each bucket.
  /// @param guest_limit  Boxes up to this size, metres, are guests.
  void enter(const ProxyTable& table, const ColumnGrid& grid, float guest_limit, std::span<const std::uint32_t> ids);

  /// Number of groups of neighbouring columns, each worth a task. It depends on the grid alone.
  [[nodiscard]] std::size_t buckets() const { return buckets_; }
  [[nodiscard]] bool is_empty() const { return bucket_begin_[buckets_] == 0; }
  [[nodiscard]] bool is_empty(std::size_t bucket) const { return bucket_begin_[bucket] == bucket_begin_[bucket + 1]; }
  /// Columns of a bucket: columns_per_bucket() of them from bucket * columns_per_bucket() on.
  [[nodiscard]] std::size_t columns_per_bucket() const { return std::size_t{1} << bucket_shift_; }
  /// Several threads may sort different buckets.
  void sort_bucket(std::size_t bucket);

  [[nodiscard]] RunRange run(std::size_t column, Run run) const {
    const std::size_t k = column * kRuns + run;
    const bool first_in_bucket = (k & (kRuns * columns_per_bucket() - 1)) == 0;
    return {first_in_bucket ? sorted_begin(column >> bucket_shift_) : run_end_[k - 1], run_end_[k]};
  }
  /// A bound on the lengths along the sweep of the boxes of a run, metres; infinite where floats cannot tell.
  [[nodiscard]] float longest(std::size_t column, Run run) const { return run_longest_[column * kRuns + run]; }
  /// The boxes in sorted order; kLanes - 1 values after the last one of a run may be read.
  [[nodiscard]] SweepArrays arrays() const {
    return {{sorted_.lower[0].data(), sorted_.lower[1].data(), sorted_.lower[2].data()},
            {sorted_.upper[0].data(), sorted_.upper[1].data(), sorted_.upper[2].data()}};
  }
  [[nodiscard]] std::uint32_t word(std::size_t position) const { return sorted_word_[position]; }

 private:
  /// A box in one of its columns.
  struct Record {
    std::array<float, 3> lower;  // sweep, u, v
    std::array<float, 3> upper;
    std::uint32_t word;
    std::uint32_t run;  // column * kRuns + Run
  };
  /// A record while its run is being sorted.
  struct Entry {
    std::int32_t key;  // orders as the lower end does
    std::uint32_t record;
  };

  template <class Visit>
  void visit_block(std::size_t block, const Visit& visit) const;
  void count_block(std::size_t block);
  void place();
  void scatter_block(std::size_t block);
  void sort_run(std::size_t begin, std::size_t count, std::size_t sorted_begin);
  [[nodiscard]] float length_bound(std::size_t begin, std::size_t end) const;
  [[nodiscard]] std::size_t sorted_begin(std::size_t bucket) const { return bucket_begin_[bucket] + bucket * kLanes; }

  // The call of enter() in progress.
  const ProxyTable* table_ = nullptr;
  std::span<const std::uint32_t> ids_;
  std::size_t block_size_ = 0;
  std::size_t blocks_ = 0;

  ColumnGrid grid_;
  float guest_limit_ = 0.0F;
  std::size_t buckets_ = 0;
  unsigned bucket_shift_ = 0;              // log2 of the columns of a bucket
  std::vector<std::uint32_t> offsets_;     // per block and bucket: number, then first place, of its records
  std::vector<std::size_t> bucket_begin_;  // first record of each bucket, and the number of records
  std::vector<Record> records_;
  std::vector<Entry> entries_;
  std::vector<Entry> entry_scratch_;
  BoxArrays sorted_;  // kLanes values of room after each bucket
  std::vector<std::uint32_t> sorted_word_;
  std::vector<std::size_t> run_end_;  // per column and Run, in the sorted arrays
  std::vector<float> run_longest_;    // the same
};

}  // namespace abut::detail
