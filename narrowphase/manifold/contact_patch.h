// Contact patch: what the support features of two shapes share when they are laid over each other along the normal.
#pragma once

#include <abut/narrowphase/manifold/outline.h>
#include <abut/narrowphase/manifold/support_feature.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

/// A point of the patch, contact frame, metres.
struct PatchPoint {
  Vector3d point_a;
  Vector3d point_b;
  double distance;   ///< Along the normal.
  std::uint64_t id;  ///< See ContactPoint::feature_id.
};

inline constexpr std::uint64_t patch_point_id(FeatureCode code_a, FeatureCode code_b) {
  return std::uint64_t{code_a} << 32 | code_b;
}

struct PatchLimits {
  double slack = 0.0;         ///< Metres, sideways: the outlines count as wider by so much.
  double max_distance = 0.0;  ///< Metres: points farther apart are left out.
};

class ContactPatch {
 public:
  /// The vertices of both features, and two crossings with every side of one of them.
  static constexpr std::size_t kCapacity =
      2 * (SupportFeature::kMaxCorners + SupportFeature::kMaxExtra) + 2 * SupportFeature::kMaxCorners;

  ContactPatch(const SupportFeature& a, const SupportFeature& b, const PatchLimits& limits);

  /// Corners of a over b, corners of b over a, crossings of their outlines, in this order; some may coincide. None
  /// where one of the two is a point.
  [[nodiscard]] std::span<const PatchPoint> points() const { return {points_.data(), count_}; }

 private:
  void add(const Vector3d& point_a, FeatureCode code_a, const Vector3d& point_b, FeatureCode code_b);
  // A point of the one feature, and what lies above or below it on the other.
  void add_lifted(const Vector3d& point, FeatureCode code, const SupportFeature& region, FeatureCode region_code,
                  bool point_is_of_a);

  void add_vertices(const SupportFeature& feature, const SupportFeature& region, const Outline& outline,
                    bool feature_is_a);
  void add_sides(const SupportFeature& feature, const SupportFeature& region, const Outline& outline,
                 bool feature_is_a);
  void add_rim_crossings(const SupportFeature& rim, const SupportFeature& region, const Outline& outline,
                         bool feature_is_a);
  void add_segment_overlap(const SupportFeature& a, const SupportFeature& b);

  PatchLimits limits_;
  std::size_t count_ = 0;
  std::array<PatchPoint, kCapacity> points_;
};

}  // namespace abut::detail
