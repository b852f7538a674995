// Rounds of chunks of candidates, and what each thread holds of them. Here nothing throws but for want of memory.
#include <abut/world/detail/narrow_phase.h>
#include <abut/world/detail/vector_bytes.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <span>
#include <vector>

namespace abut::detail {
namespace {

/// Candidates are taken together in so many at least, and so many times a thread at least where there are enough.
constexpr std::size_t kFewestTogether = 16;
constexpr std::size_t kTurnsAThread = 8;

/// After so many chunks, or so many a thread, all are waited for: that bounds the memory of those not written yet.
constexpr std::size_t kChunksARound = 32;
constexpr std::size_t kChunksARoundAndThread = 4;

/// A thread that has taken so many chunks more than another takes those of the other, so that few wait to be written.
constexpr std::size_t kTurnsAhead = 4;

/// Of the caller's arena.
std::size_t thread_count() {
  const std::size_t allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return std::min(allowed, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()));
}

}  // namespace

/// What all of a step share.
struct NarrowPhase::Frame {
  const BodyTable& bodies;
  const SceneSettings& settings;
  std::uint64_t step;
  const Candidates& candidates;
  PairMemory& memory;
  ContactList& contacts;
  UnconvergedCandidates& unconverged;
  ManifoldLimits limits;
};

/// Candidates that one thread solves together.
struct NarrowPhase::Chunk {
  std::size_t number;  // in its round
  IndexRange range;
  std::array<std::uint8_t, kPairsTogether> contact_places;  // in the range, ascending
  std::size_t contact_count;
  Solutions solutions;

  [[nodiscard]] std::span<const std::uint8_t> contacts() const { return {contact_places.data(), contact_count}; }
};
static_assert(kPairsTogether <= 256);

/// Some chunks, in the order of the candidates. Each thread has a lane of its own, every so many-th of them: most pairs
/// are solved by the same thread in every step, which has in its caches what it wrote of them in the last one.
struct NarrowPhase::Round {
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  /// @param pairs    Not empty.
  /// @param threads  So many lanes.
  void begin(IndexRange pairs, std::size_t pairs_a_chunk, std::size_t contacts_before, std::size_t threads) {
    range = pairs;
    together = pairs_a_chunk;
    chunk_count = (range.end - range.begin + together - 1) / together;
    first_contact = contacts_before;
    // A thread takes memory for a chunk where all of its own is in use, and so all of them together no more than there
    // are chunks.
    while (chunks.size() < chunk_count) chunks.push_back(std::make_unique<Chunk>());
    if (contact_counts.size() < chunk_count) contact_counts = std::vector<std::atomic<std::uint32_t>>(chunk_count);
    for (std::atomic<std::uint32_t>& count : contact_counts) count.store(kUnknown, std::memory_order_relaxed);
    if (lanes.size() != threads) lanes = std::vector<std::atomic<std::size_t>>(threads);
    for (std::size_t i = 0; i < threads; ++i) lanes[i].store(i, std::memory_order_relaxed);
    next_memory.store(0, std::memory_order_relaxed);
  }
  /// The next chunk for a thread: of its own lane, unless another is far behind; chunk_count: there is none.
  [[nodiscard]] std::size_t take(std::size_t lane) {
    for (;;) {
      std::size_t last = 0;  // the lane that is farthest behind
      std::size_t lowest = chunk_count;
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::size_t next = lanes[i].load(std::memory_order_relaxed);
        if (next >= lowest) continue;
        lowest = next;
        last = i;
      }
      if (lowest == chunk_count) return chunk_count;
      const std::size_t own = lanes[lane].load(std::memory_order_relaxed);
      const bool is_own = own < chunk_count && own <= lowest + kTurnsAhead * lanes.size();
      const std::size_t taken = lanes[is_own ? lane : last].fetch_add(lanes.size(), std::memory_order_relaxed);
      if (taken < chunk_count) return taken;
    }
  }
  [[nodiscard]] Chunk& memory_for_a_chunk() { return *chunks[next_memory.fetch_add(1, std::memory_order_relaxed)]; }
  [[nodiscard]] IndexRange pairs_of(std::size_t chunk) const {
    const std::size_t begin = range.begin + chunk * together;
    return {begin, std::min(begin + together, range.end)};
  }
  /// Once all are solved.
  [[nodiscard]] std::size_t end_of_contacts() const {
    std::size_t end = first_contact;
    for (std::size_t i = 0; i < chunk_count; ++i) end += contact_counts[i].load(std::memory_order_relaxed);
    return end;
  }

  IndexRange range{0, 0};
  std::size_t together = 1;
  std::size_t chunk_count = 0;
  std::size_t first_contact = 0;
  std::vector<std::atomic<std::size_t>> lanes;  // of each the next chunk that nobody has taken
  std::atomic<std::size_t> next_memory{0};      // of `chunks`
  std::vector<std::unique_ptr<Chunk>> chunks;
  std::vector<std::atomic<std::uint32_t>> contact_counts;
};

/// What one thread does, and has not finished.
class NarrowPhase::Worker {
 public:
  /// @param lane  Of the rounds', which it serves first.
  explicit Worker(std::size_t lane) : lane_(lane) {}

  void begin_step() { statistics_ = {}; }
  void begin_round(const Round& round) {
    idle_.clear();
    solved_.clear();
    idle_.reserve(round.chunk_count);
    solved_.reserve(round.chunk_count);
    counted_ = 0;
    contacts_before_ = round.first_contact;
  }

  /// Takes and solves chunks until none is left, and writes those that it can.
  void solve(const Frame& frame, Round& round) {
    for (;;) {
      const std::size_t number = round.take(lane_);
      if (number == round.chunk_count) return;
      if (idle_.empty()) idle_.push_back(&round.memory_for_a_chunk());
      Chunk& chunk = *idle_.back();
      idle_.pop_back();
      chunk.number = number;
      chunk.range = round.pairs_of(number);
      solve_pairs(frame.bodies, frame.settings, frame.step, frame.candidates, chunk.range, frame.memory,
                  frame.unconverged, chunk.solutions);
      count(frame, chunk);
      round.contact_counts[number].store(static_cast<std::uint32_t>(chunk.contact_count), std::memory_order_release);
      const auto is_before = [](const Chunk* p, const Chunk* q) { return p->number < q->number; };
      solved_.insert(std::upper_bound(solved_.begin(), solved_.end(), &chunk, is_before), &chunk);
      write(frame, round);
    }
  }

  /// Writes the contacts of solved chunks, in their order, up to the first of which it is not known yet where they go.
  void write(const Frame& frame, const Round& round) {
    std::size_t written = 0;
    for (; written < solved_.size(); ++written) {
      Chunk& chunk = *solved_[written];
      if (chunk.number < counted_) {  // of another's lane, which was behind
        counted_ = 0;
        contacts_before_ = round.first_contact;
      }
      for (; counted_ < chunk.number; ++counted_) {
        const std::uint32_t count = round.contact_counts[counted_].load(std::memory_order_acquire);
        if (count == Round::kUnknown) break;
        contacts_before_ += count;
      }
      if (counted_ != chunk.number) break;
      frame.contacts.write(frame.bodies, frame.limits, chunk.range.begin, chunk.contacts(), contacts_before_,
                           frame.candidates, chunk.solutions, frame.memory);
      idle_.push_back(&chunk);
    }
    solved_.erase(solved_.begin(), solved_.begin() + static_cast<std::ptrdiff_t>(written));
  }

  [[nodiscard]] bool has_unwritten() const { return !solved_.empty(); }
  [[nodiscard]] const StepStatistics& statistics() const { return statistics_; }
  [[nodiscard]] std::size_t bytes() const { return sizeof(*this) + vector_bytes(idle_, solved_); }

 private:
  // Without a branch where it can be: what becomes of a candidate cannot be foreseen.
  void count(const Frame& frame, Chunk& chunk) {
    std::array<std::size_t, 5> with{};  // by verdict
    chunk.contact_count = 0;
    for (std::size_t i = chunk.range.begin; i < chunk.range.end; ++i) {
      const std::size_t place = i - chunk.range.begin;
      const Verdict verdict = chunk.solutions.verdicts[place];
      ++with[static_cast<std::size_t>(verdict)];
      chunk.contact_places[chunk.contact_count] = static_cast<std::uint8_t>(place);
      chunk.contact_count += is_contact(verdict) ? 1 : 0;
      // What is no contact now most likely was none: its line is not written.
      std::uint32_t& contact = frame.memory.history(frame.candidates.places[i]).contact;
      if (!is_contact(verdict) && contact != PairHistory::kNoContact) contact = PairHistory::kNoContact;
    }
    const auto number = [&with](Verdict verdict) { return with[static_cast<std::size_t>(verdict)]; };
    statistics_.still_apart_pairs += number(Verdict::still_apart);
    statistics_.still_contacts += number(Verdict::still_contact);
    statistics_.obb_rejected += number(Verdict::boxes_apart);
    statistics_.solved_pairs += number(Verdict::contact) + number(Verdict::apart);
    statistics_.iterations += chunk.solutions.iterations;
  }

  std::size_t lane_;
  // Memory of the round's that is this thread's: what is free, and chunks not written yet in the order of their
  // numbers.
  std::vector<Chunk*> idle_;
  std::vector<Chunk*> solved_;
  std::size_t counted_ = 0;  // chunks of the round whose contacts are in the next
  std::size_t contacts_before_ = 0;
  StepStatistics statistics_;
};

NarrowPhase::NarrowPhase() = default;
NarrowPhase::~NarrowPhase() = default;

void NarrowPhase::run(const BodyTable& bodies, const SceneSettings& settings, std::uint64_t step, bool some_rest,
                      const Candidates& candidates, PairMemory& memory, ContactList& contacts,
                      StepStatistics& statistics) {
  const ManifoldLimits limits({.max_points = settings.max_points, .max_distance = settings.contact_margin});
  const Frame frame{bodies, settings, step, candidates, memory, contacts, unconverged_, limits};
  const std::size_t pair_count = candidates.pairs.size();
  contacts.begin(some_rest);
  unconverged_.clear();

  const std::size_t threads = thread_count();
  while (workers_.size() < threads) workers_.push_back(std::make_unique<Worker>(workers_.size()));
  const auto for_each_worker = [&](const auto& work) {
    tbb::parallel_for(
        std::size_t{0}, threads, [&](std::size_t i) { work(*workers_[i]); }, tbb::simple_partitioner());
  };
  for (const std::unique_ptr<Worker>& worker : workers_) worker->begin_step();

  const std::size_t together =
      threads == 1 ? kPairsTogether
                   : std::clamp(pair_count / (kTurnsAThread * threads), kFewestTogether, kPairsTogether);
  const std::size_t pairs_a_round = together * std::max(kChunksARound, kChunksARoundAndThread * threads);
  std::size_t contact_count = 0;
  if (pair_count > 0 && round_ == nullptr) round_ = std::make_unique<Round>();
  for (std::size_t begin = 0; begin < pair_count; begin += pairs_a_round) {
    Round& round = *round_;
    const std::size_t end = std::min(begin + pairs_a_round, pair_count);
    contacts.make_room(contact_count + (end - begin), contact_count);
    round.begin({begin, end}, together, contact_count, threads);
    for (const std::unique_ptr<Worker>& worker : workers_) worker->begin_round(round);
    for_each_worker([&](Worker& worker) { worker.solve(frame, round); });
    contact_count = round.end_of_contacts();
    const auto has_unwritten = [](const std::unique_ptr<Worker>& worker) { return worker->has_unwritten(); };
    if (std::any_of(workers_.begin(), workers_.end(), has_unwritten)) {
      for_each_worker([&](Worker& worker) { worker.write(frame, round); });
    }
  }

  statistics.candidate_pairs += pair_count;
  statistics.contacts += contact_count;
  contacts.end(contact_count);
  unconverged_.sort();
  statistics.not_converged += unconverged_.list().size();
  for (const std::unique_ptr<Worker>& worker : workers_) {
    const StepStatistics& part = worker->statistics();
    statistics.still_apart_pairs += part.still_apart_pairs;
    statistics.still_contacts += part.still_contacts;
    statistics.obb_rejected += part.obb_rejected;
    statistics.solved_pairs += part.solved_pairs;
    statistics.iterations += part.iterations;
  }
}

std::size_t NarrowPhase::bytes() const {
  std::size_t bytes = vector_bytes(workers_) + unconverged_.bytes();
  for (const std::unique_ptr<Worker>& worker : workers_) bytes += worker->bytes();
  if (round_ == nullptr) return bytes;
  return bytes + sizeof(Round) + vector_bytes(round_->chunks, round_->contact_counts, round_->lanes) +
         round_->chunks.size() * sizeof(Chunk);
}

}  // namespace abut::detail
