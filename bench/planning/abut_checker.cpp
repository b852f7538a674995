// abut's own checker, in two settings.
#include "peer.h"

#include <algorithm>
#include <cmath>

namespace abut::bench {
namespace {

ValidityChecker checker_of(const CheckedProblem& problem, bool fast_tier) {
  ValidityOptions options = problem.options;
  options.fast_tier = fast_tier;
  return ValidityChecker(problem.robot, {problem.obstacles.begin(), problem.obstacles.end()}, options);
}

class AbutChecker final : public PlanningPeer {
 public:
  AbutChecker(const CheckedProblem& problem, bool fast_tier)
      : checker_(checker_of(problem, fast_tier)), state_(checker_) {}

  bool is_valid(std::span<const double> configuration) override { return checker_.is_valid(configuration, state_); }

  bool is_motion_valid(const Motion& motion, std::size_t states) override {
    double change = 0.0;
    for (std::size_t i = 0; i < motion.from.size(); ++i) {
      change = std::max(change, std::abs(motion.to[i] - motion.from[i]));
    }
    // A little more than a step, so that rounding adds none.
    const double resolution = (1.0 + 1e-9) * change / static_cast<double>(states - 1);
    return checker_.is_motion_valid(motion.from, motion.to, resolution, state_);
  }

  [[nodiscard]] bool certifies() const override { return true; }
  bool is_motion_certified(const Motion& motion) override {
    return checker_.is_motion_valid(motion.from, motion.to, state_);
  }

 private:
  ValidityChecker checker_;
  ValidityChecker::State state_;
};

}  // namespace

std::unique_ptr<PlanningPeer> make_abut(const CheckedProblem& problem) {
  return std::make_unique<AbutChecker>(problem, true);
}

std::unique_ptr<PlanningPeer> make_abut_exact(const CheckedProblem& problem) {
  return std::make_unique<AbutChecker>(problem, false);
}

}  // namespace abut::bench
