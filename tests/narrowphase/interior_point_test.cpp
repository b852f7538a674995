// The interior point by itself: its answers satisfy the conditions of optimality (3) to (6), also where P is singular.
#include <abut/narrowphase/qp/interior_point.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace abut {
namespace {

using detail::InteriorPointResult;
using detail::PillQp;
using detail::QpRows;
using detail::SmallCholesky;
using detail::solve_interior_point;
using samples::Random;

constexpr int kRepetitions = samples::kIsInstrumented ? 100 : 1500;

// Unit normals all around, at some distance from 0; or the two ends of an interval.
template <int kVariables>
void random_rows(QpRows& rows, std::size_t count, Random& random) {
  rows.count = kVariables == 1 ? 2 : count;
  const double turn = random.uniform(0.0, 6.0);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const double angle = turn + 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(rows.count);
    rows.first[i] = kVariables == 1 ? (i == 0 ? 1.0 : -1.0) : std::cos(angle);
    rows.second[i] = std::sin(angle);
    rows.bound[i] = random.uniform(0.3, 1.0);
  }
}

// P = FᵀF of two bodies in space; with `is_flat` both in one plane, so that P is singular.
template <int kA, int kB>
void random_qp(PillQp<kA, kB>& qp, std::size_t count, bool is_flat, Random& random) {
  Eigen::Matrix<double, 3, kA + kB> f;
  for (int i = 0; i < kA + kB; ++i) f.col(i) = random.direction();
  if (is_flat) f.row(2).setZero();
  qp.p = f.transpose() * f;
  qp.c = f.transpose() * random.vector(-2.0, 2.0);
  random_rows<kA>(qp.a, count, random);
  random_rows<kB>(qp.b, count, random);
}

template <int kVariables>
Eigen::Matrix<double, kVariables, 1> row_of(const QpRows& rows, std::size_t i) {
  Eigen::Matrix<double, kVariables, 1> row;
  row[0] = rows.first[i];
  if constexpr (kVariables == 2) row[1] = rows.second[i];
  return row;
}

template <int kA, int kB>
void expect_optimal(const PillQp<kA, kB>& qp, const InteriorPointResult<kA, kB>& result) {
  typename PillQp<kA, kB>::Vector gradient = qp.p * result.x + qp.c;
  double complementarity = 0.0;
  const auto add = [&](const QpRows& rows, const auto& duals, auto first, auto variables) {
    constexpr int kVariables = decltype(variables)::value;
    constexpr int kFirst = decltype(first)::value;
    for (std::size_t i = 0; i < rows.count; ++i) {
      const auto row = row_of<kVariables>(rows, i);
      const double slack = rows.bound[i] - row.dot(result.x.template segment<kVariables>(kFirst));
      EXPECT_GT(slack, -1e-14);
      EXPECT_GE(duals[i], 0.0);
      gradient.template segment<kVariables>(kFirst) += duals[i] * row;
      complementarity = std::max(complementarity, slack * duals[i]);
    }
  };
  add(qp.a, result.dual_a, std::integral_constant<int, 0>(), std::integral_constant<int, kA>());
  add(qp.b, result.dual_b, std::integral_constant<int, kA>(), std::integral_constant<int, kB>());
  EXPECT_LT(gradient.norm(), 1e-9);
  EXPECT_LT(complementarity, 1e-12);
  EXPECT_LT(result.iterations, 30);
}

template <int kA, int kB>
void expect_optimal_answers(std::uint64_t seed, bool is_flat) {
  Random random(seed);
  const auto never = [](const auto&, std::uint64_t, std::uint64_t) { return false; };
  for (int i = 0; i < kRepetitions; ++i) {
    SCOPED_TRACE(testing::Message() << "variables " << kA << " " << kB << ", seed " << seed << ", number " << i);
    PillQp<kA, kB> qp;
    random_qp(qp, i % 50 == 0 ? 64 : 3 + random.below(8), is_flat, random);
    const auto result = solve_interior_point(qp, 1e-16, never);
    EXPECT_FALSE(result.is_finished);
    expect_optimal(qp, result);
  }
}

TEST(InteriorPoint, SatisfiesTheConditionsOfOptimality) {
  expect_optimal_answers<1, 1>(1, false);
  expect_optimal_answers<1, 2>(2, false);
  expect_optimal_answers<2, 1>(3, false);
  expect_optimal_answers<2, 2>(4, false);
}

TEST(InteriorPoint, TakesASingularMatrix) {
  expect_optimal_answers<1, 2>(5, true);
  expect_optimal_answers<2, 1>(6, true);
  expect_optimal_answers<2, 2>(7, true);
  Random random(8);
  PillQp<1, 1> nothing;
  random_qp(nothing, 2, false, random);
  nothing.p.setZero();
  nothing.c << 1.0, 0.0;
  const auto result =
      solve_interior_point(nothing, 1e-16, [](const auto&, std::uint64_t, std::uint64_t) { return false; });
  expect_optimal(nothing, result);
  EXPECT_NEAR(result.x[0], -nothing.a.bound[1], 1e-12);
}

TEST(InteriorPoint, NamesTheRowsThatHoldWithEquality) {
  Random random(9);
  int compared = 0;
  int right_early = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    SCOPED_TRACE(testing::Message() << "seed 9, number " << i);
    PillQp<2, 2> qp;
    random_qp(qp, 5, false, random);
    std::uint64_t early_a = 0;
    std::uint64_t last_a = 0;
    int asked = 0;
    const auto record = [&](const auto&, std::uint64_t active_a, std::uint64_t) {
      if (++asked == 5) early_a = active_a;
      last_a = active_a;
      return false;
    };
    const auto result = solve_interior_point(qp, 1e-14, record);
    EXPECT_EQ(asked, result.iterations);
    // Where rows are clearly with or without force, the indicator agrees.
    std::uint64_t expected = 0;
    bool is_clear = true;
    for (std::size_t k = 0; k < qp.a.count; ++k) {
      const double slack = qp.a.bound[k] - row_of<2>(qp.a, k).dot(result.x.head<2>());
      if (result.dual_a[k] > slack) expected |= std::uint64_t{1} << k;
      is_clear = is_clear && std::max(result.dual_a[k], slack) > 1e-2;
    }
    if (!is_clear) continue;
    ++compared;
    EXPECT_EQ(last_a, expected);
    if (early_a == expected) ++right_early;
  }
  EXPECT_GT(compared, kRepetitions / 2);
  EXPECT_GT(right_early, compared * 8 / 10);
}

TEST(InteriorPoint, EndsWhereItsCallerCanFinish) {
  Random random(10);
  PillQp<1, 2> qp;
  random_qp(qp, 6, false, random);
  int asked = 0;
  const auto result =
      solve_interior_point(qp, 1e-20, [&](const auto&, std::uint64_t, std::uint64_t) { return ++asked == 3; });
  EXPECT_TRUE(result.is_finished);
  EXPECT_EQ(result.iterations, 3);
}

TEST(SmallCholesky, SolvesPositiveDefiniteSystemsAndRefusesOthers) {
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    Eigen::Matrix4d f;
    for (int k = 0; k < 4; ++k) f.col(k) << random.vector(-1.0, 1.0), random.uniform(-1.0, 1.0);
    const Eigen::Matrix4d m = f.transpose() * f + 0.01 * Eigen::Matrix4d::Identity();
    const Eigen::Vector4d right(1.0, -2.0, 3.0, random.uniform(-1.0, 1.0));
    SmallCholesky<4> cholesky;
    ASSERT_TRUE(cholesky.factor(m));
    EXPECT_LT((m * cholesky.solve(right) - right).norm(), 1e-12);  // no eigenvalue is below 0.01
  }
  SmallCholesky<4> cholesky;
  EXPECT_FALSE(cholesky.factor(Eigen::Vector4d(1.0, 1.0, -1.0, 1.0).asDiagonal().toDenseMatrix()));
  EXPECT_FALSE(cholesky.factor(Eigen::Matrix4d::Constant(std::nan(""))));
}

}  // namespace
}  // namespace abut
