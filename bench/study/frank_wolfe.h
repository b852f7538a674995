// Frank-Wolfe with line search for the nearest point of D to the origin: GJK without its simplex.
// Source: Montaut et al., "GJK++" (T-RO 2024), Alg. 1; Jaggi, "Revisiting Frank-Wolfe" (ICML 2013).
#pragma once

#include "minkowski.h"

namespace abut::study {

struct FrankWolfeResult {
  double distance = 0.0;  ///< |x|, metres: above the distance by at most the gap allows; 0 never comes out exactly.
  int iterations = 0;     ///< Calls of the support function, less the first.
  bool converged = false;
};

/// @param epsilon  On the duality gap 2 x·(x - s), m².
[[nodiscard]] FrankWolfeResult frank_wolfe(Minkowski& difference, double epsilon, int max_iterations);

}  // namespace abut::study
