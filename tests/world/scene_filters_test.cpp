// Who meets whom: groups, the pair filter, sensors; and what a change of filter or shape does to contacts.
#include <abut/core/error.h>
#include <abut/world/scene.h>
#include <abut/world/snapshot.h>
#include <gtest/gtest.h>
#include <support/error_text.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

BodyDescription filtered_ball(double x, bool is_sensor = false) {
  return {.shape = Sphere(1.0),
          .pose = Pose(Vector3d(x, 0, 0)),
          .motion = Motion::moving,
          .filter = {},
          .is_sensor = is_sensor};
}

bool meet(const CollisionFilter& first, const CollisionFilter& second) {
  Scene scene;
  const BodyId a = scene.add(filtered_ball(0));
  const BodyId b = scene.add(filtered_ball(1));
  scene.set_filter(a, first);
  scene.set_filter(b, second);
  scene.step();
  return !scene.contacts().empty();
}

TEST(Groups, APositiveGroupMeetsWhateverLayersSay) {
  EXPECT_FALSE(meet({.layers = 1, .mask = 0}, {.layers = 1, .mask = 0}));
  EXPECT_TRUE(meet({.layers = 1, .mask = 0, .group = 3}, {.layers = 1, .mask = 0, .group = 3}));
}

TEST(Groups, ANegativeGroupNeverMeets) {
  EXPECT_FALSE(meet({.group = -3}, {.group = -3}));
}

TEST(Groups, DifferentGroupsFollowTheirLayers) {
  for (const std::int32_t first : {-2, -1, 0, 1, 2}) {
    for (const std::int32_t second : {-2, -1, 0, 1, 2}) {
      if (first == second && first != 0) continue;
      EXPECT_TRUE(meet({.group = first}, {.group = second})) << first << " " << second;
      EXPECT_FALSE(meet({.layers = 1, .mask = 2, .group = first}, {.layers = 1, .mask = 2, .group = second}));
    }
  }
}

/// Balls in a row, each touching the next.
class PairFilters : public testing::Test {
 protected:
  PairFilters() {
    for (int i = 0; i < 4; ++i) ids_.push_back(scene_.add(filtered_ball(1.9 * i)));
  }

  void answer(bool accepts) {
    scene_.set_pair_filter([this, accepts](const BodyPair& pair) {
      asked_.push_back(pair);
      thread_ = std::this_thread::get_id();
      return accepts;
    });
  }

  Pairs asked_in_step() {
    asked_.clear();
    scene_.step();
    return asked_;
  }

  Scene scene_;
  std::vector<BodyId> ids_;
  Pairs asked_;
  std::thread::id thread_;
};

TEST_F(PairFilters, AreAskedOnceAPairInSlotOrderByTheThreadThatSteps) {
  answer(true);
  const Pairs row{{ids_[0], ids_[1]}, {ids_[1], ids_[2]}, {ids_[2], ids_[3]}};
  EXPECT_EQ(asked_in_step(), row);
  EXPECT_EQ(thread_, std::this_thread::get_id());
  EXPECT_EQ(scene_.contacts().size(), 3u);
  EXPECT_EQ(asked_in_step(), Pairs());
  scene_.set_pose(ids_[0], Pose(Vector3d(0.01, 0, 0)));
  EXPECT_EQ(asked_in_step(), Pairs());
}

TEST_F(PairFilters, ARefusalHoldsWhileTheBoxesOverlapAndNoLonger) {
  answer(false);
  EXPECT_EQ(asked_in_step().size(), 3u);
  EXPECT_TRUE(scene_.contacts().empty());
  EXPECT_TRUE(scene_.candidate_pairs().empty());
  EXPECT_EQ(asked_in_step(), Pairs());
  scene_.set_pose(ids_[0], Pose(Vector3d(-50, 0, 0)));
  EXPECT_EQ(asked_in_step(), Pairs());
  scene_.set_pose(ids_[0], Pose());
  EXPECT_EQ(asked_in_step(), Pairs({{ids_[0], ids_[1]}}));
}

TEST_F(PairFilters, AreNotAskedAboutPairsThatAnotherFilterExcludes) {
  scene_.ignore_pair(ids_[0], ids_[1]);
  scene_.set_filter(ids_[1], {.group = -1});
  scene_.set_filter(ids_[2], {.group = -1});
  scene_.set_motion(ids_[2], Motion::fixed);
  scene_.set_motion(ids_[3], Motion::fixed);
  answer(true);
  EXPECT_EQ(asked_in_step(), Pairs());
  scene_.consider_pair(ids_[0], ids_[1]);
  EXPECT_EQ(asked_in_step(), Pairs({{ids_[0], ids_[1]}}));
}

TEST_F(PairFilters, AFilterChangeAsksAgainAboutTheBodysPairs) {
  answer(true);
  scene_.step();
  scene_.set_filter(ids_[2], {.layers = 3});
  EXPECT_EQ(asked_in_step(), Pairs({{ids_[1], ids_[2]}, {ids_[2], ids_[3]}}));
  scene_.set_sensor(ids_[0], true);
  EXPECT_EQ(asked_in_step(), Pairs({{ids_[0], ids_[1]}}));
}

TEST_F(PairFilters, ABodyInAReusedSlotIsAskedAbout) {
  answer(true);
  scene_.step();
  scene_.remove(ids_[3]);
  const BodyId successor = scene_.add(filtered_ball(1.9 * 3));
  ASSERT_EQ(successor.slot, ids_[3].slot);
  EXPECT_EQ(asked_in_step(), Pairs({{ids_[2], successor}}));
}

TEST_F(PairFilters, AnotherFunctionIsAskedAboutEverythingAndItsRefusalsEndContacts) {
  answer(true);
  scene_.step();
  answer(false);
  EXPECT_EQ(asked_in_step().size(), 3u);
  EXPECT_TRUE(scene_.contacts().empty());
  EXPECT_EQ(scene_.ended().size(), 3u);
  scene_.set_pair_filter({});
  EXPECT_EQ(asked_in_step(), Pairs());
  EXPECT_EQ(scene_.began().size(), 3u);
}

TEST_F(PairFilters, AnExceptionLeavesTheSceneAsItWasAndTheStepCanBeRepeated) {
  scene_.step();
  const Pairs began = copy(scene_.began());
  scene_.set_pose(ids_[0], Pose(Vector3d(0.5, 0, 0)));
  bool throws = true;
  scene_.set_pair_filter([&](const BodyPair& pair) {
    asked_.push_back(pair);
    if (throws && asked_.size() == 2) throw std::runtime_error("no answer");
    return true;
  });
  EXPECT_THROW(scene_.step(), std::runtime_error);
  EXPECT_EQ(copy(scene_.began()), began);
  EXPECT_NEAR(scene_.contacts()[0].distance, -0.1, 1e-12);
  // The contacts are not those of the poses, and the scene says so.
  std::vector<SeparationDerivatives> derivatives(scene_.contacts().size());
  EXPECT_EQ(samples::error_text([&] { scene_.contact_derivatives(derivatives); }),
            "contacts[0].body_a: has been moved or reshaped since the last step()");
  throws = false;
  EXPECT_EQ(asked_in_step().size(), 3u);
  EXPECT_NEAR(scene_.contacts()[0].distance, -0.6, 1e-12);
  EXPECT_TRUE(scene_.began().empty());
  scene_.contact_derivatives(derivatives);
}

TEST(Sensors, AreReportedMarkedAndWithOnePoint) {
  Scene scene;
  const BodyId box = scene.add({.shape = Box({1, 1, 1})});
  const BodyId other = scene.add({.shape = Box({1, 1, 1}), .pose = Pose(Vector3d(0, 0, 1.9))});
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_FALSE(scene.contacts()[0].is_sensor);
  EXPECT_EQ(scene.contacts()[0].points().size(), 4u);
  EXPECT_EQ(scene.began_with_sensor()[0], 0);
  scene.set_sensor(other, true);
  EXPECT_TRUE(scene.is_sensor(other));
  EXPECT_FALSE(scene.is_sensor(box));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_TRUE(scene.contacts()[0].is_sensor);
  EXPECT_NEAR(scene.contacts()[0].distance, -0.1, 1e-12);
  ASSERT_EQ(scene.contacts()[0].points().size(), 1u);
  EXPECT_NEAR(scene.contacts()[0].points()[0].distance, -0.1, 1e-12);
  EXPECT_TRUE(scene.began().empty());
  EXPECT_TRUE(scene.ended().empty());
  scene.remove(other);
  scene.step();
  ASSERT_EQ(scene.ended().size(), 1u);
  EXPECT_EQ(scene.ended_with_sensor()[0], 1);
}

TEST(Sensors, DoNotMeetEachOther) {
  Scene scene;
  scene.add(filtered_ball(0, true));
  scene.add(filtered_ball(1, true));
  const BodyId body = scene.add(filtered_ball(2));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 2u);
  for (const Contact& contact : scene.contacts()) EXPECT_EQ(contact.body_b, body);
}

TEST(Sensors, MeetAsWhatTheyAreNow) {
  Scene scene;
  const BodyId a = scene.add(filtered_ball(0, true));
  const BodyId b = scene.add(filtered_ball(1, true));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  scene.set_sensor(b, false);
  scene.step();
  EXPECT_EQ(copy(scene.began()), Pairs({{a, b}}));
  scene.set_sensor(b, true);
  scene.step();
  EXPECT_EQ(copy(scene.ended()), Pairs({{a, b}}));
  Scene restored = restore(save(scene));
  restored.step();
  EXPECT_TRUE(restored.contacts().empty());
  scene.remove(b);
  const BodyId successor = scene.add(filtered_ball(1));
  ASSERT_EQ(successor.slot, b.slot);
  scene.step();
  EXPECT_EQ(copy(scene.began()), Pairs({{a, successor}}));
}

TEST(SetShape, ChangesTheContactWithoutAnEventWhereItLasts) {
  Scene scene({.contact_margin = 0.1});
  const BodyId a = scene.add(filtered_ball(0));
  const BodyId b = scene.add(filtered_ball(1.5));
  scene.step();
  scene.set_shape(b, Box({1, 1, 1}));
  EXPECT_NE(scene.shape(b).get_if<Box>(), nullptr);
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  EXPECT_NEAR(scene.contacts()[0].distance, -0.5, 1e-12);
  EXPECT_TRUE(scene.began().empty());
  EXPECT_TRUE(scene.ended().empty());
  scene.set_shape(b, Sphere(0.25));
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  EXPECT_EQ(copy(scene.ended()), Pairs({{a, b}}));
  scene.set_shape(b, HalfSpace(Vector3d::UnitX(), 0.0));
  scene.step();
  EXPECT_EQ(copy(scene.began()), Pairs({{a, b}}));
  scene.set_shape(a, HalfSpace(Vector3d::UnitX(), 0.0));  // two of them have no distance
  scene.step();
  EXPECT_EQ(copy(scene.ended()), Pairs({{a, b}}));
}

TEST(SetShape, StartsAsColdAsANewBody) {
  samples::Random random(4);
  const Shape hull(samples::random_hull(60, 1.0, random));
  const Shape other(samples::random_hull(60, 1.0, random));
  const Pose apart(Vector3d(2.05, 0.1, 0.2), random.rotation());
  Scene reshaped({.contact_margin = 1.0});
  reshaped.add({.shape = hull});
  const BodyId b = reshaped.add({.shape = hull, .pose = apart});
  reshaped.step();
  reshaped.set_shape(b, other);
  reshaped.step();
  Scene fresh({.contact_margin = 1.0});
  fresh.add({.shape = hull});
  fresh.add({.shape = other, .pose = apart});
  fresh.step();
  ASSERT_EQ(fresh.contacts().size(), 1u);
  ASSERT_EQ(reshaped.contacts().size(), 1u);
  EXPECT_EQ(reshaped.contacts()[0].distance, fresh.contacts()[0].distance);
  EXPECT_EQ(reshaped.contacts()[0].normal, fresh.contacts()[0].normal);
  EXPECT_EQ(reshaped.statistics().iterations, fresh.statistics().iterations);
}

TEST(SetShape, AndSensorsRefuseAStaleHandle) {
  Scene scene;
  const BodyId stale = scene.add(filtered_ball(0));
  scene.remove(stale);
  const std::string expected = "body: slot 0 with generation 1 names no body of this scene";
  EXPECT_EQ(samples::error_text([&] { scene.set_shape(stale, Sphere(1.0)); }), expected);
  EXPECT_EQ(samples::error_text([&] { scene.set_sensor(stale, true); }), expected);
  EXPECT_EQ(samples::error_text([&] { (void)scene.is_sensor(stale); }), expected);
}

}  // namespace
}  // namespace abut
