// Boxes that stay where they are, sorted in their columns once and kept.
#pragma once

#include <abut/broadphase/detail/record_scatter.h>
#include <abut/broadphase/detail/sweep_kernels.h>
#include <abut/broadphase/detail/workers.h>
#include <abut/core/aabb.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::detail {

/// The runs of all columns of a grid, sorted by lower end, in arrays. Not guarded.
class ColumnBase {
 public:
  /// Takes what has been entered in a grid.
  void build(const RecordScatter& records, const ColumnGrid& grid, Workers& workers);
  void clear() {
    size_ = 0;
    bounds_ = {};
  }
  /// Bounds of all boxes.
  [[nodiscard]] const Aabb& bounds() const { return bounds_; }

  [[nodiscard]] bool is_empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Run 0 of a column holds its own boxes, run 1 its guests.
  [[nodiscard]] RunRange run(std::size_t column, std::size_t guests) const {
    const std::size_t k = 2 * column + guests;
    return {run_begin_[k], run_begin_[k + 1]};
  }
  /// A bound on the lengths along the sweep of the boxes of a run, metres; infinite where floats cannot tell.
  [[nodiscard]] float longest(std::size_t column, std::size_t guests) const { return longest_[2 * column + guests]; }
  [[nodiscard]] SweepArrays arrays() const {
    return {{arrays_[0].data(), arrays_[1].data(), arrays_[2].data()},
            {arrays_[3].data(), arrays_[4].data(), arrays_[5].data()},
            words_.data()};
  }
  [[nodiscard]] std::size_t memory() const;
  void trim();

 private:
  void build_bucket(const RecordScatter& records, const ColumnGrid& grid, std::size_t bucket, Worker& worker);

  std::size_t size_ = 0;
  Aabb bounds_;
  std::vector<Aabb> bucket_bounds_;
  std::vector<float> arrays_[6];
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> run_begin_;
  std::vector<float> longest_;
};

}  // namespace abut::detail
