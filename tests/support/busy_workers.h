// TBB's worker threads, kept from the test's work for as long as it wants: what a busy machine does to them by chance.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstddef>
#include <thread>

namespace abut::samples {

/// Allows so many worker threads, and has all of them wait in an arena of their own until they are released.
class BusyWorkers {
 public:
  explicit BusyWorkers(int workers)
      : allowed_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers) + 1),
        arena_(workers, /*reserved_for_masters=*/0) {
    for (int k = 0; k < workers; ++k) {
      arena_.enqueue([this] {
        ++waiting_;
        released_.wait(false);
        --waiting_;
      });
    }
    while (waiting_ < workers) std::this_thread::yield();
  }
  ~BusyWorkers() { release(); }
  BusyWorkers(const BusyWorkers&) = delete;
  BusyWorkers& operator=(const BusyWorkers&) = delete;

  /// Lets them go, for good.
  void release() {
    released_ = true;
    released_.notify_all();
    while (waiting_ > 0) std::this_thread::yield();
  }

 private:
  std::atomic<bool> released_{false};
  std::atomic<int> waiting_{0};
  tbb::global_control allowed_;
  tbb::task_arena arena_;
};

}  // namespace abut::samples
