// Exponentials, logarithms and powers of several doubles at a time, without branches and without tables.
// Argument reduction as in Muller, Elementary Functions (3rd ed. 2016), chapter 11; the polynomials are minimax fits
// (Remez), whose errors are below 2^-57 of the result.
#pragma once

#include <abut/core/simd.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// Each lane of a result depends on the same lane of the arguments alone.
template <std::size_t kWidth = kSimdWidth>
struct SimdMath {
  using Doubles = typename Simd<kWidth>::Doubles;
  using Bits = typename Simd<kWidth>::Bits;

  /// e^x to 1.1 units in the last place, for x in [-708, 709].
  static Doubles exp(const Doubles& x) {
    // x = k ln 2 + r with |r| <= ln(2) / 2. Adding 1.5 · 2^52 rounds to a whole number, which is then the low bits.
    const Doubles shifted = x * kLog2E + 0x1.8p52;
    const Doubles k = shifted - 0x1.8p52;
    const Doubles r = (x - k * kLn2High) - k * kLn2Low;
    // e^r = 1 + r + r² Q(r).
    const Doubles r2 = r * r;
    const Doubles even = (((2.762899050057954e-07 * r2 + 2.4801496965573076e-05) * r2 + 0.0013888888939475681) * r2 +
                          0.041666666666548155) *
                             r2 +
                         0.5000000000000008;
    const Doubles odd = (((2.499659068645791e-08 * r2 + 2.7557592678692024e-06) * r2 + 0.00019841269506542825) * r2 +
                         0.008333333333489939) *
                            r2 +
                        0.1666666666666643;
    const Doubles power = 1.0 + (r + r2 * (even + r * odd));
    return std::bit_cast<Doubles>(std::bit_cast<Bits>(power) + (std::bit_cast<Bits>(shifted) << 52));
  }

  /// Natural logarithm to 1 unit in the last place, for x in [2.3e-308, 1.7e308]: positive, not subnormal.
  static Doubles log(const Doubles& x) {
    // x = 2^k (1 + f) with 1 + f in [√½, √2).
    constexpr std::uint64_t kOne = 0x3ff0000000000000;
    constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;
    constexpr std::uint64_t kFraction = 0x000fffffffffffff;
    constexpr std::uint64_t kTwoTo52 = 0x4330000000000000;
    const Bits shifted = std::bit_cast<Bits>(x) + (kOne - kRootHalf);
    const Doubles k = std::bit_cast<Doubles>((shifted >> 52) | kTwoTo52) - (0x1p52 + 1023.0);
    const Doubles f = std::bit_cast<Doubles>((shifted & kFraction) + kRootHalf) - 1.0;
    // log(1 + f) = 2 artanh(s) = 2 s + s R(s²) with s = f / (2 + f); since 2 s = f - s f, it is f - s (f - R), where
    // the rounding of s counts little.
    const Doubles s = f / (2.0 + f);
    const Doubles z = s * s;
    const Doubles z2 = z * z;
    const Doubles even =
        ((0.14761443979963826 * z2 + 0.18183410016526624) * z2 + 0.2857142870745012) * z2 + 0.6666666666666702;
    const Doubles odd = (0.15317723019028237 * z2 + 0.22222201806153544) * z2 + 0.39999999999593877;
    const Doubles rest = z * (even + z * odd);
    return k * kLn2High + (f - (s * (f - rest) - k * kLn2Low));
  }

 private:
  static constexpr double kLog2E = 1.4426950408889634;
  // ln 2 in two parts: the first has 41 bits after the point, so that its product with k is exact.
  static constexpr double kLn2High = 0x1.62e42fefa3p-1;
  static constexpr double kLn2Low = 2.8235290563031577e-13;
};

/// Sums of t^β with t in [0, 1], the largest of them 1, do not change when t below this is replaced by 0: its powers up
/// to the exponent β are less than 1e-299, and those of greater t stay clear of the subnormal numbers, which are slow.
inline double least_ratio(double beta) {
  return std::exp(-690.0 / beta);
}

/// The exponent where it is a whole number that WholePower takes, else 0.
inline std::uint32_t whole_exponent(double exponent) {
  constexpr double kLargest = 65536.0;
  return exponent <= kLargest && exponent == std::floor(exponent) ? static_cast<std::uint32_t>(exponent) : 0;
}

/// t^exponent for an exponent >= 1 that is a whole number: squarings.
template <std::size_t kWidth = kSimdWidth>
class WholePower {
 public:
  using Doubles = typename Simd<kWidth>::Doubles;

  explicit WholePower(std::uint32_t exponent) : exponent_(exponent) {}

  [[nodiscard]] Doubles operator()(const Doubles& t) const {
    Doubles square = t;
    Doubles result = (exponent_ & 1) != 0 ? t : Simd<kWidth>::broadcast(1.0);
    for (std::uint32_t left = exponent_ >> 1; left != 0; left >>= 1) {
      square = square * square;
      if ((left & 1) != 0) result = result * square;
    }
    return result;
  }

 private:
  std::uint32_t exponent_;
};

/// t^exponent for any exponent > 0 and t = 0 or such that the power is in [1e-300, 1e300].
template <std::size_t kWidth = kSimdWidth>
class RealPower {
 public:
  using Doubles = typename Simd<kWidth>::Doubles;

  explicit RealPower(double exponent) : exponent_(exponent) {}

  [[nodiscard]] Doubles operator()(const Doubles& t) const {
    const Doubles zero = {};
    if (!Simd<kWidth>::any(t > zero)) return zero;  // half of a body's points look the other way
    const Doubles base = t > zero ? t : Simd<kWidth>::broadcast(1.0);
    const Doubles power = SimdMath<kWidth>::exp(exponent_ * SimdMath<kWidth>::log(base));
    return t > zero ? power : zero;
  }

 private:
  double exponent_;
};

}  // namespace abut::detail
