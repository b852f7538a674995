// Closed forms: signed distance of pairs of primitives without iteration, exact to rounding.
//
// Every shape is core ⊕ ball. A closed form measures the cores (point, segment, triangle, box, solid of revolution) and
// adds radii and margins at the end, so that touching bodies are an ordinary case. Where cores overlap, the answer is
// the least translation that parts them. Sources: Ericson, Real-Time Collision Detection (2005), chapter 5;
// Gottschalk, Lin and Manocha, OBBTree (1996), for the separating axes of boxes.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/box.h>
#include <abut/core/shapes/cone.h>
#include <abut/core/shapes/cylinder.h>
#include <abut/core/shapes/triangle.h>
#include <abut/narrowphase/closed/capsule_capsule.h>
#include <abut/narrowphase/closed/placed.h>
#include <abut/narrowphase/separation.h>

#include <concepts>
#include <cstdint>
#include <optional>

namespace abut::detail {

// Each answers in the frame in which its shapes are placed, b by `from_b`; in that of a where it is given `a_from_b`.
// Margins in metres, >= 0; solver is `automatic`, the status `converged`. No allocation, no error. Where several
// normals are optimal (concentric bodies), one of them is chosen by a fixed rule.
// @note Finite for coordinates and sizes up to 1e100 metres: squares of them are formed.

[[nodiscard]] Separation separate_closed(const PlacedSphere& a, const PlacedSphere& b);
[[nodiscard]] Separation separate_closed(const PlacedSphere& a, const PlacedCapsule& b);
[[nodiscard]] Separation separate_closed(const PlacedSphere& a, const Box& b, double margin_b, const Pose& from_b);
[[nodiscard]] Separation separate_closed(const PlacedSphere& a, const Cylinder& b, double margin_b, const Pose& from_b);
[[nodiscard]] Separation separate_closed(const PlacedSphere& a, const Cone& b, double margin_b, const Pose& from_b);
[[nodiscard]] Separation separate_closed(const PlacedSphere& a, const Triangle& b, double margin_b, const Pose& from_b);
// Two capsules: capsule_capsule.h.
[[nodiscard]] Separation separate_closed(const PlacedCapsule& a, const Box& b, double margin_b, const Pose& from_b);
[[nodiscard]] Separation separate_closed(const Capsule& a, double margin_a, const Triangle& b, double margin_b,
                                         const Pose& a_from_b);

[[nodiscard]] inline Separation separate_closed(const PlacedSphere& a, const Sphere& b, double margin_b,
                                                const Pose& from_b) {
  return separate_closed(a, place(b, margin_b, from_b));
}
[[nodiscard]] inline Separation separate_closed(const PlacedSphere& a, const Capsule& b, double margin_b,
                                                const Pose& from_b) {
  return separate_closed(a, place(b, margin_b, from_b));
}
[[nodiscard]] inline Separation separate_closed(const PlacedCapsule& a, const Capsule& b, double margin_b,
                                                const Pose& from_b) {
  return separate_closed(a, place(b, margin_b, from_b));
}

/// Whether G can be placed and there is a form for it and H, in this order.
template <class G, class H>
concept HasPlacedForm = requires(const G& a, const H& b, const Pose& from_b) {
  { separate_closed(place(a, 0.0), b, 0.0, from_b) } -> std::same_as<Separation>;
};

template <class G, class H>
requires HasPlacedForm<G, H>
[[nodiscard]] Separation separate_closed(const G& a, double margin_a, const H& b, double margin_b,
                                         const Pose& a_from_b) {
  return separate_closed(place(a, margin_a), b, margin_b, a_from_b);
}

/// Two boxes. Always answered when they overlap; when they are apart, only if the answer proves itself: its normal
/// separates by the distance of its witness points. Otherwise empty, and another solver must answer.
[[nodiscard]] std::optional<Separation> separate_closed(const Box& a, double margin_a, const Box& b, double margin_b,
                                                        const Pose& a_from_b);

/// The same of a box and a triangle that overlap. Apart they have an answer where an axis proves them to be farther apart
/// than `max_distance` (metres): the status is `beyond_limit` and the distance a lower bound.
[[nodiscard]] std::optional<Separation> separate_closed(const Box& a, double margin_a, const Triangle& b,
                                                        double margin_b, const Pose& a_from_b, double max_distance);

enum class ClosedAnswer : std::uint8_t {
  apart,
  colliding,
  undecided,  ///< Another solver must answer.
};

/// Whether the distance of two boxes is at most `max_distance` (metres, >= 0, infinity allowed).
[[nodiscard]] ClosedAnswer closed_collides(const Box& a, double margin_a, const Box& b, double margin_b,
                                           const Pose& a_from_b, double max_distance);
[[nodiscard]] ClosedAnswer closed_collides(const Box& a, double margin_a, const Triangle& b, double margin_b,
                                           const Pose& a_from_b, double max_distance);

}  // namespace abut::detail
