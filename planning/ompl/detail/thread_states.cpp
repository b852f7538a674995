// TBB's table of threads: a thread that has its state finds it without a lock.
#include <abut/planning/ompl/detail/thread_states.h>

#include <tbb/enumerable_thread_specific.h>

namespace abut::detail {

struct ThreadStates::Storage {
  explicit Storage(const ValidityChecker& checker) : states([checker] { return ValidityChecker::State(checker); }) {}

  tbb::enumerable_thread_specific<ValidityChecker::State> states;
};

ThreadStates::ThreadStates(const ValidityChecker& checker) : storage_(std::make_unique<Storage>(checker)) {}

ThreadStates::~ThreadStates() = default;

ValidityChecker::State& ThreadStates::local() const {
  return storage_->states.local();
}

}  // namespace abut::detail
