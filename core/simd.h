// Small vectors of doubles in registers: compilers' vector types, and choices and sums without branches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace abut::detail {

/// Doubles in a vector register of the instruction set that this is compiled for.
#if defined(__AVX512F__)
inline constexpr std::size_t kSimdWidth = 8;
#elif defined(__AVX__)
inline constexpr std::size_t kSimdWidth = 4;
#else
inline constexpr std::size_t kSimdWidth = 2;
#endif

template <std::size_t kWidth>
struct Simd {
  typedef double Doubles __attribute__((vector_size(kWidth * sizeof(double))));               // NOLINT: no using here
  typedef std::int64_t Integers __attribute__((vector_size(kWidth * sizeof(std::int64_t))));  // NOLINT
  typedef std::uint64_t Bits __attribute__((vector_size(kWidth * sizeof(std::uint64_t))));    // NOLINT

  static Doubles broadcast(double value) { return Doubles{} + value; }

  static Doubles load(const double* from) {
    Doubles result;
    std::memcpy(&result, from, sizeof(result));
    return result;
  }

  /// Lane by lane; `mask` is all ones or all zeros, as comparisons give it.
  static Integers select(const Integers& mask, const Integers& yes, const Integers& no) {
    return (mask & yes) | (~mask & no);
  }

  /// Some lane of a mask is set.
  static bool any(const Integers& mask) {
    std::array<std::int64_t, kWidth> lane;
    std::memcpy(lane.data(), &mask, sizeof(mask));
    for (std::size_t step = kWidth / 2; step > 0; step /= 2) {
      for (std::size_t i = 0; i < step; ++i) lane[i] |= lane[i + step];
    }
    return lane[0] != 0;
  }

  /// Sum of the lanes: half of them onto the other half, until one is left.
  static double sum(const Doubles& values) {
    std::array<double, kWidth> lane;
    std::memcpy(lane.data(), &values, sizeof(values));
    for (std::size_t step = kWidth / 2; step > 0; step /= 2) {
      for (std::size_t i = 0; i < step; ++i) lane[i] += lane[i + step];
    }
    return lane[0];
  }

  /// The largest of the lanes, none of which is NaN.
  static double largest(const Doubles& values) {
    std::array<double, kWidth> lane;
    std::memcpy(lane.data(), &values, sizeof(values));
    for (std::size_t step = kWidth / 2; step > 0; step /= 2) {
      for (std::size_t i = 0; i < step; ++i) lane[i] = lane[i + step] > lane[i] ? lane[i + step] : lane[i];
    }
    return lane[0];
  }
};

/// The largest of many numbers that come a register at a time, and its place among them; 0 and place 0 where none is
/// positive.
template <std::size_t kWidth>
class LargestOfMany {
 public:
  using Doubles = typename Simd<kWidth>::Doubles;
  using Integers = typename Simd<kWidth>::Integers;

  struct Result {
    double value;
    std::size_t place;
  };

  void add(const Doubles& values) {
    register_ = Simd<kWidth>::select(values > best_, count_, register_);
    best_ = values > best_ ? values : best_;
    count_ = count_ + 1;
  }

  [[nodiscard]] Result result() const {
    std::array<double, kWidth> value;
    std::array<std::int64_t, kWidth> place;
    std::memcpy(value.data(), &best_, sizeof(best_));
    std::memcpy(place.data(), &register_, sizeof(register_));
    for (std::size_t i = 0; i < kWidth; ++i) {
      place[i] = place[i] * static_cast<std::int64_t>(kWidth) + static_cast<std::int64_t>(i);
    }
    for (std::size_t step = kWidth / 2; step > 0; step /= 2) {
      for (std::size_t i = 0; i < step; ++i) {
        const bool other = value[i + step] > value[i];
        place[i] = other ? place[i + step] : place[i];
        value[i] = other ? value[i + step] : value[i];
      }
    }
    return {value[0], static_cast<std::size_t>(place[0])};
  }

 private:
  Doubles best_{};
  Integers register_{};  // in each lane, the register that its best came with
  Integers count_{};
};

/// yes or no, as arithmetic: compilers tend to make a branch of the conditional operator.
inline std::int64_t select(bool condition, std::int64_t yes, std::int64_t no) {
  return no + (yes - no) * static_cast<std::int64_t>(condition);
}

}  // namespace abut::detail
