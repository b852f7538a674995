// The walk along the boundary of the Minkowski difference: against barycode GJK, against all pairs of features, where
// segments and points make its order of sides ambiguous, from remembered features, and for outlines of many corners.
#include <abut/narrowphase/planar/boundary_walk.h>
#include <abut/narrowphase/planar/facing_memory.h>
#include <abut/narrowphase/planar/planar_distance.h>
#include <abut/narrowphase/planar/planar_epa.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "planar_samples.h"

namespace abut::planar {
namespace {

using samples::Random;

double distance_to_segment(const Vector2d& point, const Vector2d& start, const Vector2d& end) {
  const Vector2d side = end - start;
  const double length_sq = side.squaredNorm();
  const double place = length_sq > 0.0 ? std::clamp((point - start).dot(side) / length_sq, 0.0, 1.0) : 0.0;
  return (point - start - place * side).norm();
}

// Of cores that are apart: every corner against every side.
double core_distance_by_brute_force(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  double least = std::numeric_limits<double>::infinity();
  const auto try_corners = [&](const Shape& own, const Pose& own_pose, const Shape& other, const Pose& other_pose) {
    for (const Vector2d& corner : own.corners()) {
      for (std::size_t i = 0; i < other.corners().size(); ++i) {
        const Vector2d& start = other.corners()[i];
        const Vector2d& end = other.corners()[(i + 1) % other.corners().size()];
        least = std::min(least, distance_to_segment(own_pose * corner, other_pose * start, other_pose * end));
      }
    }
  };
  try_corners(a, pose_a, b, pose_b);
  try_corners(b, pose_b, a, pose_a);
  return least;
}

TEST(BoundaryWalk, FindsWhatEveryCornerAgainstEverySideFinds) {
  int apart = 0;
  for (std::uint64_t seed = 0; seed < 12000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape a = samples::random_planar_shape(random.below(samples::kPlanarKinds), 1.0, random);
    const Shape b = samples::random_planar_shape(random.below(samples::kPlanarKinds), 1.0, random);
    const Pose pose_b = samples::random_planar_pose(3.0, random);
    Pose pose_a = samples::random_planar_pose(3.0, random);
    const double radii = a.radius() + b.radius();
    if (random.chance(0.5)) {  // cores next to each other, or just in contact
      const double gap = std::pow(10.0, random.uniform(-12.0, 0.0));
      pose_a = samples::moved_apart(a, pose_a, b, pose_b, gap - radii);
    }
    const double found = distance(a, pose_a, b, pose_b) + radii;
    const double by_gjk = distance(a, pose_a, b, pose_b, {Method::gjk}) + radii;
    EXPECT_NEAR(found, by_gjk, 1e-13);
    if (found <= 1e-13) continue;
    ++apart;
    EXPECT_NEAR(found, core_distance_by_brute_force(a, pose_a, b, pose_b), 1e-13);
  }
  EXPECT_GT(apart, 6000);
}

// Right angles and parallels, where cross products of sides are zero.
TEST(BoundaryWalk, OrdersTheSidesOfSegmentsAndPointsOnALattice) {
  const Shape square = Shape::polygon(std::vector<Vector2d>{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, 0.25);
  const Shape shapes[] = {Shape::capsule(0.25, 1.0), Shape::capsule(0.25, 2.0), Shape::circle(0.25), square};
  int apart = 0;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (int turn_a = 0; turn_a < 4; ++turn_a) {
        for (int turn_b = 0; turn_b < 4; ++turn_b) {
          for (int x = -4; x <= 4; ++x) {
            for (int y = -4; y <= 4; ++y) {
              const auto turned = [](const Vector2d& place, int quarters) {
                Pose pose(place, 0.0);
                const double cosines[] = {1.0, 0.0, -1.0, 0.0};
                pose.cos = cosines[quarters];
                pose.sin = cosines[(quarters + 3) % 4];
                return pose;
              };
              const Pose pose_a = turned(Vector2d::Zero(), turn_a);
              const Pose pose_b = turned(Vector2d(x, y), turn_b);
              const double by_gjk = distance(a, pose_a, b, pose_b, {Method::gjk});
              ASSERT_NEAR(distance(a, pose_a, b, pose_b), by_gjk, 1e-15) << x << " " << y << " " << turn_a << turn_b;
              const Separation s = separation(a, pose_a, b, pose_b);
              ASSERT_NEAR(std::max(s.distance, -0.5), by_gjk, 1e-15)
                  << x << " " << y << " " << turn_a << turn_b << " corners " << a.corners().size()
                  << b.corners().size();
              ASSERT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, 1e-15);
              apart += by_gjk > 0.0 ? 1 : 0;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(apart, 5000);
}

TEST(BoundaryWalk, IsNotStoppedByTheFarSideOfALongThinShape) {
  // Above the long side of a plate, near its end: the side below has its foot inside as well.
  const Shape plate = Shape::polygon(std::vector<Vector2d>{{0, 0}, {10, 0}, {10, 1e-3}, {0, 1e-3}});
  const Shape disc = Shape::circle(0.5);
  for (const double x : {0.001, 0.1, 5.0, 9.9, 9.999}) {
    for (const double height : {1e-9, 1e-3, 1.0}) {
      EXPECT_NEAR(distance(plate, {}, disc, {{x, 1e-3 + height}, 0.0}), height - 0.5, 1e-15);
      EXPECT_NEAR(distance(plate, {}, disc, {{x, -height}, 0.0}), height - 0.5, 1e-15);
    }
  }
}

TEST(FacingMemory, HoldsOnlyWhereTheFeaturesStillFaceEachOther) {
  int held = 0;
  int dropped = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape a = samples::random_planar_shape(random.below(samples::kPlanarKinds), 1.0, random);
    const Shape b = samples::random_planar_shape(random.below(samples::kPlanarKinds), 1.0, random);
    Pose pose_b = samples::random_planar_pose(4.0, random);
    PairCache cache;
    static_cast<void>(distance(a, {}, b, pose_b, {}, &cache));
    if (cache.simplex.size == 0) continue;
    const double step = std::pow(10.0, random.uniform(-6.0, 0.5));
    const Pose motion = samples::random_planar_pose(step, random);
    pose_b = Pose(pose_b.translation + motion.translation, pose_b.angle() + std::min(step, 3.0) * motion.angle());
    const detail::CorePair pair{a.outline(), b.outline(), detail::relative_motion({}, pose_b)};
    const detail::FacingFeatures known = detail::recall(pair, cache.simplex);
    const double radii = a.radius() + b.radius();
    const double fresh = distance(a, {}, b, pose_b) + radii;
    if (known.facing == detail::Facing::overlap) {
      ++dropped;
    } else {
      ++held;
      EXPECT_NEAR(known.gap, fresh, 1e-13);
    }
    EXPECT_NEAR(distance(a, {}, b, pose_b, {}, &cache) + radii, fresh, 1e-13);
  }
  EXPECT_GT(held, 500);
  EXPECT_GT(dropped, 500);
}

Shape many_cornered(std::uint32_t count, double flatness, Random& random) {
  return Shape::hull(samples::points_on_ellipse(count, 1.0, flatness, random));
}

TEST(Outline, HalvesTheWayToTheSupportOfManyCorners) {
  Random random(4);
  for (const double flatness : {1.0, 0.1, 1e-4}) {
    const Shape shape = many_cornered(5000, flatness, random);
    const detail::Outline& outline = shape.outline();
    for (int i = 0; i < 2000; ++i) {
      const double angle = i < 16 ? i * std::numbers::pi / 8.0 : random.uniform(-4.0, 4.0);
      const Vector2d direction(std::cos(angle), std::sin(angle));
      double highest = -std::numeric_limits<double>::infinity();
      for (const Vector2d& corner : outline.corners()) highest = std::max(highest, corner.dot(direction));
      const detail::Outline::Index found = outline.support(detail::plane_vector(direction));
      EXPECT_NEAR(outline.corner(found).dot(direction), highest, 1e-15);
    }
  }
}

// The gap along every side of both.
double depth_by_brute_force(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  double best = -std::numeric_limits<double>::infinity();
  const auto try_sides = [&](const Shape& own, const Pose& own_pose, const Shape& other, const Pose& other_pose) {
    for (std::size_t i = 0; i < own.corners().size(); ++i) {
      const Vector2d normal = own_pose.rotate(own.outline().normals()[i]);
      const double level = normal.dot(own_pose * own.corners()[i]);
      double lowest = std::numeric_limits<double>::infinity();
      for (const Vector2d& corner : other.corners()) lowest = std::min(lowest, normal.dot(other_pose * corner));
      best = std::max(best, lowest - level);
    }
  };
  try_sides(a, pose_a, b, pose_b);
  try_sides(b, pose_b, a, pose_a);
  return best;
}

TEST(PlanarEpa, FindsTheSideOfLeastDepthAmongMany) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Shape a = many_cornered(3 + random.below(200), random.uniform(0.01, 1.0), random);
    const Shape b = many_cornered(3 + random.below(200), random.uniform(0.01, 1.0), random);
    Pose pose_b = samples::random_planar_pose(0.5, random);
    if (random.chance(0.3))
      pose_b = samples::moved_apart(b, pose_b, a, {}, -std::pow(10.0, random.uniform(-9.0, -1.0)));
    const double expected = depth_by_brute_force(a, {}, b, pose_b);
    if (expected > 0.0) continue;
    const Separation s = separation(a, {}, b, pose_b);
    EXPECT_NEAR(s.distance, expected, 1e-14);
    const detail::CorePair pair{a.outline(), b.outline(), detail::relative_motion({}, pose_b)};
    const detail::DeepestSide deepest = detail::expand_polygon(pair);
    ASSERT_TRUE(deepest.is_found);
    EXPECT_NEAR(deepest.gap, expected, 1e-14);
  }
}

TEST(PlanarEpa, HasADirectionForPolygonsOnTheSameCentre) {
  for (const int count : {4, 30, 100}) {
    std::vector<Vector2d> corners;
    for (int i = 0; i < count; ++i) {
      const double angle = 2.0 * std::numbers::pi * i / count;
      corners.emplace_back(2.0 * std::cos(angle), std::sin(angle));
    }
    const Shape shape = Shape::polygon(corners);
    for (const double angle : {0.0, 0.3, std::numbers::pi}) {
      const Pose turned(Vector2d::Zero(), angle);
      const double expected = depth_by_brute_force(shape, {}, shape, turned);
      const Separation s = separation(shape, {}, shape, turned);
      EXPECT_NEAR(s.distance, expected, 1e-14);
      EXPECT_NEAR(s.normal.norm(), 1.0, 1e-14);
      const detail::DeepestSide deepest =
          detail::expand_polygon({shape.outline(), shape.outline(), detail::relative_motion({}, turned)});
      ASSERT_TRUE(deepest.is_found);
      EXPECT_NEAR(deepest.gap, expected, 1e-14);
    }
  }
}

}  // namespace
}  // namespace abut::planar
