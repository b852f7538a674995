// The program's face: help, version, usage errors.
#include <gtest/gtest.h>

#include <string>

#include "program.h"

namespace abut {
namespace {

using test::Outcome;
using test::run_program;
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

TEST(Program, WrongUsageHasStatusTwoAndAMessage) {
  const TempFolder folder;
  for (const char* arguments : {"", "dance", "query --frobnicate", "run", "query --threads 0", "query --threads two",
                                "run scene.json --frames 0", "run scene.json --frames -3", "query a b"}) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = run_program(folder, arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("abut: error: ", 0), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find("--help"), std::string::npos) << outcome.err;
  }
  EXPECT_NE(run_program(folder, "dance").err.find("dance"), std::string::npos);
}

}  // namespace
}  // namespace abut
