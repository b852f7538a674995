// The support function as a function of its parameters: the value is that of the shape, the derivatives are those that
// differences show.
#include <abut/core/shapes/smooth_hull.h>
#include <abut/fitting/detail/support_model.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <cmath>
#include <vector>

namespace abut {
namespace {

using detail::support_model;

TEST(SupportModel, IsTheSupportFunctionOfTheSmoothHull) {
  samples::Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Vector3d> points;
    std::vector<double> coordinates;
    for (int i = 0; i < 7; ++i) {
      points.push_back(random.vector(-1.0, 1.0));
      coordinates.insert(coordinates.end(), points.back().begin(), points.back().end());
    }
    const SmoothHull shape(points, random.uniform(2.01, 150.0));
    const Vector3d direction = random.direction();
    const double expected = shape.core_support(direction).dot(direction);
    EXPECT_NEAR(support_model(coordinates, shape.sharpness(), direction, {}, nullptr), expected, 1e-12)
        << "trial " << trial;
  }
}

TEST(SupportModel, ItsDerivativesAreTheLimitOfDifferences) {
  constexpr double kStep = 1e-6;
  samples::Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    std::vector<double> points;
    for (int i = 0; i < 15; ++i) points.push_back(random.uniform(-1.0, 1.0));
    const double sharpness = random.uniform(2.1, 40.0);
    const Vector3d direction = random.direction();
    std::vector<double> by_points(points.size());
    double by_sharpness = 0.0;
    const double value = support_model(points, sharpness, direction, by_points, &by_sharpness);
    EXPECT_EQ(value, support_model(points, sharpness, direction, {}, nullptr));
    for (std::size_t i = 0; i < points.size(); ++i) {
      std::vector<double> above = points, below = points;
      above[i] += kStep;
      below[i] -= kStep;
      const double difference = support_model(above, sharpness, direction, {}, nullptr) -
                                support_model(below, sharpness, direction, {}, nullptr);
      EXPECT_NEAR(by_points[i], difference / (2.0 * kStep), 2e-7) << "coordinate " << i;
    }
    const double difference = support_model(points, sharpness + kStep, direction, {}, nullptr) -
                              support_model(points, sharpness - kStep, direction, {}, nullptr);
    EXPECT_NEAR(by_sharpness, difference / (2.0 * kStep), 2e-7);
  }
}

TEST(SupportModel, IsZeroWhereNoPointLiesAhead) {
  const std::vector<double> points{1.0, 0.0, 0.0, 0.5, 0.5, 0.0};
  std::vector<double> by_points(points.size(), 7.0);
  double by_sharpness = 7.0;
  EXPECT_EQ(support_model(points, 5.0, -Vector3d::UnitX(), by_points, &by_sharpness), 0.0);
  EXPECT_EQ(by_points, std::vector<double>(points.size(), 0.0));
  EXPECT_EQ(by_sharpness, 0.0);
}

TEST(SupportModel, NeitherSizeNorSharpnessOverflows) {
  for (const double size : {1e-200, 1e200}) {
    const std::vector<double> points{size, 0.0, 0.0, 0.9 * size, 0.0, 0.0};
    EXPECT_NEAR(support_model(points, 1e6, Vector3d::UnitX(), {}, nullptr) / size, 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace abut
