// Levenberg-Marquardt on problems whose answers are known.
#include <abut/fitting/detail/least_squares.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

namespace abut {
namespace {

TEST(LeastSquares, FindsTheMinimumOfRosenbrocksValley) {
  const auto rosenbrock = [](std::span<const double> x, std::span<double> r, std::span<double> jacobian) {
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
    if (jacobian.empty()) return;
    jacobian[0] = -20.0 * x[0];
    jacobian[1] = -1.0;
    jacobian[2] = 10.0;
    jacobian[3] = 0.0;
  };
  const auto result = detail::minimize_squares(rosenbrock, {-1.2, 1.0}, 2, 1e-12, 200);
  EXPECT_NEAR(result.variables[0], 1.0, 1e-8);
  EXPECT_NEAR(result.variables[1], 1.0, 1e-8);
  EXPECT_LT(result.cost, 1e-15);
}

TEST(LeastSquares, FitsARateToDecayingValues) {
  std::vector<double> values;
  for (int i = 0; i < 50; ++i) values.push_back(3.0 * std::exp(-0.7 * 0.1 * i));
  const auto decay = [&](std::span<const double> x, std::span<double> r, std::span<double> jacobian) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double time = 0.1 * static_cast<double>(i);
      const double factor = std::exp(-x[1] * time);
      r[i] = x[0] * factor - values[i];
      if (jacobian.empty()) continue;
      jacobian[i] = factor;
      jacobian[values.size() + i] = -time * x[0] * factor;
    }
  };
  const auto result = detail::minimize_squares(decay, {1.0, 0.0}, values.size(), 1e-12, 200);
  EXPECT_NEAR(result.variables[0], 3.0, 1e-9);
  EXPECT_NEAR(result.variables[1], 0.7, 1e-9);
}

TEST(LeastSquares, ReturnsTheBestSoFarAtTheLimit) {
  const auto square = [](std::span<const double> x, std::span<double> r, std::span<double> jacobian) {
    r[0] = x[0] * x[0];
    if (!jacobian.empty()) jacobian[0] = 2.0 * x[0];
  };
  const auto result = detail::minimize_squares(square, {4.0}, 1, 1e-15, 3);
  EXPECT_LT(result.cost, 256.0);
  EXPECT_GT(result.cost, 1e-6);
  EXPECT_NEAR(result.cost, std::pow(result.variables[0], 4), 1e-9);
}

}  // namespace
}  // namespace abut
