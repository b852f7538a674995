// Separating-axis bound of two oriented boxes, and the oriented box of a point set.
// Source: Gottschalk, Lin, Manocha, "OBBTree" (SIGGRAPH 1996), sections 4 and 5. Departures: the axes are normalised,
// so that the gap is a distance in metres, and every term of a projection is kept, so that it is one for any unit axis.
#include <abut/core/left_factor.h>
#include <abut/core/obb.h>
#include <abut/core/planar_hull.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace abut {
namespace {

using detail::LeftFactor;
using Eigen::Vector2d;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Two edges whose squared sine is below this count as parallel: the face axes then see their gap to within rounding.
// The value is not critical, because the gap along any unit axis is a valid bound.
constexpr double kParallelSq = 1e-28;

// Rounding of one projection, in units of epsilon times the lengths that enter it: three dot products of three terms.
constexpr double kRounding = 32.0;

double half_area(const Vector3d& half_extents) {
  return half_extents.x() * half_extents.y() + half_extents.y() * half_extents.z() +
         half_extents.z() * half_extents.x();
}

// So many sides of an outline are tried, the longest: those of a box are, and of a finely divided circle all are alike.
constexpr std::size_t kMostSides = 16;

// A shorter one, of points about 1 large, is made of rounding; an outline of one point has no other.
constexpr double kShortestSide = 1e-30;

// A box whose surface is smaller by less than this fraction is none the tighter, and its axes are less simple.
constexpr double kNoTighter = 1e-9;

// By how much the square of a unit normal may differ from 1.
constexpr double kUnitError = 1e-6;

double signed_square(double value) {
  return value * std::abs(value);
}

using Points = Eigen::Ref<const Eigen::Matrix3Xd>;

Obb box_along(const Matrix3d& axes, const Points& points) {
  Vector3d lower = axes.transpose() * points.col(0);
  Vector3d upper = lower;
  for (Eigen::Index i = 1; i < points.cols(); ++i) {
    const Vector3d point = axes.transpose() * points.col(i);
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  return {axes * (0.5 * lower + 0.5 * upper), axes, 0.5 * upper - 0.5 * lower};
}

// The longest sides of a convex outline, as unit vectors.
std::vector<Vector2d> longest_sides(const std::vector<Vector2d>& outline) {
  std::vector<Vector2d> sides(outline.size());
  for (std::size_t i = 0; i < outline.size(); ++i) {
    sides[i] = outline[i + 1 < outline.size() ? i + 1 : 0] - outline[i];
  }
  const std::size_t kept = std::min(sides.size(), kMostSides);
  std::partial_sort(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(kept), sides.end(),
                    [](const Vector2d& p, const Vector2d& q) { return p.squaredNorm() > q.squaredNorm(); });
  sides.resize(kept);
  std::erase_if(sides, [](const Vector2d& side) { return !(side.norm() > kShortestSide); });
  for (Vector2d& side : sides) side.normalize();
  return sides;
}

// The axes of the tightest box with one of them along a normal. @param points  About 1 large.
Matrix3d flush_axes(const Eigen::Matrix3Xd& points, const Vector3d& normal) {
  Matrix3d frame;
  frame.col(2) = normal;
  frame.col(0) = normal.unitOrthogonal();
  frame.col(1) = normal.cross(frame.col(0));
  std::vector<Vector2d> outline(static_cast<std::size_t>(points.cols()));
  for (std::size_t i = 0; i < outline.size(); ++i) {
    outline[i] = frame.leftCols<2>().transpose() * points.col(static_cast<Eigen::Index>(i));
  }
  detail::sort_distinct(outline);
  outline = detail::planar_hull(outline);
  const Eigen::RowVectorXd heights = normal.transpose() * points;
  const double height = heights.maxCoeff() - heights.minCoeff();

  double least = std::numeric_limits<double>::infinity();
  Vector2d best = Vector2d::UnitX();
  for (const Vector2d& along : longest_sides(outline)) {
    Eigen::AlignedBox2d box;
    const Vector2d across(-along.y(), along.x());
    for (const Vector2d& corner : outline) box.extend(Vector2d(along.dot(corner), across.dot(corner)));
    const double area = half_area({box.sizes().x(), box.sizes().y(), height});
    if (area < least) {
      least = area;
      best = along;
    }
  }
  Matrix3d axes;
  axes.col(0) = frame.leftCols<2>() * best;
  axes.col(1) = normal.cross(axes.col(0));
  axes.col(2) = normal;
  return axes;
}

}  // namespace

double separation_bound(const Obb& a, const Obb& b, double enough) {
  const double sizes = a.half_extents.sum() + b.half_extents.sum();
  if (!std::isfinite(sizes)) return -std::numeric_limits<double>::infinity();

  // In a's frame: t joins the centres, the columns of r are b's axes.
  const LeftFactor a_from_outer = LeftFactor::transposed(a.axes);
  const Vector3d t = a_from_outer * Vector3d(b.center - a.center);
  const Matrix3d r = a_from_outer * b.axes;
  const Vector3d& ha = a.half_extents;
  const Vector3d& hb = b.half_extents;

  double gap = (t.cwiseAbs() - ha - r.cwiseAbs() * hb).maxCoeff();
  gap = std::max(gap, ((r.transpose() * t).cwiseAbs() - hb - r.cwiseAbs().transpose() * ha).maxCoeff());
  const double lengths = sizes + a.center.lpNorm<1>() + b.center.lpNorm<1>();
  const double rounding = kRounding * kEpsilon * lengths;
  if (gap - rounding > enough) return gap - rounding;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    for (int column = 0; column < 3; ++column) {
      // The axis e_i × b_column has no component along e_i. The gap is first taken in units of its length; the root is
      // only due where the gap is a larger one, which the signed squares tell.
      const double uj = -r(k, column);
      const double uk = r(j, column);
      const double length_sq = uj * uj + uk * uk;
      if (length_sq < kParallelSq) continue;
      double scaled = std::abs(t[j] * uj + t[k] * uk) - ha[j] * std::abs(uj) - ha[k] * std::abs(uk);
      for (int m = 0; m < 3; ++m) scaled -= hb[m] * std::abs(uj * r(j, m) + uk * r(k, m));
      if (signed_square(scaled) > signed_square(gap) * length_sq) gap = scaled / std::sqrt(length_sq);
    }
  }
  return gap - rounding;
}

Obb bounding_obb(const Points& points) {
  const Obb aligned = box_along(Matrix3d::Identity(), points);
  const double largest = aligned.half_extents.maxCoeff();
  if (!(largest > 0.0)) return aligned;

  // Principal axes of the points, scaled to about 1 so that no square overflows or vanishes.
  const auto scaled = [&](Eigen::Index i) -> Vector3d { return (points.col(i) - aligned.center) / largest; };
  const auto count = static_cast<double>(points.cols());
  Vector3d mean = Vector3d::Zero();
  for (Eigen::Index i = 0; i < points.cols(); ++i) mean += scaled(i);
  mean /= count;
  Matrix3d covariance = Matrix3d::Zero();
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const Vector3d offset = scaled(i) - mean;
    covariance += offset * offset.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(covariance / count);
  if (solver.info() != Eigen::Success) return aligned;
  Matrix3d axes = solver.eigenvectors();
  axes.col(2) = axes.col(0).cross(axes.col(1)).normalized();

  const Obb principal = box_along(axes, points);
  return half_area(principal.half_extents) < half_area(aligned.half_extents) ? principal : aligned;
}

Obb bounding_obb(const Points& points, std::span<const Vector3d> normals) {
  Obb best = bounding_obb(points);
  const double largest = best.half_extents.maxCoeff();
  if (!(largest > 0.0)) return best;
  const Eigen::Matrix3Xd scaled = (points.colwise() - best.center) / largest;
  if (!scaled.allFinite()) return best;  // as wide as the range of double
  double least = half_area(best.half_extents / largest);
  for (const Vector3d& normal : normals) {
    if (!(std::abs(normal.squaredNorm() - 1.0) < kUnitError)) continue;
    const Obb flush = box_along(flush_axes(scaled, normal.normalized()), points);
    const double area = half_area(flush.half_extents / largest);
    if (area < (1.0 - kNoTighter) * least) {
      least = area;
      best = flush;
    }
  }
  return best;
}

}  // namespace abut
