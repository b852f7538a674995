// The memory of a scene: every part is counted, and it is bounded by what there is at once, not by what there was.
#include <abut/world/queries.h>
#include <abut/world/scene.h>
#include <abut/world/scene_memory.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

using samples::Random;

TEST(SceneMemory, CountsEveryPart) {
  Scene scene({.contact_margin = 0.005});
  const SceneMemory empty = memory_of(scene);
  EXPECT_EQ(empty.pairs, 0u);
  EXPECT_EQ(empty.contacts, 0u);
  const samples::MovingScene moving = samples::pile(300);
  const std::vector<BodyId> ids = add_all(scene, moving.bodies);
  const SceneMemory filled = memory_of(scene);
  EXPECT_GE(filled.bodies, ids.size() * (sizeof(Shape) + sizeof(Pose)));
  EXPECT_GT(filled.broad_phase, empty.broad_phase);
  scene.step();
  const SceneMemory stepped = memory_of(scene);
  EXPECT_GE(stepped.pairs, scene.candidate_pairs().size() * (sizeof(BodyPair) + sizeof(Separation)));
  EXPECT_GE(stepped.contacts, scene.contacts().size() * sizeof(Contact));
  EXPECT_EQ(stepped.queries, 0u);
  scene.prepare_queries();
  const SceneMemory prepared = memory_of(scene);
  EXPECT_GT(prepared.queries, 0u);
  EXPECT_EQ(prepared.total(),
            prepared.bodies + prepared.broad_phase + prepared.pairs + prepared.contacts + prepared.queries);
}

/// Bodies come and go, a tenth in each frame; the others move. Pairs are ignored, events and queries asked for.
/// @return The largest totals of the first and of the second half of the frames.
std::pair<std::size_t, std::size_t> churn(int bodies, int frames) {
  Random random(31);
  const samples::MovingScene moving = samples::pile(bodies);
  Scene scene({.contact_margin = 0.005});
  scene.set_pair_filter([](const BodyPair& pair) { return (pair.a.slot + pair.b.slot) % 7 != 0; });
  std::vector<BodyId> ids = add_all(scene, moving.bodies);
  std::pair<std::size_t, std::size_t> largest{0, 0};
  for (int frame = 0; frame < frames; ++frame) {
    const std::vector<Pose> poses = moving.poses(static_cast<std::size_t>(frame), 37);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (random.chance(0.1)) {
        scene.remove(ids[i]);
        BodyDescription body = moving.bodies[i];
        body.pose = poses[i];
        ids[i] = scene.add(body);
        scene.ignore_pair(ids[i], ids[random.below(static_cast<std::uint32_t>(ids.size()))]);
      } else {
        scene.set_pose(ids[i], poses[i]);
      }
    }
    scene.step();
    if (frame % 10 == 0) scene.prepare_queries();
    std::size_t& sum = frame < frames / 2 ? largest.first : largest.second;
    sum = std::max(sum, memory_of(scene).total());
  }
  return largest;
}

TEST(SceneMemory, StaysWhereItIsWhileBodiesComeAndGo) {
  constexpr int kBodies = samples::kIsInstrumented ? 100 : 300;
  const auto [early, late] = churn(kBodies, samples::kIsInstrumented ? 120 : 400);
  EXPECT_GT(early, kBodies * 1000u);
  // The largest frame may come late; growth of any kind would have doubled it.
  EXPECT_LE(static_cast<double>(late), 1.1 * static_cast<double>(early));
}

TEST(SceneMemory, StaysWhereItIsHoweverOftenABodyChangesBetweenTwoSteps) {
  Scene scene;
  const BodyId body = scene.add({.shape = Sphere(1.0)});
  const auto change = [&] {
    scene.set_shape(body, Sphere(2.0));
    scene.set_sensor(body, !scene.is_sensor(body));
    scene.set_filter(body, {.layers = 2});
    scene.prepare_queries();
  };
  change();
  const std::size_t before = memory_of(scene).total();
  for (int i = 0; i < 10000; ++i) change();
  EXPECT_EQ(memory_of(scene).total(), before);
}

TEST(SceneMemory, GrowsWithBodiesAndPairsAlone) {
  std::vector<double> per_item;
  for (const int count : {1000, 8000}) {
    Scene scene({.contact_margin = 0.005});
    add_all(scene, samples::pile(count).bodies);
    for (int i = 0; i < 3; ++i) scene.step();
    const SceneMemory memory = memory_of(scene);
    EXPECT_LE(memory.bodies, 2 * 640u * scene.body_count() + 100000) << count;
    EXPECT_LE(memory.broad_phase, 400u * (scene.body_count() + scene.candidate_pairs().size()) + 2000000) << count;
    EXPECT_LE(memory.pairs, 2 * 1000u * scene.candidate_pairs().size()) << count;
    EXPECT_LE(memory.contacts, 2 * 2000u * scene.contacts().size()) << count;
    per_item.push_back(static_cast<double>(memory.total()) /
                       static_cast<double>(scene.body_count() + scene.candidate_pairs().size()));
  }
  EXPECT_LE(per_item[1], 1.5 * per_item[0]);
}

}  // namespace
}  // namespace abut
