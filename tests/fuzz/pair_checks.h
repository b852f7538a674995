// What every answer about two convex shapes must satisfy, checked in a few microseconds and without a reference solver.
//
// For any unit n, s(n) = -(h_A(n) + h_B(-n)) is at most the signed distance; so a normal with s(normal) = distance
// proves that the shapes are no nearer, and witness points that far apart prove that they are no farther.
#pragma once

#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <fuzz/pair_sample.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

namespace abut::fuzz {

/// What the checks have met.
struct Findings {
  std::uint64_t queries = 0;           ///< Calls of distance, collides and contact_manifold.
  std::uint64_t iteration_limits = 0;  ///< Answers with that status.
  double largest_error = 0.0;          ///< Of distance beyond distance_error, as a fraction of the coordinates.
  double largest_bound = 0.0;          ///< distance_error of converged answers, as a fraction of the coordinates.
};

class PairChecks {
 public:
  // All as fractions of the coordinates.

  /// What a distance may be off by beyond its distance_error: roundings, of which the powers in the support functions
  /// of superquadrics and smooth hulls make most.
  static constexpr double kRounding = 2e-13;
  /// The same for Minkowski differences that are slivers: their normals are off by rounding over thickness.
  static constexpr double kSliver = 1e-9;
  /// What the plane across the normal may lose on the distance: where two edges of a triangle are equally near, the
  /// root of rounding turns the normal.
  static constexpr double kNormal = 2e-10;
  /// How far off the surfaces witness points may be: slivers cost some digits, on which the distance does not hang.
  static constexpr double kWitness = 1e-9;
  /// The largest distance_error of a converged answer: a body a million times smaller than the other may stop there.
  static constexpr double kConverged = 2e-6;
  /// Gaps below this may be called contact by collides(); a contact is never called free.
  static constexpr double kTouching = 1e-10;

  /// @param cache  Memory of the pair from earlier placements; the answers must not depend on it.
  /// Empty, or what is wrong.
  std::string violation(const PairSample& sample, PairCache& cache) {
    sample_ = &sample;
    wrong_.str("");
    a_from_b_ = Pose::relative(sample.world_from_a, sample.world_from_b);
    coordinates_ = sample.coordinates + a_from_b_.translation().norm();
    world_ = sample.world_from_a.translation().norm() + sample.world_from_b.translation().norm();

    const Separation cold = query(sample.options, nullptr);
    check_certificate(cold);
    answer_ = cold;
    const Separation warm = query(sample.options, &cache);
    check_certificate(warm);
    check_swapped(cold);
    check_collides(cold, &cache);
    if (cold.status == SolveStatus::converged) {
      check_parted(cold);
      check_manifold(cold);
    }
    return wrong_.str();
  }

  /// Of the last sample, without memory.
  [[nodiscard]] const Separation& answer() const { return answer_; }
  [[nodiscard]] const Findings& findings() const { return findings_; }

 private:
  [[nodiscard]] double rounding() const { return (sample_->is_sliver ? kSliver : kRounding) * coordinates_; }

  Separation query(const DistanceOptions& options, PairCache* cache) {
    ++findings_.queries;
    const Separation s = distance(sample_->a, sample_->world_from_a, sample_->b, sample_->world_from_b, options, cache);
    findings_.iteration_limits += s.status == SolveStatus::iteration_limit ? 1 : 0;
    return s;
  }

  // s(n), n in the frame of a.
  [[nodiscard]] double separation_along(const Vector3d& n) const {
    const Vector3d n_b = a_from_b_.unrotate(n);
    return a_from_b_.translation().dot(n) - n.dot(support(sample_->a, n)) + n_b.dot(support(sample_->b, -n_b));
  }

  // How far a point lies outside of a shape, seen along `n` and the axes; all in the body's frame.
  static double outside(const Shape& shape, const Vector3d& point, const Vector3d& n) {
    double largest = n.dot(point - support(shape, n));
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d unit = Vector3d::Unit(axis);
      largest =
          std::max({largest, point[axis] - support(shape, unit)[axis], support(shape, -unit)[axis] - point[axis]});
    }
    return largest;
  }

  void check_certificate(const Separation& s) {
    const double numbers = s.distance + s.distance_error + s.normal.sum() + s.point_a.sum() + s.point_b.sum();
    if (!std::isfinite(numbers)) {
      wrong_ << "not finite; ";
      return;
    }
    if (!(std::abs(s.normal.norm() - 1.0) <= 1e-14)) wrong_ << "normal is off by " << s.normal.norm() - 1.0 << "; ";
    if (!(s.distance_error >= 0.0)) wrong_ << "distance_error = " << s.distance_error << "; ";
    const Vector3d n = sample_->world_from_a.unrotate(s.normal);
    const double bound = separation_along(n);
    const double error = std::abs(bound - s.distance) - s.distance_error;
    findings_.largest_error = std::max(findings_.largest_error, error / coordinates_);
    if (s.status == SolveStatus::beyond_limit) {
      if (!(s.distance > sample_->options.max_distance)) wrong_ << "beyond a limit that it is within; ";
      if (!(s.distance <= bound + rounding())) wrong_ << "lower bound " << s.distance << ", s(n) = " << bound << "; ";
      return;
    }
    if (!(error <= rounding() + kNormal * coordinates_ + gap_tolerance()))
      wrong_ << "s(normal) - distance = " << bound - s.distance << ", bound " << s.distance_error << "; ";
    // No other direction separates better; some near the normal, where a missed optimum would be, and the axes.
    const double allowed = s.distance_error + rounding();
    const auto try_direction = [&](const Vector3d& m) {
      const double better = separation_along(m);
      if (better > s.distance + allowed) wrong_ << "another direction is better by " << better - s.distance << "; ";
    };
    for (int axis = 0; axis < 3; ++axis) {
      try_direction(Vector3d::Unit(axis));
      try_direction(-Vector3d::Unit(axis));
      try_direction((n + 0.1 * Vector3d::Unit(axis)).normalized());
      try_direction((n - 1e-3 * Vector3d::Unit(axis)).normalized());
    }
    check_witness(s, n);
    if (s.status == SolveStatus::converged) {
      if (!(s.distance_error <= gap_tolerance() + kConverged * coordinates_)) {
        wrong_ << "converged with an error of " << s.distance_error << "; ";
      }
      findings_.largest_bound = std::max(findings_.largest_bound, s.distance_error / coordinates_);
    }
  }

  [[nodiscard]] double asked_tolerance() const {
    const double asked = sample_->options.tolerance;
    return asked > 0.0 ? asked : kRelativeTolerance * sample_->size;
  }

  // How much less than the distance the normal may prove: what lets witness points be off by the tolerance.
  [[nodiscard]] double gap_tolerance() const { return 2.0 * asked_tolerance() * asked_tolerance() / sample_->size; }

  // Witness points are as exact as the tolerance asks, or the distance's own error bound allows.
  [[nodiscard]] double witness_tolerance(const Separation& s) const {
    return 4.0 * asked_tolerance() + 2.0 * std::sqrt(2.0 * sample_->size * (s.distance_error + rounding())) +
           4e-16 * world_;
  }

  void check_witness(const Separation& s, const Vector3d& n) {
    const double points = s.distance_error + rounding() + 1e-15 * world_;
    const Vector3d gap = s.point_b - s.point_a;
    const double along = gap.dot(s.normal);
    if (!(std::abs(along - s.distance) <= points + gap_tolerance() + kWitness * coordinates_))
      wrong_ << "(point_b - point_a).normal is off by " << along - s.distance << "; ";
    const double sideways = (gap - along * s.normal).norm();
    if (!(sideways <= witness_tolerance(s))) wrong_ << "witness points are sideways by " << sideways << "; ";
    const Vector3d on_a = sample_->world_from_a.unrotate(s.point_a - sample_->world_from_a.translation());
    const Vector3d on_b = sample_->world_from_b.unrotate(s.point_b - sample_->world_from_b.translation());
    const double out_a = outside(sample_->a, on_a, n);
    const double out_b = outside(sample_->b, on_b, -a_from_b_.unrotate(n));
    const double surface = points + kWitness * coordinates_;
    if (!(out_a <= surface)) wrong_ << "point_a lies outside by " << out_a << "; ";
    if (!(out_b <= surface)) wrong_ << "point_b lies outside by " << out_b << "; ";
  }

  void check_swapped(const Separation& s) {
    ++findings_.queries;
    const Separation other =
        distance(sample_->b, sample_->world_from_b, sample_->a, sample_->world_from_a, sample_->options);
    const double allowed = s.distance_error + other.distance_error + 2.0 * gap_tolerance() + rounding();
    if (!(std::abs(other.distance - s.distance) <= allowed))
      wrong_ << "swapped: off by " << other.distance - s.distance << "; ";
  }

  void check_collides(const Separation& s, PairCache* cache) {
    const double margins[] = {0.0, 0.01 * sample_->size, std::abs(s.distance)};
    for (const double margin : margins) {
      ++findings_.queries;
      const bool answer = collides(sample_->a, sample_->world_from_a, sample_->b, sample_->world_from_b, margin,
                                   sample_->options, margin > 0.0 ? cache : nullptr);
      const double doubt = s.distance_error + rounding();
      const bool may_be_near = s.distance - doubt - gap_tolerance() - kTouching * coordinates_ <= margin;
      const bool may_be_far = s.status == SolveStatus::beyond_limit || s.distance + doubt > margin;
      if (answer ? !may_be_near : !may_be_far) {
        wrong_ << "collides(" << margin << ") is " << (answer ? "true" : "false") << " at " << s.distance << "; ";
      }
    }
  }

  // Moved along the normal until they are just apart, the shapes are that far apart and no less.
  void check_parted(const Separation& s) {
    ++findings_.queries;
    const double clearance = 1e-3 * sample_->size;
    const Pose moved = Pose((clearance - s.distance) * s.normal) * sample_->world_from_b;
    const Separation after = distance(sample_->a, sample_->world_from_a, sample_->b, moved);
    const double allowed = s.distance_error + after.distance_error + gap_tolerance() + rounding() +
                           kNormal * coordinates_ + 4e-16 * world_;
    // The normal may be off by as much as moves the support plane by distance_error at the clearance.
    if (!(after.distance >= clearance - allowed)) wrong_ << "parted by less: " << after.distance - clearance << "; ";
    if (!(after.distance <= clearance + allowed + sideways_gain(s, clearance))) {
      wrong_ << "parted by more: " << after.distance - clearance << "; ";
    }
  }

  // The witness points, carried along, may be sideways: then they are farther apart than the clearance.
  [[nodiscard]] double sideways_gain(const Separation& s, double clearance) const {
    const double sideways = witness_tolerance(s);
    return std::hypot(clearance, sideways) - clearance;
  }

  void check_manifold(const Separation& s) {
    ++findings_.queries;
    const ContactManifold manifold =
        contact_manifold(sample_->a, sample_->world_from_a, sample_->b, sample_->world_from_b, s);
    const double allowed = s.distance_error + rounding() + 2.0 * kRelativeTolerance * sample_->size + 1e-15 * world_;
    const auto points = manifold.points();
    if (points.empty() || points.size() > 4) wrong_ << points.size() << " contact points; ";
    for (std::size_t i = 0; i < points.size(); ++i) {
      const ContactPoint& point = points[i];
      if (!std::isfinite(point.distance + point.point_a.sum() + point.point_b.sum())) wrong_ << "contact not finite; ";
      const double along = (point.point_b - point.point_a).dot(s.normal);
      if (!(std::abs(along - point.distance) <= allowed)) wrong_ << "contact point " << i << " gap " << along << "; ";
      if (!(point.distance >= s.distance - allowed)) wrong_ << "contact point " << i << " too deep; ";
      const double out_a = outside_world(sample_->a, sample_->world_from_a, point.point_a, s.normal);
      const double out_b = outside_world(sample_->b, sample_->world_from_b, point.point_b, -s.normal);
      if (!(out_a <= allowed)) wrong_ << "contact point " << i << " outside a by " << out_a << "; ";
      if (!(out_b <= allowed)) wrong_ << "contact point " << i << " outside b by " << out_b << "; ";
      for (std::size_t j = 0; j < i; ++j) {
        if (points[j].feature_id == point.feature_id)
          wrong_ << "contact points " << j << " and " << i << " share an id; ";
      }
    }
    if (!points.empty() && !(points[0].distance <= s.distance + allowed))
      wrong_ << "the first contact is not deepest; ";
  }

  static double outside_world(const Shape& shape, const Pose& world_from_body, const Vector3d& point,
                              const Vector3d& normal) {
    return outside(shape, world_from_body.unrotate(point - world_from_body.translation()),
                   world_from_body.unrotate(normal));
  }

  const PairSample* sample_ = nullptr;
  Pose a_from_b_;
  double coordinates_ = 0.0;
  double world_ = 0.0;  // metres from the origin: what the world coordinates of points are rounded by
  Separation answer_;
  Findings findings_;
  std::ostringstream wrong_;
};

}  // namespace abut::fuzz
