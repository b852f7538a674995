// abut_plan: plans how a robot moves among obstacles, proves that the path is free, prints what that took and draws it.
// Exit status: 0 a certified path, 1 none, or a file cannot be written, 2 wrong usage or input.
#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/json.h>
#include <CLI/CLI.hpp>

#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "path_planner.h"
#include "path_svg.h"
#include "planning_task.h"

namespace abut::plan {
namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kUsageError = 2;

constexpr double kMostSeconds = 3600.0;
constexpr double kLeastResolution = 1e-6;
constexpr double kMostResolution = 10.0;

// The arm of the repository on the two sides of a wall.
const std::filesystem::path kData = ABUT_PLAN_DATA;
constexpr const char* kFrom = "0.6,0.9,0,-1.3,0,0.8,0";
constexpr const char* kTo = "-0.6,0.9,0,-1.3,0,0.8,0";

constexpr const char* kDescription =
    R"(Plans how a robot's group moves among the obstacles of a scene file, from one configuration to another.

OMPL plans; abut says which states and motions are free of collisions. Motions are certified: free at every state on
the way, not only at samples. Without arguments a small arm reaches around a wall.

A configuration is given as numbers with commas between them (one for each variable of the group), as a JSON object
with a number for each variable by name, as the name of a .json file with one of these, or as the name of a state in
the SRDF file.)";

constexpr const char* kFooter = R"(Examples:
  abut_plan
  abut_plan --svg plan.svg --output path.json
  abut_plan --from ready --planner bit-star-clearance --time-limit 5
  abut_plan --robot panda.urdf --srdf panda.srdf --group panda_arm --scene shelf.json --from start.json --to goal.json

Metres, radians and seconds.
Exit status: 0 a certified path, 1 none, or a file cannot be written, 2 wrong usage or input.)";

const std::map<std::string, Planner> kPlanners = {{"rrt-connect", Planner::rrt_connect},
                                                  {"lbkpiece", Planner::lbkpiece},
                                                  {"bit-star", Planner::bit_star},
                                                  {"bit-star-clearance", Planner::bit_star_clearance}};

struct Arguments {
  TaskFiles files;
  std::string planner = "rrt-connect";
  PlannerOptions options;
  std::string output;
  std::string svg;
  bool no_times = false;
};

std::string number(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::ostream& row(const char* name) {
  return std::cout << std::left << std::setw(13) << name;
}

void write_effort(const char* name, const Effort& effort, bool no_times) {
  row(name) << effort.motions << " motions checked";
  if (!no_times) {
    std::cout << " in " << number(1e3 * effort.seconds, 2) << " ms";
    if (effort.seconds > 0.0) {
      std::cout << ", " << number(static_cast<double>(effort.motions) / effort.seconds, 0) << " a second";
    }
  }
  std::cout << '\n';
}

void write_report(const Arguments& arguments, const PlanningTask& task, const PlannedPath& path) {
  row("robot") << task.robot.name() << ", " << task.checker.dimension() << " variables, " << task.obstacles.size()
               << " obstacles, " << task.checker.pair_count() << " pairs of geometry\n";
  write_effort("planning", path.planning, arguments.no_times);
  if (path.states.empty()) return;
  if (path.simplifying.motions > 0) write_effort("simplifying", path.simplifying, arguments.no_times);
  write_effort("certifying", path.certifying, arguments.no_times);
  row("path") << path.states.size() << " states, length " << number(path.length, 4) << ", as it was found "
              << number(path.first_length, 4) << '\n';
  if (!path.nearest.empty()) row("clearance") << number(path.least_clearance, 4) << " m, " << path.nearest << '\n';
  row("verdict") << (path.collision.empty() ? "every motion is certified" : path.collision) << '\n';
}

void write_file(const std::string& file, const std::string& content) {
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) throw std::runtime_error(file + ": cannot be written");
}

// Whether two names stand for one file, which need not be there yet.
bool are_same(const std::string& file, const std::string& other) {
  std::error_code error;
  if (std::filesystem::equivalent(file, other, error)) return true;
  const auto place = [](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name));
  };
  return place(file) == place(other);
}

// {"variables": [names], "states": [[values], ...]}, a state a line.
std::string path_json(const PlanningTask& task, const PlannedPath& path) {
  std::string text = "{\"variables\": ";
  Json names = Json::array();
  for (const std::size_t variable : task.checker.variables()) names.push_back(task.robot.variables()[variable].name);
  text += names.dump() + ",\n \"states\": [";
  for (std::size_t i = 0; i < path.states.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + Json(path.states[i]).dump();
  return text + "]}\n";
}

bool plan_and_report(const Arguments& arguments, const PlanningTask& task) {
  for (const std::string& line : task.ignored) {
    std::cerr << arguments.files.srdf.string() << ": ignored: " << line << '\n';
  }
  const PlannedPath path = plan_path(task, arguments.options);
  write_report(arguments, task, path);
  if (path.states.empty()) {
    std::cerr << "abut_plan: error: no path was found in " << arguments.options.time_limit << " s\n";
    return false;
  }
  if (!arguments.output.empty()) write_file(arguments.output, path_json(task, path));
  if (!arguments.svg.empty()) {
    std::ostringstream drawing;
    write_svg(drawing, task, path.states);
    write_file(arguments.svg, drawing.str());
  }
  if (path.collision.empty()) return true;
  std::cerr << "abut_plan: error: the path is not certified: " << path.collision
            << "; a finer --resolution, or none, would prevent it\n";
  return false;
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--robot", arguments.files.robot, "URDF file; without it, the arm of the repository")
      ->type_name("FILE");
  app.add_option("--srdf", arguments.files.srdf, "SRDF file of the robot")->type_name("FILE");
  app.add_option("--group", arguments.files.group, "Whose variables move; the others keep their defaults");
  app.add_option("--scene", arguments.files.scene, "Scene file: its bodies are the obstacles")->type_name("FILE");
  app.add_option("--from", arguments.files.from, "Configuration to start from")->type_name("CONFIGURATION");
  app.add_option("--to", arguments.files.to, "Configuration to reach")->type_name("CONFIGURATION");
  app.add_option("--package-folder", arguments.files.package_folders,
                 "Where packages of the URDF file lie; may be given many times")
      ->type_name("FOLDER");
  std::vector<std::string> names;
  for (const auto& [name, planner] : kPlanners) names.push_back(name);
  app.add_option("--planner", arguments.planner,
                 "rrt-connect (default) or lbkpiece: the first path; bit-star: the shortest found in the time; "
                 "bit-star-clearance: one that also keeps clear of everything")
      ->check(CLI::IsMember(names));
  app.add_option("--resolution", arguments.options.resolution,
                 "While planning, look at motions in steps of this, radians or metres; without it, certify them")
      ->check(CLI::Range(kLeastResolution, kMostResolution));
  app.add_option("--seed", arguments.options.seed, "Of the planner's random numbers; without it, 1")
      ->check(CLI::Range(std::uint32_t{1}, std::numeric_limits<std::uint32_t>::max()));
  app.add_option("--time-limit", arguments.options.time_limit, "Seconds to plan; without it, 10")
      ->check(CLI::Range(1e-3, kMostSeconds));
  app.add_option("--output", arguments.output, "Write the path into this file, as JSON")->type_name("FILE");
  app.add_option("--svg", arguments.svg, "Draw the path into this file")->type_name("FILE");
  app.add_flag("--no-times", arguments.no_times, "Leave out the times, so that the same call prints the same");
}

// The default task where no robot is given, of which parts may be others. Returns what is missing.
std::string complete(TaskFiles& files) {
  if (!files.robot.empty()) {
    const bool is_complete =
        !files.srdf.empty() && !files.group.empty() && !files.scene.empty() && !files.from.empty() && !files.to.empty();
    return is_complete ? "" : "--robot needs --srdf, --group, --scene, --from and --to";
  }
  files.robot = kData / "arm.urdf";
  if (files.srdf.empty()) files.srdf = kData / "arm.srdf";
  if (files.group.empty()) files.group = "arm";
  if (files.scene.empty()) files.scene = kData / "wall.json";
  if (files.from.empty()) files.from = kFrom;
  if (files.to.empty()) files.to = kTo;
  return "";
}

int usage_error(const std::string& text) {
  std::cerr << "abut_plan: error: " << text << "\nSee abut_plan --help.\n";
  return kUsageError;
}

int input_error(const std::exception& error) {
  std::cerr << "abut_plan: error: " << error.what() << '\n';
  return kUsageError;
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "abut_plan");
  app.footer(kFooter);
  Arguments arguments;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  arguments.options.planner = kPlanners.at(arguments.planner);
  if (const std::string missing = complete(arguments.files); !missing.empty()) return usage_error(missing);
  try {
    if (!arguments.svg.empty() && !arguments.output.empty() && are_same(arguments.svg, arguments.output)) {
      return usage_error("--svg and --output name the same file, " + arguments.svg);
    }
    return plan_and_report(arguments, read_task(arguments.files)) ? kSuccess : kFailure;
  } catch (const FileError& error) {
    return input_error(error);
  } catch (const InvalidInput& error) {
    return input_error(error);
  } catch (const std::exception& error) {
    std::cerr << "abut_plan: error: " << error.what() << '\n';
    return kFailure;
  }
}

}  // namespace
}  // namespace abut::plan

int main(int argc, char** argv) {
  return abut::plan::run(argc, argv);
}
