// The study of smooth bodies: the evaluation of An et al., "Collision Detection between Smooth Convex Bodies via
// Riemannian Optimization Framework" (section V), repeated and extended. Writes one JSON file, from which
// plot_smooth.py draws the figures and fills the tables.
//
//     bench_smooth out.json [--poses N] [study ...]
//     studies: table2 shallow fig5 fig6 minima fig8 warm apart pictures; all without a name
//
// ABUT_YCB_DIR names a folder of OBJ hulls for fig8 and the pictures; without it hulls are generated. Iterations,
// accuracy and minima do not depend on the machine; times do.
#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "clock.h"
#include "smooth_studies.h"

namespace {

using abut::study::Draw;
using abut::study::Results;
using abut::study::short_text;

using Study = void (*)(Results&, std::size_t);

constexpr std::array<std::pair<const char*, Study>, 9> kStudies = {
    {{"table2", [](Results& r, std::size_t poses) { study_penetration(r, poses, Draw::random); }},
     {"shallow", [](Results& r, std::size_t poses) { study_penetration(r, poses, Draw::shallow); }},
     {"fig5", abut::study::study_optimality},
     {"fig6", abut::study::study_depth},
     {"minima", abut::study::study_minima},
     {"fig8", abut::study::study_fits},
     {"warm", abut::study::study_coherent_motion},
     {"apart", abut::study::study_apart},
     {"pictures", abut::study::study_pictures}}};

struct Arguments {
  std::string file;
  std::size_t poses = 10000;
  std::vector<std::string> studies;  // empty: all
};

bool is_study(const std::string& name) {
  return std::any_of(kStudies.begin(), kStudies.end(), [&name](const auto& study) { return name == study.first; });
}

/// False with a message where they make no sense.
bool parse(const std::vector<std::string>& words, Arguments& arguments) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--poses" && i + 1 < words.size()) {
      const long poses = std::stol(words[++i]);
      if (poses < 1) {
        std::cerr << "--poses: must be >= 1, got " << poses << "\n";
        return false;
      }
      arguments.poses = static_cast<std::size_t>(poses);
    } else if (arguments.file.empty()) {
      arguments.file = words[i];
    } else if (is_study(words[i])) {
      arguments.studies.push_back(words[i]);
    } else {
      std::cerr << "no study is called " << words[i] << "\n";
      return false;
    }
  }
  if (arguments.file.empty()) {
    std::cerr << "usage: bench_smooth out.json [--poses N] [study ...]\n";
    return false;
  }
  return true;
}

int run(const Arguments& arguments) {
  Results results;
  results.note("clock_cost_ns", short_text(abut::study::clock_cost()));
  results.note("poses", std::to_string(arguments.poses));
  for (const auto& [name, study] : kStudies) {
    const auto& wanted = arguments.studies;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    const auto start = std::chrono::steady_clock::now();
    study(results, arguments.poses);
    std::cerr << name << ": " << short_text(1e-9 * abut::study::nanoseconds_since(start)) << " s\n";
  }
  std::ofstream out(arguments.file);
  results.write(out);
  out.close();
  if (!out) {
    std::cerr << "could not write " << arguments.file << "\n";
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Arguments arguments;
    if (!parse({argv + 1, argv + argc}, arguments)) return 1;
    return run(arguments);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
