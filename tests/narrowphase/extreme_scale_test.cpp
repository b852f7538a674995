// Lengths far from metres, where products of four or six of them overflow or vanish: answers are those of the same pair
// of ordinary size, scaled.
#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/mesh_solid.h>
#include <fuzz/scaled_samples.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
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

// Where a body lies or reaches so many units of a tree away that squares of floats overflow, it is found all the same.
TEST(ExtremeScale, CompositesFindBodiesOfAnySizeAtAnyDistance) {
  constexpr std::array<double, 15> kSizes = {1e-99, 1e-78, 1e-60, 1e-40, 1e-30, 1e-21, 1e-18, 1.0,
                                             1e18,  1e21,  1e30,  1e40,  1e60,  1e78,  1e98};
  samples::Random random(9);
  const auto composite = [&](double s) {
    switch (random.below(4)) {
      case 0:
        return Shape(ball_mesh(s * Vector3d(1.0, 0.5, 0.7)));
      case 1: {
        Eigen::MatrixXd heights(4, 5);
        for (double& height : heights.reshaped()) height = s * random.uniform(0.0, 0.3);
        return Shape(HeightField(heights, {0.3 * s, 0.4 * s}, -0.2 * s));
      }
      case 2:
        return Shape(Compound({{Sphere(0.4 * s), Pose(s * Vector3d(0.5, 0.0, 0.0))},
                               {Box(s * Vector3d(0.1, 0.3, 0.2)), Pose(s * Vector3d(-0.4, 0.1, 0.0))}}));
      default:
        return Shape(Compound({{ball_mesh(s * Vector3d(0.4, 0.5, 0.7)), Pose(s * Vector3d(0.5, 0.0, 0.0))},
                               {Sphere(0.2 * s), Pose(s * Vector3d(-0.4, 0.1, 0.0))}}));
    }
  };
  const auto other = [&](double s) {
    switch (random.below(4)) {
      case 0:
        return Shape(Sphere(0.5 * s));
      case 1:
        return Shape(Box(s * Vector3d(0.3, 0.2, 0.4)));
      case 2:
        return Shape(Cylinder(0.3 * s, 0.4 * s));
      default:
        return composite(s);
    }
  };
  int overlapping = 0;
  int apart = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 1000 : 6000); ++i) {
    const double size_a = kSizes[random.below(kSizes.size())];
    const double size_b = kSizes[random.below(kSizes.size())];
    const double larger = std::max(size_a, size_b);
    const double place = random.chance(0.7) ? larger : std::max(larger, kSizes[random.below(kSizes.size())]);
    const Shape a = composite(size_a);
    const Shape b = other(size_b);
    const Vector3d turn = random.vector(-1.0, 1.0);
    const Pose at(place * random.vector(-1.0, 1.0),
                  Quaterniond(random.uniform(-1.0, 1.0), turn.x(), turn.y(), turn.z()));
    SCOPED_TRACE(testing::Message() << "pair " << i << ", " << a.type_name() << " of " << size_a << " and "
                                    << b.type_name() << " of " << size_b << " at " << place);
    // Of the bodies as if the smaller one were a point, or both were but a thousandth of the larger one's size.
    const double blurred = std::max(1e-3 * larger, std::min(size_a, size_b));
    const auto enlarged = [&](const Shape& shape, double size) {
      return size < blurred ? Shape(Sphere(blurred)) : shape;
    };
    const Separation ordinary = distance(enlarged(a, size_a), Pose(), enlarged(b, size_b), at);
    const double slack = 2.0 * blurred + ordinary.distance_error + 1e-14 * place;
    const Separation s = distance(a, Pose(), b, at);
    expect_sound(s);
    if (testing::Test::HasFatalFailure()) return;
    if (std::min(size_a, size_b) < blurred && ordinary.distance > 0.0) {
      ASSERT_NEAR(s.distance, ordinary.distance, slack);
    }
    if (s.status != SolveStatus::converged) continue;
    const double limit = std::max(0.0, 1.001 * s.distance);
    ASSERT_TRUE(collides(a, Pose(), b, at, limit));
    DistanceOptions options;
    options.max_distance = limit;
    const Separation within = distance(a, Pose(), b, at, options);
    ASSERT_NE(within.status, SolveStatus::beyond_limit);
    ASSERT_NEAR(within.distance, s.distance, s.distance_error + within.distance_error + 1e-12 * place);
    if (s.distance > 1e-3 * place) {
      ASSERT_FALSE(collides(a, Pose(), b, at, 0.999 * s.distance));
    }
    (s.distance <= 0.0 ? overlapping : apart) += 1;
  }
  const int least = samples::kIsInstrumented ? 20 : 100;
  EXPECT_GT(overlapping, least);
  EXPECT_GT(apart, least);
}

TEST(ExtremeScale, HalfSpacesReachCompositesFromAnywhere) {
  for (const double size : {1e-60, 1e-30, 1.0, 1e30}) {
    const Shape mesh(ball_mesh(size * Vector3d(1.0, 0.5, 0.7)));
    const Shape ground(HalfSpace(Vector3d::UnitZ(), 0.0));
    for (const double far : {1e18, 1e21, 1e40, 1e60}) {
      SCOPED_TRACE(testing::Message() << "mesh of " << size << ", place " << far);
      // The plane passes by the mesh; the origin of its body is far away.
      const Pose plane(size * far * Vector3d(1.0, 0.3, 0.0) - Vector3d(0.0, 0.0, 0.9 * size));
      EXPECT_NEAR(distance(mesh, Pose(), ground, plane).distance, 0.2 * size, 1e-9 * size);
      EXPECT_TRUE(collides(mesh, Pose(), ground, plane, 0.21 * size));
      EXPECT_FALSE(collides(mesh, Pose(), ground, plane, 0.19 * size));
      // The plane is far away.
      const Pose below(Vector3d(0.0, 0.0, -size * far));
      EXPECT_NEAR(distance(mesh, Pose(), ground, below).distance, size * far, 1e-9 * size * far);
      EXPECT_TRUE(collides(mesh, Pose(), ground, below, 1.01 * size * far));
      EXPECT_FALSE(collides(mesh, Pose(), ground, below, 0.99 * size * far));
    }
  }
}

TEST(ExtremeScale, PointsAreAsFarFromAMeshAsTheyAre) {
  for (const double size : {1e-60, 1e-20, 1.0, 1e20}) {
    const TriangleMesh mesh = ball_mesh(size * Vector3d(1.0, 0.5, 0.7));
    for (const double far : {1e3, 1e17, 3e19, 1e25, 1e45}) {
      SCOPED_TRACE(testing::Message() << "mesh of " << size << ", point at " << far);
      const Vector3d point = size * far * Vector3d(0.6, -0.8, 0.0);
      const std::optional<NearestOnMesh> nearest = nearest_on_mesh(mesh, point, 1.001 * size * far);
      ASSERT_TRUE(nearest);
      EXPECT_NEAR(nearest->distance, size * far, size * (1.1 + 1e-14 * far));
      EXPECT_FALSE(nearest_on_mesh(mesh, point, 0.99 * size * far));
    }
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
