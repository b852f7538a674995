// What a task of the broad phase works with: scratch memory, and where it puts the pairs.
#pragma once

#include <abut/broadphase/detail/column_sorter.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/id_bits.h>
#include <abut/broadphase/detail/pair_chunks.h>
#include <abut/broadphase/detail/sweep_kernels.h>
#include <abut/broadphase/proxy_table.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace abut::detail {

/// What all tasks of a call share.
struct SweepContext {
  const ProxyTable* table = nullptr;  ///< Whose filters decide.
  const BoxTable* boxes = nullptr;    ///< What is swept: of the table, or in the place of its boxes.
  const IdBits* in_base = nullptr;    ///< Boxes of the base that have not changed since.
  PairChunkPool* pool = nullptr;
};

/// One for each task that runs at the same time.
struct Worker {
  SweepContext context;
  ColumnSorter sorter;
  PairSink sink;
  std::vector<std::uint32_t> scratch[3];
  std::vector<ProxyPair> dropped;
  std::vector<PairChunk*> chunks;

  struct Hits : HitBuffer {
    Worker* worker = nullptr;
  };
  Hits hits;

  Worker() {
    hits.worker = this;
    hits.drain = [](HitBuffer& buffer) { static_cast<Hits&>(buffer).worker->drain(); };
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Hands the hits on as pairs, without those that filters or age exclude.
  void drain() {
    for (std::size_t k = 0; k < hits.count; ++k) {
      const std::uint32_t either = hits.first[k] | hits.second[k];
      const std::uint32_t first = hits.first[k] & SweepWord::kIdMask;
      const std::uint32_t second = hits.second[k] & SweepWord::kIdMask;
      // Only the second one may be of the base.
      if ((either & (SweepWord::kFiltered | SweepWord::kBase)) != 0) {
        if ((either & SweepWord::kBase) != 0 && !context.in_base->contains(second)) continue;
        if ((either & SweepWord::kFiltered) != 0 && !context.table->may_pair(first, second)) continue;
      }
      sink.add(std::min(first, second), std::max(first, second), *context.pool);
    }
    hits.count = 0;
  }

  void make_room_like(const Worker& other) {
    sorter.make_room_like(other.sorter);
    for (std::size_t k = 0; k < 3; ++k) match_room(scratch[k], other.scratch[k]);
    match_room(dropped, other.dropped);
    if (chunks.capacity() < other.chunks.capacity()) chunks.reserve(other.chunks.capacity());
  }

  [[nodiscard]] std::size_t memory() const {
    return sizeof(*this) + sorter.memory() + sink.memory() + memory_of(scratch[0]) + memory_of(scratch[1]) +
           memory_of(scratch[2]) + memory_of(dropped) + memory_of(chunks);
  }
};

/// Workers on loan to tasks. A thread needs at most two at a time, where tasks that wait for parts of themselves do so
/// in isolation: one for a task, and one for a part.
class Workers {
 public:
  enum class For : std::uint8_t { task, part };

  /// Makes all workers ready for a call, in the arena that it runs in.
  void reset(const SweepContext& context, std::size_t buckets, unsigned bucket_shift) {
    context_ = context;
    buckets_ = buckets;
    bucket_shift_ = bucket_shift;
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    for (std::vector<Worker*>& free : free_) {
      while (free.size() < threads) free.push_back(&add());
    }
    match_room();
    for (const std::unique_ptr<Worker>& worker : all_) prepare(*worker);
  }

  /// Gives all the room that the neediest has had, since work falls to them by chance. Parts need none.
  void match_room() {
    const std::vector<Worker*>& for_tasks = free_[static_cast<std::size_t>(For::task)];
    for (const Worker* worker : for_tasks) for_tasks.front()->make_room_like(*worker);
    for (Worker* worker : for_tasks) worker->make_room_like(*for_tasks.front());
  }

  /// A loan: `Workers::Loan worker(workers, Workers::For::task); worker->...`. Thread-safe.
  class Loan {
   public:
    Loan(Workers& workers, For use) : workers_(workers), use_(use), worker_(workers.take(use)) {}
    ~Loan() { workers_.give_back(worker_, use_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    [[nodiscard]] Worker* operator->() const { return worker_; }
    [[nodiscard]] Worker& operator*() const { return *worker_; }

   private:
    Workers& workers_;
    For use_;
    Worker* worker_;
  };

  /// All of them; not while any is on loan.
  [[nodiscard]] std::span<const std::unique_ptr<Worker>> all() const { return all_; }

 private:
  Worker& add() {
    all_.push_back(std::make_unique<Worker>());
    return *all_.back();
  }
  void prepare(Worker& worker) const {
    worker.context = context_;
    worker.sink.reset(buckets_, bucket_shift_);
  }
  [[nodiscard]] Worker* take(For use) {
    const std::lock_guard lock(mutex_);
    std::vector<Worker*>& free = free_[static_cast<std::size_t>(use)];
    if (free.empty()) {  // more threads than the arena has places for
      Worker& worker = add();
      free.reserve(all_.size());
      prepare(worker);
      return &worker;
    }
    Worker* const worker = free.back();
    free.pop_back();
    return worker;
  }
  void give_back(Worker* worker, For use) {
    const std::lock_guard lock(mutex_);
    free_[static_cast<std::size_t>(use)].push_back(worker);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> all_;
  std::vector<Worker*> free_[2];  // by what they are for
  SweepContext context_;
  std::size_t buckets_ = 0;
  unsigned bucket_shift_ = 0;
};

}  // namespace abut::detail
