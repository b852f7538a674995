// Reads the #include lines of all modules, because the direction between folders erodes silently; then feeds the
// checker wrong lines, to show that it would notice.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "include_rules.h"

namespace abut::architecture {
namespace {

namespace fs = std::filesystem;

const fs::path kSourceDir = ABUT_SOURCE_DIR;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> violations_of(std::string_view path, std::string_view text) {
  return include_violations(kSourceDir, path, text);
}

TEST(IncludeDirection, EveryIncludeOfTheModulesKeepsTheRules) {
  int files = 0;
  for (const std::string& folder : module_folders()) {
    if (!fs::is_directory(kSourceDir / folder)) continue;  // an optional module that does not exist
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kSourceDir / folder)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp")) continue;
      ++files;
      const std::string path = fs::relative(entry.path(), kSourceDir).generic_string();
      for (const std::string& violation : violations_of(path, read_text(entry.path()))) ADD_FAILURE() << violation;
    }
  }
  EXPECT_GT(files, 30) << "the modules were not found under " << kSourceDir;
}

TEST(IncludeDirection, TheFourInnerModulesExist) {
  for (const char* folder : {"core", "broadphase", "narrowphase", "world"})
    EXPECT_TRUE(fs::is_directory(kSourceDir / folder)) << folder;
}

TEST(IncludeDirection, AcceptsWhatTheTableAllows) {
  EXPECT_TRUE(violations_of("world/scene.cpp",
                            "#include <abut/core/pose.h>\n#include <tbb/parallel_for.h>\n#include <vector>\n"
                            "#include <Eigen/Core>\n")
                  .empty());
  EXPECT_TRUE(violations_of("core/shapes/hull_topology.cpp", "#include <libqhull_r/libqhull_r.h>\n").empty());
  EXPECT_TRUE(violations_of("io/json.cpp", "#include <nlohmann/json.hpp>\n#include <assimp/scene.h>\n").empty());
  EXPECT_TRUE(violations_of("apps/main.cpp", "#include <CLI/CLI.hpp>\n").empty());
  EXPECT_TRUE(violations_of("fitting/detail/least_squares.cpp", "#include <cminpack.h>\n").empty());
}

TEST(IncludeDirection, ReportsFileAndLineOfAnArrowThatPointsUp) {
  const std::vector<std::string> found =
      violations_of("core/pose.cpp", "// pose\n#include <abut/core/pose.h>\n  #  include <abut/world/scene.h>\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "core/pose.cpp:3: core may not include world (<abut/world/scene.h>)");
}

TEST(IncludeDirection, ReportsThatTheTwoPhasesKnowEachOther) {
  EXPECT_EQ(violations_of("broadphase/a.cpp", "#include <abut/narrowphase/distance.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("narrowphase/planar/a.cpp", "#include <abut/world/scene.h>\n").size(), 1u);
}

TEST(IncludeDirection, ReportsThatFittingKnowsMoreThanShapes) {
  EXPECT_EQ(violations_of("fitting/a.cpp", "#include <abut/narrowphase/distance.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("io/a.cpp", "#include <abut/fitting/fit_smooth_hull.h>\n").size(), 1u);
}

TEST(IncludeDirection, ReportsThatOmplIsKnownOutsideItsFolder) {
  EXPECT_TRUE(violations_of("planning/ompl/a.cpp",
                            "#include <abut/planning/ompl/state_space.h>\n#include <ompl/base/State.h>\n")
                  .empty());
  for (const char* line : {"#include <ompl/base/State.h>\n", "#include <abut/planning/ompl/state_space.h>\n"}) {
    EXPECT_EQ(violations_of("planning/a.cpp", line).size(), 1u) << line;
    EXPECT_EQ(violations_of("apps/a.cpp", line).size(), 1u) << line;
  }
}

TEST(IncludeDirection, ReportsAnyOtherSpellingOfAnOwnHeader) {
  EXPECT_EQ(violations_of("world/a.cpp", "#include \"../core/pose.h\"\n").size(), 1u);
  EXPECT_EQ(violations_of("world/a.cpp", "#include \"scene.h\"\n").size(), 1u);
  EXPECT_EQ(violations_of("world/a.cpp", "#include <core/pose.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("world/a.cpp", "#include <abut/world/../core/pose.h>\n").size(), 1u);
}

TEST(IncludeDirection, ReportsAHeaderThatDoesNotExist) {
  const std::vector<std::string> found = violations_of("core/a.cpp", "#include <abut/core/no_such_header.h>");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "core/a.cpp:1: <abut/core/no_such_header.h> does not exist");
}

TEST(IncludeDirection, ReportsAThirdPartyLibraryOutsideItsPlace) {
  EXPECT_EQ(violations_of("core/obb.cpp", "#include <libqhull_r/qhull_ra.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("core/obb.cpp", "#include <tbb/parallel_for.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("narrowphase/gjk.cpp", "#include <oneapi/tbb/parallel_for.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("world/scene.cpp", "#include <assimp/scene.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("core/pose.h", "#include <nlohmann/json.hpp>\n").size(), 1u);
  EXPECT_EQ(violations_of("io/scene_file.cpp", "#include <CLI/CLI.hpp>\n").size(), 1u);
  EXPECT_EQ(violations_of("planning/robot_model.h", "#include <urdf_model/model.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("planning/srdf_file.cpp", "#include <tinyxml2.h>\n").size(), 1u);
  EXPECT_EQ(violations_of("fitting/fit_smooth_hull.cpp", "#include <cminpack.h>\n").size(), 1u);
}

}  // namespace
}  // namespace abut::architecture
