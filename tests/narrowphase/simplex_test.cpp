// The projection step of GJK against the conditions that define it, and its short ways against the robust one.
#include <abut/narrowphase/simplex.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <cmath>
#include <vector>

namespace abut::detail {
namespace {

using samples::Random;

struct Point {
  Vector3d difference;
};

NearestOnHull nearest_of(const std::vector<Vector3d>& corners) {
  std::array<const Vector3d*, 4> points{};
  for (std::size_t i = 0; i < corners.size(); ++i) points[i] = &corners[i];
  return nearest_on_hull(points, static_cast<int>(corners.size()));
}

// x is the point of a hull nearest the origin exactly when no corner is nearer along x: x·(p - x) >= 0 for all p.
void expect_nearest(const NearestOnHull& nearest, const std::vector<Vector3d>& corners, double tolerance) {
  double sum = 0.0;
  Vector3d combined = Vector3d::Zero();
  for (std::size_t i = 0; i < static_cast<std::size_t>(nearest.size); ++i) {
    EXPECT_GE(nearest.weight[i], 0.0);
    sum += nearest.weight[i];
    combined += nearest.weight[i] * corners[static_cast<std::size_t>(nearest.index[i])];
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_LE((combined - nearest.closest).norm(), tolerance);
  for (const Vector3d& p : corners) {
    EXPECT_GE(nearest.closest.dot(p - nearest.closest), -tolerance) << "corner " << p.transpose();
  }
}

TEST(NearestOnHull, FindsTheNearestPointOfRandomSegmentsAndTriangles) {
  Random random(7);
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Vector3d offset = random.vector(-1, 1);
    std::vector<Vector3d> corners;
    for (int k = 0; k < 3; ++k) corners.push_back(offset + random.vector(-1, 1));
    expect_nearest(nearest_of({corners[0], corners[1]}), {corners[0], corners[1]}, 1e-13);
    const NearestOnHull nearest = nearest_of(corners);
    expect_nearest(nearest, corners, 1e-12);
    if (nearest.size == 3) ++inside;
  }
  EXPECT_GT(inside, 1000) << "the origin did project into triangles";
}

TEST(NearestOnHull, FindsTheNearestPointOfRandomTetrahedraOrThatTheyEncloseTheOrigin) {
  Random random(8);
  int enclosed = 0;
  int apart = 0;
  for (int i = 0; i < 40000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Vector3d offset = random.vector(-0.6, 0.6);
    std::vector<Vector3d> corners;
    for (int k = 0; k < 4; ++k) corners.push_back(offset + random.vector(-1, 1));
    const NearestOnHull nearest = nearest_of(corners);
    if (nearest.size == 0) {
      ++enclosed;
      // Inside: the origin is a convex combination, by Cramer's rule.
      Eigen::Matrix3d edges;
      for (int k = 0; k < 3; ++k) edges.col(k) = corners[static_cast<std::size_t>(k + 1)] - corners[0];
      const Vector3d weights = -(edges.inverse() * corners[0]);
      EXPECT_GE(weights.minCoeff(), -1e-9);
      EXPECT_LE(weights.sum(), 1.0 + 1e-9);
      EXPECT_EQ(nearest.closest, Vector3d::Zero());
    } else {
      ++apart;
      expect_nearest(nearest, corners, 1e-11);
    }
  }
  EXPECT_GT(enclosed, 500);
  EXPECT_GT(apart, 2000);
}

TEST(NearestOnHull, SurvivesSliversAndRepeatedPoints) {
  Random random(9);
  for (int i = 0; i < 5000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Vector3d p = random.vector(-1, 1);
    const Vector3d along = random.direction();
    const double thin = std::pow(10.0, random.uniform(-17, -6));
    const std::vector<Vector3d> corners{p, p + along, p + random.uniform(0.1, 0.9) * along + thin * random.direction(),
                                        p + thin * random.direction()};
    const NearestOnHull nearest = nearest_of(corners);
    EXPECT_TRUE(nearest.closest.allFinite());
    double to_corner = 1e300;  // an upper bound
    for (const Vector3d& corner : corners) to_corner = std::min(to_corner, corner.norm());
    EXPECT_LE(nearest.closest.norm(), to_corner + 1e-12);
  }
  const Vector3d p(1, 2, 3);
  EXPECT_EQ(nearest_of({p, p, p, p}).closest, p);
}

// As GJK does: each point lies beyond the plane across the nearest point of those before. Shapes from round to needles,
// so that both the short way and the robust one are taken.
// Rounding turns the normal of a thin triangle by much, and the distance of a corner that is far from the nearest point
// with it; the distance of points inside hardly changes.
TEST(NearestOnHull, IsAsFarFromAThinTriangleAsThePointThatTheWeightsGive) {
  Random random(11);
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Quaterniond turn = random.rotation();
    const double height = std::pow(10.0, random.uniform(-7.0, -3.0));
    const double away = std::pow(10.0, random.uniform(-7.0, -2.0));
    const double across = random.uniform(0.1, 0.9) * height;
    std::vector<Vector3d> corners;
    for (const Vector3d& corner :
         {Vector3d(-random.uniform(0.1, 1.0), -across, away), Vector3d(random.uniform(0.1, 1.0), -across, away),
          Vector3d(random.uniform(-0.01, 0.01), height - across, away)}) {
      corners.push_back(turn * corner);
    }
    const NearestOnHull nearest = nearest_of(corners);
    if (nearest.size != 3) continue;
    ++inside;
    Vector3d combined = Vector3d::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      combined += nearest.weight[k] * corners[static_cast<std::size_t>(nearest.index[k])];
    EXPECT_NEAR(combined.dot(nearest.closest.normalized()), nearest.closest.norm(), 1e-15);
  }
  EXPECT_GT(inside, 3000);
}

TEST(Simplex, ComesAsNearAsAllPointsTogetherAllow) {
  Random random(10);
  std::array<int, 5> sizes{};
  for (int i = 0; i < 60000; ++i) {
    SCOPED_TRACE(testing::Message() << "round " << i);
    const Vector3d scale(1.0, std::pow(10.0, random.uniform(-4, 0)), std::pow(10.0, random.uniform(-4, 0)));
    const Vector3d offset = random.vector(-0.6, 0.6);
    const auto next = [&] { return Vector3d(scale.cwiseProduct(offset + random.vector(-1, 1))); };
    std::vector<Vector3d> corners{next()};
    Simplex<Point> simplex(Point{corners[0]});
    for (int attempt = 0; attempt < 30 && simplex.size() < 4; ++attempt) {
      const Vector3d p = next();
      if (simplex.closest().dot(p - simplex.closest()) >= 0.0) continue;
      corners.clear();
      for (int k = 0; k < simplex.size(); ++k) corners.push_back(simplex[k].difference);
      corners.push_back(p);
      const NearestOnHull expected = nearest_of(corners);
      const auto extension = simplex.extend(Point{p});
      ++sizes[static_cast<std::size_t>(simplex.size())];
      if (extension == Simplex<Point>::Extension::stuck) break;
      EXPECT_EQ(extension == Simplex<Point>::Extension::encloses, expected.size == 0);
      EXPECT_LE((simplex.closest() - expected.closest).norm(), 1e-11);
      EXPECT_LE((simplex.nearest().closest - expected.closest).norm(), 1e-11);
    }
  }
  for (std::size_t size = 1; size <= 4; ++size) EXPECT_GT(sizes[size], 500) << size;
}

TEST(Simplex, StaysAsItIsWhenAPointComesAgainOrEnclosingIsRuledOut) {
  Simplex<Point> simplex(Point{{1, 1, -1}});
  const std::vector<Vector3d> corners{{-1, 1, -1}, {0, -1, -1}};
  for (const Vector3d& corner : corners) {
    EXPECT_EQ(simplex.extend(Point{corner}), Simplex<Point>::Extension::nearer);
    const Vector3d before = simplex.closest();
    EXPECT_EQ(simplex.extend(Point{corner}), Simplex<Point>::Extension::stuck);
    EXPECT_EQ(simplex.closest(), before);
  }
  EXPECT_EQ(simplex.extend(Point{{0, 0, 1}}, /*may_enclose=*/false), Simplex<Point>::Extension::stuck);
  EXPECT_EQ(simplex.size(), 3);
  EXPECT_EQ(simplex.closest(), Vector3d(0, 0, -1));
  EXPECT_EQ(simplex.extend(Point{{0, 0, 1}}), Simplex<Point>::Extension::encloses);
  EXPECT_EQ(simplex.closest(), Vector3d(0, 0, 0));
}

}  // namespace
}  // namespace abut::detail
