// A few boxes tested against all others: what is left when every grid has been tried.
#pragma once

#include <abut/broadphase/detail/id_blocks.h>
#include <abut/broadphase/detail/workers.h>

#include <cstdint>
#include <span>

namespace abut::detail {

/// Finds the pairs of which one box is a query and at least one is fresh, that is, not in the base.
/// @param queries  Ids, ascending; a few. A fresh one is tested against every box of the table, one of the base against
///                 the fresh boxes.
/// @param fresh    Every fresh box.
void scan_linearly(const SweepContext& context, std::span<const std::uint32_t> queries, const IdBlocks& fresh,
                   Workers& workers);

}  // namespace abut::detail
