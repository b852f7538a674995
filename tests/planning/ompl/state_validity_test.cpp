// The adaptor's answers about states are the checker's, from one thread and from many.
#include <abut/planning/ompl/motion_validity.h>
#include <abut/planning/ompl/state_validity.h>
#include <gtest/gtest.h>
#include <ompl/base/spaces/SO2StateSpace.h>
#include <support/error_text.h>

#include <memory>
#include <thread>
#include <vector>

#include "arm_space.h"

namespace abut {
namespace {

using test::ArmSpace;

TEST(OmplStateValidity, AnswersAsTheCheckerDoes) {
  ArmSpace arm;
  const CheckerStateValidity validity(arm.information, arm.checker);
  EXPECT_EQ(validity.getSpecs().clearanceComputationType, ompl::base::StateValidityCheckerSpecs::EXACT);
  ValidityChecker::State scratch(arm.checker);
  samples::Random random(1);
  int valid = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<double> configuration = arm.random_configuration(random);
    const ompl::base::State* state = arm.states.add(configuration);
    const bool expected = arm.checker.is_valid(configuration, scratch);
    const double clearance = arm.checker.clearance(configuration, scratch).distance;
    double distance = 0.0;
    EXPECT_EQ(validity.isValid(state), expected);
    EXPECT_EQ(validity.isValid(state, distance), expected);
    EXPECT_NEAR(distance, clearance, test::kRounding);
    EXPECT_NEAR(validity.clearance(state), clearance, test::kRounding);
    valid += expected ? 1 : 0;
  }
  EXPECT_GT(valid, 50);
  EXPECT_LT(valid, 450);
}

TEST(OmplStateValidity, FindsAValidStateBesideAnInvalidOne) {
  ArmSpace arm;
  const CheckerStateValidity validity(arm.information, arm.checker);
  samples::Random random(2);
  int invalid = 0;
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    ompl::base::State* state = arm.states.add(arm.random_configuration(random));
    ompl::base::State* beside = arm.states.add(configuration_of(state, *arm.space));
    const bool expected = validity.isValid(state);
    const double clearance = validity.clearance(state);
    double distance = 0.0;
    bool is_available = true;
    EXPECT_EQ(validity.isValid(state, distance, beside, is_available), expected);
    EXPECT_NEAR(distance, clearance, test::kRounding);
    if (!expected) ++invalid;
    if (!is_available) {
      EXPECT_TRUE(arm.space->equalStates(state, beside)) << "written though there is none";
      continue;
    }
    ++found;
    EXPECT_FALSE(expected);
    EXPECT_TRUE(validity.isValid(beside));
    EXPECT_TRUE(arm.space->satisfiesBounds(beside));
    EXPECT_EQ(validity.isValid(state, distance, state, is_available), expected) << "with one state for both";
    EXPECT_TRUE(arm.space->equalStates(state, beside));
  }
  EXPECT_GT(invalid, 30);
  EXPECT_GT(found, invalid / 2);
}

TEST(OmplStateValidity, AnswersSeveralThreadsAtOnce) {
  ArmSpace arm;
  const CheckerStateValidity validity(arm.information, arm.checker);
  const CheckerMotionValidity motions(arm.information, arm.checker);
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kStates = 200;
  samples::Random random(3);
  std::vector<std::vector<double>> configurations;
  std::vector<const ompl::base::State*> states;
  for (std::size_t i = 0; i < kStates; ++i) {
    configurations.push_back(arm.random_configuration(random));
    states.push_back(arm.states.add(configurations.back()));
  }
  std::vector<std::vector<int>> answers(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < kStates; ++i) {
        answers[t].push_back(validity.isValid(states[i]) ? 1 : 0);
        answers[t].push_back(motions.checkMotion(states[i], states[(i + t) % kStates]) ? 1 : 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ValidityChecker::State scratch(arm.checker);
  for (std::size_t t = 0; t < kThreads; ++t) {
    for (std::size_t i = 0; i < kStates; ++i) {
      EXPECT_EQ(answers[t][2 * i], arm.checker.is_valid(configurations[i], scratch) ? 1 : 0);
      EXPECT_EQ(answers[t][2 * i + 1],
                arm.checker.is_motion_valid(configurations[i], configurations[(i + t) % kStates], scratch) ? 1 : 0);
    }
  }
  EXPECT_EQ(motions.getCheckedMotionCount(), kThreads * kStates);
}

TEST(OmplStateValidity, RefusesASpaceOfAnotherKind) {
  ArmSpace arm;
  const auto other = std::make_shared<ompl::base::SpaceInformation>(std::make_shared<ompl::base::SO2StateSpace>());
  EXPECT_EQ(samples::error_text([&] { CheckerStateValidity(other, arm.checker); }),
            "state space: must be a RealVectorStateSpace of the checker's 7 variables, as make_state_space makes");
}

}  // namespace
}  // namespace abut
