// abut_demo: shows abut at work on a generated scene, on a scene file or on a mesh, as a table.
// Exit status: 0 done, 1 an error in a file or while running, 2 wrong usage.
#include <abut/apps/commands.h>
#include <abut/apps/progress_bar.h>
#include <abut/io/file_error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "generated_scene.h"
#include "mesh_scene.h"
#include "report.h"
#include "scene_playback.h"

namespace abut::demo {
namespace {

constexpr std::size_t kDefaultBodies = 400;
constexpr std::size_t kDefaultCopies = 48;
constexpr std::size_t kDefaultFrames = 400;
constexpr std::size_t kMostBodies = 1'000'000;
constexpr std::size_t kMostFrames = 10'000'000;
constexpr int kMostThreads = 1024;
constexpr std::size_t kRows = 20;  // of the table, where nobody says how many frames a row stands for

constexpr const char* kDescription =
    R"(Shows abut at work: bodies move, abut finds who touches whom, a table shows what it found and what it took.

Without FILE several hundred bodies of every shape fall and turn through each other in a container.)";

constexpr const char* kFooter = R"(FILE may be
  *.json              a scene, played along its velocities or along --motion FILE
  *.obj *.stl *.ply   a mesh: copies of its convex hull (--mesh: of its triangles) fall in a container of its size

Examples:
  abut_demo
  abut_demo --bodies 2000 --frames 100 --threads 4
  abut_demo scene.json --motion recording.motion
  abut_demo mug.obj
  abut_demo mug.stl --mesh --bodies 20
  abut_demo --no-times > before.txt

Bodies pass through each other, for abut computes contacts and no forces. Metres and seconds. In the table the columns
bodies, candidates (pairs whose boxes overlap) and contacts are of the frame itself; began, ended and the milliseconds
are of all frames since the row before, the latter a frame: moving the bodies, their boxes, the broad phase, the narrow
phase, and gathering contacts and events.
Exit status: 0 done, 1 an error in a file, 2 wrong usage.)";

struct Arguments {
  std::string file;
  std::string motion;
  bool mesh = false;
  std::optional<std::size_t> bodies;
  std::optional<std::size_t> frames;
  std::optional<std::size_t> every;
  std::optional<int> threads;
  std::optional<std::uint64_t> seed;
  bool no_times = false;
};

enum class Source : std::uint8_t { generated, scene_file, mesh_file };

Source source_of(const std::string& file) {
  if (file.empty()) return Source::generated;
  std::string extension = std::filesystem::path(file).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".json") return Source::scene_file;
  if (extension == ".obj" || extension == ".stl" || extension == ".ply") return Source::mesh_file;
  if (!std::filesystem::exists(file)) throw FileError(file, "does not exist");
  throw FileError(file, "is neither a scene (.json) nor a mesh (.obj, .stl, .ply)");
}

// What an option has nothing to act on; empty when all is well.
std::string misplaced_option(const Arguments& arguments, Source source) {
  if (source != Source::scene_file && !arguments.motion.empty()) return "--motion goes with a scene file";
  if (source != Source::mesh_file && arguments.mesh) return "--mesh goes with a mesh file";
  if (source == Source::scene_file && arguments.bodies) return "--bodies does not go with a scene file";
  if (source == Source::scene_file && arguments.seed) return "--seed does not go with a scene file";
  return "";
}

DemoScene make_scene(const Arguments& arguments, Source source) {
  const std::size_t frames = arguments.frames.value_or(kDefaultFrames);
  const std::uint64_t seed = arguments.seed.value_or(1);
  switch (source) {
    case Source::scene_file:
      return open_scene(arguments.file, arguments.motion, arguments.frames, kDefaultFrames);
    case Source::mesh_file:
      return drop_mesh({.file = arguments.file,
                        .surface = arguments.mesh,
                        .copies = arguments.bodies.value_or(kDefaultCopies),
                        .frames = frames,
                        .seed = seed});
    case Source::generated:
      break;
  }
  return generate_scene({.bodies = arguments.bodies.value_or(kDefaultBodies), .frames = frames, .seed = seed});
}

// Moves the bodies into frame `frame` and steps. Returns what it took, or nothing after the last frame.
std::optional<FrameTimes> play_frame(const DemoScene& demo, std::size_t frame, const std::vector<BodyId>& ids,
                                     Scene& scene, RecordedFrame& poses) {
  const auto start = std::chrono::steady_clock::now();
  if (!demo.motion(frame, poses)) return std::nullopt;
  std::vector<BodyId> moved;
  for (const std::size_t body : poses.bodies) moved.push_back(ids[body]);
  scene.set_poses(moved, poses.poses);
  const std::chrono::duration<double> moving = std::chrono::steady_clock::now() - start;
  scene.step();
  const StepStatistics& step = scene.statistics();
  return FrameTimes{
      {moving.count(), step.boxes_seconds, step.broad_phase_seconds, step.narrow_phase_seconds, step.events_seconds}};
}

void play(const DemoScene& demo, const Arguments& arguments) {
  const bool with_times = !arguments.no_times;
  const std::optional<std::size_t>& count = demo.frame_count;
  Scene scene;
  const std::vector<BodyId> ids = add_to(scene, demo.description);
  write_introduction(std::cout, demo);
  std::cout << '\n';
  FrameRows rows(std::cout, arguments.every.value_or(count ? std::max<std::size_t>(*count / kRows, 1) : kRows),
                 with_times);
  rows.write_header();
  std::cout.flush();
  Summary summary(demo.description);
  std::optional<ProgressBar> progress(count);
  RecordedFrame poses;
  double time = 0.0;  // of the last stepped frame
  const auto write_row = [&](std::size_t row_frame) {
    progress.reset();  // rows and bar may share a terminal
    rows.write_row(scene, row_frame, time);
    std::cout.flush();
    progress.emplace(count);
  };
  std::size_t frame = 0;
  std::exception_ptr error;  // kept until what was found before it is written
  try {
    for (; !count || frame < *count; ++frame) {
      const std::optional<FrameTimes> times = play_frame(demo, frame, ids, scene, poses);
      if (!times) break;
      time = poses.time;
      summary.add(scene, frame, *times);
      if (rows.add(scene, *times)) write_row(frame);
      progress->update(frame + 1);
    }
  } catch (...) {
    error = std::current_exception();
  }
  if (rows.has_unwritten()) write_row(frame - 1);
  progress.reset();
  summary.write(std::cout, with_times);
  std::cout.flush();
  if (error) std::rethrow_exception(error);
  if (!std::cout) throw FileError("standard output", "cannot be written");
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("FILE", arguments.file, "A scene (.json) or a mesh (.obj, .stl, .ply)");
  app.add_option("--motion", arguments.motion, "Recorded motion of the scene: JSON Lines or ABUTREC1");
  app.add_flag("--mesh", arguments.mesh, "Drop the mesh's triangles and not their convex hull");
  app.add_option("--bodies", arguments.bodies,
                 "Moving bodies; without it, " + std::to_string(kDefaultBodies) + ", or " +
                     std::to_string(kDefaultCopies) + " copies of a mesh")
      ->check(CLI::Range(std::size_t{1}, kMostBodies));
  app.add_option("--frames", arguments.frames,
                 "Number of frames; without it, the recording's, or " + std::to_string(kDefaultFrames))
      ->check(CLI::Range(std::size_t{1}, kMostFrames));
  app.add_option("--every", arguments.every,
                 "A row every so many frames; without it, about " + std::to_string(kRows) + " rows")
      ->check(CLI::Range(std::size_t{1}, kMostFrames));
  app.add_option("--threads", arguments.threads, "Number of threads; without it, one a core")
      ->check(CLI::Range(1, kMostThreads));
  app.add_option("--seed", arguments.seed, "Another number gives another scene; without it, 1");
  app.add_flag("--no-times", arguments.no_times, "Leave out times: the same command then prints the same text");
}

int usage_error(const std::string& reason) {
  std::cerr << "abut_demo: error: " << reason << "\nSee abut_demo --help.\n";
  return kUsageError;
}

int run(int argc, char** argv) {
  CLI::App app(kDescription, "abut_demo");
  app.footer(kFooter);
  Arguments arguments;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : usage_error(error.what());
  }
  try {
    const Source source = source_of(arguments.file);
    const std::string misplaced = misplaced_option(arguments, source);
    if (!misplaced.empty()) return usage_error(misplaced);
    with_threads(arguments.threads, [&] { play(make_scene(arguments, source), arguments); });
  } catch (const std::exception& error) {
    std::cerr << "abut_demo: error: " << error.what() << '\n';
    return kFailure;
  }
  return kSuccess;
}

}  // namespace
}  // namespace abut::demo

int main(int argc, char** argv) {
  return abut::demo::run(argc, argv);
}
