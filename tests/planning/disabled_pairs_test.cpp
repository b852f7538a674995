// Pairs that need no check, against every pair of shapes asked at the same configurations.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <abut/planning/disabled_pairs.h>
#include <abut/planning/random_values.h>
#include <abut/planning/urdf_file.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arm.h"

namespace abut {
namespace {

using samples::error_text;
using test::test_arm;

using Reasons = std::map<std::pair<std::string, std::string>, std::string>;

Reasons reasons_of(const RobotModel& robot, const std::vector<DisabledPair>& pairs) {
  Reasons reasons;
  for (const DisabledPair& pair : pairs) {
    reasons[{robot.links()[pair.link_a].name, robot.links()[pair.link_b].name}] = pair.reason;
  }
  return reasons;
}

bool brute_force_collides(const RobotModel& robot, const std::vector<Pose>& poses, std::size_t a, std::size_t b) {
  for (const LinkGeometry& of_a : robot.links()[a].geometry) {
    for (const LinkGeometry& of_b : robot.links()[b].geometry) {
      if (collides(of_a.shape, poses[a] * of_a.link_from_shape, of_b.shape, poses[b] * of_b.link_from_shape)) {
        return true;
      }
    }
  }
  return false;
}

// The rules once more, without bounds, chunks of unequal size or threads.
std::vector<DisabledPair> brute_force_pairs(const RobotModel& robot, const DisabledPairsOptions& options) {
  constexpr std::size_t kChunk = 64;
  std::vector<std::vector<Pose>> poses;
  std::mt19937_64 generator;
  for (std::size_t i = 0; i < options.samples; ++i) {
    if (i % kChunk == 0) generator = generator_for(options.seed, i / kChunk);
    poses.push_back(robot.link_poses(random_values(robot, generator)));
  }
  const std::vector<Pose> default_poses = robot.link_poses(robot.default_values());
  std::vector<DisabledPair> pairs;
  for (std::size_t a = 0; a < robot.links().size(); ++a) {
    for (std::size_t b = a + 1; b < robot.links().size(); ++b) {
      if (robot.links()[a].geometry.empty() || robot.links()[b].geometry.empty()) continue;
      const auto collided = std::count_if(poses.begin(), poses.end(), [&](const std::vector<Pose>& sample) {
        return brute_force_collides(robot, sample, a, b);
      });
      const double share = static_cast<double>(collided) / static_cast<double>(options.samples);
      if (robot.adjacent(a, b)) {
        pairs.push_back({a, b, kAdjacentReason});
      } else if (brute_force_collides(robot, default_poses, a, b)) {
        pairs.push_back({a, b, kDefaultReason});
      } else if (collided == 0) {
        pairs.push_back({a, b, kNeverReason});
      } else if (share >= options.always_fraction) {
        pairs.push_back({a, b, kAlwaysReason});
      }
    }
  }
  return pairs;
}

// Each link a ball of radius 0.1: a post at x = 0, and sliders along x that start at `start` and go to `end`.
std::string slider_text(const std::string& name, double start, double end) {
  const std::string place = std::to_string(start) + " 0 0";
  return "<link name=\"" + name + "\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>" +
         "<joint name=\"" + name + "_rail\" type=\"prismatic\"><parent link=\"cart\"/><child link=\"" + name +
         "\"/><origin xyz=\"" + place + "\"/><limit lower=\"0\" upper=\"" + std::to_string(end - start) +
         "\"/></joint>";
}

RobotModel sliders() {
  return parse_urdf(
      "<robot name=\"sliders\"><link name=\"post\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision>"
      "</link><link name=\"cart\"><collision><origin xyz=\"0 9 0\"/><geometry><sphere radius=\"0.1\"/></geometry>"
      "</collision></link><joint name=\"j\" type=\"fixed\"><parent link=\"post\"/><child link=\"cart\"/></joint>" +
          slider_text("touching", 0.15, 0.55)    // in a ninth of its way it overlaps the post, at its start too
          + slider_text("leaving", -0.201, 0.1)  // overlaps all but at its start
          + slider_text("passing", -0.45, 0.45)  // in half of its way
          + slider_text("away", 1.0, 1.5) + "</robot>",
      "");
}

TEST(DisabledPairs, EachReasonIsFound) {
  const RobotModel robot = sliders();
  const Reasons reasons = reasons_of(robot, find_disabled_pairs(robot, {.samples = 1000}));
  const auto reason = [&](const char* a, const char* b) {
    const auto found = reasons.find({a, b});
    return found == reasons.end() ? std::string("checked") : found->second;
  };
  EXPECT_EQ(reason("post", "cart"), "Adjacent");
  EXPECT_EQ(reason("cart", "passing"), "Adjacent");
  EXPECT_EQ(reason("post", "touching"), "Default");
  EXPECT_EQ(reason("post", "leaving"), "Always");
  EXPECT_EQ(reason("post", "passing"), "checked");
  EXPECT_EQ(reason("post", "away"), "Never");
  EXPECT_EQ(reason("touching", "away"), "Never");
  EXPECT_EQ(reason("leaving", "passing"), "checked");
  EXPECT_EQ(reasons_of(robot, find_disabled_pairs(robot, {.samples = 1000, .always_fraction = 1.0}))
                .count({"post", "leaving"}),
            0u);
}

// A block beside an arm of two links of a ball each on a joint of a kind; the block stands where the first ball gets if
// the joint moves by 1.
RobotModel arm_beside_block(JointKind kind, double limit) {
  const auto ball_at = [](const std::string& name, const Vector3d& place) {
    return RobotLink{name, {{"", Sphere(0.1), Pose(place)}}};
  };
  std::vector<RobotLink> links = {{.name = "base", .geometry = {}}};
  links.push_back(ball_at("block", Vector3d(std::cos(1.0), std::sin(1.0), 0.0)));
  links.push_back(ball_at("arm", Vector3d::UnitX()));
  links.push_back(ball_at("hand", Vector3d(1.3, 0.0, 0.0)));
  std::vector<RobotJoint> joints(3);
  for (std::size_t i = 0; i < 3; ++i) {
    joints[i].name = "to " + links[i + 1].name;
    joints[i].parent_link = i == 2 ? 2 : 0;
    joints[i].child_link = i + 1;
  }
  joints[1].kind = kind;
  joints[1].axis = Vector3d::UnitZ();
  joints[1].lower = -limit;
  joints[1].upper = limit;
  return RobotModel("arm", std::move(links), std::move(joints));
}

TEST(DisabledPairs, AreNotFoundWhereNoSampleMovesAJoint) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto pairs = [](const RobotModel& robot) {
    return reasons_of(robot, find_disabled_pairs(robot, {.samples = 2000}));
  };
  for (const JointKind kind : {JointKind::floating, JointKind::planar}) {
    const Reasons reasons = pairs(arm_beside_block(kind, 0.0));
    EXPECT_EQ(reasons.count({"block", "arm"}) + reasons.count({"block", "hand"}), 0u);
    EXPECT_EQ(reasons.at({"arm", "hand"}), "Adjacent");
  }
  for (const double limit : {1e10, 1e160, 8e307, kMost}) {
    EXPECT_EQ(pairs(arm_beside_block(JointKind::prismatic, limit)).count({"block", "hand"}), 0u) << limit;
    EXPECT_EQ(pairs(arm_beside_block(JointKind::revolute, limit)).count({"block", "arm"}), 0u) << limit;
    EXPECT_EQ(pairs(arm_beside_block(JointKind::revolute, limit)).at({"block", "hand"}), "Never") << limit;
  }
  EXPECT_EQ(pairs(arm_beside_block(JointKind::prismatic, 1.0)).at({"block", "hand"}), "Never");
}

TEST(DisabledPairs, AreThoseOfBruteForce) {
  const RobotModel arm = test_arm();
  for (const std::uint64_t seed : {1u, 2u}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{300}}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", samples " << count);
      const DisabledPairsOptions options = {.samples = count, .seed = seed};
      EXPECT_EQ(find_disabled_pairs(arm, options), brute_force_pairs(arm, options));
    }
  }
  EXPECT_LT(find_disabled_pairs(arm).size(), 11u * 10u / 2u);  // some pairs did collide in some samples
  const DisabledPairsOptions few = {.samples = 200, .seed = 3, .always_fraction = 0.3};
  EXPECT_EQ(find_disabled_pairs(sliders(), few), brute_force_pairs(sliders(), few));
  const RobotModel surfaces = test_arm({.meshes = UrdfMeshes::as_they_are});
  EXPECT_EQ(find_disabled_pairs(surfaces, {.samples = 200}), brute_force_pairs(surfaces, {.samples = 200}));
}

TEST(DisabledPairs, DoNotDependOnTheNumberOfThreads) {
  const RobotModel arm = test_arm();
  const DisabledPairsOptions options = {.samples = 1000, .seed = 11};
  std::vector<DisabledPair> alone;
  tbb::task_arena(1).execute([&] { alone = find_disabled_pairs(arm, options); });
  for (const int threads : {2, 5}) {
    for (int run = 0; run < 3; ++run) {
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
      tbb::task_arena arena(threads);
      arena.execute([&] { EXPECT_EQ(find_disabled_pairs(arm, options), alone); });
    }
  }
}

TEST(DisabledPairs, DependOnTheSeed) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RobotModel robot = sliders();
    found.insert(reasons_of(robot, find_disabled_pairs(robot, {.samples = 1, .seed = seed}))[{"post", "passing"}]);
  }
  EXPECT_EQ(found, (std::set<std::string>{kAlwaysReason, kNeverReason}));  // of one sample, a pair is either
}

TEST(DisabledPairs, LinksWithoutGeometryJoinTheirNeighbours) {
  const std::string ball = "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>";
  const auto fixed = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "<joint name=\"" + name + "\" type=\"fixed\"><parent link=\"" + parent + "\"/><child link=\"" + child +
           "\"/><origin xyz=\"1 0 0\"/></joint>";
  };
  const RobotModel robot =
      parse_urdf("<robot name=\"r\"><link name=\"a\">" + ball + "</link><link name=\"b\"/><link name=\"c\">" + ball +
                     "</link><link name=\"d\">" + ball + "</link>" + fixed("ab", "a", "b") + fixed("bc", "b", "c") +
                     fixed("bd", "b", "d") + "</robot>",
                 "");
  // c and d lie in the same place, but neither is below the other.
  EXPECT_EQ(find_disabled_pairs(robot, {.samples = 1}),
            (std::vector<DisabledPair>{{0, 2, kAdjacentReason}, {0, 3, kAdjacentReason}, {2, 3, kDefaultReason}}));
}

TEST(DisabledPairs, OfTheTestArmAreWhatItsSrdfSays) {
  const RobotModel arm = test_arm();
  const LinkPairs pairs = link_pairs(find_disabled_pairs(arm), arm.links().size());
  const std::size_t wrist = arm.find_link("wrist").value();
  EXPECT_TRUE(pairs.contains(wrist, arm.find_link("forearm").value()));
  EXPECT_FALSE(pairs.contains(arm.find_link("left_finger").value(), arm.find_link("base").value()));
  EXPECT_FALSE(pairs.contains(wrist, wrist));
}

TEST(DisabledPairs, WrongOptionsAreNamed) {
  const RobotModel robot = sliders();
  const auto options_error = [&](const DisabledPairsOptions& options) {
    return error_text([&] { static_cast<void>(find_disabled_pairs(robot, options)); });
  };
  EXPECT_EQ(options_error({.samples = 0}), "samples: must be > 0, got 0");
  EXPECT_EQ(options_error({.samples = 2'000'000'000'000}), "samples: must be <= 1e12, got 2e+12");
  EXPECT_NE(options_error({.samples = std::numeric_limits<std::size_t>::max()}), "no error");
  EXPECT_EQ(options_error({.always_fraction = 0.0}), "always_fraction: must be in (0, 1], got 0");
  EXPECT_EQ(options_error({.always_fraction = std::numeric_limits<double>::quiet_NaN()}),
            "always_fraction: must be in (0, 1], got nan");
  const std::vector<DisabledPair> outside = {{0, 5, ""}};
  EXPECT_EQ(error_text([&] { static_cast<void>(link_pairs(outside, 5)); }),
            "link: must be the index of one of 5 links, got 5");
}

TEST(RandomValues, FillTheLimitsAndLeaveTheRestAlone) {
  const RobotModel robot = parse_urdf(
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/><joint name=\"p\" type=\"planar\">"
      "<parent link=\"a\"/><child link=\"b\"/></joint><joint name=\"l\" type=\"prismatic\"><parent link=\"b\"/>"
      "<child link=\"c\"/><limit lower=\"2\" upper=\"3\"/></joint></robot>",
      "");
  std::mt19937_64 generator = generator_for(1, 0);
  Vector3d least = Vector3d::Constant(10.0);
  Vector3d most = -least;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<double> values = random_values(robot, generator);
    ASSERT_EQ(values.size(), 4u);
    EXPECT_EQ(values[0], 0.0);
    EXPECT_EQ(values[1], 0.0);
    const Vector3d sampled(values[2], values[3], 0.0);
    least = least.cwiseMin(sampled);
    most = most.cwiseMax(sampled);
  }
  EXPECT_GE(least[0], robot.variables()[2].lower);
  EXPECT_LT(least[0], -3.1);
  EXPECT_GT(most[0], 3.1);
  EXPECT_GE(least[1], 2.0);
  EXPECT_LT(least[1], 2.01);
  EXPECT_LE(most[1], 3.0);
  EXPECT_GT(most[1], 2.99);
}

TEST(RandomValues, OfAnAngleWithoutMeaningfulLimitsAreWithinATurn) {
  const RobotModel robot = arm_beside_block(JointKind::revolute, std::numeric_limits<double>::max());
  std::mt19937_64 generator = generator_for(1, 0);
  double least = 10.0;
  double most = -10.0;
  for (int i = 0; i < 1000; ++i) {
    const double value = random_values(robot, generator)[0];
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_GE(least, -std::numbers::pi);
  EXPECT_LT(least, -3.1);
  EXPECT_LT(most, std::numbers::pi);
  EXPECT_GT(most, 3.1);
}

TEST(RandomValues, AreTheSameEverywhere) {
  // 53 bits of SplitMix64-seeded Mersenne Twister numbers: written down so that a change is noticed.
  std::mt19937_64 generator = generator_for(1, 2);
  EXPECT_EQ(generator(), generator_for(1, 2)());
  EXPECT_NE(generator_for(1, 2)(), generator_for(2, 1)());
  EXPECT_NE(generator_for(1, 0)(), generator_for(0, 1)());
}

}  // namespace
}  // namespace abut
