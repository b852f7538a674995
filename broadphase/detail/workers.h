// What a task of the broad phase works with: scratch memory, and where it puts the pairs.
#pragma once

#include <abut/broadphase/detail/column_sorter.h>
#include <abut/broadphase/detail/grow.h>
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

/// A set of ids, as bits.
class IdBits {
 public:
  void resize(std::size_t bound) {
    if (words_.size() < bound / 64 + 1) grow(words_, bound / 64 + 1);
  }
  [[nodiscard]] bool contains(std::uint32_t id) const { return (words_[id >> 6] >> (id & 63U) & 1U) != 0; }
  /// The bits of ids 64 k ... 64 k + 63. Tasks may write different words at once.
  [[nodiscard]] std::uint64_t& word(std::size_t k) { return words_[k]; }
  [[nodiscard]] std::uint64_t word(std::size_t k) const { return words_[k]; }
  [[nodiscard]] std::size_t words() const { return words_.size(); }
  [[nodiscard]] std::size_t memory() const { return memory_of(words_); }

 private:
  std::vector<std::uint64_t> words_;
};

/// What all tasks of a call share.
struct SweepContext {
  const ProxyTable* table = nullptr;
  const IdBits* in_base = nullptr;  ///< Boxes of the base that have not changed since.
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

/// Workers on loan to tasks: one for each thread of the arena, and more where tasks ask for them.
class Workers {
 public:
  /// Makes all workers ready for a call, in the arena that it runs in.
  void reset(const SweepContext& context, std::size_t buckets, unsigned bucket_shift) {
    context_ = context;
    buckets_ = buckets;
    bucket_shift_ = bucket_shift;
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    while (all_.size() < std::max(threads, std::size_t{1})) {
      all_.push_back(std::make_unique<Worker>());
      free_.push_back(all_.back().get());
    }
    // All get the room that the neediest has had, since work falls to them by chance.
    for (const std::unique_ptr<Worker>& worker : all_) all_.front()->make_room_like(*worker);
    for (const std::unique_ptr<Worker>& worker : all_) {
      worker->make_room_like(*all_.front());
      prepare(*worker);
    }
  }

  /// A loan: `Workers::Loan worker(workers); worker->...`. Thread-safe.
  class Loan {
   public:
    explicit Loan(Workers& workers) : workers_(workers), worker_(workers.take()) {}
    ~Loan() { workers_.give_back(worker_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    [[nodiscard]] Worker* operator->() const { return worker_; }
    [[nodiscard]] Worker& operator*() const { return *worker_; }

   private:
    Workers& workers_;
    Worker* worker_;
  };

  /// All of them; not while any is on loan.
  [[nodiscard]] std::span<const std::unique_ptr<Worker>> all() const { return all_; }

 private:
  void prepare(Worker& worker) const {
    worker.context = context_;
    worker.sink.reset(buckets_, bucket_shift_);
  }
  Worker* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      all_.push_back(std::make_unique<Worker>());
      free_.reserve(all_.size());
      prepare(*all_.back());
      return all_.back().get();
    }
    Worker* const worker = free_.back();
    free_.pop_back();
    return worker;
  }
  void give_back(Worker* worker) {
    const std::lock_guard lock(mutex_);
    free_.push_back(worker);
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> all_;
  std::vector<Worker*> free_;
  SweepContext context_;
  std::size_t buckets_ = 0;
  unsigned bucket_shift_ = 0;
};

}  // namespace abut::detail
