// Batches in the plane beside the single calls, and the filter that they go through beside exact separations.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/planar/core_filter.h>
#include <abut/narrowphase/planar/planar_batch.h>
#include <abut/narrowphase/planar/planar_lanes.h>
#include <gtest/gtest.h>
#include <support/error_text.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "planar_samples.h"

namespace abut::planar {
namespace {

using samples::Random;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// Places of a all around b: far, near, touching to rounding, and to within what single precision can tell.
std::vector<Pose> poses_around(const Shape& a, const Shape& b, const Pose& world_from_b, double size, Random& random) {
  std::vector<Pose> poses;
  for (int i = 0; i < 100; ++i) {
    Pose pose = samples::random_planar_pose((i % 4 == 0 ? 6.0 : 2.0) * size, random);
    pose.translation += world_from_b.translation;
    if (i % 4 == 1) pose = samples::moved_apart(a, pose, b, world_from_b, 0.0);
    if (i % 4 == 2) {
      const double gap = size * std::pow(10.0, random.uniform(-16.0, -1.0)) * (random.chance(0.5) ? 1.0 : -1.0);
      pose = samples::moved_apart(a, pose, b, world_from_b, gap);
    }
    poses.push_back(pose);
  }
  return poses;
}

TEST(PlanarBatch, TheAnswersForManyPosesAreThoseOfSingleCalls) {
  std::size_t questions = 0;
  std::size_t hits = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (int i = 0; i < 400; ++i) {
      const double size = std::pow(10.0, random.uniform(-6.0, 6.0));
      const Shape a = samples::random_planar_shape(random.below(samples::kPlanarKinds), size, random);
      const Shape b =
          samples::random_planar_shape(random.below(samples::kPlanarKinds), size * random.uniform(0.1, 3.0), random);
      const Pose world_from_b = samples::random_planar_pose(i % 3 == 0 ? 1e6 * size : size, random);
      const double margin = i % 2 == 0 ? 0.0 : size * random.uniform(0.0, 0.5);
      const std::vector<Pose> poses = poses_around(a, b, world_from_b, size, random);
      std::vector<std::uint8_t> answers(poses.size());
      std::vector<double> found(poses.size());
      collides(a, poses, b, world_from_b, answers, margin);
      distances(a, poses, b, world_from_b, found);
      for (std::size_t k = 0; k < poses.size(); ++k) {
        ASSERT_EQ(answers[k] != 0, collides(a, poses[k], b, world_from_b, margin)) << "pair " << i << " pose " << k;
        ASSERT_EQ(found[k], distance(a, poses[k], b, world_from_b)) << "pair " << i << " pose " << k;
        hits += answers[k];
        ++questions;
      }
    }
  }
  EXPECT_GT(questions, 100'000u);
  EXPECT_GT(hits, 30'000u);
  EXPECT_LT(hits, 90'000u);
}

TEST(PlanarBatch, TheAnswersForManyPairsAreThoseOfSingleCalls) {
  Random random(4);
  std::vector<Shape> shapes;
  for (int i = 0; i < 60; ++i) {
    shapes.push_back(samples::random_planar_shape(random.below(samples::kPlanarKinds), 1.0, random));
  }
  std::vector<PlacedPair> pairs;
  for (int i = 0; i < 3000; ++i) {
    const Shape& a = shapes[random.below(60)];
    const Shape& b = shapes[random.below(60)];
    pairs.push_back({&a, samples::random_planar_pose(2.0, random), &b, samples::random_planar_pose(2.0, random)});
  }
  std::vector<std::uint8_t> answers(pairs.size());
  std::vector<double> found(pairs.size());
  collides(pairs, answers, 0.1);
  distances(pairs, found);
  std::vector<PairCache> caches(pairs.size());
  std::vector<PairCache> own_caches(pairs.size());
  std::vector<std::uint8_t> warm_answers(pairs.size());
  std::vector<double> warm(pairs.size());
  for (int round = 0; round < 2; ++round) {
    distances(pairs, warm, caches);
    collides(pairs, warm_answers, 0.1, caches);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto& [a, world_from_a, b, world_from_b] = pairs[i];
      ASSERT_EQ(found[i], distance(*a, world_from_a, *b, world_from_b)) << i;
      ASSERT_EQ(answers[i] != 0, collides(*a, world_from_a, *b, world_from_b, 0.1)) << i;
      ASSERT_EQ(warm[i], distance(*a, world_from_a, *b, world_from_b, {}, &own_caches[i])) << i;
      ASSERT_EQ(warm_answers[i] != 0, collides(*a, world_from_a, *b, world_from_b, 0.1, {}, &own_caches[i])) << i;
      ASSERT_NEAR(warm[i], found[i], 1e-12) << i;
    }
  }
}

TEST(PlanarBatch, RefusesSpansThatDoNotFitAndMarginsThatMakeNoSense) {
  const Shape disc = Shape::circle(1.0);
  const std::vector<Pose> poses(3);
  std::vector<std::uint8_t> answers(2);
  std::vector<double> found(4);
  std::vector<std::uint8_t> right(3);
  const std::vector<PlacedPair> pairs(3, {&disc, {}, &disc, {}});
  std::vector<PairCache> caches(1);
  const std::string two = "answers: must have one element a question, 3, got 2";
  EXPECT_EQ(samples::error_text([&] { collides(disc, poses, disc, {}, answers); }), two);
  EXPECT_EQ(samples::error_text([&] { collides(pairs, answers); }), two);
  EXPECT_EQ(samples::error_text([&] { distances(disc, poses, disc, {}, found); }).substr(0, 9), "answers: ");
  EXPECT_EQ(samples::error_text([&] { distances(pairs, found); }).substr(0, 9), "answers: ");
  EXPECT_EQ(samples::error_text([&] { collides(pairs, right, 0.0, caches); }).substr(0, 8), "caches: ");
  for (const double margin : {-1.0, kNoNumber, kInfinity}) {
    EXPECT_EQ(samples::error_text([&] { collides(disc, poses, disc, {}, right, margin); }).substr(0, 17),
              "security_margin: ");
    EXPECT_EQ(samples::error_text([&] { collides(pairs, right, margin); }).substr(0, 17), "security_margin: ");
  }
  EXPECT_EQ(samples::error_text([&] { collides(disc, poses, disc, {}, right); }), "no error");
  EXPECT_EQ(right, std::vector<std::uint8_t>(3, 1));
}

TEST(PlanarBatch, OfNothingIsNothing) {
  const Shape disc = Shape::circle(1.0);
  EXPECT_NO_THROW(collides(disc, {}, disc, {}, std::span<std::uint8_t>{}));
  EXPECT_NO_THROW(distances(std::span<const PlacedPair>{}, {}));
}

// The verdict of discs and sides.
detail::Verdict verdict_of(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                           double limit) {
  detail::SideBlocks blocks;
  const detail::FixedCore fixed = detail::fixed_core(b, world_from_b, blocks);
  const detail::MovingCore moving(a);
  const detail::PlacedDiscs discs = moving.discs_at(world_from_a);
  const detail::Verdict verdict = detail::filter_discs(discs, fixed, detail::filter_limit(limit));
  if (verdict != detail::Verdict::unsure) return verdict;
  return detail::filter_sides(discs, moving.sides_at(world_from_a), fixed, blocks.data(), detail::filter_limit(limit));
}

TEST(PlanarFilter, IsRightWhereItIsSureAndMostlySure) {
  std::array<int, 3> count{};
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (int i = 0; i < 20'000; ++i) {
      const Shape a = samples::random_planar_shape(2, 1.0, random);
      const Shape b = samples::random_planar_shape(2, 1.0, random);
      if (a.corners().size() > detail::kMostMovingCorners) continue;
      const Pose world_from_a = samples::random_planar_pose(1.5, random);
      const Pose world_from_b = samples::random_planar_pose(1.5, random);
      const detail::Verdict verdict = verdict_of(a, world_from_a, b, world_from_b, 0.0);
      ++count[static_cast<std::size_t>(verdict)];
      if (verdict == detail::Verdict::unsure) continue;
      const double exact = separation(a, world_from_a, b, world_from_b).distance;
      ASSERT_EQ(exact > 0.0, verdict == detail::Verdict::apart) << "number " << i << " distance " << exact;
    }
  }
  EXPECT_GT(count[static_cast<std::size_t>(detail::Verdict::apart)], 5000);
  EXPECT_GT(count[static_cast<std::size_t>(detail::Verdict::overlapping)], 5000);
  EXPECT_LT(count[static_cast<std::size_t>(detail::Verdict::unsure)], 10);
}

TEST(PlanarFilter, IsUnsureOfTouchingAndOfWhatSinglePrecisionCannotHold) {
  const std::vector<Vector2d> corners{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const Shape square = Shape::polygon(corners);
  const std::vector<Vector2d> far_corners{{-1e20, -1e20}, {1e20, -1e20}, {1e20, 1e20}, {-1e20, 1e20}};
  const Shape field = Shape::polygon(far_corners);
  for (const double gap : {-1e-7, 0.0, 1e-7}) {
    EXPECT_EQ(verdict_of(square, {{2.0 + gap, 0.3}, 0.0}, square, {}, 0.0), detail::Verdict::unsure) << gap;
  }
  EXPECT_EQ(verdict_of(square, {{2.0 + 1e-4, 0.3}, 0.0}, square, {}, 0.0), detail::Verdict::apart);
  EXPECT_EQ(verdict_of(square, {{2.0 - 1e-4, 0.3}, 0.0}, square, {}, 0.0), detail::Verdict::overlapping);
  // A street away from a survey's origin is as good as at it, a galaxy away is not.
  EXPECT_EQ(verdict_of(square, {{5e6 + 2.001, 0.3}, 0.0}, square, {{5e6, 0.0}, 0.0}, 0.0), detail::Verdict::apart);
  EXPECT_EQ(verdict_of(square, {{1e20, 0.0}, 0.0}, square, {{1e20, 0.0}, 0.0}, 0.0), detail::Verdict::unsure);
  EXPECT_EQ(verdict_of(square, {}, field, {}, 0.0), detail::Verdict::unsure);
  EXPECT_EQ(verdict_of(field, {}, square, {{3e20, 0.0}, 0.0}, 0.0), detail::Verdict::unsure);
}

TEST(PlanarLanes, CompareAsSingleNumbersDo) {
  using L = detail::Lanes<detail::kFloatLanes>;
  constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
  constexpr float kFloatNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{0.0f, -0.0f, 1.0f, -1.0f, kFloatInfinity, -kFloatInfinity, kFloatNan, 1e-45f};
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    std::array<float, detail::kFloatLanes> a;
    std::array<float, detail::kFloatLanes> b;
    std::uint32_t expected = 0;
    for (std::size_t k = 0; k < detail::kFloatLanes; ++k) {
      a[k] = values[random.below(8)];
      b[k] = values[random.below(8)];
      if (a[k] > b[k]) expected |= 1u << k;
    }
    const auto lanes_a = L::load(a.data());
    const auto lanes_b = L::load(b.data());
    ASSERT_EQ(L::above(lanes_a, lanes_b), expected);
    ASSERT_EQ(L::above_plain(lanes_a, lanes_b), expected);
  }
}

}  // namespace
}  // namespace abut::planar
