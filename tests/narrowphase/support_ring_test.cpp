// Rings of support points around a normal: as far as they prove the depth no direction has less.
#include <abut/narrowphase/support_ring.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace abut {
namespace {

using samples::Random;

/// As much of a Minkowski difference as a ring asks for: the hull of points.
struct PointCloud {
  struct Point {
    Vector3d difference;
  };
  std::vector<Vector3d> points;

  [[nodiscard]] Point support(const Vector3d& direction) const {
    const auto is_lower = [&](const Vector3d& p, const Vector3d& q) { return p.dot(direction) < q.dot(direction); };
    return {*std::max_element(points.begin(), points.end(), is_lower)};
  }
};

/// The same: a ball.
struct Ball {
  Vector3d middle;
  double radius = 0.0;

  [[nodiscard]] Vector3d center() const { return middle; }
  [[nodiscard]] PointCloud::Point support(const Vector3d& direction) const {
    return {middle + radius * direction.normalized()};
  }
};

TEST(SupportRing, NoDirectionIsLowerThanThePlaneAsFarAsItProves) {
  Random random(9);
  int proven = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const Eigen::Matrix3d axes = random.rotation().toRotationMatrix();
    const double depth = random.uniform(0.02, 0.5);
    const double width = std::pow(10.0, random.uniform(-2.0, 0.0));  // as long bodies have it
    const double height = std::pow(10.0, random.uniform(-2.0, 0.0));
    PointCloud cloud;
    for (int i = 0; i < 24; ++i) {
      cloud.points.push_back(axes * Vector3d(random.uniform(-1.0, 0.7), width * random.uniform(-1.0, 0.7),
                                             depth - height * random.uniform(0.0, 1.0)));
    }
    const Vector3d normal = axes.col(2);
    const double begin = trial % 4 == 0 ? random.uniform(1.0, 5.0) : random.uniform(0.02, 1.0);
    const double end = detail::reach_of_cap(cloud, normal, depth, begin);
    if (!(end > begin)) continue;
    ++proven;
    for (int i = 0; i < 200; ++i) {
      const double angle = 2.0 * std::atan(random.uniform(begin, std::min(end, 50.0)));
      const double turn = random.uniform(0.0, 2.0 * std::acos(-1.0));
      const Vector3d direction =
          std::cos(angle) * normal + std::sin(angle) * (std::cos(turn) * axes.col(0) + std::sin(turn) * axes.col(1));
      ASSERT_GE(cloud.support(direction).difference.dot(direction), depth - 1e-12)
          << "depth " << depth << " from " << begin << " to " << end << " at " << angle;
    }
  }
  EXPECT_GT(proven, 200);
}

// The ball touches the plane, by rounding a little beyond it.
TEST(SupportRing, ABallProvesItsOwnPlaneOnlyWhereItsCentreIsBehindTheOrigin) {
  Random random(10);
  for (int trial = 0; trial < 1000; ++trial) {
    const double radius = random.uniform(0.5, 1.0);
    const double along = random.uniform(0.01, 0.4);
    const Vector3d normal = (random.chance(0.5) ? 1.0 : -1.0) * Vector3d::Unit(static_cast<int>(random.below(3)));
    const auto is_proven = [&](double height) {
      const double depth = std::nextafter(height + radius, 0.0);
      return detail::is_deepest(Ball{height * normal, radius}, radius, normal, depth, /*reach=*/0.0);
    };
    SCOPED_TRACE(testing::Message() << "radius " << radius << ", centre " << along << " away");
    EXPECT_TRUE(is_proven(-along));
    EXPECT_FALSE(is_proven(along));  // along -normal there is less depth
  }
}

}  // namespace
}  // namespace abut
