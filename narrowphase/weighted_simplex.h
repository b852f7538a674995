// The active set of one convex body in the nearest-point search of nearest_in_product.h.
// Source: Wolfe, "Finding the nearest point in a polytope" (Mathematical Programming 11, 1976). Departure: an
// orthonormal frame of the affine hull is kept, so that slender simplices, which curved bodies make, do not spoil the
// linear algebra.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace abut::detail {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Up to four affinely independent points of a set with convex weights, and an orthonormal frame of their hull.
class WeightedSimplex {
 public:
  explicit WeightedSimplex(const Vector3d& point) { points_[0] = point; }

  [[nodiscard]] int dimension() const { return static_cast<int>(size_) - 1; }
  /// Σ weight · point.
  [[nodiscard]] Vector3d combination() const {
    Vector3d sum = points_[0];
    for (std::size_t i = 1; i < size_; ++i) sum += weights_[i] * (points_[i] - points_[0]);
    return sum;
  }
  /// Orthonormal, right-handed; the first dimension() columns lie along the hull of the points, the others across it.
  [[nodiscard]] const Matrix3d& frame() const { return frame_; }

  /// A new point, with weight zero. False, and nothing is changed, where it lies in the affine hull of the others.
  bool add(const Vector3d& point) {
    if (size_ == 4) return false;
    points_[size_] = point;
    weights_[size_] = 0.0;
    ++size_;
    if (build_frame()) return true;
    --size_;
    build_frame();
    return false;
  }

  /// Whether a point lies in a simplex of dimension 3.
  [[nodiscard]] bool encloses(const Vector3d& point) const {
    return size_ == 4 && feasible_fraction(weight_changes(frame_.transpose() * (point - combination()))) == 1.0;
  }

  /// The changes of the weights that move combination() by a step along the hull.
  /// @param step  Coordinates in frame(); those across the hull do not count.
  [[nodiscard]] std::array<double, 4> weight_changes(const Vector3d& step) const {
    std::array<double, 4> changes{};
    for (std::size_t i = size_ - 1; i >= 1; --i) {
      const auto row = static_cast<Eigen::Index>(i) - 1;
      double rest = step[row];
      for (std::size_t j = i + 1; j < size_; ++j) rest -= edges_(row, static_cast<Eigen::Index>(j) - 1) * changes[j];
      const double pivot = edges_(row, row);
      changes[i] = pivot != 0.0 ? rest / pivot : 0.0;
      changes[0] -= changes[i];
    }
    return changes;
  }
  /// The largest fraction, at most 1, of the changes that leaves no weight negative.
  [[nodiscard]] double feasible_fraction(const std::array<double, 4>& changes) const {
    double fraction = 1.0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (weights_[i] + changes[i] < 0.0) fraction = std::min(fraction, weights_[i] / -changes[i]);
    }
    return fraction;
  }
  /// Changes the weights by a fraction that feasible_fraction allows; points whose weight that takes are dropped.
  /// @return Whether some were.
  bool advance(const std::array<double, 4>& changes, double fraction) {
    std::size_t kept = 0;
    double sum = 0.0;
    for (std::size_t i = 0; i < size_; ++i) {
      const bool is_blocking = weights_[i] + changes[i] < 0.0 && !(weights_[i] / -changes[i] > fraction);
      const double weight = weights_[i] + fraction * changes[i];
      if (is_blocking || (changes[i] <= 0.0 && !(weight > 0.0))) continue;
      points_[kept] = points_[i];
      weights_[kept] = weight;
      sum += weight;
      ++kept;
    }
    for (std::size_t i = 0; i < kept; ++i) weights_[i] /= sum;
    if (kept == size_) return false;
    size_ = kept;
    build_frame();
    return true;
  }

 private:
  // An edge this much shorter across the others than it is long is rounding.
  static constexpr double kFlat = 1e-15;

  // Gram-Schmidt, the second direction taken twice, the third as a cross product: orthonormal to rounding for slender
  // simplices too. False where the last point adds no dimension.
  bool build_frame() {
    edges_.setZero();
    if (size_ == 1) {
      frame_.setIdentity();
      return true;
    }
    const Vector3d e1 = points_[1] - points_[0];
    edges_(0, 0) = e1.norm();
    if (!(edges_(0, 0) > 0.0)) return false;
    frame_.col(0) = e1 / edges_(0, 0);
    if (size_ == 2) {
      frame_.col(1) = frame_.col(0).unitOrthogonal();
      frame_.col(2) = frame_.col(0).cross(frame_.col(1));
      return true;
    }
    const Vector3d e2 = points_[2] - points_[0];
    edges_(0, 1) = frame_.col(0).dot(e2);
    Vector3d across = e2 - edges_(0, 1) * frame_.col(0);
    across -= frame_.col(0).dot(across) * frame_.col(0);
    edges_(1, 1) = across.norm();
    if (!(edges_(1, 1) > kFlat * std::abs(edges_(0, 1)))) {
      edges_(1, 1) = 0.0;
      frame_.col(1) = frame_.col(0).unitOrthogonal();
      frame_.col(2) = frame_.col(0).cross(frame_.col(1));
      return false;
    }
    frame_.col(1) = across / edges_(1, 1);
    frame_.col(2) = frame_.col(0).cross(frame_.col(1));
    if (size_ == 3) return true;
    const Vector3d e3 = points_[3] - points_[0];
    edges_.col(2) = frame_.transpose() * e3;
    if (std::abs(edges_(2, 2)) > kFlat * (std::abs(edges_(0, 2)) + std::abs(edges_(1, 2)))) return true;
    edges_(2, 2) = 0.0;
    return false;
  }

  std::array<Vector3d, 4> points_;
  std::array<double, 4> weights_{1.0, 0.0, 0.0, 0.0};
  std::size_t size_ = 1;
  Matrix3d frame_ = Matrix3d::Identity();
  Matrix3d edges_ = Matrix3d::Zero();  // upper triangular: edge j of the hull from the first point, in the frame
};

}  // namespace abut::detail
