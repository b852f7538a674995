// The quadratic program of two segments: optimality by its duals, and by the nine candidates of Algorithm 4.
#include <abut/narrowphase/qp/box_qp.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut {
namespace {

using detail::box_qp_duals;
using detail::BoxQp;
using detail::BoxQpSolution;
using detail::solve_box_qp;
using Eigen::Vector2d;
using samples::Random;

double distance_at(const BoxQp& qp, const Vector2d& x) {
  return (qp.first * x[0] + qp.second * x[1] + qp.offset).norm();
}

// The unconstrained minimum, the best points of the four sides, and the four corners: the least distance of those that
// are between 0 and 1.
double least_of_nine_candidates(const BoxQp& qp) {
  const double p1 = qp.first.squaredNorm();
  const double p2 = qp.first.dot(qp.second);
  const double p3 = qp.second.squaredNorm();
  const double c1 = qp.first.dot(qp.offset);
  const double c2 = qp.second.dot(qp.offset);
  const double determinant = p1 * p3 - p2 * p2;
  const std::array<Vector2d, 9> candidates = {{{(p2 * c2 - p3 * c1) / determinant, (p2 * c1 - p1 * c2) / determinant},
                                               {1.0, -(p2 + c2) / p3},
                                               {0.0, -c2 / p3},
                                               {-(p2 + c1) / p1, 1.0},
                                               {-c1 / p1, 0.0},
                                               {0.0, 0.0},
                                               {0.0, 1.0},
                                               {1.0, 0.0},
                                               {1.0, 1.0}}};
  double least = std::numeric_limits<double>::infinity();
  for (const Vector2d& x : candidates) {
    if (x.minCoeff() >= 0.0 && x.maxCoeff() <= 1.0) least = std::min(least, distance_at(qp, x));
  }
  return least;
}

BoxQp random_qp(Random& random) {
  return {.first = random.uniform(0.1, 2.0) * random.direction(),
          .second = random.uniform(0.1, 2.0) * random.direction(),
          .offset = random.uniform(0.0, 3.0) * random.direction()};
}

// (3) to (6), in units of the sizes.
void expect_optimal(const BoxQp& qp, const BoxQpSolution& solution) {
  const Vector2d& x = solution.x;
  ASSERT_TRUE(x.minCoeff() >= 0.0 && x.maxCoeff() <= 1.0) << x.transpose();
  const double size = qp.first.norm() + qp.second.norm() + qp.offset.norm();
  EXPECT_LE((qp.first * x[0] + qp.second * x[1] + qp.offset - solution.residual).norm(), 1e-15 * size);
  const Eigen::Vector4d duals = box_qp_duals(qp, solution);
  EXPECT_GE(duals.minCoeff(), 0.0);
  const Vector2d stationarity(qp.first.dot(solution.residual) + duals[0] - duals[2],
                              qp.second.dot(solution.residual) + duals[1] - duals[3]);
  EXPECT_LE(stationarity.lpNorm<Eigen::Infinity>(), 4e-15 * size * size) << x.transpose();
  EXPECT_EQ(duals[0] * (1.0 - x[0]), 0.0);
  EXPECT_EQ(duals[1] * (1.0 - x[1]), 0.0);
  EXPECT_EQ(duals[2] * x[0], 0.0);
  EXPECT_EQ(duals[3] * x[1], 0.0);
}

TEST(BoxQp, FindsTheBestOfTheNineCandidates) {
  Random random(1);
  std::array<int, 3> at_bounds = {};
  for (int i = 0; i < 5000; ++i) {
    SCOPED_TRACE(testing::Message() << "seed 1, number " << i);
    const BoxQp qp = random_qp(random);
    const BoxQpSolution solution = solve_box_qp(qp);
    expect_optimal(qp, solution);
    EXPECT_FALSE(solution.is_parallel);
    EXPECT_NEAR(solution.residual.norm(), least_of_nine_candidates(qp), 1e-10);
    int bounds = 0;
    for (const double x : {solution.x[0], solution.x[1]}) bounds += x == 0.0 || x == 1.0 ? 1 : 0;
    ++at_bounds[static_cast<std::size_t>(bounds)];
  }
  for (const int count : at_bounds) EXPECT_GT(count, 300);
}

TEST(BoxQp, IsOptimalForNearlyParallelSegments) {
  Random random(2);
  for (int power = 1; power <= 17; ++power) {
    for (int i = 0; i < 200; ++i) {
      SCOPED_TRACE(testing::Message() << "seed 2, angle 1e-" << power << ", number " << i);
      BoxQp qp = random_qp(random);
      const double sign = random.chance(0.5) ? 1.0 : -1.0;
      qp.second = sign * qp.second.norm() * (qp.first.normalized() + std::pow(10.0, -power) * random.direction());
      expect_optimal(qp, solve_box_qp(qp));
    }
  }
}

TEST(BoxQp, TakesTheMiddleOfWhatParallelSegmentsShare) {
  // Points x and 2 - 4 y beside each other for x in all of [0, 1].
  const BoxQp longer = {.first = {1, 0, 0}, .second = {4, 0, 0}, .offset = {-2, 0, 3}};
  const BoxQpSolution middle = solve_box_qp(longer);
  EXPECT_TRUE(middle.is_parallel);
  EXPECT_NEAR(middle.x[0], 0.5, 1e-15);
  EXPECT_NEAR(middle.x[1], 0.375, 1e-15);
  EXPECT_EQ(middle.residual, Vector3d(0, 0, 3));
  // Past each other: the two ends.
  const BoxQpSolution ends = solve_box_qp({.first = {1, 0, 0}, .second = {-1, 0, 0}, .offset = {-4, 1, 0}});
  EXPECT_EQ(ends.x, Vector2d(1.0, 0.0));
  EXPECT_EQ(ends.residual, Vector3d(-3, 1, 0));
}

TEST(BoxQp, TakesSegmentsWithoutLength) {
  const Vector3d zero = Vector3d::Zero();
  const BoxQpSolution points = solve_box_qp({.first = zero, .second = zero, .offset = {0, 2, 0}});
  EXPECT_EQ(points.x, Vector2d(0.5, 0.5));
  EXPECT_EQ(points.residual, Vector3d(0, 2, 0));
  const BoxQpSolution first = solve_box_qp({.first = zero, .second = {2, 0, 0}, .offset = {-0.5, 1, 0}});
  EXPECT_EQ(first.x, Vector2d(0.5, 0.25));
  EXPECT_EQ(first.residual, Vector3d(0, 1, 0));
  const BoxQpSolution second = solve_box_qp({.first = {2, 0, 0}, .second = zero, .offset = {-3, 1, 0}});
  EXPECT_EQ(second.x, Vector2d(1.0, 0.5));
  EXPECT_EQ(second.residual, Vector3d(-1, 1, 0));
  EXPECT_EQ(box_qp_duals({.first = {2, 0, 0}, .second = zero, .offset = {-3, 1, 0}}, second),
            Eigen::Vector4d(2.0, 0.0, 0.0, 0.0));
}

}  // namespace
}  // namespace abut
