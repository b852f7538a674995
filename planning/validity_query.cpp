#include <abut/core/error.h>
#include <abut/io/json.h>
#include <abut/io/json_text.h>
#include <abut/planning/validity_query.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace abut {
namespace {

/// Why a robot's joint takes no value in a configuration.
std::string why_no_value(const RobotModel& robot, const std::string& name) {
  const std::optional<std::size_t> joint = robot.find_joint(name);
  if (!joint) return "the robot has no joint of this name";
  if (robot.joints()[*joint].mimic) return "this joint mimics another and takes no value";
  if (robot.joints()[*joint].kind == JointKind::fixed) return "this joint is fixed and takes no value";
  return "this joint has several variables, such as " + robot.variables()[*robot.first_variable(*joint)].name;
}

std::vector<double> read_configuration(const Json& value, const ValidityChecker& checker) {
  json::require_object(value);
  const RobotModel& robot = checker.robot();
  std::vector<double> configuration;
  for (const std::size_t variable : checker.variables()) {
    configuration.push_back(robot.variables()[variable].default_value());
  }
  const auto path_of = [](const std::string& name) {
    std::string path = json::member_path("", name);
    if (path.starts_with('.')) path.erase(0, 1);
    return path;
  };
  for (const auto& [name, number] : value.items()) {
    const std::string path = path_of(name);
    const std::optional<std::size_t> variable = robot.find_variable(name);
    const auto place =
        std::find(checker.variables().begin(), checker.variables().end(), variable.value_or(robot.variables().size()));
    if (!variable) throw InvalidInput(path, why_no_value(robot, name));
    if (place == checker.variables().end()) throw InvalidInput(path, "is not a variable of the configuration");
    configuration[static_cast<std::size_t>(place - checker.variables().begin())] =
        json::within(path, [&number = number] { return json::number(number); });
  }
  for (std::size_t i = 0; i < configuration.size(); ++i) {
    checker.require_value(path_of(robot.variables()[checker.variables()[i]].name), i, configuration[i]);
  }
  return configuration;
}

void append_contact(std::string& line, const CheckedPair& pair) {
  line += ",\"first_contact\":[" + json::quoted(pair.link) + "," + json::quoted(pair.other) + "]";
}

void append_valid(std::string& line, bool is_valid) {
  line += is_valid ? ",\"valid\":true" : ",\"valid\":false";
}

void answer_configuration(std::string& line, const Json& query, const ValidityChecker& checker, bool with_clearance,
                          ValidityChecker::State& state) {
  const auto read = [&checker](const Json& value) { return read_configuration(value, checker); };
  const std::vector<double> configuration = json::field(query, "configuration", read);
  const std::optional<CheckedPair> contact = checker.first_contact(configuration, state);
  append_valid(line, !contact);
  if (contact) append_contact(line, *contact);
  if (!with_clearance) return;
  const Clearance clearance = checker.clearance(configuration, state);
  if (clearance.pair.link.empty()) {
    line += ",\"clearance\":null";
    return;
  }
  if (!std::isfinite(clearance.distance)) {
    throw InvalidInput("", std::string("the result is not finite: clearance is ") +
                               (std::isnan(clearance.distance) ? "not a number" : "infinite") +
                               "; the shapes or the coordinates are too large");
  }
  json::append_field(line, "clearance", clearance.distance);
}

void answer_motion(std::string& line, const Json& query, const ValidityChecker& checker,
                   ValidityChecker::State& state) {
  const auto read = [&checker](const Json& value) { return read_configuration(value, checker); };
  const std::vector<double> from = json::field(query, "from", read);
  const std::vector<double> to = json::field(query, "to", read);
  MotionCheck check;
  if (json::find(query, "resolution") != nullptr) {
    const double resolution = json::field(query, "resolution", json::number);
    check = checker.check_motion(from, to, resolution, state);
  } else {
    check = checker.check_motion(from, to, state);
  }
  append_valid(line, check.is_valid);
  if (check.is_valid) return;
  append_contact(line, check.pair);
  json::append_field(line, "at", check.first_invalid);
}

}  // namespace

QueryAnswer ValidityAnswerer::answer(std::string_view text, ValidityChecker::State& state,
                                     std::size_t line_number) const noexcept {
  std::optional<std::string> id;
  try {
    state.forget();  // which lines a thread has had before is chance
    const Json query = json::parse(text, id, std::max<std::size_t>(line_number, 1));
    json::within("line", [&query] { json::require_object(query); });
    static_cast<void>(json::field(query, "id", json::string));
    json::refuse_unknown_fields(query, {"id", "configuration", "from", "to", "resolution", "expected"});
    std::string line = "{\"id\":" + json::quoted(*id);
    const bool is_motion = json::find(query, "from") != nullptr || json::find(query, "to") != nullptr;
    if (is_motion && json::find(query, "configuration") != nullptr) {
      throw InvalidInput("configuration", "must not be given together with from and to");
    }
    if (!is_motion && json::find(query, "resolution") != nullptr) {
      throw InvalidInput("resolution", "is for motions only, which have from and to");
    }
    if (is_motion) {
      answer_motion(line, query, checker_, state);
    } else {
      answer_configuration(line, query, checker_, with_clearance_, state);
    }
    return {line + "}"};
  } catch (const std::exception& error) {
    return error_answer(id ? &*id : nullptr, error.what(), line_number);
  }
}

}  // namespace abut
