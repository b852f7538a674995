// A rigid transformation: rotation and translation, named by its frames (world_from_body maps body to world).
#pragma once

#include <abut/core/left_factor.h>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <string_view>

namespace abut {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

/// Rigid transformation between two frames. In a chain the inner frames cancel:
///
///     const Pose world_from_tool = world_from_arm * arm_from_tool;
///     const Vector3d point_world = world_from_tool * point_tool;
class Pose {
 public:
  /// The identity.
  Pose() : rotation_(Matrix3d::Identity()), translation_(Vector3d::Zero()) {}

  /// @param translation  Origin of the inner frame in the outer one, metres.
  /// @param rotation     Of any length; it is normalised here.
  /// @throws InvalidInput  naming "translation" or "rotation" when a value is not finite or the quaternion is zero.
  explicit Pose(const Vector3d& translation, const Quaterniond& rotation = Quaterniond::Identity());

  /// @param rotation  A proper rotation (R Rᵀ = I to 1e-6 a component, det R > 0); it is made orthonormal to rounding.
  /// @throws InvalidInput  naming "translation" or "rotation".
  static Pose from_matrix(const Vector3d& translation, const Matrix3d& rotation);

  /// The pose whose rotation() and translation() these were, to the last bit: for poses that are written and read
  /// again. Long chains of products are less orthonormal than from_matrix asks for.
  /// @param rotation  A proper rotation to 1e-3 a component; kept as it is.
  /// @throws InvalidInput  naming "translation" or "rotation".
  static Pose from_stored(const Vector3d& translation, const Matrix3d& rotation);

  /// For loops that make many poses of rotations that are proper by construction: nothing is checked. Answers about
  /// poses that are not finite mean nothing; scenes refuse them.
  [[nodiscard]] static Pose unchecked(const Vector3d& translation, const Matrix3d& rotation) {
    return Pose(Unchecked{}, translation, rotation);
  }

  /// False where products have overflowed, or unchecked numbers were not.
  [[nodiscard]] bool is_finite() const { return translation_.allFinite() && rotation_.allFinite(); }

  [[nodiscard]] const Vector3d& translation() const { return translation_; }
  /// Columns are the axes of the inner frame in the outer one.
  [[nodiscard]] const Matrix3d& rotation() const { return rotation_; }
  [[nodiscard]] Quaterniond quaternion() const { return Quaterniond(rotation_); }

  [[nodiscard]] Pose inverse() const {
    return Pose(Unchecked{}, -(rotation_.transpose() * translation_), rotation_.transpose());
  }

  /// Maps a direction: rotation only.
  [[nodiscard, gnu::always_inline]] Vector3d rotate(const Vector3d& direction) const {
    // Spelled out: Eigen's product is a call that compilers do not always inline.
    return rotation_.col(0) * direction.x() + rotation_.col(1) * direction.y() + rotation_.col(2) * direction.z();
  }
  /// Maps a direction of the outer frame into the inner one.
  [[nodiscard, gnu::always_inline]] Vector3d unrotate(const Vector3d& direction) const {
    return {rotation_.col(0).dot(direction), rotation_.col(1).dot(direction), rotation_.col(2).dot(direction)};
  }

  [[gnu::always_inline]] friend Vector3d operator*(const Pose& outer_from_inner, const Vector3d& point_inner) {
    return outer_from_inner.rotate(point_inner) + outer_from_inner.translation_;
  }

  friend Pose operator*(const Pose& a_from_b, const Pose& b_from_c) {
    const detail::LeftFactor rotation(a_from_b.rotation_);
    return Pose(Unchecked{}, rotation * b_from_c.translation_ + a_from_b.translation_, rotation * b_from_c.rotation_);
  }

  friend bool operator==(const Pose& p, const Pose& q) {
    return p.translation_ == q.translation_ && p.rotation_ == q.rotation_;
  }

  /// a_from_b of two poses in one world. The difference of the translations is taken before the rotation, so that
  /// nothing is lost far from the origin.
  [[nodiscard]] static Pose relative(const Pose& world_from_a, const Pose& world_from_b) {
    const detail::LeftFactor a_from_world = detail::LeftFactor::transposed(world_from_a.rotation_);
    return Pose(Unchecked{}, a_from_world * Vector3d(world_from_b.translation_ - world_from_a.translation_),
                a_from_world * world_from_b.rotation_);
  }

 private:
  struct Unchecked {};
  Pose(Unchecked, const Vector3d& translation, const Matrix3d& rotation)
      : rotation_(rotation), translation_(translation) {}

  Matrix3d rotation_;
  Vector3d translation_;
};

/// @throws InvalidInput  naming the translation or the rotation within the field where a number is not finite.
void require_finite(std::string_view field, const Pose& pose);

}  // namespace abut
