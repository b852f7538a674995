// Filters of the scene itself; layers, masks, groups and motion are the broad phase's. Nearly all pairs pass, so that
// each is written at once where it stands in the list of the broad phase, by all threads, and gaps are closed after.
#include <abut/world/detail/candidate_pairs.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace abut::detail {
namespace {

/// Pairs that one task takes; a pair costs some nanoseconds.
constexpr std::size_t kPairsATask = 1024;

bool passes(const ProxyPair& pair, const BodyTable& bodies, const IgnoredPairs& ignored) {
  return bodies.may_pair(pair.a, pair.b) && !ignored.contains(pair.a, pair.b);
}

}  // namespace

bool CandidateSelection::select(std::span<const ProxyPair> proxy_pairs, const BodyTable& bodies,
                                std::span<const std::uint8_t> has_moved, const IgnoredPairs& ignored,
                                PairAnswers& answers, std::span<const BodyPair> last,
                                std::vector<BodyPair>& candidates) {
  const std::size_t count = proxy_pairs.size();
  candidates.resize(count);
  tasks_.resize((count + kPairsATask - 1) / kPairsATask);
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, tasks_.size()),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t task = range.begin(); task != range.end(); ++task) {
          const std::size_t begin = task * kPairsATask;
          const std::size_t end = std::min(begin + kPairsATask, count);
          std::size_t next = begin;
          bool all_move = true;
          for (const ProxyPair& pair : proxy_pairs.subspan(begin, end - begin)) {
            if (!passes(pair, bodies, ignored)) continue;
            candidates[next++] = {bodies.id(pair.a), bodies.id(pair.b)};
            all_move &= (has_moved[pair.a] | has_moved[pair.b]) != 0;
          }
          tasks_[task] = {next - begin, !all_move};
        }
      },
      tbb::simple_partitioner());

  std::size_t total = 0;
  bool some_rest = false;
  for (std::size_t task = 0; task < tasks_.size(); ++task) {
    const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(task * kPairsATask);
    if (total != task * kPairsATask) {
      std::copy(first, first + static_cast<std::ptrdiff_t>(tasks_[task].kept),
                candidates.begin() + static_cast<std::ptrdiff_t>(total));
    }
    total += tasks_[task].kept;
    some_rest = some_rest || tasks_[task].some_rest;
  }
  candidates.resize(total);
  answers.apply(last, candidates);
  return some_rest;
}

}  // namespace abut::detail
