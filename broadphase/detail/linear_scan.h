// A few boxes tested against all others: what is left when every grid has been tried.
#pragma once

#include <abut/broadphase/detail/pair_pool.h>
#include <abut/broadphase/proxy_table.h>

#include <cstdint>
#include <span>

namespace abut::detail {

/// Reports the pairs of which one box is a query and at least one has changed.
/// @param queries  Ids, ascending; a few. One that has changed is tested against every box of the table, one that has
///                 not against the changed boxes.
/// @param fresh    Ids, every changed box among them.
void scan_linearly(const ProxyTable& table, std::span<const std::uint32_t> queries,
                   std::span<const std::uint32_t> fresh, PairPool& pool);

}  // namespace abut::detail
