// The commands of the abut program and their arguments.
#pragma once

#ifdef ABUT_HAS_PLANNING
#include <abut/planning/disabled_pairs.h>
#endif

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace abut {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsageError = 2;

/// Frames of a run that has neither a recording nor a number: the first one and a hundred steps.
inline constexpr std::size_t kDefaultFrames = 101;

struct QueryArguments {
  std::string file;    // empty or "-": standard input
  std::string output;  // empty: standard output
  std::optional<int> threads;
};

struct FitArguments {
  std::string mesh;
  std::string output;  // empty: standard output
  int vertices = 20;
  std::optional<double> sharpness;  // empty: chosen by the fit
  bool conservative = false;
};

struct RunArguments {
  std::string scene;        // "-": standard input
  std::string motion;       // empty: the scene's velocities
  std::string output;       // empty: standard output
  std::string record;       // empty: the run is not recorded
  std::string unconverged;  // empty: queries that do not converge are not written
  std::optional<std::size_t> frames;
  std::optional<int> threads;
};

struct ReplayArguments {
  std::string file;
  std::string output;  // empty: standard output; not with check
  bool check = false;  // compare instead of writing frames
  std::optional<int> threads;
};

#ifdef ABUT_HAS_PLANNING
struct PairsArguments {
  std::string robot;
  std::string srdf;    // empty: no groups and states are taken over
  std::string output;  // empty: standard output
  std::vector<std::string> package_folders;
  DisabledPairsOptions options;
  std::optional<int> threads;
};

struct ValidateArguments {
  std::string file;  // empty or "-": standard input
  std::string robot;
  std::string srdf;  // empty: no pairs are disabled
  std::string scene;
  std::string output;  // empty: standard output
  std::vector<std::string> package_folders;
  bool meshes = false;     // as they are instead of their hulls
  bool clearance = false;  // of configurations
  std::optional<int> threads;
};
#endif

/// All return the exit status and throw FileError for errors that end them.
int query_command(const QueryArguments& arguments);
int run_command(const RunArguments& arguments);
int replay_command(const ReplayArguments& arguments);
#ifdef ABUT_HAS_FITTING
int fit_command(const FitArguments& arguments);
#endif
#ifdef ABUT_HAS_PLANNING
int pairs_command(const PairsArguments& arguments);
int validate_command(const ValidateArguments& arguments);
#endif

/// Runs `work` with so many threads, or as many as the machine has cores.
template <class Work>
void with_threads(std::optional<int> threads, Work&& work) {
  if (!threads) return work();
  // The limit allows also more threads than cores; the arena offers the slots.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(*threads));
  tbb::task_arena arena(*threads);
  arena.execute(work);
}

}  // namespace abut
