// Closed forms: signed distance of pairs of primitives without iteration, exact to rounding.
//
// Every shape is core ⊕ ball. A closed form measures the cores (point, segment, triangle, box, solid of revolution) and
// adds radii and margins at the end, so that touching bodies are an ordinary case. Where cores overlap, the answer is
// the least translation that parts them. Sources: Ericson, Real-Time Collision Detection (2005), chapter 5;
// Gottschalk, Lin and Manocha, OBBTree (1996), for the separating axes of boxes.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/box.h>
#include <abut/core/shapes/capsule.h>
#include <abut/core/shapes/cone.h>
#include <abut/core/shapes/cylinder.h>
#include <abut/core/shapes/sphere.h>
#include <abut/core/shapes/triangle.h>
#include <abut/narrowphase/separation.h>

#include <cstdint>
#include <optional>

namespace abut::detail {

// Each answers in the frame of a; margins in metres, >= 0; solver is `automatic`, the status `converged`. No
// allocation, no error. Where several normals are optimal (concentric bodies), one of them is chosen by a fixed rule.
// @note Finite for coordinates and sizes up to 1e100 metres: squares of them are formed.

[[nodiscard]] Separation separate_closed(const Sphere& a, double margin_a, const Sphere& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Sphere& a, double margin_a, const Capsule& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Sphere& a, double margin_a, const Box& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Sphere& a, double margin_a, const Cylinder& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Sphere& a, double margin_a, const Cone& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Sphere& a, double margin_a, const Triangle& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Capsule& a, double margin_a, const Capsule& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Capsule& a, double margin_a, const Box& b, double margin_b,
                                         const Pose& a_from_b);
[[nodiscard]] Separation separate_closed(const Capsule& a, double margin_a, const Triangle& b, double margin_b,
                                         const Pose& a_from_b);

/// Two spheres by their centres, metres, in any frame, which is that of the answer.
/// @param radius_a,radius_b  With margins, metres.
[[nodiscard]] Separation separate_spheres(const Vector3d& center_a, double radius_a, const Vector3d& center_b,
                                          double radius_b);
/// Two capsules, in the frame of a, whose segment lies on the z axis about the origin.
/// @param center,axis  Of b: its centre, metres, and a unit vector along its segment.
[[nodiscard]] Separation separate_capsules(const Capsule& a, double margin_a, const Capsule& b, double margin_b,
                                           const Vector3d& center, const Vector3d& axis);

/// Two boxes. Always answered when they overlap; when they are apart, only if the answer proves itself: its normal
/// separates by the distance of its witness points. Otherwise empty, and another solver must answer.
[[nodiscard]] std::optional<Separation> separate_closed(const Box& a, double margin_a, const Box& b, double margin_b,
                                                        const Pose& a_from_b);

enum class ClosedAnswer : std::uint8_t {
  apart,
  colliding,
  undecided,  ///< Another solver must answer.
};

/// Whether the distance of two boxes is at most `max_distance` (metres, >= 0, infinity allowed).
[[nodiscard]] ClosedAnswer closed_collides(const Box& a, double margin_a, const Box& b, double margin_b,
                                           const Pose& a_from_b, double max_distance);

}  // namespace abut::detail
