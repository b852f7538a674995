// Lengths far from metres, where products of four or six of them overflow or vanish: answers are those of the same pair
// of ordinary size, scaled.
#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>
#include <fuzz/scaled_samples.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace abut {
namespace {

using fuzz::for_scaled_samples;
using fuzz::PairSample;

// A closed mesh around an ellipsoid.
TriangleMesh ball_mesh(const Vector3d& radii) {
  constexpr std::uint32_t kRings = 5;
  constexpr std::uint32_t kSides = 6;
  std::vector<Vector3d> points{{0.0, 0.0, radii.z()}, {0.0, 0.0, -radii.z()}};
  for (std::uint32_t i = 1; i < kRings; ++i) {
    for (std::uint32_t j = 0; j < kSides; ++j) {
      const double polar = std::numbers::pi * i / kRings;
      const double around = 2.0 * std::numbers::pi * j / kSides;
      points.push_back(radii.cwiseProduct(
          Vector3d(std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around), std::cos(polar))));
    }
  }
  const auto at = [](std::uint32_t i, std::uint32_t j) { return 2 + (i - 1) * kSides + j % kSides; };
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t j = 0; j < kSides; ++j) {
    triangles.push_back({0, at(1, j), at(1, j + 1)});
    triangles.push_back({1, at(kRings - 1, j + 1), at(kRings - 1, j)});
    for (std::uint32_t i = 1; i + 1 < kRings; ++i) {
      triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return TriangleMesh(points, triangles);
}

void expect_sound(const Separation& s) {
  ASSERT_FALSE(std::isnan(s.distance));
  ASSERT_GE(s.distance_error, 0.0);
  ASSERT_NEAR(s.normal.norm(), 1.0, 1e-12);
  ASSERT_TRUE(s.point_a.allFinite() && s.point_b.allFinite());
}

// From 1e76 m to 1e100 m, and as small.
constexpr std::array<double, 8> kScales = {0x1p-332, 0x1p-260, 0x1p-252, 0x1p-150, 0x1p150, 0x1p252, 0x1p260, 0x1p332};

TEST(ExtremeScale, ConvexPairsAnswerAsOrdinaryOnes) {
  int overlapping = 0;
  int apart = 0;
  for (const double wanted : kScales) {
    // Sizes and offsets of the samples go up to 1e7 units: none beyond 1e100 m.
    const double scale = wanted > 0x1p300 ? 0x1p308 : wanted;
    for_scaled_samples(scale, 200, [&](const PairSample& sample, const PairSample& scaled) {
      SCOPED_TRACE(std::string(sample.a.type_name()) + " and " + std::string(sample.b.type_name()));
      const Separation s = distance(sample.a, sample.world_from_a, sample.b, sample.world_from_b, sample.options);
      const Separation other = distance(scaled.a, scaled.world_from_a, scaled.b, scaled.world_from_b, scaled.options);
      expect_sound(other);
      if (testing::Test::HasFatalFailure()) return;
      if (s.status == SolveStatus::beyond_limit || other.status == SolveStatus::beyond_limit) return;
      const double world = sample.world_from_a.translation().norm() + sample.world_from_b.translation().norm();
      const double coordinates =
          sample.coordinates + (sample.world_from_b.translation() - sample.world_from_a.translation()).norm();
      // Of smooth bodies another solver answers there, on supports that are themselves found step by step.
      const double relative = sample.is_sliver ? 1e-9 : s.solver != other.solver ? 1e-10 : 1e-11;
      const double rounding = 4e-16 * world + relative * coordinates;
      ASSERT_NEAR(other.distance / scale, s.distance, s.distance_error + other.distance_error / scale + rounding);
      (s.distance < 0.0 ? overlapping : apart) += 1;
      const double margin = 0.01 * sample.size;
      if (std::abs(s.distance - margin) <= s.distance_error + rounding) return;
      ASSERT_EQ(collides(scaled.a, scaled.world_from_a, scaled.b, scaled.world_from_b, scale * margin),
                s.distance <= margin);
    });
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_GT(apart, 2000);
}

TEST(ExtremeScale, MeshesAnswerAsOrdinaryOnes) {
  for (const double scale : kScales) {
    const auto shapes = [](double unit) {
      return std::array<Shape, 5>{ball_mesh(unit * Vector3d(1.0, 0.5, 0.7)), Box(unit * Vector3d(0.3, 0.2, 0.4)),
                                  Cone(0.3 * unit, 0.3 * unit), Sphere(0.3 * unit), Capsule(0.2 * unit, 0.4 * unit)};
    };
    const std::array<Shape, 5> ordinary = shapes(1.0);
    const std::array<Shape, 5> extreme = shapes(scale);
    samples::Random random(7);
    for (int i = 0; i < 400; ++i) {
      const std::size_t kind = random.below(5);
      const auto number = [&] { return random.uniform(-1.0, 1.0); };
      const auto vector = [&] {
        const double x = number();
        const double y = number();
        return Vector3d(x, y, number());
      };
      const Vector3d at_a = 0.5 * vector();
      const Vector3d at_b = 1.5 * vector();
      const Vector3d axis = vector();
      const Quaterniond turn(number(), axis.x(), axis.y(), axis.z());
      SCOPED_TRACE(testing::Message() << "scale " << scale << ", pair " << i << ", " << ordinary[kind].type_name());
      const Separation s = distance(ordinary[kind], Pose(at_a), ordinary[0], Pose(at_b, turn));
      const Separation other = distance(extreme[kind], Pose(scale * at_a), extreme[0], Pose(scale * at_b, turn));
      expect_sound(other);
      if (testing::Test::HasFatalFailure()) return;
      ASSERT_NEAR(other.distance / scale, s.distance, s.distance_error + other.distance_error / scale + 1e-11);
      ASSERT_LE(other.distance_error / scale, s.distance_error + 1e-9);
      if (std::abs(s.distance) < 1e-9) continue;
      ASSERT_EQ(collides(extreme[kind], Pose(scale * at_a), extreme[0], Pose(scale * at_b, turn)), s.distance < 0.0);
    }
  }
}

TEST(ExtremeScale, AMemoryServesLikewise) {
  for (const double scale : kScales) {
    const Shape a = Box(scale * Vector3d(0.3, 0.2, 0.4));
    const Shape b = Cone(0.3 * scale, 0.3 * scale);
    PairCache cache;
    for (int i = 0; i < 40; ++i) {
      const Pose world_from_b(scale * Vector3d(0.3, 0.03 * i - 0.6, 0.1), Quaterniond(1.0, 0.02 * i, 0.1, 0.3));
      const Separation cold = distance(a, Pose(), b, world_from_b);
      for (const WarmStart start : {WarmStart::previous, WarmStart::transformed_previous}) {
        DistanceOptions options;
        options.warm_start = start;
        const Separation warm = distance(a, Pose(), b, world_from_b, options, &cache);
        expect_sound(warm);
        if (testing::Test::HasFatalFailure()) return;
        ASSERT_NEAR(warm.distance / scale, cold.distance / scale,
                    (warm.distance_error + cold.distance_error) / scale + 1e-12);
      }
    }
  }
}

// Bodies and margins of any two sizes between the limits: one is nothing to the other, and the normal is a unit vector.
TEST(ExtremeScale, SizesMayDifferByAnything) {
  constexpr std::array<double, 11> kSizes = {1e-100, 1e-90, 1e-78, 1e-70, 1e-30, 1.0, 1e30, 1e70, 1e78, 1e90, 1e99};
  samples::Random random(5);
  const auto size = [&] { return kSizes[random.below(kSizes.size())]; };
  const auto shape = [&](double s) {
    const double margin = random.chance(0.5) ? 0.0 : random.uniform(0.0, 1.0) * (random.chance(0.5) ? s : size());
    switch (random.below(5)) {
      case 0:
        return Shape(Box(s * Vector3d(0.3, 0.2, 0.4)), margin);
      case 1:
        return Shape(Cone(0.3 * s, 0.3 * s), margin);
      case 2:
        return Shape(Cylinder(0.3 * s, 0.3 * s), margin);
      case 3:
        return Shape(Ellipsoid(s * Vector3d(0.3, 0.2, 0.4)), margin);
      default: {
        const Vector3d p = s * random.vector(-1.0, 1.0);
        const Vector3d q = s * random.vector(-1.0, 1.0);
        return Shape(Triangle({p, q, s * random.vector(-1.0, 1.0)}), margin);
      }
    }
  };
  for (int i = 0; i < (samples::kIsInstrumented ? 8000 : 40000); ++i) {
    const double size_a = size();
    const double size_b = size();
    const Shape a = shape(size_a);
    const Shape b = shape(size_b);
    const double offset = random.chance(0.5) ? std::max(size_a, size_b) : std::min(size_a, size_b);
    const Vector3d at = offset * random.vector(-0.5, 0.5);
    const Vector3d turn = random.vector(-1.0, 1.0);
    SCOPED_TRACE(testing::Message() << "pair " << i << ", " << a.type_name() << " of " << size_a << ", margin "
                                    << a.margin() << " and " << b.type_name() << " of " << size_b << ", margin "
                                    << b.margin() << ", offset " << offset);
    expect_sound(distance(a, Pose(), b, Pose(at, Quaterniond(1.0, turn.x(), turn.y(), turn.z()))));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Nothing is promised of the numbers; but memory is left alone, and a normal stays one.
TEST(ExtremeScale, BeyondAllLimitsNothingBreaks) {
  for (const double scale : {1e120, 1e150, 1e200, 1e300, 1e-120, 1e-150, 1e-200, 1e-300}) {
    const std::array<Shape, 4> shapes = {Box(scale * Vector3d(0.3, 0.2, 0.4)), Cylinder(0.3 * scale, 0.2 * scale),
                                         Cone(0.3 * scale, 0.3 * scale),
                                         Triangle({scale * Vector3d(0.5, 0.0, 0.1), scale * Vector3d(-0.3, 0.4, 0.0),
                                                   scale * Vector3d(0.0, -0.5, 0.0)})};
    samples::Random random(3);
    for (int i = 0; i < 400; ++i) {
      const Shape& a = shapes[random.below(4)];
      const Shape& b = shapes[random.below(4)];
      const auto number = [&] { return random.uniform(-0.5, 0.5); };
      const double x = number();
      const double y = number();
      const Vector3d at(x, y, number());
      const Quaterniond turn(1.0, x, number(), number());
      SCOPED_TRACE(testing::Message() << "scale " << scale << ", pair " << i << ", " << a.type_name() << " and "
                                      << b.type_name());
      const Separation s = distance(a, Pose(), b, Pose(scale * at, turn));
      ASSERT_NEAR(s.normal.norm(), 1.0, 1e-9);
      static_cast<void>(collides(a, Pose(), b, Pose(scale * at, turn)));
    }
  }
}

}  // namespace
}  // namespace abut
