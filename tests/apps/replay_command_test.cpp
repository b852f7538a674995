// abut run --record, --unconverged and abut replay from outside.
#include <abut/core/byte_stream.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>

#include "program.h"

namespace abut {
namespace {

using test::content_of;
using test::Outcome;
using test::run_program;
using test::run_shell;
using test::TempFolder;

/// Turning bodies that sink into each other and onto a floor.
std::string pile_scene() {
  std::string bodies = R"({"name": "floor", "shape": {"type": "halfspace", "normal": [0, 0, 1], "offset": 0},
                           "motion": "fixed"})";
  const char* shapes[] = {R"({"type": "box", "half_extents": [0.4, 0.5, 0.6]})",
                          R"({"type": "cylinder", "radius": 0.5, "half_length": 0.5})",
                          R"({"type": "convex", "points": [[0.5,0,0],[-0.5,0.1,0],[0,0.6,0],[0,-0.5,0],[0,0,0.5],
                              [0,0,-0.4],[0.1,0.1,0.1]]})",
                          R"({"type": "ellipsoid", "radii": [0.4, 0.5, 0.7]})"};
  for (int i = 0; i < 36; ++i) {
    bodies += R"(, {"name": "body )" + std::to_string(i) + R"(", "shape": )" + shapes[i % 4] +
              R"(, "pose": {"translation": [)" + std::to_string(0.8 * (i % 3)) + ", " +
              std::to_string(0.8 * (i / 3 % 3)) + ", " + std::to_string(0.3 + 0.9 * (i / 9)) +
              R"(]}, "velocity": {"angular": [)" + std::to_string(i % 7 - 3) + R"(, 1, 0.5], "linear": [0, 0, -0.2]}})";
  }
  return "{\"bodies\": [" + bodies + "], \"settings\": {\"contact_margin\": 0.02}}";
}

TEST(ReplayCommand, ARecordedRunIsTheSameWithAnyNumberOfThreads) {
  const TempFolder folder;
  folder.write("scene.json", pile_scene());
  const Outcome run = run_program(folder, "run '{}/scene.json' --frames 20 --threads 1 --record '{}/run.replay'");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* threads : {"1", "2", "5"}) {
    const Outcome check = run_program(folder, std::string("replay '{}/run.replay' --check --threads ") + threads);
    EXPECT_EQ(check.status, 0) << check.err;
    EXPECT_EQ(check.out.rfind("frames 20, contacts ", 0), 0u) << check.out;
    EXPECT_NE(check.out.find("bit for bit"), std::string::npos);
  }
  // Without --check, what the run wrote.
  const Outcome frames = run_program(folder, "replay '{}/run.replay'");
  EXPECT_EQ(frames.status, 0) << frames.err;
  EXPECT_EQ(frames.out, run.out);
  EXPECT_NE(frames.err.find("frames 20"), std::string::npos);
  const Outcome to_file = run_program(folder, "replay '{}/run.replay' -o '{}/frames.jsonl'");
  EXPECT_EQ(to_file.status, 0);
  EXPECT_EQ(content_of(folder.path() / "frames.jsonl"), run.out);
}

TEST(ReplayCommand, AVerdictThatCannotBeWrittenIsAnError) {
  const TempFolder folder;
  folder.write("scene.json", pile_scene());
  ASSERT_EQ(run_program(folder, "run '{}/scene.json' --frames 2 --record '{}/run.replay'").status, 0);
  const Outcome outcome = run_shell(folder, "{abut} replay '{}/run.replay' --check >/dev/full");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "abut: error: standard output: cannot be written\n");
}

/// A recorded run with the checksums that its parts should have: each is also of the one before it.
std::string with_checksums(const std::string& run) {
  std::string result;
  std::string last;
  std::size_t at = 0;
  for (std::size_t before = 12; at < run.size(); before = 4) {  // what stands before a size
    std::uint64_t size = 0;
    std::memcpy(&size, run.data() + at + before, sizeof(size));
    const std::string part = run.substr(at, before + sizeof(size) + size);
    const std::string summed = last + part;
    const std::uint64_t sum = checksum(std::as_bytes(std::span(summed)));
    last.assign(reinterpret_cast<const char*>(&sum), sizeof(sum));
    result += part + last;
    at += part.size() + last.size();
  }
  return result;
}

TEST(ReplayCommand, AnotherMotionIsADifferenceThatIsNamed) {
  const TempFolder folder;
  const std::string upto_height = R"({"bodies": [
      {"name": "table", "shape": {"type": "box", "half_extents": [5, 5, 1]}, "motion": "fixed"},
      {"name": "ball", "shape": {"type": "sphere", "radius": 1}, "pose": {"translation": [0, 0, )";
  folder.write("one.json", upto_height + "1.5]}}]}");
  folder.write("other.json", upto_height + "1.25]}}]}");
  ASSERT_EQ(run_program(folder, "run '{}/one.json' --frames 2 --record '{}/one.replay'").status, 0);
  ASSERT_EQ(run_program(folder, "run '{}/other.json' --frames 2 --record '{}/other.replay'").status, 0);
  // The scene of one run with the frames of the other.
  const std::string one = content_of(folder.path() / "one.replay");
  const std::string other = content_of(folder.path() / "other.replay");
  const std::string mixed = one.substr(0, one.find("FRME")) + other.substr(other.find("FRME"));
  folder.write("patched.replay", mixed);
  EXPECT_NE(run_program(folder, "replay '{}/patched.replay'").err.find("frame 0 has been altered, or does not follow"),
            std::string::npos);
  // With checksums that fit only the replay can tell.
  folder.write("mixed.replay", with_checksums(mixed));
  const Outcome outcome = run_program(folder, "replay '{}/mixed.replay' --check");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("mixed.replay: frame 0: \"table\" and \"ball\": distance: recorded -0.75 "
                             "(0xbfe8000000000000), found -0.5 (0xbfe0000000000000)"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("before"), std::string::npos) << outcome.err;
  // The second frame alone is the other run's.
  const auto second = [](const std::string& content) { return content.find("FRME", content.find("FRME") + 4); };
  folder.write("late.replay", with_checksums(one.substr(0, second(one)) + other.substr(second(other))));
  const Outcome late = run_program(folder, "replay '{}/late.replay' --check");
  EXPECT_EQ(late.status, 1);
  EXPECT_NE(late.err.find("late.replay: frame 1: \"table\" and \"ball\": distance: recorded -0.75 "), std::string::npos)
      << late.err;
  EXPECT_NE(late.err.find(" (the 1 frame before it is the same)"), std::string::npos) << late.err;
}

TEST(ReplayCommand, ErrorsNameTheFile) {
  const TempFolder folder;
  folder.write("scene.json", pile_scene());
  const auto check = [&](const std::string& arguments, const std::string& error) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(folder.path().string() + "/" + error), std::string::npos) << outcome.err;
  };
  check("replay '{}/none.replay' --check", "none.replay: does not exist");
  check("replay '{}/scene.json'", "scene.json: is no recorded run: it does not begin with ABUTRPLY");
  check("run '{}/scene.json' --frames 1 --record '{}/scene.json'", "scene.json: is read from; cannot write to it");
  check("run '{}/scene.json' --frames 1 --unconverged '{}/scene.json'", "scene.json: is read from; cannot write to it");
  check("run '{}/scene.json' --frames 1 --record '{}/same' -o '{}/same'", "same: is written to by --output as well");
  check("run '{}/scene.json' --frames 1 --unconverged '{}/same' -o '{}/same'",
        "same: is written to by --output as well");
  check("run '{}/scene.json' --frames 1 --record '{}/same' --unconverged '{}/same'",
        "same: is written to by --unconverged as well");
  const Outcome mixed = run_shell(folder, "{abut} run '{}/scene.json' --frames 1 --record '{}/same' >'{}/same'");
  EXPECT_EQ(mixed.status, 1);
  EXPECT_NE(mixed.err.find("same: is written to by standard output as well"), std::string::npos) << mixed.err;
  EXPECT_EQ(content_of(folder.path() / "same"), "");
  std::filesystem::remove(folder.path() / "same");
  EXPECT_EQ(run_shell(folder, "{abut} run '{}/scene.json' --frames 1 --record /dev/null >/dev/null").status, 0);
  folder.write("kept", "kept");
  check("run '{}/scene.json' --frames 1 --record '{}/kept' -o '{}/./kept'", "kept: is written to by");
  check("run '{}/scene.json' --frames 1 --record '{}/same' -o '{}/./same'", "same: is written to by --output as well");
  check("run '{}/scene.json' --frames 1 --unconverged '{}/scene.json' -o '{}/kept'", "scene.json: is read from");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "same"));  // refused before anything is opened
  EXPECT_EQ(content_of(folder.path() / "kept"), "kept");
  EXPECT_EQ(content_of(folder.path() / "scene.json"), pile_scene());
  EXPECT_EQ(run_program(folder, "replay '{}/a' --check -o '{}/b'").status, 2);

  ASSERT_EQ(run_program(folder, "run '{}/scene.json' --frames 3 --record '{}/run.replay'").status, 0);
  const std::string whole = content_of(folder.path() / "run.replay");
  folder.write("cut.replay", whole.substr(0, whole.size() - 40));
  const Outcome cut = run_program(folder, "replay '{}/cut.replay'");
  EXPECT_EQ(cut.status, 1);
  EXPECT_EQ(cut.lines().size(), 2u);
  EXPECT_NE(cut.err.find("cut.replay: is cut short: frame 2 needs "), std::string::npos) << cut.err;
}

TEST(RunCommand, QueriesThatDoNotConvergeAreAskedAgainByTheQueryCommand) {
  const TempFolder folder;
  // Depth closes slowly where many directions are equally good: cylinders about one axis.
  folder.write("scene.json", R"({"bodies": [
    {"name": "can", "shape": {"type": "cylinder", "radius": 0.5, "half_length": 0.5}},
    {"name": "\"can\" 2", "shape": {"type": "cylinder", "radius": 0.4, "half_length": 0.6},
     "velocity": {"linear": [0.1, 0, 0], "angular": [0.3, 0.2, 0.1]}},
    {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}}]})");
  const Outcome run = run_program(folder, "run '{}/scene.json' --frames 3 --unconverged '{}/hard.jsonl'");
  EXPECT_EQ(run.status, 0) << run.err;
  const Outcome query = run_program(folder, "query '{}/hard.jsonl'");
  EXPECT_EQ(query.status, 0) << query.err;
  ASSERT_GE(query.lines().size(), 2u);
  for (const Json& answer : query.lines()) {
    EXPECT_EQ(answer["status"], "iteration_limit") << answer.dump();
    EXPECT_NE(answer["id"].get<std::string>().find(": can, \"can\" 2"), std::string::npos);
  }
  EXPECT_EQ(query.lines()[0]["id"], "frame 0: can, \"can\" 2");
  for (std::size_t i = 0; i < query.lines().size(); ++i) {
    EXPECT_EQ(query.lines()[i]["distance"], run.lines()[i]["contacts"][0]["distance"]);
  }
}

}  // namespace
}  // namespace abut
