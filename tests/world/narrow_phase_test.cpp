// Lists that many tasks fill together: candidates with gaps between them, and contacts whose places are known only once
// those before them are counted.
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

constexpr int kSide = samples::kIsInstrumented ? 9 : 16;
constexpr double kRadius = 0.5;
constexpr double kMargin = 0.002;
constexpr double kSpacing = 0.999;  // at first

Vector3d lattice_point(std::size_t i) {
  constexpr std::size_t kCount = kSide;
  return {static_cast<double>(i % kCount), static_cast<double>(i / kCount % kCount),
          static_cast<double>(i / (kCount * kCount))};
}

/// A cube of balls that touch their neighbours, or nearly do.
class BallLattice {
 public:
  BallLattice() : scene_({.contact_margin = kMargin}) {
    for (std::size_t i = 0; i < kSide * kSide * kSide; ++i) {
      const Pose pose(kSpacing * lattice_point(i));
      ids_.push_back(scene_.add({.shape = Sphere(kRadius), .pose = pose, .motion = Motion::moving, .filter = {}}));
    }
  }
  Scene& scene() { return scene_; }
  [[nodiscard]] std::span<const BodyId> ids() const { return ids_; }

  /// Moves the balls from `first` on; those before it rest.
  void space(double spacing, std::size_t first) {
    for (std::size_t i = first; i < ids_.size(); ++i) scene_.set_pose(ids_[i], Pose(spacing * lattice_point(i)));
  }

 private:
  Scene scene_;
  std::vector<BodyId> ids_;
};

/// The contacts are those of the candidates that are near enough, in their order, each with its own two balls.
void expect_contacts_of_candidates(const Scene& scene) {
  std::size_t next = 0;
  for (const BodyPair& pair : scene.candidate_pairs()) {
    const Vector3d offset = scene.pose(pair.b).translation() - scene.pose(pair.a).translation();
    const double distance = offset.norm() - 2.0 * kRadius;
    if (distance > kMargin) continue;
    ASSERT_LT(next, scene.contacts().size());
    const Contact& contact = scene.contacts()[next++];
    ASSERT_EQ((BodyPair{contact.body_a, contact.body_b}), pair);
    EXPECT_NEAR(contact.distance, distance, 1e-12);
    ASSERT_EQ(contact.points().size(), 1u);
    const Vector3d on_a = scene.pose(pair.a).translation() + kRadius * offset.normalized();
    EXPECT_LT((contact.points()[0].point_a - on_a).norm(), 1e-12);
  }
  EXPECT_EQ(next, scene.contacts().size());
  EXPECT_EQ(scene.statistics().contacts, next);
}

TEST(NarrowPhase, EveryContactFindsItsPlaceHoweverTheNumberOfContactsChanges) {
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
  for (const int threads : {1, 4}) {
    SCOPED_TRACE(threads);
    tbb::task_arena arena(threads);
    arena.execute([] {
      BallLattice balls;
      const std::size_t count = balls.ids().size();
      // All at once; a part moves; apart, so that none is left; a part comes back; all do; all rest.
      const std::vector<std::pair<double, std::size_t>> moves = {
          {0.9985, 0}, {0.9985, 0}, {0.998, count / 2}, {1.01, 0}, {0.999, count / 3}, {0.9999, 0}, {0.9999, 0}};
      std::set<std::size_t> sizes;
      for (const auto& [spacing, first] : moves) {
        balls.space(spacing, first);
        balls.scene().step();
        expect_contacts_of_candidates(balls.scene());
        sizes.insert(balls.scene().contacts().size());
      }
      EXPECT_GE(sizes.size(), 3u);
      EXPECT_EQ(*sizes.begin(), 0u);
      EXPECT_GT(*sizes.rbegin(), 2u * count);
      EXPECT_EQ(balls.scene().statistics().still_contacts, balls.scene().contacts().size());
    });
  }
}

TEST(NarrowPhase, CandidatesCloseTheGapsOfIgnoredPairsAndSensors) {
  BallLattice balls;
  Scene& scene = balls.scene();
  scene.step();
  const Pairs all = copy(scene.candidate_pairs());
  ASSERT_GT(all.size(), samples::kIsInstrumented ? 4'000u : 20'000u);
  samples::Random random(5);
  std::set<std::pair<std::uint32_t, std::uint32_t>> ignored;
  for (const BodyPair& pair : all) {
    if (!random.chance(0.01)) continue;
    scene.ignore_pair(pair.a, pair.b);
    ignored.insert({pair.a.slot, pair.b.slot});
  }
  // Some layers of balls, so that long runs of pairs are left out.
  const auto is_sensor = [&](BodyId body) { return body.slot % balls.ids().size() < balls.ids().size() / 2; };
  for (const BodyId id : balls.ids()) scene.set_sensor(id, is_sensor(id));
  Pairs expected;
  for (const BodyPair& pair : all) {
    if (is_sensor(pair.a) && is_sensor(pair.b)) continue;
    if (!ignored.contains({pair.a.slot, pair.b.slot})) expected.push_back(pair);
  }
  scene.step();
  EXPECT_LT(expected.size(), all.size() * 2 / 3);
  EXPECT_EQ(copy(scene.candidate_pairs()), expected);
  expect_contacts_of_candidates(scene);
}

}  // namespace
}  // namespace abut
