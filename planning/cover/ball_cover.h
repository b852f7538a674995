// Balls that bound a piece of geometry from outside and from inside.
//
// Outside, by construction: a convex region that contains the piece is divided into convex cells, and each ball holds
// the corners of its cell, hence the cell; together they hold the region. The division is improved as Lloyd's iteration
// improves k-means: the cells are those of the power diagram of the balls, the new balls the smallest ones of the
// cells. Inside, by distance: a ball about a point of the piece is no larger than the point is deep in it.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <cstddef>
#include <span>
#include <vector>

namespace abut::detail {

struct CoverBall {
  Vector3d center = Vector3d::Zero();  ///< Body frame, metres.
  double outer = 0.0;                  ///< The balls of this radius cover the piece.
  double inner = 0.0;                  ///< The ball of this radius lies inside the piece; 0: no such ball is known.
};

/// What a piece is covered by.
struct BallCover {
  CoverBall whole;               ///< One ball for all of it.
  std::vector<CoverBall> parts;  ///< Several; of a ball, itself.
};

/// @param shape  Bounded. A mesh, a height field or a compound has no inner balls.
/// @param count  Parts at most, >= 1.
[[nodiscard]] BallCover ball_cover(const Shape& shape, std::size_t count);

/// The smallest ball that contains points, to a few percent of its radius; always contains them.
/// @param points  At least one.
[[nodiscard]] CoverBall enclosing_ball(std::span<const Vector3d> points);

}  // namespace abut::detail
