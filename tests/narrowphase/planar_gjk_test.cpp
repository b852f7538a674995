// The parts of the planar GJK: the sub-distance against all features, the three searches for a support point, the yes
// or no against the distance, warm starts, and pairs at the edge of rounding.
#include <abut/core/error.h>
#include <abut/narrowphase/planar/barycode.h>
#include <abut/narrowphase/planar/planar_distance.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace abut::planar {
namespace {

using samples::Random;

Vector2d random_point(Random& random, double size = 1.0) {
  const double x = random.uniform(-size, size);
  return {x, random.uniform(-size, size)};
}

Shape random_polygon(Random& random, int count, double size = 1.0) {
  const double a = size * random.uniform(0.3, 1.0);
  const double b = size * random.uniform(0.3, 1.0);
  std::vector<Vector2d> points;
  for (int i = 0; i < count; ++i) {
    const double angle = 2.0 * std::numbers::pi * (i + random.uniform(0.05, 0.95)) / count;
    points.emplace_back(a * std::cos(angle), b * std::sin(angle));
  }
  return Shape::hull(points, random.chance(0.3) ? size * random.uniform(0.0, 0.2) : 0.0);
}

Shape random_shape(Random& random, double size = 1.0) {
  switch (random.below(4)) {
    case 0:
      return Shape::circle(size * random.uniform(0.1, 1.0));
    case 1:
      return Shape::capsule(size * random.uniform(0.1, 0.5), size * random.uniform(0.0, 1.0));
    default:
      return random_polygon(random, 3 + static_cast<int>(random.below(30)), size);
  }
}

Pose random_pose(Random& random, double size = 1.0) {
  const Vector2d place = random_point(random, size);
  return {place, random.uniform(-4.0, 4.0)};
}

// The nearest of all corners and sides.
Vector2d nearest_by_brute_force(const std::vector<Vector2d>& corners) {
  Vector2d best = corners[0];
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vector2d& p = corners[i];
    const Vector2d side = corners[(i + 1) % corners.size()] - p;
    const double length_sq = side.squaredNorm();
    const double place = length_sq > 0.0 ? std::clamp(-p.dot(side) / length_sq, 0.0, 1.0) : 0.0;
    const Vector2d candidate = p + place * side;
    if (candidate.squaredNorm() < best.squaredNorm()) best = candidate;
  }
  return best;
}

bool holds_origin(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  const double u = detail::cross(b, c);
  const double v = detail::cross(c, a);
  const double w = detail::cross(a, b);
  return (u > 0.0 && v > 0.0 && w > 0.0) || (u < 0.0 && v < 0.0 && w < 0.0);
}

TEST(Barycode, FindsTheNearestPointOfATriangleInAllSevenRegions) {
  int regions[4] = {};
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const Vector2d a = random_point(random) + Vector2d(0.5, 0.0);
    const Vector2d b = random_point(random);
    const Vector2d c = random_point(random);
    const detail::Nearest found = detail::nearest_on_triangle(a, b, c);
    ++regions[found.size];
    EXPECT_EQ(found.size == 3, holds_origin(a, b, c));
    if (found.size == 3) continue;
    const Vector2d expected = nearest_by_brute_force({a, b, c});
    EXPECT_LT((found.point - expected).norm(), 1e-12);
    // The carriers carry it: nothing else is needed for the same point.
    const std::array<Vector2d, 3> corners = {a, b, c};
    if (found.size == 1) {
      EXPECT_EQ(found.point, corners[found.carrier[0]]);
    } else {
      const Vector2d& p = corners[found.carrier[0]];
      const Vector2d& q = corners[found.carrier[1]];
      EXPECT_LT(std::abs(detail::cross(q - p, found.point - p)) / (q - p).norm(), 1e-12);
    }
  }
  for (const int size : {1, 2, 3}) EXPECT_GT(regions[size], 1000);
}

TEST(Barycode, WithTheNewestCornerKnownGivesTheSame) {
  Random random(2);
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vector2d b = random_point(random) + Vector2d(0.7, 0.0);
    const Vector2d c = random_point(random) + Vector2d(0.7, 0.0);
    const detail::Nearest old = detail::nearest_on_segment(b, c, 0, 1);
    const Vector2d a = random_point(random, 2.0);
    // Newest: beyond the side of the other two, which carries their nearest point.
    if (old.size != 2 || !(a.dot(old.point) < old.point.squaredNorm() * (1.0 - 1e-9))) continue;
    ++compared;
    const detail::Nearest general = detail::nearest_on_triangle(a, b, c);
    const detail::Nearest newest = detail::nearest_with_newest(a, b, c);
    EXPECT_EQ(general.size == 3, newest.size == 3);
    EXPECT_LT((general.point - newest.point).norm(), 1e-12);
  }
  EXPECT_GT(compared, 3000);
}

TEST(Barycode, FlatTrianglesAndRepeatedCornersGiveTheirNearestSide) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    const Vector2d p = random_point(random) + Vector2d(0.0, 1.5);
    const Vector2d along = random_point(random);
    const double s = random.uniform(-1.0, 2.0);
    const Vector2d a = p;
    const Vector2d b = p + along;
    const Vector2d c = random.chance(0.3) ? a : Vector2d(p + s * along);
    const detail::Nearest found = detail::nearest_on_triangle(a, b, c);
    EXPECT_LT(found.size, 3);
    EXPECT_LT((found.point - nearest_by_brute_force({a, b, c})).norm(), 1e-9);
  }
}

TEST(Outline, AllSearchesFindTheSupportOfEveryDirection) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape shape = random_shape(random);
    const detail::Outline& outline = shape.outline();
    for (int i = 0; i < 200; ++i) {
      Vector2d direction = random_point(random);
      if (i < 8) direction = {std::round(std::cos(i * 0.785)), std::round(std::sin(i * 0.785))};
      if (i == 8) direction = {1.0, -0.0};
      if (i > 8 && i < 20) direction = outline.corner(random.below(outline.size())) - outline.center();
      double highest = -1e300;
      for (const Vector2d& corner : outline.corners()) highest = std::max(highest, corner.dot(direction));
      const detail::Outline::Index start = random.below(outline.size());
      for (const SupportSearch search : {SupportSearch::climb, SupportSearch::scan}) {
        const detail::Outline::Index found = outline.support(direction, start, search);
        ASSERT_LT(found, outline.size());
        EXPECT_NEAR(outline.corner(found).dot(direction), highest, 1e-14);
      }
      const detail::Outline::Index found = outline.support(detail::plane_vector(direction));
      ASSERT_LT(found, outline.size());
      EXPECT_NEAR(outline.corner(found).dot(direction), highest, 1e-14);
    }
    EXPECT_LT(outline.support(Vector2d::Zero(), 0, SupportSearch::scan), outline.size());
  }
}

const Options kAllWays[] = {
    {Method::walk, SupportSearch::climb}, {Method::gjk, SupportSearch::climb}, {Method::gjk, SupportSearch::scan}};

TEST(PlanarQueries, AgreeWithEachOther) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape a = random_shape(random);
    const Shape b = random_shape(random);
    const Pose pose_a = random_pose(random, 10.0);
    Pose pose_b = random_pose(random, 2.0);
    pose_b.translation += pose_a.translation;
    if (random.chance(0.3)) {
      const Separation start = separation(a, pose_a, b, pose_b);
      pose_b.translation += (random.uniform(-1.0, 1.0) * 1e-7 - start.distance) * start.normal;
    }
    const Separation s = separation(a, pose_a, b, pose_b);
    const double radii = a.radius() + b.radius();
    EXPECT_LT(s.distance_error, 1e-12);
    const double alone = distance(a, pose_a, b, pose_b);
    EXPECT_NEAR(alone, std::max(s.distance, -radii), 1e-12);
    for (const double margin : {0.0, 0.1, 1.0}) {
      if (std::abs(s.distance - margin) < 1e-12) continue;
      for (const Options& options : kAllWays) {
        EXPECT_EQ(collides(a, pose_a, b, pose_b, margin, options), s.distance <= margin);
      }
    }
    for (const Options& options : kAllWays) {
      EXPECT_NEAR(distance(a, pose_a, b, pose_b, options), alone, 1e-13);
      EXPECT_NEAR(separation(a, pose_a, b, pose_b, options).distance, s.distance, 1e-13);
    }
    // Exchanged, and seen from elsewhere.
    EXPECT_NEAR(separation(b, pose_b, a, pose_a).distance, s.distance, 1e-12);
    const Pose b_from_a = Pose::relative(pose_b, pose_a);
    EXPECT_NEAR(separation(a, b_from_a, b, Pose()).distance, s.distance, 1e-12);
  }
}

TEST(PlanarQueries, AnswerTheSameFromAnyCache) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Options options{seed % 2 == 0 ? Method::walk : Method::gjk};
    const Shape a = random_shape(random);
    const Shape b = random_shape(random);
    Pose pose_b = random_pose(random, 2.0);
    PairCache cache;
    int warm = 0;
    int cold = 0;
    for (int frame = 0; frame < 20; ++frame) {
      pose_b.translation += 0.02 * random_point(random);
      const Separation from_cache = separation(a, Pose(), b, pose_b, options, &cache);
      const Separation fresh = separation(a, Pose(), b, pose_b, options);
      EXPECT_NEAR(from_cache.distance, fresh.distance, 1e-13);
      warm += from_cache.iterations;
      cold += fresh.iterations;
      PairCache boolean = cache;
      if (std::abs(fresh.distance) < 1e-12) continue;
      EXPECT_EQ(collides(a, Pose(), b, pose_b, 0.0, options, &boolean), fresh.distance <= 0.0);
      EXPECT_EQ(collides(a, Pose(), b, pose_b, 0.0, options, &boolean), fresh.distance <= 0.0);
    }
    EXPECT_LE(warm, cold + 20);
    // Of another pair, with other numbers of corners.
    const Shape triangle = Shape::hull(std::vector<Vector2d>{{0, 0}, {1, 0}, {0, 1}});
    EXPECT_NEAR(separation(triangle, Pose(), triangle, pose_b, options, &cache).distance,
                separation(triangle, Pose(), triangle, pose_b).distance, 1e-13);
  }
}

TEST(PlanarQueries, HoldFromMicrometresToThousandsOfKilometres) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(testing::Message() << "size " << size << " seed " << seed);
      Random random(seed);
      const Shape a = random_shape(random, size);
      const Shape b = random_shape(random, size * (random.chance(0.2) ? 1e-6 : 1.0));
      const Pose pose_b = random_pose(random, 1.5 * size);
      const Separation s = separation(a, Pose(), b, pose_b);
      const Separation back = separation(b, pose_b, a, Pose());
      EXPECT_NEAR(s.distance, back.distance, 1e-13 * size);
      EXPECT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, 1e-13 * size);
      EXPECT_NEAR(s.normal.norm(), 1.0, 1e-12);
      EXPECT_LE(separation(a, Pose(), b, pose_b, {Method::gjk}).iterations, 40);
      EXPECT_LE(s.iterations, static_cast<int>(a.corners().size() + b.corners().size()));
    }
  }
}

TEST(PlanarQueries, TouchingPairsHaveASeparatingDirectionAndOnePoint) {
  const Shape square = Shape::polygon(std::vector<Vector2d>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
  const double diagonal = std::numbers::sqrt2;
  // Side on side, corner on side, corner on corner, and all of them turned.
  const std::vector<Pose> touching = {{{2.0, 0.5}, 0.0},
                                      {{1.0 + diagonal, 0.3}, std::numbers::pi / 4.0},
                                      {{2.0, 2.0}, 0.0},
                                      {{2.0 * diagonal, 0.0}, std::numbers::pi / 4.0}};
  for (const Pose& pose : touching) {
    for (const double angle : {0.0, 0.4, 1.9, 3.0}) {
      const Pose world(Vector2d(3.0, -2.0), angle);
      Pose world_from_b;
      world_from_b.translation = world * pose.translation;
      world_from_b.cos = std::cos(angle + pose.angle());
      world_from_b.sin = std::sin(angle + pose.angle());
      const Pose& world_from_a =
          &pose == &touching[3] ? Pose(world.translation, angle + std::numbers::pi / 4.0) : world;
      const Separation s = separation(square, world_from_a, square, world_from_b);
      EXPECT_NEAR(s.distance, 0.0, 1e-14);
      EXPECT_NEAR((s.point_a - s.point_b).norm(), 0.0, 1e-14);
      EXPECT_NEAR(s.normal.norm(), 1.0, 1e-14);
      // No part of either lies beyond the line through the point.
      for (const Vector2d& corner : square.corners()) {
        EXPECT_LE((world_from_a * corner - s.point_a).dot(s.normal), 1e-14);
        EXPECT_GE((world_from_b * corner - s.point_a).dot(s.normal), -1e-14);
      }
    }
  }
}

TEST(PlanarShape, HullsTakePointsInAnyOrder) {
  Random random(9);
  for (int i = 0; i < 200; ++i) {
    std::vector<Vector2d> points;
    for (int k = 0; k < 30; ++k) points.push_back(random_point(random));
    points.push_back(points[3]);
    const Shape hull = Shape::hull(points);
    for (const Vector2d& direction : points) {
      double highest = -1e300;
      for (const Vector2d& point : points) highest = std::max(highest, point.dot(direction));
      double of_hull = -1e300;
      for (const Vector2d& corner : hull.corners()) of_hull = std::max(of_hull, corner.dot(direction));
      EXPECT_NEAR(of_hull, highest, 1e-14);
    }
  }
  const auto error_of = [](const std::vector<Vector2d>& points) -> std::string {
    try {
      static_cast<void>(Shape::hull(points));
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of({{0, 0}, {1, 1}, {2, 2}, {3, 3}}), "points: must not lie on one line: their hull has no area");
  EXPECT_EQ(error_of({{0, 0}, {1, 1}, {0, 0}}), "points: must have at least three distinct ones, got 2");
  EXPECT_EQ(error_of({{0, 0}, {1, std::nan("")}, {0, 1}}), "points[1][1]: must be finite, got nan");
}

TEST(PlanarPose, RefusesWhatIsNotFinite) {
  EXPECT_THROW(Pose(Vector2d(0.0, std::nan("")), 0.0), InvalidInput);
  EXPECT_THROW(Pose(Vector2d::Zero(), std::numeric_limits<double>::infinity()), InvalidInput);
  EXPECT_THROW(static_cast<void>(collides(Shape::circle(1.0), {}, Shape::circle(1.0), {}, -1.0)), InvalidInput);
  EXPECT_NEAR(Pose(Vector2d::Zero(), 2.5).angle(), 2.5, 1e-15);
}

}  // namespace
}  // namespace abut::planar
