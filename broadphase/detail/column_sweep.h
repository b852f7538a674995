// The sweep of a bucket of columns.
// Source: Ericson, Real-Time Collision Detection (2005), section 7.5.2 (sort and sweep on arrays). Departures: several
// candidates at a time; boxes that rest are kept sorted apart and searched, not swept.
#pragma once

#include <abut/broadphase/detail/column_base.h>
#include <abut/broadphase/detail/record_scatter.h>
#include <abut/broadphase/detail/sweep_kernels.h>
#include <abut/broadphase/detail/workers.h>

#include <cstddef>

namespace abut::detail {

/// Finds the pairs between the boxes entered in `fresh`, and between those and the boxes of `base`, in the same
/// columns. At least one of the two must be an own box of the grid. Const and cheap to make; one for a grid and a call.
class ColumnSweep {
 public:
  ColumnSweep(const RecordScatter& fresh, const ColumnBase& base, Workers& workers)
      : fresh_(fresh), base_(base), workers_(workers), kernels_(best_sweep_kernels()) {}

  /// Thread-safe. A crowded column is swept by several tasks.
  void sweep_bucket(std::size_t bucket, Worker& worker) const;

 private:
  template <class Body>
  void for_parts(RunRange run, Worker& worker, const Body& body) const;
  void search_base(const SweepArrays& arrays, RunRange run, std::size_t column, std::size_t guests,
                   Worker& worker) const;

  const RecordScatter& fresh_;
  const ColumnBase& base_;
  Workers& workers_;
  const SweepKernels& kernels_;
};

}  // namespace abut::detail
