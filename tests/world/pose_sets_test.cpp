// Checks and distances at given poses against a scene that is moved to them.
#include <abut/core/infinity.h>
#include <abut/narrowphase/distance.h>
#include <abut/world/pose_sets.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/instrumented.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

using samples::Random;

constexpr double kSame = 1e-9;  // metres, between two answers about one pair of bodies smaller than a metre

struct Example {
  Scene scene;
  std::vector<BodyId> group;
  std::vector<Pose> poses;
};

/// A pile of bodies of all kinds and a group of six, some fixed, some filtered, some pairs ignored.
Example example(std::size_t sets, double spread, std::uint64_t seed) {
  Random random(seed);
  Example e;
  const std::vector<BodyId> ids = add_all(e.scene, samples::drift(150, seed).bodies);
  for (int i = 0; i < 6; ++i) {
    const auto kind = static_cast<samples::ShapeKind>(random.below(samples::kShapeKinds));
    e.group.push_back(e.scene.add({.shape = samples::random_shape(kind, 0.08, random),
                                   .pose = random.pose(0.5),
                                   .motion = i == 2 ? Motion::fixed : Motion::moving,
                                   .filter = i == 3 ? CollisionFilter{.layers = 2, .mask = 1} : CollisionFilter{}}));
  }
  e.scene.ignore_pair(e.group[0], e.group[1]);
  for (std::size_t i = 0; i < ids.size(); i += 3) e.scene.ignore_pair(e.group[4], ids[i]);
  for (std::size_t i = 0; i < ids.size(); i += 7) e.scene.set_filter(ids[i], {.layers = 4, .mask = 3});
  for (std::size_t k = 0; k < sets; ++k) {
    const Vector3d center = random.vector(-0.9, 0.9) + Vector3d(0, 0, 0.7);
    for (std::size_t i = 0; i < e.group.size(); ++i) {
      e.poses.emplace_back(center + random.vector(-spread, spread), random.rotation());
    }
  }
  e.scene.prepare_queries();
  return e;
}

/// The smallest distance of a set by all pairs.
std::optional<PairDistance> brute_distance(const Example& e, std::size_t set, const PoseSetOptions& options) {
  std::optional<PairDistance> best;
  const auto consider = [&](BodyId a, const Pose& pose_a, BodyId b, const Pose& pose_b) {
    const Scene& s = e.scene;
    if (!s.filter(a).accepts(s.filter(b)) || s.is_ignored(a, b)) return;
    if (!s.shape(a).is_bounded() && !s.shape(b).is_bounded()) return;
    const Separation separation = distance(s.shape(a), pose_a, s.shape(b), pose_b);
    if (!best || separation.distance < best->separation.distance) best = {{a, b}, separation};
  };
  const std::size_t n = e.group.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; options.with_itself && j < n; ++j) {
      consider(e.group[i], e.poses[set * n + i], e.group[j], e.poses[set * n + j]);
    }
    if (!options.with_scene) continue;
    for (const BodyId other : e.scene.bodies()) {
      if (std::find(e.group.begin(), e.group.end(), other) != e.group.end()) continue;
      consider(e.group[i], e.poses[set * n + i], other, e.scene.pose(other));
    }
  }
  return best;
}

TEST(PoseSets, AnswerAsAllPairsDo) {
  const int sets = samples::kIsInstrumented ? 20 : 60;
  const Example e = example(static_cast<std::size_t>(sets), 0.22, 31);
  const PoseSetOptions all;
  for (const PoseSetOptions& options : {all, PoseSetOptions{.security_margin = 0.05, .max_distance = 0.1},
                                        PoseSetOptions{.with_itself = false}, PoseSetOptions{.with_scene = false}}) {
    const std::vector<PoseSetCheck> checks = check(e.scene, e.group, e.poses, options);
    const std::vector<PoseSetDistance> nearest = distances(e.scene, e.group, e.poses, options);
    ASSERT_EQ(std::ssize(checks), sets);
    ASSERT_EQ(std::ssize(nearest), sets);
    int colliding = 0;
    int apart = 0;
    for (std::size_t k = 0; k < checks.size(); ++k) {
      SCOPED_TRACE(testing::Message() << "set " << k);
      const std::optional<PairDistance> expected = brute_distance(e, k, options);
      ASSERT_TRUE(expected);
      const double least = expected->separation.distance;
      const double allowed = expected->separation.distance_error + kSame;
      if (std::abs(least - options.security_margin) > allowed) {
        ASSERT_EQ(checks[k].collides, least <= options.security_margin) << least;
        ++(checks[k].collides ? colliding : apart);
      }
      const auto pose_of = [&](BodyId id) {
        for (std::size_t i = 0; i < e.group.size(); ++i) {
          if (e.group[i] == id) return e.poses[k * e.group.size() + i];
        }
        return e.scene.pose(id);
      };
      if (checks[k].collides) {
        const BodyPair& pair = checks[k].pair;
        EXPECT_TRUE(collides(e.scene.shape(pair.a), pose_of(pair.a), e.scene.shape(pair.b), pose_of(pair.b),
                             options.security_margin + kSame));
      }
      if (std::abs(least - options.max_distance) > allowed) {
        ASSERT_EQ(nearest[k].is_within, least <= options.max_distance) << least;
      }
      if (!nearest[k].is_within) continue;
      EXPECT_NEAR(nearest[k].separation.distance, least, allowed + nearest[k].separation.distance_error);
      const BodyPair& pair = nearest[k].pair;
      EXPECT_NEAR(nearest[k].separation.distance,
                  distance(e.scene.shape(pair.a), pose_of(pair.a), e.scene.shape(pair.b), pose_of(pair.b)).distance,
                  allowed + nearest[k].separation.distance_error);
    }
    EXPECT_GT(colliding, sets / 15);
    EXPECT_GT(apart, sets / 15);
  }
}

TEST(PoseSets, LeaveTheSceneAsItIs) {
  Example e = example(10, 0.2, 32);
  e.scene.step();
  std::vector<Pose> before;
  for (const BodyId id : e.scene.bodies()) before.push_back(e.scene.pose(id));
  const std::size_t contacts = e.scene.contacts().size();
  const std::vector<PoseSetCheck> first = check(e.scene, e.group, e.poses);
  static_cast<void>(distances(e.scene, e.group, e.poses));
  std::vector<Pose> after;
  for (const BodyId id : e.scene.bodies()) after.push_back(e.scene.pose(id));
  EXPECT_EQ(before, after);
  e.scene.step();
  EXPECT_EQ(e.scene.contacts().size(), contacts);
  EXPECT_TRUE(e.scene.began().empty());
  const std::vector<PoseSetCheck> again = check(e.scene, e.group, e.poses);
  for (std::size_t k = 0; k < first.size(); ++k) EXPECT_EQ(again[k].pair, first[k].pair);
}

struct Bits {
  std::vector<PoseSetCheck> checks;
  std::vector<PoseSetDistance> nearest;

  explicit Bits(const Example& e)
      : checks(check(e.scene, e.group, e.poses)), nearest(distances(e.scene, e.group, e.poses)) {}
  void expect_equal(const Bits& other) const {
    ASSERT_EQ(checks.size(), other.checks.size());
    for (std::size_t k = 0; k < checks.size(); ++k) {
      EXPECT_EQ(checks[k].collides, other.checks[k].collides);
      EXPECT_EQ(checks[k].pair, other.checks[k].pair);
      EXPECT_EQ(nearest[k].pair, other.nearest[k].pair);
      EXPECT_EQ(nearest[k].separation.distance, other.nearest[k].separation.distance);
      EXPECT_EQ(nearest[k].separation.point_a, other.nearest[k].separation.point_a);
      EXPECT_EQ(nearest[k].separation.normal, other.nearest[k].separation.normal);
    }
  }
};

TEST(PoseSets, GiveTheSameBitsForAnyNumberOfThreads) {
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
  const Example e = example(300, 0.25, 33);
  tbb::task_arena one(1);
  const Bits alone = one.execute([&] { return Bits(e); });
  for (const int threads : {2, 4}) {
    tbb::task_arena arena(threads);
    arena.execute([&] { return Bits(e); }).expect_equal(alone);
  }
}

TEST(PoseSets, ThreadsMayAskAtOnce) {
  const Example e = example(100, 0.25, 34);
  const Bits alone(e);
  std::vector<std::optional<Bits>> answers(4);
  std::vector<std::thread> threads;
  for (auto& answer : answers) threads.emplace_back([&] { answer.emplace(e); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) answer->expect_equal(alone);
}

TEST(PoseSets, EmptyGroupsAndNoSetsAreAnswered) {
  const Example e = example(1, 0.2, 35);
  EXPECT_TRUE(check(e.scene, {}, {}).empty());
  EXPECT_TRUE(check(e.scene, e.group, {}).empty());
  EXPECT_TRUE(distances(e.scene, e.group, {}).empty());
}

TEST(PoseSets, BodiesOfAGroupThatTouchMeetAsTheyDoInAStep) {
  // Their boxes are apart by the rounding of their sides.
  int touching = 0;
  for (int i = 1; i <= 40; ++i) {
    for (int j = 1; j <= 40; ++j) {
      const double a = 0.025 * i;
      const double b = 0.025 * j;
      Scene scene;
      const std::vector<BodyId> group = {scene.add({.shape = Sphere(a)}),
                                         scene.add({.shape = i % 2 == 0 ? Shape(Sphere(b)) : Shape(Box({b, b, b})),
                                                    .pose = Pose(Vector3d(a + b, 0, 0))})};
      const std::vector<Pose> poses = {scene.pose(group[0]), scene.pose(group[1])};
      scene.step();
      scene.prepare_queries();
      if (scene.distance(group[0], group[1]).distance != 0.0) continue;
      ++touching;
      ASSERT_EQ(scene.contacts().size(), 1u) << a << " " << b;
      EXPECT_TRUE(check(scene, group, poses)[0].collides) << a << " " << b;
      EXPECT_TRUE(distances(scene, group, poses, {.max_distance = 0.0})[0].is_within) << a << " " << b;
      EXPECT_TRUE(check(scene, std::span(group).first(1), std::span(poses).first(1))[0].collides) << a << " " << b;
    }
  }
  EXPECT_GT(touching, 1000);
}

TEST(PoseSets, TwoSensorsNeverMeetAndOneMeetsAnyOther) {
  Scene scene;
  const BodyId group = scene.add({.shape = Sphere(1.0)});
  const BodyId other = scene.add({.shape = Sphere(1.0)});
  const std::vector<Pose> pose = {Pose(Vector3d(0.5, 0, 0))};
  for (const auto& [first, second, collides] :
       {std::tuple(false, false, true), {true, false, true}, {true, true, false}}) {
    scene.set_sensor(group, first);
    scene.set_sensor(other, second);
    scene.prepare_queries();
    EXPECT_EQ(check(scene, std::span(&group, 1), pose)[0].collides, collides);
  }
}

TEST(PoseSets, RefuseBadInputByName) {
  using samples::error_text;
  Example e = example(2, 0.2, 36);
  const auto text = [&](std::span<const BodyId> group, std::span<const Pose> poses,
                        const PoseSetOptions& options = {}) {
    return error_text([&] { static_cast<void>(check(e.scene, group, poses, options)); });
  };
  EXPECT_NE(text(e.group, std::span(e.poses).first(7)).find("poses: must have a pose for each of the 6"),
            std::string::npos);
  std::vector<BodyId> twice = e.group;
  twice[5] = twice[1];
  EXPECT_NE(text(twice, e.poses).find("group[5]: must not be in the group twice; it is group[1]"), std::string::npos);
  twice[5] = BodyId{};
  EXPECT_NE(text(twice, e.poses).find("group[5]"), std::string::npos);
  EXPECT_NE(text(e.group, e.poses, {.security_margin = -1.0}).find("security_margin"), std::string::npos);
  EXPECT_NE(text(e.group, e.poses, {.security_margin = kInfinity}).find("security_margin"), std::string::npos);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(text(e.group, e.poses, {.max_distance = nan}).find("max_distance: must not be NaN, got nan"),
            std::string::npos);
  std::vector<Pose> with_nan = e.poses;
  with_nan[7] = Pose::unchecked(Vector3d(nan, 0, 0), Matrix3d::Identity());
  EXPECT_NE(text(e.group, with_nan).find("poses[7].translation[0]: must be finite, got nan"), std::string::npos);
  std::vector<PoseSetCheck> answers(3);
  EXPECT_NE(error_text([&] { check(e.scene, e.group, e.poses, {}, answers); }).find("answers: must have one element"),
            std::string::npos);
  e.scene.set_pose(e.group[0], Pose(Vector3d(1, 2, 3)));
  EXPECT_NE(text(e.group, e.poses).find("scene: needs prepare_queries()"), std::string::npos);
}

}  // namespace
}  // namespace abut
