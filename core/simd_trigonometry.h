// Sine and cosine of several doubles at a time, without branches and without tables.
// Argument reduction as in Muller, Elementary Functions (3rd ed. 2016), section 11.3: pi/2 in parts whose products with
// the quotient are exact. The polynomials are Taylor's, whose first terms left out are below 2^-60.
#pragma once

#include <abut/core/simd.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// Each lane of a result depends on the same lane of the argument alone.
template <std::size_t kWidth = kSimdWidth>
struct SimdTrigonometry {
  using Doubles = typename Simd<kWidth>::Doubles;
  using Integers = typename Simd<kWidth>::Integers;
  using Bits = typename Simd<kWidth>::Bits;

  /// Largest angle that sine_and_cosine takes, radians.
  static constexpr double kMaxAngle = 1e6;

  /// Both to 2^-52 absolutely, for angles in [-kMaxAngle, kMaxAngle].
  static void sine_and_cosine(const Doubles& angle, Doubles& sine, Doubles& cosine) {
    // angle = k pi/2 + r with |r| <= pi/4. Adding 1.5 · 2^52 rounds to a whole number, which is then the low bits.
    const Doubles shifted = angle * kTwoOverPi + 0x1.8p52;
    const Doubles k = shifted - 0x1.8p52;
    const Doubles r = ((angle - k * kHalfPiHigh) - k * kHalfPiMiddle) - k * kHalfPiLow;
    const Doubles z = r * r;
    const Doubles sine_rest =
        ((((((kSine[6] * z + kSine[5]) * z + kSine[4]) * z + kSine[3]) * z + kSine[2]) * z + kSine[1]) * z + kSine[0]) *
        z;
    const Doubles sine_r = r + r * sine_rest;
    const Doubles cosine_rest =
        ((((((kCosine[6] * z + kCosine[5]) * z + kCosine[4]) * z + kCosine[3]) * z + kCosine[2]) * z + kCosine[1]) * z +
         kCosine[0]) *
        z;
    const Doubles cosine_r = 1.0 + z * (cosine_rest - 0.5);
    // A quarter turn makes the sine a cosine and the cosine a negative sine.
    const Bits quarter = std::bit_cast<Bits>(shifted);
    const Bits odd = Bits{} - (quarter & 1);
    const Bits sine_bits = std::bit_cast<Bits>(sine_r);
    const Bits cosine_bits = std::bit_cast<Bits>(cosine_r);
    sine = std::bit_cast<Doubles>(((cosine_bits & odd) | (sine_bits & ~odd)) ^ ((quarter & 2) << 62));
    cosine = std::bit_cast<Doubles>(((sine_bits & odd) | (cosine_bits & ~odd)) ^ (((quarter + 1) & 2) << 62));
  }

 private:
  static constexpr double kTwoOverPi = 0.63661977236758138;
  // pi/2 = 0x1.921fb54442d18469898cc51701b839a2...p0: the first two parts have 33 bits each.
  static constexpr double kHalfPiHigh = 0x1.921fb544p0;
  static constexpr double kHalfPiMiddle = 0x1.0b4611a6p-34;
  static constexpr double kHalfPiLow = 0x1.3198a2e037073p-69;
  // (-1)^n / (2n + 1)! and (-1)^n / (2n + 2)!, n >= 1.
  static constexpr double kSine[] = {-1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,         1.0 / 362880.0,
                                     -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  static constexpr double kCosine[] = {1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,         -1.0 / 3628800.0,
                                       1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
};

}  // namespace abut::detail
