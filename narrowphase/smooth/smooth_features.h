// The answer of a smooth body and a polytope, a cylinder or a cone, from a normal and vertices that are near it, by the
// planes of smooth_planes.h: of polytopes from feature to feature (polytope_answer.h); a frustum has an end, a side, a
// rim or an apex towards the normal, and each says which may be next.
#pragma once

#include <abut/narrowphase/frustum_answer.h>
#include <abut/narrowphase/polytope_answer.h>
#include <abut/narrowphase/smooth/smooth_planes.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace abut::detail {

/// The plane of a face, an edge or a vertex of a polytope against a smooth body. Vertices across whose side the answer
/// lies are dropped.
/// @param out    About out of the polytope.
/// @param least  See edge_guess.
template <class G>
[[nodiscard]] std::optional<PlaneGuess> feature_guess(const PlacedSmooth<G>& body, FeatureVertices& feature,
                                                      const Vector3d& out, double least) {
  if (feature.count == 3) {
    std::optional<PlaneGuess> guess = face_guess(body, feature, out);
    if (!guess || guess->margin >= 0.0) return guess;
  }
  if (feature.count == 2) {
    const Vector3d& start = feature.points[0];
    const Vector3d edge = feature.points[1] - start;
    const std::optional<PlaneGuess> guess = edge_guess(body, start, edge, out, least);
    if (!guess || guess->margin >= 0.0) return guess;
    feature.drop((guess->on_other - start).dot(edge) < 0.5 * edge.squaredNorm() ? 1 : 0);
  }
  return point_guess(
      body, [&](const Vector3d& /*n*/) { return FarPoint{feature.points[0]}; }, out, least);
}

/// An end of a frustum. @param end  1: the top, -1: the bottom.
template <class G>
[[nodiscard]] PlaneGuess end_guess(const PlacedSmooth<G>& body, const PlacedFrustum& frustum, double end) {
  PlaneGuess guess;
  guess.out = end * frustum.axis;
  guess.on_curved = body.farthest(-guess.out);
  const double height = guess.out.dot(frustum.end_center(end) - guess.on_curved);
  const Vector3d foot = guess.on_curved + height * guess.out;
  guess.margin = frustum.radius(end) - (foot - frustum.end_center(end)).norm();
  complete(guess, body, foot, /*slope=*/0.0, std::max(guess.margin, 0.0));
  return guess;
}

/// A side line of a frustum: normals that rise as those of the side, of which one angle is left.
/// @param out  About out of the frustum. @param least  See edge_guess.
template <class G>
[[nodiscard]] std::optional<PlaneGuess> side_guess(const PlacedSmooth<G>& body, const PlacedFrustum& frustum,
                                                   const Vector3d& out, double least) {
  Vector3d radial = frustum.across_axis(out).normalized();
  if (!radial.allFinite() || !frustum.has_side()) return std::nullopt;
  double slope_before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxNewtonSteps; ++k) {
    const Vector3d tangent = frustum.axis.cross(radial);
    const Vector3d line = frustum.side_line(radial);
    const Vector3d n = frustum.side_cosine * radial + frustum.side_sine * frustum.axis;
    const TangentExpansion at = body.expansion({-n, tangent, line});
    const Vector3d middle = frustum.center + frustum.middle_radius() * radial;
    const Vector3d between = middle - at.point;
    const double slope = tangent.dot(between);
    // By the angle about the axis.
    const double bend = frustum.middle_radius() + frustum.side_cosine * at.uu - radial.dot(between);
    if (is_level(std::abs(slope), bend, least)) {
      PlaneGuess guess;
      guess.out = n;
      guess.on_curved = at.point;
      const double along = -between.dot(line);
      guess.margin = frustum.half_slant() - std::abs(along);
      complete(guess, body, middle + along * line, std::abs(slope));
      return guess;
    }
    if (!(bend > 0.0) || !(k < 2 || std::abs(slope) < 0.5 * slope_before)) return std::nullopt;
    slope_before = std::abs(slope);
    radial = (radial - std::clamp(slope / bend, -kLongestNewtonStep, kLongestNewtonStep) * tangent).normalized();
  }
  return std::nullopt;
}

/// The rim of an end, or the apex. @param out  About out of the frustum. @param least  See edge_guess.
template <class G>
[[nodiscard]] std::optional<PlaneGuess> rim_guess(const PlacedSmooth<G>& body, const PlacedFrustum& frustum, double end,
                                                  const Vector3d& out, double least) {
  const Vector3d center = frustum.end_center(end);
  const double radius = frustum.radius(end);
  const auto far_point = [&](const Vector3d& n) {
    const Vector3d across = frustum.across_axis(n);
    const double length = across.norm();
    if (!(radius > 0.0 && length > 0.0)) return FarPoint{center};
    const Vector3d radial = across / length;
    return FarPoint{center + radius * radial, frustum.axis.cross(radial), radius / length};
  };
  return point_guess(body, far_point, out, least);
}

/// A frustum and a smooth body.
/// @param frustum_is_a  Which of the two bodies of D it is.
/// @param normal        About from a to b, unit. @param tolerance  Gap to close, metres.
/// @return              See proven().
template <class Difference, class G>
[[nodiscard]] std::optional<EpaResult> smooth_frustum_answer(const Difference& difference, const PlacedFrustum& frustum,
                                                             const PlacedSmooth<G>& body, bool frustum_is_a,
                                                             const Vector3d& normal, double tolerance) {
  constexpr int kMaxTurns = 3;  // from one feature's normal to the next
  const double least = kTouching * difference.extent();
  Vector3d about = frustum_is_a ? normal : Vector3d(-normal);
  const auto proven_guess = [&](const PlaneGuess& guess) {
    return proven(difference, body, guess, frustum_is_a, frustum.farthest(guess.out), tolerance);
  };
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    const double rise = about.dot(frustum.axis);
    const double end = frustum.end_towards(rise);
    std::optional<PlaneGuess> guess;
    if (std::abs(rise) >= kAlongAxis && frustum.radius(end) > 0.0) {
      guess = end_guess(body, frustum, end);
      if (auto answer = proven_guess(*guess)) return answer;
    }
    double rim = end;
    if (std::abs(rise - frustum.side_sine) <= kAlongSide) {
      guess = side_guess(body, frustum, about, least);
      if (guess) {
        if (auto answer = proven_guess(*guess)) return answer;
        rim = (guess->on_other - frustum.center).dot(frustum.axis) < 0.0 ? -1.0 : 1.0;
      }
    }
    guess = rim_guess(body, frustum, rim, about, least);
    if (!guess || !(guess->out.dot(about) >= kLargestTurn)) return std::nullopt;
    if (auto answer = proven_guess(*guess)) return answer;
    about = guess->out;
  }
  return std::nullopt;
}

/// What features are known of, but smooth: a polytope, a cylinder or a cone.
template <class G>
inline constexpr bool kHasFlats = (kIsPolytope<G> || kIsFrustum<G>)&&!SmoothGeometry<G>;

/// For separate_cores: a polytope or a frustum and a smooth body that is twice differentiable, in either order.
/// Compiled apart from the solvers' loops, which are the same for all of them.
class SmoothFeatures {
 public:
  static constexpr bool kExist = true;

  /// Both outlive it.
  template <class A, class B>
  SmoothFeatures(const A& a, const B& b)
      : a_(&a), b_(&b), inner_radius_(core_inner_radius(a) + core_inner_radius(b)), answer_(&answer_of<A, B>) {
    static_assert((kHasFlats<A> && SmoothGeometry<B>) || (SmoothGeometry<A> && kHasFlats<B>));
  }

  [[nodiscard]] std::optional<EpaResult> answer(const AnyDifference& difference, const Vector3d& normal,
                                                const CornerVertices& corners, double tolerance) const {
    return answer_(a_, b_, difference, normal, corners, tolerance);
  }
  /// Of a ball about the centre of D that lies in it, metres.
  [[nodiscard]] double inner_radius() const { return inner_radius_; }

 private:
  template <class A, class B>
  static std::optional<EpaResult> answer_of(const void* any_a, const void* any_b, const AnyDifference& difference,
                                            const Vector3d& normal, const CornerVertices& corners, double tolerance) {
    const A& a = *static_cast<const A*>(any_a);
    const B& b = *static_cast<const B*>(any_b);
    const Pose& a_from_b = difference.a_from_b();
    const Pose here;
    if constexpr (kIsFrustum<A>) {
      return smooth_frustum_answer(difference, PlacedFrustum(a, here), PlacedSmooth<B>{b, a_from_b},
                                   /*frustum_is_a=*/true, normal, tolerance);
    } else if constexpr (kIsFrustum<B>) {
      return smooth_frustum_answer(difference, PlacedFrustum(b, a_from_b), PlacedSmooth<A>{a, here},
                                   /*frustum_is_a=*/false, normal, tolerance);
    } else if constexpr (kHasFlats<A>) {
      return polytope_answer(difference, PlacedPolytope<A, true>{a, a_from_b}, PlacedSmooth<B>{b, a_from_b}, normal,
                             corners, tolerance);
    } else {
      return polytope_answer(difference, PlacedPolytope<B, false>{b, a_from_b}, PlacedSmooth<A>{a, here}, normal,
                             corners, tolerance);
    }
  }

  const void* a_;
  const void* b_;
  double inner_radius_;
  std::optional<EpaResult> (*answer_)(const void* a, const void* b, const AnyDifference& difference,
                                      const Vector3d& normal, const CornerVertices& corners, double tolerance);
};

}  // namespace abut::detail
