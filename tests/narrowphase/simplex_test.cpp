// The projection step of GJK against the conditions that define it.
#include <abut/narrowphase/simplex.h>
#include <gtest/gtest.h>
#include <support/random.h>

namespace abut::detail {
namespace {

using samples::Random;

DifferencePoint point(const Vector3d& p) {
  return {p, p, Vector3d::Zero()};
}

// x is the point of a hull nearest the origin exactly when no corner is nearer along x: x·(p - x) >= 0 for all p.
void expect_nearest(const Simplex& simplex, const std::vector<Vector3d>& corners, double tolerance) {
  double sum = 0.0;
  Vector3d combined = Vector3d::Zero();
  for (int i = 0; i < simplex.size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_GE(simplex.weights[k], 0.0);
    sum += simplex.weights[k];
    combined += simplex.weights[k] * simplex.points[k].difference;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_LE((combined - simplex.closest).norm(), tolerance);
  for (const Vector3d& p : corners) {
    EXPECT_GE(simplex.closest.dot(p - simplex.closest), -tolerance) << "corner " << p.transpose();
  }
}

Simplex simplex_of(const std::vector<Vector3d>& corners) {
  Simplex simplex = single_point(point(corners[0]));
  for (std::size_t i = 1; i < corners.size() && simplex.size < 4; ++i) {
    simplex = extended(simplex, point(corners[i]));
    // Only the newest subset is kept: start over from it, as GJK does.
  }
  return simplex;
}

TEST(Simplex, FindsTheNearestPointOfRandomSegmentsAndTriangles) {
  Random random(7);
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Vector3d offset = random.vector(-1, 1);
    std::vector<Vector3d> corners;
    for (int k = 0; k < 3; ++k) corners.push_back(offset + random.vector(-1, 1));
    const Simplex segment = extended(single_point(point(corners[0])), point(corners[1]));
    expect_nearest(segment, {corners[0], corners[1]}, 1e-13);
    if (segment.size == 2) {
      const Simplex triangle = extended(segment, point(corners[2]));
      expect_nearest(triangle, corners, 1e-12);
      if (triangle.size == 3) ++inside;
    }
  }
  EXPECT_GT(inside, 1000) << "the origin did project into triangles";
}

TEST(Simplex, FindsTheNearestPointOfRandomTetrahedraOrEnclosesTheOrigin) {
  Random random(8);
  int enclosed = 0;
  int apart = 0;
  for (int i = 0; i < 40000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Vector3d offset = random.vector(-0.6, 0.6);
    std::vector<Vector3d> corners;
    for (int k = 0; k < 4; ++k) corners.push_back(offset + random.vector(-1, 1));
    Simplex simplex = extended(single_point(point(corners[0])), point(corners[1]));
    if (simplex.size < 2) continue;
    simplex = extended(simplex, point(corners[2]));
    if (simplex.size < 3) continue;
    simplex = extended(simplex, point(corners[3]));
    if (simplex.size == 4) {
      ++enclosed;
      // Inside: the origin is a convex combination, by Cramer's rule.
      Eigen::Matrix3d edges;
      for (int k = 0; k < 3; ++k) edges.col(k) = corners[static_cast<std::size_t>(k + 1)] - corners[0];
      const Vector3d weights = edges.fullPivLu().solve(-corners[0]);
      EXPECT_GE(weights.minCoeff(), -1e-9);
      EXPECT_LE(weights.sum(), 1.0 + 1e-9);
      EXPECT_EQ(simplex.closest, Vector3d::Zero());
    } else {
      ++apart;
      expect_nearest(simplex, corners, 1e-11);
    }
  }
  EXPECT_GT(enclosed, 500);
  EXPECT_GT(apart, 2000);
}

TEST(Simplex, SurvivesSliversAndRepeatedPoints) {
  Random random(9);
  for (int i = 0; i < 5000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Vector3d p = random.vector(-1, 1);
    const Vector3d along = random.direction();
    const double thin = std::pow(10.0, random.uniform(-17, -6));
    const std::vector<Vector3d> corners{p, p + along, p + random.uniform(0.1, 0.9) * along + thin * random.direction(),
                                        p + thin * random.direction()};
    const Simplex simplex = simplex_of(corners);
    ASSERT_GE(simplex.size, 1);
    EXPECT_TRUE(simplex.closest.allFinite());
    double nearest = 1e300;  // to the corners, an upper bound
    for (const Vector3d& corner : corners) nearest = std::min(nearest, corner.norm());
    if (simplex.size < 4) {
      EXPECT_LE(simplex.closest.norm(), nearest + 1e-12);
    }
  }
  const Vector3d p(1, 2, 3);
  EXPECT_EQ(simplex_of({p, p, p, p}).closest, p);
}

}  // namespace
}  // namespace abut::detail
