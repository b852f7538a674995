#include <abut/core/error.h>
#include <abut/narrowphase/manifold/composite_manifold.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/narrowphase/manifold/contact_patch.h>
#include <abut/narrowphase/manifold/reduction.h>
#include <abut/narrowphase/manifold/support_feature.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut {
namespace {

using detail::ContactFrame;
using detail::ContactPatch;
using detail::PatchPoint;
using detail::SupportFeature;

// By how much the square of a unit normal may differ from 1.
constexpr double kUnitError = 1e-6;

constexpr double kLargestTilt = 0.5;  // radians: projections along the normal stay well-conditioned

// What an outline contains lies no farther out of it than twice its slack, once along and once across a side (times
// √2).
constexpr double kOutlineSlacks = 4.0;

// Of the smaller feature: corners whose distances differ by less are as deep, which is more than rounding.
constexpr double kSameDepth = 1e-9;

// The same of corners that may be left out for one another: what coordinates in float make of a flat face.
constexpr double kNearDepth = 0.25 * kRelativeTolerance;

void check(const ManifoldOptions& options) {
  if (options.max_points < 1 || options.max_points > static_cast<int>(ContactManifold::kCapacity)) {
    throw InvalidInput("max_points", "must be 1 ... 16", static_cast<double>(options.max_points));
  }
  if (std::isnan(options.max_distance)) throw InvalidInput("max_distance", "must be a number", options.max_distance);
  if (!(options.max_tilt >= 0.0 && options.max_tilt <= kLargestTilt)) {
    throw InvalidInput("max_tilt", "must be 0 ... 0.5 radians", options.max_tilt);
  }
}

// The candidates of faces with a slight bend. Where some are too far apart, the patch ends somewhere between them and
// those that are near; the faces of the two tops alone, which touch the most, then say where.
class BentPatch {
 public:
  void add(const ContactPatch& patch, double max_distance) {
    for (const PatchPoint& point : patch.points()) {
      if (point.distance <= max_distance) {
        points_[count_++] = point;
      } else {
        is_cut_ = true;
      }
    }
  }

  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] std::span<const PatchPoint> points() const { return {points_.data(), count_}; }

 private:
  std::array<PatchPoint, 2 * ContactPatch::kCapacity> points_;
  std::size_t count_ = 0;
  bool is_cut_ = false;
};

ContactPoint witness_point(const Separation& separation, std::uint64_t id) {
  return {separation.point_a, separation.point_b, separation.distance, id, separation.normal};
}

}  // namespace

namespace detail {

ManifoldLimits::ManifoldLimits(const ManifoldOptions& options)
    : max_points(static_cast<std::size_t>(options.max_points)),
      max_distance(options.max_distance),
      sin_tilt(std::sin(options.max_tilt)),
      cos_tilt(std::sqrt(1.0 - sin_tilt * sin_tilt)) {}

std::size_t contact_points(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                           const Separation& separation, const ManifoldLimits& limits, std::span<ContactPoint> points,
                           const TopPair& tops) {
  const Vector3d middle = 0.5 * (separation.point_a + separation.point_b);
  const bool is_known = middle.allFinite() && std::abs(separation.normal.squaredNorm() - 1.0) < kUnitError;
  if (!is_known) {
    points[0] = witness_point(separation, 0);
    return 1;
  }
  if (a.is_composite() || b.is_composite()) {
    return composite_contact_points(a, world_from_a, b, world_from_b, separation, limits, points);
  }
  if (limits.max_points == 1) {  // there is no other point that a name would tell it from
    points[0] = witness_point(separation, 0);
    return 1;
  }

  const ContactFrame frame(separation.normal, middle);
  FeatureQuery query;
  query.sin_tilt = limits.sin_tilt;
  query.cos_tilt = limits.cos_tilt;
  query.max_drop = std::max(0.0, limits.max_distance - separation.distance);
  query.joins_bends = true;
  const FeatureView view_a(world_from_a, frame, 1.0, tops.of_a);
  const FeatureView view_b(world_from_b, frame, -1.0, tops.of_b);
  SupportFeature feature_a;
  SupportFeature feature_b;
  find_support_feature(a, view_a, query, feature_a);
  find_support_feature(b, view_b, query, feature_b);
  const std::uint64_t witness_id = patch_point_id(feature_a.code, feature_b.code);
  if (feature_a.kind == SupportFeature::Kind::point || feature_b.kind == SupportFeature::Kind::point) {
    points[0] = witness_point(separation, witness_id);
    return 1;
  }
  // Of features that are found but for their corners. @return Of the smaller one, metres.
  const auto find_corners = [&] {
    find_pending_corners(a, view_a, query, feature_a);
    find_pending_corners(b, view_b, query, feature_b);
    const double extent = std::min(feature_a.extent(), feature_b.extent());
    const double beside = kOutlineSlacks * kRelativeTolerance * extent;
    // Vertices beside a face make points only over a region of the other body.
    if (feature_b.is_region()) find_nearly_level(a, view_a, query, feature_b.bounds(beside), feature_a);
    if (feature_a.is_region()) find_nearly_level(b, view_b, query, feature_a.bounds(beside), feature_b);
    return extent;
  };
  const double extent = find_corners();
  const double slack = kRelativeTolerance * extent;
  const double as_deep = separation.distance + slack;
  const double max_distance = std::max(limits.max_distance, as_deep);

  const bool is_bent = feature_a.bent_hull != nullptr || feature_b.bent_hull != nullptr;
  const ContactPatch patch(feature_a, feature_b,
                           {slack, is_bent ? std::numeric_limits<double>::infinity() : max_distance});
  std::span<const PatchPoint> candidates = patch.points();
  BentPatch bent_patch;
  if (is_bent) {
    bent_patch.add(patch, max_distance);
    if (bent_patch.is_cut()) {
      query.joins_bends = false;
      find_support_feature(a, view_a, query, feature_a);
      find_support_feature(b, view_b, query, feature_b);
      find_corners();
      bent_patch.add({feature_a, feature_b, {slack, max_distance}}, max_distance);
    }
    candidates = bent_patch.points();
  }

  std::size_t count = 0;
  const auto append = [&](const PatchPoint& point) {
    points[count++] = {frame.to_world(point.point_a), frame.to_world(point.point_b), point.distance, point.id,
                       separation.normal};
  };
  // A corner as deep as the witness pair stands for it: where faces lie flat on each other, that is anywhere. Of those
  // that are nearly as deep as the deepest the one farthest out: a point within the patch would take a corner's place.
  double least = as_deep;
  Vector3d sum = Vector3d::Zero();
  for (const PatchPoint& point : candidates) {
    least = std::min(least, point.distance);
    sum += point.point_a;
  }
  const Vector3d center = sum / std::max(1.0, static_cast<double>(candidates.size()));
  const double spacing = kPatchSpacing * extent;
  const std::size_t start = first_of_patch(candidates, center, std::min(as_deep, least + kNearDepth * extent), spacing);
  Vector3d first;
  if (start != candidates.size()) {
    append(candidates[start]);
    first = candidates[start].point_a;
  } else {
    points[count++] = witness_point(separation, witness_id);
    first = frame.axes.transpose() * (separation.point_a - frame.origin);
  }
  std::array<std::size_t, ContactManifold::kCapacity> chosen;
  const double touching = touching_distance(least, extent);
  const std::size_t capacity = std::min(limits.max_points, points.size());
  const std::size_t others = choose_spread(candidates, first, touching, spacing, std::span(chosen).first(capacity - 1));
  for (std::size_t i = 0; i < others; ++i) append(candidates[chosen[i]]);
  // Where there is room, the deepest also where it adds no area; of several the first, so that rounding does not
  // choose.
  const double same_depth = kSameDepth * extent;
  const auto is_deepest = [&](const PatchPoint& point) {
    return point.distance <= std::min(as_deep, least + same_depth);
  };
  const bool has_room = start != candidates.size() && count < capacity;
  const auto deepest = has_room ? std::find_if(candidates.begin(), candidates.end(), is_deepest) : candidates.end();
  if (deepest != candidates.end()) {
    const Vector3d place = frame.to_world(deepest->point_a);
    const auto is_there = [&](const ContactPoint& point) { return !((point.point_a - place).norm() > spacing); };
    const std::span<const ContactPoint> kept = points.first(count);
    if (std::none_of(kept.begin(), kept.end(), is_there)) append(*deepest);
  }
  for (std::size_t i = 1; i < count; ++i) {
    if (points[i].distance < points[0].distance - same_depth) std::swap(points[0], points[i]);
  }
  return count;
}

}  // namespace detail

ContactManifold contact_manifold(const Shape& a, const Pose& world_from_a, const Shape& b, const Pose& world_from_b,
                                 const Separation& separation, const ManifoldOptions& options) {
  check(options);
  ContactManifold manifold;
  manifold.count_ = detail::contact_points(a, world_from_a, b, world_from_b, separation,
                                           detail::ManifoldLimits(options), manifold.storage_);
  return manifold;
}

}  // namespace abut
