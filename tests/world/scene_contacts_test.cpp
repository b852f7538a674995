// Contacts of a step: those of all pairs, whatever the shapes, the filters, the margin and the warm start.
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

BodyDescription ball(const Vector3d& center, double radius = 1.0) {
  return {.shape = Sphere(radius), .pose = Pose(center), .motion = Motion::moving, .filter = {}};
}

BodyDescription ground(double height, Motion motion = Motion::fixed) {
  return {.shape = HalfSpace(Vector3d::UnitZ(), 0.0),
          .pose = Pose(Vector3d(0.0, 0.0, height)),
          .motion = motion,
          .filter = {}};
}

TEST(SceneContacts, AreThoseOfAllPairsOverManyFramesOfAMixedScene) {
  const std::uint64_t seeds = samples::kIsInstrumented ? 1 : 3;
  constexpr std::size_t kFrames = samples::kIsInstrumented ? 6 : 15;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const samples::MovingScene moving =
        samples::mixed_scene({.count = 75, .spacing = 0.17, .wander = 0.1, .shapes_per_kind = 2, .seed = seed});
    for (const double margin : {0.0, 0.01}) {
      SCOPED_TRACE(testing::Message() << "margin " << margin);
      Scene scene({.contact_margin = margin});
      const std::vector<BodyId> ids = add_all(scene, moving.bodies);
      std::size_t contacts = 0;
      std::size_t rejected = 0;
      std::size_t apart = 0;
      for (std::size_t frame = 0; frame < kFrames; ++frame) {
        SCOPED_TRACE(testing::Message() << "frame " << frame);
        scene.set_poses(ids, moving.poses(frame, 40));
        scene.step();
        contacts += expect_contacts_of_all_pairs(scene);
        ASSERT_FALSE(testing::Test::HasFailure());
        const StepStatistics& statistics = scene.statistics();
        rejected += statistics.obb_rejected;
        apart += statistics.solved_pairs + statistics.still_contacts - statistics.contacts;
      }
      EXPECT_GT(contacts, 500 * kFrames / 15);  // the scene did exercise contacts, both rejections and the ground
      EXPECT_GT(rejected, 100 * kFrames / 15);
      EXPECT_GT(apart, 100 * kFrames / 15);
    }
  }
}

TEST(SceneContacts, EveryKindOfShapeMeetsEveryOther) {
  samples::Random random(11);
  for (std::uint32_t kind_a = 0; kind_a < samples::kShapeKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < samples::kShapeKinds; ++kind_b) {
      SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " and " << kind_b);
      Scene scene({.contact_margin = 0.05});
      const Shape a = samples::random_shape(static_cast<samples::ShapeKind>(kind_a), 1.0, random);
      const Shape b = samples::random_shape(static_cast<samples::ShapeKind>(kind_b), 1.0, random);
      scene.add({.shape = a, .pose = Pose(), .motion = Motion::moving, .filter = {}});
      const BodyId id = scene.add({.shape = b, .pose = Pose(), .motion = Motion::moving, .filter = {}});
      for (int trial = 0; trial < (samples::kIsInstrumented ? 3 : 12); ++trial) {
        scene.set_pose(id, random.pose(1.2));
        scene.step();
        expect_contacts_of_all_pairs(scene);
      }
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

TEST(SceneContacts, TouchingBallsAreAContact) {
  Scene scene;
  const BodyId a = scene.add(ball({0, 0, 0}));
  const BodyId b = scene.add(ball({2, 0, 0}));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_EQ(scene.contacts()[0].body_a, a);
  EXPECT_EQ(scene.contacts()[0].body_b, b);
  EXPECT_NEAR(scene.contacts()[0].distance, 0.0, 1e-15);
  EXPECT_NEAR((scene.contacts()[0].normal - Vector3d::UnitX()).norm(), 0.0, 1e-12);
}

TEST(SceneContacts, TheMarginIsTheLargestDistanceOfAContact) {
  Scene scene({.contact_margin = 0.5});
  scene.add(ball({0, 0, 0}));
  const BodyId b = scene.add(ball({2.499999, 0, 0}));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_NEAR(scene.contacts()[0].distance, 0.499999, 1e-12);
  scene.set_pose(b, Pose(Vector3d(2.500001, 0, 0)));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  scene.set_settings({.contact_margin = 0.75});
  scene.step();
  EXPECT_EQ(scene.contacts().size(), 1u);
  scene.set_settings({.contact_margin = 0.0});
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
}

TEST(SceneContacts, FixedBodiesMeetMovingOnesOnly) {
  Scene scene;
  BodyDescription fixed = ball({0, 0, 0});
  fixed.motion = Motion::fixed;
  const BodyId first = scene.add(fixed);
  const BodyId second = scene.add(fixed);
  const BodyId third = scene.add(ball({0.5, 0, 0}));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 2u);
  EXPECT_EQ(scene.contacts()[0].body_b, third);
  EXPECT_EQ(scene.contacts()[1].body_b, third);
  scene.set_motion(third, Motion::fixed);
  scene.step();
  EXPECT_TRUE(scene.candidate_pairs().empty());
  EXPECT_TRUE(scene.contacts().empty());
  scene.set_motion(second, Motion::moving);
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 2u);
  EXPECT_EQ(scene.contacts()[0].body_a, first);
  EXPECT_EQ(scene.contacts()[1].body_a, second);
}

TEST(SceneContacts, AFixedBodyMayBePutElsewhere) {
  Scene scene;
  BodyDescription fixed = ball({9, 0, 0});
  fixed.motion = Motion::fixed;
  const BodyId body = scene.add(fixed);
  scene.add(ball({0, 0, 0}));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  scene.set_pose(body, Pose(Vector3d(1, 0, 0)));
  scene.step();
  EXPECT_EQ(scene.contacts().size(), 1u);
}

TEST(SceneContacts, LayersAndMasksMustAcceptEachOther) {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    const CollisionFilter first{.layers = bits & 3, .mask = bits >> 2 & 3};
    const CollisionFilter second{.layers = bits >> 4 & 3, .mask = bits >> 6 & 3};
    Scene scene;
    BodyDescription body = ball({0, 0, 0});
    body.filter = first;
    scene.add(body);
    const BodyId other = scene.add(ball({0.5, 0, 0}));
    scene.set_filter(other, second);
    scene.step();
    const bool meets = (first.layers & second.mask) != 0 && (second.layers & first.mask) != 0;
    EXPECT_EQ(scene.contacts().size(), meets ? 1u : 0u) << bits;
  }
}

TEST(SceneContacts, IgnoredPairsAreNoCandidates) {
  Scene scene;
  std::vector<BodyId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(scene.add(ball({0.1 * i, 0, 0})));
  scene.ignore_pair(ids[4], ids[0]);
  scene.ignore_pair(ids[1], ids[2]);
  scene.step();
  std::vector<BodyPair> expected;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = i + 1; j < 5; ++j) {
      if (!(i == 0 && j == 4) && !(i == 1 && j == 2)) expected.push_back({ids[i], ids[j]});
    }
  }
  EXPECT_EQ(std::vector<BodyPair>(scene.candidate_pairs().begin(), scene.candidate_pairs().end()), expected);
  EXPECT_EQ(scene.contacts().size(), 8u);
  scene.consider_pair(ids[0], ids[4]);
  scene.step();
  EXPECT_EQ(scene.contacts().size(), 9u);
}

TEST(SceneContacts, AHalfSpaceMeetsWhatLiesInItAndMayMove) {
  Scene scene;
  const BodyId plane = scene.add(ground(0.0, Motion::moving));
  const BodyId near = scene.add(ball({1e3, -2e3, 0.5}));
  scene.add(ball({0, 0, 5}));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_EQ(scene.contacts()[0].body_b, near);
  EXPECT_NEAR(scene.contacts()[0].distance, -0.5, 1e-12);
  scene.set_pose(plane, Pose(Vector3d(0, 0, 4.5)));
  scene.step();
  EXPECT_EQ(scene.contacts().size(), 2u);
  // Tilted: everything on the side x < -100 is inside.
  scene.set_pose(plane, Pose(Vector3d(-100, 0, 0), Quaterniond(std::sqrt(0.5), 0, std::sqrt(0.5), 0)));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  scene.set_pose(near, Pose(Vector3d(-5000, 70, 800)));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_NEAR(scene.contacts()[0].distance, -4901.0, 1e-9);
}

TEST(SceneContacts, TwoUnboundedBodiesAreNoCandidates) {
  Scene scene;
  scene.add(ground(0.0, Motion::moving));
  scene.add(ground(1.0, Motion::moving));
  const Compound open({{HalfSpace(Vector3d::UnitZ(), 0.0), Pose()}, {Sphere(1.0), Pose()}});
  scene.add({.shape = open, .pose = Pose(), .motion = Motion::moving, .filter = {}});
  scene.step();
  EXPECT_TRUE(scene.candidate_pairs().empty());
  scene.add(ball({0, 0, 0}));
  scene.step();
  EXPECT_EQ(scene.contacts().size(), 3u);
}

TEST(SceneContacts, AreExactFarFromTheOrigin) {
  const double gap = 0x1.0p-20;  // a power of two: no rounding in the sums below
  Scene scene({.contact_margin = gap});
  const Vector3d far(1e6, -1e6, 1e6);
  scene.add({.shape = Box({1, 1, 1}), .pose = Pose(far), .motion = Motion::moving, .filter = {}});
  const BodyId b = scene.add({.shape = Box({1, 1, 1}),
                              .pose = Pose(far + Vector3d(2.0 + 0.5 * gap, 0.25, 0)),
                              .motion = Motion::moving,
                              .filter = {}});
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_NEAR(scene.contacts()[0].distance, 0.5 * gap, 1e-9);
  scene.set_pose(b, Pose(far + Vector3d(2.0 + 2.0 * gap, 0.25, 0)));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
}

TEST(SceneContacts, BodiesBeyondTheRangeOfFloatDoNoHarm) {
  Scene scene;
  const double huge = 1e300;
  scene.add(ball({huge, 0, 0}, 1.0));
  scene.add(ball({-huge, huge, 0}, 1e290));
  scene.add({.shape = Box({1e308, 1e308, 1e308}),
             .pose = Pose(Vector3d(1e308, -1e308, 0), Quaterniond(0.9, 0.1, 0.2, 0.3)),
             .motion = Motion::moving,
             .filter = {}});
  const BodyId a = scene.add(ball({0, 0, 0}));
  const BodyId b = scene.add(ball({1, 0, 0}));
  scene.step();
  std::size_t found = 0;
  for (const Contact& contact : scene.contacts()) found += contact.body_a == a && contact.body_b == b ? 1 : 0;
  EXPECT_EQ(found, 1u);
}

TEST(SceneContacts, HaveAsManyPointsAsAreAskedFor) {
  Scene scene;
  scene.add({.shape = Box(Vector3d(1, 1, 0.5)), .motion = Motion::fixed});
  scene.add({.shape = Box(Vector3d(0.5, 0.5, 0.5)), .pose = Pose(Vector3d(0.25, 0, 0.75))});
  for (const int most : {4, 1, 3, 2, 4}) {
    SCOPED_TRACE(most);
    scene.set_settings({.max_points = most});
    scene.step();  // nothing has moved: the contact is found anew all the same
    ASSERT_EQ(scene.contacts().size(), 1u);
    const Contact& contact = scene.contacts()[0];
    EXPECT_EQ(contact.points().size(), static_cast<std::size_t>(most));
    for (const ContactPoint& point : contact.points()) {
      EXPECT_NEAR(point.distance, -0.25, 1e-12);
      EXPECT_EQ(point.normal, contact.normal);
    }
    EXPECT_NEAR(contact.points()[0].distance, contact.distance, 1e-12);
  }
}

TEST(SceneContacts, ASceneWithoutPairsHasNone) {
  Scene scene;
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  EXPECT_EQ(scene.statistics().bodies, 0u);
  scene.add(ball({0, 0, 0}));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  EXPECT_TRUE(scene.candidate_pairs().empty());
  EXPECT_EQ(scene.statistics().bodies, 1u);
}

TEST(SceneContacts, DoNotDependOnTheWarmStartOrSolverBeyondTheirErrorBounds) {
  const std::size_t bodies = samples::kIsInstrumented ? 30 : 120;
  const std::size_t frames = samples::kIsInstrumented ? 3 : 6;
  const samples::MovingScene moving = samples::pile(bodies, /*seed=*/4);
  for (const Solver solver : {Solver::automatic, Solver::gjk, Solver::polyak, Solver::nesterov, Solver::rtr}) {
    for (const WarmStart warm_start :
         {WarmStart::none, WarmStart::obb, WarmStart::previous, WarmStart::transformed_previous}) {
      SCOPED_TRACE(testing::Message() << "solver " << static_cast<int>(solver) << ", warm start "
                                      << static_cast<int>(warm_start));
      Scene scene({.contact_margin = 0.005, .solver = solver, .warm_start = warm_start});
      const std::vector<BodyId> ids = add_all(scene, moving.bodies);
      for (std::size_t frame = 0; frame < frames; ++frame) {
        SCOPED_TRACE(testing::Message() << "frame " << frame);
        scene.set_poses(ids, moving.poses(frame, 200));
        scene.step();
      }
      EXPECT_GT(expect_contacts_of_all_pairs(scene), bodies * 5 / 6);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

TEST(SceneContacts, WarmStartsSaveIterations) {
  const samples::MovingScene moving = samples::pile(samples::kIsInstrumented ? 80 : 300, /*seed=*/5);
  const auto iterations = [&](WarmStart warm_start) {
    Scene scene({.contact_margin = 0.005, .warm_start = warm_start});
    const std::vector<BodyId> ids = add_all(scene, moving.bodies);
    std::uint64_t total = 0;
    for (std::size_t frame = 0; frame < 10; ++frame) {
      scene.set_poses(ids, moving.poses(frame, 2000));
      scene.step();
      if (frame > 0) total += scene.statistics().iterations;
    }
    return total;
  };
  const std::uint64_t cold = iterations(WarmStart::none);
  EXPECT_LT(iterations(WarmStart::previous), cold);
  EXPECT_LT(iterations(WarmStart::transformed_previous), cold);
}

TEST(SceneContacts, StatisticsAddUp) {
  const samples::MovingScene moving = samples::pile(200, /*seed=*/6);
  Scene scene({.contact_margin = 0.002});
  add_all(scene, moving.bodies);
  scene.step();
  const StepStatistics& statistics = scene.statistics();
  EXPECT_EQ(statistics.bodies, moving.bodies.size());
  EXPECT_EQ(statistics.candidate_pairs, scene.candidate_pairs().size());
  EXPECT_EQ(statistics.candidate_pairs, statistics.still_apart_pairs + statistics.still_contacts +
                                            statistics.obb_rejected + statistics.solved_pairs);
  EXPECT_EQ(statistics.contacts, scene.contacts().size());
  EXPECT_LT(statistics.contacts, statistics.solved_pairs);
  EXPECT_GT(statistics.obb_rejected, 0u);
  EXPECT_GT(statistics.iterations, statistics.contacts);
  EXPECT_GT(statistics.narrow_phase_seconds, 0.0);
  EXPECT_GE(statistics.total_seconds(), statistics.narrow_phase_seconds);
}

TEST(SceneContacts, CandidatesAreInSlotOrderAndHoldAllContacts) {
  const samples::MovingScene moving = samples::pile(200, /*seed=*/7);
  Scene scene({.contact_margin = 0.002});
  add_all(scene, moving.bodies);
  scene.step();
  const auto slots = [](const BodyPair& pair) { return std::pair(pair.a.slot, pair.b.slot); };
  const std::span<const BodyPair> candidates = scene.candidate_pairs();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_LT(candidates[i].a.slot, candidates[i].b.slot);
    if (i > 0) {
      EXPECT_LT(slots(candidates[i - 1]), slots(candidates[i]));
    }
  }
  std::size_t next = 0;
  for (const Contact& contact : scene.contacts()) {
    while (next < candidates.size() && candidates[next] != BodyPair{contact.body_a, contact.body_b}) ++next;
    ASSERT_LT(next, candidates.size());
  }
}

}  // namespace
}  // namespace abut
