// The sweep of a bucket of columns.
#include <abut/broadphase/detail/column_sweep.h>
#include <abut/broadphase/detail/parallel_each.h>

#include <algorithm>

namespace abut::detail {
namespace {

// Runs longer than twice this are swept in parts, so that a crowded column, or the only one of a small scene, is not
// the work of one thread. A part takes some microseconds.
constexpr std::size_t kRunPart = 160;

/// The part of a run that boxes from `part` on may begin before.
RunRange from_first_of(const SweepArrays& arrays, RunRange part, RunRange other) {
  const float* const lower = arrays.lower[0];
  const float* const start = std::lower_bound(lower + other.begin, lower + other.end, lower[part.begin]);
  return {static_cast<std::size_t>(start - lower), other.end};
}

}  // namespace

/// Calls body(part, worker) for the parts of a run: for the whole run where it is short, else in parallel.
template <class Body>
void ColumnSweep::for_parts(RunRange run, Worker& worker, const Body& body) const {
  const std::size_t parts = (run.size() + kRunPart - 1) / kRunPart;
  if (parts <= 2 || is_serial(parts)) {
    body(run, worker);
    return;
  }
  parallel_parts(parts, workers_, [run, &body](std::size_t part, Worker& part_worker) {
    const std::size_t begin = run.begin + part * kRunPart;
    body(RunRange{begin, std::min(begin + kRunPart, run.end)}, part_worker);
    part_worker.drain();
  });
}

void ColumnSweep::sweep_bucket(std::size_t bucket, Worker& worker) const {
  const std::span<const ColumnRecord> records = fresh_.bucket(bucket);
  if (records.empty()) return;
  const std::size_t columns = fresh_.columns_per_bucket();
  worker.sorter.sort(records, columns);
  const SweepArrays arrays = worker.sorter.arrays();
  for (std::size_t k = 0; k < columns; ++k) {
    const RunRange own = worker.sorter.run(2 * k);
    const RunRange guests = worker.sorter.run(2 * k + 1);
    if (own.size() > 1) {
      for_parts(own, worker,
                [&](RunRange part, Worker& part_worker) { kernels_.sweep_self(arrays, part, part_worker.hits); });
    }
    if (!own.is_empty() && !guests.is_empty()) {
      for_parts(own, worker, [&](RunRange part, Worker& part_worker) {
        kernels_.sweep_later(arrays, part, arrays, from_first_of(arrays, part, guests), true, part_worker.hits);
      });
      for_parts(guests, worker, [&](RunRange part, Worker& part_worker) {
        kernels_.sweep_later(arrays, part, arrays, from_first_of(arrays, part, own), false, part_worker.hits);
      });
    }
    if (base_.is_empty()) continue;
    const std::size_t column = bucket * columns + k;
    search_base(arrays, own, column, 0, worker);
    search_base(arrays, own, column, 1, worker);
    search_base(arrays, guests, column, 0, worker);
  }
  worker.drain();
}

/// Pairs of a run with one of the base. The base is not walked through, being the larger by far: a box that overlaps
/// another begins at most the longest length of its run before it.
void ColumnSweep::search_base(const SweepArrays& arrays, RunRange run, std::size_t column, std::size_t guests,
                              Worker& worker) const {
  const RunRange base_run = base_.run(column, guests);
  if (run.is_empty() || base_run.is_empty()) return;
  for_parts(run, worker, [&](RunRange part, Worker& part_worker) {
    kernels_.search(arrays, part, base_.arrays(), base_run, base_.longest(column, guests), part_worker.hits);
  });
}

}  // namespace abut::detail
