// abut pairs: a robot in, an SRDF file with the pairs of its links that need no check out.
#include <abut/apps/commands.h>
#include <abut/apps/output.h>
#include <abut/planning/srdf_file.h>
#include <abut/planning/urdf_file.h>

#include <algorithm>
#include <iostream>
#include <ostream>
#include <sstream>
#include <string>

namespace abut {
namespace {

void write_pairs_summary(std::ostream& stream, const SemanticModel& semantic) {
  for (const char* reason : {kAdjacentReason, kDefaultReason, kAlwaysReason, kNeverReason}) {
    const auto has_reason = [reason](const DisabledPair& pair) { return pair.reason == reason; };
    stream << reason << ' ' << std::count_if(semantic.disabled_pairs.begin(), semantic.disabled_pairs.end(), has_reason)
           << '\n';
  }
}

RobotModel robot_of(const PairsArguments& arguments, Inputs& mesh_files) {
  UrdfOptions options;
  options.package_folders.assign(arguments.package_folders.begin(), arguments.package_folders.end());
  return read_urdf(arguments.robot, options, &mesh_files);
}

// Groups and states of the old file; what it passes over is said, except pairs, which are found anew.
SemanticModel semantic_of(const PairsArguments& arguments, const RobotModel& robot) {
  SemanticModel semantic;
  semantic.name = robot.name();
  if (arguments.srdf.empty()) return semantic;
  semantic = read_srdf(arguments.srdf, robot);
  for (const std::string& line : semantic.ignored) {
    if (line.find("<disable_collisions>") == std::string::npos) {
      std::cerr << arguments.srdf << ": ignored: " << line << '\n';
    }
  }
  return semantic;
}

}  // namespace

int pairs_command(const PairsArguments& arguments) {
  Inputs inputs;
  const RobotModel robot = robot_of(arguments, inputs);
  SemanticModel semantic = semantic_of(arguments, robot);
  with_threads(arguments.threads, [&] { semantic.disabled_pairs = find_disabled_pairs(robot, arguments.options); });
  std::ostringstream text;
  write_srdf(text, robot, semantic);
  // Opened last: a robot that cannot be read leaves the file as it was.
  inputs.insert(inputs.end(), {arguments.robot, arguments.srdf});
  Output output(arguments.output, inputs);
  std::string lines = text.str();
  if (lines.ends_with('\n')) lines.pop_back();  // write_line ends the last one
  output.write_line(lines);
  output.flush();
  write_pairs_summary(std::cerr, semantic);
  return kSuccess;
}

}  // namespace abut
