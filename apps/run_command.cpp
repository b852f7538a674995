// abut run: steps a scene along its velocities or a recording and writes a line a frame; records the run, and writes
// the queries that did not converge.
#include <abut/apps/commands.h>
#include <abut/apps/line_reader.h>
#include <abut/apps/output.h>
#include <abut/apps/progress_bar.h>
#include <abut/apps/run_summary.h>
#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/frame_json.h>
#include <abut/io/json_text.h>
#include <abut/io/query_line.h>
#include <abut/io/recording.h>
#include <abut/io/replay_file.h>
#include <abut/io/scene_file.h>
#include <abut/world/unconverged.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace abut {
namespace {

// Mesh files are relative to the current folder where the scene comes through standard input.
SceneDescription read_scene(const std::string& file) {
  if (!is_standard_input(file)) return read_scene_file(file);
  LineReader reader(file);
  try {
    return parse_scene(reader.read_ahead(), {});
  } catch (const InvalidInput& error) {
    throw FileError(kStandardInputName, error.what());
  }
}

// Moves the bodies of a scene from frame to frame.
class Mover {
 public:
  Mover(const RunArguments& arguments, const SceneDescription& description, std::vector<BodyId> ids)
      : scene_file_(is_standard_input(arguments.scene) ? kStandardInputName : arguments.scene),
        description_(description),
        ids_(std::move(ids)) {
    if (!arguments.motion.empty()) recording_.emplace(arguments.motion, description);
    for (std::size_t i = 0; i < description.bodies.size(); ++i) {
      const SceneBody& body = description.bodies[i];
      if (!body.linear_velocity.isZero(0.0) || !body.angular_velocity.isZero(0.0)) drifting_.push_back(i);
    }
  }

  // How many frames there are to show, where that is known.
  std::optional<std::size_t> frame_count(const std::optional<std::size_t>& wanted) const {
    if (!recording_) return wanted.value_or(kDefaultFrames);
    const std::optional<std::size_t> recorded = recording_->frame_count();
    if (wanted && recorded) return std::min(*wanted, *recorded);
    return wanted ? wanted : recorded;
  }

  // Puts the bodies where they are in frame `frame`; frames come one after the other. Returns the time, or nothing at
  // the end of a recording.
  std::optional<double> move(Scene& scene, std::size_t frame) {
    if (recording_) {
      if (!recording_->read(frame_)) return std::nullopt;
    } else {
      drift(static_cast<double>(frame) * description_.time_step);
    }
    moved_.clear();
    for (const std::size_t body : frame_.bodies) moved_.push_back(ids_[body]);
    scene.set_poses(moved_, frame_.poses);
    return frame_.time;
  }

  // What the last move() gave the scene.
  std::span<const BodyId> moved() const { return moved_; }
  std::span<const Pose> poses() const { return frame_.poses; }

 private:
  void drift(double time) {
    if (!std::isfinite(time)) {
      const InvalidInput error("settings.time_step", "is so large that the time of a frame is not finite",
                               description_.time_step);
      throw FileError(scene_file_, error.what());
    }
    frame_.time = time;
    frame_.bodies = drifting_;
    frame_.poses.clear();
    for (const std::size_t body : drifting_) {
      try {
        frame_.poses.push_back(pose_at(description_.bodies[body], time));
      } catch (const InvalidInput& error) {
        std::string field = "bodies[" + std::to_string(body) + "].velocity: at time ";
        json::append(field, time);
        throw FileError(scene_file_, field + ": " + error.what());
      }
    }
  }

  std::string scene_file_;
  const SceneDescription& description_;
  std::vector<BodyId> ids_;
  std::vector<std::size_t> drifting_;  // bodies with a velocity
  std::optional<Recording> recording_;
  RecordedFrame frame_;
  std::vector<BodyId> moved_;
};

std::vector<std::string> names_of(const SceneDescription& description) {
  std::vector<std::string> names;
  for (const SceneBody& body : description.bodies) names.push_back(body.name);
  return names;
}

// A line for each pair of the step whose solver stopped at its iteration limit.
void write_unconverged(const Scene& scene, std::size_t frame, const std::vector<std::string>& names, Output& output) {
  const std::vector<UnconvergedPair> pairs = unconverged_pairs(scene);
  for (const UnconvergedPair& unconverged : pairs) {
    std::string id = "frame " + std::to_string(frame);
    (id += ": ") += names[unconverged.pair.a.slot];
    (id += ", ") += names[unconverged.pair.b.slot];
    output.write_line(query_line(id, scene, unconverged));
  }
  if (!pairs.empty()) output.flush();
}

// Before the first of the files is opened, which empties it.
void check_files(const RunArguments& arguments, const std::vector<std::filesystem::path>& mesh_files) {
  const bool has_output = !arguments.output.empty();
  const std::string output = has_output ? arguments.output : kStandardOutput;
  const char* const writer = has_output ? "--output" : "standard output";
  Inputs inputs = {is_standard_input(arguments.scene) ? kStandardInput : arguments.scene, arguments.motion};
  inputs.insert(inputs.end(), mesh_files.begin(), mesh_files.end());
  for (const std::string& file : {output, arguments.unconverged, arguments.record}) refuse_to_overwrite(file, inputs);
  refuse_to_share(arguments.unconverged, output, writer);
  refuse_to_share(arguments.record, output, writer);
  refuse_to_share(arguments.record, arguments.unconverged, "--unconverged");
}

void run_frames(const RunArguments& arguments, const SceneDescription& description) {
  Scene scene;
  Mover mover(arguments, description, add_to(scene, description));
  check_files(arguments, description.files);
  Output output(arguments.output);
  const std::vector<std::string> names = names_of(description);
  std::optional<Output> unconverged;
  if (!arguments.unconverged.empty()) unconverged.emplace(arguments.unconverged);
  std::optional<ReplayWriter> record;
  if (!arguments.record.empty()) record.emplace(arguments.record, names, scene);
  FrameWriter writer(names);
  RunSummary summary(scene.body_count());
  std::exception_ptr error;  // kept until the frames before it and the summary are written
  {
    const std::optional<std::size_t> count = mover.frame_count(arguments.frames);
    ProgressBar progress(count);
    try {
      for (std::size_t frame = 0; !count || frame < *count; ++frame) {
        const std::optional<double> time = mover.move(scene, frame);
        if (!time) break;
        scene.step();
        if (record) record->write(frame, *time, mover.moved(), mover.poses(), scene);
        if (unconverged) write_unconverged(scene, frame, names, *unconverged);
        output.write_line(writer.write(scene, frame, *time));
        summary.add(scene.statistics(), scene.began().size(), scene.ended().size());
        progress.update(frame + 1);
      }
    } catch (...) {
      error = std::current_exception();
    }
  }
  output.flush();
  if (unconverged) unconverged->flush();
  if (record && !error) record->finish();
  summary.write(std::cerr);
  if (error) std::rethrow_exception(error);
}

}  // namespace

int run_command(const RunArguments& arguments) {
  with_threads(arguments.threads, [&] { run_frames(arguments, read_scene(arguments.scene)); });
  return kSuccess;
}

}  // namespace abut
