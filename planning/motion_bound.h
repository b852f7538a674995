// How fast the pieces of a robot move while a configuration goes straight from one to another, and how much their ways
// bend.
//
// A point in frame f is a sum of segments, each rigid in a frame of the chain; the direction of a segment that is rigid
// in frame k turns by a product of rotations whose rates are those of the joints up to k. The second derivative of such
// a product is at most the square of the sum of the rates, so a point bends by no more than the sum of the lengths of
// the segments, each times the square of the sum of the rates up to it; a slide adds twice its own rate times that sum.
#pragma once

#include <abut/planning/checked_robot.h>

#include <cmath>
#include <span>
#include <vector>

namespace abut::detail {

/// Motion of a piece seen from a frame that carries it, per unit of the fraction of the way.
struct PieceSpeed {
  Vector3d linear = Vector3d::Zero();   ///< Of the centre of its ball, metres, root frame.
  Vector3d angular = Vector3d::Zero();  ///< Radians.
  double bend = 0.0;                    ///< Bound on the second derivative of each of its points, metres.
};

class MotionBound {
 public:
  /// @param change  Of the configuration, from the start of the motion to its end.
  void begin(const CheckedRobot& robot, const double* change) {
    robot_ = &robot;
    change_ = change;
    const std::span<const MovingFrame> frames = robot.kinematics.frames();
    turning_.assign(frames.size(), 0.0);
    for (std::size_t f = 1; f < frames.size(); ++f) {
      turning_[f] = turning_[frames[f].parent] + (frames[f].slides ? 0.0 : std::abs(rate(f)));
    }
  }

  /// Bound on the second derivative of each point of a piece, seen from a frame that carries it.
  [[nodiscard]] double bend(const Piece& piece, std::uint32_t common) const {
    const std::span<const MovingFrame> frames = robot_->kinematics.frames();
    const double all = turning_[piece.frame] - turning_[common];
    double result = (piece.center.norm() + piece.radius) * all * all;
    for (std::uint32_t f = piece.frame; f != common; f = frames[f].parent) {
      const double before = turning_[frames[f].parent] - turning_[common];
      const double slide = frames[f].slides ? std::abs(rate(f)) : 0.0;
      result += (frames[f].parent_from_joint.translation().norm() + robot_->slide_limits[f]) * before * before +
                2.0 * before * slide;
    }
    return result;
  }

  /// @param root_from_frame  Where the frames are.
  [[nodiscard]] PieceSpeed speed(const Piece& piece, std::uint32_t common,
                                 std::span<const Pose> root_from_frame) const {
    const std::span<const MovingFrame> frames = robot_->kinematics.frames();
    const Vector3d center = root_from_frame[piece.frame] * piece.center;
    PieceSpeed result;
    for (std::uint32_t f = piece.frame; f != common; f = frames[f].parent) {
      const Vector3d axis = rate(f) * root_from_frame[f].rotation().col(2);
      if (frames[f].slides) {
        result.linear += axis;
      } else {
        result.linear += axis.cross(center - root_from_frame[f].translation());
        result.angular += axis;
      }
    }
    result.bend = bend(piece, common);
    return result;
  }

  /// Bound on the change of the distance of a pair per unit of the way, metres, wherever the robot is.
  [[nodiscard]] double pair_rate(const PiecePair& pair) const {
    double result = 0.0;
    for (std::size_t v = 0; v < pair.rates.size(); ++v) result += pair.rates[v] * std::abs(change_[v]);
    return result;
  }

 private:
  [[nodiscard]] double rate(std::size_t f) const {
    const MovingFrame& frame = robot_->kinematics.frames()[f];
    return frame.multiplier * change_[frame.variable];
  }

  const CheckedRobot* robot_ = nullptr;
  const double* change_ = nullptr;
  std::vector<double> turning_;  // a frame: sum of the rates of the turns up to it, radians
};

}  // namespace abut::detail
