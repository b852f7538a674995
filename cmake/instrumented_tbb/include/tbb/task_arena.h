// tbb::task_arena of the thread sanitizer build: the number of threads that a loop inside of it uses.
#pragma once

#include <tbb/detail/team.h>

#include <utility>

namespace tbb {

class task_arena {
 public:
  static constexpr int automatic = -1;

  explicit task_arena(int max_concurrency = automatic, unsigned /*reserved_for_masters*/ = 1)
      : concurrency_(max_concurrency == automatic ? detail::kDefaultThreads : max_concurrency) {}

  void initialize() {}
  void initialize(int max_concurrency, unsigned /*reserved_for_masters*/ = 1) { concurrency_ = max_concurrency; }
  int max_concurrency() const { return concurrency_; }

  template <typename Function>
  decltype(auto) execute(Function&& function) {
    const Scope scope(concurrency_);
    return std::forward<Function>(function)();
  }

 private:
  class Scope {
   public:
    explicit Scope(int concurrency) : before_(detail::this_thread()) {
      detail::this_thread() = {concurrency, 0, false};
    }
    ~Scope() { detail::this_thread() = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    detail::ThreadState before_;
  };

  int concurrency_;
};

namespace this_task_arena {

inline int max_concurrency() {
  return detail::team_size();
}
inline int current_thread_index() {
  return detail::this_thread().index;
}

template <typename Function>
decltype(auto) isolate(Function&& function) {
  return std::forward<Function>(function)();
}

}  // namespace this_task_arena

}  // namespace tbb
