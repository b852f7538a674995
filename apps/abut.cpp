// The abut program: reads the command line and starts a command.
// Exit status: 0 done, 1 an error in the input or while running, 2 wrong usage.
#include <abut/apps/commands.h>

#ifdef ABUT_HAS_FITTING
#include <abut/fitting/fit_smooth_hull.h>
#endif

#include <fcntl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <system_error>

namespace {

constexpr int kMaxThreads = 1024;
constexpr std::uint64_t kMostFrames = 1'000'000'000'000;
#ifdef ABUT_HAS_PLANNING
constexpr std::uint64_t kMostSamples = 1'000'000'000'000;  // that find_disabled_pairs() takes
#endif

constexpr const char* kCommands =
    "query, run"
#ifdef ABUT_HAS_FITTING
    ", fit"
#endif
#ifdef ABUT_HAS_PLANNING
    ", pairs, validate"
#endif
    " or replay";

constexpr const char* kFooter = R"(Examples:
  abut query pairs.jsonl > results.jsonl
  echo '{"id": "1", "query": "distance",
         "a": {"shape": {"type": "sphere", "radius": 1}},
         "b": {"shape": {"type": "box", "half_extents": [1, 1, 1]},
               "pose": {"translation": [3, 0, 0]}}}' | tr -d '\n' | abut query
  abut run scene.json --frames 200 --output frames.jsonl
  abut run scene.json --motion recording.motion --threads 8
  abut run scene.json --record run.replay && abut replay run.replay --check --threads 2

Metres, radians, seconds. "abut query --help" and "abut run --help" show the formats.
Exit status: 0 done, 1 an error in the input, 2 wrong usage.)";

constexpr const char* kQueryFooter = R"(A query, on one line:
  {"id": "q1", "query": "distance",
   "a": {"shape": {"type": "capsule", "radius": 0.1, "half_length": 0.3}},
   "b": {"shape": {"type": "convex", "file": "mug.obj", "margin": 0.001},
         "pose": {"translation": [1, 0, 0], "rotation": [1, 0, 0, 0]}}}
"query" is distance or collide. Optional: "solver" (auto, gjk, polyak, nesterov, rtr, qp), "tolerance" (metres),
"security_margin" (metres, collide only), "dimension": 2 (planar shapes), "derivatives": true (by both poses, distance
only). Other fields are ignored.

Shapes: sphere (radius), ellipsoid (radii), box (half_extents), capsule, cylinder, cone (radius, half_length),
convex (points or file), triangle (points), padded_polygon (points, radius), superquadric (radii, exponents),
smooth_hull (points, sharpness), smooth_revolution (profile, sharpness, flatness), halfspace (normal, offset),
mesh (file, or vertices and triangles), height_field (heights, spacing, base), compound (children).
Planar shapes: circle (radius), polygon (points), capsule. Convex shapes also take a "margin".
Files are OBJ, STL or PLY, relative to FILE's folder (to the current one for standard input). Results do not go to a
file that a query names: where --output holds anything but results, all queries are read before the first is answered.

A result, in the order of the queries:
  {"id": "q1", "collides": false, "distance": 0.85, "point_a": [..], "point_b": [..], "normal": [..],
   "solver": "nesterov", "iterations": 4, "status": "converged", "distance_error": 1e-16}
A "collide" query has neither distance nor points, and names the solver that was asked for.
With derivatives also "derivatives" (by the pose of b), "derivatives_a" and "derivatives_smooth", which says of the
distance, the points and the normal whether they have one there.
A query that cannot be answered gets {"id": .., "status": "error", "error": "field: what is wrong"}, with the number of
its line where it has no id; the others are answered all the same and the exit status is 1.)";

#ifdef ABUT_HAS_FITTING
constexpr const char* kFitFooter =
    R"(A smooth hull is the body whose support function is (sum of max(p_i . x, 0)^sharpness)^(1/sharpness): few points,
rounded the more the smaller the sharpness. The fit is least squares on the support values of the mesh's convex hull.

  abut fit mug.obj -o mug.json                             20 points, the sharpness chosen with them
  abut fit mug.obj --vertices 40 --sharpness 60            60 is as sharp as a die, 5 a pebble
  abut fit mug.obj --conservative                          the fit covers the hull; proven

The output, on one line, is a shape for queries and scenes, in the frame of the mesh:
  {"type": "smooth_hull", "sharpness": 31.4, "points": [[..], ..]}
A smooth hull lies around its own origin. Where the mesh's origin is outside, or too near to the surface, the fit is
made about the centre of mass, and the output is a compound that puts it in its place:
  {"type": "compound", "children": [{"shape": {"type": "smooth_hull", ..}, "pose": {"translation": [x, y, z]}}]}
The child by itself can be a body of a query: it has a shape and a pose.

Standard error gets a summary: root mean square of the differences of the support values; how far at most the fit
reaches outside the hull, and how far at most it stays inside, both proven over all directions; the volume. The size is
the distance from the fit's origin to the farthest vertex.
An OBJ, STL or PLY file's vertices count, not its faces; their hull must be solid, from 1e-60 to 1e60 metres large.
A fit takes seconds for hulls of thousands of vertices, beyond in proportion to them: minutes for a million.)";
#endif

constexpr const char* kRunFooter = R"(A scene:
  {"shapes": {"mug": {"type": "convex", "file": "mug.obj"}},
   "bodies": [{"name": "table", "shape": {"type": "box", "half_extents": [0.6, 0.4, 0.02]}, "motion": "fixed"},
              {"name": "mug 1", "shape": "mug", "pose": {"translation": [0, 0, 0.1]},
               "velocity": {"linear": [0, 0, -0.1], "angular": [0, 0, 1]}}],
   "ignore_pairs": [],
   "settings": {"contact_margin": 0.001, "solver": "auto", "warm_start": "previous", "time_step": 0.01}}
Frame k shows time k * time_step; frame 0 is the scene as it is written. Mesh files are relative to SCENE's folder (to
the current one for standard input).

Recorded motion replaces the velocities. JSON Lines, a frame a line; bodies that are not named stay:
  {"time": 0.01, "poses": {"mug 1": {"translation": [0, 0, 0.09], "rotation": [1, 0, 0, 0]}}}
or binary: "ABUTREC1", uint32 body count, uint32 frame count, float64 time step, then per frame and moving body
seven float32 (x y z, w x y z), little-endian.

Output, a line a frame:
  {"frame": 3, "time": 0.03, "bodies": 2, "candidate_pairs": 1, "contacts": [{"a": "table", "b": "mug 1",
   "distance": -0.0004, "normal": [0,0,1], "points": [{"a": [..], "b": [..], "distance": -0.0004}]}],
   "began": [["table", "mug 1"]], "ended": []}
A table of counts and times goes to standard error.

--record writes the scene and, for each frame, where bodies were put and what was found, for abut replay.
--unconverged writes a query for each pair and frame whose solver stopped at its iteration limit; abut query asks it
again.)";

constexpr const char* kReplayFooter =
    R"(Steps the scene of a recorded run again, frame by frame, and writes the frames as
abut run does. With --check nothing is written: every contact and event is compared with the record, bit for bit, and
the first difference is an error that names the frame, the pair, the field and both values. A run that was broken off
is replayed as far as it goes.)";

#ifdef ABUT_HAS_PLANNING
constexpr const char* kPairsFooter =
    R"(Writes an SRDF file with the pairs of links that are not to be checked against each other, and why:
  Adjacent  a joint joins them, or joints and links without geometry do
  Default   they collide where every joint is at 0, or at the limit nearest to 0
  Always    they collide in at least 95 % of the random configurations
  Never     they collide in none of them; more samples make this surer
The same seed gives the same file with any number of threads.

  abut pairs --robot panda.urdf -o panda.srdf
  abut pairs --robot panda.urdf --srdf old.srdf --samples 100000 -o panda.srdf     groups and states of old.srdf

Collision meshes (OBJ, STL or PLY) count as their convex hulls. Their names are absolute, relative to the URDF's folder,
or package://NAME/FILE: NAME is a folder that the URDF lies in, or one in a --package-folder.
Standard error gets the number of pairs of each kind, and what of --srdf was passed over.)";

constexpr const char* kValidateFooter =
    R"(A configuration or a straight motion between two, on one line:
  {"id": "c1", "configuration": {"joint_1": 0.3, "joint_2": -1.2}}
  {"id": "m1", "from": {"joint_1": 0.3}, "to": {"joint_1": 1.3, "joint_2": 0.5}, "resolution": 0.01}
Joints that a line does not name are at 0, or at the limit nearest to 0; radians or metres. A planar joint has NAME/x,
NAME/y and NAME/theta, a floating one NAME/x, NAME/y, NAME/z, NAME/roll, NAME/pitch and NAME/yaw. A motion is looked at
in steps in which no joint changes by more than its resolution; one without a resolution is proven for every state.
Joint limits are not looked at. A field "expected" is passed over; other fields, and a resolution that is not for a
motion, are errors.

A result, in the order of the lines:
  {"id": "c1", "valid": false, "first_contact": ["forearm", "table"]}
  {"id": "m1", "valid": false, "first_contact": ["forearm", "table"], "at": 0.42}
"at" is the fraction of the motion at which its first invalid state was found. With --clearance a configuration also has
"clearance", the signed distance of the nearest pair, metres; null where there is no pair. One too large to be finite is
an error.

A robot's links are checked against the bodies of the scene, whose frame is that of the root link, and against each
other, except pairs that the SRDF file disables and links that a joint joins. Collision meshes count as their convex
hulls, or with --meshes as surfaces. A line that cannot be answered gets {"id": .., "status": "error", "error": ..},
with its number where it has no id; the others are answered all the same and the exit status is 1. Standard error gets
what of --srdf was passed over.

  abut validate --robot arm.urdf --srdf arm.srdf --scene shelf.json configurations.jsonl > results.jsonl)";
#endif

#ifdef ABUT_HAS_FITTING
constexpr const char* kChosenSharpness = "auto";

std::optional<double> read_number(const std::string& text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// What is wrong with the argument of --sharpness; empty where nothing is.
std::string check_sharpness(const std::string& text) {
  if (text == kChosenSharpness) return "";
  const std::optional<double> value = read_number(text);
  const bool is_usable = value && *value > 2.0 && *value <= abut::kLargestGivenSharpness;
  return is_usable ? "" : "must be auto or a number > 2 and <= 1e12, got " + text;
}
#endif

/// Refuses what is no integer of [least, most]; without it a number that is too large becomes the largest one.
CLI::Validator integer_in(std::uint64_t least, std::uint64_t most) {
  const std::string range = std::to_string(least) + " to " + std::to_string(most);
  const auto check = [=](const std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stop == end && value >= least && value <= most) return "";
    return "must be an integer from " + range + ", got " + text;
  };
  return CLI::Validator(check, range, "INTEGER");
}

#ifdef ABUT_HAS_PLANNING
/// What is wrong with the argument of --package-folder; empty where nothing is. An empty one is refused as everywhere.
std::string check_folder(const std::string& text) {
  std::error_code error;
  return text.empty() || std::filesystem::is_directory(text, error) ? "" : "must be a folder that exists, got " + text;
}
#endif

/// An option that is given with no value would count as one that is not given.
void refuse_empty_values(CLI::App& app) {
  const auto check = [](const std::string& text) { return std::string(text.empty() ? "must not be empty" : ""); };
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_items_expected_min() > 0) option->check(CLI::Validator(check, "", "NOT_EMPTY"));
    }
  }
}

/// A file that is opened gets the lowest free number: where one of 0 to 2 is closed, it would read or get what is meant
/// for standard input, output or error. @return Whether all three are taken.
bool take_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The wrong way round: to use it fails, as it does where it is closed.
    if (::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (!take_standard_descriptors()) return abut::kFailure;
  CLI::App app("abut: exact, parallel collision detection", "abut");
  app.set_version_flag("--version", std::string("abut ") + ABUT_VERSION);
  app.footer(kFooter);
  app.require_subcommand(0, 1);  // none is checked below: an unknown one should be named

  abut::QueryArguments query;
  CLI::App* query_command = app.add_subcommand("query", "Answer distance and collision queries, one a line");
  query_command->add_option("FILE", query.file, "Queries as JSON Lines; without it or with -, standard input");
  query_command->add_option("-o,--output", query.output, "Where results go; without it, standard output");
  query_command->add_option("--threads", query.threads, "Number of threads; without it, one a core")
      ->check(integer_in(1, kMaxThreads));
  query_command->footer(kQueryFooter);

#ifdef ABUT_HAS_FITTING
  abut::FitArguments fit;
  std::string sharpness = kChosenSharpness;
  CLI::App* fit_command =
      app.add_subcommand("fit", "Fit a smooth hull to a mesh's convex hull and write it as a shape");
  fit_command->add_option("MESH", fit.mesh, "OBJ, STL or PLY file")->required();
  fit_command->add_option("--vertices", fit.vertices, "Points of the smooth hull; without it, 20")
      ->check(integer_in(abut::kFewestFitVertices, abut::kMostFitVertices));
  fit_command
      ->add_option("--sharpness", sharpness, "A number > 2 and <= 1e12, or auto: chosen by the fit; without it, auto")
      ->check(check_sharpness);
  fit_command->add_flag("--conservative", fit.conservative, "The smooth hull covers the hull");
  fit_command->add_option("-o,--output", fit.output, "Where the shape goes; without it, standard output");
  fit_command->footer(kFitFooter);
#endif

#ifdef ABUT_HAS_PLANNING
  abut::PairsArguments pairs;
  CLI::App* pairs_command = app.add_subcommand("pairs", "Find the pairs of a robot's links that need no check");
  pairs_command->add_option("--robot", pairs.robot, "Robot as URDF")->required();
  pairs_command->add_option("--srdf", pairs.srdf, "SRDF file whose groups and states are taken over, not its pairs");
  pairs_command->add_option("--package-folder", pairs.package_folders, "Where packages lie; may be given many times")
      ->allow_extra_args(false)
      ->check(check_folder);
  pairs_command
      ->add_option("--samples", pairs.options.samples,
                   "Random configurations; without it, " + std::to_string(pairs.options.samples))
      ->check(integer_in(1, kMostSamples));
  pairs_command->add_option("--seed", pairs.options.seed, "Of the random configurations; without it, 1")
      ->check(integer_in(0, std::numeric_limits<std::uint64_t>::max()));
  pairs_command->add_option("--threads", pairs.threads, "Number of threads; without it, one a core")
      ->check(integer_in(1, kMaxThreads));
  pairs_command->add_option("-o,--output", pairs.output, "Where the SRDF goes; without it, standard output");
  pairs_command->footer(kPairsFooter);

  abut::ValidateArguments validate;
  CLI::App* validate_command =
      app.add_subcommand("validate", "Tell which configurations and motions of a robot are free");
  validate_command->add_option("FILE", validate.file,
                               "Configurations as JSON Lines; without it or \"-\", standard input");
  validate_command->add_option("--robot", validate.robot, "Robot as URDF")->required();
  validate_command->add_option("--srdf", validate.srdf, "Pairs of links that are not checked");
  validate_command->add_option("--scene", validate.scene, "Obstacles: a scene as JSON")->required();
  validate_command
      ->add_option("--package-folder", validate.package_folders, "Where packages lie; may be given many times")
      ->allow_extra_args(false)
      ->check(check_folder);
  validate_command->add_flag("--meshes", validate.meshes, "Collision meshes as they are, not their convex hulls");
  validate_command->add_flag("--clearance", validate.clearance, "Write the clearance of configurations too");
  validate_command->add_option("--threads", validate.threads, "Number of threads; without it, one a core")
      ->check(integer_in(1, kMaxThreads));
  validate_command->add_option("-o,--output", validate.output, "Where results go; without it, standard output");
  validate_command->footer(kValidateFooter);
#endif

  abut::RunArguments run;
  CLI::App* run_command = app.add_subcommand("run", "Step a scene and write its contacts, a line a frame");
  run_command->add_option("SCENE", run.scene, "Scene as JSON; with -, standard input")->required();
  run_command->add_option("--motion", run.motion, "Recorded motion: JSON Lines or ABUTREC1");
  run_command
      ->add_option("--frames", run.frames,
                   "Number of frames, at most the recording's; without it, all of the recording, or " +
                       std::to_string(abut::kDefaultFrames))
      ->check(integer_in(1, kMostFrames));
  run_command->add_option("--threads", run.threads, "Number of threads; without it, one a core")
      ->check(integer_in(1, kMaxThreads));
  run_command->add_option("-o,--output", run.output, "Where frames go; without it, standard output");
  run_command->add_option("--record", run.record, "Where the run is recorded, for abut replay");
  run_command->add_option("--unconverged", run.unconverged, "Where queries that did not converge go, for abut query");
  run_command->footer(kRunFooter);

  abut::ReplayArguments replay;
  CLI::App* replay_command = app.add_subcommand("replay", "Step a recorded run again and write or compare its frames");
  replay_command->add_option("FILE", replay.file, "From abut run --record")->required();
  CLI::Option* check = replay_command->add_flag("--check", replay.check, "Compare every frame with the record");
  replay_command->add_option("--threads", replay.threads, "Number of threads; without it, one a core")
      ->check(integer_in(1, kMaxThreads));
  replay_command->add_option("-o,--output", replay.output, "Where frames go; without it, standard output")
      ->excludes(check);
  replay_command->footer(kReplayFooter);

  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      const int status = app.exit(error);
      if (std::cout.flush()) return status;
      std::cerr << "abut: error: standard output: cannot be written\n";
      return abut::kFailure;
    }
    std::cerr << "abut: error: " << error.what() << "\nSee abut --help.\n";
    return abut::kUsageError;
  }
  if (app.get_subcommands().empty()) {
    std::cerr << "abut: error: a command is required: " << kCommands << "\nSee abut --help.\n";
    return abut::kUsageError;
  }
  try {
#ifdef ABUT_HAS_FITTING
    if (fit_command->parsed()) {
      if (sharpness != kChosenSharpness) fit.sharpness = read_number(sharpness);
      return abut::fit_command(fit);
    }
#endif
#ifdef ABUT_HAS_PLANNING
    if (pairs_command->parsed()) return abut::pairs_command(pairs);
    if (validate_command->parsed()) return abut::validate_command(validate);
#endif
    if (replay_command->parsed()) return abut::replay_command(replay);
    return query_command->parsed() ? abut::query_command(query) : abut::run_command(run);
  } catch (const std::exception& error) {
    std::cerr << "abut: error: " << error.what() << '\n';
    return abut::kFailure;
  }
}
