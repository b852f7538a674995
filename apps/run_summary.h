// The table that abut run writes when it is done.
#pragma once

#include <abut/world/step_statistics.h>

#include <cstddef>
#include <ostream>

namespace abut {

/// Means and maxima of the steps' counts and times.
class RunSummary {
 public:
  /// @param bodies  Of the scene.
  explicit RunSummary(std::size_t bodies) : bodies_(bodies) {}

  void add(const StepStatistics& step, std::size_t began, std::size_t ended);
  void write(std::ostream& stream) const;

 private:
  struct Quantity {
    double sum = 0.0;
    double largest = 0.0;
    void add(double value);
  };

  void write_row(std::ostream& stream, const char* name, const Quantity& quantity, int digits) const;

  std::size_t frames_ = 0;
  std::size_t bodies_;
  std::size_t not_converged_ = 0;
  Quantity candidate_pairs_, obb_rejected_, solved_pairs_, contacts_, began_, ended_;
  Quantity boxes_ms_, broad_phase_ms_, narrow_phase_ms_, events_ms_, total_ms_;
};

}  // namespace abut
