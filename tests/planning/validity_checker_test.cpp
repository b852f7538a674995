// Configurations: the fast tier never says what the exact one does not, and both agree with plain collision queries.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/planning/validity_checker.h>
#include <gtest/gtest.h>
#include <planning/checked_arm.h>
#include <support/error_text.h>
#include <support/instrumented.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace abut {
namespace {

using test::arm_options;
using test::obstacles_of_every_kind;
using test::random_configuration;

ValidityOptions exact_only(ValidityOptions options) {
  options.fast_tier = false;
  return options;
}

std::vector<double> random_configurations(const ValidityChecker& checker, std::size_t count, std::uint64_t seed) {
  samples::Random random(seed);
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<double> configuration = random_configuration(checker, random);
    result.insert(result.end(), configuration.begin(), configuration.end());
  }
  return result;
}

std::size_t count_differences(const ValidityChecker& fast, const ValidityChecker& exact, std::size_t count,
                              std::uint64_t seed, std::size_t& valid_count) {
  const std::vector<double> configurations = random_configurations(fast, count, seed);
  std::vector<std::uint8_t> quick(count);
  std::vector<std::uint8_t> slow(count);
  fast.are_valid(configurations, quick);
  exact.are_valid(configurations, slow);
  std::size_t differences = 0;
  ValidityChecker::State state(fast);
  for (std::size_t i = 0; i < count; ++i) {
    const std::span one = std::span(configurations).subspan(i * fast.dimension(), fast.dimension());
    differences += quick[i] != slow[i] || fast.is_valid(one, state) != (slow[i] == 1) ? 1 : 0;
    valid_count += slow[i];
  }
  return differences;
}

TEST(ValidityChecker, AnswersOfAStateThatForgotHaveTheBitsOfANewOne) {
  const RobotModel robot = test::test_arm();
  const ValidityChecker checker(robot, obstacles_of_every_kind(), arm_options(robot));
  const std::size_t dimension = checker.dimension();
  const std::vector<double> configurations = random_configurations(checker, 300, 21);
  ValidityChecker::State used(checker);
  ValidityChecker::State never_forgets(checker);
  int kept_differences = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::span one = std::span(configurations).subspan(i * dimension, dimension);
    ValidityChecker::State fresh(checker);
    const double expected = checker.clearance(one, fresh).distance;
    used.forget();
    ASSERT_EQ(checker.clearance(one, used).distance, expected) << i;
    kept_differences += checker.clearance(one, never_forgets).distance != expected ? 1 : 0;
  }
  EXPECT_GT(kept_differences, 0) << "nothing was there to be forgotten";
}

TEST(ValidityChecker, BothTiersAgreeOnAMillionConfigurations) {
  const RobotModel robot = test::test_arm();
  // Without the mesh, the hills and the compound, which take most of the time.
  std::vector<Obstacle> obstacles = obstacles_of_every_kind();
  obstacles.erase(obstacles.begin() + 9, obstacles.end());
  const ValidityChecker fast(robot, obstacles, arm_options(robot));
  const ValidityChecker exact(robot, obstacles, exact_only(arm_options(robot)));
  const std::size_t count = samples::kIsInstrumented ? 3000 : 1000000;
  std::size_t valid = 0;
  EXPECT_EQ(count_differences(fast, exact, count, 1, valid), 0U);
  EXPECT_GT(valid, count / 20);
  EXPECT_LT(valid, count - count / 20);
}

TEST(ValidityChecker, BothTiersAgreeOnObstaclesOfEveryKind) {
  const RobotModel robot = test::test_arm();
  const ValidityChecker fast(robot, obstacles_of_every_kind(), arm_options(robot));
  const ValidityChecker exact(robot, obstacles_of_every_kind(), exact_only(arm_options(robot)));
  const std::size_t count = samples::kIsInstrumented ? 1000 : 50000;
  std::size_t valid = 0;
  EXPECT_EQ(count_differences(fast, exact, count, 2, valid), 0U);
  EXPECT_GT(valid, 0U);
}

TEST(ValidityChecker, BothTiersAgreeOnARobotOfMeshes) {
  UrdfOptions meshes;
  meshes.meshes = UrdfMeshes::as_they_are;
  const RobotModel robot = test::test_arm(meshes);
  const ValidityChecker fast(robot, obstacles_of_every_kind(), arm_options(robot));
  const ValidityChecker exact(robot, obstacles_of_every_kind(), exact_only(arm_options(robot)));
  std::size_t valid = 0;
  EXPECT_EQ(count_differences(fast, exact, samples::kIsInstrumented ? 500 : 20000, 3, valid), 0U);
  EXPECT_GT(valid, 0U);
}

/// All colliding pairs by plain queries of every pair of geometry.
std::set<std::pair<std::string, std::string>> plain_contacts(const RobotModel& robot,
                                                             const std::vector<Obstacle>& obstacles,
                                                             const ValidityOptions& options,
                                                             const std::vector<double>& configuration) {
  std::vector<double> values = robot.default_values();
  for (const auto& [name, value] : options.fixed_values) values[*robot.find_variable(name)] = value;
  for (std::size_t i = 0; i < configuration.size(); ++i) {
    values[*robot.find_variable(options.variables[i])] = configuration[i];
  }
  const std::vector<Pose> poses = robot.link_poses(values);
  std::set<std::pair<std::string, std::string>> result;
  const auto touch = [&](std::size_t link, const Shape& shape, const Pose& pose) {
    return std::any_of(
        robot.links()[link].geometry.begin(), robot.links()[link].geometry.end(), [&](const LinkGeometry& piece) {
          return collides(piece.shape, options.world_from_root * poses[link] * piece.link_from_shape, shape, pose);
        });
  };
  for (std::size_t a = 0; a < poses.size(); ++a) {
    for (const Obstacle& obstacle : obstacles) {
      if (touch(a, obstacle.shape, obstacle.world_from_obstacle)) {
        result.emplace(robot.links()[a].name, obstacle.name);
      }
    }
    for (std::size_t b = a + 1; b < poses.size(); ++b) {
      if (robot.adjacent(a, b) || options.disabled_pairs->contains(a, b)) continue;
      for (const LinkGeometry& piece : robot.links()[b].geometry) {
        if (touch(a, piece.shape, options.world_from_root * poses[b] * piece.link_from_shape)) {
          result.emplace(robot.links()[a].name, robot.links()[b].name);
        }
      }
    }
  }
  return result;
}

TEST(ValidityChecker, ListsThePairsThatPlainQueriesFind) {
  const RobotModel robot = test::test_arm();
  ValidityOptions options = arm_options(robot);
  options.world_from_root = Pose(Vector3d(3, -2, 1), Quaterniond(0.9, 0.1, -0.2, 0.3));
  std::vector<Obstacle> obstacles = obstacles_of_every_kind();
  for (Obstacle& obstacle : obstacles) {
    obstacle.world_from_obstacle = options.world_from_root * obstacle.world_from_obstacle;
  }
  const ValidityChecker checker(robot, obstacles, options);
  ValidityChecker::State state(checker);
  samples::Random random(4);
  std::size_t found = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 50 : 1000); ++i) {
    const std::vector<double> configuration = random_configuration(checker, random);
    const auto expected = plain_contacts(robot, obstacles, options, configuration);
    std::set<std::pair<std::string, std::string>> actual;
    for (const CheckedSeparation& contact : checker.contacts(configuration, state)) {
      actual.emplace(std::min(contact.pair.link, contact.pair.other), std::max(contact.pair.link, contact.pair.other));
      EXPECT_LE(contact.separation.distance, 1e-9);
    }
    std::set<std::pair<std::string, std::string>> sorted;
    for (const auto& [a, b] : expected) sorted.emplace(std::min(a, b), std::max(a, b));
    EXPECT_EQ(actual, sorted);
    EXPECT_EQ(checker.is_valid(configuration, state), expected.empty());
    const std::optional<CheckedPair> first = checker.first_contact(configuration, state);
    ASSERT_EQ(first.has_value(), !expected.empty());
    if (first) {
      EXPECT_TRUE(sorted.contains(
          {std::string(std::min(first->link, first->other)), std::string(std::max(first->link, first->other))}));
    }
    found += expected.size();
  }
  EXPECT_GT(found, 20U);
}

TEST(ValidityChecker, AnswersWithoutLookingAtWhatTheStateHasSeen) {
  const RobotModel robot = test::test_arm();
  const ValidityChecker checker(robot, obstacles_of_every_kind(), arm_options(robot));
  ValidityChecker::State old(checker);
  samples::Random random(5);
  for (int i = 0; i < 300; ++i) {
    const std::vector<double> configuration = random_configuration(checker, random);
    ValidityChecker::State fresh(checker);
    EXPECT_EQ(checker.first_contact(configuration, old), checker.first_contact(configuration, fresh));
  }
}

TEST(ValidityChecker, GivesTheSameAnswersWithAnyNumberOfThreads) {
  const RobotModel robot = test::test_arm();
  const ValidityChecker checker(robot, obstacles_of_every_kind(), arm_options(robot));
  const std::size_t count = samples::kIsInstrumented ? 400 : 5000;
  const std::vector<double> configurations = random_configurations(checker, count, 6);
  const std::vector<double> others = random_configurations(checker, count, 7);
  std::vector<std::vector<std::uint8_t>> answers;
  for (const std::size_t threads : {1U, 2U, 7U}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    std::vector<std::uint8_t> valid(count);
    checker.are_valid(configurations, valid);
    answers.push_back(valid);
    checker.are_motions_valid(configurations, others, valid);
    answers.push_back(valid);
  }
  EXPECT_EQ(answers[0], answers[2]);
  EXPECT_EQ(answers[0], answers[4]);
  EXPECT_EQ(answers[1], answers[3]);
  EXPECT_EQ(answers[1], answers[5]);
}

TEST(ValidityChecker, SaysOfABatchWhatItSaysOfEach) {
  const RobotModel robot = test::test_arm();
  const ValidityChecker checker(robot, obstacles_of_every_kind(), arm_options(robot));
  ValidityChecker::State state(checker);
  std::size_t valid_count = 0;
  std::size_t asked = 0;
  for (std::size_t count = 0; count <= 40; ++count) {
    std::vector<double> configurations = random_configurations(checker, count, 20 + count);
    // Some are so many turns away that the fast tier does not take them.
    constexpr double kManyTurns = 6.283185307179586 * 300000;
    for (std::size_t i = count % 5; i < count; i += 3) configurations[i * checker.dimension()] += kManyTurns;
    std::vector<std::uint8_t> valid(count, 2);
    checker.are_valid(configurations, valid);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span one = std::span(configurations).subspan(i * checker.dimension(), checker.dimension());
      EXPECT_EQ(valid[i], checker.is_valid(one, state) ? 1 : 0) << i << " of " << count;
      valid_count += valid[i];
      ++asked;
    }
  }
  EXPECT_GT(valid_count, asked / 20);
  EXPECT_LT(valid_count, asked - asked / 20);
}

/// A base, and an arm of one rod that turns about its end.
RobotModel pendulum() {
  std::vector<RobotLink> links(2);
  links[0].name = "base";
  links[0].geometry.push_back({"", Box(Vector3d(0.05, 0.05, 0.05)), Pose()});
  links[1].name = "rod";
  links[1].geometry.push_back({"", Cylinder(0.02, 0.4), Pose(Vector3d(0, 0, 0.5))});
  RobotJoint joint;
  joint.name = "hinge";
  joint.kind = JointKind::continuous;
  joint.child_link = 1;
  joint.axis = Vector3d::UnitY();
  return RobotModel("pendulum", std::move(links), {joint});
}

Pose at(double x, double y, double z) {
  return Pose(Vector3d(x, y, z));
}

bool is_valid(const ValidityChecker& checker, double angle) {
  ValidityChecker::State state(checker);
  return checker.is_valid({&angle, 1}, state);
}

TEST(ValidityChecker, SeesARobotThatStandsInAnObstacle) {
  const ValidityChecker checker(pendulum(), {{"block", Box(Vector3d(0.1, 0.1, 0.04)), at(0.1, 0, 0)}});
  ValidityChecker::State state(checker);
  const double angle = 3.0;
  const std::optional<CheckedPair> contact = checker.first_contact({&angle, 1}, state);
  ASSERT_TRUE(contact);
  EXPECT_EQ(contact->link, "base");
  EXPECT_EQ(contact->other, "block");
  EXPECT_EQ(checker.contacts({&angle, 1}, state).size(), 1U);
  const std::vector<double> angles(9, angle);
  std::vector<std::uint8_t> valid(9, 1);
  checker.are_valid(angles, valid);
  EXPECT_EQ(valid, std::vector<std::uint8_t>(9, 0));
}

TEST(ValidityChecker, TakesLinksOfASinglePoint) {
  const Vector3d tip(0.3, 0.2, 0.1);
  for (const Shape& shape : {Shape(ConvexHull::from_points(std::vector<Vector3d>{tip})),
                             Shape(Triangle({tip, tip, tip})), Shape(TriangleMesh({tip, tip, tip}, {{0, 1, 2}}))}) {
    std::vector<RobotLink> links(2);
    links[0].name = "base";
    links[1].name = "tip";
    links[1].geometry.push_back({"", shape, Pose()});
    RobotJoint joint;
    joint.name = "hinge";
    joint.kind = JointKind::continuous;
    joint.child_link = 1;
    joint.axis = Vector3d::UnitZ();
    const ValidityChecker checker(RobotModel("point", std::move(links), {joint}),
                                  {{"ball", Sphere(0.1), Pose(Vector3d(-0.3, -0.2, 0.1))}});
    EXPECT_TRUE(is_valid(checker, 0.0)) << shape.type_name();
    EXPECT_FALSE(is_valid(checker, 3.14159)) << shape.type_name();
  }
}

TEST(ValidityChecker, LeavesOutPairsThatAreAllowed) {
  ValidityOptions options;
  const Obstacle post = {"post", Box(Vector3d(0.02, 0.02, 1.0)), at(0.5, 0, 0)};
  EXPECT_FALSE(is_valid(ValidityChecker(pendulum(), {post}, options), 1.5707963));
  options.allowed_collisions = {{"post", "rod"}};
  EXPECT_TRUE(is_valid(ValidityChecker(pendulum(), {post}, options), 1.5707963));
}

TEST(ValidityChecker, GrowsLinksByTheirPadding) {
  ValidityOptions options;
  const std::vector<Obstacle> obstacles = {{"plate", Box(Vector3d(1, 1, 0.01)), at(0, 0, 1.0)}};
  EXPECT_TRUE(is_valid(ValidityChecker(pendulum(), obstacles, options), 0.0));  // 0.09 m below
  options.padding = {{"rod", 0.08}};
  EXPECT_TRUE(is_valid(ValidityChecker(pendulum(), obstacles, options), 0.0));
  options.padding = {{"rod", 0.1}};
  EXPECT_FALSE(is_valid(ValidityChecker(pendulum(), obstacles, options), 0.0));
}

TEST(ValidityChecker, CarriesAttachedBodies) {
  const ValidityChecker checker(pendulum(), {{"plate", Box(Vector3d(1, 1, 0.01)), at(0, 0, 1.0)}});
  AttachedBody cube = {"cube", Box(Vector3d(0.05, 0.05, 0.06)), "rod", at(0, 0, 0.95), {}};
  EXPECT_TRUE(is_valid(checker, 0.0));
  const ValidityChecker loaded = checker.with_attached(cube);
  EXPECT_FALSE(is_valid(loaded, 0.0));
  EXPECT_TRUE(is_valid(loaded, 0.5));
  EXPECT_TRUE(is_valid(loaded.without_attached("cube"), 0.0));
  // On the base: it touches a part of the robot that it was not allowed to touch.
  cube.link_from_body = at(0, 0, 0.1);
  EXPECT_FALSE(is_valid(checker.with_attached(cube), 0.5));
  cube.touch_links = {"base"};
  EXPECT_TRUE(is_valid(checker.with_attached(cube), 0.5));
}

TEST(ValidityChecker, BodiesOnOneLinkMayOverlap) {
  const ValidityChecker checker(pendulum(), {{"plate", Box(Vector3d(1, 1, 0.01)), at(0, 0, 1.0)}});
  const ValidityChecker mug = checker.with_attached({"mug", Cylinder(0.03, 0.03), "rod", at(0, 0, 0.9), {}})
                                  .with_attached({"handle", Sphere(0.02), "rod", at(0.03, 0, 0.9), {}});
  EXPECT_TRUE(is_valid(mug, 0.5));
  // Both are still tested against the rest: a handle that reaches the plate, then one that reaches the base.
  const ValidityChecker high = mug.without_attached("handle");
  EXPECT_TRUE(is_valid(high, 0.0));
  EXPECT_FALSE(is_valid(high.with_attached({"handle", Sphere(0.08), "rod", at(0.03, 0, 0.95), {}}), 0.0));
  EXPECT_FALSE(is_valid(high.with_attached({"handle", Sphere(0.02), "rod", at(0, 0, 0), {"mug"}}), 0.5));
}

TEST(ValidityChecker, BodiesOnTwoLinksMayTouchWhereOneNamesTheOther) {
  const ValidityChecker bare(pendulum());
  // The cup meets the saucer where the rod is upright, the base where it hangs.
  AttachedBody saucer = {"saucer", Sphere(0.02), "base", at(0, 0, 0.3), {}};
  AttachedBody cup = {"cup", Sphere(0.02), "rod", at(0, 0, 0.3), {}};
  const auto are_free = [](const ValidityChecker& checker) {
    EXPECT_TRUE(is_valid(checker, 1.0));
    return is_valid(checker, 0.0);
  };
  saucer.touch_links = {"rod"};  // which does not stand for the cup
  cup.touch_links = {"base"};
  EXPECT_FALSE(are_free(bare.with_attached(saucer).with_attached(cup)));
  EXPECT_FALSE(are_free(bare.with_attached(cup).with_attached(saucer)));
  cup.touch_links = {"base", "saucer"};
  const ValidityChecker both = bare.with_attached(saucer).with_attached(cup);
  EXPECT_TRUE(are_free(both));
  saucer.touch_links = {"cup", "rod"};
  cup.touch_links = {};
  EXPECT_TRUE(are_free(bare.with_attached(cup).with_attached(saucer)));
  // Another saucer is another body.
  saucer.touch_links = {"rod"};
  EXPECT_FALSE(are_free(both.without_attached("saucer").with_attached(saucer)));
}

TEST(ValidityChecker, TakesOtherObstaclesForTheSameRobot) {
  const ValidityChecker free(pendulum());
  EXPECT_TRUE(is_valid(free, 0.0));
  EXPECT_FALSE(is_valid(free.with_obstacles({{"ball", Sphere(0.1), at(0, 0, 0.5)}}), 0.0));
}

TEST(ValidityChecker, AnswersOutsideOfTheLimitsOfASlide) {
  std::vector<RobotLink> links(2);
  links[0].name = "rail";
  links[1].name = "cart";
  links[1].geometry.push_back({"", Box(Vector3d(0.1, 0.1, 0.1)), Pose()});
  RobotJoint joint;
  joint.name = "slide";
  joint.kind = JointKind::prismatic;
  joint.child_link = 1;
  joint.upper = 1.0;
  const ValidityChecker checker(RobotModel("cart", std::move(links), {joint}),
                                {{"wall", Box(Vector3d(0.1, 1, 1)), at(1e4, 0, 0)}});
  EXPECT_TRUE(is_valid(checker, 0.5));
  EXPECT_TRUE(is_valid(checker, 1e4 - 0.21));
  EXPECT_FALSE(is_valid(checker, 1e4 - 0.19));
}

// A cart on a rail that is nearly without end, whose way turns an arm beside a post.
RobotModel cart_with_arm(double limit) {
  std::vector<RobotLink> links(4);
  links[0] = {"post", {{"", Cylinder(0.1, 0.5), at(0.5, 0.3, 0)}}};
  links[1] = {"cart", {{"", Sphere(0.1), at(0, 0, 2)}}};
  links[2] = {"arm", {{"", Capsule(0.05, 0.2), at(0.5, 0, 0)}}};
  links[3] = {"stand", {}};
  std::vector<RobotJoint> joints(3);
  joints[0].name = "rail";
  joints[0].kind = JointKind::prismatic;
  joints[0].child_link = 1;
  joints[0].lower = -limit;
  joints[0].upper = limit;
  joints[1].name = "stand";
  joints[1].child_link = 3;
  joints[2].name = "turn";
  joints[2].kind = JointKind::revolute;
  joints[2].parent_link = 3;
  joints[2].child_link = 2;
  joints[2].axis = Vector3d::UnitZ();
  joints[2].mimic = JointMimic{0, 1.0, 0.0};
  return RobotModel("cart", std::move(links), std::move(joints));
}

TEST(ValidityChecker, BothTiersAgreeWhereLimitsAreNearlyEndless) {
  samples::Random random(12);
  for (const double limit : {1.0, 1e6, 1e10, 1e160, 8e307, std::numeric_limits<double>::max()}) {
    const RobotModel robot = cart_with_arm(limit);
    const ValidityChecker fast(robot);
    const ValidityChecker exact(robot, {}, exact_only({}));
    ValidityChecker::State fast_state(fast);
    ValidityChecker::State exact_state(exact);
    int invalid = 0;
    for (int i = 0; i < 500; ++i) {
      const double value = random.uniform(-3.0, 3.0);
      const double to = random.uniform(-3.0, 3.0);
      const bool is_valid = exact.is_valid({&value, 1}, exact_state);
      invalid += is_valid ? 0 : 1;
      ASSERT_EQ(fast.is_valid({&value, 1}, fast_state), is_valid) << limit << ' ' << value;
      ASSERT_EQ(fast.is_motion_valid({&value, 1}, {&to, 1}, fast_state),
                exact.is_motion_valid({&value, 1}, {&to, 1}, exact_state))
          << limit << ' ' << value << ' ' << to;
    }
    EXPECT_GT(invalid, 20) << limit;
    EXPECT_LT(invalid, 480) << limit;
  }
}

TEST(ValidityChecker, AnswersForTurnsOfAnySize) {
  constexpr double kManyTurns = 6.283185307179586 * 300000;
  const ValidityChecker checker(pendulum(), {{"ball", Sphere(0.1), at(0, 0, 0.5)}});
  ValidityChecker::State state(checker);
  EXPECT_FALSE(is_valid(checker, kManyTurns));
  EXPECT_TRUE(is_valid(checker, kManyTurns + 1.0));
  const double before[] = {kManyTurns - 1.0};
  const double after[] = {kManyTurns + 1.0};
  const double later[] = {kManyTurns + 1.5};
  EXPECT_FALSE(checker.is_motion_valid(before, after, state));
  EXPECT_TRUE(checker.is_motion_valid(after, later, state));
  EXPECT_FALSE(checker.is_motion_valid(before, after, 0.1, state));
  EXPECT_TRUE(checker.is_motion_valid(after, later, 0.1, state));
}

TEST(ValidityChecker, RefusesValuesTooLargeToTellPlacesBy) {
  const ValidityChecker checker(pendulum(), {{"ball", Sphere(0.1), at(0, 0, 0.5)}});
  ValidityChecker::State state(checker);
  const double most = 1e9;
  const double zero = 0.0;
  const std::span<const double> small(&zero, 1);
  EXPECT_NO_THROW(static_cast<void>(checker.is_valid({&most, 1}, state)));
  std::uint8_t valid = 0;
  for (const double value : {1.0001e9, -1e10, 1e155, -1e155, 1.7e308}) {
    const std::span<const double> large(&value, 1);
    const auto error = [&](const auto& ask) {
      return samples::error_text([&] { static_cast<void>(ask()); }).substr(0, 40);
    };
    const auto refused = [](const std::string& field) {
      return (field + "[0]: must be within +-1e9, got ").substr(0, 40);
    };
    EXPECT_EQ(error([&] { return checker.is_valid(large, state); }).find(refused("configuration")), 0U);
    EXPECT_EQ(error([&] { return checker.clearance(large, state).distance; }).find(refused("configuration")), 0U);
    EXPECT_EQ(error([&] { return checker.check_motion(large, small, state); }).find(refused("from")), 0U);
    EXPECT_EQ(error([&] { return checker.check_motion(small, large, state); }).find(refused("to")), 0U);
    EXPECT_EQ(error([&] { return checker.is_motion_valid(small, large, 1e300, state); }).find(refused("to")), 0U);
    EXPECT_EQ(error([&] { return checker.are_valid(large, {&valid, 1}), 0; }).find(refused("configurations")), 0U);
    EXPECT_EQ(error([&] { return checker.are_motions_valid(small, large, {&valid, 1}), 0; }).find(refused("to")), 0U);
  }
}

/// Two hinges, of which one mimics the other.
RobotModel mimic_pendulums(double multiplier, double offset) {
  const RobotModel one = pendulum();
  std::vector<RobotLink> links = one.links();
  links.push_back(links.back());
  links.back().name = "second rod";
  std::vector<RobotJoint> joints = one.joints();
  joints.push_back(joints.back());
  joints.back().name = "second hinge";
  joints.back().child_link = links.size() - 1;
  joints.back().mimic = {joints.size() - 2, multiplier, offset};
  return RobotModel("pendulums", std::move(links), std::move(joints));
}

TEST(ValidityChecker, RefusesValuesThatAreTooLargeForWhatMimicsThem) {
  const std::string rule = ": sets the mimic joint \"second hinge\", whose value must be ";
  struct Case {
    double multiplier;
    double offset;
    double most;
  };
  for (const Case& one : {Case{-1e6, 0.0, 1e3}, Case{0.5, 999999999.0, 2.0}}) {
    const ValidityChecker checker(mimic_pendulums(one.multiplier, one.offset), {{"ball", Sphere(0.1), at(9, 0, 0)}});
    ValidityChecker::State state(checker);
    const double most = one.most;
    const double large = 1.5 * most;
    EXPECT_NO_THROW(static_cast<void>(checker.is_valid({&most, 1}, state)));
    const auto error = [&](const auto& ask) { return samples::error_text([&] { static_cast<void>(ask()); }); };
    const std::string got = one.multiplier < 0.0 ? "within +-1e9, got -1.5e+09" : "within +-1e9, got 1000000000.5";
    EXPECT_EQ(error([&] { return checker.is_valid({&large, 1}, state); }), "configuration[0]" + rule + got);
    EXPECT_EQ(error([&] {
                return checker.is_motion_valid({&most, 1}, {&large, 1}, 1.0, state);
              }),
              "to[0]" + rule + got);
    const double batch[] = {most, large};
    std::uint8_t valid[2];
    EXPECT_EQ(error([&] { return checker.are_valid(batch, valid), 0; }), "configurations[1]" + rule + got);
    EXPECT_EQ(error([&] { return checker.require_value("hinge", 0, large), 0; }), "hinge" + rule + got);
    EXPECT_NO_THROW(checker.require_value("hinge", 0, most));
  }
  const ValidityChecker huge(mimic_pendulums(1e300, 0.0));
  ValidityChecker::State state(huge);
  const double value = 1e9;
  EXPECT_EQ(samples::error_text([&] {
              static_cast<void>(huge.is_valid({&value, 1}, state));
            }),
            "configuration[0]" + rule + "finite");
}

TEST(ValidityChecker, RefusesFixedValuesThatAreTooLarge) {
  // A robot with a hinge that stays: its variable is not one of the configuration.
  std::vector<RobotLink> links = mimic_pendulums(1.0, 0.0).links();
  links.emplace_back().name = "cart";
  std::vector<RobotJoint> joints = mimic_pendulums(1e6, 0.0).joints();
  RobotJoint& slide = joints.emplace_back();
  slide.name = "slide";
  slide.kind = JointKind::prismatic;
  slide.child_link = links.size() - 1;
  const RobotModel robot("pendulums", std::move(links), std::move(joints));
  ValidityOptions options;
  options.variables = {"slide"};
  const auto error = [&](double value) {
    options.fixed_values = {{"hinge", value}};
    return samples::error_text([&] { static_cast<void>(ValidityChecker(robot, {}, options)); });
  };
  EXPECT_EQ(error(1e3), "no error");
  EXPECT_EQ(error(2e3),
            "fixed_values.hinge: sets the mimic joint \"second hinge\", whose value must be within +-1e9, got 2e+09");
  EXPECT_EQ(error(1000000000.1), "fixed_values.hinge: must be within +-1e9, got 1000000000.1");
}

TEST(ValidityChecker, BothTiersAgreeOnUprightObstacles) {
  const auto turned = [](double x, double y, double z, double angle, const Vector3d& axis) {
    return Pose(Vector3d(x, y, z), Quaterniond(Eigen::AngleAxisd(angle, axis)));
  };
  constexpr double kQuarter = 1.5707963267948966;
  const std::vector<Obstacle> obstacles = {
      {"shelf", Box(Vector3d(0.1, 0.3, 0.02)), turned(0.5, 0.2, 0.6, 0.7, Vector3d::UnitZ())},
      {"lying box", Box(Vector3d(0.05, 0.3, 0.1)), turned(-0.5, 0.1, 0.5, kQuarter, Vector3d::UnitX())},
      {"lying plank", Box(Vector3d(0.2, 0.03, 0.05)), turned(0.1, -0.5, 0.4, -kQuarter, Vector3d::UnitY())},
      {"can", Cylinder(0.08, 0.15), turned(0.3, -0.4, 0.7, 0.3, Vector3d::UnitZ())},
      {"lying can", Cylinder(0.08, 0.15), turned(-0.3, -0.5, 0.8, kQuarter, Vector3d::UnitX())},
      {"capsule", Capsule(0.05, 0.2), turned(-0.4, 0.5, 0.9, 2.0, Vector3d::UnitZ())},
      {"crate", Shape(Box(Vector3d(0.1, 0.1, 0.1)), 0.02), turned(0.2, 0.6, 0.3, 0.0, Vector3d::UnitZ())},
  };
  const RobotModel robot = test::test_arm();
  const ValidityChecker fast(robot, obstacles, arm_options(robot));
  const ValidityChecker exact(robot, obstacles, exact_only(arm_options(robot)));
  const std::size_t count = samples::kIsInstrumented ? 2000 : 100000;
  std::size_t valid = 0;
  EXPECT_EQ(count_differences(fast, exact, count, 9, valid), 0U);
  EXPECT_GT(valid, count / 20);
  EXPECT_LT(valid, 4 * count / 5);
}

TEST(ValidityChecker, SeesObstaclesAndLinksOfAnySize) {
  const double angles[] = {0.3, 0.9};
  const auto expect_valid = [&angles](const ValidityChecker& checker, bool is_wanted) {
    ValidityChecker::State state(checker);
    const std::span<const double> from(angles, 1);
    const std::span<const double> to(angles + 1, 1);
    EXPECT_EQ(checker.is_valid(from, state), is_wanted);
    EXPECT_EQ(checker.is_motion_valid(from, to, state), is_wanted);
    EXPECT_EQ(checker.is_motion_valid(from, to, 0.1, state), is_wanted);
    EXPECT_EQ(checker.clearance(from, state).distance > 0.0, is_wanted);
    const std::vector<double> many(9, angles[0]);
    std::vector<std::uint8_t> valid(9);
    checker.are_valid(many, valid);
    EXPECT_EQ(valid, std::vector<std::uint8_t>(9, is_wanted ? 1 : 0));
  };
  const Pose turn(Vector3d::Zero(), Quaterniond(0.9, 0.1, -0.2, 0.3));
  ValidityOptions options;
  options.allowed_collisions = {{"base", "solid"}};  // which would answer for good
  for (const double size : {1.0, 1e10, 1e15, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e30, 1e39, 1e60, 1e100}) {
    const std::pair<const char*, Shape> shapes[] = {{"box", Box(Vector3d(size, size, size))},
                                                    {"cylinder", Cylinder(size, size)},
                                                    {"sphere", Sphere(size)},
                                                    {"capsule", Capsule(size, size)},
                                                    {"cone", Cone(size, size)}};
    for (const auto& [name, shape] : shapes) {
      for (const bool is_turned : {false, true}) {
        SCOPED_TRACE(testing::Message() << name << " of " << size << (is_turned ? ", turned" : ", upright"));
        const Pose around = is_turned ? turn : Pose();
        // The rod is in it, or the whole of it is far below.
        const Pose near = at(0.1 * size, 0.2 * size, 0.1 * size) * around;
        const Pose far = at(0, 0, -5.0 * size - 2.0) * around;
        expect_valid(ValidityChecker(pendulum(), {{"solid", shape, near}}, options), false);
        expect_valid(ValidityChecker(pendulum(), {{"solid", shape, far}}, options), true);
        // The same carried by the rod, and a ball that it holds, or does not reach.
        const ValidityChecker carrying = ValidityChecker(pendulum(), {{"ball", Sphere(0.1), at(0, 3, 0)}})
                                             .with_attached({"solid", shape, "rod", near, {"base"}});
        if (size > 10.0) expect_valid(carrying, false);
        expect_valid(carrying.with_obstacles({{"ball", Sphere(0.1 * size), at(0, 20.0 * size, 0)}}), true);
      }
    }
  }
}

TEST(ValidityChecker, RefusesWhatItCannotUse) {
  const RobotModel robot = pendulum();
  const auto text = [](const auto& make) { return samples::error_text(make); };
  const auto with = [&robot](const auto& change) {
    ValidityOptions options;
    change(options);
    static_cast<void>(ValidityChecker(robot, {}, options));
  };
  EXPECT_NE(text([&] { with([](auto& o) { o.variables = {"elbow"}; }); }).find("'elbow'"), std::string::npos);
  EXPECT_NE(text([&] { with([](auto& o) { o.variables = {"hinge", "hinge"}; }); }).find("twice"), std::string::npos);
  EXPECT_NE(text([&] { with([](auto& o) {
                         o.fixed_values = {{"hinge", std::nan("")}};
                       }); }).find("hinge"),
            std::string::npos);
  EXPECT_NE(text([&] {
              with([](auto& o) {
                o.variables = {"hinge"};
                o.fixed_values = {{"hinge", 0.5}};
              });
            }).find("fixed_values.hinge: is one of the variables that move"),
            std::string::npos);
  EXPECT_EQ(text([&] {
              with([](auto& o) {
                o.fixed_values = {{"hinge", 0.5}};  // all move
              });
            }),
            "fixed_values.hinge: is one of the variables that move");
  const RobotModel two = mimic_pendulums(1.0, 0.0);
  EXPECT_EQ(text([&] {
              std::vector<RobotJoint> joints = two.joints();
              joints.back().mimic.reset();
              ValidityOptions options;
              options.variables = {"hinge"};
              options.fixed_values = {{"second hinge", 0.5}, {"second hinge", 0.6}};
              static_cast<void>(ValidityChecker(RobotModel("two", two.links(), joints), {}, options));
            }),
            "fixed_values: 'second hinge' is given twice");
  const Pose nowhere = Pose::unchecked(Vector3d(0.0, std::nan(""), 0.0), Matrix3d::Identity());
  EXPECT_EQ(text([&] { with([&](auto& o) { o.world_from_root = nowhere; }); }).find("world_from_root"), 0U);
  EXPECT_EQ(text([&] {
              static_cast<void>(ValidityChecker(robot, {{"ball", Sphere(1.0), nowhere}}));
            }).find("obstacles[0].world_from_obstacle"),
            0U);
  EXPECT_EQ(text([&] {
              static_cast<void>(ValidityChecker(robot).with_attached({"cup", Sphere(0.1), "rod", nowhere, {}}));
            }).find("attached.cup.link_from_body"),
            0U);
  const auto attach_error = [&](const AttachedBody& body) {
    const ValidityChecker loaded = ValidityChecker(robot).with_attached({"mug", Sphere(0.1), "rod", Pose(), {}});
    return text([&] { static_cast<void>(loaded.with_attached(body)); });
  };
  EXPECT_EQ(attach_error({"cup", HalfSpace(Vector3d::UnitZ(), 0.0), "rod", Pose(), {}}),
            "attached.cup.shape: must be bounded to move");
  EXPECT_EQ(attach_error({"cup", Sphere(0.1), "rod", Pose(), {"base", "mug"}}), "no error");
  for (const std::string name : {"hand", "cup", ""}) {
    EXPECT_EQ(
        attach_error({"cup", Sphere(0.1), "rod", Pose(), {"base", name}}),
        "attached.cup.touch_links: '" + name + "' is neither a link of the robot nor a body that is attached already");
  }
  EXPECT_NE(text([&] { with([](auto& o) { o.padding = {{"rod", -1.0}}; }); }).find("padding.rod"), std::string::npos);
  EXPECT_NE(text([&] { with([](auto& o) { o.padding = {{"arm", 1.0}}; }); }).find("'arm'"), std::string::npos);
  EXPECT_NE(text([&] { with([](auto& o) {
                         o.padding = {{"rod", 0.1}, {"rod", 0.2}};
                       }); }).find("'rod' is given twice"),
            std::string::npos);
  EXPECT_NE(text([&] { with([](auto& o) { o.disabled_pairs = LinkPairs(5); }); }).find("disabled_pairs"),
            std::string::npos);
  EXPECT_NE(text([&] { with([](auto& o) { o.motion_tolerance = 0.0; }); }).find("motion_tolerance"), std::string::npos);
  EXPECT_NE(text([&] {
              static_cast<void>(ValidityChecker(robot, {{"rod", Sphere(1.0), Pose()}}));
            }).find("'rod'"),
            std::string::npos);
  EXPECT_NE(text([&] {
              static_cast<void>(ValidityChecker(robot, {{"", Sphere(1.0), Pose()}}));
            }).find("obstacles[0]"),
            std::string::npos);
  const ValidityChecker checker(robot);
  ValidityChecker::State state(checker);
  const double many[] = {0.0, 1.0};
  const double bad = std::nan("");
  EXPECT_NE(text([&] { static_cast<void>(checker.is_valid(many, state)); }).find("configuration"), std::string::npos);
  EXPECT_NE(text([&] {
              static_cast<void>(checker.is_valid({&bad, 1}, state));
            }).find("configuration[0]"),
            std::string::npos);
  const ValidityChecker other(robot);
  EXPECT_NE(text([&] { static_cast<void>(other.is_valid({many, 1}, state)); }).find("state"), std::string::npos);
  EXPECT_NE(text([&] {
              static_cast<void>(checker.with_attached({"cup", Sphere(0.1), "hand", Pose(), {}}));
            }).find("'hand'"),
            std::string::npos);
  EXPECT_NE(text([&] { static_cast<void>(checker.without_attached("cup")); }).find("'cup'"), std::string::npos);
}

}  // namespace
}  // namespace abut
