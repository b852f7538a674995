// Pairs that ask the features of their last answer first: the same answers as from a cold start, certified by support
// values, for whatever the memory holds.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/placed_pair.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace abut {
namespace {

using samples::log_uniform;
using samples::placed;
using samples::Random;

struct Kind {
  std::string name;
  std::function<Shape(Random&)> make;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"box", [](Random& random) { return Shape(Box(random.vector(0.3, 1.0))); }},
      {"padded_box", [](Random& random) { return Shape(Box(random.vector(0.3, 1.0)), 0.05); }},
      {"hull_of_20", [](Random& random) { return Shape(samples::random_hull(20, 0.8, random)); }},
      {"hull_of_600", [](Random& random) { return Shape(samples::random_hull(600, 0.8, random)); }},
      {"capsule", [](Random& random) { return Shape(Capsule(random.uniform(0.1, 0.4), random.uniform(0.2, 0.8))); }},
      {"sphere", [](Random& random) { return Shape(Sphere(random.uniform(0.2, 0.8))); }},
      {"cylinder", [](Random& random) { return Shape(Cylinder(random.uniform(0.2, 0.8), random.uniform(0.2, 0.8))); }},
      {"disc", [](Random& random) { return Shape(Cylinder(random.uniform(0.2, 0.8), 0.0)); }},
  };
  return all;
}

const Kind& kind_named(const std::string& name) {
  for (const Kind& known : kinds()) {
    if (known.name == name) return known;
  }
  throw std::out_of_range(name);
}

/// How far b reaches beyond a's plane, at most: minus the support value of the Minkowski difference along the normal.
double separation_along(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                        const Vector3d& normal) {
  const Vector3d on_a = world_from_a * support(a, world_from_a.unrotate(normal));
  const Vector3d on_b = world_from_b * support(b, world_from_b.unrotate(-normal));
  return (on_b - on_a).dot(normal);
}

class RememberedCorners : public testing::TestWithParam<std::pair<std::size_t, std::size_t>> {};

TEST_P(RememberedCorners, AnswerAsAColdStartDoes) {
  const Kind& kind_a = kinds()[GetParam().first];
  const Kind& kind_b = kinds()[GetParam().second];
  Random random(101 + 17 * GetParam().first + GetParam().second);
  for (int trial = 0; trial < 40; ++trial) {
    const Shape a = kind_a.make(random);
    const Shape b = kind_b.make(random);
    const double depth = std::pow(10.0, random.uniform(-5.0, -0.5));
    const double gap = trial % 2 == 0 ? -depth : random.uniform(0.0, 0.03);
    Pose pose = placed(a, b, gap, random);
    PairCache cache;
    for (int frame = 0; frame < 12; ++frame) {
      SCOPED_TRACE(testing::Message() << kind_a.name << " against " << kind_b.name << ", trial " << trial << ", frame "
                                      << frame);
      const Separation cold = distance(a, Pose(), b, pose);
      const Separation warm = distance(a, Pose(), b, pose, {}, &cache);
      EXPECT_NEAR(warm.distance, cold.distance, 1e-11 + cold.distance_error + warm.distance_error);
      EXPECT_NEAR(separation_along(a, Pose(), b, pose, warm.normal), warm.distance, 1e-11 + warm.distance_error);
      EXPECT_NEAR((warm.point_b - warm.point_a).dot(warm.normal), warm.distance, 1e-11 + warm.distance_error);
      EXPECT_LT((warm.point_b - warm.point_a - warm.distance * warm.normal).norm(), 1e-5);
      const double size = frame % 4 == 3 ? 0.02 : 1e-4;  // now and then so far that other features are nearest
      pose = Pose(size * random.direction(), Quaterniond(Eigen::AngleAxisd(size, random.direction()))) * pose;
    }
  }
}

std::vector<std::pair<std::size_t, std::size_t>> all_pairs() {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < kinds().size(); ++a) {
    for (std::size_t b = 0; b < kinds().size(); ++b) pairs.emplace_back(a, b);
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(OfAllKinds, RememberedCorners, testing::ValuesIn(all_pairs()), [](const auto& test) {
  return kinds()[test.param.first].name + "_against_" + kinds()[test.param.second].name;
});

/// Share of warm queries on slow motion that one iteration answers.
double share_at_once(const Kind& kind_a, const Kind& kind_b, double gap) {
  Random random(5);
  int at_once = 0;
  int queries = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Shape a = kind_a.make(random);
    const Shape b = kind_b.make(random);
    Pose pose = placed(a, b, gap, random);
    PairCache cache;
    static_cast<void>(distance(a, Pose(), b, pose, {}, &cache));
    for (int frame = 0; frame < 5; ++frame) {
      pose = Pose(1e-5 * random.direction(), Quaterniond(Eigen::AngleAxisd(1e-5, random.direction()))) * pose;
      at_once += distance(a, Pose(), b, pose, {}, &cache).iterations == 1 ? 1 : 0;
      ++queries;
    }
  }
  return static_cast<double>(at_once) / queries;
}

TEST(RememberedCornersOfSlowPairs, AnswerMostQueriesAtOnce) {
  for (const auto& [a, b] : {std::pair("hull_of_20", "hull_of_20"), std::pair("box", "hull_of_20"),
                             std::pair("hull_of_20", "capsule"), std::pair("hull_of_20", "sphere")}) {
    EXPECT_GT(share_at_once(kind_named(a), kind_named(b), -0.005), 0.7) << a << " in " << b;
    EXPECT_GT(share_at_once(kind_named(a), kind_named(b), 0.005), 0.9) << a << " before " << b;
  }
  // Faces smaller than the depth: what lies around them proves it.
  EXPECT_GT(share_at_once(kind_named("box"), kind_named("hull_of_600"), -0.1), 0.9);
  EXPECT_GT(share_at_once(kind_named("hull_of_600"), kind_named("hull_of_600"), -0.1), 0.85);
  for (const auto& [a, b] :
       {std::pair("box", "cylinder"), std::pair("cylinder", "hull_of_20"), std::pair("capsule", "cylinder")}) {
    EXPECT_GT(share_at_once(kind_named(a), kind_named(b), -0.005), 0.9) << a << " in " << b;
    EXPECT_GT(share_at_once(kind_named(a), kind_named(b), 0.005), 0.95) << a << " before " << b;
  }
  // The rest are rims across rims.
  EXPECT_GT(share_at_once(kind_named("cylinder"), kind_named("cylinder"), -0.005), 0.6);
  EXPECT_GT(share_at_once(kind_named("cylinder"), kind_named("cylinder"), 0.005), 0.6);
}

TEST(RememberedCorners, AreNoAnswerOnceAnotherSideIsNearer) {
  Random random(8);
  int turned = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Kind& kind_a = kinds()[random.below(static_cast<std::uint32_t>(kinds().size()))];
    const Kind& kind_b = kinds()[random.below(static_cast<std::uint32_t>(kinds().size()))];
    const Shape a = kind_a.make(random);
    const Shape b = kind_b.make(random);
    Pose pose = placed(a, b, -0.005, random);
    const Vector3d inwards = -distance(a, Pose(), b, pose).normal;
    PairCache cache;
    Vector3d last = -inwards;
    // b passes through a, in steps after which the last face is below it still.
    for (int frame = 0; frame < 40; ++frame) {
      SCOPED_TRACE(testing::Message() << kind_a.name << " against " << kind_b.name << ", trial " << trial << ", frame "
                                      << frame);
      const Separation cold = distance(a, Pose(), b, pose);
      const Separation warm = distance(a, Pose(), b, pose, {}, &cache);
      ASSERT_NEAR(warm.distance, cold.distance, 1e-11 + cold.distance_error + warm.distance_error);
      turned += warm.normal.dot(last) < 0.5 ? 1 : 0;
      last = warm.normal;
      pose = Pose(random.uniform(0.01, 0.08) * inwards + 0.002 * random.direction()) * pose;
    }
  }
  EXPECT_GT(turned, 200);
}

// Of bodies so thin that another side is nearly as near all the time, and no ball within them tells.
TEST(RememberedCorners, OfWedgesAndNeedlesChangeNoAnswer) {
  Random random(12);
  const auto expect_same = [](const Shape& a, const Shape& b, const Pose& before, const Pose& after) {
    PairCache cache;
    static_cast<void>(distance(a, Pose(), b, before, {}, &cache));
    const Separation warm = distance(a, Pose(), b, after, {}, &cache);
    const Separation cold = distance(a, Pose(), b, after);
    EXPECT_NEAR(warm.distance, cold.distance, 1e-14 + cold.distance_error + warm.distance_error);
  };
  for (int trial = 0; trial < 3000; ++trial) {
    SCOPED_TRACE(testing::Message() << "wedge " << trial);
    const double angle = log_uniform(1e-10, 1e-6, random);
    const double back = random.uniform(0.02, 0.4);
    const double width = random.uniform(0.2, 1.0);
    const double front = random.uniform(0.5, 2.0);
    std::vector<Vector3d> corners;
    for (const double y : {-width, width}) {
      corners.emplace_back(-back, y, 0.0);
      corners.emplace_back(front, y, 0.0);
      corners.emplace_back(front, y, -angle * (front + back));
    }
    const double across = random.uniform(-0.5, 0.5) * width;
    const auto at = [&](double part) { return Pose(Vector3d(0.0, across, -part * angle * back)); };
    expect_same(ConvexHull::from_points(corners), Sphere(0.1), at(random.uniform(0.1, 0.45)),
                at(random.uniform(0.51, 0.9)));
  }
  for (int trial = 0; trial < 3000; ++trial) {
    SCOPED_TRACE(testing::Message() << "needle " << trial);
    const double radius = log_uniform(1e-11, 1e-8, random);
    std::vector<Vector3d> corners;
    for (int i = 0; i < 6; ++i) {
      const double turn = 2.0 * std::acos(-1.0) * (i % 3) / 3.0 + 0.3;
      corners.emplace_back(radius * std::cos(turn), radius * std::sin(turn), i < 3 ? -1.0 : 1.0);
    }
    const Quaterniond turned = random.rotation();
    const Vector3d start = Vector3d(0.0, 0.0, 0.3) + random.uniform(0.0, 0.3) * random.direction();
    expect_same(Box(Vector3d(0.5, 0.5, 0.5)), ConvexHull::from_points(corners), Pose(start, turned),
                Pose(start + random.uniform(0.0, 0.3) * random.direction(), turned));
  }
}

TEST(RememberedCorners, StartTheSimplexWhereOtherFeaturesHaveComeNear) {
  Random random(6);
  int cold = 0;
  int warm = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Shape a(samples::random_hull(600, 0.8, random));
    const Shape b(samples::random_hull(600, 0.8, random));
    Pose pose = placed(a, b, 0.02, random);
    PairCache cache;
    static_cast<void>(distance(a, Pose(), b, pose, {}, &cache));
    for (int frame = 0; frame < 5; ++frame) {  // by about the size of a face
      pose = Pose(0.01 * random.direction(), Quaterniond(Eigen::AngleAxisd(0.02, random.direction()))) * pose;
      cold += distance(a, Pose(), b, pose).iterations;
      warm += distance(a, Pose(), b, pose, {}, &cache).iterations;
    }
  }
  EXPECT_LT(2 * warm, cold);
}

/// How many times the iterations of warm queries a cold start of GJK and EPA alone takes, of bodies that overlap and
/// turn.
/// @param depth  Of the overlap at first, metres. @param turn  From frame to frame, radians, about an axis that stays.
double gain_in_overlap(const Kind& kind_a, const Kind& kind_b, double depth, double turn) {
  Random random(14);
  int cold = 0;
  int warm = 0;
  DistanceOptions alone;
  alone.solver = Solver::gjk;
  for (int trial = 0; trial < 60; ++trial) {
    const Shape a = kind_a.make(random);
    const Shape b = kind_b.make(random);
    Pose pose = placed(a, b, -depth, random);
    const Quaterniond step(Eigen::AngleAxisd(turn, random.direction()));
    PairCache cache;
    static_cast<void>(distance(a, Pose(), b, pose, {}, &cache));
    for (int frame = 0; frame < 10; ++frame) {
      pose = Pose(pose.translation(), step * pose.quaternion());
      cold += distance(a, Pose(), b, pose, alone).iterations;
      warm += distance(a, Pose(), b, pose, {}, &cache).iterations;
    }
  }
  return static_cast<double>(cold) / warm;
}

TEST(RememberedCornersOfTurningPairs, AreFollowedFromFeatureToFeature) {
  EXPECT_GT(gain_in_overlap(kind_named("box"), kind_named("cylinder"), 0.02, 0.05), 8.5);
  EXPECT_GT(gain_in_overlap(kind_named("cylinder"), kind_named("hull_of_20"), 0.02, 0.05), 8.0);
  EXPECT_GT(gain_in_overlap(kind_named("hull_of_600"), kind_named("hull_of_600"), 0.2, 0.01), 9.0);
  // Past the edges beyond which there is less depth.
  EXPECT_GT(gain_in_overlap(kind_named("hull_of_600"), kind_named("hull_of_600"), 0.05, 0.05), 5.0);
  EXPECT_GT(gain_in_overlap(kind_named("hull_of_20"), kind_named("hull_of_20"), 0.05, 0.05), 5.0);
}

TEST(RememberedCorners, OfAnyOtherPairChangeNoAnswer) {
  Random random(77);
  for (int i = 0; i < (samples::kIsInstrumented ? 600 : 3000); ++i) {
    const Kind& kind_a = kinds()[random.below(static_cast<std::uint32_t>(kinds().size()))];
    const Kind& kind_b = kinds()[random.below(static_cast<std::uint32_t>(kinds().size()))];
    SCOPED_TRACE(testing::Message() << "round " << i << ": " << kind_a.name << " against " << kind_b.name);
    const Shape a = kind_a.make(random);
    const Shape b = kind_b.make(random);
    const Pose pose(1.2 * random.direction(), random.rotation());
    PairCache cache;
    cache.has_solution = true;
    cache.cores_overlap = random.chance(0.5);
    cache.normal_a = random.direction();
    cache.corners.count = random.below(6);  // more than there is room for as well
    for (std::size_t k = 0; k < 3; ++k) {
      cache.corners.of_a[k] = random.chance(0.1) ? ~std::uint32_t{0} : random.below(30);
      cache.corners.of_b[k] = random.chance(0.1) ? ~std::uint32_t{0} : random.below(30);
    }
    const Separation cold = distance(a, Pose(), b, pose);
    const Separation warm = distance(a, Pose(), b, pose, {}, &cache);
    EXPECT_NEAR(warm.distance, cold.distance, 1e-11 + cold.distance_error + warm.distance_error);
  }
}

}  // namespace
}  // namespace abut
