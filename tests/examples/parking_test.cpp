// The parking example: its car, its constraint and its problem beside differences; the motions it plans; the drawing;
// and the program from outside.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../../examples/parking/ipopt_solver.h"
#include "../../examples/parking/trajectory_check.h"
#include "../../examples/parking/trajectory_problem.h"
#include "../../examples/parking/trajectory_svg.h"
#include "../apps/program.h"

namespace abut::parking {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::TempFolder;

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

State random_state(std::mt19937& random) {
  State state;
  state << uniform(random, -8.0, 8.0), uniform(random, -6.0, 6.0), uniform(random, -4.0, 4.0),
      uniform(random, -4.0, 4.0), uniform(random, -0.5, 0.5);
  return state;
}

CollisionConstraint constraint_of(const ParkingTask& task, GradientMethod method) {
  return {task.car, task.car_shape, task.parked_shape, task.world_from_parked(), method};
}

TEST(ParkingCar, DrivesACircleWhoseRadiusFollowsFromTheSteering) {
  const Car car;
  State state = State::Zero();
  state[kSpeed] = 1.5;
  state[kSteering] = 0.4;
  const double radius = car.wheelbase / std::tan(0.4);
  const double seconds = 2.0 * std::numbers::pi * radius / 1.5;
  for (int i = 0; i < 100; ++i) {
    EXPECT_NEAR((state.head<2>() - Eigen::Vector2d(0.0, radius)).norm(), radius, 1e-7);
    state = step(car, state, Control::Zero(), seconds / 100.0);
  }
  EXPECT_LT(state.head<2>().norm(), 1e-6);
  EXPECT_NEAR(state[kHeading], 2.0 * std::numbers::pi, 1e-9);
}

TEST(ParkingCar, LiesAlongItsHeadingAheadOfTheRearAxle) {
  const Car car{.wheelbase = 2.0, .middle_from_axle = 0.7};
  const Pose pose = pose_of(car, (State() << 3.0, -1.0, 2.0, 0.0, 0.0).finished());
  const Vector3d heading(std::cos(2.0), std::sin(2.0), 0.0);
  EXPECT_LT((pose.rotation().col(2) - heading).norm(), 1e-15);
  EXPECT_LT((pose.translation() - (Vector3d(3.0, -1.0, 0.0) + 0.7 * heading)).norm(), 1e-15);
}

TEST(ParkingCar, TheDerivativesOfAStepAreThoseOfDifferences) {
  const Car car;
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    const State state = random_state(random);
    const Control control(uniform(random, -3.0, 3.0), uniform(random, -1.0, 1.0));
    StepJacobian exact;
    const State next = step(car, state, control, 0.3, &exact);
    EXPECT_EQ(next, step(car, state, control, 0.3));
    constexpr double kStep = 1e-5;
    for (int i = 0; i < kStateSize + kControlSize; ++i) {
      Eigen::Vector<double, kStateSize + kControlSize> change;
      change.setZero();
      change[i] = kStep;
      const State ahead = step(car, state + change.head<5>(), control + change.tail<2>(), 0.3);
      const State behind = step(car, state - change.head<5>(), control - change.tail<2>(), 0.3);
      EXPECT_LT(((ahead - behind) / (2.0 * kStep) - exact.col(i)).norm(), 1e-8) << "column " << i;
    }
  }
}

TEST(ParkingConstraint, TheExactGradientIsThatOfDifferencesAtAFractionOfTheCalls) {
  const ParkingTask task;
  CollisionConstraint exact = constraint_of(task, GradientMethod::exact);
  CollisionConstraint differences = constraint_of(task, GradientMethod::differences);
  const double radii = task.car_shape.radius() + task.parked_shape.radius();
  std::vector<State> states;
  std::size_t touching = 0;
  std::mt19937 random(7);
  while (states.size() < 300) {
    const State state = random_state(random);
    const double phi = constraint_of(task, GradientMethod::exact).values({&state, 1})[0];
    if (phi < -radii * radii + 0.01) continue;  // where the cores cross, φ has an edge
    if (phi < 0.0) ++touching;
    states.push_back(state);
  }
  EXPECT_GT(touching, 50u);
  const auto by_derivatives = exact.gradients(states);
  const auto by_differences = differences.gradients(states);
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_LT((by_derivatives[i] - by_differences[i]).lpNorm<Eigen::Infinity>(), 1e-6)
        << "state " << states[i].transpose() << ": " << by_derivatives[i].transpose() << " and "
        << by_differences[i].transpose();
  }
  EXPECT_EQ(exact.effort().proximity_calls, states.size());
  EXPECT_EQ(differences.effort().proximity_calls, 6 * states.size());
}

TEST(ParkingProblem, TheJacobianIsThatOfDifferencesWithNoEntryMissing) {
  for (const GradientMethod method : {GradientMethod::exact, GradientMethod::differences}) {
    ParkingTask task;
    task.knots = 12;
    TrajectoryProblem problem(task, method);
    std::mt19937 random(3);
    Eigen::VectorXd at = problem.initial_guess();
    for (double& value : at) value += uniform(random, -0.2, 0.2);

    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(problem.constraint_count(), problem.variable_count());
    for (const Entry& entry : problem.jacobian(at)) jacobian(entry.row, entry.column) += entry.value;
    const Eigen::VectorXd gradient = problem.objective_gradient(at);
    constexpr double kStep = 1e-5;
    for (int i = 0; i < problem.variable_count(); ++i) {
      Eigen::VectorXd ahead = at;
      Eigen::VectorXd behind = at;
      ahead[i] += kStep;
      behind[i] -= kStep;
      const Eigen::VectorXd column = (problem.constraints(ahead) - problem.constraints(behind)) / (2.0 * kStep);
      EXPECT_LT((column - jacobian.col(i)).lpNorm<Eigen::Infinity>(), 1e-6) << "variable " << i;
      EXPECT_NEAR((problem.objective(ahead) - problem.objective(behind)) / (2.0 * kStep), gradient[i], 1e-8);
    }
  }
}

TEST(ParkingProblem, RefusesATaskThatMakesNoSense) {
  const auto message_of = [](const ParkingTask& task) -> std::string {
    try {
      const TrajectoryProblem problem(task, GradientMethod::exact);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message_of(ParkingTask()), "");
  EXPECT_EQ(message_of({.knots = 2}), "knots: must be at least 3, got 2");
  EXPECT_EQ(message_of({.clearance = -0.1}).substr(0, 11), "clearance: ");
  EXPECT_EQ(message_of({.duration = std::numeric_limits<double>::quiet_NaN()}).substr(0, 10), "duration: ");
  EXPECT_EQ(message_of({.start = State::Zero()}).substr(0, 7), "start: ");
  EXPECT_EQ(message_of({.goal = State::Zero()}).substr(0, 6), "goal: ");
}

TEST(ParkingMotion, ReachesTheGoalAroundTheParkedCarOnEitherSide) {
  for (const Side side : {Side::left, Side::right}) {
    SCOPED_TRACE(side == Side::left ? "left" : "right");
    const ParkingTask task{.side = side};
    TrajectoryProblem problem(task, GradientMethod::exact);
    const Solution solution = solve(problem);
    EXPECT_TRUE(solution.is_solved) << solution.status;
    EXPECT_GT(solution.iterations, 5);
    EXPECT_NEAR(solution.objective, problem.objective(solution.variables), 1e-9);

    const TrajectoryCheck found = check(problem, solution.variables);
    EXPECT_LT(found.largest_violation(), 1e-6);
    EXPECT_GT(found.smallest_distance, 0.0);
    EXPECT_LT(found.smallest_distance, task.clearance + 1e-6);  // the parked car does bend the path
    EXPECT_LT(found.goal_error, 1e-3);
    EXPECT_LT(found.goal_heading_error, 1e-4);
    EXPECT_EQ(found.driven.size(), 20u * 60u + 1u);

    const Trajectory trajectory = problem.trajectory(solution.variables);
    EXPECT_EQ(trajectory.states.front(), task.start);
    EXPECT_EQ(trajectory.states.back(), task.goal);
    const State& middle = trajectory.states[30];
    const double to_left = (task.parked_x - middle[kX]) * std::sin(task.parked_heading) +
                           (middle[kY] - task.parked_y) * std::cos(task.parked_heading);
    EXPECT_EQ(to_left > 0.0, side == Side::left);
  }
}

TEST(ParkingMotion, WithoutTheConstraintTheBestMotionRunsThroughTheParkedCar) {
  ParkingTask elsewhere;
  elsewhere.parked_y = 100.0;
  TrajectoryProblem free(elsewhere, GradientMethod::exact);
  TrajectoryProblem real(ParkingTask(), GradientMethod::exact);
  const Solution direct = solve(free);
  const Solution around = solve(real);
  EXPECT_TRUE(direct.is_solved) << direct.status;
  EXPECT_LT(direct.objective, 0.9 * around.objective);
  const TrajectoryCheck driven_there = check(real, direct.variables);
  EXPECT_LT(driven_there.smallest_distance, -0.5);
  EXPECT_GT(driven_there.collision_violation, 0.5);
}

TEST(ParkingMotion, DifferencesFindTheSameMotionWithMoreCallsOfTheProximity) {
  const ParkingTask task{.knots = 41};
  TrajectoryProblem exact(task, GradientMethod::exact);
  TrajectoryProblem differences(task, GradientMethod::differences);
  const Solution a = solve(exact);
  const Solution b = solve(differences);
  EXPECT_TRUE(a.is_solved) << a.status;
  EXPECT_TRUE(b.is_solved) << b.status;
  EXPECT_NEAR(a.objective, b.objective, 1e-3);
  EXPECT_GT(exact.collision_effort().seconds, 0.0);
  EXPECT_LE(exact.collision_effort().seconds, a.seconds);
  EXPECT_GT(differences.collision_effort().proximity_calls, 2 * exact.collision_effort().proximity_calls);
}

TEST(ParkingMotion, TheSameTaskGivesTheSameBits) {
  const ParkingTask task{.knots = 31};
  TrajectoryProblem first(task, GradientMethod::exact);
  TrajectoryProblem second(task, GradientMethod::exact);
  EXPECT_EQ(solve(first).variables, solve(second).variables);
}

TEST(ParkingMotion, ALimitOfIterationsIsAStatusAndNotASolution) {
  TrajectoryProblem problem(ParkingTask(), GradientMethod::exact);
  const Solution solution = solve(problem, {.max_iterations = 3});
  EXPECT_FALSE(solution.is_solved);
  EXPECT_EQ(solution.status, "stopped at the limit of iterations");
  EXPECT_EQ(solution.iterations, 3);
  EXPECT_GT(check(problem, solution.variables).largest_violation(), 1e-6);
}

// What is wrong with the text as XML of elements, attributes and text alone; empty when nothing is.
std::string xml_error(std::string_view text) {
  std::vector<std::string> open;
  std::size_t elements = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = text.find('<', at);
    const std::string_view between = text.substr(at, start == std::string_view::npos ? start : start - at);
    if (between.find_first_of(">&") != std::string_view::npos) return "a stray > or & in the text";
    if (open.empty() && between.find_first_not_of(" \n") != std::string_view::npos) return "text outside the root";
    if (start == std::string_view::npos) break;
    const std::size_t end = text.find('>', start);
    if (end == std::string_view::npos) return "a tag without an end";
    std::string_view tag = text.substr(start + 1, end - start - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + std::string(tag.substr(1)) + "> out of place";
      open.pop_back();
      continue;
    }
    if (open.empty() && elements > 0) return "a second root";
    ++elements;
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    const std::string name(tag.substr(0, tag.find(' ')));
    tag.remove_prefix(name.size());
    std::vector<std::string> names;
    while (tag.find_first_not_of(' ') != std::string_view::npos) {
      if (tag.front() != ' ') return "no space before an attribute of <" + name + ">";
      tag.remove_prefix(tag.find_first_not_of(' '));
      const std::size_t equals = tag.find("=\"");
      if (equals == std::string_view::npos) return "an attribute of <" + name + "> without a value";
      const std::size_t quote = tag.find('"', equals + 2);
      if (quote == std::string_view::npos) return "a value in <" + name + "> without its end";
      const std::string attribute(tag.substr(0, equals));
      if (std::find(names.begin(), names.end(), attribute) != names.end())
        return attribute + " twice in <" + name + ">";
      names.push_back(attribute);
      if (tag.substr(equals + 2, quote - equals - 2).find_first_of("<&") != std::string_view::npos)
        return "< in a value";
      tag.remove_prefix(quote + 1);
    }
    if (!is_empty) open.push_back(name);
  }
  if (!open.empty()) return "<" + open.back() + "> without an end";
  return elements > 0 ? "" : "no element";
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ParkingDrawing, IsWellFormedAndShowsEveryCar) {
  // The check itself first.
  EXPECT_EQ(xml_error("<a x=\"1\"><b/>text</a>\n"), "");
  for (const char* wrong : {"", "text", "<a>", "<a></b>", "<a/><a/>", "<a x=1/>", "<a x=\"1\" x=\"2\"/>", "<a",
                            "<a>&</a>", "<a x=\"1/>", "<a x=\"1\"y=\"2\"/>"}) {
    EXPECT_NE(xml_error(wrong), "") << wrong;
  }

  const ParkingTask task{.knots = 25};
  TrajectoryProblem problem(task, GradientMethod::exact);
  const Eigen::VectorXd guess = problem.initial_guess();
  std::ostringstream out;
  write_svg(out, task, problem.trajectory(guess), check(problem, guess).driven);
  const std::string text = out.str();
  EXPECT_EQ(xml_error(text), "") << text;
  EXPECT_EQ(text.substr(0, 5), "<svg ");
  EXPECT_EQ(count_of(text, " rx=\""), 3u + 11u);  // parked, start, goal, and every second of the knots between
  EXPECT_EQ(text.find("nan"), std::string::npos);
  for (const char* word : {">start<", ">goal<", ">parked<"}) EXPECT_EQ(count_of(text, word), 1u) << word;
}

TEST(ParkingProgram, PrintsBothWaysSideBySideAndDraws) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--gradients both --knots 41 --svg '{}/parking.svg'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const auto row = [&](const std::string& name) {
    const std::size_t at = outcome.out.find("\n  " + name);
    if (at == std::string::npos) return std::string();
    return outcome.out.substr(at + 3 + name.size(), outcome.out.find('\n', at + 1) - at - 3 - name.size());
  };
  double exact = 0.0, differences = 0.0;
  EXPECT_TRUE(std::istringstream(row("calls of abut::proximity")) >> exact >> differences) << outcome.out;
  EXPECT_GT(differences, 2.0 * exact);
  double first = 0.0, second = 0.0;
  EXPECT_TRUE(std::istringstream(row("smallest distance, m")) >> first >> second) << outcome.out;
  EXPECT_GT(first, 0.0);
  EXPECT_GT(second, 0.0);
  std::string status_a, status_b;
  EXPECT_TRUE(std::istringstream(row("status")) >> status_a >> status_b) << outcome.out;
  EXPECT_EQ(status_a, "solved");
  EXPECT_EQ(status_b, "solved");
  EXPECT_EQ(xml_error(content_of(folder.path() / "parking.svg")), "");
}

TEST(ParkingProgram, SaysThatTheCarsCollideBetweenFewKnots) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--knots 10");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("smallest distance, m"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("the cars collide between the knots"), std::string::npos) << outcome.err;
}

TEST(ParkingProgram, NamesAFileThatItCannotWrite) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--knots 31 --svg '{}/missing/parking.svg'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err,
            "abut_parking: error: " + (folder.path() / "missing/parking.svg").string() + ": cannot be written\n");
}

TEST(ParkingProgram, RefusesWrongUsage) {
  const TempFolder folder;
  for (const char* arguments : {"--knots -5", "--knots 0", "--knots many", "--clearance -1", "--gradients some",
                                "--side up", "--unknown", "--svg"}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.substr(0, 21), "abut_parking: error: ");
  }
  const Outcome help = run_program(folder, "--help");
  EXPECT_EQ(help.status, 0);
  for (const char* word : {"--svg", "--gradients", "--knots", "--clearance", "--side", "--verbose", "Exit status"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace abut::parking
