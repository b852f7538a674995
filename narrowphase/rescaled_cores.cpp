// The cores of a pair wrapped in another unit of length, and what is asked and remembered carried over and back.
#include <abut/narrowphase/rescaled_cores.h>
#include <abut/narrowphase/separate_cores.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// What is this much smaller than the pair is nothing to it, and has squares that lose digits.
Vector3d scaled_by(double scale, const Vector3d& v) {
  constexpr double kNothing = 0x1p-400;
  const Vector3d result = scale * v;
  return (result.array().abs() < kNothing).select(0.0, result);
}

// A core in another unit of length: geometry that a ConvexCore can refer to. Refers to a core that outlives it.
class ScaledCore {
 public:
  ScaledCore(const ConvexCore& core, double scale) : core_(&core), scale_(scale) {}

  [[nodiscard]] CorePoint support_point(const Vector3d& direction) const {
    const CorePoint found = core_->support_point(direction);
    return {scaled_by(scale_, found.point), found.vertex};
  }
  [[nodiscard]] double sweep_radius() const { return scale_ * core_->radius(); }
  [[nodiscard]] Vector3d center() const { return scaled_by(scale_, core_->center()); }

  // Found by ConvexCore through their argument, and by nobody else.
  [[nodiscard]] friend CorePoint core_point(const ScaledCore& core, const Vector3d& direction) {
    return core.support_point(direction);
  }
  [[nodiscard]] friend double core_extent(const ScaledCore& core) { return core.scale_ * core.core_->extent(); }

 private:
  const ConvexCore* core_;
  double scale_;
};

// A pair, what is asked of it and what it remembers, in a unit of length in which its size is about 1.
class RescaledPair {
 public:
  RescaledPair(const ConvexCore& a, const ConvexCore& b, const Pose& a_from_b, double size, const PairQuery& query,
               const PairCache* cache)
      : exponent_(exponent_of(size)),
        scaled_a_(a, scaled(1.0)),
        scaled_b_(b, scaled(1.0)),
        a_(scaled_a_, 0.0),
        b_(scaled_b_, 0.0),
        a_from_b_(Pose::unchecked(scaled(a_from_b.translation()), a_from_b.rotation())),
        query_(query) {
    // 0 stands for a default: a tolerance must not become it, nor so large that its square overflows.
    constexpr double kFinest = std::numeric_limits<double>::min();
    constexpr double kCoarsest = 0x1p128;
    double& tolerance = query_.options.tolerance;
    if (tolerance > 0.0) tolerance = std::clamp(scaled(tolerance), kFinest, kCoarsest);
    query_.options.max_distance = scaled(query_.options.max_distance);
    query_.far_enough = scaled(query_.far_enough);
    query_.least_depth = scaled(query_.least_depth);
    if (cache == nullptr) return;
    cache_ = *cache;
    cache_.point_a = scaled(cache_.point_a);
    cache_.point_b = scaled(cache_.point_b);
  }
  RescaledPair(const RescaledPair&) = delete;
  RescaledPair& operator=(const RescaledPair&) = delete;

  [[nodiscard]] Separation separate(PairCache* cache) {
    Separation result = separate_cores(a_, b_, a_from_b_, query_, cache == nullptr ? nullptr : &cache_);
    write_back(cache);
    result.distance = unscaled(result.distance);
    result.distance_error = unscaled(result.distance_error);
    result.point_a = unscaled(result.point_a);
    result.point_b = unscaled(result.point_b);
    return result;
  }

  [[nodiscard]] bool collide(PairCache* cache) {
    const bool is_near = collide_cores(a_, b_, a_from_b_, query_, cache == nullptr ? nullptr : &cache_);
    write_back(cache);
    return is_near;
  }

 private:
  // Bounded, so that both the scale and its inverse are numbers.
  static int exponent_of(double size) {
    int exponent = 0;
    std::frexp(size, &exponent);
    return std::clamp(exponent, -1000, 1000);
  }
  [[nodiscard]] double scaled(double length) const { return std::ldexp(length, -exponent_); }
  [[nodiscard]] double unscaled(double length) const { return std::ldexp(length, exponent_); }
  [[nodiscard]] Vector3d scaled(const Vector3d& v) const { return scaled_by(scaled(1.0), v); }
  [[nodiscard]] Vector3d unscaled(const Vector3d& v) const { return unscaled(1.0) * v; }

  void write_back(PairCache* cache) const {
    if (cache == nullptr) return;
    *cache = cache_;
    cache->point_a = unscaled(cache_.point_a);
    cache->point_b = unscaled(cache_.point_b);
  }

  int exponent_;
  ScaledCore scaled_a_;
  ScaledCore scaled_b_;
  ConvexCore a_;
  ConvexCore b_;
  Pose a_from_b_;
  PairQuery query_;
  PairCache cache_;
};

bool can_rescale(double size) {
  return size > std::numeric_limits<double>::min() && size <= std::numeric_limits<double>::max();
}

}  // namespace

Separation separate_rescaled(const ConvexCore& a, const ConvexCore& b, const Pose& a_from_b, double size,
                             const PairQuery& query, PairCache* cache) {
  if (can_rescale(size)) return RescaledPair(a, b, a_from_b, size, query, cache).separate(cache);
  if (cache != nullptr) cache->has_solution = false;
  Separation result;
  result.solver = Solver::gjk;
  if (size <= std::numeric_limits<double>::min()) {  // points in one place
    result.distance_error = size;
    return result;
  }
  result.distance_error = std::numeric_limits<double>::infinity();
  result.status = SolveStatus::iteration_limit;
  return result;
}

bool collide_rescaled(const ConvexCore& a, const ConvexCore& b, const Pose& a_from_b, double size,
                      const PairQuery& query, PairCache* cache) {
  if (can_rescale(size)) return RescaledPair(a, b, a_from_b, size, query, cache).collide(cache);
  if (cache != nullptr) cache->has_solution = false;
  return true;
}

}  // namespace abut::detail
