// abut run from outside: scenes and recordings in, frames out.
#include <gtest/gtest.h>
#include <support/instrumented.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include "program.h"

namespace abut {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::run_shell;
using test::TempFolder;

// A ball of radius 1 that sinks by 0.25 a frame onto a box whose top is at z = 1; they touch from frame 8 on.
constexpr const char* kSinkingBall = R"({
  "bodies": [
    {"name": "table", "shape": {"type": "box", "half_extents": [5, 5, 1]}, "motion": "fixed"},
    {"name": "ball", "shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [0, 0, 4]},
     "velocity": {"linear": [0, 0, -2.5], "angular": [0, 0, 3]}}],
  "settings": {"time_step": 0.1, "contact_margin": 0.01}})";

template <class Value>
void append_bytes(std::string& text, Value value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(Value)>>(value);
  text.append(bytes.data(), bytes.size());
}

// Puts the ball at these heights.
std::string ball_recording(std::initializer_list<float> heights) {
  std::string text = "ABUTREC1";
  append_bytes(text, std::uint32_t{1});
  append_bytes(text, static_cast<std::uint32_t>(heights.size()));
  append_bytes(text, 0.5);
  for (const float z : heights) {
    for (const float value : {0.0f, 0.0f, z, 1.0f, 0.0f, 0.0f, 0.0f}) append_bytes(text, value);
  }
  return text;
}

TEST(RunCommand, BodiesMoveAtTheirVelocities) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  const Outcome outcome = run_program(folder, "run '{}/scene.json' --frames 10");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto frames = outcome.lines();
  ASSERT_EQ(frames.size(), 10u);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    SCOPED_TRACE(frames[k].dump());
    EXPECT_EQ(frames[k]["frame"], k);
    EXPECT_NEAR(frames[k]["time"].get<double>(), 0.1 * static_cast<double>(k), 1e-12);
    EXPECT_EQ(frames[k]["bodies"], 2);
    const double distance = 2.0 - 0.25 * static_cast<double>(k);
    ASSERT_EQ(frames[k]["contacts"].size(), distance < 0.01 ? 1u : 0u);
    if (distance < 0.01) {
      EXPECT_EQ(frames[k]["contacts"][0]["a"], "table");
      EXPECT_NEAR(frames[k]["contacts"][0]["distance"].get<double>(), distance, 1e-9);
    }
    EXPECT_EQ(frames[k]["began"].size(), k == 8 ? 1u : 0u);
    EXPECT_EQ(frames[k]["ended"].size(), 0u);
  }
  for (const char* text : {"frames 10", "candidate pairs", "contacts", "narrow phase, ms", "step, ms"}) {
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text << "\n" << outcome.err;
  }
  EXPECT_EQ(outcome.err.find('\r'), std::string::npos);  // no progress bar: that is no terminal
}

TEST(RunCommand, WithoutANumberAVelocitySceneRunsAHundredSteps) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  const Outcome outcome = run_program(folder, "run '{}/scene.json' --output '{}/frames.jsonl'");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string frames = content_of(folder.path() / "frames.jsonl");
  EXPECT_EQ(std::count(frames.begin(), frames.end(), '\n'), 101);
}

TEST(RunCommand, ARecordingReplacesTheVelocities) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  folder.write("ball.motion", ball_recording({5.0f, 1.5f, 1.5f, 9.0f}));
  folder.write("ball.jsonl",
               "{\"time\": 0, \"poses\": {\"ball\": {\"translation\": [0, 0, 5]}}}\n"
               "{\"time\": 0.5, \"poses\": {\"ball\": {\"translation\": [0, 0, 1.5]}}}\n"
               "{\"time\": 1, \"poses\": {}}\n"
               "{\"time\": 1.5, \"poses\": {\"ball\": {\"translation\": [0, 0, 9]}}}\n");
  const Outcome binary = run_program(folder, "run '{}/scene.json' --motion '{}/ball.motion'");
  EXPECT_EQ(binary.status, 0) << binary.err;
  const auto frames = binary.lines();
  ASSERT_EQ(frames.size(), 4u);
  EXPECT_EQ(frames[1]["time"], 0.5);
  EXPECT_EQ(frames[0]["contacts"].size(), 0u);
  EXPECT_EQ(frames[1]["began"].size(), 1u);
  ASSERT_EQ(frames[2]["contacts"].size(), 1u);
  EXPECT_NEAR(frames[2]["contacts"][0]["distance"].get<double>(), -0.5, 1e-9);
  EXPECT_EQ(frames[3]["ended"].size(), 1u);
  const Outcome lines = run_program(folder, "run '{}/scene.json' --motion '{}/ball.jsonl'");
  EXPECT_EQ(lines.status, 0) << lines.err;
  EXPECT_EQ(lines.lines(), frames);
  EXPECT_EQ(run_program(folder, "run '{}/scene.json' --motion '{}/ball.motion' --frames 2").lines().size(), 2u);
  EXPECT_EQ(run_program(folder, "run '{}/scene.json' --motion '{}/ball.jsonl' --frames 2").lines().size(), 2u);
}

TEST(RunCommand, ARecordingComesThroughAPipe) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  folder.write("ball.jsonl",
               "{\"time\": 0, \"poses\": {\"ball\": {\"translation\": [0, 0, 5]}}}\n"
               "{\"time\": 0.5, \"poses\": {\"ball\": {\"translation\": [0, 0, 1.5]}}}\n");
  const Outcome from_file = run_program(folder, "run '{}/scene.json' --motion '{}/ball.jsonl'");
  EXPECT_EQ(from_file.lines().size(), 2u);
  const Outcome piped = run_shell(folder, "cat '{}/ball.jsonl' | {abut} run '{}/scene.json' --motion /dev/stdin");
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.out, from_file.out);
}

TEST(RunCommand, TheGoodFramesOfATruncatedRecordingAreAnswered) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  const std::string whole = ball_recording({5.0f, 1.5f, 1.5f, 9.0f});
  const auto file = folder.write("cut.motion", whole.substr(0, whole.size() - 30));
  const Outcome outcome = run_program(folder, "run '{}/scene.json' --motion '{}/cut.motion'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.lines().size(), 2u);
  EXPECT_NE(
      outcome.err.find("abut: error: " + file.string() + ": is cut short: expected 136 bytes for 4 frames, got 106"),
      std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("frames 2"), std::string::npos) << outcome.err;
}

TEST(RunCommand, ErrorsNameTheFileAndThePath) {
  const TempFolder folder;
  const auto check = [&](const std::string& arguments, const std::string& error) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("abut: error: " + folder.path().string() + "/" + error, 0), 0u) << outcome.err;
  };
  folder.write("scene.json", kSinkingBall);
  folder.write("typo.json", R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": -1}}]})");
  folder.write("broken.json", "{");
  check("run '{}/none.json'", "none.json: does not exist");
  check("run '{}/typo.json'", "typo.json: bodies[0].shape.radius: must be finite and > 0, got -1");
  check("run '{}/broken.json'", "broken.json: is not JSON: parse error at line 1, column 2");
  check("run '{}/scene.json' --motion '{}/none.motion'", "none.motion: does not exist");
  check("run '{}/scene.json' -o '{}/scene.json'", "scene.json: is read from; cannot write to it");
  EXPECT_EQ(content_of(folder.path() / "scene.json"), kSinkingBall);
}

TEST(RunCommand, ASceneComesThroughStandardInput) {
  const TempFolder folder;
  const auto scene = folder.write("scene.json", kSinkingBall);
  const std::string frames = run_program(folder, "run '{}/scene.json' --frames 10").out;
  EXPECT_EQ(run_program(folder, "run - --frames 10", kSinkingBall).out, frames);
  EXPECT_EQ(run_shell(folder, "cat '{}/scene.json' | {abut} run - --frames 10").out, frames);
  folder.write("meshes/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const Outcome mesh = run_shell(folder, R"(cd '{}/meshes'; echo '{"bodies": [{"name": "a", "shape":)"
                                         R"( {"type": "mesh", "file": "a.obj"}}]}' | {abut} run - --frames 1)");
  EXPECT_EQ(mesh.status, 0) << mesh.err;
  const Outcome broken = run_program(folder, "run -", "{\n oops");
  EXPECT_EQ(broken.status, 1);
  EXPECT_EQ(broken.err.rfind("abut: error: standard input: is not JSON: parse error at line 2, column 2: ", 0), 0u)
      << broken.err;
  const Outcome wrong = run_program(folder, "run -", R"({"bodies": {}})");
  EXPECT_EQ(wrong.err, "abut: error: standard input: bodies: must be an array, got an object\n");
  EXPECT_EQ(run_shell(folder, "{abut} run - <'{}'").err, "abut: error: standard input: is a folder, not a file\n");
  const Outcome same = run_shell(folder, "{abut} run - -o '{}/scene.json' <'{}/scene.json'");
  EXPECT_EQ(same.status, 1);
  EXPECT_NE(same.err.find("scene.json: is read from; cannot write to it"), std::string::npos) << same.err;
  EXPECT_EQ(content_of(scene), kSinkingBall);
}

TEST(RunCommand, AMeshOfTheSceneIsNotOverwritten) {
  const TempFolder folder;
  const std::string content = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  const auto mesh = folder.write("meshes/a.obj", content);
  std::filesystem::create_symlink("meshes/a.obj", folder.path() / "soft");
  std::filesystem::create_hard_link(mesh, folder.path() / "hard");
  folder.write("scene.json", R"({"bodies": [{"name": "a", "shape": {"type": "mesh", "file": "meshes/a.obj"}}]})");
  for (const std::string option : {"-o", "--record", "--unconverged"}) {
    for (const std::string file : {"meshes/a.obj", "soft", "hard"}) {
      SCOPED_TRACE(option + " " + file);
      const Outcome outcome = run_program(folder, "run '{}/scene.json' --frames 2 " + option + " '{}/" + file + "'");
      EXPECT_EQ(outcome.status, 1);
      EXPECT_EQ(outcome.out, "");
      EXPECT_EQ(outcome.err,
                "abut: error: " + (folder.path() / file).string() + ": is read from; cannot write to it\n");
      EXPECT_EQ(content_of(mesh), content);
    }
  }
  const Outcome appended = run_shell(folder, "{abut} run '{}/scene.json' --frames 2 >>'{}/meshes/a.obj'");
  EXPECT_EQ(appended.err, "abut: error: standard output: is read from; cannot write to it\n");
  EXPECT_EQ(content_of(mesh), content);
}

TEST(RunCommand, NothingAfterAByteOfZeroIsPassedOver) {
  const TempFolder folder;
  const std::string nul(1, '\0');
  const std::string error = ": the byte 0 (NUL) is no part of JSON\n";
  folder.write("nul.json", R"({"bodies": []})" + nul + "more{{{");
  const Outcome scene = run_program(folder, "run '{}/nul.json' --frames 1");
  EXPECT_EQ(scene.status, 1);
  EXPECT_NE(scene.err.find("nul.json: is not JSON: parse error at line 1, column 15" + error), std::string::npos)
      << scene.err;
  folder.write("scene.json", kSinkingBall);
  folder.write("nul.jsonl", "{\"time\": 0, \"poses\": {}}\n{\"time\": 1, \"poses\": {}}" + nul + "\n");
  const Outcome motion = run_program(folder, "run '{}/scene.json' --motion '{}/nul.jsonl'");
  EXPECT_EQ(motion.status, 1);
  EXPECT_EQ(motion.lines().size(), 1u);
  EXPECT_NE(motion.err.find("nul.jsonl: line 2: is not JSON: "), std::string::npos) << motion.err;
  EXPECT_NE(motion.err.find(error), std::string::npos) << motion.err;
}

TEST(RunCommand, ATimeThatIsNotFiniteIsAnErrorAfterTheGoodFrames) {
  const TempFolder folder;
  folder.write("scene.json", R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}}],
                                 "settings": {"time_step": 1e308}})");
  const Outcome outcome = run_program(folder, "run '{}/scene.json' --frames 4");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.lines().size(), 2u);
  EXPECT_EQ(outcome.out.find("null"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("scene.json: settings.time_step: is so large that the time of a frame is not finite, got"),
            std::string::npos)
      << outcome.err;
}

TEST(RunCommand, TheSummaryOfARunWithoutFramesKnowsTheBodies) {
  const TempFolder folder;
  folder.write("scene.json", kSinkingBall);
  folder.write("wrong.jsonl", "{\"time\": 0, \"poses\": {\"nobody\": {\"translation\": [0, 0, 5]}}}\n");
  const Outcome outcome = run_program(folder, "run '{}/scene.json' --motion '{}/wrong.jsonl'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err.rfind("frames 0, bodies 2, pairs not converged 0\n", 0), 0u) << outcome.err;
}

TEST(RunCommand, ATimeAtWhichABodyIsNowhereIsToldShortly) {
  const TempFolder folder;
  folder.write("scene.json", R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1},
                                             "velocity": {"linear": [1e10, 0, 0]}}],
                                 "settings": {"time_step": 1e300}})");
  const Outcome outcome = run_program(folder, "run '{}/scene.json' --frames 2");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("scene.json: bodies[0].velocity: at time 1e+300: translation[0]: must be finite"),
            std::string::npos)
      << outcome.err;
}

TEST(RunCommand, TheOutputDoesNotDependOnTheThreads) {
  const TempFolder folder;
  std::string bodies = R"({"name": "floor", "shape": {"type": "halfspace", "normal": [0, 0, 1], "offset": 0},
                           "motion": "fixed"})";
  const char* shapes[] = {R"({"type": "box", "half_extents": [0.4, 0.5, 0.6]})",
                          R"({"type": "cylinder", "radius": 0.5, "half_length": 0.5})",
                          R"({"type": "capsule", "radius": 0.3, "half_length": 0.6})",
                          R"({"type": "ellipsoid", "radii": [0.4, 0.5, 0.7]})"};
  for (int i = 0; i < 120; ++i) {
    bodies += R"(, {"name": "body )" + std::to_string(i) + R"(", "shape": )" + shapes[i % 4] +
              R"(, "pose": {"translation": [)" + std::to_string(0.8 * (i % 5)) + ", " +
              std::to_string(0.8 * (i / 5 % 5)) + ", " + std::to_string(0.3 + 0.9 * (i / 25)) +
              R"(]}, "velocity": {"angular": [)" + std::to_string(i % 7 - 3) + R"(, 1, 0.5], "linear": [0, 0, -0.2]}})";
  }
  folder.write("scene.json", "{\"bodies\": [" + bodies + "], \"settings\": {\"contact_margin\": 0.02}}");
  const std::size_t count = samples::kIsInstrumented ? 8 : 30;
  const std::string command = "run '{}/scene.json' --frames " + std::to_string(count) + " --threads ";
  const Outcome one = run_program(folder, command + "1");
  EXPECT_EQ(one.status, 0) << one.err;
  const auto frames = one.lines();
  ASSERT_EQ(frames.size(), count);
  EXPECT_GT(frames.back()["contacts"].size(), 100u);
  for (const char* threads : {"2", "5"}) {
    EXPECT_EQ(run_program(folder, command + threads).out, one.out) << threads;
  }
}

}  // namespace
}  // namespace abut
