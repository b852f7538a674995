// Exponentials, logarithms, powers and choices of several lanes at a time against the standard library.
#include <abut/core/simd_math.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace abut::detail {
namespace {

using samples::Random;
using Registers = Simd<kSimdWidth>;
using Doubles = Registers::Doubles;
using Lanes = std::array<double, kSimdWidth>;

Lanes lanes(const Doubles& values) {
  return std::bit_cast<Lanes>(values);
}

// Distance of a result from the exact one, in units of the exact one's last place.
long double ulps(double result, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return std::abs(static_cast<long double>(result) - exact) / static_cast<long double>(unit);
}

// Evenly spread over [lower, upper], both ends among them.
std::vector<double> dense(double lower, double upper, int count) {
  std::vector<double> values;
  for (int i = 0; i <= count; ++i) values.push_back(i == count ? upper : lower + (upper - lower) * i / count);
  return values;
}

TEST(SimdMath, ExponentialIsWithinOneAndATenthUnits) {
  for (const auto& [lower, upper] : {std::pair(-708.0, 709.0), std::pair(-1.0, 1.0), std::pair(-1e-6, 1e-6)}) {
    long double worst = 0.0L;
    for (const double x : dense(lower, upper, 300'000)) {
      const double result = lanes(SimdMath<>::exp(Registers::broadcast(x)))[0];
      worst = std::max(worst, ulps(result, std::exp(static_cast<long double>(x))));
    }
    EXPECT_LT(worst, 1.1L) << lower << " to " << upper;
  }
  EXPECT_EQ(lanes(SimdMath<>::exp(Registers::broadcast(0.0)))[0], 1.0);
}

TEST(SimdMath, LogarithmIsWithinOneUnit) {
  std::vector<double> samples = dense(1e-6, 1.0, 300'000);
  for (const double x : dense(0.999, 1.001, 100'000)) samples.push_back(x);
  for (const double x : dense(-708.0, 709.0, 300'000)) samples.push_back(std::exp(x));
  samples.push_back(std::numeric_limits<double>::min());
  samples.push_back(std::numeric_limits<double>::max());
  samples.push_back(std::nextafter(1.0, 0.0));
  samples.push_back(std::nextafter(1.0, 2.0));
  long double worst = 0.0L;
  for (const double x : samples) {
    const double result = lanes(SimdMath<>::log(Registers::broadcast(x)))[0];
    if (x == 1.0) {
      ASSERT_EQ(result, 0.0);
    } else {
      worst = std::max(worst, ulps(result, std::log(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 1.0L);
}

TEST(SimdMath, LanesDoNotDependOnTheirNeighbours) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    Lanes values;
    for (double& value : values) value = std::exp(random.uniform(-300.0, 0.0));
    const Lanes together = lanes(RealPower<>(1.75)(Registers::load(values.data())));
    for (std::size_t lane = 0; lane < kSimdWidth; ++lane) {
      const Lanes alone = lanes(RealPower<>(1.75)(Registers::broadcast(values[lane])));
      for (const double value : alone) ASSERT_EQ(value, together[lane]);
    }
  }
}

// The rounding of e · log t, at most 690 here, is what a power by way of the logarithm adds.
TEST(SimdPower, OfARealExponentIsThatOfTheStandardLibrary) {
  Random random(2);
  for (const double exponent : {1e-3, 0.5, 3.0, 8.5, 48.0, 198.7, 998.3}) {
    SCOPED_TRACE(exponent);
    const RealPower<> power(exponent);
    for (int i = 0; i < 20'000; ++i) {
      const double t = std::exp(std::max(random.uniform(-1.0, 0.0) * 690.0 / exponent, -700.0));
      const long double exact = std::pow(static_cast<long double>(t), static_cast<long double>(exponent));
      const double logarithm = -exponent * std::log(t);
      const double result = lanes(power(Registers::broadcast(t)))[0];
      ASSERT_NEAR(static_cast<double>(result / exact), 1.0, 1e-15 + 4e-16 * logarithm) << t;
    }
    EXPECT_EQ(lanes(power(Registers::broadcast(1.0)))[0], 1.0);
  }
}

// Every squaring doubles the rounding before it.
TEST(SimdPower, OfAWholeExponentIsThatOfTheStandardLibrary) {
  Random random(3);
  for (const std::uint32_t exponent : {1u, 2u, 3u, 8u, 38u, 48u, 198u, 998u, 65536u}) {
    SCOPED_TRACE(exponent);
    const WholePower<> power(exponent);
    for (int i = 0; i < 5'000; ++i) {
      const double t = std::exp(random.uniform(-1.0, 0.0) * 600.0 / exponent);
      const long double exact = std::pow(static_cast<long double>(t), static_cast<long double>(exponent));
      ASSERT_NEAR(static_cast<double>(lanes(power(Registers::broadcast(t)))[0] / exact), 1.0, 1.2e-16 * exponent) << t;
    }
    EXPECT_EQ(lanes(power(Registers::broadcast(1.0)))[0], 1.0);
  }
}

TEST(SimdPower, OfZeroIsZeroBesideAnyOtherLane) {
  for (const double other : {0.0, 1e-200, 0.5, 1.0}) {
    Lanes values{};
    values[0] = other;
    for (const Lanes& result : {lanes(RealPower<>(0.25)(Registers::load(values.data()))),
                                lanes(RealPower<>(997.5)(Registers::load(values.data()))),
                                lanes(WholePower<>(3)(Registers::load(values.data())))}) {
      for (std::size_t lane = 1; lane < kSimdWidth; ++lane) EXPECT_EQ(result[lane], 0.0);
    }
    EXPECT_EQ(lanes(RealPower<>(0.25)(Registers::load(values.data())))[0] > 0.0, other > 0.0);
  }
}

TEST(SimdPower, KnowsWholeExponents) {
  EXPECT_EQ(whole_exponent(1.0), 1u);
  EXPECT_EQ(whole_exponent(998.0), 998u);
  EXPECT_EQ(whole_exponent(std::nextafter(8.0, 0.0)), 0u);
  EXPECT_EQ(whole_exponent(std::nextafter(8.0, 9.0)), 0u);
  EXPECT_EQ(whole_exponent(0.5), 0u);
  EXPECT_EQ(whole_exponent(1e300), 0u);
}

TEST(SimdPower, RatiosThatAreLeftOutCountNothingAndOthersAreNotSubnormal) {
  for (const double beta : {std::nextafter(2.0, 3.0), 2.5, 5.0, 50.0, 1000.0, 1e6}) {
    const double power = std::pow(least_ratio(beta), beta);
    EXPECT_LT(power, 1.1e-299) << beta;
    EXPECT_GT(power, 0.9e-300) << beta;
  }
}

TEST(Simd, SumLargestAndAnyAreThoseOfTheLanes) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    Lanes values;
    for (double& value : values) value = static_cast<double>(random.below(100)) - 50.0;
    double sum = 0.0;
    bool any = false;
    for (const double value : values) {
      sum += value;
      any = any || value > 40.0;
    }
    const Doubles loaded = Registers::load(values.data());
    ASSERT_EQ(Registers::sum(loaded), sum);
    ASSERT_EQ(Registers::largest(loaded), *std::max_element(values.begin(), values.end()));
    ASSERT_EQ(Registers::any(loaded > Registers::broadcast(40.0)), any);
  }
}

TEST(Simd, LargestOfManyFindsOneThatIsLargest) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    std::vector<double> values(kSimdWidth * (1 + random.below(6)));
    const double shift = random.chance(0.2) ? -20.0 : -5.0;  // at times none is positive
    for (double& value : values) value = static_cast<double>(random.below(20)) + shift;
    LargestOfMany<kSimdWidth> largest;
    for (std::size_t k = 0; k < values.size(); k += kSimdWidth) largest.add(Registers::load(values.data() + k));
    const double expected = std::max(*std::max_element(values.begin(), values.end()), 0.0);
    ASSERT_EQ(largest.result().value, expected);
    ASSERT_LT(largest.result().place, values.size());
    if (expected > 0.0) {
      ASSERT_EQ(values[largest.result().place], expected);
    }
  }
}

}  // namespace
}  // namespace abut::detail
