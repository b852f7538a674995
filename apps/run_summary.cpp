#include <abut/apps/run_summary.h>

#include <algorithm>
#include <iomanip>

namespace abut {
namespace {

constexpr double kMillisecondsPerSecond = 1000.0;
constexpr int kNameWidth = 24;
constexpr int kNumberWidth = 12;

}  // namespace

void RunSummary::Quantity::add(double value) {
  sum += value;
  largest = std::max(largest, value);
}

void RunSummary::add(const StepStatistics& step, std::size_t began, std::size_t ended) {
  ++frames_;
  not_converged_ += step.not_converged;
  candidate_pairs_.add(static_cast<double>(step.candidate_pairs));
  obb_rejected_.add(static_cast<double>(step.obb_rejected));
  solved_pairs_.add(static_cast<double>(step.solved_pairs));
  contacts_.add(static_cast<double>(step.contacts));
  began_.add(static_cast<double>(began));
  ended_.add(static_cast<double>(ended));
  boxes_ms_.add(kMillisecondsPerSecond * step.boxes_seconds);
  broad_phase_ms_.add(kMillisecondsPerSecond * step.broad_phase_seconds);
  narrow_phase_ms_.add(kMillisecondsPerSecond * step.narrow_phase_seconds);
  events_ms_.add(kMillisecondsPerSecond * step.events_seconds);
  total_ms_.add(kMillisecondsPerSecond * step.total_seconds());
}

void RunSummary::write(std::ostream& stream) const {
  stream << "frames " << frames_ << ", bodies " << bodies_ << ", pairs not converged " << not_converged_ << '\n';
  if (frames_ == 0) return;
  stream << std::left << std::setw(kNameWidth) << "a frame" << std::right << std::setw(kNumberWidth) << "mean"
         << std::setw(kNumberWidth) << "largest" << '\n';
  write_row(stream, "candidate pairs", candidate_pairs_, 1);
  write_row(stream, "rejected by their OBBs", obb_rejected_, 1);
  write_row(stream, "solved pairs", solved_pairs_, 1);
  write_row(stream, "contacts", contacts_, 1);
  write_row(stream, "began", began_, 1);
  write_row(stream, "ended", ended_, 1);
  write_row(stream, "boxes, ms", boxes_ms_, 3);
  write_row(stream, "broad phase, ms", broad_phase_ms_, 3);
  write_row(stream, "narrow phase, ms", narrow_phase_ms_, 3);
  write_row(stream, "events, ms", events_ms_, 3);
  write_row(stream, "step, ms", total_ms_, 3);
}

void RunSummary::write_row(std::ostream& stream, const char* name, const Quantity& quantity, int digits) const {
  stream << std::left << std::setw(kNameWidth) << name << std::right << std::fixed << std::setprecision(digits)
         << std::setw(kNumberWidth) << quantity.sum / static_cast<double>(frames_) << std::setw(kNumberWidth)
         << quantity.largest << '\n';
}

}  // namespace abut
