// tbb::global_control of the thread sanitizer build: the limit on the number of threads.
#pragma once

#include <tbb/detail/team.h>

#include <algorithm>
#include <cstddef>

namespace tbb {

class global_control {
 public:
  enum parameter { max_allowed_parallelism };

  global_control(parameter, std::size_t value) : before_(detail::thread_limit().load()) {
    detail::thread_limit() = std::min(before_, static_cast<int>(value));
  }
  ~global_control() { detail::thread_limit() = before_; }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;

  static std::size_t active_value(parameter) { return static_cast<std::size_t>(detail::team_size()); }

 private:
  int before_;
};

}  // namespace tbb
