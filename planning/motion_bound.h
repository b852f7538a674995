// How fast the pieces of a robot move while a configuration goes straight from one to another, and how much their ways
// bend.
//
// A point in frame f is a sum of segments, each rigid in a frame of the chain; the direction of a segment that is rigid
// in frame k turns by a product of rotations whose rates are those of the joints up to k. The second derivative of such
// a product is at most the square of the sum of the rates, so a point bends by no more than the sum of the lengths of
// the segments, each times the square of the sum of the rates up to it; a slide adds twice its own rate times that sum.
#pragma once

#include <abut/planning/checked_robot.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace abut::detail {

/// How far a piece reaches along a direction n while it moves: after the fraction tau of the way no point of it is
/// beyond the largest (n + tau turn) · p over its points p now, plus tau shift, plus half tau squared of its bend. Each
/// such bound is convex in tau.
struct PieceReach {
  Vector3d turn = Vector3d::Zero();
  double shift = 0.0;
};

/// Motion of a piece seen from a frame that carries it, per unit of the fraction of the way.
struct PieceSpeed {
  Vector3d linear = Vector3d::Zero();   ///< Of the centre of its ball, metres, root frame.
  Vector3d angular = Vector3d::Zero();  ///< Radians.
  double bend = 0.0;                    ///< Bound on the second derivative of each of its points, metres.
};

/// The farthest that a convex shape reaches along a direction, metres.
[[nodiscard]] inline double farthest(const Shape& shape, const Pose& root_from_shape, const Vector3d& direction) {
  return direction.dot(root_from_shape * support(shape, root_from_shape.unrotate(direction)));
}

/// A plane between two convex shapes of a pair, with unit normal n from a towards b, while both move.
struct MovingPlane {
  Vector3d n;
  PieceReach reach_a;  ///< Along n.
  PieceReach reach_b;  ///< Along -n; zero for what does not move.
  double bend = 0.0;   ///< Of both.

  /// How far apart it keeps the two after a fraction tau of the way, metres; concave in tau but for rounding.
  /// @param still_b  Where b does not move: how far it reaches along -n. Otherwise b is asked.
  [[nodiscard]] double gap(double tau, const Shape& a, const Pose& root_from_a, const Shape& b, const Pose& root_from_b,
                           const double* still_b) const {
    const double of_a = farthest(a, root_from_a, n + tau * reach_a.turn) + tau * reach_a.shift;
    const double of_b =
        still_b != nullptr ? *still_b : farthest(b, root_from_b, tau * reach_b.turn - n) + tau * reach_b.shift;
    return -of_a - of_b - 0.5 * tau * tau * bend;
  }
};

class MotionBound {
 public:
  /// @param change  Of the configuration, from the start of the motion to its end.
  /// @param from    The start; null where no slide leaves its limits.
  void begin(const CheckedRobot& robot, const double* change, const double* from) {
    begin_at(/*carrier=*/0, robot, change);
    for (std::uint32_t f = 1; f < count_; ++f) add_frame(f, /*carrier=*/0, from);
  }

  /// The same for a pair's frames below the one that carries both: of no other frames may be asked, and no other
  /// variables are looked at. No slide leaves its limits.
  void begin_between(const CheckedRobot& robot, const PiecePair& pair, const double* change) {
    begin_at(pair.common, robot, change);
    add_frames(pair.common, robot.pieces[pair.a].frame);
    add_frames(pair.common, robot.pieces[pair.b].frame);
  }

  /// How far the turns carry any frame at most, metres: each by what is between it and the frame.
  [[nodiscard]] double carried() {
    carried_.resize(count_);
    carried_[0] = 0.0;
    for (std::uint32_t f = 1; f < count_; ++f) {
      const std::uint32_t parent = robot_->kinematics.frames()[f].parent;
      carried_[f] = carried_[parent] + turning_[parent] * lengths_[f];
    }
    return *std::max_element(carried_.begin(), carried_.end());
  }

  /// Bound on the second derivative of each point of a piece, seen from a frame that carries it.
  [[nodiscard]] double bend(const Piece& piece, std::uint32_t common) const {
    const double all = turning_[piece.frame] - turning_[common];
    return bend_[piece.frame * count_ + common] + piece.arm * all * all;
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

  /// @param common  The frame that it is seen from. @param n  Root frame.
  [[nodiscard]] PieceReach reach_along(const Piece& piece, std::uint32_t common, const Vector3d& n,
                                       std::span<const Pose> root_from_frame) const {
    const std::span<const MovingFrame> frames = robot_->kinematics.frames();
    PieceReach result;
    for (std::uint32_t f = piece.frame; f != common; f = frames[f].parent) {
      const Vector3d axis = rate(f) * root_from_frame[f].rotation().col(2);
      if (frames[f].slides) {
        result.shift += n.dot(axis);
      } else {
        // n · (axis × (p - o)) = (n × axis) · (p - o)
        const Vector3d turn = n.cross(axis);
        result.turn += turn;
        result.shift -= turn.dot(root_from_frame[f].translation());
      }
    }
    return result;
  }

  /// Bound on the second derivative of each point of piece b of a pair, seen from the frame of piece a.
  [[nodiscard]] double relative_bend(const PiecePair& pair) const {
    const Piece& a = robot_->pieces[pair.a];
    const Piece& b = robot_->pieces[pair.b];
    if (a.frame == pair.common) return bend(b, pair.common);
    // Down one branch and up the other; each segment with all the turning there is.
    const double turning = turning_[a.frame] + turning_[b.frame] - 2.0 * turning_[pair.common];
    double result = b.arm * turning * turning;
    for (const std::uint32_t end : {a.frame, b.frame}) {
      for (std::uint32_t f = end; f != pair.common; f = robot_->kinematics.frames()[f].parent) {
        const double slide = robot_->kinematics.frames()[f].slides ? std::abs(rate(f)) : 0.0;
        result += segment_bend(lengths_[f], slide, turning);
      }
    }
    return result;
  }

 private:
  void begin_at(std::uint32_t carrier, const CheckedRobot& robot, const double* change) {
    robot_ = &robot;
    change_ = change;
    count_ = robot.kinematics.frame_count();
    turning_.resize(count_);
    lengths_.resize(count_);
    bend_.resize(count_ * count_);
    turning_[carrier] = 0.0;
    lengths_[carrier] = 0.0;
    bend_of(carrier, carrier) = 0.0;
  }

  /// Its parent is there, up to the carrier at which it began.
  void add_frame(std::uint32_t f, std::uint32_t first_carrier, const double* from) {
    const std::span<const MovingFrame> frames = robot_->kinematics.frames();
    const std::uint32_t parent = frames[f].parent;
    const double slide = frames[f].slides ? std::abs(rate(f)) : 0.0;
    turning_[f] = turning_[parent] + (frames[f].slides ? 0.0 : std::abs(rate(f)));
    lengths_[f] = from != nullptr ? longest_segment(frames[f], from) : robot_->segment_lengths[f];
    bend_of(f, f) = 0.0;
    for (std::uint32_t carrier = parent;; carrier = frames[carrier].parent) {
      const double turning = turning_[parent] - turning_[carrier];
      bend_of(f, carrier) = bend_of(parent, carrier) + segment_bend(lengths_[f], slide, turning);
      if (carrier == first_carrier) break;
    }
  }

  /// Those from below the carrier to a frame.
  void add_frames(std::uint32_t carrier, std::uint32_t f) {
    if (f == carrier) return;
    add_frames(carrier, robot_->kinematics.frames()[f].parent);
    add_frame(f, carrier, /*from=*/nullptr);
  }

  [[nodiscard]] double rate(std::size_t f) const {
    const MovingFrame& frame = robot_->kinematics.frames()[f];
    return frame.multiplier * change_[frame.variable];
  }

  /// From a frame's parent to it, at most, anywhere on the way: a slide is longest at an end.
  [[nodiscard]] double longest_segment(const MovingFrame& frame, const double* from) const {
    const double fixed = frame.parent_from_joint.translation().norm();
    if (!frame.slides) return fixed;
    const double start = from[frame.variable];
    const double end = start + change_[frame.variable];
    return fixed +
           std::max(std::abs(frame.multiplier * start + frame.offset), std::abs(frame.multiplier * end + frame.offset));
  }

  /// Of the way from a frame's parent to it. @param slide  The rate of its slide. @param turning  Of the parent.
  static double segment_bend(double length, double slide, double turning) {
    return length * turning * turning + 2.0 * turning * slide;
  }

  double& bend_of(std::size_t frame, std::size_t from) { return bend_[frame * count_ + from]; }

  const CheckedRobot* robot_ = nullptr;
  const double* change_ = nullptr;
  std::size_t count_ = 0;        // of frames
  std::vector<double> turning_;  // a frame: sum of the rates of the turns up to it, radians
  std::vector<double> lengths_;  // from a frame's parent to it, at most, metres
  std::vector<double> bend_;     // of a frame's origin, metres, seen from each frame that carries it
  std::vector<double> carried_;  // a frame: how far the turns up to it carry it, metres
};

}  // namespace abut::detail
