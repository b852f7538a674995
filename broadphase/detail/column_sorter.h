// The second half of the counting sort by column: the records of a bucket, sorted run by run into arrays.
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.5 (radix sorting). Departure: keys are places
// on a scale of the bucket's own extent, short enough for three passes; what such a key cannot tell apart is put right
// while the boxes are copied.
#pragma once

#include <abut/broadphase/detail/record_scatter.h>
#include <abut/broadphase/detail/sweep_kernels.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Runs 2 k (own boxes) and 2 k + 1 (guests) are those of the k-th column of the bucket, each sorted by lower end and
/// guarded as SweepKernels asks. Scratch memory of one task at a time.
class ColumnSorter {
 public:
  void sort(std::span<const ColumnRecord> records, std::size_t columns);

  [[nodiscard]] RunRange run(std::size_t k) const { return runs_[k]; }
  [[nodiscard]] SweepArrays arrays() const {
    return {{arrays_[0].data(), arrays_[1].data(), arrays_[2].data()},
            {arrays_[3].data(), arrays_[4].data(), arrays_[5].data()},
            words_.data()};
  }
  [[nodiscard]] std::size_t memory() const;
  void make_room_like(const ColumnSorter& other);

 private:
  void order(std::span<const ColumnRecord> records, std::size_t columns);
  void copy_run(std::span<const ColumnRecord> records, std::size_t begin, std::size_t end, std::size_t position);
  void sort_exactly(std::span<const ColumnRecord> records, std::size_t begin, std::size_t end);

  std::vector<std::uint64_t> entries_;  // key and, in the lower half, number of a record
  std::vector<std::uint64_t> scratch_;
  std::vector<std::uint32_t> run_sizes_;
  std::vector<RunRange> runs_;
  std::vector<float> arrays_[6];
  std::vector<std::uint32_t> words_;
};

}  // namespace abut::detail
