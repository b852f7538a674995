// A few boxes tested against all others: what is left when every grid has been tried.
#include <abut/broadphase/detail/linear_scan.h>
#include <abut/broadphase/detail/rounding.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace abut::detail {
namespace {

constexpr std::size_t kScanBatch = 64;

bool overlap(const FloatBox& a, const FloatBox& b) {
  bool overlap = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    overlap &= a.lower[axis] <= b.upper[axis] && b.lower[axis] <= a.upper[axis];
  }
  return overlap;
}

}  // namespace

void LinearScan::scan_block(std::size_t block, Worker& worker) const {
  for (const std::uint32_t query : queries_) {
    const FloatBox box = boxes_.search_box(query);
    if (is_fresh(query)) {
      for (std::size_t id = fresh_.first(block); id < fresh_.last(block); id += kScanBatch) {
        scan_neighbours(query, box, id, std::min(kScanBatch, fresh_.last(block) - id), worker);
      }
      continue;
    }
    const std::span<const std::uint32_t> ids = fresh_.ids(block);
    for (std::size_t done = 0; done < ids.size(); done += kScanBatch) {
      const std::size_t n = std::min(kScanBatch, ids.size() - done);
      if (ids[done + n - 1] - ids[done] == n - 1) {
        scan_neighbours(query, box, ids[done], n, worker);
      } else {
        for (std::size_t k = 0; k < n; ++k) test(query, box, ids[done + k], worker);
      }
    }
  }
}

/// Candidates first ... first + count - 1. The loop over them has no branch: the compiler makes vector code of it.
void LinearScan::scan_neighbours(std::uint32_t query, const FloatBox& box, std::size_t first, std::size_t count,
                                 Worker& worker) const {
  const BoxArrays& boxes = boxes_.boxes();
  // Candidates are not widened here, so the query is, by more than both halves of the margin: a candidate's end that
  // widening brings to the query's has moved by up to two float steps more, 2^-22 of the coordinate where they meet.
  const float margin = boxes_.half_margin();
  FloatBox wide = box;
  for (std::size_t axis = 0; axis < 3 && margin > 0.0F; ++axis) {
    wide.lower[axis] = lowered(lowered(box.lower[axis], margin), 0x1p-21F * std::abs(box.lower[axis]));
    wide.upper[axis] = raised(raised(box.upper[axis], margin), 0x1p-21F * std::abs(box.upper[axis]));
  }
  const float* const lower_x = boxes.lower[0].data() + first;
  const float* const lower_y = boxes.lower[1].data() + first;
  const float* const lower_z = boxes.lower[2].data() + first;
  const float* const upper_x = boxes.upper[0].data() + first;
  const float* const upper_y = boxes.upper[1].data() + first;
  const float* const upper_z = boxes.upper[2].data() + first;
  std::array<std::uint32_t, kScanBatch> near;
  std::uint32_t any = 0;
  for (std::size_t k = 0; k < count; ++k) {
    near[k] = static_cast<std::uint32_t>(lower_x[k] <= wide.upper[0]) &
              static_cast<std::uint32_t>(upper_x[k] >= wide.lower[0]) &
              static_cast<std::uint32_t>(lower_y[k] <= wide.upper[1]) &
              static_cast<std::uint32_t>(upper_y[k] >= wide.lower[1]) &
              static_cast<std::uint32_t>(lower_z[k] <= wide.upper[2]) &
              static_cast<std::uint32_t>(upper_z[k] >= wide.lower[2]);
    any |= near[k];
  }
  if (any == 0) return;
  for (std::size_t k = 0; k < count; ++k) {
    if (near[k] != 0) test(query, box, static_cast<std::uint32_t>(first + k), worker);
  }
}

void LinearScan::test(std::uint32_t query, const FloatBox& box, std::uint32_t id, Worker& worker) const {
  if (id == query || !boxes_.contains(id) || !overlap(box, boxes_.search_box(id))) return;
  // Two fresh queries meet from both sides, a fresh one and one of the base from the side of the fresh one.
  if (is_fresh(query)) {
    if (id < query && is_fresh(id) && is_query(id)) return;
  } else if (!is_fresh(id) || is_query(id)) {
    return;
  }
  if (!context_.table->may_pair(query, id)) return;
  worker.sink.add(std::min(query, id), std::max(query, id), *context_.pool);
}

bool LinearScan::is_query(std::uint32_t id) const {
  return std::binary_search(queries_.begin(), queries_.end(), id);
}

}  // namespace abut::detail
