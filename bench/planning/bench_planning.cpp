// Validity of robot configurations and motions: abut, and FCL and Bullet where they are installed, on the same robots,
// obstacles and pairs; and the time that RRT-Connect takes with each, where OMPL is installed.
//
//   bench_planning [--robot NAME] [--problems N] [--rounds N] [--seeds N] [--geometry hulls|meshes|none]
//
// Robots are the Panda, the UR5 and the Fetch with N problems (2) of each of seven worlds, where ABUT_ROBOTS_DIR and
// ABUT_PLANNING_DIR name their folders, else the test arm. Checkers take turns, `rounds` (7) times a problem; figures
// are the mean over the problems of each problem's median, in processor time on one thread.
#include "measured.h"
#include "peer.h"
#include "rrt_connect.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

namespace abut::bench {
namespace {

constexpr std::size_t kConfigurations = 800;  // drawn a problem
constexpr std::size_t kMotions = 400;         // drawn a problem
constexpr std::size_t kMotionsOfAKind = 60;   // kept
constexpr std::size_t kFineMotions = 12;      // of these, looked at finely
constexpr std::size_t kCoarse = 14;           // states of a motion of 1 rad at steps of 0.07 rad
constexpr std::size_t kFine = 101;
constexpr double kPlanningSeconds = 2.0;

struct Settings {
  std::string robot;
  std::size_t problems = 2;
  int rounds = 7;
  std::uint32_t seeds = 3;  ///< Of the planner, a problem.
  std::string geometry;     ///< Empty: both; neither where it is another word.
};

enum class Meshes : std::uint8_t { hulls, as_they_are };

struct Column {
  enum : std::uint8_t {
    valid,
    invalid,
    coarse_valid,
    coarse_invalid,
    fine_valid,
    fine_invalid,
    certified_valid,
    certified_invalid,
    construction,
    count,
  };
};

/// Configurations at which a checker differs from abut, and how far from touching the farthest of them is, metres.
struct WrongConfigurations {
  std::size_t count = 0;
  double farthest = 0.0;

  void add(double clearance) {
    ++count;
    farthest = std::max(farthest, std::abs(clearance));
  }
  [[nodiscard]] std::string text() const {
    return count == 0 ? "0" : std::to_string(count) + " (" + number_text(1e6 * farthest) + " µm)";
  }
};

struct Wrong {
  WrongConfigurations missed;  ///< Collisions.
  WrongConfigurations invented;
  std::size_t motions = 0;
};

struct Counts {
  std::size_t valid = 0;
  std::size_t invalid = 0;
  std::size_t valid_motions = 0;
  std::size_t invalid_motions = 0;
  std::size_t motions = 0;
  std::size_t slipped_through = 0;  ///< Motions that are valid at coarse samples and invalid when certified.
};

using Peers = std::vector<std::unique_ptr<PlanningPeer>>;

/// Those of which all checkers say the same, at both resolutions; the others count as wrong.
struct AgreedMotions {
  std::vector<Motion> valid;
  std::vector<Motion> invalid;
};
AgreedMotions agreed_motions(const Peers& peers, const std::vector<Motion>& motions, std::vector<Wrong>& wrong,
                             Counts& counts) {
  AgreedMotions result;
  for (const Motion& motion : motions) {
    const bool is_valid = peers[0]->is_motion_valid(motion, kCoarse);
    const bool is_proven = peers[0]->is_motion_certified(motion);
    counts.slipped_through += is_valid && !is_proven ? 1 : 0;
    std::vector<Motion>& kind = is_valid ? result.valid : result.invalid;
    bool is_agreed = is_valid == is_proven && kind.size() < kMotionsOfAKind;
    for (std::size_t p = 0; p < peers.size(); ++p) {
      const bool answer = peers[p]->is_motion_valid(motion, kCoarse);
      wrong[p].motions += answer != is_valid ? 1 : 0;
      is_agreed = is_agreed && answer == is_valid && peers[p]->is_motion_valid(motion, kFine) == is_valid;
      if (peers[p]->certifies()) is_agreed = is_agreed && peers[p]->is_motion_certified(motion) == is_valid;
    }
    if (is_agreed) kind.push_back(motion);
  }
  counts.motions += motions.size();
  counts.valid_motions += result.valid.size();
  counts.invalid_motions += result.invalid.size();
  return result;
}

void compare_checkers(const PlanningRobot& robot, Meshes meshes, const Settings& settings) {
  std::vector<NamedPeer> named;
  for (const NamedPeer& peer : planning_peers()) {
    if (meshes == Meshes::hulls || peer.takes_meshes) named.push_back(peer);
  }
  const RobotModel& model = meshes == Meshes::hulls ? robot.hulls : robot.meshes;
  Measured measured(named.size(), Column::count);
  std::vector<Wrong> wrong(named.size());
  Counts counts;
  for (const PlanningProblem& problem : robot.problems) {
    const ValidityChecker checker(model, problem.obstacles, robot.options);
    ValidityChecker::State state(checker);
    const Configurations configurations = draw_configurations(robot, problem, checker, kConfigurations);
    const CheckedProblem checked{model, robot.options, problem.obstacles};
    Peers peers;
    for (const NamedPeer& peer : named) peers.push_back(peer.make(checked));

    for (std::size_t p = 0; p < peers.size(); ++p) {
      for (const auto& one : configurations.valid) {
        if (!peers[p]->is_valid(one)) wrong[p].invented.add(checker.clearance(one, state).distance);
      }
      for (const auto& one : configurations.invalid) {
        if (peers[p]->is_valid(one)) wrong[p].missed.add(checker.clearance(one, state).distance);
      }
    }
    counts.valid += configurations.valid.size();
    counts.invalid += configurations.invalid.size();
    const AgreedMotions motions = agreed_motions(peers, draw_motions(robot, configurations, kMotions), wrong, counts);

    std::vector<Measured::Work> work;
    const auto each_peer = [&](std::size_t column, std::size_t items, const auto& ask) {
      for (std::size_t p = 0; p < peers.size(); ++p) {
        if ((column == Column::certified_valid || column == Column::certified_invalid) && !peers[p]->certifies())
          continue;
        work.push_back({p, column, items, [&peer = *peers[p], ask](std::size_t item) { ask(peer, item); }});
      }
    };
    const auto both_kinds = [&](std::size_t column, const auto& valid_ones, const auto& invalid_ones, const auto& ask) {
      const std::span valid(valid_ones);
      const std::span invalid(invalid_ones);
      each_peer(column, valid.size(), [valid, ask](PlanningPeer& peer, std::size_t i) { ask(peer, valid[i]); });
      each_peer(column + 1, invalid.size(),
                [invalid, ask](PlanningPeer& peer, std::size_t i) { ask(peer, invalid[i]); });
    };
    // The answers were looked at above; a call through an interface is not left out.
    both_kinds(Column::valid, configurations.valid, configurations.invalid,
               [](PlanningPeer& peer, const std::vector<double>& one) { peer.is_valid(one); });
    both_kinds(Column::coarse_valid, motions.valid, motions.invalid,
               [](PlanningPeer& peer, const Motion& one) { peer.is_motion_valid(one, kCoarse); });
    const auto few = [](const std::vector<Motion>& some) {
      return std::span(some).first(std::min(some.size(), kFineMotions));
    };
    both_kinds(Column::fine_valid, few(motions.valid), few(motions.invalid),
               [](PlanningPeer& peer, const Motion& one) { peer.is_motion_valid(one, kFine); });
    both_kinds(Column::certified_valid, motions.valid, motions.invalid,
               [](PlanningPeer& peer, const Motion& one) { peer.is_motion_certified(one); });
    measured.run(work, settings.rounds);

    if (&problem != &robot.problems.front()) continue;
    std::vector<Measured::Work> making;
    for (std::size_t p = 0; p < peers.size(); ++p) {
      making.push_back({p, Column::construction, 1, [make = named[p].make, &checked](std::size_t) { make(checked); }});
    }
    measured.run(making, 3);
  }

  std::printf(
      "%s, %s: %zu problems; %zu valid and %zu invalid configurations, %zu valid and %zu invalid motions of 1 rad; "
      "microseconds\n\n",
      robot.name.c_str(), meshes == Meshes::hulls ? "hulls" : "meshes as they are", robot.problems.size(), counts.valid,
      counts.invalid, counts.valid_motions, counts.invalid_motions);
  Table table({"checker", "configuration, valid", "invalid", "motion of 14 states, valid", "invalid", "a state",
               "motion of 101 states, valid", "invalid", "a state", "proven motion, valid", "invalid", "made, ms",
               "collisions missed", "invented", "motions that differ"});
  for (std::size_t p = 0; p < named.size(); ++p) {
    std::vector<std::string> row{named[p].name};
    const auto add = [&](std::size_t column, double factor = 1.0) {
      row.push_back(
          compared_text(factor * measured.microseconds(p, column), factor * measured.microseconds(0, column)));
    };
    for (const std::size_t column : {Column::valid, Column::invalid, Column::coarse_valid, Column::coarse_invalid})
      add(column);
    add(Column::coarse_valid, 1.0 / kCoarse);
    add(Column::fine_valid);
    add(Column::fine_invalid);
    add(Column::fine_valid, 1.0 / kFine);
    add(Column::certified_valid);
    add(Column::certified_invalid);
    add(Column::construction, 1e-3);
    row.push_back(wrong[p].missed.text());
    row.push_back(wrong[p].invented.text());
    row.push_back(std::to_string(wrong[p].motions));
    table.add(std::move(row));
  }
  table.print();
  std::printf("Of %zu motions drawn %zu are valid at 14 states and not when proven.\n\n", counts.motions,
              counts.slipped_through);
}

/// What abut alone is asked.
void measure_abut(const PlanningRobot& robot, Meshes meshes, const Settings& settings) {
  enum : std::uint8_t {
    clearance_valid,
    clearance_invalid,
    gradient_valid,
    gradient_invalid,
    robot_made,
    obstacles_changed,
    batch_1,
    batch_2,
    motions_1,
    motions_2,
    column_count,
  };
  const RobotModel& model = meshes == Meshes::hulls ? robot.hulls : robot.meshes;
  Measured measured(1, column_count);
  for (const PlanningProblem& problem : robot.problems) {
    const ValidityChecker bare(model, {}, robot.options);
    const ValidityChecker checker = bare.with_obstacles(problem.obstacles);
    ValidityChecker::State state(checker);
    const Configurations configurations = draw_configurations(robot, problem, checker, kConfigurations);
    const std::vector<Motion> motions = draw_motions(robot, configurations, kMotions);
    std::vector<double> gradient(checker.dimension());
    std::vector<Measured::Work> work;
    const auto clearances = [&](std::size_t column, const std::vector<std::vector<double>>& some) {
      work.push_back(
          {0, column, some.size(), [&](std::size_t i) { static_cast<void>(checker.clearance(some[i], state)); }});
      work.push_back({0, column + 2, some.size(),
                      [&](std::size_t i) { static_cast<void>(checker.clearance(some[i], state, gradient)); }});
    };
    clearances(clearance_valid, configurations.valid);
    clearances(clearance_invalid, configurations.invalid);
    work.push_back(
        {0, obstacles_changed, 1, [&](std::size_t) { static_cast<void>(bare.with_obstacles(problem.obstacles)); }});
    if (&problem == &robot.problems.front()) {
      work.push_back({0, robot_made, 1, [&](std::size_t) { ValidityChecker(model, {}, robot.options); }});
    }
    measured.run(work, settings.rounds);

    std::vector<double> all;
    std::vector<double> from;
    std::vector<double> to;
    for (const auto* kind : {&configurations.valid, &configurations.invalid}) {
      for (const std::vector<double>& one : *kind) all.insert(all.end(), one.begin(), one.end());
    }
    for (const Motion& motion : motions) {
      from.insert(from.end(), motion.from.begin(), motion.from.end());
      to.insert(to.end(), motion.to.begin(), motion.to.end());
    }
    std::vector<std::uint8_t> answers(std::max(all.size(), from.size()) / checker.dimension());
    const std::size_t configuration_count = all.size() / checker.dimension();
    std::vector<Measured::Work> batches;
    for (const int threads : {1, 2}) {
      const auto add = [&](std::size_t column, const auto& ask) {
        batches.push_back({0, column, 1, [&, threads, ask](std::size_t) {
                             tbb::task_arena arena(threads);
                             arena.execute(ask);
                           }});
      };
      add(threads == 1 ? batch_1 : batch_2,
          [&] { checker.are_valid(all, std::span(answers).first(configuration_count)); });
      add(threads == 1 ? motions_1 : motions_2,
          [&] { checker.are_motions_valid(from, to, std::span(answers).first(motions.size())); });
    }
    measured.run(batches, settings.rounds, &wall_seconds);
  }
  // Batches were measured as one item; all problems have as many configurations and motions.
  const auto per_second = [&](std::size_t column, std::size_t items) {
    return number_text(1e3 * static_cast<double>(items) / measured.microseconds(0, column));
  };
  Table table({"clearance, valid", "invalid", "with gradient, valid", "invalid", "robot made, ms",
               "obstacles changed, ms", "batch, thousand a second, 1 thread", "2 threads",
               "proven motions, thousand a second, 1 thread", "2 threads"});
  table.add(
      {number_text(measured.microseconds(0, clearance_valid)), number_text(measured.microseconds(0, clearance_invalid)),
       number_text(measured.microseconds(0, gradient_valid)), number_text(measured.microseconds(0, gradient_invalid)),
       number_text(1e-3 * measured.microseconds(0, robot_made)),
       number_text(1e-3 * measured.microseconds(0, obstacles_changed)), per_second(batch_1, kConfigurations),
       per_second(batch_2, kConfigurations), per_second(motions_1, kMotions), per_second(motions_2, kMotions)});
  table.print();
}

#if defined(ABUT_BENCH_OMPL)
/// Time to a path: every checker with the same random numbers, and abut with proven motions besides. Problems whose
/// start or goal collides are left out; a run that is given up counts as its limit.
void compare_planning(const PlanningRobot& robot, const Settings& settings) {
  struct Row {
    std::string name;
    std::size_t peer = 0;
    Certainty certainty = Certainty::sampled;
    std::vector<double> milliseconds;
    std::size_t solved = 0;
  };
  std::vector<Row> rows{{planning_peers()[0].name + ", proven motions", 0, Certainty::certified, {}, 0}};
  for (std::size_t p = 0; p < planning_peers().size(); ++p) {
    rows.push_back({planning_peers()[p].name, p, Certainty::sampled, {}, 0});
  }
  std::size_t problem_count = 0;
  for (const PlanningProblem& problem : robot.problems) {
    const ValidityChecker checker(robot.hulls, problem.obstacles, robot.options);
    ValidityChecker::State state(checker);
    if (!checker.is_valid(problem.start, state) || !checker.is_valid(problem.goal, state)) continue;
    ++problem_count;
    Peers peers;
    for (const NamedPeer& peer : planning_peers()) {
      peers.push_back(peer.make({robot.hulls, robot.options, problem.obstacles}));
    }
    for (std::uint32_t seed = 1; seed <= settings.seeds; ++seed) {
      for (Row& row : rows) {
        const PlannerRun planned =
            run_rrt_connect(robot, problem, *peers[row.peer], row.certainty, seed, kPlanningSeconds);
        row.milliseconds.push_back(1e3 * (planned.is_solved ? planned.seconds : kPlanningSeconds));
        row.solved += planned.is_solved ? 1 : 0;
      }
    }
  }
  std::printf(
      "%s, hulls: RRT-Connect to a path, %zu problems with %u seeds each; median, milliseconds; given up after "
      "%g s\n\n",
      robot.name.c_str(), problem_count, static_cast<unsigned>(settings.seeds), kPlanningSeconds);
  Table table({"checker", "ms", "solved"});
  const double bar = median(rows[0].milliseconds);
  for (const Row& row : rows) {
    table.add({row.name, compared_text(median(row.milliseconds), bar),
               std::to_string(row.solved) + " of " + std::to_string(row.milliseconds.size())});
  }
  table.print();
}
#endif

void run(const Settings& settings) {
  tbb::task_arena one_thread(1);
  one_thread.execute([&] {
    for (const PlanningRobot& robot : planning_robots(settings.problems, settings.robot)) {
      for (const Meshes meshes : {Meshes::hulls, Meshes::as_they_are}) {
        const std::string name = meshes == Meshes::hulls ? "hulls" : "meshes";
        if (!settings.geometry.empty() && settings.geometry != name) continue;
        compare_checkers(robot, meshes, settings);
        measure_abut(robot, meshes, settings);
      }
#if defined(ABUT_BENCH_OMPL)
      if (settings.seeds > 0) compare_planning(robot, settings);
#endif
    }
  });
}

}  // namespace
}  // namespace abut::bench

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  abut::bench::Settings settings;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--robot") settings.robot = argv[i + 1];
    if (option == "--problems") settings.problems = static_cast<std::size_t>(std::atol(argv[i + 1]));
    if (option == "--seeds") settings.seeds = static_cast<std::uint32_t>(std::atoi(argv[i + 1]));
    if (option == "--geometry") settings.geometry = argv[i + 1];
    if (option == "--rounds") settings.rounds = std::atoi(argv[i + 1]);
  }
  try {
    abut::bench::run(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_planning: %s\n", error.what());
    return 1;
  }
}
