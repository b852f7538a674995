// Bodies of a scene: handles and their generations, what a scene remembers of a body, and the errors at its edge.
#include <abut/core/error.h>
#include <abut/world/scene.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <support/random.h>

namespace abut {
namespace {

BodyDescription ball_at(double x) {
  return {.shape = Sphere(1.0), .pose = Pose(Vector3d(x, 0.0, 0.0)), .motion = Motion::moving, .filter = {}};
}

/// The text of the InvalidInput that a call throws; empty when it throws none.
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(SceneBodies, RememberWhatTheyWereAddedWith) {
  Scene scene;
  const Pose pose(Vector3d(1.0, 2.0, 3.0), Quaterniond(0.5, 0.5, -0.5, 0.5));
  const CollisionFilter filter{.layers = 4, .mask = 3};
  const BodyId id =
      scene.add({.shape = Shape(Box({1, 2, 3}), 0.25), .pose = pose, .motion = Motion::fixed, .filter = filter});
  EXPECT_EQ(id, (BodyId{.slot = 0, .generation = 1}));
  EXPECT_TRUE(scene.contains(id));
  EXPECT_EQ(scene.body_count(), 1u);
  EXPECT_EQ(scene.pose(id), pose);
  EXPECT_EQ(scene.motion(id), Motion::fixed);
  EXPECT_EQ(scene.filter(id), filter);
  ASSERT_NE(scene.shape(id).get_if<Box>(), nullptr);
  EXPECT_EQ(scene.shape(id).get_if<Box>()->half_extents(), Vector3d(1, 2, 3));
  EXPECT_EQ(scene.shape(id).margin(), 0.25);
}

TEST(SceneBodies, HandlesAndPairsAreKeysOfUnorderedContainers) {
  std::unordered_map<BodyPair, int> place_of;
  std::unordered_set<BodyId> ids;
  std::set<std::size_t> hashes;
  int count = 0;
  for (std::uint32_t slot = 0; slot < 60; ++slot) {
    for (std::uint32_t other = 0; other < 60; ++other) {
      const BodyPair pair{{slot, 1}, {other, 2}};
      ids.insert(pair.a);
      ids.insert(pair.b);
      hashes.insert(std::hash<BodyPair>()(pair));
      place_of[pair] = count++;
    }
  }
  EXPECT_EQ(ids.size(), 120u);
  EXPECT_EQ(hashes.size(), 3600u);
  ASSERT_EQ(place_of.size(), 3600u);
  EXPECT_EQ(place_of.at({{17, 1}, {23, 2}}), 17 * 60 + 23);
  EXPECT_FALSE(place_of.contains({{17, 1}, {23, 1}}));
}

TEST(SceneBodies, TakeTheLowestFreeSlotWithANewGeneration) {
  Scene scene;
  std::vector<BodyId> ids;
  for (int i = 0; i < 6; ++i) ids.push_back(scene.add(ball_at(i)));
  for (const std::size_t i : {4u, 1u, 3u}) scene.remove(ids[i]);
  EXPECT_EQ(scene.bodies(), (std::vector<BodyId>{ids[0], ids[2], ids[5]}));
  EXPECT_EQ(scene.add(ball_at(0)), (BodyId{1, 2}));
  EXPECT_EQ(scene.add(ball_at(0)), (BodyId{3, 2}));
  EXPECT_EQ(scene.add(ball_at(0)), (BodyId{4, 2}));
  EXPECT_EQ(scene.add(ball_at(0)), (BodyId{6, 1}));
  EXPECT_EQ(scene.body_count(), 7u);
}

TEST(SceneBodies, HandlesAreNeverGivenOutTwice) {
  samples::Random random(5);
  Scene scene;
  std::vector<BodyId> alive;
  std::set<BodyId> given;
  std::set<BodyId> stale;
  for (int i = 0; i < 3000; ++i) {
    if (alive.empty() || random.chance(0.52)) {
      alive.push_back(scene.add(ball_at(10.0 * i)));
      ASSERT_TRUE(given.insert(alive.back()).second);
    } else {
      const std::size_t index = random.below(static_cast<std::uint32_t>(alive.size()));
      scene.remove(alive[index]);
      stale.insert(alive[index]);
      alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(index));
    }
    ASSERT_EQ(scene.body_count(), alive.size());
  }
  for (const BodyId id : alive) EXPECT_TRUE(scene.contains(id));
  for (const BodyId id : stale) EXPECT_FALSE(scene.contains(id));
  EXPECT_GT(stale.size(), 1000u);
  std::sort(alive.begin(), alive.end());
  EXPECT_EQ(scene.bodies(), alive);
}

TEST(SceneBodies, EveryFunctionRefusesAStaleHandleAndNamesIt) {
  Scene scene;
  const BodyId other = scene.add(ball_at(0));
  const BodyId stale = scene.add(ball_at(1));
  scene.remove(stale);
  const BodyId successor = scene.add(ball_at(2));
  ASSERT_EQ(successor.slot, stale.slot);
  const std::string rule = "slot 1 with generation 1 names no body of this scene";
  EXPECT_FALSE(scene.contains(stale));
  EXPECT_EQ(error_of([&] { scene.remove(stale); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.pose(stale); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.shape(stale); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.motion(stale); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.filter(stale); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { scene.set_pose(stale, Pose()); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { scene.set_motion(stale, Motion::fixed); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { scene.set_filter(stale, {}); }), "body: " + rule);
  EXPECT_EQ(error_of([&] { scene.ignore_pair(stale, other); }), "a: " + rule);
  EXPECT_EQ(error_of([&] { scene.ignore_pair(other, stale); }), "b: " + rule);
  EXPECT_EQ(error_of([&] { scene.consider_pair(stale, other); }), "a: " + rule);
  EXPECT_EQ(error_of([&] { scene.consider_pair(other, stale); }), "b: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.is_ignored(stale, other); }), "a: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.is_ignored(other, stale); }), "b: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.distance(stale, other); }), "a: " + rule);
  EXPECT_EQ(error_of([&] { (void)scene.distance(other, stale); }), "b: " + rule);
  EXPECT_EQ(scene.body_count(), 2u);
  EXPECT_EQ(scene.pose(successor), ball_at(2).pose);
}

TEST(SceneBodies, HandlesThatWereNeverGivenOutAreRefused) {
  Scene scene;
  scene.add(ball_at(0));
  EXPECT_EQ(error_of([&] { scene.remove(BodyId{}); }),
            "body: slot 4294967295 with generation 0 names no body of this scene");
  EXPECT_EQ(error_of([&] { scene.remove({0, 7}); }), "body: slot 0 with generation 7 names no body of this scene");
  EXPECT_EQ(error_of([&] { scene.remove({5, 1}); }), "body: slot 5 with generation 1 names no body of this scene");
}

TEST(SceneBodies, SetPosesMovesAllOrNone) {
  Scene scene;
  std::vector<BodyId> ids;
  std::vector<Pose> poses;
  for (int i = 0; i < 300; ++i) {
    ids.push_back(scene.add(ball_at(i)));
    poses.emplace_back(Vector3d(0.0, i, 0.0));
  }
  scene.set_poses(ids, poses);
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(scene.pose(ids[i]), poses[i]);

  const std::vector<Pose> elsewhere(ids.size(), Pose(Vector3d(0.0, 0.0, 9.0)));
  std::vector<BodyId> with_stale = ids;
  with_stale[299].generation = 2;
  EXPECT_EQ(error_of([&] { scene.set_poses(with_stale, elsewhere); }),
            "bodies[299]: slot 299 with generation 2 names no body of this scene");
  EXPECT_EQ(error_of([&] { scene.set_poses(ids, std::span(elsewhere).first(299)); }),
            "world_from_bodies: must have one pose for each of the 300 bodies, got 299");
  std::vector<Pose> with_nan = elsewhere;
  with_nan[299] = Pose::unchecked(Vector3d(0, std::numeric_limits<double>::quiet_NaN(), 0), Matrix3d::Identity());
  EXPECT_EQ(error_of([&] { scene.set_poses(ids, with_nan); }),
            "world_from_bodies[299].translation[1]: must be finite, got nan");
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(scene.pose(ids[i]), poses[i]);
}

TEST(SceneBodies, PosesThatAreNotFiniteAreRefused) {
  Scene scene;
  const BodyId id = scene.add(ball_at(1));
  const Pose before = scene.pose(id);
  const Pose huge(Vector3d::Constant(1e308));
  Matrix3d rotation = Matrix3d::Identity();
  rotation(1, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([&] { scene.set_pose(id, huge * huge); }),
            "world_from_body.translation[0]: must be finite, got inf");
  EXPECT_EQ(error_of([&] { scene.set_pose(id, Pose::unchecked(Vector3d::Zero(), rotation)); }),
            "world_from_body.rotation(1, 2): must be finite, got nan");
  EXPECT_EQ(error_of([&] { scene.add({.shape = Sphere(1.0), .pose = huge * huge}); }),
            "pose.translation[0]: must be finite, got inf");
  EXPECT_EQ(scene.pose(id), before);
  EXPECT_EQ(scene.body_count(), 1u);
}

TEST(SceneBodies, OfSeveralPosesForOneBodyTheLastCountsWithManyThreadsToo) {
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  Scene scene;
  std::vector<BodyId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(scene.add(ball_at(i)));
  constexpr int kMentions = 300000;  // enough work for other threads to wake up and join in
  std::vector<BodyId> mentions;
  std::vector<Pose> poses;
  for (int i = 0; i < kMentions; ++i) {
    mentions.push_back(ids[static_cast<std::size_t>(i % 3)]);
    poses.emplace_back(Vector3d(i, 0.0, 0.0));
  }
  for (int trial = 0; trial < 20; ++trial) {
    arena.execute([&] { scene.set_poses(mentions, poses); });
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(scene.pose(ids[static_cast<std::size_t>(i)]).translation().x(), kMentions - 3 + i);
    }
  }
}

TEST(SceneBodies, IgnoredPairsHaveNoOrderAndAreForgottenWithABody) {
  Scene scene;
  const BodyId a = scene.add(ball_at(0));
  const BodyId b = scene.add(ball_at(1));
  const BodyId c = scene.add(ball_at(2));
  scene.ignore_pair(b, a);
  scene.ignore_pair(b, a);
  scene.ignore_pair(b, c);
  scene.ignore_pair(a, a);
  EXPECT_TRUE(scene.is_ignored(a, b));
  EXPECT_TRUE(scene.is_ignored(b, a));
  EXPECT_TRUE(scene.is_ignored(c, b));
  EXPECT_FALSE(scene.is_ignored(a, c));
  scene.consider_pair(a, b);
  EXPECT_FALSE(scene.is_ignored(a, b));
  scene.consider_pair(a, b);
  scene.ignore_pair(a, b);

  scene.remove(b);
  const BodyId successor = scene.add(ball_at(1));
  ASSERT_EQ(successor.slot, b.slot);
  EXPECT_FALSE(scene.is_ignored(a, successor));
  EXPECT_FALSE(scene.is_ignored(c, successor));
}

TEST(SceneBodies, SettingsAreCheckedAndNamed) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [value, text] : {std::pair(-0.5, "-0.5"), {infinity, "inf"}, {nan, "nan"}}) {
    const std::string rule = std::string(": must be finite and >= 0, got ") + text;
    EXPECT_EQ(error_of([v = value] { Scene{{.contact_margin = v}}; }), "contact_margin" + rule);
    EXPECT_EQ(error_of([v = value] { Scene{{.tolerance = v}}; }), "tolerance" + rule);
    Scene scene({.contact_margin = 0.125});
    EXPECT_EQ(error_of([&, v = value] { scene.set_settings({.contact_margin = v}); }), "contact_margin" + rule);
    EXPECT_EQ(error_of([&, v = value] { scene.set_settings({.contact_margin = 3, .tolerance = v}); }),
              "tolerance" + rule);
    EXPECT_EQ(scene.settings().contact_margin, 0.125);
  }
  for (const int points : {-1, 0, 5}) {
    const std::string text = "max_points: must be 1 ... 4, got " + std::to_string(points);
    EXPECT_EQ(error_of([=] { Scene{{.max_points = points}}; }), text);
    Scene scene({.max_points = 2});
    EXPECT_EQ(error_of([&] { scene.set_settings({.max_points = points}); }), text);
    EXPECT_EQ(scene.settings().max_points, 2);
  }
}

TEST(SceneBodies, NumbersThatNameNoValueAreRefused) {
  const std::string solver = "solver: must be at most 6, got 7";
  const std::string warm_start = "warm_start: must be at most 3, got 255";
  const std::string motion = "motion: must be at most 1, got 2";
  EXPECT_EQ(error_of([] { Scene{{.solver = static_cast<Solver>(7)}}; }), solver);
  EXPECT_EQ(error_of([] { Scene{{.warm_start = static_cast<WarmStart>(255)}}; }), warm_start);
  Scene scene({.solver = Solver::qp, .warm_start = WarmStart::transformed_previous});
  EXPECT_EQ(error_of([&] { scene.set_settings({.solver = static_cast<Solver>(7)}); }), solver);
  EXPECT_EQ(error_of([&] { scene.set_settings({.warm_start = static_cast<WarmStart>(255)}); }), warm_start);
  EXPECT_EQ(scene.settings().solver, Solver::qp);
  EXPECT_EQ(scene.settings().warm_start, WarmStart::transformed_previous);

  const BodyId ball = scene.add(ball_at(0));
  scene.prepare_queries();
  BodyDescription odd = ball_at(1);
  odd.motion = static_cast<Motion>(2);
  EXPECT_EQ(error_of([&] { scene.add(odd); }), motion);
  EXPECT_EQ(error_of([&] { scene.set_motion(ball, static_cast<Motion>(2)); }), motion);
  EXPECT_EQ(scene.body_count(), 1u);
  EXPECT_EQ(scene.motion(ball), Motion::moving);
  EXPECT_TRUE(scene.is_ready_for_queries());
}

TEST(SceneBodies, AMovedSceneKeepsItsBodiesAndContacts) {
  Scene first;
  const BodyId a = first.add(ball_at(0.0));
  const BodyId b = first.add(ball_at(1.5));
  first.step();
  ASSERT_EQ(first.contacts().size(), 1u);
  Scene second = std::move(first);
  EXPECT_TRUE(second.contains(a));
  ASSERT_EQ(second.contacts().size(), 1u);
  EXPECT_EQ(second.contacts()[0].body_b, b);
  second.step();
  EXPECT_TRUE(second.began().empty());
}

}  // namespace
}  // namespace abut
