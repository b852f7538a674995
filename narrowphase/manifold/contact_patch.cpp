// The corners of the common part of two convex outlines: corners of one inside the other, both ways, and crossings of
// their boundaries. Each is found by itself and not by cutting one outline step by step, so that the same two features
// always make the same point and give it its name.
#include <abut/core/cross.h>
#include <abut/narrowphase/manifold/contact_patch.h>

#include <algorithm>
#include <cmath>

namespace abut::detail {
namespace {

using Eigen::Vector2d;
using Kind = SupportFeature::Kind;

// Edges that are nearly parallel share the part where they lie no farther than this beside each other, a fraction of
// the shorter one: all of it up to an angle of 1/1000, and from there on less and less. Where that is less than this
// fraction of the shorter one (an angle of 1/50), they cross in a point.
constexpr double kBeside = 5e-4;
constexpr double kShortestOverlap = 0.05;

// Steps of the search for the crossing of two rims; it gains digits by a factor of three every three steps.
constexpr int kRimSteps = 16;

FeatureCode entry(FeatureCode edge) {
  return feature_code(FeatureKind::edge_entry, edge);
}

Vector3d between(const Vector3d& p, const Vector3d& q, double t) {
  return p + t * (q - p);
}

}  // namespace

ContactPatch::ContactPatch(const SupportFeature& a, const SupportFeature& b, const PatchLimits& limits)
    : limits_(limits) {
  if (a.kind == Kind::point || b.kind == Kind::point) return;
  if (a.kind == Kind::segment && b.kind == Kind::segment) {
    add_segment_overlap(a, b);
    return;
  }
  const Outline outline_a(a, limits.slack);
  const Outline outline_b(b, limits.slack);
  if (b.is_region()) add_vertices(a, b, outline_b, /*feature_is_a=*/true);
  if (a.is_region()) add_vertices(b, a, outline_a, /*feature_is_a=*/false);
  if (a.kind == Kind::plane || b.kind == Kind::plane) return;
  if (a.kind == Kind::disc && b.kind == Kind::disc) {
    // Along the smaller rim, on which less fits between two marks.
    if (a.axis_x.squaredNorm() <= b.axis_x.squaredNorm()) {
      add_rim_crossings(a, b, outline_b, /*feature_is_a=*/true);
    } else {
      add_rim_crossings(b, a, outline_a, /*feature_is_a=*/false);
    }
  } else if (b.is_region() && a.kind != Kind::disc) {
    add_sides(a, b, outline_b, /*feature_is_a=*/true);
  } else {
    add_sides(b, a, outline_a, /*feature_is_a=*/false);
  }
}

void ContactPatch::add(const Vector3d& point_a, FeatureCode code_a, const Vector3d& point_b, FeatureCode code_b) {
  const double distance = point_b.z() - point_a.z();
  if (!(distance <= limits_.max_distance) || count_ == kCapacity) return;
  points_[count_++] = {point_a, point_b, distance, patch_point_id(code_a, code_b)};
}

void ContactPatch::add_lifted(const Vector3d& point, FeatureCode code, const SupportFeature& region,
                              FeatureCode region_code, bool point_is_of_a) {
  const Vector3d lifted(point.x(), point.y(), region.height(point.x(), point.y()));
  if (point_is_of_a) {
    add(point, code, lifted, region_code);
  } else {
    add(lifted, region_code, point, code);
  }
}

void ContactPatch::add_vertices(const SupportFeature& feature, const SupportFeature& region, const Outline& outline,
                                bool feature_is_a) {
  for (std::size_t i = 0; i < feature.vertex_count; ++i) {
    if (!outline.contains(feature.corners[i])) continue;
    add_lifted(feature.corners[i], feature.corner_codes[i], region, region.code, feature_is_a);
  }
}

void ContactPatch::add_sides(const SupportFeature& feature, const SupportFeature& region, const Outline& outline,
                             bool feature_is_a) {
  const std::size_t sides = feature.kind == Kind::segment ? 1 : feature.corner_count;
  for (std::size_t i = 0; i < sides; ++i) {
    const Vector3d& p = feature.corners[i];
    const Vector3d& q = feature.corners[i + 1 < feature.corner_count ? i + 1 : 0];
    const InnerPart part = outline.clip(p, q);
    // A side that only grazes a corner shares a point with the outline or none, as rounding will have it.
    const double inner = part.end - part.begin;
    if (!(inner > 0.0) || inner * inner * (q - p).squaredNorm() <= limits_.slack * limits_.slack) continue;
    const FeatureCode side = feature.side_codes[i];
    if (part.begin_code != 0) {
      add_lifted(between(p, q, part.begin), entry(side), region, part.begin_code, feature_is_a);
    }
    if (part.end_code != 0) add_lifted(between(p, q, part.end), side, region, part.end_code, feature_is_a);
  }
}

// The rim of one disc between two marks, one inside the other disc (with the slack) and one outside: the crossing lies
// where |w| = 1, w the point in the frame in which the other is the unit disc. Regula falsi with the Illinois rule, on
// the chord between the marks.
void ContactPatch::add_rim_crossings(const SupportFeature& rim, const SupportFeature& region, const Outline& outline,
                                     bool feature_is_a) {
  const auto outside = [&](const Vector3d& point) { return outline.unit_disc_point(point).squaredNorm() - 1.0; };
  const double grown = outline.grown_radius_sq() - 1.0;
  bool has_entry = false;
  bool has_exit = false;
  for (std::size_t i = 0; i < rim.corner_count; ++i) {
    const Vector3d p = rim.corners[i] - rim.center;
    const Vector3d q = rim.corners[i + 1 < rim.corner_count ? i + 1 : 0] - rim.center;
    double at_low = outside(rim.center + p);
    double at_high = outside(rim.center + q);
    const bool leaves = at_low <= grown;
    if (leaves == (at_high <= grown)) continue;
    bool& is_found = leaves ? has_exit : has_entry;
    if (is_found) continue;  // rims of nearly the same size may cross more than twice; two of these say it
    is_found = true;
    const FeatureCode code = leaves ? rim.side_codes[0] : entry(rim.side_codes[0]);
    if (at_low > 0.0 && at_high > 0.0) {  // the inner mark is outside but for the slack
      add_lifted(rim.center + (leaves ? p : q), code, region, region.side_codes[0], feature_is_a);
      continue;
    }
    const double radius = p.norm();
    double low = 0.0;
    double high = 1.0;
    int kept_end = 0;  // 1: low stayed in the last step, -1: high did
    Vector3d crossing = rim.center + p;
    for (int step = 0; step < kRimSteps; ++step) {
      const double t = (low * at_high - high * at_low) / (at_high - at_low);
      crossing = rim.center + radius * between(p, q, t).normalized();
      const double at_t = outside(crossing);
      if (at_t == 0.0) break;
      if ((at_t < 0.0) == (at_low < 0.0)) {
        low = t;
        at_low = at_t;
        if (kept_end == -1) at_high *= 0.5;
        kept_end = -1;
      } else {
        high = t;
        at_high = at_t;
        if (kept_end == 1) at_low *= 0.5;
        kept_end = 1;
      }
    }
    add_lifted(crossing, code, region, region.side_codes[0], feature_is_a);
  }
}

void ContactPatch::add_segment_overlap(const SupportFeature& a, const SupportFeature& b) {
  const Vector3d& a0 = a.corners[0];
  const Vector3d& a1 = a.corners[1];
  const Vector2d along_a = (a1 - a0).head<2>();
  const Vector2d along_b = (b.corners[1] - b.corners[0]).head<2>();
  const double length_a = along_a.norm();
  const double length_b = along_b.norm();
  if (!(length_a > 0.0 && length_b > 0.0)) return;
  const bool is_reversed = along_a.dot(along_b) < 0.0;
  const std::size_t first = is_reversed ? 1 : 0;
  const Vector3d& b0 = b.corners[first];
  const Vector3d& b1 = b.corners[1 - first];

  // Along the bisector of the two, so that a and b count alike.
  const Vector2d along = (along_a / length_a + (is_reversed ? -1.0 : 1.0) / length_b * along_b).normalized();
  const auto place = [&](const Vector3d& point) { return along.dot(point.head<2>()); };
  const double place_a0 = place(a0);
  const double place_a1 = place(a1);
  const double place_b0 = place(b0);
  const double place_b1 = place(b1);
  const auto on_a = [&](double s) { return between(a0, a1, (s - place_a0) / (place_a1 - place_a0)); };
  const auto on_b = [&](double s) { return between(b0, b1, (s - place_b0) / (place_b1 - place_b0)); };
  const auto beside = [&](double s) { return cross(along, (on_b(s) - on_a(s)).head<2>()); };

  struct End {
    double place;
    FeatureCode code_a;
    FeatureCode code_b;
  };
  const std::size_t last = 1 - first;
  const bool begins_with_a = place_a0 >= place_b0 - limits_.slack;
  const bool ends_with_a = place_a1 <= place_b1 + limits_.slack;
  End begin = begins_with_a ? End{place_a0, a.corner_codes[0], b.code} : End{place_b0, a.code, b.corner_codes[first]};
  End end = ends_with_a ? End{place_a1, a.corner_codes[1], b.code} : End{place_b1, a.code, b.corner_codes[last]};
  if (begin.place > end.place) return;

  const double limit = kBeside * std::min(length_a, length_b) + limits_.slack;
  const double beside_begin = beside(begin.place);
  const double beside_end = beside(end.place);
  const double change = beside_end - beside_begin;
  if (std::min(beside_begin, beside_end) > limit || std::max(beside_begin, beside_end) < -limit) return;
  const double old_begin = begin.place;
  const double old_length = end.place - begin.place;
  const auto place_of = [&](double value) { return old_begin + (value - beside_begin) / change * old_length; };
  if (std::abs(beside_begin) > limit) {
    begin = {place_of(std::clamp(beside_begin, -limit, limit)), entry(a.code), b.code};
  }
  if (std::abs(beside_end) > limit) end = {place_of(std::clamp(beside_end, -limit, limit)), a.code, entry(b.code)};
  if (end.place - begin.place < std::min(kShortestOverlap * std::min(length_a, length_b), 0.5 * old_length)) return;
  add(on_a(begin.place), begin.code_a, on_b(begin.place), begin.code_b);
  add(on_a(end.place), end.code_a, on_b(end.place), end.code_b);
}

}  // namespace abut::detail
