// What pairs remember from step to step. Each pair has a place that stays its own for as long as it is a candidate, so
// that a step reads there what the last one has written and nothing is copied.
#pragma once

#include <abut/core/prefetch.h>
#include <abut/narrowphase/separation.h>
#include <abut/world/body.h>
#include <abut/world/detail/vector_bytes.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace abut::detail {

/// When a pair was last looked at, and what was known then.
struct alignas(32) PairHistory {
  std::uint64_t looked_in = 0;                            ///< The step; 0: never.
  double gap = -std::numeric_limits<double>::infinity();  ///< The two were at least so far apart, metres.
  double travel = 0.0;                                    ///< BodyMotion::travel of both together.
  std::uint32_t contact = kNoContact;                     ///< Its place among the contacts of the last step.

  static constexpr std::uint32_t kNoContact = ~std::uint32_t{0};
};

/// The candidates of one frame in slot order, and the place of each in PairMemory.
struct Candidates {
  std::vector<BodyPair> pairs;
  std::vector<std::uint32_t> places;
};

class PairMemory {
 public:
  /// Gives every pair its place: that of the last frame to one that was a candidate in it, a free one, which remembers
  /// nothing, to any other. The places of pairs that are candidates no more are free from then on. Pairs are matched by
  /// slots and generations: a body in a reused slot starts cold.
  /// @param last        Those of the last frame, with the places that they were given then, which are overwritten. They
  ///                    are exactly those of the last call, or those that append() has given places.
  /// @param candidates  In slot order; their places are written.
  void update(Candidates& last, Candidates& candidates);

  /// Several threads may each use places of their own.
  [[nodiscard]] PairCache& cache(std::uint32_t place) { return entries_[place].cache; }
  [[nodiscard]] const PairCache& cache(std::uint32_t place) const { return entries_[place].cache; }
  [[nodiscard]] PairHistory& history(std::uint32_t place) { return histories_[place]; }
  [[nodiscard]] const PairHistory& history(std::uint32_t place) const { return histories_[place]; }
  /// Fetches a cache ahead of its use.
  void fetch_cache(std::uint32_t place) const {
    static_assert(sizeof(Entry) == 2 * kLine);
    const auto* const first = reinterpret_cast<const char*>(&entries_[place]);
    prefetch(first);
    prefetch(first + kLine);
  }

  /// Makes a pair start cold.
  void forget(std::uint32_t place);
  /// Makes all pairs be looked at again; they keep their caches and their contacts of the last step.
  void forget_histories();

  /// A place for a pair that is read back, which the next update() finds in the last frame.
  std::uint32_t append(const PairCache& cache, const PairHistory& history);

  /// Bytes held. They follow the largest number of candidates that there have been at once.
  [[nodiscard]] std::size_t bytes() const { return vector_bytes(entries_, histories_, free_, tasks_); }

 private:
  static constexpr std::size_t kLine = 64;  // bytes of a line of the cache
  struct alignas(kLine) Entry {
    PairCache cache;
  };

  /// What one task of update() has found.
  struct Task {
    std::size_t unknown;          ///< Pairs that have no place yet.
    std::uint32_t first_unknown;  ///< The first of them; each has the number of the next one in the place's stead.
    std::size_t freed_begin;      ///< The places that have become free stand in those of the last frame, from here ...
    std::size_t freed_end;        ///< ... up to here.
  };

  static void match(Candidates& last, Candidates& candidates, std::size_t begin, std::size_t end, Task& task);
  void make_free(std::size_t count);
  void set_free(std::uint32_t place);
  [[nodiscard]] std::uint32_t take_free(std::size_t& word);

  std::vector<Entry> entries_;          // by place
  std::vector<PairHistory> histories_;  // by place
  std::vector<std::uint64_t> free_;     // a bit a place
  std::size_t free_count_ = 0;
  std::vector<Task> tasks_;  // scratch of update()
};

}  // namespace abut::detail
