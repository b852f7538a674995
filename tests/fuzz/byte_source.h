// Numbers out of a string of bytes, as a fuzzer supplies them: every string means something, and the same string the
// same thing.
#pragma once

#include <abut/core/pose.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::fuzz {

/// Refers to bytes that outlive it; after the last one it reads zeros.
class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool is_empty() const { return next_ >= bytes_.size(); }

  std::uint32_t byte() { return next_ < bytes_.size() ? bytes_[next_++] : 0u; }
  /// In 0 … count - 1, count <= 256.
  std::uint32_t below(std::uint32_t count) { return byte() % count; }
  /// For one value of a byte in `count`.
  bool one_in(std::uint32_t count) { return below(count) == count - 1; }
  /// In [lower, upper), 2^24 values.
  double uniform(double lower, double upper) {
    const std::uint32_t bits = (byte() << 16) | (byte() << 8) | byte();
    return lower + (upper - lower) * (bits * 0x1p-24);
  }
  /// 10 to the power of a number in [lower, upper).
  double power(double lower, double upper) { return std::pow(10.0, uniform(lower, upper)); }
  Vector3d vector(double lower, double upper) {
    const double x = uniform(lower, upper);
    const double y = uniform(lower, upper);
    return {x, y, uniform(lower, upper)};
  }
  /// Unit.
  Vector3d direction() {
    const Vector3d v = vector(-1.0, 1.0);
    return v.norm() > 1e-3 ? v.normalized() : Vector3d(Vector3d::UnitX());
  }
  Quaterniond rotation() {
    const Vector3d v = vector(-1.0, 1.0);
    const Quaterniond q(uniform(-1.0, 1.0), v.x(), v.y(), v.z());
    return q.norm() > 1e-3 ? q.normalized() : Quaterniond::Identity();
  }
  /// One of the 24 that map the axes onto the axes, without rounding.
  Matrix3d lattice_rotation() {
    Matrix3d r = Matrix3d::Identity();
    for (int turns = static_cast<int>(below(3)); turns > 0; --turns)
      r = (Matrix3d() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished() * r;
    for (int turns = static_cast<int>(below(4)); turns > 0; --turns)
      r = (Matrix3d() << 0, -1, 0, 1, 0, 0, 0, 0, 1).finished() * r;
    if (one_in(2)) r = (Matrix3d() << 1, 0, 0, 0, -1, 0, 0, 0, -1).finished() * r;
    return r;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t next_ = 0;
};

}  // namespace abut::fuzz
