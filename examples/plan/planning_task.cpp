// Files into a checker, and checks that planning can begin.
#include "planning_task.h"

#include <abut/core/error.h>
#include <abut/io/scene_file.h>
#include <abut/planning/srdf_file.h>
#include <abut/planning/urdf_file.h>

#include <algorithm>
#include <utility>

#include "configuration_text.h"

namespace abut::plan {
namespace {

std::vector<Obstacle> read_obstacles(const std::filesystem::path& file) {
  std::vector<Obstacle> obstacles;
  for (const SceneBody& body : read_scene_file(file).bodies) {
    if (!body.body.is_sensor) obstacles.push_back({body.name, body.body.shape, body.body.pose});
  }
  return obstacles;
}

std::size_t group_of(const TaskFiles& files, const SemanticModel& semantic) {
  const std::optional<std::size_t> group = semantic.find_group(files.group);
  if (group && !semantic.groups[*group].variables.empty()) return *group;
  std::string known;
  for (const JointGroup& other : semantic.groups) {
    if (!other.variables.empty()) known += (known.empty() ? "" : ", ") + other.name;
  }
  throw InvalidInput("--group", "must be a group of " + files.srdf.string() + " that moves something (" + known +
                                    "), got \"" + files.group + "\"");
}

ValidityOptions options_of(const RobotModel& robot, const SemanticModel& semantic, const JointGroup& group) {
  ValidityOptions options;
  for (const std::size_t variable : group.variables) options.variables.push_back(robot.variables()[variable].name);
  options.disabled_pairs = link_pairs(semantic.disabled_pairs, robot.links().size());
  return options;
}

void require_start_or_goal(const char* argument, const ValidityChecker& checker,
                           const std::vector<double>& configuration) {
  for (std::size_t i = 0; i < configuration.size(); ++i) {
    const RobotVariable& variable = checker.robot().variables()[checker.variables()[i]];
    if (!(variable.lower <= configuration[i] && configuration[i] <= variable.upper)) {
      throw InvalidInput(
          std::string(argument) + "." + variable.name,
          "must be within the limits " + std::to_string(variable.lower) + " and " + std::to_string(variable.upper),
          configuration[i]);
    }
  }
  ValidityChecker::State state(checker);
  if (const std::optional<CheckedPair> pair = checker.first_contact(configuration, state)) {
    throw InvalidInput(
        argument, "must be free of collisions, but " + std::string(pair->link) + " meets " + std::string(pair->other));
  }
}

}  // namespace

std::vector<double> PlanningTask::robot_values(const std::vector<double>& configuration) const {
  std::vector<double> values = robot.default_values();
  for (std::size_t i = 0; i < configuration.size(); ++i) values[checker.variables()[i]] = configuration[i];
  return values;
}

PlanningTask read_task(const TaskFiles& files) {
  UrdfOptions urdf_options;
  urdf_options.package_folders = files.package_folders;
  RobotModel robot = read_urdf(files.robot, urdf_options);
  const SemanticModel semantic = read_srdf(files.srdf, robot);
  const std::size_t group_index = group_of(files, semantic);
  const JointGroup& group = semantic.groups[group_index];
  std::vector<Obstacle> obstacles = read_obstacles(files.scene);
  // Before the checker, which takes longer to make.
  std::vector<double> start = read_configuration("--from", files.from, robot, semantic, group_index);
  std::vector<double> goal = read_configuration("--to", files.to, robot, semantic, group_index);

  PlanningTask task{.robot = robot,
                    .obstacles = obstacles,
                    .checker = ValidityChecker(robot, obstacles, options_of(robot, semantic, group)),
                    .start = std::move(start),
                    .goal = std::move(goal),
                    .tip_link = robot.joints()[group.all_joints.back()].child_link,
                    .ignored = semantic.ignored};
  require_start_or_goal("--from", task.checker, task.start);
  require_start_or_goal("--to", task.checker, task.goal);
  return task;
}

}  // namespace abut::plan
