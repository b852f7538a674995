// The adaptor's answers about motions are the checker's, certified and sampled, with the last valid state.
#include <abut/planning/ompl/motion_validity.h>
#include <gtest/gtest.h>
#include <support/error_text.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "arm_space.h"

namespace abut {
namespace {

using test::ArmSpace;

constexpr double kUntouched = -7.0;

void expect_the_answers_of_the_checker(const MotionValidityOptions& options) {
  ArmSpace arm;
  const CheckerMotionValidity motions(arm.information, arm.checker, options);
  ValidityChecker::State scratch(arm.checker);
  // Is asked all that the adaptor asks of its own: what a State has seen before shows in the last digits of fractions.
  ValidityChecker::State twin(arm.checker);
  samples::Random random(5);
  unsigned valid = 0;
  unsigned invalid = 0;
  unsigned stopped_on_the_way = 0;
  unsigned invalid_from_the_start = 0;
  for (int i = 0; i < 400; ++i) {
    const std::vector<double> from = arm.random_configuration(random);
    std::vector<double> to = arm.random_configuration(random);
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] + 0.4 * (to[k] - from[k]);
    const ompl::base::State* s1 = arm.states.add(from);
    const ompl::base::State* s2 = arm.states.add(to);
    EXPECT_EQ(motions.checkMotion(s1, s2), options.resolution
                                               ? arm.checker.is_motion_valid(from, to, *options.resolution, twin)
                                               : arm.checker.is_motion_valid(from, to, twin));
    const MotionCheck expected = options.resolution ? arm.checker.check_motion(from, to, *options.resolution, twin)
                                                    : arm.checker.check_motion(from, to, twin);
    ompl::base::State* last = arm.states.add(std::vector<double>(7, kUntouched));
    std::pair<ompl::base::State*, double> last_valid(last, kUntouched);
    EXPECT_EQ(motions.checkMotion(s1, s2, last_valid), expected.is_valid);
    EXPECT_EQ(last_valid.first, last);
    if (expected.is_valid) {
      ++valid;
      EXPECT_EQ(last_valid.second, kUntouched);
      EXPECT_EQ(configuration_of(last, *arm.space), std::vector<double>(7, kUntouched));
      continue;
    }
    ++invalid;
    ompl::base::State* there = arm.states.add(from);
    double fraction = std::max(expected.last_valid, 0.0);
    arm.space->interpolate(s1, s2, fraction, there);
    if (fraction > 0.0 && !arm.checker.is_valid(configuration_of(there, *arm.space), twin)) fraction = 0.0;
    EXPECT_EQ(last_valid.second, fraction);
    arm.space->interpolate(s1, s2, last_valid.second, there);
    EXPECT_TRUE(arm.space->equalStates(last, there));
    if (arm.checker.is_valid(from, scratch)) {
      EXPECT_TRUE(arm.checker.is_valid(configuration_of(last, *arm.space), scratch));
      if (last_valid.second > 0.0) ++stopped_on_the_way;
    } else {
      ++invalid_from_the_start;
      EXPECT_EQ(last_valid.second, 0.0);
      EXPECT_TRUE(arm.space->equalStates(last, s1));
    }
  }
  EXPECT_EQ(motions.getValidMotionCount(), 2 * valid);
  EXPECT_EQ(motions.getInvalidMotionCount(), 2 * invalid);
  EXPECT_GT(valid, 20u);
  EXPECT_GT(stopped_on_the_way, 20u);
  EXPECT_GT(invalid_from_the_start, 20u);
}

TEST(OmplMotionValidity, CertifiesAsTheCheckerDoes) {
  expect_the_answers_of_the_checker({});
}

TEST(OmplMotionValidity, SamplesAsTheCheckerDoes) {
  expect_the_answers_of_the_checker({.resolution = 0.02});
}

TEST(OmplMotionValidity, WritesTheLastValidStateOverEitherEndOrNowhere) {
  ArmSpace arm;
  const CheckerMotionValidity motions(arm.information, arm.checker);
  const ompl::base::State* left = arm.states.add(test::left_of_the_wall());
  const ompl::base::State* right = arm.states.add(test::right_of_the_wall());
  std::pair<ompl::base::State*, double> nowhere(nullptr, kUntouched);
  ASSERT_FALSE(motions.checkMotion(left, right, nowhere));
  EXPECT_GT(nowhere.second, 0.0);
  EXPECT_LT(nowhere.second, 0.5);

  ompl::base::State* expected = arm.states.add(test::left_of_the_wall());
  arm.space->interpolate(left, right, nowhere.second, expected);
  for (const bool over_first : {true, false}) {
    ompl::base::State* s1 = arm.states.add(test::left_of_the_wall());
    ompl::base::State* s2 = arm.states.add(test::right_of_the_wall());
    std::pair<ompl::base::State*, double> last_valid(over_first ? s1 : s2, kUntouched);
    EXPECT_FALSE(motions.checkMotion(s1, s2, last_valid));
    EXPECT_EQ(last_valid.second, nowhere.second);
    EXPECT_TRUE(arm.space->equalStates(last_valid.first, expected));
  }
}

TEST(OmplMotionValidity, SamplesMissWhatCertifiedMotionsMeet) {
  ArmSpace arm({{"sheet", Box({0.3, 0.0005, 0.25}), Pose({0.6, 0.0, 0.25})}});
  const CheckerMotionValidity certified(arm.information, arm.checker);
  const CheckerMotionValidity sampled(arm.information, arm.checker, {.resolution = 10.0});
  const ompl::base::State* left = arm.states.add(test::left_of_the_wall());
  const ompl::base::State* right = arm.states.add(test::right_of_the_wall());
  EXPECT_TRUE(sampled.checkMotion(left, right));
  EXPECT_FALSE(certified.checkMotion(left, right));
}

TEST(OmplMotionValidity, RefusesAResolutionThatIsNotPositive) {
  ArmSpace arm;
  for (const double resolution : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const std::string text =
        samples::error_text([&] { CheckerMotionValidity(arm.information, arm.checker, {.resolution = resolution}); });
    EXPECT_EQ(text.substr(0, 12), "resolution: ") << resolution;
  }
}

}  // namespace
}  // namespace abut
