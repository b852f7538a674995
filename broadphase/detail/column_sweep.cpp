// The sweep of a bucket of columns.
#include <abut/broadphase/detail/column_sweep.h>
#include <abut/broadphase/detail/overlap_mask.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/rounding.h>

#include <algorithm>
#include <bit>

namespace abut::detail {
namespace {

// Runs longer than this are swept in parts, so that a crowded column is not the work of one thread.
constexpr std::size_t kRunPart = 512;

/// Calls body(part, writer) for the parts of a run: for the whole run where it is short, else in parallel.
template <class Body>
void for_parts(RunRange run, PairWriter& writer, const Body& body) {
  if (run.size() <= kRunPart) {
    body(run, writer);
    return;
  }
  parallel_each((run.size() + kRunPart - 1) / kRunPart, [run, &writer, &body](std::size_t part) {
    const std::size_t begin = run.begin + part * kRunPart;
    PairWriter part_writer(writer.pool());
    body(RunRange{begin, std::min(begin + kRunPart, run.end)}, part_writer);
  });
}

/// Calls hit(j) for the candidates that begin no later than `box` ends and overlap it across the sweep.
template <class Hit>
void scan(const SweepArrays& arrays, RunRange candidates, const SweepBox& box, const Hit& hit) {
  for (std::size_t j = candidates.begin; j < candidates.end && arrays.lower[0][j] <= box.upper[0]; j += kLanes) {
    std::uint32_t mask = overlap_mask(arrays, j, box);
    const std::size_t left = candidates.end - j;
    if (left < kLanes) mask &= (std::uint32_t{1} << left) - 1;
    for (; mask != 0; mask &= mask - 1) hit(j + static_cast<std::size_t>(std::countr_zero(mask)));
  }
}

}  // namespace

void ColumnSweep::sweep_bucket(std::size_t bucket, PairPool& pool) const {
  if (fresh_.is_empty(bucket)) return;
  PairWriter writer(pool);
  const std::size_t columns = fresh_.columns_per_bucket();
  for (std::size_t column = bucket * columns; column < (bucket + 1) * columns; ++column) sweep_column(column, writer);
}

void ColumnSweep::sweep_column(std::size_t column, PairWriter& writer) const {
  const RunRange own_changed = fresh_.run(column, ColumnRecords::own_changed);
  const RunRange guest_changed = fresh_.run(column, ColumnRecords::guest_changed);
  if (own_changed.is_empty() && guest_changed.is_empty()) return;
  const RunRange own_still = fresh_.run(column, ColumnRecords::own_still);
  sweep_self(own_changed, writer);
  sweep_cross(own_changed, own_still, writer);
  sweep_cross(own_changed, guest_changed, writer);
  sweep_cross(own_changed, fresh_.run(column, ColumnRecords::guest_still), writer);
  sweep_cross(own_still, guest_changed, writer);
  if (base_.is_empty()) return;
  search_base(own_changed, column, ColumnRecords::own_still, writer);
  search_base(own_changed, column, ColumnRecords::guest_still, writer);
  search_base(guest_changed, column, ColumnRecords::own_still, writer);
}

/// Pairs within a run.
void ColumnSweep::sweep_self(RunRange run, PairWriter& writer) const {
  if (run.size() < 2) return;
  const SweepArrays arrays = fresh_.arrays();
  for_parts(run, writer, [this, run, &arrays](RunRange part, PairWriter& part_writer) {
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const std::uint32_t word = fresh_.word(i);
      scan(arrays, {i + 1, run.end}, arrays.box(i),
           [this, word, &part_writer](std::size_t j) { report(word, fresh_.word(j), part_writer); });
    }
  });
}

/// Pairs between two runs.
void ColumnSweep::sweep_cross(RunRange run, RunRange other, PairWriter& writer) const {
  if (run.is_empty() || other.is_empty()) return;
  sweep_one_way<true>(run, other, writer);
  sweep_one_way<false>(other, run, writer);
}

/// Pairs in which the box of `run` begins first; equal beginnings only when kTies.
template <bool kTies>
void ColumnSweep::sweep_one_way(RunRange run, RunRange other, PairWriter& writer) const {
  const SweepArrays arrays = fresh_.arrays();
  for_parts(run, writer, [this, other, &arrays](RunRange part, PairWriter& part_writer) {
    const float* const begin = arrays.lower[0] + other.begin;
    const float* const end = arrays.lower[0] + other.end;
    const float first = arrays.lower[0][part.begin];
    const float* start = kTies ? std::lower_bound(begin, end, first) : std::upper_bound(begin, end, first);
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const float lower = arrays.lower[0][i];
      while (start != end && (kTies ? *start < lower : *start <= lower)) ++start;
      if (start == end) break;
      const std::uint32_t word = fresh_.word(i);
      scan(arrays, {static_cast<std::size_t>(start - arrays.lower[0]), other.end}, arrays.box(i),
           [this, word, &part_writer](std::size_t j) { report(word, fresh_.word(j), part_writer); });
    }
  });
}

/// Pairs of a run of `fresh` with one of `base`. The base is not walked through, being the larger by far: a box that
/// overlaps another begins at most the longest length of its run before it.
void ColumnSweep::search_base(RunRange run, std::size_t column, ColumnRecords::Run kind, PairWriter& writer) const {
  const RunRange base_run = base_.run(column, kind);
  if (run.is_empty() || base_run.is_empty()) return;
  const SweepArrays arrays = fresh_.arrays();
  const SweepArrays base = base_.arrays();
  const float reach = base_.longest(column, kind);
  for_parts(run, writer, [this, base_run, reach, &arrays, &base](RunRange part, PairWriter& part_writer) {
    const float* start = base.lower[0] + base_run.begin;
    const float* const end = base.lower[0] + base_run.end;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const SweepBox box = arrays.box(i);
      if (reach < kLargestFloat) start = std::lower_bound(start, end, lowered(box.lower[0], reach));
      const std::uint32_t word = fresh_.word(i);
      scan(base, {static_cast<std::size_t>(start - base.lower[0]), base_run.end}, box,
           [this, word, &box, &base, &part_writer](std::size_t j) {
             const std::uint32_t other = base_.word(j);
             if (base.upper[0][j] < box.lower[0] || in_base_[other & ColumnRecords::kIdMask] == 0) return;
             report(word, other, part_writer);
           });
    }
  });
}

/// Reports two overlapping boxes of a column unless another column does, or they are not to meet.
void ColumnSweep::report(std::uint32_t word, std::uint32_t other, PairWriter& writer) const {
  constexpr std::uint32_t kFirst = ColumnRecords::kFirstU | ColumnRecords::kFirstV;
  if (((word | other) & kFirst) != kFirst || (word & other & ColumnRecords::kFixed) != 0) return;
  const std::uint32_t a = word & ColumnRecords::kIdMask;
  const std::uint32_t b = other & ColumnRecords::kIdMask;
  if (((word | other) & ColumnRecords::kFiltered) != 0 && !table_.may_pair(a, b)) return;
  writer.add(a, b);
}

}  // namespace abut::detail
