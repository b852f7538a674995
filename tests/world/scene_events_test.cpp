// Contacts that begin and end: a model that recomputes everything from scratch, and the causes one by one.
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

BodyDescription unit_ball(const Vector3d& center) {
  return {.shape = Sphere(1.0), .pose = Pose(center), .motion = Motion::moving, .filter = {}};
}

/// Two balls in contact since the last step, and the events of the next one.
class SceneEvents : public testing::Test {
 protected:
  SceneEvents() : a_(scene_.add(unit_ball({0, 0, 0}))), b_(scene_.add(unit_ball({1, 0, 0}))) {
    scene_.step();
    EXPECT_EQ(copy(scene_.began()), Pairs({{a_, b_}}));
    EXPECT_TRUE(scene_.ended().empty());
  }

  void expect_step(const Pairs& began, const Pairs& ended) {
    scene_.step();
    EXPECT_EQ(copy(scene_.began()), began);
    EXPECT_EQ(copy(scene_.ended()), ended);
  }

  Scene scene_;
  BodyId a_;
  BodyId b_;
};

TEST_F(SceneEvents, NothingHappensWhileNothingChanges) {
  expect_step({}, {});
  scene_.set_pose(b_, Pose(Vector3d(1.5, 0, 0)));
  expect_step({}, {});
  EXPECT_EQ(scene_.contacts().size(), 1u);
}

TEST_F(SceneEvents, ATeleportEndsAndBegins) {
  const BodyId c = scene_.add(unit_ball({100, 0, 0}));
  scene_.set_pose(b_, Pose(Vector3d(101, 0, 0)));
  expect_step({{b_, c}}, {{a_, b_}});
  scene_.set_pose(b_, Pose(Vector3d(1, 0, 0)));
  expect_step({{a_, b_}}, {{b_, c}});
}

TEST_F(SceneEvents, RemovalEndsWithTheOldHandle) {
  scene_.remove(a_);
  EXPECT_EQ(scene_.contacts().size(), 1u);  // of the last step, as documented
  expect_step({}, {{a_, b_}});
  expect_step({}, {});
}

TEST_F(SceneEvents, ABodyInAReusedSlotBeginsItsOwnContact) {
  scene_.remove(b_);
  const BodyId successor = scene_.add(unit_ball({1, 0, 0}));
  ASSERT_EQ(successor.slot, b_.slot);
  expect_step({{a_, successor}}, {{a_, b_}});
  expect_step({}, {});
}

TEST_F(SceneEvents, ABodyAddedAndRemovedBetweenStepsWasNeverThere) {
  scene_.remove(scene_.add(unit_ball({0.5, 0, 0})));
  expect_step({}, {});
}

TEST_F(SceneEvents, FiltersEndAndBegin) {
  scene_.set_filter(a_, {.layers = 1, .mask = 0});
  expect_step({}, {{a_, b_}});
  scene_.set_filter(a_, {});
  expect_step({{a_, b_}}, {});
}

TEST_F(SceneEvents, IgnoringEndsAndConsideringBegins) {
  scene_.ignore_pair(b_, a_);
  expect_step({}, {{a_, b_}});
  scene_.consider_pair(b_, a_);
  expect_step({{a_, b_}}, {});
}

TEST_F(SceneEvents, FixingBothEndsAndFreeingOneBegins) {
  scene_.set_motion(a_, Motion::fixed);
  expect_step({}, {});
  scene_.set_motion(b_, Motion::fixed);
  expect_step({}, {{a_, b_}});
  scene_.set_motion(a_, Motion::moving);
  expect_step({{a_, b_}}, {});
}

TEST_F(SceneEvents, TheMarginEndsAndBegins) {
  scene_.set_settings({.contact_margin = 0.5});
  scene_.set_pose(b_, Pose(Vector3d(2.25, 0, 0)));
  expect_step({}, {});
  scene_.set_settings({.contact_margin = 0.125});
  expect_step({}, {{a_, b_}});
  scene_.set_settings({.contact_margin = 0.5});
  expect_step({{a_, b_}}, {});
}

/// What the scene was told, and the contacts of its last step by brute force.
class Model {
 public:
  /// Contacts, began and ended of this step; checks the scene against them.
  void expect_step(const Scene& scene) {
    const double margin = scene.settings().contact_margin;
    Pairs contacts;
    for (const PairDistance& pair : all_distances(scene)) {
      bool is_contact = pair.separation.distance <= margin;
      // At the edge of the margin the last bits decide, and they may differ between cold and warm starts.
      if (std::abs(pair.separation.distance - margin) <= 1e-8) {
        is_contact = reports(scene, pair.pair);
        ++ambiguous;
      }
      if (is_contact) contacts.push_back(pair.pair);
    }
    Pairs reported;
    for (const Contact& contact : scene.contacts()) reported.push_back({contact.body_a, contact.body_b});
    ASSERT_EQ(reported, contacts);
    const Pairs begins = without(contacts, last_contacts_);
    const Pairs ends = without(last_contacts_, contacts);
    ASSERT_EQ(copy(scene.began()), begins);
    ASSERT_EQ(copy(scene.ended()), ends);
    began += begins.size();
    ended += ends.size();
    last_contacts_ = contacts;
  }

  std::size_t began = 0;
  std::size_t ended = 0;
  std::size_t ambiguous = 0;

 private:
  static bool reports(const Scene& scene, const BodyPair& pair) {
    return std::any_of(scene.contacts().begin(), scene.contacts().end(),
                       [&](const Contact& contact) { return contact.body_a == pair.a && contact.body_b == pair.b; });
  }
  static Pairs without(const Pairs& pairs, const Pairs& others) {
    Pairs rest;
    for (const BodyPair& pair : pairs) {
      if (std::find(others.begin(), others.end(), pair) == others.end()) rest.push_back(pair);
    }
    return rest;
  }

  Pairs last_contacts_;
};

/// One random change of a scene.
class Script {
 public:
  explicit Script(std::uint64_t seed) : random_(seed) {}

  void change(Scene& scene) {
    const std::vector<BodyId> ids = scene.bodies();
    const std::uint32_t operation = random_.below(20);
    ++used[operation];
    if (ids.size() < 4 || (operation < 3 && ids.size() < 24)) {
      add(scene);
      return;
    }
    const BodyId body = any(ids);
    if (operation < 5) {
      scene.remove(body);
    } else if (operation < 7) {  // into the slot that has just become free
      scene.remove(body);
      add(scene);
    } else if (operation < 12) {
      scene.set_pose(body, random_.pose(kHalfSide));
    } else if (operation < 14) {  // a small move, so that contacts last
      const Pose& pose = scene.pose(body);
      scene.set_pose(body, Pose(pose.translation() + random_.vector(-0.02, 0.02), pose.quaternion()));
    } else if (operation == 14) {
      std::vector<Pose> poses;
      for (std::size_t i = 0; i < ids.size(); ++i) poses.push_back(random_.pose(kHalfSide));
      scene.set_poses(ids, poses);
    } else if (operation == 15) {
      scene.ignore_pair(body, any(ids));
    } else if (operation == 16) {
      scene.consider_pair(body, any(ids));
    } else if (operation == 17) {
      scene.set_motion(body, random_.chance(0.3) ? Motion::fixed : Motion::moving);
    } else if (operation == 18) {
      scene.set_filter(body, {.layers = 1 + random_.below(3), .mask = 1 + random_.below(3)});
    } else {
      scene.set_settings({.contact_margin = random_.chance(0.5) ? 0.0 : random_.uniform(0.0, 0.1)});
    }
  }

  bool chance(double probability) { return random_.chance(probability); }

  std::map<std::uint32_t, int> used;

 private:
  static constexpr double kHalfSide = 0.8;

  BodyId any(const std::vector<BodyId>& ids) { return ids[random_.below(static_cast<std::uint32_t>(ids.size()))]; }

  void add(Scene& scene) {
    const bool half_space = random_.chance(0.05);
    const auto kind = static_cast<samples::ShapeKind>(random_.below(samples::kShapeKinds));
    const Shape shape =
        half_space ? Shape(HalfSpace(random_.direction(), -0.9)) : samples::random_shape(kind, 0.4, random_);
    scene.add({.shape = shape,
               .pose = half_space ? Pose() : random_.pose(kHalfSide),
               .motion = random_.chance(0.15) ? Motion::fixed : Motion::moving,
               .filter = {.layers = 1 + random_.below(3), .mask = 1 + random_.below(3)}});
  }

  samples::Random random_;
};

TEST(SceneEventsModel, EventsAreThoseOfAScratchModelUnderRandomScripts) {
  const std::uint64_t seeds = samples::kIsInstrumented ? 1 : 4;
  const int operations = samples::kIsInstrumented ? 500 : 1500;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Scene scene;
    Script script(seed);
    Model model;
    for (int operation = 0; operation < operations; ++operation) {
      SCOPED_TRACE(testing::Message() << "operation " << operation);
      script.change(scene);
      if (!script.chance(0.4)) continue;
      scene.step();
      model.expect_step(scene);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
    for (std::uint32_t operation = 0; operation < 20; ++operation) EXPECT_GT(script.used[operation], operations / 75);
    EXPECT_GT(model.began, 2u * operations / 3);
    EXPECT_GT(model.ended, 2u * operations / 3);
    EXPECT_LT(model.ambiguous, 10u);
  }
}

}  // namespace
}  // namespace abut
