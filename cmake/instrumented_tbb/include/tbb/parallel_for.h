// tbb::parallel_for of the thread sanitizer build: over a blocked_range, and over indices.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/detail/team.h>
#include <tbb/partitioner.h>

#include <cstddef>
#include <type_traits>

namespace tbb {

template <typename Value, typename Body, typename... Partitioner>
void parallel_for(const blocked_range<Value>& range, const Body& body, Partitioner&&...) {
  using Difference = decltype(range.end() - range.begin());
  if (range.empty()) return;
  detail::run_team(range.size(), range.grainsize(), [&](std::size_t begin, std::size_t end) {
    body(blocked_range<Value>(static_cast<Value>(range.begin() + static_cast<Difference>(begin)),
                              static_cast<Value>(range.begin() + static_cast<Difference>(end)), range.grainsize()));
  });
}

template <typename Index, typename Function, typename... Partitioner>
requires std::is_integral_v<Index> && std::is_invocable_v<const Function&, Index>
void parallel_for(Index first, Index last, const Function& function, Partitioner&&...) {
  if (!(first < last)) return;
  detail::run_team(static_cast<std::size_t>(last - first), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) function(static_cast<Index>(first + static_cast<Index>(i)));
  });
}

}  // namespace tbb
