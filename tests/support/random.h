// Random numbers that are the same with every standard library; the distributions of <random> are not.
// The headers of this folder are included as <support/...>, with the folder tests/ on the include path.
#pragma once

#include <abut/core/pose.h>

#include <cstdint>
#include <random>

namespace abut::samples {

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  /// In [lower, upper).
  double uniform(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(bits_() >> 11) * 0x1.0p-53);
  }
  /// In 0 … count - 1.
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(bits_() % count); }
  /// True with this probability.
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }

  /// Each coordinate in [lower, upper).
  Vector3d vector(double lower, double upper) {
    Vector3d v;
    for (int i = 0; i < 3; ++i) v[i] = uniform(lower, upper);
    return v;
  }
  /// Unit, any direction alike (rejection in the ball).
  Vector3d direction() {
    for (;;) {
      const Vector3d v = vector(-1.0, 1.0);
      const double length = v.norm();
      if (0.1 < length && length <= 1.0) return v / length;
    }
  }
  /// Any rotation alike (rejection in the four-dimensional ball).
  Quaterniond rotation() {
    for (;;) {
      const Vector3d v = vector(-1.0, 1.0);
      const Quaterniond q(uniform(-1.0, 1.0), v.x(), v.y(), v.z());
      if (0.1 < q.norm() && q.norm() <= 1.0) return q.normalized();
    }
  }
  /// Anywhere in the cube of this half side, metres, any rotation.
  Pose pose(double half_side) {
    const Vector3d translation = vector(-half_side, half_side);
    return Pose(translation, rotation());
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace abut::samples
