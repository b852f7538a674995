// A loop over an index range by a team of std::threads: what the thread sanitizer build has for oneTBB's scheduler.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tbb::detail {

/// More than one on any machine, so that loops do run in parallel under the sanitizer.
inline constexpr int kDefaultThreads = 4;

/// Where the calling thread stands.
struct ThreadState {
  int concurrency = kDefaultThreads;  ///< Of the arena.
  int index = 0;                      ///< In the team, 0 for the caller.
  bool in_loop = false;               ///< A nested loop runs on the thread that meets it.
};

inline ThreadState& this_thread() {
  thread_local ThreadState state;
  return state;
}

/// The smallest limit of all living global_control objects.
inline std::atomic<int>& thread_limit() {
  static std::atomic<int> limit = 1 << 16;
  return limit;
}

inline int team_size() {
  return std::min(this_thread().concurrency, thread_limit().load());
}

/// Calls chunk(begin, end) for parts of [0, count) that together cover it once; returns when all have. The first
/// exception of a chunk ends the loop early and is thrown again.
template <typename Chunk>
void run_team(std::size_t count, std::size_t grain, const Chunk& chunk) {
  if (count == 0) return;
  const ThreadState caller = this_thread();
  const std::size_t step = std::max<std::size_t>(grain, 1);
  const std::size_t threads = std::min(static_cast<std::size_t>(team_size()), (count + step - 1) / step);
  if (threads <= 1 || caller.in_loop) {
    chunk(std::size_t{0}, count);
    return;
  }

  const std::size_t chunk_size = std::max(step, count / (4 * threads));
  std::atomic<std::size_t> next = 0;
  std::mutex error_mutex;
  std::exception_ptr error;
  const auto work = [&](int index) {
    ThreadState& state = this_thread();
    const ThreadState before = state;
    state = {caller.concurrency, index, true};
    try {
      for (std::size_t begin; (begin = next.fetch_add(chunk_size)) < count;)
        chunk(begin, std::min(begin + chunk_size, count));
    } catch (...) {
      next = count;
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
    }
    state = before;
  };

  std::vector<std::thread> helpers;
  helpers.reserve(threads - 1);
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work, static_cast<int>(i));
  work(0);
  for (std::thread& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace tbb::detail
