// abut validate: a robot, a scene and configurations in, JSON Lines out, in the same order.
#include <abut/apps/commands.h>
#include <abut/apps/line_reader.h>
#include <abut/apps/output.h>
#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/scene_file.h>
#include <abut/planning/srdf_file.h>
#include <abut/planning/urdf_file.h>
#include <abut/planning/validity_query.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace abut {
namespace {

constexpr std::size_t kChunkConfigurations = 1024;

bool is_empty_line(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

/// What a checker asks of the names of obstacles, by the fields of the scene file, which has each name once.
void require_names(const SceneDescription& scene, const RobotModel& robot) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const std::string field = "bodies[" + std::to_string(i) + "].name";
    const std::string& name = scene.bodies[i].name;
    if (name.empty()) throw InvalidInput(field, "must not be empty");
    if (robot.find_link(name)) throw InvalidInput(field, "'" + name + "' is the name of a link of the robot");
  }
}

/// @param mesh_files  Gets the files that the robot and the scene name.
ValidityChecker checker_of(const ValidateArguments& arguments, Inputs& mesh_files) {
  UrdfOptions urdf;
  urdf.meshes = arguments.meshes ? UrdfMeshes::as_they_are : UrdfMeshes::convex_hulls;
  urdf.package_folders.assign(arguments.package_folders.begin(), arguments.package_folders.end());
  const RobotModel robot = read_urdf(arguments.robot, urdf, &mesh_files);
  ValidityOptions options;
  if (!arguments.srdf.empty()) {
    const SemanticModel semantic = read_srdf(arguments.srdf, robot);
    for (const std::string& line : semantic.ignored) std::cerr << arguments.srdf << ": ignored: " << line << '\n';
    options.disabled_pairs = link_pairs(semantic.disabled_pairs, robot.links().size());
  }
  SceneDescription scene = read_scene_file(arguments.scene);
  mesh_files.insert(mesh_files.end(), scene.files.begin(), scene.files.end());
  try {
    require_names(scene, robot);
    std::vector<Obstacle> obstacles;
    for (SceneBody& body : scene.bodies) {
      obstacles.push_back({std::move(body.name), std::move(body.body.shape), body.body.pose});
    }
    return ValidityChecker(robot, std::move(obstacles), options);
  } catch (const InvalidInput& error) {
    throw FileError(arguments.scene, error.what());
  }
}

}  // namespace

int validate_command(const ValidateArguments& arguments) {
  LineReader reader(arguments.file);
  Inputs inputs;
  const ValidityChecker checker = checker_of(arguments, inputs);
  inputs.insert(inputs.end(), {reader.file(), arguments.robot, arguments.srdf, arguments.scene});
  Output output(arguments.output, inputs);
  const ValidityAnswerer answerer(checker, arguments.clearance);
  bool has_error = false;
  with_threads(arguments.threads, [&] {
    tbb::enumerable_thread_specific<ValidityChecker::State> states([&] { return ValidityChecker::State(checker); });
    std::vector<std::string> lines;
    std::vector<QueryAnswer> answers;
    for (std::size_t first_line = 1; reader.read(lines, kChunkConfigurations); first_line += lines.size()) {
      answers.assign(lines.size(), QueryAnswer{});
      tbb::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t i) {
        if (!is_empty_line(lines[i])) answers[i] = answerer.answer(lines[i], states.local(), first_line + i);
      });
      for (std::size_t i = 0; i < lines.size(); ++i) {
        if (is_empty_line(lines[i])) continue;
        output.write_line(answers[i].line);
        has_error = has_error || answers[i].is_error;
      }
      output.flush();
    }
  });
  return has_error ? kFailure : kSuccess;
}

}  // namespace abut
