// The checks of the fuzz target on random bytes, millions of times: random_run QUERIES [SEED [THREADS]].
// Each pair of shapes has a seed of its own; `random_run 1 SEED` asks that of a failure alone again.
#include <fuzz/describe_pair.h>
#include <fuzz/pair_checks.h>
#include <fuzz/pair_sample.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace abut::fuzz {
namespace {

constexpr int kPlacements = 48;  // of one pair of shapes
constexpr std::uint64_t kShownFailures = 20;

struct Totals {
  Findings findings;
  std::uint64_t pairs = 0;
  std::uint64_t failures = 0;
  std::map<std::string, std::uint64_t> failures_by_kind;

  void add(const Findings& more) {
    findings.queries += more.queries;
    findings.iteration_limits += more.iteration_limits;
    findings.largest_error = std::max(findings.largest_error, more.largest_error);
    findings.largest_bound = std::max(findings.largest_bound, more.largest_bound);
  }
};

class RandomRun {
 public:
  RandomRun(std::uint64_t queries, std::uint64_t seed) : queries_(queries), next_seed_(seed) {}

  void work() {
    while (asked_ < queries_) check_pair(next_seed_++);
  }

  // All placements of one pair of shapes.
  void check_pair(std::uint64_t seed) {
    std::array<std::uint8_t, 2048> memory;
    samples::Random random(seed);
    for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random.below(256));
    ByteSource bytes(memory);
    PairSampler sampler(bytes);
    PairChecks checks;
    PairCache cache;
    for (int i = 0; i < kPlacements && !bytes.is_empty(); ++i) {
      const PairSample& sample = sampler.next();
      const std::string wrong = checks.violation(sample, cache);
      if (!wrong.empty()) report(seed, i, sample, checks.answer(), wrong);
    }
    const std::lock_guard lock(mutex_);
    totals_.add(checks.findings());
    ++totals_.pairs;
    asked_ += checks.findings().queries;
  }

  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  void report(std::uint64_t seed, int placement, const PairSample& sample, const Separation& answer,
              const std::string& wrong) {
    const std::lock_guard lock(mutex_);
    const std::string kinds = std::string(sample.a.type_name()) + "/" + std::string(sample.b.type_name());
    const std::string where = kPlacementNames[static_cast<std::size_t>(sample.placement)];
    ++totals_.failures_by_kind[kinds + " " + where];
    if (totals_.failures++ < kShownFailures) {
      std::printf("seed %llu placement %d (%s), %s of size %g: %s\n%s\n", static_cast<unsigned long long>(seed),
                  placement, where.c_str(), kinds.c_str(), sample.size, wrong.c_str(),
                  description(sample, answer).c_str());
      std::fflush(stdout);
    }
  }

  std::uint64_t queries_;
  std::atomic<std::uint64_t> next_seed_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::mutex mutex_;
  Totals totals_;
};

void print(const Totals& totals, double seconds) {
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("%llu queries of %llu pairs of shapes, %.0f a second; %llu at the iteration limit\n",
              number(totals.findings.queries), number(totals.pairs),
              static_cast<double>(totals.findings.queries) / seconds, number(totals.findings.iteration_limits));
  std::printf("largest error beyond its bound %.2g, largest bound %.2g of the coordinates\n",
              totals.findings.largest_error, totals.findings.largest_bound);
  std::printf("%llu failures\n", number(totals.failures));
  for (const auto& [kind, count] : totals.failures_by_kind) std::printf("  %s: %llu\n", kind.c_str(), number(count));
}

}  // namespace
}  // namespace abut::fuzz

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s QUERIES [SEED [THREADS]]\n", argv[0]);
    return EXIT_FAILURE;
  }
  const std::uint64_t queries = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  abut::fuzz::RandomRun run(queries, seed);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (int i = 1; i < threads; ++i) workers.emplace_back([&run] { run.work(); });
  run.work();
  for (std::thread& worker : workers) worker.join();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  abut::fuzz::print(run.totals(), elapsed.count());
  return run.totals().failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
