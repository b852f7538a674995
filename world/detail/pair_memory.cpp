// Two sorted lists of candidates merged, by all threads; then places for the pairs that are new, one after another.
#include <abut/core/assert.h>
#include <abut/world/detail/pair_memory.h>
#include <abut/world/detail/slot_order.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace abut::detail {
namespace {

/// Pairs that one task takes; a pair costs some nanoseconds.
constexpr std::size_t kPairsATask = 1024;

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// In two comparisons.
bool is_same(const BodyPair& p, const BodyPair& q) {
  static_assert(std::has_unique_object_representations_v<BodyPair>);
  return std::memcmp(&p, &q, sizeof(BodyPair)) == 0;
}

}  // namespace

/// Gives the pairs begin ... end - 1 the places that they had, and lists those of the pairs that are candidates no
/// more, in the part of the last frame from where these pairs begin to where the next ones do.
void PairMemory::match(Candidates& last, Candidates& candidates, std::size_t begin, std::size_t end, Task& task) {
  const std::span<const BodyPair> last_pairs = last.pairs;
  const std::span<const BodyPair> pairs = candidates.pairs;
  const auto place_in_last = [&](std::size_t i) {
    const auto place = std::lower_bound(last_pairs.begin(), last_pairs.end(), pairs[i], SlotOrder());
    return static_cast<std::size_t>(place - last_pairs.begin());
  };
  std::size_t known = begin == 0 ? 0 : place_in_last(begin);
  const std::size_t known_end = end == pairs.size() ? last_pairs.size() : place_in_last(end);
  task.unknown = 0;
  task.freed_begin = known;
  task.freed_end = known;
  const auto free_next = [&] { last.places[task.freed_end++] = last.places[known++]; };
  std::uint32_t* last_unknown = &task.first_unknown;
  for (std::size_t i = begin; i < end; ++i) {
    const BodyPair pair = pairs[i];
    // Most likely the next one of the last frame.
    if (known != known_end && !is_same(last_pairs[known], pair)) {
      while (known != known_end && SlotOrder()(last_pairs[known], pair)) free_next();
    }
    if (known != known_end && is_same(last_pairs[known], pair)) {
      candidates.places[i] = last.places[known++];
    } else {
      *last_unknown = static_cast<std::uint32_t>(i);
      last_unknown = &candidates.places[i];
      ++task.unknown;
    }
  }
  *last_unknown = kNone;
  while (known != known_end) free_next();
}

void PairMemory::set_free(std::uint32_t place) {
  const std::uint64_t bit = std::uint64_t{1} << (place % 64);
  ABUT_ASSERT((free_[place / 64] & bit) == 0);
  free_[place / 64] |= bit;
  ++free_count_;
}

/// Makes so many places free, if there are not yet.
void PairMemory::make_free(std::size_t count) {
  if (free_count_ >= count) return;
  const std::size_t begin = histories_.size();
  const std::size_t end = begin + count - free_count_;
  entries_.resize(end);
  histories_.resize(end);
  free_.resize(end / 64 + 1);
  for (std::size_t place = begin; place < end; ++place) set_free(static_cast<std::uint32_t>(place));
}

/// The lowest free place, so that those of pairs that follow each other stay near each other.
/// @param word  None before it has a free place; moved on.
std::uint32_t PairMemory::take_free(std::size_t& word) {
  while (free_[word] == 0) ++word;
  const auto place = static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(free_[word]));
  free_[word] &= free_[word] - 1;
  --free_count_;
  forget(place);
  return place;
}

void PairMemory::update(Candidates& last, Candidates& candidates) {
  ABUT_ASSERT(last.places.size() == last.pairs.size());
  const std::size_t count = candidates.pairs.size();
  candidates.places.resize(count);
  tasks_.resize(std::max<std::size_t>(1, (count + kPairsATask - 1) / kPairsATask));
  const auto match_task = [&](std::size_t k) {
    match(last, candidates, k * kPairsATask, std::min((k + 1) * kPairsATask, count), tasks_[k]);
  };
  if (tasks_.size() == 1) {
    match_task(0);
  } else {
    tbb::parallel_for(std::size_t{0}, tasks_.size(), match_task, tbb::simple_partitioner());
  }

  std::size_t unknown = 0;
  for (const Task& task : tasks_) {
    for (std::size_t i = task.freed_begin; i < task.freed_end; ++i) set_free(last.places[i]);
    unknown += task.unknown;
  }
  make_free(unknown);
  std::size_t word = 0;
  for (const Task& task : tasks_) {
    for (std::uint32_t i = task.first_unknown; i != kNone;) i = std::exchange(candidates.places[i], take_free(word));
  }
}

void PairMemory::forget(std::uint32_t place) {
  entries_[place].cache = PairCache();
  histories_[place] = PairHistory();
}

void PairMemory::forget_histories() {
  for (PairHistory& history : histories_) history = {.contact = history.contact};
}

std::uint32_t PairMemory::append(const PairCache& cache, const PairHistory& history) {
  entries_.push_back({cache});
  histories_.push_back(history);
  free_.resize(histories_.size() / 64 + 1);
  return static_cast<std::uint32_t>(histories_.size() - 1);
}

}  // namespace abut::detail
