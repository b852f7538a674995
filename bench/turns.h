// Two programs timed by turns, some frames of the one and then the same of the other, so that what disturbs a shared
// machine for minutes disturbs both; what they take beside each other is the median over the turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace abut::bench {

/// Seconds that a frame took, turn by turn.
struct Turns {
  static constexpr std::size_t kFrames = 8;  ///< Timed of each program in a turn.
  static constexpr std::size_t kSteps = kFrames + 1;

  /// @param first  Number of the turn's first frame; the next turn's is kSteps more.
  /// @param run_p, run_q  Called with the first and the number of frames.
  template <class P, class Q>
  void take(std::size_t first, const P& run_p, const Q& run_q) {
    p.push_back(time_of(first, run_p));
    q.push_back(time_of(first, run_q));
    p_by_q.push_back(p.back() / q.back());
  }

  /// @param values  One at least; put into another order.
  [[nodiscard]] static double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  }

  std::vector<double> p;
  std::vector<double> q;
  std::vector<double> p_by_q;

 private:
  template <class Run>
  static double time_of(std::size_t first, const Run& run) {
    run(first, kSteps - kFrames);  // not timed: what lies in the caches is the other program's
    const auto begin = std::chrono::steady_clock::now();
    run(first + kSteps - kFrames, kFrames);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    return time.count() / static_cast<double>(kFrames);
  }
};

}  // namespace abut::bench
