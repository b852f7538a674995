// The features of two convex parts that make contact, at the exact optimum near a solver's answer, and what follows
// from them to first order.
//
// With n the normal, p_A and p_B the points of the cores, H_A, H_B and the free directions as in support_face.h, a
// motion (τ, ω) of a body moves its point at a fixed normal by
//     M (τ, ω) = τ + ω × (p - o) - H (ω × m),    m the body's outward normal, o its origin,
// and turns its free directions s, so that s·δn = s·(ω × n). NormalResponse says how the normal and the slides answer.
// By the envelope theorem the distance changes by n·(τ + ω × (p - o)), with the sign of the side.
#pragma once

#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/part.h>
#include <abut/narrowphase/sensitivity/normal_response.h>
#include <abut/narrowphase/sensitivity/support_face.h>

#include <array>
#include <cstdint>

namespace abut::detail {

/// Refers to parts and poses that outlive it.
class ActiveContact {
 public:
  /// Where the search for the exact optimum ends.
  enum class Accuracy : std::uint8_t {
    settled,   ///< Far within what a derivative feels.
    rounding,  ///< The steps grow no smaller.
  };

  /// @param a, b        Convex, or one of them a half-space. @param separation  Of the two, world frame.
  ActiveContact(const Part& a, const Pose& world_from_a, const Part& b, const Pose& world_from_b,
                const Separation& separation, Accuracy accuracy);

  /// @param origin_a, origin_b  World: what the rotations of the bodies turn about.
  void write_derivatives(const Vector3d& origin_a, const Vector3d& origin_b, SeparationDerivatives& result) const;

  /// The optimum has been reached: the normal and the points satisfy the first-order conditions up to rounding, belong
  /// to the surfaces, and are as far apart as the solver found, up to its error.
  [[nodiscard]] bool is_settled() const { return is_settled_; }
  /// World frame; the points on the surfaces.
  [[nodiscard]] const Vector3d& normal() const { return normal_; }
  [[nodiscard]] Vector3d point_a() const { return a_.face.point + a_.radius * normal_; }
  [[nodiscard]] Vector3d point_b() const { return b_.face.point - b_.radius * normal_; }
  [[nodiscard]] double distance() const { return gap_ - a_.radius - b_.radius; }

 private:
  // One side of the contact.
  struct Body {
    const Part& part;
    const Pose& world_from_part;
    double radius;
    double extent;   // of the core, metres
    Vector3d point;  // of the core, world
    SupportFace face;
  };

  struct Effect;

  static void measure(Body& body);
  void find_faces();
  void approach_optimum(const Separation& separation, Accuracy accuracy);
  // @param accuracy  What the steps leave of a distance, as a fraction of the sizes.
  [[nodiscard]] bool is_answer(const Separation& separation, double accuracy) const;
  // Of the cores along a unit vector from a to b, metres; of a half-space its plane's.
  [[nodiscard]] double gap_along(const Vector3d& normal) const;
  [[nodiscard]] Effect effect_of(const ContactAnswer& answer) const;
  void write_by_pose(const std::array<Effect, 4>& effects, const Vector3d& origin, double side,
                     PoseDerivatives& result) const;

  Body a_;
  Body b_;
  Vector3d normal_;
  bool is_converged_;
  bool is_settled_ = false;
  double size_ = 0.0;
  FaceTolerance tolerance_;
  double gap_ = 0.0;
  NormalResponse response_;
};

}  // namespace abut::detail
