// GJK as fully-corrective Frank-Wolfe, plain and with Polyak's and Nesterov's momentum.
// Source: Montaut et al., "GJK++" (T-RO 2024), Alg. 2 (early stop), 4 (vanilla), 6 and 7 (acceleration), eq. 16-19.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/separation.h>
#include <abut/narrowphase/simplex.h>

#include <cstdint>
#include <limits>

namespace abut::detail {

struct GjkOptions {
  Solver solver = Solver::gjk;                                    ///< gjk, polyak or nesterov.
  double tolerance = 0.0;                                         ///< Of the distance, metres.
  double max_distance = std::numeric_limits<double>::infinity();  ///< Stop when the distance is proven larger, metres.
  double near_distance = 0.0;  ///< Stop when it is proven to be at most this, metres.
  int max_iterations = 128;
};

struct GjkResult {
  enum class Outcome : std::uint8_t {
    separated,  ///< The distance lies in [lower_bound, |simplex.closest|].
    touching,   ///< The origin is in D, or so near that no plane separates it but by rounding.
    near,       ///< |simplex.closest| <= near_distance.
    beyond,     ///< lower_bound > max_distance.
  };
  Outcome outcome = Outcome::separated;
  Simplex simplex;
  double lower_bound = 0.0;  ///< Largest distance to a separating plane seen, metres; 0 when there was none.
  /// Unit, from a to b: the normal of that plane, exactly along simplex.closest where GJK converged.
  Vector3d separating_direction = Vector3d::UnitX();
  bool at_iteration_limit = false;
  int iterations = 0;
};

/// Point of the Minkowski difference nearest the origin.
/// @param guess  x₀: any vector, best near the answer; zero stands for (1, 0, 0).
[[nodiscard]] GjkResult gjk(MinkowskiDifference& difference, const Vector3d& guess, const GjkOptions& options);

}  // namespace abut::detail
