// Support face: what a convex core looks like around a witness point, to first order: along which directions the point
// may slide at a fixed normal, and how it moves when the normal turns.
//
// With n the outward normal and p the point, a core's pairs of small changes (δp, δn) are δp = H δn + a slide along the
// free directions, and δn across these. A curved surface has no free direction and H = ∇²h, h the support function; a
// vertex has H = 0; an edge or the ruling of a cylinder has one free direction; a face has two.
#pragma once

#include <abut/core/pose.h>
#include <abut/narrowphase/part.h>

#include <Eigen/Core>

#include <array>
#include <limits>

namespace abut::detail {

struct SupportFace {
  Vector3d point = Vector3d::Zero();  ///< The witness point, moved onto the feature.
  /// Unit, orthogonal to each other and to the normal up to the tolerance. The first `free_count` can be slid along
  /// both ways; of the others, up to `level_count`, the point lies at an end.
  std::array<Vector3d, 2> along = {Vector3d::Zero(), Vector3d::Zero()};
  int free_count = 0;
  int level_count = 0;
  bool is_curved = false;               ///< H is not zero.
  Matrix3d hessian = Matrix3d::Zero();  ///< H, metres: symmetric, zero along the normal and the free directions.
  double room = std::numeric_limits<double>::infinity();  ///< How far the point may slide, metres.
  /// By what angle the normal may turn, about, before the point leaves the feature; radians. Below zero: it should
  /// have.
  double turn = std::numeric_limits<double>::infinity();

  void add_free(const Vector3d& direction, double room_along) {
    if (free_count < 2) {
      along[1] = along[0];  // free ones first
      along[0] = direction;
      ++free_count;
      level_count = level_count < 2 ? level_count + 1 : 2;
    }
    room = room_along < room ? room_along : room;
  }
  void add_level(const Vector3d& direction) {
    if (level_count < 2) along[static_cast<std::size_t>(level_count++)] = direction;
  }
  /// H v
  [[nodiscard]] Vector3d bend(const Vector3d& v) const { return is_curved ? Vector3d(hessian * v) : Vector3d::Zero(); }
  void set_hessian(const Matrix3d& h) {
    hessian = h;
    is_curved = true;
  }
  void limit_turn(double angle) { turn = angle < turn ? angle : turn; }
};

/// What counts as level, and as an end.
struct FaceTolerance {
  double slope = 0.0;  ///< Radians: a feature that rises by less may hold the point.
  double point = 0.0;  ///< Metres: a point nearer to an end than this is there.
  double level = 0.0;  ///< Radians, <= slope: what is level in spite of the point being at its end.
};

/// @param part       Convex or a half-space.
/// @param outward    Unit, out of the part, frame of the part.
/// @param point      The witness point on the core, frame of the part.
/// @return Frame of the part.
[[nodiscard]] SupportFace find_support_face(const Part& part, const Vector3d& outward, const Vector3d& point,
                                            const FaceTolerance& tolerance);

/// The same in the world, `outward` and `point` too.
[[nodiscard]] SupportFace find_support_face(const Part& part, const Pose& world_from_part, const Vector3d& outward,
                                            const Vector3d& point, const FaceTolerance& tolerance);

}  // namespace abut::detail
