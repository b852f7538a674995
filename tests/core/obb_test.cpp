// Obb: the separating-axis bound against projections of corners, and the box of a point set.
#include <abut/core/infinity.h>
#include <abut/core/obb.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "point_sets.h"

namespace abut {
namespace {

using samples::Random;

Obb random_obb(double half_side, double size, Random& random) {
  const Vector3d center = random.vector(-half_side, half_side);
  const Matrix3d axes = random.rotation().toRotationMatrix();
  return {center, axes, random.vector(0.0, size)};
}

std::array<Vector3d, 8> corners(const Obb& box) {
  std::array<Vector3d, 8> result;
  for (unsigned i = 0; i < 8; ++i) {
    const Vector3d signs(i & 1u ? 1.0 : -1.0, i & 2u ? 1.0 : -1.0, i & 4u ? 1.0 : -1.0);
    result[i] = box.center + box.axes * signs.cwiseProduct(box.half_extents);
  }
  return result;
}

double gap_along(const Vector3d& axis, const Obb& a, const Obb& b) {
  double gap = -kInfinity;
  for (const double sign : {1.0, -1.0}) {
    double a_upper = -kInfinity;
    double b_lower = kInfinity;
    for (const Vector3d& corner : corners(a)) a_upper = std::max(a_upper, sign * axis.dot(corner));
    for (const Vector3d& corner : corners(b)) b_lower = std::min(b_lower, sign * axis.dot(corner));
    gap = std::max(gap, b_lower - a_upper);
  }
  return gap;
}

double largest_gap(const Obb& a, const Obb& b) {
  double gap = -kInfinity;
  for (int i = 0; i < 3; ++i) {
    gap = std::max({gap, gap_along(a.axes.col(i), a, b), gap_along(b.axes.col(i), a, b)});
    for (int j = 0; j < 3; ++j) {
      const Vector3d axis = a.axes.col(i).cross(b.axes.col(j));
      if (axis.norm() > 1e-9) gap = std::max(gap, gap_along(axis.normalized(), a, b));
    }
  }
  return gap;
}

bool contains(const Obb& box, const Vector3d& point, double tolerance) {
  const Vector3d local = box.axes.transpose() * (point - box.center);
  return (local.cwiseAbs().array() <= box.half_extents.array() + tolerance).all();
}

double half_area(const Vector3d& half) {
  return half.x() * half.y() + half.y() * half.z() + half.z() * half.x();
}

TEST(SeparationBound, IsTheLargestGapOfTheProjectedCorners) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    int apart = 0;
    int edge_to_edge = 0;
    for (int i = 0; i < 5000; ++i) {
      const Obb a = random_obb(1.0, 0.8, random);
      const Obb b = random_obb(1.0, 0.8, random);
      const double bound = separation_bound(a, b);
      ASSERT_NEAR(bound, largest_gap(a, b), 1e-13);
      ASSERT_NEAR(bound, separation_bound(b, a), 1e-13);
      if (bound <= 0.0) continue;
      ++apart;
      double face_gap = -kInfinity;
      for (int k = 0; k < 3; ++k) {
        face_gap = std::max({face_gap, gap_along(a.axes.col(k), a, b), gap_along(b.axes.col(k), a, b)});
      }
      if (face_gap < bound - 1e-9) ++edge_to_edge;
    }
    EXPECT_GT(apart, 500);
    EXPECT_LT(apart, 4500);
    EXPECT_GT(edge_to_edge, 20);  // some pairs need a cross product
  }
}

TEST(SeparationBound, EndsEarlyOnlyWithAGapThatIsEnough) {
  Random random(11);
  int early = 0;
  int late = 0;
  for (int i = 0; i < 20000; ++i) {
    const Obb a = random_obb(1.0, 0.8, random);
    const Obb b = random_obb(1.0, 0.8, random);
    const double largest = separation_bound(a, b);
    const double enough = random.uniform(-0.2, 0.4);
    const double bound = separation_bound(a, b, enough);
    ASSERT_EQ(bound > enough, largest > enough);
    if (bound == largest) {
      ++late;
      continue;
    }
    ++early;
    ASSERT_LT(bound, largest);
    ASSERT_GT(bound, enough);
  }
  EXPECT_GT(early, 100);
  EXPECT_GT(late, 10000);
}

TEST(SeparationBound, IsExactForParallelFaces) {
  const Obb a{Vector3d::Zero(), Matrix3d::Identity(), Vector3d(1, 2, 3)};
  for (int axis = 0; axis < 3; ++axis) {
    Obb b = a;
    b.center[axis] = 2.0 * a.half_extents[axis] + 0.25;
    EXPECT_NEAR(separation_bound(a, b), 0.25, 2e-13);
    b.center[axis] = -b.center[axis];
    EXPECT_NEAR(separation_bound(a, b), 0.25, 2e-13);
  }
}

TEST(SeparationBound, IsExactForCrossingEdges) {
  // Two cubes, each turned by 45° onto an edge; the edges cross at right angles, a gap apart.
  const double quarter = 0.25 * std::numbers::pi;
  const Obb a{Vector3d::Zero(), Eigen::AngleAxisd(quarter, Vector3d::UnitX()).toRotationMatrix(), Vector3d::Ones()};
  Obb b{Vector3d::Zero(), Eigen::AngleAxisd(quarter, Vector3d::UnitY()).toRotationMatrix(), Vector3d::Ones()};
  for (const double gap : {1e-9, 1e-3, 1.0, 100.0}) {
    b.center.z() = 2.0 * std::sqrt(2.0) + gap;
    EXPECT_NEAR(separation_bound(a, b), gap, 1e-13 * (1.0 + gap));
  }
}

TEST(SeparationBound, IsNeverPositiveForBoxesThatShareAPoint) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (int i = 0; i < 20000; ++i) {
      const double scale = std::pow(10.0, random.uniform(-6.0, 6.0));
      const double ratio = std::pow(10.0, random.uniform(-6.0, 6.0));
      const double far = random.chance(0.3) ? 1e3 * scale : scale;
      Obb a = random_obb(far, scale, random);
      Obb b = random_obb(0.0, scale * ratio, random);
      // Parallel, nearly parallel or any axes; needles and plates among the sizes.
      if (random.chance(0.3)) b.axes = a.axes;
      if (random.chance(0.3)) {
        const double angle = std::pow(10.0, random.uniform(-17.0, -3.0));
        b.axes = a.axes * Eigen::AngleAxisd(angle, random.direction()).toRotationMatrix();
      }
      for (Obb* box : {&a, &b}) {
        for (int k = 0; k < 3; ++k) {
          if (random.chance(0.2)) box->half_extents[k] *= random.chance(0.5) ? 0.0 : 1e-9;
        }
      }
      // A point of each, mostly on corners, edges and faces; the points are laid on each other.
      std::array<Vector3d, 2> points;
      const std::array<const Obb*, 2> boxes = {&a, &b};
      for (std::size_t k = 0; k < 2; ++k) {
        Vector3d local = random.vector(-1.0, 1.0);
        for (int m = 0; m < 3; ++m) {
          if (random.chance(0.7)) local[m] = std::copysign(1.0, local[m]);
        }
        points[k] = boxes[k]->center + boxes[k]->axes * local.cwiseProduct(boxes[k]->half_extents);
      }
      b.center += points[0] - points[1];
      ASSERT_LE(separation_bound(a, b), 0.0) << "pair " << i;
      ASSERT_LE(separation_bound(b, a), 0.0) << "pair " << i;
    }
  }
}

TEST(SeparationBound, IsNoMoreThanTheDistanceOfAnyTwoPoints) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const Obb a = random_obb(2.0, 0.7, random);
    const Obb b = random_obb(2.0, 0.7, random);
    const double bound = separation_bound(a, b);
    for (int k = 0; k < 200; ++k) {
      const Vector3d p = a.center + a.axes * random.vector(-1.0, 1.0).cwiseProduct(a.half_extents);
      const Vector3d q = b.center + b.axes * random.vector(-1.0, 1.0).cwiseProduct(b.half_extents);
      ASSERT_LE(bound, (p - q).norm());
    }
  }
}

TEST(SeparationBound, IsMinusInfinityForUnboundedBoxes) {
  const Obb unit{Vector3d::Zero(), Matrix3d::Identity(), Vector3d::Ones()};
  Obb unbounded = unit;
  unbounded.center = Vector3d(100, 0, 0);
  unbounded.half_extents = Vector3d(1, kInfinity, 1);
  EXPECT_EQ(separation_bound(unit, unbounded), -kInfinity);
  EXPECT_EQ(separation_bound(unbounded, unit), -kInfinity);
  EXPECT_EQ(separation_bound(unbounded, unbounded), -kInfinity);
  const Aabb half_open{Vector3d(-kInfinity, 0, 0), Vector3d::Ones()};
  EXPECT_EQ(separation_bound(unit, Obb::from_aabb(half_open)), -kInfinity);
}

TEST(Obb, MovesWithAPose) {
  Random random(5);
  const Obb box = random_obb(1.0, 1.0, random);
  const Pose pose = random.pose(3.0);
  const Obb moved = pose * box;
  for (std::size_t i = 0; i < 8; ++i) EXPECT_LT((corners(moved)[i] - pose * corners(box)[i]).norm(), 1e-14);
}

TEST(BoundingObb, ContainsThePointsAndIsNoLargerThanTheirAabb) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (const double scale : {1e-200, 1e-6, 1.0, 1e6, 1e150}) {
      const Vector3d sizes = scale * random.vector(0.1, 1.0);
      const Eigen::Quaterniond rotation = random.rotation();
      const Vector3d offset = scale * random.vector(-2.0, 2.0);
      Eigen::Matrix3Xd points(3, 100);
      Aabb aligned;
      for (Eigen::Index i = 0; i < points.cols(); ++i) {
        points.col(i) = offset + rotation * sizes.cwiseProduct(random.vector(-1.0, 1.0));
        aligned.merge(Vector3d(points.col(i)));
      }
      const Obb box = bounding_obb(points);
      EXPECT_LT((box.axes.transpose() * box.axes - Matrix3d::Identity()).norm(), 1e-14);
      for (Eigen::Index i = 0; i < points.cols(); ++i) EXPECT_TRUE(contains(box, points.col(i), 1e-14 * scale));
      EXPECT_LE(half_area(box.half_extents / scale), half_area(aligned.half_extents() / scale));
    }
  }
}

TEST(BoundingObb, FollowsTiltedPlatesAndNeedles) {
  Random random(6);
  const Eigen::Quaterniond rotation = random.rotation();
  for (const Vector3d& sizes : {Vector3d(1.0, 0.5, 0.0), Vector3d(1.0, 0.0, 0.0), Vector3d(1.0, 1e-3, 1e-6)}) {
    Eigen::Matrix3Xd points(3, 8);
    for (Eigen::Index i = 0; i < 8; ++i) {
      const Vector3d signs(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
      points.col(i) = rotation * signs.cwiseProduct(sizes);
    }
    Vector3d half_extents = bounding_obb(points).half_extents;
    std::sort(half_extents.begin(), half_extents.end(), std::greater<>());
    EXPECT_LT((half_extents - sizes).cwiseAbs().maxCoeff(), 1e-12);
  }
}

// One normal is enough; the points between the corners are what covariances do not see through.
TEST(BoundingObb, WithANormalOfATurnedBoxIsThatBox) {
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    const Matrix3d axes = random.rotation().toRotationMatrix();
    const Vector3d center = random.vector(-3.0, 3.0);
    Vector3d sizes = i % 2 == 0 ? Vector3d::Ones() : random.vector(0.1, 1.0);
    Eigen::Matrix3Xd points(3, 200);
    for (Eigen::Index k = 0; k < points.cols(); ++k) {
      const Vector3d signs(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
      points.col(k) = center + axes * (k < 8 ? signs : random.vector(-1.0, 1.0)).cwiseProduct(sizes);
    }
    const Vector3d normal = (random.chance(0.5) ? 1.0 : -1.0) * axes.col(i % 3);
    const Obb box = bounding_obb(points, {&normal, 1});
    Vector3d half_extents = box.half_extents;
    std::sort(half_extents.begin(), half_extents.end());
    std::sort(sizes.begin(), sizes.end());
    EXPECT_LT((half_extents - sizes).norm(), 1e-12);
    EXPECT_LT((box.center - center).norm(), 1e-12);
    EXPECT_LT((box.axes.transpose() * box.axes - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_GT(box.axes.determinant(), 0.0);
  }
}

TEST(BoundingObb, WithNormalsContainsThePointsAndIsNoLargerThanWithout) {
  Random random(8);
  int tighter = 0;
  for (int i = 0; i < 60; ++i) {
    const double scale = std::array{1e-200, 1e-6, 1.0, 1e6, 1e150}[static_cast<std::size_t>(i % 5)];
    Eigen::Matrix3Xd points(3, 1 + i);
    for (Eigen::Index k = 0; k < points.cols(); ++k) points.col(k) = scale * random.vector(-1.0, 1.0);
    std::vector<Vector3d> normals;
    for (int k = 0; k < 6; ++k) normals.push_back(random.direction());
    const Obb box = bounding_obb(points, normals);
    for (Eigen::Index k = 0; k < points.cols(); ++k) EXPECT_TRUE(contains(box, points.col(k), 1e-14 * scale));
    const double without = half_area(bounding_obb(points).half_extents / scale);
    EXPECT_LE(half_area(box.half_extents / scale), without);
    tighter += half_area(box.half_extents / scale) < 0.999 * without ? 1 : 0;
  }
  EXPECT_GT(tighter, 10);
}

TEST(BoundingObb, WithoutNormalsOrWithUselessOnesIsTheSame) {
  Random random(9);
  Eigen::Matrix3Xd points(3, 20);
  for (Eigen::Index i = 0; i < points.cols(); ++i) points.col(i) = random.vector(-1.0, 1.0);
  const Vector3d up = Vector3d::UnitZ();
  const Obb box = bounding_obb(points);
  EXPECT_EQ(bounding_obb(points, {}).axes, box.axes);
  // An aligned box that is flush already keeps its axes.
  points.leftCols<8>() << -2, 2, -2, 2, -2, 2, -2, 2, -2, -2, 2, 2, -2, -2, 2, 2, -2, -2, -2, -2, 2, 2, 2, 2;
  EXPECT_EQ(bounding_obb(points, {&up, 1}).axes, Matrix3d::Identity());
  const std::array<Vector3d, 3> no_normals = {Vector3d::Zero(), Vector3d::Constant(std::nan("")), Vector3d(0, 0, 2)};
  EXPECT_EQ(bounding_obb(points, no_normals).axes, Matrix3d::Identity());
  const Matrix3d slanted = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  const Vector3d nearly_unit = (1.0 + 4e-7) * slanted.col(2);
  const Obb cube = bounding_obb(slanted * points.leftCols<8>(), {&nearly_unit, 1});
  EXPECT_LT((cube.half_extents - Vector3d::Constant(2.0)).norm(), 1e-13);
  EXPECT_LT((cube.axes.transpose() * cube.axes - Matrix3d::Identity()).norm(), 1e-14);
  // Seen along the normal all points are one.
  Eigen::Matrix3Xd line(3, 4);
  for (Eigen::Index i = 0; i < 4; ++i) line.col(i) = static_cast<double>(i) * slanted.col(2);
  const Vector3d along = slanted.col(2);
  const Obb needle = bounding_obb(line, {&along, 1});
  EXPECT_LT((needle.axes.transpose() * needle.axes - Matrix3d::Identity()).norm(), 1e-14);
  EXPECT_NEAR(needle.half_extents.maxCoeff(), 1.5, 1e-14);
  const Eigen::Matrix3Xd wide = Eigen::Matrix3Xd::Identity(3, 3) * std::numeric_limits<double>::max();
  EXPECT_TRUE(bounding_obb(wide, {&up, 1}).half_extents.allFinite());
}

TEST(BoundingObb, OfOnePointIsThatPoint) {
  const Vector3d point(1, -2, 3);
  const Obb box = bounding_obb(point);
  EXPECT_EQ(box.center, point);
  EXPECT_EQ(box.half_extents, Vector3d::Zero());
}

}  // namespace
}  // namespace abut
