// Pose: the checks of its constructors.
#include <abut/core/error.h>
#include <abut/core/pose.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace abut {
namespace {

// A rotation matrix may be off by this much a component before it is refused; text files carry six digits.
constexpr double kOrthonormalTolerance = 1e-6;
// A product of rotations is off by 1e-16 a factor, so that this is far beyond any chain and still surely a rotation.
constexpr double kStoredTolerance = 1e-3;

Quaterniond normalized(const Quaterniond& rotation) {
  const double wxyz[4] = {rotation.w(), rotation.x(), rotation.y(), rotation.z()};
  double largest = 0.0;
  for (int i = 0; i < 4; ++i) {
    if (!std::isfinite(wxyz[i])) throw InvalidInput("rotation", i, "must be finite", wxyz[i]);
    largest = std::max(largest, std::abs(wxyz[i]));
  }
  if (largest == 0.0) throw InvalidInput("rotation", "must not be the zero quaternion");
  // Divide by the largest first: the squares of 1e-200 would vanish, those of 1e200 overflow.
  return Quaterniond(rotation.coeffs() / largest).normalized();
}

void require_rotation(const Matrix3d& rotation, double tolerance, const char* rule) {
  // The coefficients of a product with NaN or infinity are NaN, which maxCoeff may pass over.
  const Matrix3d difference = rotation * rotation.transpose() - Matrix3d::Identity();
  const double error = rotation.allFinite() ? difference.cwiseAbs().maxCoeff() : difference.sum();
  if (!(error <= tolerance)) throw InvalidInput("rotation", rule, error);
  if (!(rotation.determinant() > 0.0)) throw InvalidInput("rotation", "must not be a reflection");
}

}  // namespace

Pose::Pose(const Vector3d& translation, const Quaterniond& rotation)
    : rotation_(normalized(rotation).toRotationMatrix()), translation_(translation) {
  require_finite("translation", translation);
}

Pose Pose::from_matrix(const Vector3d& translation, const Matrix3d& rotation) {
  require_rotation(rotation, kOrthonormalTolerance, "must be orthonormal: R R^T = I to within 1e-6");
  return Pose(translation, Quaterniond(rotation));
}

Pose Pose::from_stored(const Vector3d& translation, const Matrix3d& rotation) {
  require_rotation(rotation, kStoredTolerance, "must be orthonormal: R R^T = I to within 1e-3");
  require_finite("translation", translation);
  return Pose(Unchecked{}, translation, rotation);
}

void require_finite(std::string_view field, const Pose& pose) {
  if (pose.is_finite()) return;
  require_finite(std::string(field) + ".translation", pose.translation());
  for (Eigen::Index row = 0; row < 3; ++row) {
    for (Eigen::Index column = 0; column < 3; ++column) {
      require_finite(std::string(field) + ".rotation(" + std::to_string(row) + ", " + std::to_string(column) + ')',
                     pose.rotation()(row, column));
    }
  }
}

}  // namespace abut
