// Boxes that stay where they are, sorted in their columns once and kept.
#include <abut/broadphase/detail/column_base.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/rounding.h>

#include <algorithm>
#include <array>
#include <limits>

namespace abut::detail {
namespace {

/// A bound on the lengths of a run.
float length_bound(const SweepArrays& arrays, RunRange run) {
  float length = 0.0F;
  for (std::size_t i = run.begin; i < run.end; ++i) length = std::max(length, arrays.upper[0][i] - arrays.lower[0][i]);
  // The difference was rounded to nearest; a step upwards makes it a bound.
  return length < kLargestFloat ? raised(length, 0.0F) : std::numeric_limits<float>::infinity();
}

}  // namespace

void ColumnBase::build(const RecordScatter& records, const ColumnGrid& grid, Workers& workers) {
  const std::size_t columns = grid.columns;
  size_ = records.size();
  for (std::vector<float>& values : arrays_) grow(values, size_ + HitBuffer::kMaxLanes);
  grow(words_, size_ + HitBuffer::kMaxLanes);
  grow(run_begin_, 2 * columns + 1);
  grow(longest_, 2 * columns);
  bucket_bounds_.assign(records.buckets(), Aabb{});
  parallel_each(records.buckets(), workers, [this, &records, &grid](std::size_t bucket, Worker& worker) {
    build_bucket(records, grid, bucket, worker);
  });
  run_begin_[2 * columns] = static_cast<std::uint32_t>(size_);
  bounds_ = {};
  for (const Aabb& bounds : bucket_bounds_) bounds_.merge(bounds);
}

void ColumnBase::build_bucket(const RecordScatter& records, const ColumnGrid& grid, std::size_t bucket,
                              Worker& worker) {
  const std::size_t columns = records.columns_per_bucket();
  const std::size_t first_run = 2 * columns * bucket;
  std::size_t place = records.bucket_begin(bucket);
  if (records.bucket(bucket).empty()) {
    std::fill_n(run_begin_.data() + first_run, 2 * columns, static_cast<std::uint32_t>(place));
    return;
  }
  const std::array<std::size_t, 3> axes = {grid.sweep_axis, grid.u_axis, grid.v_axis};
  float lower[3] = {kLargestFloat, kLargestFloat, kLargestFloat};
  float upper[3] = {-kLargestFloat, -kLargestFloat, -kLargestFloat};
  for (const ColumnRecord& record : records.bucket(bucket)) {
    for (std::size_t k = 0; k < 3; ++k) {
      lower[k] = std::min(lower[k], record.lower[k]);
      upper[k] = std::max(upper[k], record.upper[k]);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    bucket_bounds_[bucket].lower[static_cast<Eigen::Index>(axes[k])] = static_cast<double>(lower[k]);
    bucket_bounds_[bucket].upper[static_cast<Eigen::Index>(axes[k])] = static_cast<double>(upper[k]);
  }
  worker.sorter.sort(records.bucket(bucket), columns);
  const SweepArrays sorted = worker.sorter.arrays();
  for (std::size_t k = 0; k < 2 * columns; ++k) {
    const RunRange run = worker.sorter.run(k);
    run_begin_[first_run + k] = static_cast<std::uint32_t>(place);
    longest_[first_run + k] = length_bound(sorted, run);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::copy(sorted.lower[axis] + run.begin, sorted.lower[axis] + run.end, arrays_[axis].data() + place);
      std::copy(sorted.upper[axis] + run.begin, sorted.upper[axis] + run.end, arrays_[3 + axis].data() + place);
    }
    std::copy(sorted.word + run.begin, sorted.word + run.end, words_.data() + place);
    place += run.size();
  }
}

std::size_t ColumnBase::memory() const {
  std::size_t bytes = memory_of(words_) + memory_of(run_begin_) + memory_of(longest_) + memory_of(bucket_bounds_);
  for (const std::vector<float>& values : arrays_) bytes += memory_of(values);
  return bytes;
}

void ColumnBase::trim() {
  for (std::vector<float>& values : arrays_) shrink(values, size_ + HitBuffer::kMaxLanes);
  shrink(words_, size_ + HitBuffer::kMaxLanes);
}

}  // namespace abut::detail
