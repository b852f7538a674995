// Smooth solid of revolution: checks, and the gradient and Hessian of its support function, several points at a time.
// Source: An et al., "Collision Detection between Smooth Convex Bodies via Riemannian Optimization Framework",
// section IV-B, eq. 19.
//
// In the plane of (w, x₃) = L (c, s) the support function is that of a smooth hull, and its Hessian is a multiple κ of
// the dyad of the unit vector (-s, c) across. With (R, Z) the gradient there, the chain rule through w gives
//   ∇h  = R ∇w + Z e₃,  ∇²h = κ g gᵀ + R ∇²w,  g = -s ∇w + c e₃,
//   ∇w  = (x₁, x₂, γ x₃) / w,
//   ∇²w = (diag(1, 1, γ) - ∇w ∇wᵀ) / w, which Lagrange's identity writes without a difference on the diagonal.
#include <abut/core/error.h>
#include <abut/core/shapes/sharpness.h>
#include <abut/core/shapes/smooth_limits.h>
#include <abut/core/shapes/smooth_revolution.h>
#include <abut/core/simd_math.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace abut {
namespace {

using Registers = detail::Simd<detail::kSimdWidth>;
using Doubles = Registers::Doubles;

constexpr std::size_t kProfileLanes = detail::kSimdWidth;
constexpr std::size_t kProfileBlock = 2 * kProfileLanes;

std::vector<double> in_registers(std::span<const Eigen::Vector2d> profile) {
  std::vector<double> coordinates(kProfileBlock * ((profile.size() + kProfileLanes - 1) / kProfileLanes), 0.0);
  for (std::size_t i = 0; i < profile.size(); ++i) {
    double* lane = coordinates.data() + kProfileBlock * (i / kProfileLanes) + i % kProfileLanes;
    lane[0] = profile[i].x();
    lane[kProfileLanes] = profile[i].y();
  }
  return coordinates;
}

// h grows with w, which is at least √γ |x₃|: of all directions with x₃ > 0 the one along z has the least h / x₃.
bool is_positive_all_around(std::span<const Eigen::Vector2d> profile, double flatness) {
  double around = 0.0;
  double above = 0.0;
  double below = 0.0;
  double extent = 0.0;
  for (const Eigen::Vector2d& point : profile) {
    const double widening = std::sqrt(flatness) * point.x();
    around = std::max(around, point.x());
    above = std::max(above, widening + point.y());
    below = std::max(below, widening - point.y());
    extent = std::max({extent, point.x(), std::abs(point.y())});
  }
  return std::min({around, above, below}) > detail::kSmoothInside * extent;
}

bool equals_its_mirror_image(std::span<const Eigen::Vector2d> profile) {
  std::vector<Eigen::Vector2d> upright(profile.begin(), profile.end());
  std::vector<Eigen::Vector2d> mirrored;
  for (const Eigen::Vector2d& point : profile) mirrored.emplace_back(point.x(), -point.y());
  const auto before = [](const Eigen::Vector2d& p, const Eigen::Vector2d& q) {
    return p.x() != q.x() ? p.x() < q.x() : p.y() < q.y();
  };
  std::sort(upright.begin(), upright.end(), before);
  std::sort(mirrored.begin(), mirrored.end(), before);
  return upright == mirrored;
}

}  // namespace

SmoothRevolution::SmoothRevolution(std::vector<Eigen::Vector2d> profile, double sharpness, double flatness) {
  if (profile.empty()) throw InvalidInput("profile", "must have at least one point");
  for (std::size_t i = 0; i < profile.size(); ++i) {
    const std::string name = "profile[" + std::to_string(i) + "]";
    require_not_negative(name + "[0]", profile[i].x());
    require_finite(name + "[1]", profile[i].y());
  }
  require_sharpness(sharpness);
  require_positive("flatness", flatness);
  constexpr double kLeastFlatness = 1e-100;  // its square and that of the largest are numbers
  constexpr double kMostFlatness = 1e12;
  if (flatness < kLeastFlatness || flatness > kMostFlatness) {
    throw InvalidInput("flatness", "must be from 1e-100 to 1e12", flatness);
  }
  auto data = std::make_shared<Data>();
  data->coordinates = in_registers(profile);
  data->sharpness = sharpness;
  data->flatness = flatness;
  data->least_ratio = detail::least_ratio(sharpness);
  data->whole_exponent = detail::whole_exponent(sharpness - 2.0);
  data->is_twice_differentiable = is_positive_all_around(profile, flatness);
  data->is_symmetric = equals_its_mirror_image(profile);
  data->profile = std::move(profile);
  data_ = std::move(data);
  const double top = core_support(Vector3d::UnitZ()).z();
  const double bottom = core_support(-Vector3d::UnitZ()).z();
  center_ = Vector3d(0.0, 0.0, 0.5 * (top + bottom));
  const double side = core_support(Vector3d::UnitX()).x();
  extent_ = Vector3d(side, side, 0.5 * (top - bottom)).norm();
}

template <class Power>
Vector3d SmoothRevolution::support_of(const Data& data, const Vector3d& direction, const Power& power) {
  const double w = std::sqrt(direction.x() * direction.x() + direction.y() * direction.y() +
                             data.flatness * direction.z() * direction.z());
  if (!(w > 0.0)) return Vector3d::Zero();
  const double* const begin = data.coordinates.data();
  const double* const end = begin + data.coordinates.size();
  const Doubles along_r = Registers::broadcast(w);
  const Doubles along_z = Registers::broadcast(direction.z());
  Doubles best{};
  for (const double* block = begin; block != end; block += kProfileBlock) {
    const Doubles u = Registers::load(block) * along_r + Registers::load(block + kProfileLanes) * along_z;
    best = u > best ? u : best;
  }
  const double largest = Registers::largest(best);
  if (!(largest > detail::kLeastAhead)) return Vector3d::Zero();
  const Doubles inverse = Registers::broadcast(1.0 / largest);
  const Doubles least = Registers::broadcast(data.least_ratio);
  const Doubles zero{};
  Doubles sum{};
  Doubles sum_r{};
  Doubles sum_z{};
  for (const double* block = begin; block != end; block += kProfileBlock) {
    const Doubles r = Registers::load(block);
    const Doubles z = Registers::load(block + kProfileLanes);
    const Doubles ratio = (r * along_r + z * along_z) * inverse;
    const Doubles t = ratio > least ? ratio : zero;
    const Doubles weight = power(t) * t;
    sum += weight * t;
    sum_r += weight * r;
    sum_z += weight * z;
  }
  const double total = Registers::sum(sum);
  const double factor = std::exp(std::log(total) / data.sharpness) / total;
  const double radial = factor * Registers::sum(sum_r) / w;
  return {radial * direction.x(), radial * direction.y(),
          radial * data.flatness * direction.z() + factor * Registers::sum(sum_z)};
}

template <class Power>
SupportExpansion SmoothRevolution::expansion_of(const Data& data, const Vector3d& direction, const Power& power) {
  SupportExpansion result;
  const double w_sq =
      direction.x() * direction.x() + direction.y() * direction.y() + data.flatness * direction.z() * direction.z();
  const double w = std::sqrt(w_sq);
  if (!(w > 0.0)) return result;
  const double length = std::sqrt(w_sq + direction.z() * direction.z());
  const double c = w / length;
  const double s = direction.z() / length;

  const double* const begin = data.coordinates.data();
  const double* const end = begin + data.coordinates.size();
  const Doubles along_r = Registers::broadcast(c);
  const Doubles along_z = Registers::broadcast(s);
  detail::LargestOfMany<kProfileLanes> farthest;
  for (const double* block = begin; block != end; block += kProfileBlock) {
    farthest.add(Registers::load(block) * along_r + Registers::load(block + kProfileLanes) * along_z);
  }
  const auto [largest, index] = farthest.result();
  if (!(largest > detail::kLeastAhead)) return result;
  const Eigen::Vector2d& farthest_point = data.profile[index];

  const double inverse_largest = 1.0 / largest;
  const Doubles inverse = Registers::broadcast(inverse_largest);
  const Doubles least = Registers::broadcast(data.least_ratio);
  const Doubles reference = Registers::broadcast(farthest_point.y() * c - farthest_point.x() * s);
  const Doubles zero{};
  Doubles sum{};
  Doubles sum_q{};
  Doubles sum_qq{};
  for (const double* block = begin; block != end; block += kProfileBlock) {
    const Doubles r = Registers::load(block);
    const Doubles z = Registers::load(block + kProfileLanes);
    const Doubles ratio = (r * along_r + z * along_z) * inverse;
    const Doubles t = ratio > least ? ratio : zero;
    const Doubles weight = power(t);
    const Doubles q = (z * along_r - r * along_z) - t * reference;
    const Doubles weight_t = weight * t;
    sum += weight_t * t;
    sum_q += weight_t * q;
    sum_qq += weight * q * q;
  }
  const double total = Registers::sum(sum);
  const double root = std::exp(std::log(total) / data.sharpness);
  const double mean = Registers::sum(sum_q) / total;
  const double variance = std::max(Registers::sum(sum_qq) / total - mean * mean, 0.0);
  const double bend = (data.sharpness - 1.0) * root * inverse_largest * variance / length;  // κ
  const double radial = std::max(root * (farthest_point.x() - s * mean), 0.0);              // R

  const double inverse_w = 1.0 / w;
  const double slope_x = direction.x() * inverse_w;
  const double slope_y = direction.y() * inverse_w;
  const double ratio_z = direction.z() * inverse_w;
  const double slope_z = data.flatness * ratio_z;
  const double sideways = slope_x * slope_x + slope_y * slope_y;
  result.value = largest * root * length;
  result.point =
      Vector3d(radial * slope_x, radial * slope_y, radial * slope_z + root * (farthest_point.y() + c * mean));
  // g₃ = c - s γ x₃ / w, without the difference.
  const Vector3d g(-s * slope_x, -s * slope_y, c * sideways);
  const Vector3d bent = bend * g;
  const double around = radial * inverse_w;
  const double upwards = slope_z * ratio_z;
  result.hessian(0, 0) = bent.x() * g.x() + around * (slope_y * slope_y + upwards);
  result.hessian(1, 1) = bent.y() * g.y() + around * (slope_x * slope_x + upwards);
  result.hessian(2, 2) = bent.z() * g.z() + around * data.flatness * sideways;
  result.hessian(0, 1) = result.hessian(1, 0) = bent.x() * g.y() - around * slope_x * slope_y;
  result.hessian(0, 2) = result.hessian(2, 0) = bent.x() * g.z() - around * slope_x * slope_z;
  result.hessian(1, 2) = result.hessian(2, 1) = bent.y() * g.z() - around * slope_y * slope_z;
  return result;
}

Vector3d SmoothRevolution::core_support(const Vector3d& direction) const {
  if (data_->whole_exponent > 0) return support_of(*data_, direction, detail::WholePower<>(data_->whole_exponent));
  return support_of(*data_, direction, detail::RealPower<>(data_->sharpness - 2.0));
}

SupportExpansion SmoothRevolution::expansion_of(const Vector3d& direction) const {
  if (data_->whole_exponent > 0) return expansion_of(*data_, direction, detail::WholePower<>(data_->whole_exponent));
  return expansion_of(*data_, direction, detail::RealPower<>(data_->sharpness - 2.0));
}

SupportExpansion SmoothRevolution::core_expansion(const Vector3d& direction) const {
  if (!detail::has_plain_length(direction.squaredNorm())) [[unlikely]] {
    return detail::expand_rescaled(direction, [this](const Vector3d& x) { return expansion_of(x); });
  }
  return expansion_of(direction);
}

}  // namespace abut
