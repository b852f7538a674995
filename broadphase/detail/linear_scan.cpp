// A few boxes tested against all others: what is left when every grid has been tried.
#include <abut/broadphase/detail/linear_scan.h>
#include <abut/broadphase/detail/overlap_mask.h>
#include <abut/broadphase/detail/parallel_each.h>

#include <algorithm>
#include <bit>
#include <cstddef>

namespace abut::detail {
namespace {

constexpr std::size_t kBlock = 4096;  // boxes a task

class LinearScan {
 public:
  LinearScan(const ProxyTable& table, std::span<const std::uint32_t> queries)
      : table_(table), boxes_(table.widened()), queries_(queries) {}

  /// Changed queries against the ids begin ... end - 1.
  void scan_table(std::size_t begin, std::size_t end, PairWriter& writer) const {
    const SweepArrays arrays = {{boxes_.lower[0].data(), boxes_.lower[1].data(), boxes_.lower[2].data()},
                                {boxes_.upper[0].data(), boxes_.upper[1].data(), boxes_.upper[2].data()}};
    for (const std::uint32_t query : queries_) {
      if (!is_changed(query)) continue;
      const SweepBox box = arrays.box(query);
      std::size_t id = begin;
      for (; id + kLanes <= end; id += kLanes) {
        for (std::uint32_t mask = overlap_mask(arrays, id, box); mask != 0; mask &= mask - 1) {
          report_of_changed(query, id + static_cast<std::size_t>(std::countr_zero(mask)), writer);
        }
      }
      for (; id < end; ++id) report_of_changed(query, id, writer);
    }
  }

  /// Queries that rest against the changed ones among `ids`.
  void scan_fresh(std::span<const std::uint32_t> ids, PairWriter& writer) const {
    for (const std::uint32_t query : queries_) {
      if (is_changed(query)) continue;
      for (const std::uint32_t id : ids) {
        // Changed queries are left to scan_table().
        if (is_changed(id) && overlap(query, id) && table_.may_pair(query, id) && !is_query(id)) writer.add(query, id);
      }
    }
  }

 private:
  void report_of_changed(std::uint32_t query, std::size_t candidate, PairWriter& writer) const {
    const auto id = static_cast<std::uint32_t>(candidate);
    if (id == query || !overlap(query, id) || !table_.may_pair(query, id)) return;
    // Two changed queries meet from both sides.
    if (id < query && is_changed(id) && is_query(id)) return;
    writer.add(query, id);
  }
  [[nodiscard]] bool is_changed(std::uint32_t id) const { return (table_.states()[id] & ProxyTable::kChanged) != 0; }
  [[nodiscard]] bool is_query(std::uint32_t id) const {
    return std::binary_search(queries_.begin(), queries_.end(), id);
  }
  [[nodiscard]] bool overlap(std::uint32_t a, std::uint32_t b) const {
    bool overlap = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      overlap &= boxes_.lower[axis][a] <= boxes_.upper[axis][b] && boxes_.lower[axis][b] <= boxes_.upper[axis][a];
    }
    return overlap;
  }

  const ProxyTable& table_;
  const BoxArrays& boxes_;
  std::span<const std::uint32_t> queries_;
};

std::size_t blocks_of(std::size_t count) {
  return (count + kBlock - 1) / kBlock;
}

}  // namespace

void scan_linearly(const ProxyTable& table, std::span<const std::uint32_t> queries,
                   std::span<const std::uint32_t> fresh, PairPool& pool) {
  if (queries.empty()) return;
  const LinearScan scan(table, queries);
  const std::size_t ids = table.id_bound();
  parallel_each(blocks_of(ids), [&scan, &pool, ids](std::size_t block) {
    PairWriter writer(pool);
    scan.scan_table(block * kBlock, std::min((block + 1) * kBlock, ids), writer);
  });
  parallel_each(blocks_of(fresh.size()), [&scan, &pool, fresh](std::size_t block) {
    PairWriter writer(pool);
    scan.scan_fresh(fresh.subspan(block * kBlock, std::min(kBlock, fresh.size() - block * kBlock)), writer);
  });
}

}  // namespace abut::detail
