// The program's face: help, version, usage errors.
#include <gtest/gtest.h>

#include <string>

#include "program.h"

namespace abut {
namespace {

using test::Outcome;
using test::run_program;
using test::run_shell;
using test::TempFolder;

TEST(Program, PrintsItsVersion) {
  const TempFolder folder;
  const Outcome outcome = run_program(folder, "--version");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, std::string("abut ") + ABUT_VERSION + "\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, HelpTeachesWithExamplesAndFormats) {
  const TempFolder folder;
  const Outcome all = run_program(folder, "--help");
  EXPECT_EQ(all.status, 0);
  for (const char* text : {"query", "run", "Examples:", "--motion", "Exit status"}) {
    EXPECT_NE(all.out.find(text), std::string::npos) << text;
  }
  const Outcome query = run_program(folder, "query --help");
  EXPECT_EQ(query.status, 0);
  for (const char* text : {"half_extents", "smooth_revolution", "security_margin", "distance_error", "--threads"}) {
    EXPECT_NE(query.out.find(text), std::string::npos) << text;
  }
  const Outcome run = run_program(folder, "run --help");
  EXPECT_EQ(run.status, 0);
  for (const char* text : {"ignore_pairs", "ABUTREC1", "--frames", "candidate_pairs", "velocity"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text;
  }
}

TEST(Program, HelpThatCannotBeWrittenIsAnError) {
  const TempFolder folder;
  for (const char* option : {"--help", "--version", "run --help"}) {
    const Outcome outcome = run_shell(folder, std::string("{abut} ") + option + " >/dev/full");
    EXPECT_EQ(outcome.status, 1) << option;
    EXPECT_EQ(outcome.err, "abut: error: standard output: cannot be written\n") << option;
  }
}

TEST(Program, WrongUsageHasStatusTwoAndAMessage) {
  const TempFolder folder;
  for (const char* arguments : {"", "dance", "query --frobnicate", "run", "query --threads 0", "query --threads two",
                                "run scene.json --frames 0", "run scene.json --frames -3", "query a b"}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = wrong_usage(folder, arguments);
    EXPECT_NE(outcome.err.find("--help"), std::string::npos) << outcome.err;
  }
  EXPECT_NE(run_program(folder, "dance").err.find("dance"), std::string::npos);
}

TEST(Program, NumbersOutOfRangeAreNamedWithTheirOption) {
  const TempFolder folder;
  const auto check = [&](const std::string& arguments, const std::string& error) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = wrong_usage(folder, arguments);
    EXPECT_EQ(outcome.err, "abut: error: " + error + "\nSee abut --help.\n");
  };
  check("run scene.json --frames 0", "--frames: must be an integer from 1 to 1000000000000, got 0");
  check("run scene.json --frames 99999999999999999999999",
        "--frames: must be an integer from 1 to 1000000000000, got 99999999999999999999999");
  check("run scene.json --frames 1e3", "--frames: must be an integer from 1 to 1000000000000, got 1e3");
  check("query --threads 1025", "--threads: must be an integer from 1 to 1024, got 1025");
}

TEST(Program, EmptyValuesAreRefused) {
  const TempFolder folder;
  const auto check = [&](const std::string& arguments, const std::string& option) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = wrong_usage(folder, arguments);
    EXPECT_EQ(outcome.err, "abut: error: " + option + ": must not be empty\nSee abut --help.\n");
  };
  for (const char* option : {"--motion", "--record", "--unconverged", "--output"}) {
    check(std::string("run scene.json ") + option + " ''", option);
  }
  check("query -o '' queries.jsonl", "--output");
  check("query ''", "FILE");
  check("replay ''", "FILE");
}

TEST(Program, AFileDoesNotTakeThePlaceOfAClosedStandardStream) {
  const TempFolder folder;
  folder.write("scene.json", R"({"bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}}]})");
  const std::string run = "{abut} run '{}/scene.json' --frames 3 --record '{}/run.replay'";
  const Outcome without_output = run_shell(folder, run + " >&-");
  EXPECT_EQ(without_output.status, 1);
  EXPECT_EQ(without_output.err.rfind("abut: error: standard output: cannot be written", 0), 0u) << without_output.err;
  const Outcome without_error = run_shell(folder, run + " 2>&-");
  EXPECT_EQ(without_error.status, 0);
  EXPECT_EQ(without_error.lines().size(), 3u);
  EXPECT_EQ(run_program(folder, "replay '{}/run.replay' --check").status, 0);
  const Outcome without_input = run_shell(folder, "{abut} query -o '{}/out' <&-");
  EXPECT_EQ(without_input.status, 1);
  EXPECT_EQ(without_input.err.rfind("abut: error: standard input: cannot be read", 0), 0u) << without_input.err;
}

}  // namespace
}  // namespace abut
