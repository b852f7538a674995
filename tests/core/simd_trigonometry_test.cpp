// Sine and cosine of several lanes at a time against the standard library.
#include <abut/core/simd_trigonometry.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace abut::detail {
namespace {

using Trigonometry = SimdTrigonometry<kSimdWidth>;
using AngleLanes = std::array<double, kSimdWidth>;

void expect_sine_and_cosine(double angle) {
  AngleLanes angles;
  angles.fill(angle);
  Trigonometry::Doubles sine;
  Trigonometry::Doubles cosine;
  Trigonometry::sine_and_cosine(std::bit_cast<Trigonometry::Doubles>(angles), sine, cosine);
  const long double exact = angle;
  for (std::size_t i = 0; i < kSimdWidth; ++i) {
    ASSERT_NEAR(sine[i], static_cast<double>(std::sin(exact)), 0x1p-52) << angle;
    ASSERT_NEAR(cosine[i], static_cast<double>(std::cos(exact)), 0x1p-52) << angle;
  }
}

TEST(SimdTrigonometry, AgreesWithTheStandardLibraryOverManyTurns) {
  samples::Random random(1);
  for (int i = 0; i < 100000; ++i) expect_sine_and_cosine(random.uniform(-10.0, 10.0));
  for (int i = 0; i < 100000; ++i) expect_sine_and_cosine(random.uniform(-1.0, 1.0) * Trigonometry::kMaxAngle);
}

TEST(SimdTrigonometry, IsRightAtTheEdgesOfTheQuarters) {
  for (int k = -1000; k <= 1000; ++k) {
    const double edge = k * std::numbers::pi / 4.0;
    for (const double angle : {edge, std::nextafter(edge, 1e9), std::nextafter(edge, -1e9)}) {
      expect_sine_and_cosine(angle);
    }
  }
  expect_sine_and_cosine(0.0);
  expect_sine_and_cosine(1e-300);
  expect_sine_and_cosine(Trigonometry::kMaxAngle);
}

}  // namespace
}  // namespace abut::detail
