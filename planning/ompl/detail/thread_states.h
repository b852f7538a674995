// A checker's State for every thread that asks, as OMPL calls validity checkers from any thread.
#pragma once

#include <abut/planning/validity_checker.h>

#include <memory>

namespace abut::detail {

class ThreadStates {
 public:
  explicit ThreadStates(const ValidityChecker& checker);
  ~ThreadStates();
  ThreadStates(const ThreadStates&) = delete;
  ThreadStates& operator=(const ThreadStates&) = delete;

  /// The calling thread's, made at its first call.
  [[nodiscard]] ValidityChecker::State& local() const;

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

}  // namespace abut::detail
