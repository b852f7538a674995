// JSON carries numbers and objects; anything that does not begin like one is the name of a state.
#include "configuration_text.h"

#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/json.h>
#include <abut/io/read_file.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace abut::plan {
namespace {

std::vector<double> values_by_name(const Json& object, const RobotModel& robot, const JointGroup& group) {
  std::vector<double> values;
  for (const std::size_t variable : group.variables) {
    values.push_back(json::field(object, robot.variables()[variable].name.c_str(), json::number));
  }
  for (const auto& item : object.items()) {
    const std::string& name = item.key();
    const auto has_name = [&](std::size_t variable) { return robot.variables()[variable].name == name; };
    if (std::none_of(group.variables.begin(), group.variables.end(), has_name)) {
      throw InvalidInput(name, "is not a variable of the group \"" + group.name + "\"");
    }
  }
  return values;
}

std::vector<double> values_of(const Json& value, const RobotModel& robot, const JointGroup& group) {
  if (value.is_object()) return values_by_name(value, robot, group);
  std::vector<double> values(group.variables.size());
  json::numbers(value, values.data(), values.size());
  return values;
}

std::vector<double> values_of_state(const std::string& name, const RobotModel& robot, const SemanticModel& semantic,
                                    std::size_t group) {
  const std::optional<std::size_t> state = semantic.find_state(group, name);
  if (!state) {
    throw InvalidInput("", "must be numbers, a JSON object, a .json file or a state of the group \"" +
                               semantic.groups[group].name + "\", got \"" + name + "\"");
  }
  std::vector<double> all = robot.default_values();
  for (const VariableValue& value : semantic.group_states[*state].values) all[value.variable] = value.value;
  std::vector<double> values;
  for (const std::size_t variable : semantic.groups[group].variables) values.push_back(all[variable]);
  return values;
}

bool begins_like_numbers(const std::string& text) {
  return !text.empty() && (text.find_first_of("+-.0123456789") == 0);
}

}  // namespace

std::vector<double> read_configuration(const std::string& argument, const std::string& text, const RobotModel& robot,
                                       const SemanticModel& semantic, std::size_t group) {
  const JointGroup& joints = semantic.groups[group];
  if (text.ends_with(".json")) {
    const std::string content = read_file(text);
    try {
      return values_of(json::parse(content), robot, joints);
    } catch (const InvalidInput& error) {
      throw FileError(text, error.what());
    }
  }
  return json::within(argument, [&] {
    if (text.starts_with('{') || text.starts_with('[')) return values_of(json::parse(text), robot, joints);
    if (begins_like_numbers(text)) return values_of(json::parse("[" + text + "]"), robot, joints);
    return values_of_state(text, robot, semantic, group);
  });
}

}  // namespace abut::plan
