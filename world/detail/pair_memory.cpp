// Two sorted lists of candidates merged, by all threads; then places for the pairs that are new, one after another.
#include <abut/world/detail/pair_memory.h>
#include <abut/world/detail/slot_order.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <array>
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

/// @return The first of the pairs that were no candidates in the last frame, or kNone. They have no place yet, but each
///         the number of the next one, the last kNone.
std::uint32_t PairMemory::find_known(const Candidates& last, Candidates& candidates, std::size_t begin,
                                     std::size_t end) {
  std::uint32_t first_unknown = kNone;
  std::uint32_t* last_unknown = &first_unknown;
  // Marks are bytes, which the compiler lets alias all that is not a local.
  const std::span<const BodyPair> last_pairs = last.pairs;
  const std::span<const BodyPair> pairs = candidates.pairs;
  const std::span<std::uint32_t> places = candidates.places;
  const std::uint32_t* const last_places = last.places.data();
  std::uint8_t* const marks = marks_.data();
  const std::uint8_t mark = mark_;
  auto known = std::lower_bound(last_pairs.begin(), last_pairs.end(), pairs[begin], SlotOrder());
  for (std::size_t i = begin; i < end; ++i) {
    const BodyPair pair = pairs[i];
    // Most likely the next one of the last frame.
    if (known != last_pairs.end() && !is_same(*known, pair)) {
      while (known != last_pairs.end() && SlotOrder()(*known, pair)) ++known;
    }
    if (known != last_pairs.end() && is_same(*known, pair)) {
      const std::uint32_t place = last_places[known++ - last_pairs.begin()];
      places[i] = place;
      marks[place] = mark;
    } else {
      *last_unknown = static_cast<std::uint32_t>(i);
      last_unknown = &places[i];
    }
  }
  *last_unknown = kNone;
  return first_unknown;
}

/// @param next  No place before it is free; moved on.
std::uint32_t PairMemory::take_free(std::size_t& next) {
  // Most are in use: as many at a time as a register holds.
  std::array<std::uint8_t, 8> in_use;
  in_use.fill(mark_);
  while (next + in_use.size() <= marks_.size() &&
         std::memcmp(marks_.data() + next, in_use.data(), in_use.size()) == 0) {
    next += in_use.size();
  }
  while (next < marks_.size() && marks_[next] == mark_) ++next;
  const auto place = static_cast<std::uint32_t>(next++);
  if (place == marks_.size()) return append(PairCache(), PairHistory());
  marks_[place] = mark_;
  forget(place);
  return place;
}

void PairMemory::update(const Candidates& last, Candidates& candidates) {
  const std::size_t count = candidates.pairs.size();
  candidates.places.resize(count);
  unknown_.resize((count + kPairsATask - 1) / kPairsATask);
  ++mark_;
  const auto end_of = [count](std::size_t task) { return std::min((task + 1) * kPairsATask, count); };
  const auto find = [&](std::size_t task) {
    unknown_[task] = find_known(last, candidates, task * kPairsATask, end_of(task));
  };
  if (unknown_.size() == 1) {
    find(0);
  } else {
    tbb::parallel_for(std::size_t{0}, unknown_.size(), find, tbb::simple_partitioner());
  }

  if (marks_.size() < count) {
    entries_.resize(count);
    histories_.resize(count);
    marks_.resize(count, static_cast<std::uint8_t>(mark_ - 1));
  }
  std::size_t next = 0;
  for (std::uint32_t i : unknown_) {
    while (i != kNone) i = std::exchange(candidates.places[i], take_free(next));
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
  marks_.push_back(mark_);
  return static_cast<std::uint32_t>(marks_.size() - 1);
}

}  // namespace abut::detail
