// The studies of the GJK++ and RSS papers on abut's solvers and on the papers' baselines: writes one JSON file, from
// which plot.py draws the figures and tables.
//
//     bench_gjk_study out.json [study ...]     studies: fig7 hulls fig13 rss_table2 table2 why; all without a name
//
// ABUT_YCB_DIR names a folder of OBJ hulls and ABUT_TRAJECTORY_DIR one with funnel.json and funnel.bin; without them
// the inputs are generated. Iterations do not depend on the machine; times do.
#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "clock.h"
#include "studies.h"

namespace {

using abut::study::Hulls;
using abut::study::Results;

using Study = std::function<void(Results&, const Hulls&)>;

const std::vector<std::pair<std::string, Study>>& all_studies() {
  using namespace abut::study;
  static const std::vector<std::pair<std::string, Study>> studies{
      {"fig7", [](Results& results, const Hulls&) { study_ellipsoids(results); }},
      {"hulls", study_hulls},
      {"fig13", study_warm_starts},
      {"rss_table2", [](Results& results, const Hulls&) { study_baselines(results); }},
      {"table2", [](Results& results, const Hulls&) { study_quadratic_program(results); }},
      {"why", study_choices}};
  return studies;
}

int run(const std::string& file, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto is_name = [&name](const auto& study) { return study.first == name; };
    if (std::none_of(all_studies().begin(), all_studies().end(), is_name)) {
      std::cerr << "no study is called " << name << "\n";
      return 1;
    }
  }
  const Hulls hulls = abut::study::load_hulls();
  Results results;
  results.note("hulls", hulls.is_ycb ? "YCB" : "generated");
  results.note("clock_cost_ns", abut::study::text_of(abut::study::clock_cost()));
  for (const auto& [name, study] : all_studies()) {
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    const auto start = std::chrono::steady_clock::now();
    study(results, hulls);
    const double seconds = 1e-9 * abut::study::nanoseconds_since(start);
    std::cerr << name << ": " << abut::study::text_of(seconds) << " s\n";
  }
  std::ofstream out(file);
  results.write(out);
  out.close();
  if (!out) {
    std::cerr << "could not write " << file << "\n";
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    std::cerr << "usage: bench_gjk_study out.json [study ...]\n";
    return 1;
  }
  try {
    return run(arguments[0], {arguments.begin() + 1, arguments.end()});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
