// tbb::parallel_reduce of the thread sanitizer build: over a blocked_range, with a function for parts and one that
// joins what they gave, in the order of the range.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/detail/team.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace tbb {

template <typename Value, typename Result, typename Body, typename Join, typename... Partitioner>
Result parallel_reduce(const blocked_range<Value>& range, const Result& identity, const Body& body, const Join& join,
                       Partitioner&&...) {
  using Difference = decltype(range.end() - range.begin());
  if (range.empty()) return identity;
  std::mutex mutex;
  std::vector<std::pair<std::size_t, Result>> parts;  // by where each begins
  detail::run_team(range.size(), range.grainsize(), [&](std::size_t begin, std::size_t end) {
    Result part =
        body(blocked_range<Value>(static_cast<Value>(range.begin() + static_cast<Difference>(begin)),
                                  static_cast<Value>(range.begin() + static_cast<Difference>(end)), range.grainsize()),
             identity);
    const std::lock_guard lock(mutex);
    parts.emplace_back(begin, std::move(part));
  });
  std::sort(parts.begin(), parts.end(), [](const auto& p, const auto& q) { return p.first < q.first; });
  Result result = std::move(parts.front().second);
  for (std::size_t i = 1; i < parts.size(); ++i) result = join(result, parts[i].second);
  return result;
}

}  // namespace tbb
