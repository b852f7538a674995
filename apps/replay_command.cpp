// abut replay: steps a recorded run again; writes its frames as abut run does, or compares each with what was recorded.
#include <abut/apps/commands.h>
#include <abut/apps/output.h>
#include <abut/apps/progress_bar.h>
#include <abut/apps/run_summary.h>
#include <abut/core/error.h>
#include <abut/io/file_error.h>
#include <abut/io/frame_json.h>
#include <abut/io/replay_file.h>

#include <exception>
#include <iostream>
#include <optional>
#include <string>

namespace abut {
namespace {

void step(Scene& scene, const ReplayFrame& frame, const std::string& file) {
  try {
    scene.set_poses(frame.bodies, frame.poses);
  } catch (const InvalidInput& error) {
    throw FileError(file, "frame " + std::to_string(frame.frame) + ": " + error.what());
  }
  scene.step();
}

void check(const ReplayArguments& arguments) {
  ReplayReader reader(arguments.file);
  Scene scene = reader.scene();
  Output output("");
  ReplayFrame frame;
  std::size_t frames = 0;
  std::size_t contacts = 0;
  {
    ProgressBar progress(std::nullopt);
    while (reader.read(frame)) {
      step(scene, frame, arguments.file);
      if (const std::optional<std::string> difference = first_difference(frame, scene, reader.names())) {
        const std::string before =
            frames == 1 ? "1 frame before it is" : std::to_string(frames) + " frames before it are";
        throw FileError(arguments.file, "frame " + std::to_string(frame.frame) + ": " + *difference +
                                            (frames == 0 ? std::string() : " (the " + before + " the same)"));
      }
      contacts += frame.contacts.size();
      progress.update(++frames);
    }
  }
  output.write_line("frames " + std::to_string(frames) + ", contacts " + std::to_string(contacts) +
                    ": every one the same, bit for bit");
  output.flush();
}

void write_frames(const ReplayArguments& arguments) {
  ReplayReader reader(arguments.file);
  Scene scene = reader.scene();
  Output output(arguments.output, {arguments.file});
  FrameWriter writer(reader.names());
  RunSummary summary(scene.body_count());
  std::exception_ptr error;  // kept until the frames before it and the summary are written
  {
    ProgressBar progress(std::nullopt);
    try {
      ReplayFrame frame;
      for (std::size_t frames = 1; reader.read(frame); ++frames) {
        step(scene, frame, arguments.file);
        output.write_line(writer.write(scene, frame.frame, frame.time));
        summary.add(scene.statistics(), scene.began().size(), scene.ended().size());
        progress.update(frames);
      }
    } catch (...) {
      error = std::current_exception();
    }
  }
  output.flush();
  summary.write(std::cerr);
  if (error) std::rethrow_exception(error);
}

}  // namespace

int replay_command(const ReplayArguments& arguments) {
  with_threads(arguments.threads, [&] { arguments.check ? check(arguments) : write_frames(arguments); });
  return kSuccess;
}

}  // namespace abut
