// The same calls give the same bits, whatever the number of threads; const functions run from many threads at once.
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

using Bits = std::vector<std::uint64_t>;

void append(Bits& bits, double value) {
  bits.push_back(std::bit_cast<std::uint64_t>(value));
}
void append(Bits& bits, const Vector3d& vector) {
  for (int i = 0; i < 3; ++i) append(bits, vector[i]);
}
void append(Bits& bits, BodyId id) {
  bits.push_back(std::uint64_t{id.slot} << 32 | id.generation);
}
void append(Bits& bits, std::span<const BodyPair> pairs) {
  bits.push_back(pairs.size());
  for (const BodyPair& pair : pairs) {
    append(bits, pair.a);
    append(bits, pair.b);
  }
}

/// Everything that the last step reports, but the times.
void append_step(Bits& bits, const Scene& scene) {
  append(bits, scene.candidate_pairs());
  append(bits, scene.began());
  append(bits, scene.ended());
  bits.push_back(scene.contacts().size());
  for (const Contact& contact : scene.contacts()) {
    append(bits, contact.body_a);
    append(bits, contact.body_b);
    append(bits, contact.normal);
    append(bits, contact.distance);
    append(bits, contact.distance_error);
    bits.push_back(static_cast<std::uint64_t>(contact.status));
    for (const ContactPoint& point : contact.points()) {
      append(bits, point.point_a);
      append(bits, point.point_b);
      append(bits, point.distance);
      bits.push_back(point.feature_id);
      append(bits, point.normal);
      bits.push_back(std::uint64_t{point.leaf_a} << 32 | point.leaf_b);
    }
  }
  const StepStatistics& statistics = scene.statistics();
  for (const std::size_t count : {statistics.bodies, statistics.candidate_pairs, statistics.obb_rejected,
                                  statistics.solved_pairs, statistics.contacts, statistics.not_converged}) {
    bits.push_back(count);
  }
  bits.push_back(statistics.iterations);
}

/// A pile shaken for some frames, with a tenth of the bodies replaced on the way.
Bits shaken_pile(WarmStart warm_start) {
  constexpr std::uint32_t kBodies = samples::kIsInstrumented ? 200 : 600;
  const samples::MovingScene moving = samples::pile(kBodies, /*seed=*/9);
  Scene scene({.contact_margin = 0.003, .warm_start = warm_start});
  std::vector<BodyId> ids = add_all(scene, moving.bodies);
  Bits bits;
  for (std::size_t frame = 0; frame < (samples::kIsInstrumented ? 4 : 8); ++frame) {
    scene.set_poses(ids, moving.poses(frame, 60));
    for (std::size_t i = frame; i < ids.size(); i += 120) {
      const BodyDescription copy{.shape = scene.shape(ids[i]),
                                 .pose = scene.pose(ids[i]),
                                 .motion = scene.motion(ids[i]),
                                 .filter = scene.filter(ids[i])};
      scene.remove(ids[i]);
      ids[i] = scene.add(copy);
    }
    scene.step();
    append_step(bits, scene);
  }
  std::vector<BodyPair> pairs(scene.candidate_pairs().begin(), scene.candidate_pairs().end());
  for (const Separation& separation : scene.distances(pairs)) {
    append(bits, separation.distance);
    append(bits, separation.point_a);
    append(bits, separation.normal);
  }
  EXPECT_GT(scene.contacts().size(), 500u * kBodies / 600u);
  std::vector<SeparationDerivatives> derivatives(scene.contacts().size());
  scene.contact_derivatives(derivatives);
  for (const SeparationDerivatives& of_contact : derivatives) {
    for (int i = 0; i < 6; ++i) append(bits, of_contact.by_b.normal.col(i));
  }
  return bits;
}

TEST(SceneThreads, OneTwoAndEightThreadsGiveTheSameBits) {
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
  for (const WarmStart warm_start : {WarmStart::previous, WarmStart::transformed_previous}) {
    std::vector<Bits> results;
    for (const int threads : {1, 2, 8}) {
      if (samples::kIsInstrumented && threads == 2) continue;
      tbb::task_arena arena(threads);
      arena.execute([&] { results.push_back(shaken_pile(warm_start)); });
    }
    for (std::size_t i = 1; i < results.size(); ++i) EXPECT_TRUE(results[i] == results[0]) << "run " << i;
  }
}

TEST(SceneThreads, ConstQueriesRunFromManyThreadsAtOnce) {
  const samples::MovingScene moving = samples::pile(150, /*seed=*/10);
  Scene scene({.contact_margin = 0.01});
  add_all(scene, moving.bodies);
  scene.step();
  const std::vector<BodyPair> pairs(scene.candidate_pairs().begin(), scene.candidate_pairs().end());
  const auto ask = [&] {
    Bits bits;
    for (const Separation& separation : scene.distances(pairs)) append(bits, separation.distance);
    for (std::size_t i = 0; i < pairs.size(); i += 7) append(bits, scene.distance(pairs[i].b, pairs[i].a).distance);
    append_step(bits, scene);
    return bits;
  };
  const Bits alone = ask();
  std::vector<Bits> results(4);
  std::vector<std::thread> threads;
  for (Bits& result : results) threads.emplace_back([&ask, &result] { result = ask(); });
  for (std::thread& thread : threads) thread.join();
  for (const Bits& result : results) EXPECT_TRUE(result == alone);
}

}  // namespace
}  // namespace abut
