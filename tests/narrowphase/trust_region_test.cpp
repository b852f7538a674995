// The step of the trust region: a quadratic within a disc.
#include <abut/narrowphase/smooth/tangent_frame.h>
#include <abut/narrowphase/smooth/trust_region_step.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace abut {
namespace {

using detail::exact_step;
using detail::QuadraticModel;
using detail::Subproblem;
using detail::truncated_cg_step;
using Eigen::Vector2d;
using samples::Random;

// Over the disc, by rings.
double least_value(const QuadraticModel& model, double radius) {
  double least = 0.0;
  for (int ring = 1; ring <= 60; ++ring) {
    for (int i = 0; i < 720; ++i) {
      const double angle = std::numbers::pi * i / 360.0;
      least = std::min(least, model.at(radius * ring / 60.0 * Vector2d(std::cos(angle), std::sin(angle))));
    }
  }
  return least;
}

QuadraticModel random_model(Random& random) {
  const auto number = [&random] { return random.uniform(-1.0, 1.0) * std::pow(10.0, random.uniform(-3.0, 1.0)); };
  const double gx = number();
  const double gy = number();
  const double uu = number();
  const double uv = number();
  const double vv = number();
  return {{gx, gy}, uu, uv, vv};
}

TEST(TrustRegionStep, ExactIsTheBestOfTheDisc) {
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    const QuadraticModel model = random_model(random);
    const double radius = random.uniform(0.01, 3.0);
    const double least = least_value(model, radius);
    for (const Vector2d& step : {exact_step(model, radius), trust_region_step(model, radius, Subproblem::exact)}) {
      EXPECT_LE(step.norm(), radius * (1.0 + 2e-4));
      // The rings miss the minimum by a little, and the radius is met to 1e-4.
      EXPECT_LE(model.at(step), least + 1e-3 * std::abs(least));
    }
  }
}

TEST(TrustRegionStep, TruncatedGradientsDescendAtLeastAsTheSteepestDescentDoes) {
  Random random(2);
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(i);
    const QuadraticModel model = random_model(random);
    const double radius = random.uniform(0.01, 3.0);
    const Vector2d step = truncated_cg_step(model, radius);
    EXPECT_LE(step.norm(), radius * (1.0 + 1e-12));
    double steepest = 0.0;
    for (int k = 1; k <= 1000; ++k) {
      steepest = std::min(steepest, model.at(-radius * k / 1000.0 * model.gradient.normalized()));
    }
    EXPECT_LE(model.at(step), steepest + 1e-9 * std::abs(steepest));
    EXPECT_GE(model.at(step), model.at(exact_step(model, radius)) * (1.0 + 1e-3) - 1e-12);
  }
}

TEST(TrustRegionStep, LeavesASaddleWithoutAGradient) {
  for (const QuadraticModel& model :
       {QuadraticModel{{0.0, 0.0}, 1.0, 0.0, -1.0}, QuadraticModel{{0.0, 0.0}, 0.5, 2.0, 0.5},
        QuadraticModel{{0.1, 0.0}, 1.0, 0.0, -1.0}}) {
    const Vector2d step = exact_step(model, 0.5);
    EXPECT_NEAR(step.norm(), 0.5, 1e-3);
    EXPECT_LT(model.at(step), -0.05);
  }
}

TEST(TrustRegionStep, IsFiniteForFlatAndZeroModels) {
  const double huge = 1e150;
  const double tiny = std::numeric_limits<double>::min();
  for (const QuadraticModel& model :
       {QuadraticModel{{0.0, 0.0}, 0.0, 0.0, 0.0}, QuadraticModel{{1.0, 0.0}, 0.0, 0.0, 0.0},
        QuadraticModel{{tiny, tiny}, tiny, 0.0, tiny}, QuadraticModel{{1.0, 1.0}, huge, 0.0, 1.0},
        QuadraticModel{{0.0, 1.0}, -1.0, 0.0, -1.0}}) {
    for (const Subproblem subproblem : {Subproblem::exact, Subproblem::truncated_cg}) {
      const Vector2d step = trust_region_step(model, 0.5, subproblem);
      EXPECT_TRUE(step.allFinite());
      EXPECT_LE(step.norm(), 0.5 * (1.0 + 1e-3));
      EXPECT_LE(model.at(step), 0.0);
    }
  }
}

TEST(TangentFrame, IsOrthonormalAndRightHandedEverywhere) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d n = i < 3   ? Vector3d(Vector3d::Unit(i))
                       : i < 6 ? Vector3d(-Vector3d::Unit(i - 3))
                               : random.direction();
    const detail::TangentFrame frame = detail::tangent_frame(n);
    EXPECT_NEAR(frame.u.norm(), 1.0, 4e-15);
    EXPECT_NEAR(frame.u.dot(n), 0.0, 4e-15);
    EXPECT_LT((n.cross(frame.u) - frame.v).norm(), 4e-15);
  }
}

}  // namespace
}  // namespace abut
