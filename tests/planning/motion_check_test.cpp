// Motions: what is called valid is so in every state, what is called invalid has a state that is not.
#include <abut/planning/validity_checker.h>
#include <gtest/gtest.h>
#include <planning/checked_arm.h>
#include <support/error_text.h>
#include <support/instrumented.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace abut {
namespace {

using test::along;
using test::RandomMotion;

struct ArmAmongObstacles {
  RobotModel robot = test::test_arm();
  ValidityChecker checker;
  ValidityChecker exact;

  explicit ArmAmongObstacles(const std::vector<Obstacle>& obstacles)
      : checker(robot, obstacles, test::arm_options(robot)), exact(robot, obstacles, options_of_exact(robot)) {}

  static ValidityOptions options_of_exact(const RobotModel& robot) {
    ValidityOptions options = test::arm_options(robot);
    options.fast_tier = false;
    return options;
  }
};

/// Looks at many states of a motion, under a sanitizer at a fifth of them.
bool is_densely_valid(const ArmAmongObstacles& arm, const RandomMotion& motion, ValidityChecker::State& state,
                      double step, double end = 1.0) {
  double length = 0.0;
  for (std::size_t i = 0; i < motion.from.size(); ++i) {
    length = std::max(length, std::abs(motion.to[i] - motion.from[i]));
  }
  const int steps =
      std::max(1, static_cast<int>(std::ceil(end * length / (samples::kIsInstrumented ? 5.0 * step : step))));
  for (int i = 0; i <= steps; ++i) {
    if (!arm.exact.is_valid(along(motion, end * i / steps), state)) return false;
  }
  return true;
}

void compare_with_dense_sampling(const ArmAmongObstacles& arm, int count, double length, double step,
                                 std::uint64_t seed) {
  ValidityChecker::State state(arm.checker);
  ValidityChecker::State exact_state(arm.exact);
  samples::Random random(seed);
  int valid = 0;
  int invalid = 0;
  for (int i = 0; i < count; ++i) {
    const RandomMotion motion = test::random_motion(arm.checker, length, random);
    const MotionCheck check = arm.checker.check_motion(motion.from, motion.to, state);
    EXPECT_EQ(arm.checker.is_motion_valid(motion.from, motion.to, state), check.is_valid);
    EXPECT_EQ(arm.exact.check_motion(motion.from, motion.to, exact_state).is_valid, check.is_valid);
    if (check.is_valid) {
      EXPECT_TRUE(is_densely_valid(arm, motion, exact_state, step));
      EXPECT_EQ(check.last_valid, 1.0);
      EXPECT_TRUE(check.pair.link.empty());
      ++valid;
      continue;
    }
    ++invalid;
    EXPECT_GE(check.first_invalid, 0.0);
    EXPECT_LE(check.first_invalid, 1.0);
    const Clearance clearance = arm.exact.clearance(along(motion, check.first_invalid), exact_state);
    EXPECT_LE(clearance.distance, 1e-5) << "the state that is called invalid";
    EXPECT_FALSE(check.pair.link.empty());
    if (check.last_valid < 0.0) {
      EXPECT_LE(arm.exact.clearance(motion.from, exact_state).distance, 1e-5);
      EXPECT_EQ(check.first_invalid, 0.0);
    } else {
      EXPECT_TRUE(is_densely_valid(arm, motion, exact_state, step, check.last_valid)) << "the stretch that is proven";
      EXPECT_LE(check.last_valid, check.first_invalid);
    }
  }
  EXPECT_GT(valid, count / 50);
  EXPECT_GT(invalid, count / 50);
}

TEST(CertifiedMotion, AgreesWithDenseSampling) {
  std::vector<Obstacle> obstacles = test::obstacles_of_every_kind();
  obstacles.erase(obstacles.begin() + 9, obstacles.end());
  const ArmAmongObstacles arm(obstacles);
  compare_with_dense_sampling(arm, samples::kIsInstrumented ? 20 : 400, 0.5, 1e-3, 1);
  compare_with_dense_sampling(arm, samples::kIsInstrumented ? 8 : 40, 0.3, 1e-4, 2);
}

TEST(CertifiedMotion, AgreesWithDenseSamplingAmongMeshes) {
  const ArmAmongObstacles arm(test::obstacles_of_every_kind());
  compare_with_dense_sampling(arm, samples::kIsInstrumented ? 6 : 100, 0.3, 2e-3, 3);
}

TEST(CertifiedMotion, AgreesWithDenseSamplingInFreeSpace) {
  const ArmAmongObstacles arm({});
  compare_with_dense_sampling(arm, samples::kIsInstrumented ? 20 : 300, 1.0, 1e-3, 4);
}

// Within the tolerance of a motion either answer is allowed, but not one now and the other after another question.
TEST(CertifiedMotion, BesideContactIsWhatItIsWhateverWasAskedBefore) {
  samples::Random random(7);
  RobotJoint joint;
  joint.name = "joint";
  joint.kind = JointKind::floating;
  joint.child_link = 1;
  int valid = 0;
  int invalid = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 60 : 600); ++i) {
    constexpr double kSize = 0.01;  // metres: a millionth of it and the tolerance are not far apart
    RobotLink link{"link", {}};
    link.geometry.push_back({"", Box(kSize * random.vector(0.2, 2.0)), random.pose(3.0 * kSize)});
    const RobotModel robot("robot", {RobotLink{"base", {}}, link}, {joint});
    const ValidityChecker checker(robot, {{"box", Box(kSize * random.vector(0.2, 2.0)), random.pose(3.0 * kSize)}});
    ValidityChecker::State state(checker);
    std::vector<double> from(6);
    for (std::size_t k = 0; k < 6; ++k) from[k] = random.uniform(-1.0, 1.0) * (k < 3 ? 5.0 * kSize : 3.0);
    const double wanted = std::pow(10.0, random.uniform(-6.0, -5.0));
    Clearance clearance = checker.clearance(from, state);
    for (int step = 0; step < 20; ++step) {
      for (std::size_t k = 0; k < 3; ++k) {
        from[k] += (clearance.distance - wanted) * clearance.separation.normal[static_cast<Eigen::Index>(k)];
      }
      clearance = checker.clearance(from, state);
    }
    if (!(clearance.distance > 0.0 && clearance.distance < 1e-5)) continue;
    const double length = std::pow(10.0, random.uniform(-6.0, 0.0));
    std::vector<double> to = from;
    for (std::size_t k = 0; k < 6; ++k) to[k] += length * random.uniform(-1.0, 1.0) * (k < 3 ? kSize : 1.0);
    state.forget();
    const bool is_valid = checker.is_motion_valid(from, to, state);
    ++(is_valid ? valid : invalid);
    EXPECT_EQ(checker.is_motion_valid(from, to, state), is_valid) << "asked again, of " << clearance.distance << " m";
    EXPECT_EQ(checker.check_motion(from, to, state).is_valid, is_valid);
  }
  EXPECT_GT(valid, samples::kIsInstrumented ? 0 : 10);
  EXPECT_GT(invalid, 10);
}

TEST(CertifiedMotion, NeverPassesThroughAThinObstacle) {
  const RobotModel robot = test::test_arm();
  const ValidityChecker free(robot, {}, test::arm_options(robot));
  samples::Random random(5);
  int through = 0;
  for (int i = 0; i < 1000 && through < (samples::kIsInstrumented ? 2 : 20); ++i) {
    // A sheet of a tenth of a millimetre, that the tool goes through and the ends of the motion do not touch.
    const Pose sheet_pose(Vector3d(0.6 * random.direction()), random.rotation());
    const ValidityChecker checker = free.with_obstacles({{"sheet", Box(Vector3d(0.15, 0.15, 5e-5)), sheet_pose}});
    ValidityChecker::State state(checker);
    const RandomMotion motion = test::random_motion(checker, 0.6, random);
    if (!checker.is_valid(motion.from, state) || !checker.is_valid(motion.to, state)) continue;
    if (checker.is_motion_valid(motion.from, motion.to, 2e-4, state)) continue;
    ++through;
    EXPECT_FALSE(checker.is_motion_valid(motion.from, motion.to, state));
  }
  EXPECT_GT(through, 0);
}

/// A ball on a slide along x, and walls across it.
struct BallOnRail {
  ValidityChecker checker;
  ValidityChecker::State state;

  explicit BallOnRail(const std::vector<std::pair<double, double>>& walls)
      : checker(rail(), obstacles(walls)), state(checker) {}

  static RobotModel rail() {
    std::vector<RobotLink> links(2);
    links[0].name = "rail";
    links[1].name = "ball";
    links[1].geometry.push_back({"", Sphere(0.1), Pose()});
    RobotJoint joint;
    joint.name = "slide";
    joint.kind = JointKind::prismatic;
    joint.child_link = 1;
    joint.upper = 10.0;
    return RobotModel("rail", std::move(links), {joint});
  }
  /// Walls from x to x.
  static std::vector<Obstacle> obstacles(const std::vector<std::pair<double, double>>& walls) {
    std::vector<Obstacle> result;
    for (const auto& [from, to] : walls) {
      result.push_back({"wall " + std::to_string(result.size()), Box(Vector3d(0.5 * (to - from), 1, 1)),
                        Pose(Vector3d(0.5 * (from + to), 0, 0))});
    }
    return result;
  }

  MotionCheck certified(double from, double to) { return checker.check_motion({&from, 1}, {&to, 1}, state); }
  MotionCheck sampled(double from, double to, double resolution) {
    return checker.check_motion({&from, 1}, {&to, 1}, resolution, state);
  }
  bool is_sampled_valid(double from, double to, double resolution) {
    return checker.is_motion_valid({&from, 1}, {&to, 1}, resolution, state);
  }
};

TEST(CertifiedMotion, TellsHowFarItIsValid) {
  BallOnRail rail({{5.1, 5.2}, {8.0, 9.0}});
  const MotionCheck check = rail.certified(0.0, 10.0);
  EXPECT_FALSE(check.is_valid);
  EXPECT_EQ(check.pair.link, "ball");
  EXPECT_EQ(check.pair.other, "wall 0");
  EXPECT_NEAR(check.last_valid, 0.5, 1e-5);
  EXPECT_NEAR(check.first_invalid, 0.5, 1e-5);
  EXPECT_TRUE(rail.certified(0.0, 4.99).is_valid);
  EXPECT_TRUE(rail.certified(5.5, 7.5).is_valid);
}

TEST(CertifiedMotion, IsInvalidFromTheStartWhereItBeginsInCollision) {
  BallOnRail rail({{-0.05, 0.05}});
  const MotionCheck check = rail.certified(0.0, 10.0);
  EXPECT_FALSE(check.is_valid);
  EXPECT_LT(check.last_valid, 0.0);
  EXPECT_EQ(check.first_invalid, 0.0);
}

TEST(CertifiedMotion, LooksAtBothEnds) {
  BallOnRail rail({{5.0, 6.0}});
  EXPECT_FALSE(rail.certified(3.0, 4.95).is_valid);
  EXPECT_FALSE(rail.certified(6.05, 8.0).is_valid);
  EXPECT_FALSE(rail.certified(5.5, 5.5).is_valid);
  EXPECT_TRUE(rail.certified(4.0, 4.0).is_valid);
}

/// A turn about z that carries a ball of 5 cm on a joint of another kind.
RobotModel ball_on_turning_arm(JointKind kind) {
  std::vector<RobotLink> links(3);
  links[0].name = "base";
  links[1].name = "arm";
  links[2].name = "ball";
  links[2].geometry.push_back({"", Sphere(0.05), Pose()});
  std::vector<RobotJoint> joints(2);
  joints[0].name = "turn";
  joints[0].kind = JointKind::revolute;
  joints[0].child_link = 1;
  joints[0].axis = Vector3d::UnitZ();
  joints[0].lower = -4.0;
  joints[0].upper = 4.0;
  joints[1].name = "slide";
  joints[1].kind = kind;
  joints[1].parent_link = 1;
  joints[1].child_link = 2;
  joints[1].axis = kind == JointKind::planar ? Vector3d::UnitZ() : Vector3d::UnitX();
  joints[1].upper = 0.1;
  return RobotModel("arm", std::move(links), std::move(joints));
}

TEST(CertifiedMotion, SeesWhatIsOnTheArcOfASlideBeyondItsLimits) {
  for (const JointKind kind : {JointKind::prismatic, JointKind::planar, JointKind::floating}) {
    const ValidityChecker free(ball_on_turning_arm(kind));
    const double radius = kind == JointKind::prismatic ? 5.0 : 5000.0;  // without limits, the others take 100 m for one
    // The same with a slide that goes out while it turns.
    for (const double way : {0.0, 0.3 * radius}) {
      std::vector<double> from(free.dimension(), 0.0);
      from[1] = radius;
      std::vector<double> to = from;
      to[0] = 3.0;
      to[1] += way;
      for (int i = 0; i < 100; ++i) {
        const std::vector<double> met = along({from, to}, (i + 0.5) / 100.0);
        const Vector3d at(met[1] * std::cos(met[0]), met[1] * std::sin(met[0]), 0.0);
        const ValidityChecker checker = free.with_obstacles({{"box", Box(Vector3d(0.05, 0.05, 0.05)), Pose(at)}});
        ValidityChecker::State state(checker);
        ASSERT_FALSE(checker.is_valid(met, state));
        EXPECT_FALSE(checker.is_motion_valid(from, to, state)) << i << ", way " << way;
        EXPECT_FALSE(checker.check_motion(from, to, state).is_valid) << i << ", way " << way;
      }
    }
  }
}

TEST(CertifiedMotion, EndsOnSlidesOfAnyLengthPastASurface) {
  const TriangleMesh mesh = samples::l_mesh(0.2);
  for (const double reach : {1e3, 1e6, 1e9}) {
    const ValidityChecker checker(BallOnRail::rail(), {{"mesh", mesh, Pose(Vector3d(0.0, 1.0, 0.0))},
                                                       {"post", Sphere(0.1), Pose(Vector3d(0.0, 0.3, 0.0))}});
    ValidityChecker::State state(checker);
    const double from = -reach;
    EXPECT_TRUE(checker.is_motion_valid({&from, 1}, {&reach, 1}, state));
    const ValidityChecker blocked = checker.with_obstacles({{"mesh", mesh, Pose()}});
    ValidityChecker::State other(blocked);
    EXPECT_FALSE(blocked.is_motion_valid({&from, 1}, {&reach, 1}, other));
    EXPECT_FALSE(blocked.check_motion({&from, 1}, {&reach, 1}, other).is_valid);
  }
}

/// A turn about z that another mimics, and a slide on it; the turn that mimics is beside them.
RobotModel arm_with_mimic_turn(double multiplier, double offset = 0.0) {
  const RobotModel arm = ball_on_turning_arm(JointKind::prismatic);
  std::vector<RobotLink> links = arm.links();
  links.emplace_back().name = "wheel";
  links.back().geometry.push_back({"", Sphere(0.05), Pose(Vector3d(0.0, 0.0, 1.0))});
  std::vector<RobotJoint> joints = arm.joints();
  RobotJoint& follower = joints.emplace_back();
  follower.name = "follower";
  follower.kind = JointKind::continuous;
  follower.child_link = 3;
  follower.mimic = {0, multiplier, offset};
  return RobotModel("arm", std::move(links), std::move(joints));
}

TEST(CertifiedMotion, RefusesTurnsThatTakeTooLongToProve) {
  const ValidityChecker checker(arm_with_mimic_turn(-3.0));
  ValidityChecker::State state(checker);
  const std::vector<double> from = {-500.0, 0.0};
  std::uint8_t valid = 0;
  const std::vector<double> near = {1999.0, 0.0};
  EXPECT_TRUE(checker.is_motion_valid(from, near, state));
  EXPECT_TRUE(checker.check_motion(from, near, state).is_valid);
  checker.are_motions_valid(from, near, {&valid, 1});
  EXPECT_EQ(valid, 1);
  // Four times the change of the variable, with what mimics it.
  const std::string error = "to: the turns of a certified motion must come to at most 1e4 radians together, got 10008";
  for (const double sign : {1.0, -1.0}) {
    const std::vector<double> start = {-500.0 * sign, 0.0};
    const std::vector<double> far = {2002.0 * sign, 0.0};
    EXPECT_EQ(samples::error_text([&] { static_cast<void>(checker.is_motion_valid(start, far, state)); }), error);
    EXPECT_EQ(samples::error_text([&] { static_cast<void>(checker.check_motion(start, far, state)); }), error);
    const std::vector<double> starts = {start[0], start[1], start[0], start[1]};
    const std::vector<double> ends = {start[0], start[1], far[0], far[1]};
    std::uint8_t both[2];
    EXPECT_EQ(samples::error_text([&] { checker.are_motions_valid(starts, ends, both); }), "motion 1: " + error);
    EXPECT_TRUE(checker.is_motion_valid(start, far, 1.0, state)) << "samples have a limit of their own";
  }
  // From any place to a near one.
  EXPECT_TRUE(checker.is_motion_valid(std::vector<double>{1e8, 0.0}, std::vector<double>{1e8 + 1.0, 0.0}, state));
}

TEST(CertifiedMotion, RefusesTurnsOfSlidesSoLongThatTheyTakeTooLongToProve) {
  const ValidityChecker checker(ball_on_turning_arm(JointKind::prismatic));
  ValidityChecker::State state(checker);
  const auto ask = [&](double from, double to, double turn) {
    return samples::error_text([&] {
      static_cast<void>(checker.is_motion_valid(std::vector<double>{0.0, from}, std::vector<double>{turn, to}, state));
    });
  };
  EXPECT_EQ(ask(-1e9, 1e9, 0.0), "no error");
  EXPECT_EQ(ask(1e9, 1e9, 0.099), "no error");
  const std::string error =
      "to: the turns of a certified motion must carry no link farther than 1e8 metres, got 200000000";
  EXPECT_EQ(ask(1e9, 1e9, 0.2), error);
  EXPECT_EQ(ask(2e4, 0.0, -1e4), error) << "the slide is longest at an end";
}

TEST(SampledMotion, TellsTheSamplesBeforeAndAtTheFirstCollision) {
  BallOnRail rail({{5.1, 9.0}});
  const MotionCheck check = rail.sampled(0.0, 10.0, 0.3);  // 34 steps; the wall is met at 5.0
  EXPECT_FALSE(check.is_valid);
  EXPECT_DOUBLE_EQ(check.last_valid, 16.0 / 34.0);  // at 4.7
  EXPECT_DOUBLE_EQ(check.first_invalid, 17.0 / 34.0);
  EXPECT_EQ(check.pair.other, "wall 0");
}

TEST(SampledMotion, IsInvalidFromTheStartWhereItBeginsInCollision) {
  BallOnRail rail({{-0.05, 0.05}});
  const MotionCheck check = rail.sampled(0.0, 10.0, 0.5);
  EXPECT_FALSE(check.is_valid);
  EXPECT_LT(check.last_valid, 0.0);
  EXPECT_EQ(check.first_invalid, 0.0);
}

TEST(SampledMotion, LooksAtBothEndsAndAtASingleState) {
  BallOnRail rail({{5.0, 6.0}});
  EXPECT_FALSE(rail.sampled(3.0, 4.95, 100.0).is_valid);
  EXPECT_FALSE(rail.sampled(6.05, 8.0, 100.0).is_valid);
  EXPECT_FALSE(rail.sampled(5.5, 5.5, 0.1).is_valid);
  EXPECT_TRUE(rail.sampled(4.0, 4.0, 0.1).is_valid);
}

TEST(SampledMotion, RefusesMoreStepsThanItTakes) {
  BallOnRail rail({{5.0, 6.0}});
  EXPECT_EQ(samples::error_text([&] { static_cast<void>(rail.sampled(0.0, 4.0, 1e-9)); }),
            "resolution: must make at most 1e9 steps of the motion, got 1e-09");
  EXPECT_NE(samples::error_text([&] { static_cast<void>(rail.is_sampled_valid(5.5, 4.0, 5e-324)); }), "no error");
  EXPECT_TRUE(rail.sampled(4.0, 4.0, 5e-324).is_valid);
}

TEST(SampledMotion, LooksAtEverySampleWhateverTheirNumber) {
  // A wall so thin that exactly one of the samples is in it, wherever that sample comes in the order.
  for (const int steps : {1, 2, 3, 7, 8, 9, 15, 16, 20, 31, 32, 33, 90}) {
    const double step = 10.0 / steps;
    for (int sample = 0; sample <= steps; ++sample) {
      BallOnRail rail({{step * sample - 5e-4, step * sample + 5e-4}});
      const MotionCheck check = rail.sampled(0.0, 10.0, step * (1.0 + 1e-9));
      EXPECT_FALSE(check.is_valid) << sample << " of " << steps;
      EXPECT_DOUBLE_EQ(check.first_invalid, static_cast<double>(sample) / steps);
      EXPECT_DOUBLE_EQ(check.last_valid, sample == 0 ? -1.0 : (sample - 1.0) / steps);
      EXPECT_FALSE(rail.is_sampled_valid(0.0, 10.0, step * (1.0 + 1e-9))) << sample << " of " << steps;
    }
  }
}

TEST(SampledMotion, SaysWhatItsSamplesSayOneByOne) {
  const RobotModel robot = test::test_arm();
  ValidityOptions options = test::arm_options(robot);
  const ValidityChecker fast(robot, test::obstacles_of_every_kind(), options);
  options.fast_tier = false;
  const ValidityChecker exact(robot, test::obstacles_of_every_kind(), options);
  ValidityChecker::State state(fast);
  ValidityChecker::State exact_state(exact);
  samples::Random random(11);
  int invalid = 0;
  const int count = samples::kIsInstrumented ? 20 : 400;
  for (int i = 0; i < count; ++i) {
    const RandomMotion motion = test::random_motion(fast, random.uniform(0.05, 2.0), random);
    const double resolution = random.uniform(0.02, 0.2);
    const MotionCheck check = fast.check_motion(motion.from, motion.to, resolution, state);
    const MotionCheck expected = exact.check_motion(motion.from, motion.to, resolution, exact_state);
    EXPECT_EQ(check.is_valid, expected.is_valid);
    EXPECT_EQ(check.first_invalid, expected.first_invalid);
    EXPECT_EQ(check.last_valid, expected.last_valid);
    EXPECT_EQ(fast.is_motion_valid(motion.from, motion.to, resolution, state), expected.is_valid);
    EXPECT_EQ(exact.is_motion_valid(motion.from, motion.to, resolution, exact_state), expected.is_valid);
    invalid += expected.is_valid ? 0 : 1;
  }
  EXPECT_GT(invalid, count / 10);
  EXPECT_LT(invalid, count);
}

}  // namespace
}  // namespace abut
