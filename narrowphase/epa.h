// Expanding polytope: penetration depth of two convex cores, with an inner and an outer bound.
// Source: van den Bergen, "Proximity Queries and Penetration Depth Computation on 3D Game Objects" (GDC 2001).
// Departures: plane offsets are signed, so that the start need not enclose the origin and the answer passes smoothly
// through touching; flat Minkowski differences are answered directly; all memory is on the stack.
#pragma once

#include <abut/narrowphase/minkowski_difference.h>
#include <abut/narrowphase/simplex.h>

#include <array>
#include <limits>
#include <optional>
#include <span>

namespace abut::detail {

/// Signed separation of two cores that touch or overlap (or are apart by rounding); frame of a.
struct EpaResult {
  double distance = 0.0;        ///< Minus the depth, metres; may be positive by rounding where the cores just touch.
  double distance_error = 0.0;  ///< Outer minus inner bound, metres.
  Vector3d normal = Vector3d::UnitX();  ///< Unit, from a to b.
  Vector3d point_a = Vector3d::Zero();
  Vector3d point_b = Vector3d::Zero();
  int iterations = 0;
  bool converged = false;
  bool is_shallow = false;  ///< Proven no deeper than was asked for, and ended there: of the others only distance, a
                            ///< lower bound, and distance_error count.
  CornerVertices corners;   ///< Of polytopes, where it converged: those of the face that answered.
  double reach = 0.0;       ///< Of a NearAnswer that has not converged: up to which angle from the normal no depth is
                            ///< less, as the tangent of its half.
};

/// What may know the answer from a normal and vertices near it: it has converged where it is proven for all directions,
/// else EPA has to prove those beyond its reach. Refers to a function that outlives it:
/// std::optional<EpaResult>(const Vector3d& normal, const CornerVertices& corners), the normal unit, about from a to b.
class NearAnswer {
 public:
  NearAnswer() = default;
  template <class Function>
  explicit NearAnswer(const Function& function)
      : function_(&function), call_([](const void* f, const Vector3d& normal, const CornerVertices& corners) {
          return (*static_cast<const Function*>(f))(normal, corners);
        }) {}

  [[nodiscard]] bool exists() const { return function_ != nullptr; }
  [[nodiscard]] std::optional<EpaResult> operator()(const Vector3d& normal, const CornerVertices& corners) const {
    return call_(function_, normal, corners);
  }

 private:
  using Call = std::optional<EpaResult> (*)(const void* function, const Vector3d& normal,
                                            const CornerVertices& corners);
  const void* function_ = nullptr;
  Call call_ = nullptr;
};

/// @param simplex    Where GJK ended: its points start the polytope.
/// @param tolerance  Of the depth, metres.
/// @param max_iterations  At most kMaxEpaIterations are made.
/// @param least_depth     A depth proven to be less than this, metres, need not be known.
/// @param near            Asked now and then, where the polytope has come to.
[[nodiscard]] EpaResult epa(const AnyDifference& difference, const Simplex<DifferencePoint>& simplex, double tolerance,
                            int max_iterations, double least_depth = -std::numeric_limits<double>::infinity(),
                            const NearAnswer& near = {});

/// Warm start: the polytope starts from support points around a normal, without GJK. What the last query knew is where
/// the polytope has to be fine.
/// @param normal  Unit: the pair's last one, frame of a.
/// @param facet   Three points of D whose plane has about that normal, or none.
/// @param around  Points of D that are known around the facet.
/// @param local   An answer of `near` that is proven within its reach.
/// @return Nothing where it does not prove that the cores overlap by more than rounding, or their difference is flat.
[[nodiscard]] std::optional<EpaResult> epa_around(const AnyDifference& difference, const Vector3d& normal,
                                                  std::span<const DifferencePoint> facet,
                                                  std::span<const DifferencePoint> around, double tolerance,
                                                  int max_iterations, const NearAnswer& near = {},
                                                  const std::optional<EpaResult>& local = std::nullopt);

inline constexpr int kMaxEpaIterations = 256;

}  // namespace abut::detail
