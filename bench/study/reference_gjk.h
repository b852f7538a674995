// GJK of the papers, letter by letter, with every choice that they or their code make as an option. It exists to find
// out which choice brings which iterations; the library's solver is measured beside it.
// Source: Montaut et al., "GJK++" (T-RO 2024), Alg. 2, 4, 6 and 7; Montaut et al. (RSS 2022), Alg. 4 and 7.
#pragma once

#include <cstdint>

#include "minkowski.h"

namespace abut::study {

enum class Momentum : std::uint8_t { none, polyak, nesterov };

/// Weight of the old direction in iteration k.
enum class Schedule : std::uint8_t {
  paper,     ///< (k + 1) / (k + 3), as both papers print it.
  heavy,     ///< (k + 2) / (k + 3): one step further.
  decaying,  ///< 1 / (k + 1): the momentum fades out.
};

enum class Start : std::uint8_t {
  box_centers,  ///< c₁ - c₂ of the bounding boxes (section IV).
  centers,      ///< The library's: for hulls the means of the vertices.
  x_axis,       ///< (1, 0, 0).
  given,        ///< ReferenceOptions::guess.
};

/// What happens when a support point found with momentum brings x no nearer (eq. 31).
enum class FixedPoint : std::uint8_t {
  switch_back,        ///< Plain GJK from there on (Alg. 6, line 7).
  restart,            ///< One plain step, then momentum again from k = 0.
  restart_on_obtuse,  ///< Besides: when d·x < 0 or the gap grew, momentum starts over at d = x.
};

struct ReferenceOptions {
  Momentum momentum = Momentum::none;
  bool normalise = false;  ///< Eq. 33 in place of eq. 28.
  Schedule schedule = Schedule::paper;
  Start start = Start::box_centers;
  FixedPoint fixed_point = FixedPoint::switch_back;
  /// Momentum ends without a further support point once a separating plane is known at more than this fraction of |x|:
  /// the shapes are then so far apart that plain GJK is quick. 1: never.
  double drop_ratio = 1.0;
  /// Momentum is used only where the first support point lies at a cosine to x₀ between these. Shapes that are far
  /// apart for their sizes see it near 1, shapes deep in each other near -1: plain GJK is quick in both cases.
  double least_cosine = -1.0;
  double most_cosine = 1.0;
  Vector3d guess = Vector3d::UnitX();
  double epsilon = 1e-8;    ///< On the duality gap 2 x·(x - s) of the squared norm, m².
  bool is_boolean = false;  ///< Stop at the first separating plane (Alg. 2, with epsilon_col = 0).
  int max_iterations = 512;
};

struct ReferenceResult {
  double distance = 0.0;  ///< Metres; 0 when the origin is enclosed; of a boolean answer a bound only.
  bool collides = false;
  int iterations = 0;  ///< Calls of the support function, less the first.
  int passes = 0;      ///< The same less those that a fixed point asks for besides: what the papers' code counts.
  int momentum_iterations = 0;  ///< Of these, before momentum was first dropped; all of them if it never was.
  bool converged = false;
};

[[nodiscard]] ReferenceResult reference_gjk(Minkowski& difference, const ReferenceOptions& options);

}  // namespace abut::study
