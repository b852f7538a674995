// Pairs that are not looked at again: the same contacts as where every pair is, and what the statistics say of it.
#include <abut/world/detail/body_motion.h>
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

void expect_same_contacts(const Scene& scene, const Scene& reference) {
  ASSERT_EQ(scene.contacts().size(), reference.contacts().size());
  for (std::size_t i = 0; i < scene.contacts().size(); ++i) {
    const Contact& contact = scene.contacts()[i];
    const Contact& expected = reference.contacts()[i];
    ASSERT_EQ(contact.body_a, expected.body_a);
    ASSERT_EQ(contact.body_b, expected.body_b);
    EXPECT_NEAR(contact.distance, expected.distance,
                allowed_difference(contact.distance_error, expected.distance_error));
  }
  const auto equal = [](std::span<const BodyPair> p, std::span<const BodyPair> q) {
    return std::vector<BodyPair>(p.begin(), p.end()) == std::vector<BodyPair>(q.begin(), q.end());
  };
  EXPECT_TRUE(equal(scene.began(), reference.began()));
  EXPECT_TRUE(equal(scene.ended(), reference.ended()));
  EXPECT_TRUE(equal(scene.candidate_pairs(), reference.candidate_pairs()));
}

TEST(SceneCoherence, ContactsAndEventsAreThoseOfASceneThatLooksAtEveryPair) {
  const std::size_t bodies = samples::kIsInstrumented ? 40 : 200;
  const samples::MovingScene moving = samples::pile(bodies, 4);
  Scene scene({.contact_margin = 0.002});
  Scene reference({.contact_margin = 0.002, .coherence = false});
  const std::vector<BodyId> ids = add_all(scene, moving.bodies);
  add_all(reference, moving.bodies);
  samples::Random random(9);
  std::size_t not_looked_at = 0;
  for (std::size_t frame = 0; frame < 60; ++frame) {
    SCOPED_TRACE(testing::Message() << "frame " << frame);
    // Slow, then fast, then some at rest; a few jump.
    std::vector<Pose> poses = moving.poses(frame < 40 ? frame : 40 * (frame - 39), 4000);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (frame % 10 >= 7 && i % 3 == 0) continue;
      const bool jumps = random.chance(0.005) && moving.bodies[i].motion == Motion::moving;
      const Pose pose = jumps ? moving.paths[random.below(static_cast<std::uint32_t>(bodies))].start : poses[i];
      scene.set_pose(ids[i], pose);
      reference.set_pose(ids[i], pose);
    }
    scene.step();
    reference.step();
    expect_same_contacts(scene, reference);
    const StepStatistics& counts = scene.statistics();
    EXPECT_EQ(counts.candidate_pairs,
              counts.still_apart_pairs + counts.still_contacts + counts.obb_rejected + counts.solved_pairs);
    not_looked_at += counts.still_apart_pairs + counts.still_contacts;
    EXPECT_EQ(reference.statistics().still_apart_pairs + reference.statistics().still_contacts, 0u);
  }
  EXPECT_GT(not_looked_at, 5 * bodies);
}

TEST(SceneCoherence, ASceneAtRestSolvesNothing) {
  const samples::MovingScene moving = samples::pile(150, 5);
  Scene scene({.contact_margin = 0.001});
  add_all(scene, moving.bodies);
  scene.step();
  const std::vector<Contact> first(scene.contacts().begin(), scene.contacts().end());
  ASSERT_GT(first.size(), 50u);
  for (int i = 0; i < 3; ++i) {
    scene.step();
    EXPECT_EQ(scene.statistics().solved_pairs, 0u);
    EXPECT_EQ(scene.statistics().obb_rejected, 0u);
    EXPECT_EQ(scene.statistics().still_contacts, first.size());
    ASSERT_EQ(scene.contacts().size(), first.size());
    for (std::size_t k = 0; k < first.size(); ++k) {
      EXPECT_EQ(scene.contacts()[k].distance, first[k].distance);
      EXPECT_EQ(scene.contacts()[k].normal, first[k].normal);
      ASSERT_EQ(scene.contacts()[k].points().size(), first[k].points().size());
      for (std::size_t p = 0; p < first[k].points().size(); ++p) {
        EXPECT_EQ(scene.contacts()[k].points()[p].feature_id, first[k].points()[p].feature_id);
      }
    }
    EXPECT_TRUE(scene.began().empty());
    EXPECT_TRUE(scene.ended().empty());
  }
}

TEST(SceneCoherence, ABodyThatComesBackIsLookedAtAgain) {
  Scene scene({.contact_margin = 0.001});
  const BodyId still = scene.add({.shape = Box({0.5, 0.5, 0.5})});
  const BodyId mover = scene.add({.shape = Cylinder(0.2, 0.5), .pose = Pose(Vector3d(0.75, 0, 0))});
  for (int i = 0; i < 200; ++i) {
    // To and fro: what it has come only grows, where it is does not.
    const double x = 0.75 - 0.06 * std::abs(std::sin(0.05 * i));
    scene.set_pose(mover, Pose(Vector3d(x, 0, 0)));
    scene.step();
    const bool touches =
        distance(scene.shape(still), scene.pose(still), scene.shape(mover), scene.pose(mover)).distance <=
        scene.settings().contact_margin;
    EXPECT_EQ(scene.contacts().size(), touches ? 1u : 0u) << "step " << i;
  }
}

TEST(SceneCoherence, WhatIsTooLittleForALongWayCountsAsWell) {
  // A body that has been far away creeps on in ways that are less than half of the last place of all that it has come.
  for (const double far : {1e6, 1e9, 1e10, 1e12, 1e14}) {
    for (const int moves : {100, 1000, 10'000}) {
      const Vector3d direction = Vector3d(1, 1, 0).normalized();
      const double way = 0.4 * (std::nextafter(2.0 * far, 1e300) - 2.0 * far);
      const double gap = 0.9 * way * moves;
      if (gap > 1.0) continue;
      Scene scene;
      scene.add({.shape = Sphere(1.0)});
      const BodyId mover = scene.add({.shape = Sphere(1.0), .pose = Pose(direction * (2.0 + gap))});
      scene.step();
      for (const double place : {far, 2.0 + gap}) {
        scene.set_pose(mover, Pose(direction * place));
        scene.step();
      }
      ASSERT_TRUE(scene.contacts().empty());
      for (int k = 1; k <= moves; ++k) scene.set_pose(mover, Pose(direction * (2.0 + gap - way * k)));
      scene.step();
      EXPECT_EQ(scene.contacts().size(), 1u) << far << " " << moves;
    }
  }
}

TEST(SceneCoherence, SettingsShapesAndSensorsEndWhatIsKnown) {
  Scene scene;
  const BodyId a = scene.add({.shape = Sphere(0.5)});
  const BodyId b = scene.add({.shape = Sphere(0.5), .pose = Pose(Vector3d(1.005, 0, 0))});
  scene.step();
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  scene.set_settings({.contact_margin = 0.01});
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_FALSE(scene.contacts()[0].is_sensor);
  scene.set_sensor(a, true);
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_TRUE(scene.contacts()[0].is_sensor);
  scene.set_shape(b, Sphere(0.4));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  scene.set_shape(b, Sphere(0.5));
  scene.step();
  EXPECT_EQ(scene.contacts().size(), 1u);
}

TEST(SceneCoherence, ASlotOfAHalfSpaceThatHasMovedKeepsNothingOfIt) {
  for (const bool is_reshaped : {false, true}) {
    Scene scene({.contact_margin = 0.001});
    BodyId mover = scene.add({.shape = HalfSpace(Vector3d::UnitZ(), 0.0), .pose = Pose(Vector3d(0, 0, -9))});
    scene.add({.shape = Sphere(0.25), .pose = Pose(Vector3d(0.4, 0.4, 0))});
    scene.set_pose(mover, Pose(Vector3d(0, 0, -8)));
    scene.step();
    if (is_reshaped) {
      scene.set_shape(mover, Sphere(0.25));
    } else {
      scene.remove(mover);
      mover = scene.add({.shape = Sphere(0.25)});
      ASSERT_EQ(mover.slot, 0u);
    }
    scene.set_pose(mover, Pose());
    scene.step();
    std::size_t still_apart = 0;
    for (int i = 1; i <= 100; ++i) {
      scene.set_pose(mover, Pose(Vector3d(1e-6 * i, 0, 0)));
      scene.step();
      still_apart += scene.statistics().still_apart_pairs;
    }
    EXPECT_GE(still_apart, 95u) << (is_reshaped ? "reshaped" : "another body");
  }
}

TEST(BodyMotion, BoundsTheWayOfEveryPoint) {
  samples::Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Obb box{random.vector(-1, 1), random.rotation().toRotationMatrix(), random.vector(0.1, 1.0)};
    detail::BodyMotion motion;
    Pose pose = random.pose(2.0);
    const Pose start = pose;
    for (int i = 0; i < 5; ++i) {
      const Pose next = Pose(random.uniform(0.0, 0.3) * random.direction(),
                             Quaterniond(Eigen::AngleAxisd(random.uniform(0.0, 1.5), random.direction()))) *
                        pose;
      motion.move(box, pose, next, /*step=*/1);
      pose = next;
    }
    EXPECT_GE(motion.travel, motion.last_travel);
    EXPECT_LE(motion.travel, motion.last_travel * (1.0 + 1e-14));
    double farthest = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
      const Vector3d sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      const Vector3d point = box.center + box.axes * sign.cwiseProduct(box.half_extents);
      farthest = std::max(farthest, (pose * point - start * point).norm());
    }
    EXPECT_LE(farthest, motion.travel * (1.0 + 1e-12));
    motion.move(box, pose, pose, /*step=*/2);
    EXPECT_EQ(motion.last_travel, 0.0);
  }
}

}  // namespace
}  // namespace abut
