// A few boxes tested against all others: what is left when every grid has been tried.
#pragma once

#include <abut/broadphase/detail/id_blocks.h>
#include <abut/broadphase/detail/workers.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// Finds the pairs of which one box is a query and at least one is fresh, that is, not in the base. Const and cheap to
/// make; one for a call.
class LinearScan {
 public:
  /// @param queries  Ids, ascending; a few. A fresh one is tested against every box of the table, one of the base
  ///                 against the fresh boxes.
  /// @param fresh    Every fresh box.
  LinearScan(const SweepContext& context, std::span<const std::uint32_t> queries, const IdBlocks& fresh)
      : context_(context), boxes_(*context.boxes), queries_(queries), fresh_(fresh) {}

  /// Parts of the work.
  [[nodiscard]] std::size_t blocks() const { return queries_.empty() ? 0 : fresh_.blocks(); }
  /// Thread-safe.
  void scan_block(std::size_t block, Worker& worker) const;

 private:
  void scan_neighbours(std::uint32_t query, const FloatBox& box, std::size_t first, std::size_t count,
                       Worker& worker) const;
  void test(std::uint32_t query, const FloatBox& box, std::uint32_t id, Worker& worker) const;
  [[nodiscard]] bool is_fresh(std::uint32_t id) const { return !context_.in_base->contains(id); }
  [[nodiscard]] bool is_query(std::uint32_t id) const;

  const SweepContext& context_;
  const BoxTable& boxes_;
  std::span<const std::uint32_t> queries_;
  const IdBlocks& fresh_;
};

}  // namespace abut::detail
