// Two programs timed by turns, some frames of the one and then the same of the other, so that what disturbs a shared
// machine for minutes disturbs both; what they take beside each other is the median over the turns.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace abut::bench {

class Turns {
 public:
  /// Runs both for so many frames, then takes turns as long as the state asks for them; a row's time is a frame of q's.
  /// @param run_p, run_q  Called with the first and the number of frames.
  template <class P, class Q>
  Turns(benchmark::State& state, std::size_t untimed_frames, const P& run_p, const Q& run_q) {
    run_p(0, untimed_frames);
    run_q(0, untimed_frames);
    std::size_t next = untimed_frames;
    for (auto _ : state) {
      p_.push_back(time_of(next, run_p));
      const double q = time_of(next, run_q);
      p_by_q_.push_back(p_.back() / q);
      state.SetIterationTime(q);
      next += 1 + kFrames;
    }
  }

  /// Seconds a frame of p's.
  [[nodiscard]] double p() const { return median(p_); }
  [[nodiscard]] double p_by_q() const { return median(p_by_q_); }

 private:
  static constexpr std::size_t kFrames = 8;  // timed of each program in a turn

  static double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }
  template <class Run>
  static double time_of(std::size_t first, const Run& run) {
    run(first, 1);  // not timed: what lies in the caches is the other program's
    const auto begin = std::chrono::steady_clock::now();
    run(first + 1, kFrames);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return time.count() / static_cast<double>(kFrames);
  }

  std::vector<double> p_;
  std::vector<double> p_by_q_;
};

}  // namespace abut::bench
