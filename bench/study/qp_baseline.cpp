#include "qp_baseline.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <vector>

namespace abut::study {
namespace {

using Eigen::VectorXd;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Normals = Eigen::Matrix<double, Eigen::Dynamic, 3>;

/// The longest step at most 1 that keeps value + step * change >= 0.
double longest_step(const VectorXd& value, const VectorXd& change) {
  double step = 1.0;
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    if (change[i] < 0.0) step = std::min(step, -value[i] / change[i]);
  }
  return step;
}

/// G z of the block-diagonal constraint matrix G = diag(a, b).
VectorXd times(const Normals& a, const Normals& b, const Vector6d& z) {
  VectorXd product(a.rows() + b.rows());
  product << a * z.head<3>(), b * z.tail<3>();
  return product;
}

Vector6d times_transposed(const Normals& a, const Normals& b, const VectorXd& v) {
  Vector6d product;
  product << a.transpose() * v.head(a.rows()), b.transpose() * v.tail(b.rows());
  return product;
}

}  // namespace

HalfSpaces half_spaces(const ConvexHull& hull) {
  constexpr double kSamePlane = 1e-9;  // of unit normals and of metres: faces of a box come as two triangles
  std::vector<Eigen::Vector4d> planes;
  for (const auto& triangle : hull.triangles()) {
    const Vector3d& p = hull.vertices()[triangle[0]];
    const Vector3d normal = (hull.vertices()[triangle[1]] - p).cross(hull.vertices()[triangle[2]] - p).normalized();
    const Eigen::Vector4d plane(normal.x(), normal.y(), normal.z(), normal.dot(p));
    const bool is_known = std::any_of(planes.begin(), planes.end(), [&](const Eigen::Vector4d& other) {
      return (other - plane).lpNorm<Eigen::Infinity>() <= kSamePlane;
    });
    if (!is_known && normal.squaredNorm() > 0.5) planes.push_back(plane);
  }
  HalfSpaces result{Normals(planes.size(), 3), VectorXd(planes.size())};
  for (std::size_t i = 0; i < planes.size(); ++i) {
    result.normals.row(static_cast<Eigen::Index>(i)) = planes[i].head<3>().transpose();
    result.offsets[static_cast<Eigen::Index>(i)] = planes[i].w();
  }
  return result;
}

// min zᵀHz/2 subject to Gz + s = h, s >= 0, with z = (x₁, x₂) in the frame of a. Newton's method on
// Hz + Gᵀl = 0, Gz + s = h, s_i l_i = sigma mu; s and the changes of s are eliminated.
QpResult qp_distance(const HalfSpaces& a, const Vector3d& start_a, const HalfSpaces& b, const Vector3d& start_b,
                     const Pose& a_from_b, double epsilon, int max_iterations) {
  // n·x <= o in the frame of b is (R n)·x <= o + (R n)·t in the frame of a.
  const Normals normals_b = b.normals * a_from_b.rotation().transpose();
  VectorXd h(a.offsets.size() + b.offsets.size());
  h << a.offsets, b.offsets + normals_b * a_from_b.translation();
  Matrix6d hessian = 2.0 * Matrix6d::Identity();
  hessian.topRightCorner<3, 3>() = hessian.bottomLeftCorner<3, 3>() = -2.0 * Eigen::Matrix3d::Identity();

  Vector6d z;
  z << start_a, a_from_b * start_b;
  VectorXd s = h - times(a.normals, normals_b, z);
  VectorXd l = VectorXd::Ones(h.size());
  const double count = static_cast<double>(h.size());
  QpResult result;
  while (result.iterations < max_iterations) {
    const Vector6d dual_residual = hessian * z + times_transposed(a.normals, normals_b, l);
    const VectorXd primal_residual = times(a.normals, normals_b, z) + s - h;
    const double gap = s.dot(l);
    if (gap <= epsilon && dual_residual.norm() <= std::sqrt(epsilon) * 1e-2 && primal_residual.norm() <= epsilon) {
      result.converged = true;
      break;
    }
    ++result.iterations;
    const VectorXd weights = l.cwiseQuotient(s);
    Matrix6d matrix = hessian;
    matrix.topLeftCorner<3, 3>() += a.normals.transpose() * weights.head(a.normals.rows()).asDiagonal() * a.normals;
    matrix.bottomRightCorner<3, 3>() += normals_b.transpose() * weights.tail(normals_b.rows()).asDiagonal() * normals_b;
    const Eigen::LDLT<Matrix6d> factors(matrix);
    // For a right-hand side c of the third equation, s l + l ds + s dl = c.
    VectorXd ds;
    VectorXd dl;
    Vector6d dz;
    const auto solve = [&](const VectorXd& c) {
      const VectorXd reduced = weights.cwiseProduct(primal_residual) + c.cwiseQuotient(s);
      dz = factors.solve(-dual_residual - times_transposed(a.normals, normals_b, reduced));
      ds = -primal_residual - times(a.normals, normals_b, dz);
      dl = (c - l.cwiseProduct(ds)).cwiseQuotient(s);
    };
    const VectorXd products = s.cwiseProduct(l);
    solve(-products);
    const double affine = std::min(longest_step(s, ds), longest_step(l, dl));
    const double affine_gap = (s + affine * ds).dot(l + affine * dl);
    const double centering = std::pow(affine_gap / gap, 3);
    const VectorXd corrected = -products - ds.cwiseProduct(dl) + VectorXd::Constant(s.size(), centering * gap / count);
    solve(corrected);
    const double step = 0.99 * std::min(longest_step(s, ds), longest_step(l, dl));
    z += step * dz;
    s += step * ds;
    l += step * dl;
  }
  result.distance = (z.head<3>() - z.tail<3>()).norm();
  return result;
}

}  // namespace abut::study
