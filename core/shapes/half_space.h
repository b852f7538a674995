// All points on one side of a plane: normal·x <= offset. Convex but unbounded: it has no support function and no finite
// box; pairs with it are closed forms.
#pragma once

#include <abut/core/error.h>

#include <Eigen/Core>
#include <cmath>

namespace abut {

using Eigen::Vector3d;

class HalfSpace {
 public:
  /// @param normal  Out of the solid; any length but not zero, finite. It is normalised, and the offset with it, unless
  ///                it is unit to rounding already: normal() and offset() give the same half-space again, bit for bit.
  /// @param offset  In units of |normal| metres, finite.
  /// @throws InvalidInput
  HalfSpace(const Vector3d& normal, double offset) {
    require_finite("normal", normal);
    require_finite("offset", offset);
    const double largest = normal.cwiseAbs().maxCoeff();
    if (largest == 0.0) throw InvalidInput("normal", "must not be zero");
    if (std::abs(normal.squaredNorm() - 1.0) <= kUnitError) {
      normal_ = normal;
      offset_ = offset;
      return;
    }
    const Vector3d scaled = normal / largest;
    normal_ = scaled.normalized();
    offset_ = offset / largest / scaled.norm();
    require_finite("offset", offset_);
  }

  /// Unit, body frame, out of the solid.
  [[nodiscard]] const Vector3d& normal() const { return normal_; }
  /// Metres: the plane is normal·x = offset.
  [[nodiscard]] double offset() const { return offset_; }

 private:
  // What rounding leaves of a normalised vector's squared length is below half of this.
  static constexpr double kUnitError = 0x1p-49;

  Vector3d normal_;
  double offset_ = 0.0;
};

}  // namespace abut
