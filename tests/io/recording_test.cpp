// Recorded motion in both forms, whole and broken.
#include <abut/io/file_error.h>
#include <abut/io/recording.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "append_bytes.h"
#include "temp_folder.h"

namespace abut {
namespace {

using test::append_bytes;
using test::error_of;
using test::TempFolder;

// The bodies "floor" (fixed), "a" and "b" (moving).
SceneDescription scene() {
  return parse_scene(R"({"bodies": [
      {"name": "a", "shape": {"type": "sphere", "radius": 1}},
      {"name": "floor", "shape": {"type": "halfspace", "normal": [0, 0, 1], "offset": 0}, "motion": "fixed"},
      {"name": "b", "shape": {"type": "sphere", "radius": 1}}]})",
                     {});
}

constexpr std::size_t kHeader = 24;
constexpr std::size_t kFrame = 2 * 7 * sizeof(float);

// Body i of frame k is at (k, i, 0.5), turned half around x.
std::string binary_recording(std::uint32_t frames, std::uint32_t bodies = 2, double time_step = 0.25) {
  std::string text = "ABUTREC1";
  append_bytes(text, bodies);
  append_bytes(text, frames);
  append_bytes(text, time_step);
  for (std::uint32_t k = 0; k < frames; ++k) {
    for (std::uint32_t i = 0; i < bodies; ++i) {
      for (const float value : {static_cast<float>(k), static_cast<float>(i), 0.5f, 0.0f, 2.0f, 0.0f, 0.0f}) {
        append_bytes(text, value);
      }
    }
  }
  return text;
}

void put_float(std::string& recording, std::size_t frame, std::size_t body, std::size_t component, float value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(float)>>(value);
  recording.replace(kHeader + frame * kFrame + (body * 7 + component) * sizeof(float), sizeof(float), bytes.data(),
                    bytes.size());
}

// Reads to the end or to the first error.
std::pair<std::vector<RecordedFrame>, std::string> read_all(const std::filesystem::path& file) {
  std::vector<RecordedFrame> frames;
  const std::string error = error_of<FileError>([&] {
    Recording recording(file, scene());
    RecordedFrame frame;
    while (recording.read(frame)) frames.push_back(frame);
    return 0;
  });
  return {frames, error};
}

TEST(Recording, ReadsTheBinaryFormFrameByFrame) {
  const TempFolder folder;
  const auto file = folder.write("a.motion", binary_recording(3));
  EXPECT_EQ(Recording(file, scene()).frame_count(), 3u);
  const auto [frames, error] = read_all(file);
  EXPECT_EQ(error, "no error");
  ASSERT_EQ(frames.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(frames[k].time, 0.25 * static_cast<double>(k));
    EXPECT_EQ(frames[k].bodies, (std::vector<std::size_t>{0, 2}));  // the fixed body is left out
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(frames[k].poses[i].translation(), Vector3d(static_cast<double>(k), static_cast<double>(i), 0.5));
      EXPECT_TRUE(frames[k].poses[i].rotate(Vector3d::UnitZ()).isApprox(-Vector3d::UnitZ(), 1e-15));
    }
  }
}

TEST(Recording, ATruncatedFileGivesItsWholeFramesFirst) {
  const TempFolder folder;
  const std::string whole = binary_recording(3);
  for (const std::size_t missing : {std::size_t{1}, kFrame - 1, kFrame, kFrame + 1, 3 * kFrame}) {
    SCOPED_TRACE(missing);
    const auto file = folder.write("cut.motion", whole.substr(0, whole.size() - missing));
    const auto [frames, error] = read_all(file);
    const std::size_t good = (3 * kFrame - missing) / kFrame;
    EXPECT_EQ(frames.size(), good);
    EXPECT_EQ(error, file.string() + ": is cut short: expected " + std::to_string(whole.size()) +
                         " bytes for 3 frames, got " + std::to_string(whole.size() - missing) + ", which hold " +
                         std::to_string(good));
  }
}

TEST(Recording, AHeaderThatDoesNotFitIsRefusedAtOnce) {
  const TempFolder folder;
  const auto open_error = [&](const std::string& content) {
    const auto file = folder.write("a.motion", content);
    const std::string error = error_of<FileError>([&] { return Recording(file, scene()).frame_count(); });
    EXPECT_EQ(error.rfind(file.string() + ": ", 0), 0u) << error;
    return error.substr(error.find(": ") + 2);
  };
  EXPECT_EQ(open_error(""), "is empty");
  EXPECT_EQ(open_error(binary_recording(1).substr(0, 20)), "is cut short: its header has 24 bytes, the file 20");
  EXPECT_EQ(open_error(binary_recording(1, 3)), "bodies: holds poses of 3, but the scene has 2 moving ones");
  EXPECT_EQ(open_error(binary_recording(1, 2, -1.0)), "time step: must be finite and > 0, got -1");
  EXPECT_EQ(open_error(binary_recording(2) + "x"),
            "is longer than its header says: expected 136 bytes for 2 frames, got 137");
  EXPECT_EQ(open_error("ABUTRPLY and more"),
            R"(begins with "ABUTRPLY", must be "ABUTREC1", as recorded motion in binary form does, or a JSON object)");
}

TEST(Recording, APoseThatIsNoneIsAnErrorWithFrameAndBody) {
  const TempFolder folder;
  std::string zero = binary_recording(3);
  put_float(zero, 1, 1, 4, 0.0f);
  const auto [frames, error] = read_all(folder.write("zero.motion", zero));
  EXPECT_EQ(frames.size(), 1u);
  EXPECT_NE(error.find("frame 1: \"b\": rotation: must not be the zero quaternion"), std::string::npos) << error;

  std::string nan = binary_recording(3);
  put_float(nan, 2, 0, 1, std::numeric_limits<float>::quiet_NaN());
  const auto [nan_frames, nan_error] = read_all(folder.write("nan.motion", nan));
  EXPECT_EQ(nan_frames.size(), 2u);
  EXPECT_NE(nan_error.find("frame 2: \"a\": translation[1]: must be finite"), std::string::npos) << nan_error;
}

TEST(Recording, ATimeThatIsNotFiniteIsAnErrorWithTheFrame) {
  const TempFolder folder;
  const auto file = folder.write("a.motion", binary_recording(3, 2, 1e308));
  const auto [frames, error] = read_all(file);
  EXPECT_EQ(frames.size(), 2u);
  EXPECT_EQ(error,
            file.string() + ": frame 2: its time is not finite: the header's time step is too large, got 1e+308");
}

TEST(Recording, ReadsJsonLines) {
  const TempFolder folder;
  const auto file = folder.write("a.jsonl",
                                 "{\"time\": 0.5, \"poses\": {\"b\": {\"translation\": [1, 2, 3]}}}\n\n"
                                 "{\"time\": 0.75, \"poses\": {}}\r\n"
                                 "{\"time\": 1, \"poses\": {\"a\": {\"rotation\": [0, 3, 0, 0]}, \"floor\": {}}}");
  EXPECT_EQ(Recording(file, scene()).frame_count(), std::nullopt);
  const auto [frames, error] = read_all(file);
  EXPECT_EQ(error, "no error");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].time, 0.5);
  EXPECT_EQ(frames[0].bodies, std::vector<std::size_t>{2});
  EXPECT_EQ(frames[0].poses[0].translation(), Vector3d(1, 2, 3));
  EXPECT_TRUE(frames[1].bodies.empty());
  EXPECT_EQ(frames[2].bodies, (std::vector<std::size_t>{0, 1}));
}

TEST(Recording, BlankLinesAtTheStartAndAShortFileAreRead) {
  const TempFolder folder;
  const auto file = folder.write("a.jsonl", "\n \n\n{\"time\": 1, \"poses\": {}}\n{\"time\": \"2\"}");
  const auto [frames, error] = read_all(file);
  EXPECT_EQ(frames.size(), 1u);
  EXPECT_EQ(error.rfind(file.string() + ": line 5: ", 0), 0u) << error;
  EXPECT_EQ(read_all(folder.write("b.jsonl", "\n")).second, "no error");
  const auto cut = folder.write("c.jsonl", "{}");
  EXPECT_EQ(read_all(cut).second, cut.string() + ": line 1: time: is required");
}

TEST(Recording, JsonErrorsNameFileLineAndField) {
  const TempFolder folder;
  const std::string good = "{\"time\": 0, \"poses\": {}}\n";
  const std::pair<const char*, const char*> lines[] = {
      {"oops", "is not JSON: "},
      {"{\"poses\": {}}", "time: is required"},
      {"{\"time\": 0}", "poses: is required"},
      {"{\"time\": \"0\", \"poses\": {}}", "time: must be a number, got a string"},
      {"{\"time\": 0, \"poses\": {\"c\": {}}}", "poses.c: is not a body of the scene"},
      {"{\"time\": 0, \"poses\": {\"a\": {\"rotation\": [0, 0, 0, 0]}}}",
       "poses.a.rotation: must not be the zero quaternion"},
      {"{\"time\": 0, \"poses\": {\"a\": {\"translation\": [0, 0]}}}",
       "poses.a.translation: must be an array of 3 numbers, got an array of 2"},
      {"{\"time\": 0, \"poses\": {\"a\": {}, \"a\": {}}}", "poses.a: must not be given twice"},
  };
  for (const auto& [line, error] : lines) {
    SCOPED_TRACE(line);
    const auto file = folder.write("a.jsonl", good + good + line + "\n" + good);
    const auto [frames, what] = read_all(file);
    EXPECT_EQ(frames.size(), 2u);
    EXPECT_EQ(what.rfind(file.string() + ": line 3: " + error, 0), 0u) << what;
  }
}

TEST(Recording, ALineThatIsNoJsonHasOneNumber) {
  const TempFolder folder;
  const auto file = folder.write("a.jsonl", "{\"time\": 0, \"poses\": {}}\n\n{\"time\": oops}\n");
  const std::string error = read_all(file).second;
  EXPECT_EQ(error.rfind(file.string() + ": line 3: is not JSON: parse error at line 3, column 10: ", 0), 0u) << error;
}

TEST(Recording, NamesAMissingFile) {
  EXPECT_EQ(error_of<FileError>([] { return Recording("no.motion", scene()).frame_count(); }),
            "no.motion: does not exist");
}

}  // namespace
}  // namespace abut
