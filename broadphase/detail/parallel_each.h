// Parallel loops over indices in the caller's TBB arena.
#pragma once

#include <abut/broadphase/detail/workers.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>

namespace abut::detail {

/// Whether so many pieces of work are best done one after another: tasks take a microsecond.
inline bool is_serial(std::size_t count) {
  return count <= 1 || tbb::this_task_arena::max_concurrency() == 1;
}

/// Calls body(i) for i = 0 ... count - 1, from several threads in no particular order.
template <class Body>
void parallel_each(std::size_t count, const Body& body) {
  if (is_serial(count)) {
    for (std::size_t i = 0; i < count; ++i) body(i);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&body](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) body(i);
  });
}

/// Calls body(i, worker) for i = 0 ... count - 1, with a worker that no other task uses meanwhile.
template <class Body>
void parallel_each(std::size_t count, Workers& workers, const Body& body, Workers::For use = Workers::For::task) {
  if (count == 0) return;
  if (is_serial(count)) {
    const Workers::Loan worker(workers, use);
    for (std::size_t i = 0; i < count; ++i) body(i, *worker);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count),
                    [&workers, &body, use](const tbb::blocked_range<std::size_t>& range) {
                      const Workers::Loan worker(workers, use);
                      for (std::size_t i = range.begin(); i != range.end(); ++i) body(i, *worker);
                    });
}

/// The same inside a task that has a worker itself. Until all is done its thread takes no task but these.
template <class Body>
void parallel_parts(std::size_t count, Workers& workers, const Body& body) {
  tbb::this_task_arena::isolate([&] { parallel_each(count, workers, body, Workers::For::part); });
}

}  // namespace abut::detail
