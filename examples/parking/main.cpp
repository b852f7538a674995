// abut_parking: plans how a car drives around a parked one, prints what that took and draws it.
// Exit status: 0 planned and free of collisions, 1 not, or the drawing cannot be written, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ipopt_solver.h"
#include "trajectory_check.h"
#include "trajectory_problem.h"
#include "trajectory_svg.h"

namespace abut::parking {
namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kUsageError = 2;

constexpr int kFewestKnots = 10;  // with fewer, the car could jump over the parked one
constexpr int kMostKnots = 1000;
constexpr double kMostClearance = 1.0;  // metres
constexpr double kLargestViolation = 1e-6;
constexpr int kSubsteps = 20;  // between two knots, where the collision is checked

constexpr const char* kDescription =
    R"(Plans how a car drives from start to goal around a parked car that stands in the way.

Both are capsules. The planner, Ipopt, keeps their proximity at or above zero; abut gives it the proximity and its
exact gradient. The controls found are then driven in small steps, and abut measures the distance at each.)";

constexpr const char* kFooter = R"(Examples:
  abut_parking
  abut_parking --svg parking.svg
  abut_parking --gradients both --knots 81
  abut_parking --side right --verbose

Metres, radians and seconds.
Exit status: 0 planned and free of collisions, 1 not, or the drawing cannot be written, 2 wrong usage.)";

struct Arguments {
  ParkingTask task;
  std::string gradients = "exact";
  std::string side = "left";
  std::string svg;
  bool verbose = false;
};

struct Result {
  std::string gradients;
  Solution solution;
  CollisionEffort effort;  // of the solver alone
  TrajectoryCheck check;
  Trajectory trajectory;
};

// Plans, and checks what came out.
Result plan(const Arguments& arguments, GradientMethod method) {
  Result result;
  result.gradients = method == GradientMethod::exact ? "exact" : "differences";
  TrajectoryProblem problem(arguments.task, method);
  result.solution = solve(problem, {.verbose = arguments.verbose});
  result.effort = problem.collision_effort();
  result.check = check(problem, result.solution.variables, kSubsteps);
  result.trajectory = problem.trajectory(result.solution.variables);
  return result;
}

std::string number(double value, int digits = 4) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

std::string milliseconds(double seconds) {
  return number(1e3 * seconds, 3) + " ms";
}

void write_row(const std::string& name, const std::vector<Result>& results, std::string (*cell)(const Result&)) {
  std::cout << "  " << std::left << std::setw(34) << name;
  for (const Result& result : results) std::cout << "  " << std::right << std::setw(16) << cell(result);
  std::cout << '\n';
}

void write_report(const std::vector<Result>& results) {
  const auto row = [&](const char* name, std::string (*cell)(const Result&)) { write_row(name, results, cell); };
  row("gradients of the collision", [](const Result& r) { return r.gradients; });
  std::cout << "Solver\n";
  row("status", [](const Result& r) { return r.solution.status; });
  row("control effort", [](const Result& r) { return number(r.solution.objective, 7); });
  row("iterations", [](const Result& r) { return std::to_string(r.solution.iterations); });
  row("time", [](const Result& r) { return milliseconds(r.solution.seconds); });
  row("of it, collision constraint", [](const Result& r) { return milliseconds(r.effort.seconds); });
  row("calls of abut::proximity", [](const Result& r) { return std::to_string(r.effort.proximity_calls); });
  std::cout << "Largest violation\n";
  row("of the dynamics", [](const Result& r) { return number(r.check.dynamics_violation, 2); });
  row("of proximity >= 0, m^2", [](const Result& r) { return number(r.check.collision_violation, 2); });
  row("of the limits", [](const Result& r) { return number(r.check.limit_violation, 2); });
  std::cout << "Driven by the controls alone, " << kSubsteps << " steps an interval\n";
  row("smallest distance, m", [](const Result& r) { return number(r.check.smallest_distance, 6); });
  row("miss of the goal, m", [](const Result& r) { return number(r.check.goal_error, 2); });
  row("miss of its heading, rad", [](const Result& r) { return number(r.check.goal_heading_error, 2); });
}

// Empty where the motion is what was asked for.
std::string problem_of(const Result& result) {
  if (!result.solution.is_solved) return "the solver " + result.solution.status;
  if (!(result.check.largest_violation() <= kLargestViolation)) return "the constraints are not met";
  if (!(result.check.smallest_distance > 0.0)) {
    return "the cars collide between the knots; more knots or more clearance would prevent it";
  }
  return "";
}

void write_drawing(const std::string& file, const ParkingTask& task, const Result& result) {
  std::ofstream out(file);
  write_svg(out, task, result.trajectory, result.check.driven);
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot be written");
}

bool plan_and_report(const Arguments& arguments) {
  std::vector<Result> results;
  if (arguments.gradients != "differences") results.push_back(plan(arguments, GradientMethod::exact));
  if (arguments.gradients != "exact") results.push_back(plan(arguments, GradientMethod::differences));
  const ParkingTask& task = arguments.task;
  std::cout << task.knots << " knots over " << number(task.duration) << " s, clearance " << number(task.clearance)
            << " m at the knots, past the parked car on its " << arguments.side << "\n\n";
  write_report(results);
  if (!arguments.svg.empty()) write_drawing(arguments.svg, task, results.front());
  bool are_good = true;
  for (const Result& result : results) {
    const std::string problem = problem_of(result);
    if (problem.empty()) continue;
    are_good = false;
    std::cerr << "abut_parking: error: with " << result.gradients << " gradients: " << problem << '\n';
  }
  return are_good;
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--svg", arguments.svg, "Draw the motion into this file")->type_name("FILE");
  app.add_option("--gradients", arguments.gradients,
                 "Of the collision constraint: exact (default), central differences, or both side by side")
      ->check(CLI::IsMember({"exact", "differences", "both"}));
  app.add_option("--knots", arguments.task.knots,
                 "Times at which the state is a variable; without it, " + std::to_string(arguments.task.knots))
      ->check(CLI::Range(kFewestKnots, kMostKnots));
  app.add_option("--clearance", arguments.task.clearance,
                 "Metres to keep at the knots; without it, " + number(arguments.task.clearance))
      ->check(CLI::Range(0.0, kMostClearance));
  app.add_option("--side", arguments.side, "Of the parked car on which to pass: left (default) or right")
      ->check(CLI::IsMember({"left", "right"}));
  app.add_flag("--verbose", arguments.verbose, "Show the solver's iterations");
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "abut_parking");
  app.footer(kFooter);
  Arguments arguments;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::cerr << "abut_parking: error: " << error.what() << "\nSee abut_parking --help.\n";
    return kUsageError;
  }
  arguments.task.side = arguments.side == "left" ? Side::left : Side::right;
  try {
    return plan_and_report(arguments) ? kSuccess : kFailure;
  } catch (const std::exception& error) {
    std::cerr << "abut_parking: error: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace
}  // namespace abut::parking

int main(int argc, char** argv) {
  return abut::parking::run(argc, argv);
}
