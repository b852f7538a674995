// How the normal and the sliding points of a contact answer to small motions: the first-order conditions, linearised.
//
// With n the normal, d = n·(p_b - p_a) the gap of the cores and J = H_a + H_b + d I on the plane across n, a motion
// that moves the points apart by r at a fixed normal, and turns the free directions s so that s·δn = c, asks for
//     J δn + Σ s l = r,    s·δn = c,
// where l are the slides: along the free directions of a, and against those of b.
#pragma once

#include <abut/narrowphase/sensitivity/support_face.h>

#include <array>

namespace abut::detail {

/// What one unit of an input does.
struct ContactAnswer {
  Vector3d normal = Vector3d::Zero();               ///< δn
  Eigen::Vector2d slide = Eigen::Vector2d::Zero();  ///< l of direction 0 and of direction 1, as far as there are such.
};

class NormalResponse {
 public:
  NormalResponse() = default;
  /// @param normal     Unit, from a to b. @param gap  d, metres.
  /// @param b_decides  Where free directions of a and b are dependent, those of b count, not those of a: b alone turns
  ///                   the normal, as a half-space does.
  /// @param smallest   Metres: where J is smaller across the free directions, the normal is not determined.
  /// @param parallel   Radians: free directions nearer to each other than this are one.
  NormalResponse(const Vector3d& normal, double gap, const SupportFace& a, const SupportFace& b, bool b_decides,
                 double smallest, double parallel);

  /// One optimal normal only. Where it is false, J⁻¹ is that of the part where it is.
  [[nodiscard]] bool is_isolated() const { return is_isolated_; }
  /// The free directions of a and b are independent. Where they are not, points of b stay fixed that could slide.
  [[nodiscard]] bool is_independent() const { return is_independent_; }

  /// Free directions that count, of a and of b; unit, across the normal.
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool is_of_a(int i) const { return (i < of_first_) != is_b_first_; }
  [[nodiscard]] const Vector3d& direction(int i) const { return directions_[static_cast<std::size_t>(i)]; }
  /// The normal's component along the direction that was given: zero at the exact normal.
  [[nodiscard]] double tilt(int i) const { return tilts_[static_cast<std::size_t>(i)]; }

  /// Two unit vectors, orthogonal to each other and to the normal.
  [[nodiscard]] const Vector3d& tangent(int k) const { return tangents_[static_cast<std::size_t>(k)]; }
  /// To r = tangent(k).
  [[nodiscard]] const ContactAnswer& to_offset(int k) const { return to_offset_[static_cast<std::size_t>(k)]; }
  /// To c = 1 of direction i.
  [[nodiscard]] const ContactAnswer& to_turn(int i) const { return to_turn_[static_cast<std::size_t>(i)]; }

 private:
  bool is_isolated_ = true;
  bool is_independent_ = true;
  bool is_b_first_ = false;  // the first of_first_ directions are b's, the others a's; or the other way round
  int count_ = 0;
  int of_first_ = 0;
  std::array<Vector3d, 2> directions_ = {Vector3d::Zero(), Vector3d::Zero()};
  std::array<double, 2> tilts_{};
  std::array<Vector3d, 2> tangents_ = {Vector3d::Zero(), Vector3d::Zero()};
  std::array<ContactAnswer, 2> to_offset_;
  std::array<ContactAnswer, 2> to_turn_;
};

}  // namespace abut::detail
