// Smooth hull: checks, and the gradient and Hessian of its support function, several points at a time.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework",
// section IV-B, eq. 17.
//
// With u* the largest of the uᵢ = pᵢ·x, p* its point, tᵢ = max(uᵢ, 0) / u* and S = Σ tᵢ^β it is h = u* S^(1/β) and
//   ∇h  = S^(1/β) / S Σ tᵢ^(β-1) pᵢ,
//   ∇²h = (β-1) S^(1/β) / u* (Σ tᵢ^(β-2) pᵢ pᵢᵀ / S - m mᵀ),  m = Σ tᵢ^(β-1) pᵢ / S.
// The difference is a variance, which does not change when every pᵢ is replaced by qᵢ = pᵢ - tᵢ p*: then q* = 0, the
// point of the largest weight, and what cancels is at most a factor of the number of points, however sharp the body.
#include <abut/core/error.h>
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/sharpness.h>
#include <abut/core/shapes/smooth_hull.h>
#include <abut/core/shapes/smooth_limits.h>
#include <abut/core/simd_math.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace abut {
namespace {

using Registers = detail::Simd<detail::kSimdWidth>;
using Doubles = Registers::Doubles;

constexpr std::size_t kLanes = detail::kSimdWidth;
constexpr std::size_t kBlock = 3 * kLanes;

struct Vector3Registers {
  Doubles x;
  Doubles y;
  Doubles z;

  explicit Vector3Registers(const Vector3d& v)
      : x(Registers::broadcast(v.x())), y(Registers::broadcast(v.y())), z(Registers::broadcast(v.z())) {}
  explicit Vector3Registers(const double* block)
      : x(Registers::load(block)), y(Registers::load(block + kLanes)), z(Registers::load(block + 2 * kLanes)) {}

  [[nodiscard]] Doubles dot(const Vector3Registers& other) const { return x * other.x + y * other.y + z * other.z; }
};

std::vector<double> in_registers(std::span<const Vector3d> points) {
  std::vector<double> coordinates(kBlock * ((points.size() + kLanes - 1) / kLanes), 0.0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    double* lane = coordinates.data() + kBlock * (i / kLanes) + i % kLanes;
    for (std::size_t k = 0; k < 3; ++k) lane[k * kLanes] = points[i][static_cast<Eigen::Index>(k)];
  }
  return coordinates;
}

// The faces of a hull of points, for the two questions that are asked of it. Of a hull without volume there are none.
struct FacePlanes {
  std::vector<Vector3d> normals;  // unit, outwards
  double inner_radius =
      0.0;  // of the largest ball about the origin, less rounding; 0 where that is not inside by detail::kSmoothInside

  explicit FacePlanes(std::span<const Vector3d> points) {
    double largest = 0.0;
    for (const Vector3d& point : points) largest = std::max(largest, point.cwiseAbs().maxCoeff());
    if (!(largest > 0.0)) return;
    std::vector<Vector3d> scaled;
    scaled.reserve(points.size());
    for (const Vector3d& point : points) scaled.emplace_back(point / largest);
    const ConvexHull hull = ConvexHull::from_points(scaled);
    if (hull.dimension() < 3) return;
    // Rounding of a product of three vectors; what a triangle's needle shape adds to it is in the product of its sides.
    constexpr double kRounding = 1e-14;
    const double least_distance = detail::kSmoothInside * 2.0 * hull.aabb().half_extents().norm();
    double smallest = std::numeric_limits<double>::infinity();
    double skipped_width = 0.0;
    for (const auto& triangle : hull.triangles()) {
      const Vector3d& corner = hull.vertices()[triangle[0]];
      const Vector3d side_1 = hull.vertices()[triangle[1]] - corner;
      const Vector3d side_2 = hull.vertices()[triangle[2]] - corner;
      const Vector3d normal = side_1.cross(side_2);
      const double length = normal.norm();
      const double rounding = kRounding * side_1.norm() * side_2.norm() * corner.norm();
      // The plane of a sliver is not known, but those of its neighbours are: none of its points is farther from them
      // than it is wide.
      const double longest = std::max({side_1.norm(), side_2.norm(), (side_2 - side_1).norm()});
      if (length * length <= rounding * longest) {
        skipped_width += length / longest;
        continue;
      }
      normals.emplace_back(normal / length);
      smallest = std::min(smallest, (normal.dot(corner) - rounding) / length);
    }
    smallest -= skipped_width;
    if (smallest > least_distance && std::isfinite(smallest)) inner_radius = smallest * largest;
  }
};

bool equals_its_mirror_image(std::span<const Vector3d> points) {
  const auto before = [](const Vector3d& p, const Vector3d& q) {
    return std::lexicographical_compare(p.begin(), p.end(), q.begin(), q.end());
  };
  std::vector<Vector3d> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end(), before);
  // The mirror image of a sorted list is sorted the other way round.
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != -sorted[sorted.size() - 1 - i]) return false;
  }
  return true;
}

}  // namespace

SmoothHull::SmoothHull(std::vector<Vector3d> points, double sharpness) {
  if (points.empty()) throw InvalidInput("points", "must have at least one point");
  for (std::size_t i = 0; i < points.size(); ++i) require_finite("points[" + std::to_string(i) + "]", points[i]);
  require_sharpness(sharpness);
  auto data = std::make_shared<Data>();
  data->coordinates = in_registers(points);
  data->sharpness = sharpness;
  data->least_ratio = detail::least_ratio(sharpness);
  data->whole_exponent = detail::whole_exponent(sharpness - 2.0);
  const FacePlanes planes(points);
  data->inner_radius = planes.inner_radius;
  data->is_centrally_symmetric = equals_its_mirror_image(points);
  data->points = std::move(points);
  data_ = data;
  if (data->inner_radius > 0.0) {
    // The body bulges out of the hull of its points, most over the faces.
    std::vector<Vector3d> inside = data->points;
    for (const Vector3d& normal : planes.normals) inside.push_back(core_support(normal));
    data->inner_radius = std::max(data->inner_radius, FacePlanes(inside).inner_radius);
  }
  Vector3d half_extents;
  for (int i = 0; i < 3; ++i) {
    const Vector3d upper = core_support(Vector3d::Unit(i));
    const Vector3d lower = core_support(-Vector3d::Unit(i));
    center_ += (upper + lower) / 6.0;
    half_extents[i] = 0.5 * (upper[i] - lower[i]);
  }
  extent_ = half_extents.norm();
}

template <class Power>
Vector3d SmoothHull::support_of(const Data& data, const Vector3d& direction, const Power& power) {
  const double* const begin = data.coordinates.data();
  const double* const end = begin + data.coordinates.size();
  const Vector3Registers x(direction);
  Doubles best{};
  for (const double* block = begin; block != end; block += kBlock) {
    const Doubles u = Vector3Registers(block).dot(x);
    best = u > best ? u : best;
  }
  const double largest = Registers::largest(best);
  if (!(largest > detail::kLeastAhead)) return Vector3d::Zero();
  const Doubles inverse = Registers::broadcast(1.0 / largest);
  const Doubles least = Registers::broadcast(data.least_ratio);
  const Doubles zero{};
  Doubles sum{};
  Vector3Registers weighted(Vector3d::Zero());
  for (const double* block = begin; block != end; block += kBlock) {
    const Vector3Registers p(block);
    const Doubles ratio = p.dot(x) * inverse;
    const Doubles t = ratio > least ? ratio : zero;
    const Doubles weight = power(t) * t;
    sum += weight * t;
    weighted.x += weight * p.x;
    weighted.y += weight * p.y;
    weighted.z += weight * p.z;
  }
  const double total = Registers::sum(sum);
  const double factor = std::exp(std::log(total) / data.sharpness) / total;
  return {factor * Registers::sum(weighted.x), factor * Registers::sum(weighted.y),
          factor * Registers::sum(weighted.z)};
}

template <class Power>
SupportExpansion SmoothHull::expansion_of(const Data& data, const Vector3d& direction, const Power& power) {
  const double* const begin = data.coordinates.data();
  const double* const end = begin + data.coordinates.size();
  const Vector3Registers x(direction);
  detail::LargestOfMany<kLanes> farthest;
  for (const double* block = begin; block != end; block += kBlock) farthest.add(Vector3Registers(block).dot(x));
  const auto [largest, index] = farthest.result();
  SupportExpansion result;
  if (!(largest > detail::kLeastAhead)) return result;
  const double inverse_largest = 1.0 / largest;
  const Vector3d& farthest_point = data.points[index];

  const Doubles inverse = Registers::broadcast(inverse_largest);
  const Doubles least = Registers::broadcast(data.least_ratio);
  const Doubles zero{};
  const Vector3Registers reference(farthest_point);
  Doubles sum{};
  Doubles sum_x{}, sum_y{}, sum_z{};
  Doubles sum_xx{}, sum_xy{}, sum_xz{}, sum_yy{}, sum_yz{}, sum_zz{};
  for (const double* block = begin; block != end; block += kBlock) {
    const Vector3Registers p(block);
    const Doubles ratio = p.dot(x) * inverse;
    const Doubles t = ratio > least ? ratio : zero;
    const Doubles weight = power(t);
    const Doubles q_x = p.x - t * reference.x;
    const Doubles q_y = p.y - t * reference.y;
    const Doubles q_z = p.z - t * reference.z;
    const Doubles weight_t = weight * t;
    sum += weight_t * t;
    sum_x += weight_t * q_x;
    sum_y += weight_t * q_y;
    sum_z += weight_t * q_z;
    const Doubles weight_x = weight * q_x;
    const Doubles weight_y = weight * q_y;
    sum_xx += weight_x * q_x;
    sum_xy += weight_x * q_y;
    sum_xz += weight_x * q_z;
    sum_yy += weight_y * q_y;
    sum_yz += weight_y * q_z;
    sum_zz += (weight * q_z) * q_z;
  }
  const double total = Registers::sum(sum);
  const double root = std::exp(std::log(total) / data.sharpness);
  const double inverse_total = 1.0 / total;
  const Vector3d mean = inverse_total * Vector3d(Registers::sum(sum_x), Registers::sum(sum_y), Registers::sum(sum_z));
  result.value = largest * root;
  result.point = root * (farthest_point + mean);
  const double factor = (data.sharpness - 1.0) * root * inverse_largest;
  const auto variance = [&](const Doubles& products, double mean_product) {
    return factor * (Registers::sum(products) * inverse_total - mean_product);
  };
  result.hessian(0, 0) = std::max(variance(sum_xx, mean.x() * mean.x()), 0.0);
  result.hessian(1, 1) = std::max(variance(sum_yy, mean.y() * mean.y()), 0.0);
  result.hessian(2, 2) = std::max(variance(sum_zz, mean.z() * mean.z()), 0.0);
  result.hessian(0, 1) = result.hessian(1, 0) = variance(sum_xy, mean.x() * mean.y());
  result.hessian(0, 2) = result.hessian(2, 0) = variance(sum_xz, mean.x() * mean.z());
  result.hessian(1, 2) = result.hessian(2, 1) = variance(sum_yz, mean.y() * mean.z());
  return result;
}

Vector3d SmoothHull::core_support(const Vector3d& direction) const {
  if (data_->whole_exponent > 0) return support_of(*data_, direction, detail::WholePower<>(data_->whole_exponent));
  return support_of(*data_, direction, detail::RealPower<>(data_->sharpness - 2.0));
}

SupportExpansion SmoothHull::expansion_of(const Vector3d& direction) const {
  if (data_->whole_exponent > 0) return expansion_of(*data_, direction, detail::WholePower<>(data_->whole_exponent));
  return expansion_of(*data_, direction, detail::RealPower<>(data_->sharpness - 2.0));
}

SupportExpansion SmoothHull::core_expansion(const Vector3d& direction) const {
  if (!detail::has_plain_length(direction.squaredNorm())) [[unlikely]] {
    return detail::expand_rescaled(direction, [this](const Vector3d& x) { return expansion_of(x); });
  }
  return expansion_of(direction);
}

}  // namespace abut
