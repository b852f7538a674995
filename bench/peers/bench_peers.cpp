// abut and the libraries found on this machine on the same inputs, timed by the same loops, one thread.
//
// Rows: <query>/<set>/<library>            pairs in random order; the time of a row is the time of one query
//       scene/bodies:<count>/<library>     one step of a scene of moving boxes, spheres and hulls of 40 vertices
//       pile/<hulls>/bodies:<count>/<library>
//                                          the same of the recorded pile at rest, where ABUT_TRAJECTORY_DIR names its
//                                          folder: hulls cut to 40 vertices, or all of them
//       pile_1mm/...                       the same with contacts of pairs up to 1 mm apart, where the library has them
//       pile_1mm_turns/...                 frames of the library and of abut by turns: what disturbs the machine
//                                          disturbs both; ratio: by how much abut is faster, the turns' median
// Counters: pairs in a pass, or pairs with contacts a frame on average, and wrong: how many answers of a pass or of all
// frames differ from the reference. For a distance or a depth that is by more than 1e-4 m from the distance at which
// the pair was placed, or no answer; for collides the other answer (no pair is nearer to touching than 1 mm); for
// scenes a pair that touches, or is near, in one of the libraries only, unless its distance is within 1e-6 m of the
// limit.
#include <abut/narrowphase/distance.h>
#include <benchmark/benchmark.h>
#include <oneapi/tbb/global_control.h>
#include <support/random_scenes.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../recorded_pile.h"
#include "../turns.h"
#include "abut.h"
#include "plain.h"

namespace abut::peers {
namespace {

constexpr double kWrongDistance = 1e-4;  // metres
constexpr double kUnclear = 1e-6;        // metres: nearer to the limit, either answer is right
constexpr double kMargin = 1e-3;         // metres
constexpr double kMinSeconds = 0.05;

const char* name_of(Query query) {
  switch (query) {
    case Query::collides:
      return "collides";
    case Query::distance:
      return "distance";
    case Query::depth:
      return "depth";
  }
  return "";
}

std::vector<bench::PosedPair> posed_pairs(const bench::PairSet& set, Query query) {
  switch (query) {
    case Query::collides:
      return set.shuffled(bench::Gaps::all);
    case Query::distance:
      return set.shuffled(bench::Gaps::apart);
    case Query::depth:
      return set.shuffled(bench::Gaps::overlapping);
  }
  return {};
}

void run_pairs(benchmark::State& state, const Peer& peer, Query query, const std::string& set_name) {
  const bench::PairSet& set = bench::pair_set(set_name);
  const std::vector<bench::PosedPair> posed = posed_pairs(set, query);
  const std::vector<PlainShape> shapes = plain(std::span(set.shapes));
  std::vector<PlainPair> pairs;
  for (const bench::PosedPair& pair : posed) pairs.push_back(plain(pair));
  const std::unique_ptr<PairSolver> solver = peer.pairs(shapes, pairs);
  std::vector<char> hits(pairs.size());
  std::vector<double> lengths(pairs.size());
  const auto pass = [&] {
    if (query == Query::collides) solver->collides(hits);
    if (query == Query::distance) solver->distances(lengths);
    if (query == Query::depth) solver->depths(lengths);
  };
  pass();  // not timed: some libraries prepare memory in it
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(pairs.size()))) {
    pass();
    benchmark::ClobberMemory();
  }

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool is_wrong = query == Query::collides
                              ? (hits[i] != 0) != (posed[i].distance <= 0.0)
                              : !(std::abs(lengths[i] - std::abs(posed[i].distance)) <= kWrongDistance);
    wrong += is_wrong ? 1u : 0u;
  }
  state.counters["pairs"] = static_cast<double>(pairs.size());
  state.counters["wrong"] = static_cast<double>(wrong);
}

/// Boxes, spheres and hulls in turn on a lattice, so close that most touch a few others; each wanders and turns.
struct SharedScene {
  static constexpr std::size_t kFrames = 32;
  static constexpr std::size_t kPass = 2 * kFrames - 2;  ///< Steps there and back.

#ifdef ABUT_BENCH_WITH_IO
  /// The recorded pile; what does not move stands where it is in every frame.
  explicit SharedScene(const bench::RecordedPile& pile) {
    for (const BodyDescription& body : pile.bodies) shapes.push_back(body.shape);
    plain_shapes = plain(std::span<const Shape>(shapes));
    for (const std::vector<Pose>& moved : pile.frames) {
      std::vector<PlainPose>& poses = frames.emplace_back();
      for (const BodyDescription& body : pile.bodies) poses.push_back(plain(body.pose));
      for (std::size_t i = 0; i < moved.size(); ++i) poses[pile.moving[i]] = plain(moved[i]);
    }
  }
#endif

  std::vector<Shape> shapes;
  std::vector<PlainShape> plain_shapes;
  std::vector<std::vector<PlainPose>> frames;

  explicit SharedScene(int count) {
    samples::Random random(1);
    const std::vector<Shape>& hulls = bench::pair_set("hull_40").shapes;
    std::vector<samples::Path> paths;
    const int side = static_cast<int>(std::ceil(std::cbrt(count)));
    constexpr double kSpacing = 0.3;  // metres, of bodies with radii of 0.05 to 0.25
    for (int i = 0; i < count; ++i) {
      const double radius = random.uniform(0.05, 0.25);
      const Vector3d half_extents = random.vector(0.05, 0.2);
      const Shape kinds[] = {Box(half_extents), Sphere(radius), hulls[random.below(32)]};
      shapes.push_back(kinds[i % 3]);
      samples::Path path;
      const Vector3d place(i % side, i / side % side, i / (side * side));
      path.start = Pose(kSpacing * place, random.rotation());
      path.amplitude = random.vector(-0.05, 0.05);
      path.offset = random.vector(0.0, 1.0);
      path.axis = random.direction();
      path.turns = 1;
      paths.push_back(path);
    }
    plain_shapes = plain(std::span<const Shape>(shapes));
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      std::vector<PlainPose>& poses = frames.emplace_back();
      // Small steps: the whole run is a thirtieth of the period.
      for (const samples::Path& path : paths) poses.push_back(plain(path.at(static_cast<double>(frame) / 1000.0)));
    }
  }
};

/// Forwards, then backwards, so that no frame is a jump.
const std::vector<PlainPose>& frame_of(const SharedScene& shared, std::size_t step) {
  const std::size_t phase = step % SharedScene::kPass;
  return shared.frames[phase < SharedScene::kFrames ? phase : SharedScene::kPass - phase];
}

/// The pairs of a scene no farther apart than a margin, over one pass of the frames.
struct SceneCheck {
  double pairs = 0.0;     ///< A frame, on average.
  std::size_t wrong = 0;  ///< Found in one of the two scenes only, over all frames.
};

SceneCheck compare(const SharedScene& shared, SceneSolver& solver, SceneSolver& reference, double margin) {
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  SceneCheck check;
  for (const std::vector<PlainPose>& poses : shared.frames) {
    solver.step(poses);
    reference.step(poses);
    const Pairs found = solver.near_pairs();
    const Pairs expected = reference.near_pairs();
    check.pairs += static_cast<double>(found.size()) / static_cast<double>(SharedScene::kFrames);
    Pairs different;
    std::set_symmetric_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                                  std::back_inserter(different));
    for (const auto& [a, b] : different) {
      const Separation separation = distance(shared.shapes[a], pose_of(poses[a]), shared.shapes[b], pose_of(poses[b]));
      check.wrong += std::abs(separation.distance - margin) > kUnclear ? 1u : 0u;
    }
  }
  return check;
}

/// Null, and the row is skipped with the reason, where the library refuses.
std::unique_ptr<SceneSolver> scene_of(benchmark::State& state, const Peer& peer, const SharedScene& shared,
                                      double margin) {
  try {
    return peer.scene(shared.plain_shapes, margin);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
    return nullptr;
  }
}

void run_steps(benchmark::State& state, const Peer& peer, const SharedScene& shared, double margin) {
  // The other libraries have one thread.
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  const std::unique_ptr<SceneSolver> solver = scene_of(state, peer, shared, margin);
  if (solver == nullptr) return;
  // A pass that is not timed: what memory the frames take is taken in it.
  std::size_t step = 0;
  for (; step < SharedScene::kPass; ++step) solver->step(frame_of(shared, step));
  for (auto _ : state) solver->step(frame_of(shared, step++));
  const std::unique_ptr<SceneSolver> reference = abut_peer().scene(shared.plain_shapes, margin);
  const SceneCheck check = compare(shared, *solver, *reference, margin);
  state.counters["pairs"] = check.pairs;
  state.counters["wrong"] = static_cast<double>(check.wrong);
}

void run_scene(benchmark::State& state, const Peer& peer, int count) {
  run_steps(state, peer, SharedScene(count), /*margin=*/0.0);
}

#ifdef ABUT_BENCH_WITH_IO
/// The time of the row is that of a frame of the library's.
void run_turns(benchmark::State& state, const Peer& peer, const SharedScene& shared, double margin) {
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, 1);
  const std::unique_ptr<SceneSolver> solver = scene_of(state, peer, shared, margin);
  if (solver == nullptr) return;
  const std::unique_ptr<SceneSolver> own = abut_peer().scene(shared.plain_shapes, margin);
  const auto run = [&shared](SceneSolver& of, std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) of.step(frame_of(shared, first + i));
  };
  const auto run_solver = [&](std::size_t first, std::size_t count) { run(*solver, first, count); };
  const auto run_own = [&](std::size_t first, std::size_t count) { run(*own, first, count); };
  const bench::Turns turns(state, SharedScene::kPass, run_own, run_solver);
  state.counters["abut_ms"] = 1e3 * turns.p();
  state.counters["ratio"] = 1.0 / turns.p_by_q();
}

/// @param run  run_steps or run_turns.
template <class Run>
void run_pile(benchmark::State& state, const Peer& peer, std::size_t max_vertices, std::size_t copies, double margin,
              const Run& run) {
  const std::optional<bench::RecordedPile> pile = bench::recorded_pile(
      {.first_frame = 260, .frame_count = SharedScene::kFrames, .copies = copies, .max_vertices = max_vertices});
  if (!pile) return state.SkipWithError("ABUT_TRAJECTORY_DIR names no folder");
  run(state, peer, SharedScene(*pile), margin);
}
#endif

std::vector<Peer> all_peers() {
  std::vector<Peer> peers{abut_peer(), abut_point_peer(), abut_coarse_peer()};
#ifdef ABUT_PEER_FCL
  peers.push_back(fcl_peer());
#endif
#ifdef ABUT_PEER_BULLET
  peers.push_back(bullet_peer());
#endif
#ifdef ABUT_PEER_LIBCCD
  peers.push_back(libccd_gjk_peer());
  peers.push_back(libccd_mpr_peer());
#endif
#ifdef ABUT_PEER_ODE
  peers.push_back(ode_peer());
#endif
#ifdef ABUT_PEER_COAL
  peers.push_back(coal_peer());
  peers.push_back(coal_patches_peer());
#endif
#ifdef ABUT_PEER_MUJOCO
  peers.push_back(mujoco_peer());
  peers.push_back(mujoco_patches_peer());
#endif
#ifdef ABUT_PEER_BOX3D
  peers.push_back(box3d_peer());
  peers.push_back(box3d_fresh_peer());
#endif
  return peers;
}

struct SetKinds {
  const char* name;
  Kind a;
  Kind b;
};

/// Of the sets there are.
std::vector<SetKinds> sets() {
  constexpr SetKinds kSets[] = {{"sphere_sphere", Kind::sphere, Kind::sphere},
                                {"sphere_capsule", Kind::sphere, Kind::capsule},
                                {"sphere_box", Kind::sphere, Kind::box},
                                {"sphere_cylinder", Kind::sphere, Kind::cylinder},
                                {"capsule_capsule", Kind::capsule, Kind::capsule},
                                {"capsule_box", Kind::capsule, Kind::box},
                                {"capsule_cylinder", Kind::capsule, Kind::cylinder},
                                {"box_box", Kind::box, Kind::box},
                                {"box_cylinder", Kind::box, Kind::cylinder},
                                {"cylinder_cone", Kind::cylinder, Kind::cone},
                                {"ellipsoid_ellipsoid", Kind::ellipsoid, Kind::ellipsoid},
                                {"box_ellipsoid", Kind::box, Kind::ellipsoid},
                                {"cylinder_ellipsoid", Kind::cylinder, Kind::ellipsoid},
                                {"hull_ellipsoid", Kind::hull, Kind::ellipsoid},
                                {"capsule_hull", Kind::capsule, Kind::hull},
                                {"box_hull", Kind::box, Kind::hull},
                                {"cylinder_hull", Kind::cylinder, Kind::hull},
                                {"hull_40", Kind::hull, Kind::hull},
                                {"hull_200", Kind::hull, Kind::hull},
                                {"hull_1000", Kind::hull, Kind::hull},
                                {"hull_ycb", Kind::hull, Kind::hull}};
  const std::vector<std::string> names = bench::convex_set_names();
  std::vector<SetKinds> present;
  std::copy_if(std::begin(kSets), std::end(kSets), std::back_inserter(present),
               [&](const SetKinds& set) { return std::find(names.begin(), names.end(), set.name) != names.end(); });
  return present;
}

void add_rows() {
  const std::vector<SetKinds> present = sets();
  const std::vector<Peer> peers = all_peers();
  for (const Query query : {Query::collides, Query::distance, Query::depth}) {
    for (const SetKinds& set : present) {
      for (const Peer& peer : peers) {
        if (!peer.answers(query, set.a, set.b)) continue;
        const std::string set_name = set.name;
        const std::string name = std::string(name_of(query)) + "/" + set_name + "/" + peer.name;
        benchmark::RegisterBenchmark(name.c_str(), [peer, query, set_name](benchmark::State& state) {
          run_pairs(state, peer, query, set_name);
        })->MinTime(kMinSeconds);
      }
    }
  }
#ifdef ABUT_BENCH_WITH_IO
  for (const std::size_t max_vertices : {std::size_t{40}, std::size_t{0}}) {
    for (const std::size_t copies : {std::size_t{1}, std::size_t{10}, std::size_t{50}}) {
      for (const double margin : {0.0, kMargin}) {
        for (const Peer& peer : peers) {
          if (peer.scene == nullptr || (margin > 0.0 && !peer.has_margin) || 600 * copies > peer.most_bodies) continue;
          const std::string name = std::string(margin > 0.0 ? "pile_1mm" : "pile");
          const std::string set = std::string(max_vertices > 0 ? "/cut" : "/whole") +
                                  "/bodies:" + std::to_string(600 * copies) + "/" + peer.name;
          benchmark::RegisterBenchmark((name + set).c_str(), [=](benchmark::State& state) {
            run_pile(state, peer, max_vertices, copies, margin, run_steps);
          })->Unit(benchmark::kMillisecond);
          if (margin == 0.0) continue;
          benchmark::RegisterBenchmark(
              (name + "_turns" + set).c_str(),
              [=](benchmark::State& state) { run_pile(state, peer, max_vertices, copies, margin, run_turns); })
              ->UseManualTime()
              ->Unit(benchmark::kMillisecond);
        }
      }
    }
  }
#endif
  for (const int count : {100, 1000, 5000}) {
    for (const Peer& peer : peers) {
      if (peer.scene == nullptr) continue;
      const std::string name = "scene/bodies:" + std::to_string(count) + "/" + peer.name;
      benchmark::RegisterBenchmark(name.c_str(), [peer, count](benchmark::State& state) {
        run_scene(state, peer, count);
      })->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace abut::peers

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  abut::peers::add_rows();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
