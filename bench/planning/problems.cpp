#include "problems.h"

#include <abut/io/json.h>
#include <abut/io/read_file.h>
#include <abut/io/shape_json.h>
#include <abut/planning/disabled_pairs.h>
#include <abut/planning/srdf_file.h>
#include <abut/planning/urdf_file.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>

namespace abut::bench {
namespace {

using samples::Random;

constexpr double kNearDeviation = 0.1;  // radians or metres
constexpr double kFromContact = 1e-6;   // generated starts and goals are farther than this from touching, metres
constexpr int kTries = 1000;

std::vector<double> numbers_of(const Json& value) {
  std::vector<double> result(value.size());
  json::numbers(value, result.data(), result.size());
  return result;
}

double normal(Random& random) {
  const double u = 1.0 - random.uniform(0.0, 1.0);
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * random.uniform(0.0, 1.0));
}

std::vector<double> uniform(const PlanningRobot& robot, Random& random) {
  std::vector<double> result;
  for (std::size_t i = 0; i < robot.lower.size(); ++i) result.push_back(random.uniform(robot.lower[i], robot.upper[i]));
  return result;
}

/// Data sets have values a whole turn away, or beyond a limit by rounding.
void bring_within_limits(const PlanningRobot& robot, std::vector<double>& configuration) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (std::size_t i = 0; i < configuration.size(); ++i) {
    double& value = configuration[i];
    if (value > robot.upper[i] && value - kTurn >= robot.lower[i]) value -= kTurn;
    if (value < robot.lower[i] && value + kTurn <= robot.upper[i]) value += kTurn;
    value = std::clamp(value, robot.lower[i], robot.upper[i]);
  }
}

PlanningRobot robot_of(const std::string& name, const std::filesystem::path& urdf, const std::filesystem::path& srdf,
                       std::vector<std::string> variables,
                       std::vector<std::pair<std::string, double>> fixed_values = {}) {
  PlanningRobot robot{name, read_urdf(urdf), read_urdf(urdf, {.meshes = UrdfMeshes::as_they_are}), {}, {}, {}, {}};
  const SemanticModel semantic = read_srdf(srdf, robot.hulls);
  robot.options.disabled_pairs = link_pairs(semantic.disabled_pairs, robot.hulls.links().size());
  robot.options.variables = std::move(variables);
  robot.options.fixed_values = std::move(fixed_values);
  for (const std::string& variable : robot.options.variables) {
    const std::optional<std::size_t> index = robot.hulls.find_variable(variable);
    if (!index) throw InvalidInput("joints", "the robot has no variable " + variable);
    robot.lower.push_back(robot.hulls.variables()[*index].lower);
    robot.upper.push_back(robot.hulls.variables()[*index].upper);
  }
  return robot;
}

PlanningProblem read_problem(const Json& value, const std::string& world, const PlanningRobot& robot) {
  PlanningProblem problem;
  problem.name = world + "-" + std::to_string(json::field(value, "index", json::index));
  problem.start = json::field(value, "start", numbers_of);
  problem.goal = json::field(value, "goal", numbers_of);
  bring_within_limits(robot, problem.start);
  bring_within_limits(robot, problem.goal);
  ShapeFiles files;
  for (const Json& obstacle : json::member(value, "obstacles")) {
    problem.obstacles.push_back({json::field(obstacle, "name", json::string),
                                 read_shape(json::member(obstacle, "shape"), files, UnknownFields::ignored),
                                 read_pose_field(obstacle, UnknownFields::ignored)});
  }
  return problem;
}

std::vector<std::string> names_of(const Json& value) {
  std::vector<std::string> names;
  for (const Json& name : value) names.push_back(json::string(name));
  return names;
}

PlanningRobot read_robot(const std::string& name, const std::filesystem::path& robots,
                         const std::filesystem::path& planning, std::size_t problems_a_world) {
  std::optional<PlanningRobot> robot;
  for (const std::string world :
       {"bookshelf_small", "bookshelf_tall", "bookshelf_thin", "box", "cage", "table_pick", "table_under_pick"}) {
    const Json file = json::parse(read_file(planning / name / (world + ".json")));
    if (!robot) {
      const std::filesystem::path folder = robots / name;
      robot =
          robot_of(name, folder / (name + ".urdf"), folder / (name + ".srdf"), json::field(file, "joints", names_of));
    }
    const Json& problems = json::member(file, "problems");
    const std::size_t count = std::min(problems_a_world, problems.size());
    for (std::size_t i = 0; i < count; ++i) {
      robot->problems.push_back(read_problem(problems[(2 * i + 1) * problems.size() / (2 * count)], world, *robot));
    }
  }
  return *std::move(robot);
}

/// Boxes, cylinders and balls all around the arm, above a table, as many as there are in a shelf.
std::vector<Obstacle> obstacles_around(Random& random) {
  std::vector<Obstacle> obstacles{{"table", Box(Vector3d(1.0, 1.0, 0.05)), Pose(Vector3d(0, 0, -0.06))}};
  for (int i = 0; i < 14; ++i) {
    const double angle = random.uniform(-std::numbers::pi, std::numbers::pi);
    const double radius = random.uniform(0.4, 0.8);
    const Vector3d place(radius * std::cos(angle), radius * std::sin(angle), random.uniform(0.1, 1.0));
    const std::string name = "obstacle " + std::to_string(i);
    const Vector3d size = random.vector(0.03, 0.12);
    const Shape shape = i % 3 == 0   ? Shape(Cylinder(size.x(), size.y()))
                        : i % 7 == 1 ? Shape(Sphere(size.x()))
                                     : Shape(Box(size));
    obstacles.push_back({name, shape, Pose(place, random.rotation())});
  }
  return obstacles;
}

PlanningRobot test_arm(std::size_t problem_count) {
  const std::filesystem::path folder = ABUT_PLANNING_TEST_DATA;
  std::vector<std::string> joints;
  for (int i = 1; i <= 7; ++i) joints.push_back("joint_" + std::to_string(i));
  PlanningRobot robot =
      robot_of("test arm", folder / "arm.urdf", folder / "arm.srdf", joints, {{"left_finger_joint", 0.03}});
  Random random(1);
  const auto is_free = [](const ValidityChecker& checker, ValidityChecker::State& state, const auto& configuration) {
    return checker.clearance(configuration, state).distance > kFromContact;
  };
  while (robot.problems.size() < problem_count) {
    PlanningProblem problem{"random-" + std::to_string(robot.problems.size()), obstacles_around(random), {}, {}};
    const ValidityChecker checker(robot.hulls, problem.obstacles, robot.options);
    ValidityChecker::State state(checker);
    int tries = 0;
    for (std::vector<double>* end : {&problem.start, &problem.goal}) {
      do {
        *end = uniform(robot, random);
      } while (++tries < kTries && !is_free(checker, state, *end));
    }
    if (tries < kTries) robot.problems.push_back(std::move(problem));
  }
  return robot;
}

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
}

}  // namespace

std::vector<PlanningRobot> planning_robots(std::size_t problems_a_world, const std::string& only) {
  const char* robots = std::getenv("ABUT_ROBOTS_DIR");
  const char* planning = std::getenv("ABUT_PLANNING_DIR");
  std::vector<PlanningRobot> result;
  if (robots == nullptr || planning == nullptr) {
    result.push_back(test_arm(3 * problems_a_world));
    return result;
  }
  for (const std::string name : {"panda", "ur5", "fetch"}) {
    if (only.empty() || only == name) result.push_back(read_robot(name, robots, planning, problems_a_world));
  }
  return result;
}

void configuration_along(const Motion& motion, double t, std::vector<double>& configuration) {
  configuration.resize(motion.from.size());
  for (std::size_t i = 0; i < motion.from.size(); ++i) {
    configuration[i] = motion.from[i] + t * (motion.to[i] - motion.from[i]);
  }
}

Configurations draw_configurations(const PlanningRobot& robot, const PlanningProblem& problem,
                                   const ValidityChecker& checker, std::size_t count) {
  Random random(2);
  ValidityChecker::State state(checker);
  Configurations result;
  const auto add = [&](std::vector<double> configuration) {
    const bool is_valid = checker.is_valid(configuration, state);
    (is_valid ? result.valid : result.invalid).push_back(std::move(configuration));
  };
  for (std::size_t i = 0; i < count * 4 / 10; ++i) add(uniform(robot, random));
  for (std::size_t i = 0; i < count / 10; ++i) {
    std::vector<double> configuration = i % 2 == 0 ? problem.start : problem.goal;
    for (double& value : configuration) value += kNearDeviation * normal(random);
    bring_within_limits(robot, configuration);
    add(std::move(configuration));
  }
  if (result.valid.empty()) result.valid.push_back(problem.start);
  const std::size_t first_valid = result.valid.size();
  const std::size_t first_invalid = result.invalid.size();
  for (std::size_t i = 0; i < count / 2 && first_invalid > 0; ++i) {
    Motion way{result.valid[random.below(static_cast<std::uint32_t>(first_valid))],
               result.invalid[random.below(static_cast<std::uint32_t>(first_invalid))]};
    std::vector<double> middle;
    for (std::uint32_t steps = 3 + random.below(14); steps > 0; --steps) {
      configuration_along(way, 0.5, middle);
      (checker.is_valid(middle, state) ? way.from : way.to) = middle;
    }
    if (i % 2 == 0) {
      result.valid.push_back(std::move(way.from));
    } else {
      result.invalid.push_back(std::move(way.to));
    }
  }
  shuffle(result.valid, random);
  shuffle(result.invalid, random);
  return result;
}

std::vector<Motion> draw_motions(const PlanningRobot& robot, const Configurations& configurations, std::size_t count) {
  Random random(3);
  std::vector<Motion> motions;
  for (std::size_t tries = 0; motions.size() < count && tries < 1000 * count; ++tries) {
    Motion motion;
    motion.from = configurations.valid[random.below(static_cast<std::uint32_t>(configurations.valid.size()))];
    std::vector<double> way(motion.from.size());
    double length_sq = 0.0;
    for (double& value : way) {
      value = normal(random);
      length_sq += value * value;
    }
    motion.to = motion.from;
    bool is_within = true;
    for (std::size_t i = 0; i < way.size(); ++i) {
      motion.to[i] += way[i] / std::sqrt(length_sq);
      is_within = is_within && robot.lower[i] <= motion.to[i] && motion.to[i] <= robot.upper[i];
    }
    if (is_within) motions.push_back(std::move(motion));
  }
  return motions;
}

}  // namespace abut::bench
