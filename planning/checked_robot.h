// A robot made ready for checking: its geometry in pieces, each rigid in a frame and bounded by balls, and the pairs of
// pieces that are tested. Everything that does not depend on the obstacles.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/planning/cover/ball_cover.h>
#include <abut/planning/kinematics.h>
#include <abut/planning/lanes/lane_kernels.h>
#include <abut/planning/pair_table.h>
#include <abut/planning/robot_model.h>
#include <abut/planning/validity_checker.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace abut::detail {

/// Robots that reach farther, and obstacles that are larger or farther from the root, are left to the exact tier,
/// metres: up to here squares are far from the largest float.
inline constexpr double kLargestFastLength = 1e15;

/// Balls of a piece in its frame, structure of arrays; `outer` and `inner` have room for rounding.
struct PieceBalls {
  std::vector<float> center[3];
  std::vector<float> outer;
  std::vector<float> inner;
  std::size_t count = 0;  ///< Without those that fill the last lanes.

  PieceBalls() = default;
  /// @param frame_from_shape  Of the balls. @param slack  Metres.
  PieceBalls(const std::vector<CoverBall>& balls, const Pose& frame_from_shape, double slack);
  [[nodiscard]] BallSet view() const {
    return {{center[0].data(), center[1].data(), center[2].data()}, outer.data(), inner.data(), outer.size()};
  }
};

/// A piece of the geometry of a link or an attached body.
struct Piece {
  explicit Piece(Shape given) : shape(std::move(given)) {}

  std::uint32_t body = 0;  ///< Index into CheckedRobot::body_names.
  std::uint32_t frame = 0;
  std::uint32_t number = 0;  ///< The place among the pieces of all links, then of the attached bodies, as they come.
  Shape shape;
  Pose frame_from_shape;
  BallCover cover;                     ///< Frame of the shape.
  PieceBalls balls;                    ///< The parts.
  PieceBalls whole;                    ///< The one ball.
  Vector3d center = Vector3d::Zero();  ///< Of that ball, in the piece's frame.
  double radius = 0.0;
  double arm = 0.0;  ///< No point of the piece is farther from the frame's origin, metres.
};

/// Two pieces that move against each other.
struct PiecePair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t common = 0;  ///< The last frame that carries both.
  std::int32_t table = -1;   ///< Index into CheckedRobot::tables, or -1.
};

/// A pair of pieces, or of a piece and an obstacle.
struct CheckedPieces {
  std::uint32_t a = 0;     ///< A piece.
  std::uint32_t b = 0;     ///< A piece, or an obstacle.
  std::uint32_t pair = 0;  ///< Of pieces that move against each other: index into CheckedRobot::pairs.
  bool is_obstacle = false;
};

/// A pair that does not move, and its answer for good.
struct StillPair {
  CheckedPieces pair;
  Separation separation;  ///< Frame of the root; of two pieces the frame that carries both.
};

/// Whether two bodies touch, as far as can be told.
[[nodiscard]] inline bool is_contact(const Separation& separation) {
  return separation.distance - separation.distance_error <= 0.0;
}

/// A joint whose value a variable of a configuration sets by mimicry: multiplier * value + offset.
struct Follower {
  std::size_t variable = 0;  ///< Of the configuration.
  std::size_t joint = 0;     ///< Index into CheckedRobot::robot.joints().
  double multiplier = 1.0;
  double offset = 0.0;
};

/// @throws InvalidInput  naming the field, where a value is not finite or beyond ValidityChecker::kLargestValue.
void require_value(std::string_view field, double value);
/// The same for what a mimic joint makes of the value in that field.
void require_followed(std::string_view field, double value, const std::string& joint, double multiplier, double offset);

struct CheckedRobot {
  CheckedRobot(const RobotModel& model, const ValidityOptions& given, const std::vector<AttachedBody>& carried,
               const CheckedRobot* known = nullptr);
  /// The same robot with other attached bodies; the balls and tables of its links are taken over.
  CheckedRobot(const CheckedRobot& other, const std::vector<AttachedBody>& carried)
      : CheckedRobot(other.robot, other.options, carried, &other) {}

  /// Whether a pair of bodies, by names, is left out by ValidityOptions::allowed_collisions.
  [[nodiscard]] bool is_allowed(std::string_view a, std::string_view b) const;
  /// Whether a configuration stays within what the fast tier has room for.
  [[nodiscard]] bool in_range(const double* configuration) const;

  RobotModel robot;
  ValidityOptions options;
  std::vector<AttachedBody> attached;
  std::vector<std::size_t> variables;  ///< Indices into robot.variables().
  std::vector<Follower> followers;
  Kinematics kinematics;
  std::vector<std::string> body_names;  ///< Links in the robot's order, then the attached bodies.
  std::vector<Piece> pieces;            ///< By frame.
  std::uint32_t link_pieces = 0;        ///< Those of links, which have the numbers below this.
  std::vector<PiecePair> pairs;
  std::vector<std::shared_ptr<const PairTable>> tables;
  std::vector<StillPair> still_pairs;  ///< Within a frame.

  // For the fast tier.
  bool is_fast = false;                   ///< It is wanted, and the robot is not too large for it.
  std::vector<PairOfBalls> tabled_pairs;  ///< Those of the pairs that have a table; their numbers are indices.
  std::vector<PairOfBalls> free_pairs;    ///< The others.
  std::vector<std::uint32_t> slides;      ///< Frames that slide.
  std::vector<LaneFrame> lane_frames;
  std::vector<double> slide_limits;     ///< One a frame, metres; 0 for those that turn.
  std::vector<double> segment_lengths;  ///< From a frame's parent to it, at most, metres.
  std::vector<double> frame_reach;      ///< No frame's origin is farther from the root's, metres.
  double reach = 0.0;                   ///< No point of a piece is farther from the root's origin.
  double slack = 0.0;                   ///< Bound on the rounding of a ball's place, metres.
};

}  // namespace abut::detail
