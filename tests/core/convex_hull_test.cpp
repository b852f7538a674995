// ConvexHull of solid point sets: vertices, triangles, graph and support lookup.
#include <abut/core/shapes/convex_hull.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/instrumented.h>
#include <support/log_uniform.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "hull_checks.h"
#include "point_sets.h"

namespace abut {
namespace {

using samples::error_text;
using samples::Random;

TEST(ConvexHull, OfACubeDropsAllButTheCorners) {
  const std::vector<Vector3d> points = samples::cube_grid(8);
  const ConvexHull hull = ConvexHull::from_points(points);
  EXPECT_EQ(hull.dimension(), 3);
  EXPECT_EQ(hull.vertices().size(), 8u);
  EXPECT_EQ(hull.triangles().size(), 12u);
  EXPECT_EQ(hull.center(), Vector3d::Constant(0.5));
  EXPECT_EQ(hull.aabb().lower, Vector3d::Zero());
  EXPECT_EQ(hull.aabb().upper, Vector3d::Ones());
  EXPECT_EQ(hull.obb().half_extents, Vector3d::Constant(0.5));
  samples::expect_sound(hull, points);
}

// Which no covariance tells: that of a cube is the same all around, that of a prism around its axis.
TEST(ConvexHull, OfATurnedBodyWithFlatSidesHasTheBoxAlongThem) {
  Random random(9);
  for (int i = 0; i < 20; ++i) {
    const Pose pose = random.pose(2.0);
    std::vector<Vector3d> cube = samples::cube_grid(3);
    std::vector<Vector3d> prism;
    for (int k = 0; k < 12; ++k) {
      const double angle = (k / 2) * std::numbers::pi / 3.0;
      prism.emplace_back(std::cos(angle), std::sin(angle), k % 2 == 0 ? 1.0 : -1.0);
    }
    for (Vector3d& point : cube) point = pose * point;
    for (Vector3d& point : prism) point = pose * point;
    EXPECT_LT((ConvexHull::from_points(cube).obb().half_extents - Vector3d::Constant(0.5)).norm(), 1e-12);
    Vector3d half_extents = ConvexHull::from_points(prism).obb().half_extents;
    std::sort(half_extents.begin(), half_extents.end());
    EXPECT_LT((half_extents - Vector3d(std::sqrt(0.75), 1.0, 1.0)).norm(), 1e-12);
  }
}

TEST(ConvexHull, OfAnySizeHasABox) {
  Random random(10);
  for (const double size : {1e-200, 1e-150, 1e-9, 1e9, 1e150, 1e300}) {
    std::vector<Vector3d> points;
    for (int i = 0; i < 30; ++i) points.push_back(size * random.vector(-1.0, 1.0));
    const Obb box = ConvexHull::from_points(points).obb();
    EXPECT_LT((box.axes.transpose() * box.axes - Matrix3d::Identity()).norm(), 1e-14);
    for (const Vector3d& point : points) {
      const Vector3d local = box.axes.transpose() * (point - box.center);
      EXPECT_LE(((local.cwiseAbs() - box.half_extents) / size).maxCoeff(), 1e-12) << size;
    }
  }
}

TEST(ConvexHull, TrianglesLieOnTheSurfaceAndFaceOutwards) {
  Random random(1);
  const std::vector<Vector3d> points = samples::random_sphere(500, random);
  const ConvexHull hull = ConvexHull::from_points(points);
  for (const auto& t : hull.triangles()) {
    const Vector3d& p = hull.vertices()[t[0]];
    const Vector3d normal = (hull.vertices()[t[1]] - p).cross(hull.vertices()[t[2]] - p).normalized();
    EXPECT_LT(samples::highest(points, normal) - p.dot(normal), 1e-12);
    EXPECT_GT(p.dot(normal), 0.0);
  }
}

TEST(ConvexHull, HoldsTheBallOfItsInnerRadiusHoweverThin) {
  Random random(41);
  const auto expect_held = [&](const ConvexHull& hull) {
    const Vector3d& center = hull.center();
    for (int i = 0; i < 300; ++i) {
      Vector3d direction = random.direction();
      if (i % 2 == 0) direction = Vector3d(direction.x(), direction.y(), 0.0).normalized();         // across needles
      if (i % 3 == 0) direction = Vector3d(1e-9 * direction.x(), 0.0, direction.z()).normalized();  // across wedges
      const double height = hull.vertices()[hull.support_vertex(direction)].dot(direction);
      ASSERT_GE(height - center.dot(direction), hull.inner_radius());
    }
  };
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const double thin = samples::log_uniform(1e-11, 1.0, random);
    std::vector<Vector3d> needle;
    std::vector<Vector3d> plate;
    for (int i = 0; i < 6; ++i) {
      const double turn = 2.0 * i + 0.3;
      const double end = i < 3 ? -1.0 : 1.0;
      needle.emplace_back(thin * std::cos(turn), thin * std::sin(turn), end);
      plate.emplace_back(i % 3 == 0 ? -1.0 : 1.0, end, i % 3 == 2 ? -thin : 0.0);
    }
    expect_held(ConvexHull::from_points(needle));
    expect_held(ConvexHull::from_points(plate));
    std::vector<Vector3d> round;
    for (int i = 0; i < 60; ++i) round.push_back(Vector3d(1.0, thin, 0.5).cwiseProduct(random.direction()));
    const ConvexHull hull = ConvexHull::from_points(round);
    expect_held(hull);
    if (thin > 1e-3) {
      EXPECT_GT(hull.inner_radius(), 0.2 * thin);
    }
  }
  std::vector<Vector3d> cube;
  for (int i = 0; i < 8; ++i) cube.emplace_back(i % 2, i / 2 % 2, i / 4);
  EXPECT_NEAR(ConvexHull::from_points(cube).inner_radius(), 0.5, 1e-8);
}

TEST(ConvexHull, KeepsEveryVertexOfASphere) {
  Random random(2);
  const std::vector<Vector3d> points = samples::fibonacci_sphere(8000);
  const ConvexHull hull = ConvexHull::from_points(points);
  EXPECT_EQ(hull.vertices().size(), points.size());
  samples::expect_sound(hull, points);
  samples::expect_support_of(hull, points, random);
}

TEST(ConvexHull, KeepsTheSupportFunctionUnderAnyPoseAndScale) {
  const std::vector<std::vector<Vector3d>> sets = {samples::fibonacci_sphere(600), samples::cube_grid(6),
                                                   samples::prism(samples::kIsInstrumented ? 200 : 1000),
                                                   samples::prism(5)};
  const std::vector<Vector3d> scales = {Vector3d(1, 1, 1),    Vector3d(1e-6, 1e-6, 1e-6), Vector3d(1e6, 1e6, 1e6),
                                        Vector3d(1, 1, 1e-6), Vector3d(1, 1, 1e-10),      Vector3d(1e-5, 1, 1e-5)};
  const std::uint64_t seeds = samples::kIsInstrumented ? 1 : 2;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (const Vector3d& scale : scales) {
        SCOPED_TRACE(testing::Message() << "set " << set << ", scale " << scale.transpose());
        const Pose pose = random.pose(2.0 * scale.maxCoeff());
        const std::vector<Vector3d> points = samples::moved(sets[set], scale, pose);
        const ConvexHull hull = ConvexHull::from_points(points);
        EXPECT_EQ(hull.dimension(), 3);
        samples::expect_sound(hull, points);
        samples::expect_support_of(hull, points, random);
      }
    }
  }
}

TEST(ConvexHull, KeepsTheSupportFunctionFarFromTheOrigin) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Pose pose(Vector3d(1000.0, -2000.0, 500.0), random.rotation());
    for (const auto& set : {samples::cube_grid(8), samples::prism(200), samples::random_sphere(300, random)}) {
      const std::vector<Vector3d> points = samples::moved(set, Vector3d::Ones(), pose);
      const ConvexHull hull = ConvexHull::from_points(points);
      samples::expect_sound(hull, points);
      samples::expect_support_of(hull, points, random);
    }
  }
}

TEST(ConvexHull, ClimbsOverNearlyLevelFacetsFromAnyStart) {
  // From one side of a 1000-gon to the other the height grows by 2 turn, between neighbours at the lowest corner by
  // 2e-5 turn: below rounding, yet the far side must be found.
  Random random(3);
  const std::vector<Vector3d> points = samples::moved(samples::prism(1000), Vector3d::Ones(), random.pose(1.0));
  const ConvexHull hull = ConvexHull::from_points(points);
  const auto& t = hull.triangles();
  Vector3d end = Vector3d::Zero();
  for (const auto& triangle : t) {
    const Vector3d& p = hull.vertices()[triangle[0]];
    const Vector3d cross = (hull.vertices()[triangle[1]] - p).cross(hull.vertices()[triangle[2]] - p);
    if (cross.norm() > end.norm()) end = cross;  // the largest triangles are those of the ends
  }
  end.normalize();
  for (double turn = 1e-16; turn < 1e-2; turn *= 3.0) {
    const Vector3d direction = end + turn * random.direction();
    const double expected = samples::highest(points, direction);
    for (std::uint32_t start = 0; start < hull.vertices().size(); start += samples::kIsInstrumented ? 61 : 7) {
      ASSERT_GE(hull.vertices()[hull.climbed_vertex(direction, start)].dot(direction), expected - 1e-14) << turn;
    }
  }
}

TEST(ConvexHull, VertexMayHaveManyNeighbours) {
  constexpr std::size_t kCorners = samples::kIsInstrumented ? 500 : 2000;
  std::vector<Vector3d> points = samples::prism(kCorners);
  for (Vector3d& point : points) point.z() = -0.5;
  points.emplace_back(0.0, 0.0, 3.0);
  const ConvexHull hull = ConvexHull::from_points(points);
  samples::expect_sound(hull, points);
  const std::uint32_t apex = hull.support_vertex(Vector3d::UnitZ());
  EXPECT_EQ(hull.vertices()[apex], Vector3d(0.0, 0.0, 3.0));
  EXPECT_EQ(hull.neighbours(apex).size(), kCorners);
}

TEST(ConvexHull, DropsRepeatedAndInnerPoints) {
  const Vector3d a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), d(0, 0, 1);
  const Vector3d inside(0.1, 0.1, 0.1);
  const std::vector<Vector3d> points = {c, inside, a, c, d, a, b, -a, b};  // -a has zeros of the other sign
  const ConvexHull hull = ConvexHull::from_points(points);
  EXPECT_EQ(hull.vertices().size(), 4u);
  for (const Vector3d& corner : {a, b, c, d}) {
    EXPECT_EQ(std::count(hull.vertices().begin(), hull.vertices().end(), corner), 1) << corner.transpose();
  }
  samples::expect_sound(hull, points);
}

TEST(ConvexHull, AnswersDirectionsOfAnyLengthAndNanWithAVertex) {
  const ConvexHull hull = ConvexHull::from_points(samples::fibonacci_sphere(300));
  const Vector3d direction(0.3, -0.7, 0.2);
  const std::uint32_t expected = hull.support_vertex(direction);
  EXPECT_EQ(hull.support_vertex(0x1p-300 * direction), expected);
  EXPECT_EQ(hull.support_vertex(0x1p300 * direction), expected);
  EXPECT_EQ(hull.climbed_vertex(direction, 1000000u), expected);  // a start of another hull
  EXPECT_LT(hull.support_vertex(Vector3d::Zero()), hull.vertices().size());
  EXPECT_LT(hull.support_vertex(Vector3d::Constant(std::numeric_limits<double>::quiet_NaN())), hull.vertices().size());
}

TEST(ConvexHull, OfItsOwnVerticesHasTheSameBits) {
  samples::Random random(8);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    // Inner points, repeated ones, flat and thin sets, points on a lattice with faces of many points.
    std::vector<Vector3d> points;
    const std::uint32_t count = 1 + random.below(round % 5 == 0 ? 600 : 40);
    const double flat = round % 4 == 0 ? 0.0 : round % 4 == 1 ? 1e-9 : 1.0;
    for (std::uint32_t i = 0; i < count; ++i) {
      Vector3d point = random.vector(-1.0, 1.0);
      if (round % 3 == 0) point = (4.0 * point).array().round() / 3.0;
      if (round % 3 == 1) point.normalize();
      point.z() *= flat;
      points.push_back(point);
    }
    const ConvexHull hull = ConvexHull::from_points(points);
    const ConvexHull again = ConvexHull::from_points(hull.vertices());
    ASSERT_TRUE(std::ranges::equal(again.vertices(), hull.vertices()));
    ASSERT_TRUE(std::ranges::equal(again.triangles(), hull.triangles()));
    EXPECT_EQ(again.dimension(), hull.dimension());
    EXPECT_EQ(again.center(), hull.center());
    EXPECT_EQ(again.obb().axes, hull.obb().axes);
    EXPECT_EQ(again.obb().half_extents, hull.obb().half_extents);
    for (std::uint32_t i = 0; i < hull.vertices().size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(again.neighbours(i), hull.neighbours(i)));
    }
    ASSERT_EQ(again.faces().size(), hull.faces().size());
    for (std::uint32_t face = 0; face < hull.faces().size(); ++face) {
      EXPECT_EQ(again.faces().normal(face), hull.faces().normal(face));
      EXPECT_TRUE(std::ranges::equal(again.faces().corners(face), hull.faces().corners(face)));
    }
    for (int i = 0; i < 50; ++i) {
      const Vector3d direction = random.direction();
      EXPECT_EQ(again.support_vertex(direction), hull.support_vertex(direction));
      EXPECT_EQ(again.climbed_vertex(direction, 0), hull.climbed_vertex(direction, 0));
    }
  }
}

TEST(ConvexHull, RefusesNoPointsAndPointsThatAreNotFinite) {
  EXPECT_EQ(error_text([] { (void)ConvexHull::from_points({}); }), "points: must have at least one point");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Vector3d> points = {Vector3d::Zero(), Vector3d(0, 0, -infinity)};
  EXPECT_EQ(error_text([&] { (void)ConvexHull::from_points(points); }), "points[1][2]: must be finite, got -inf");
}

}  // namespace
}  // namespace abut
