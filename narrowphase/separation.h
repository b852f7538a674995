// What a pair of shapes is asked and what it answers: options, result, warm-start memory.
#pragma once

#include <abut/core/pose.h>
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <limits>

namespace abut {

/// Which solver answers a pair. `automatic` chooses per pair of shapes; the others force one, for study.
enum class Solver : std::uint8_t {
  automatic,
  gjk,                    ///< GJK without acceleration: fully-corrective Frank-Wolfe (GJK++, Alg. 4); EPA for depth.
  polyak,                 ///< The same with Polyak's heavy-ball direction (GJK++, Alg. 5).
  nesterov,               ///< The same with Nesterov's direction, normalised (GJK++, Alg. 6, eq. 33).
  nesterov_unnormalised,  ///< The same without normalisation (GJK++, eq. 28): for strictly convex pairs.
  rtr,                    ///< Riemannian trust region (An et al., Alg. 2): for pairs of smooth bodies, see serves().
  qp,                     ///< Quadratic program (Tracy et al.): capsules and padded polygons, see proximity.h.
};

/// Where the solver starts (GJK++, section IV-E).
enum class WarmStart : std::uint8_t {
  none,                  ///< x₀ = (1, 0, 0).
  obb,                   ///< The difference of the centres of the oriented boxes.
  previous,              ///< The pair's last separating direction, or leaves; `obb` where there is none.
  transformed_previous,  ///< The last witness points, carried along by the relative motion, or leaves; `obb` where
                         ///< there are none.
};

enum class SolveStatus : std::uint8_t {
  converged,        ///< Right within distance_error, which is what the tolerance asks for (or rounding).
  iteration_limit,  ///< The best answer so far; distance_error bounds how far off it may be.
  beyond_limit,     ///< Proven farther apart than DistanceOptions::max_distance; distance is a lower bound.
};

struct DistanceOptions {
  Solver solver = Solver::automatic;
  WarmStart warm_start = WarmStart::previous;  ///< Only with a PairCache; without one, `obb`.
  /// Accuracy asked of the witness points, metres, >= 0. 0 asks for kRelativeTolerance of the sizes of the shapes. The
  /// distance, whose error grows with the square of theirs, is then far finer. Never finer than rounding allows.
  double tolerance = 0.0;
  /// Metres. The solver may stop once the distance is proven to be larger.
  double max_distance = std::numeric_limits<double>::infinity();
  int max_iterations = 128;  ///< Of GJK, and of EPA by itself.
};

/// Default accuracy of witness points, as a fraction of the sum of the two shapes' radii: a micrometre on a metre.
/// Smooth bodies pay for it with a few iterations; polytopes are exact anyway.
inline constexpr double kRelativeTolerance = 1e-6;

/// Signed separation of two shapes; metres, world frame.
struct Separation {
  double distance = 0.0;                ///< > 0 apart, 0 touching, < 0: minus the penetration depth.
  Vector3d point_a = Vector3d::Zero();  ///< Witness point on the surface of a.
  Vector3d point_b = Vector3d::Zero();  ///< Witness point on the surface of b.
  Vector3d normal = Vector3d::UnitX();  ///< Unit, from a towards b; distance = (point_b - point_a).dot(normal).
  SolveStatus status = SolveStatus::converged;
  Solver solver = Solver::automatic;  ///< Who answered; automatic: a closed form.
  int iterations = 0;                 ///< Of GJK and EPA together, over all leaf pairs of composites.
  double distance_error = 0.0;        ///< Bound on the error of distance, metres, >= 0.
};

/// Up to three points of the Minkowski difference of two shapes by the vertices that they are the difference of, in the
/// numbering of the narrow phase; a shape that has none has any number.
struct CornerVertices {
  std::uint32_t count = 0;  ///< 0 … 3.
  std::array<std::uint32_t, 3> of_a{};
  std::array<std::uint32_t, 3> of_b{};
};

/// What one pair of shapes remembers from one query to the next. Plain data; an empty one is a cold start, and so is
/// one whose normal is not unit or whose points are beyond 1e150 m. The answer never depends on it beyond its error
/// bound. Closed forms need no memory and leave it as it is.
struct PairCache {
  bool has_solution = false;
  bool cores_overlap = false;  ///< Then the next solve starts from the centres: a start on the surface slows EPA.
  Vector3d normal_a = Vector3d::UnitX();  ///< Last normal, frame of a.
  Vector3d point_a = Vector3d::Zero();    ///< Last witness points, each in the frame of its own body.
  Vector3d point_b = Vector3d::Zero();
  CornerVertices corners;  ///< Of polytopes: they carried the last answer. Of composites: one, the leaves that gave it.
};

}  // namespace abut
