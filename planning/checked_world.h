// A checked robot among obstacles, and what a thread remembers of its questions.
#pragma once

#include <abut/narrowphase/separation.h>
#include <abut/planning/checked_robot.h>
#include <abut/planning/lanes/lane_kernels.h>
#include <abut/planning/motion_bound.h>
#include <abut/planning/validity_checker.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace abut::detail {

/// An obstacle in the frame of the robot's root link.
struct PlacedObstacle {
  std::string name;
  Shape shape;
  Pose root_from_obstacle;
};

struct CheckedWorld {
  CheckedWorld(std::shared_ptr<const CheckedRobot> checked_robot, std::vector<Obstacle> given);

  [[nodiscard]] std::size_t obstacle_count() const { return obstacles.size(); }
  /// Numbers the pairs for PairCaches: pieces with obstacles, then pairs of pieces.
  [[nodiscard]] std::size_t obstacle_pair(std::size_t piece, std::size_t obstacle) const {
    return piece * obstacles.size() + obstacle;
  }
  [[nodiscard]] std::size_t piece_pair(std::size_t pair) const {
    return robot->pieces.size() * obstacles.size() + pair;
  }
  [[nodiscard]] std::size_t pair_count() const { return piece_pair(robot->pairs.size()); }

  /// Whether a piece is tested against an obstacle: it moves, may come near, and the pair is not allowed to collide.
  [[nodiscard]] bool is_wanted(std::size_t piece, std::size_t obstacle) const {
    const std::size_t place = place_of[obstacle];
    return ((wanted[piece * blocks.size() + place / kLanes] >> (place % kLanes)) & 1U) != 0;
  }

  std::shared_ptr<const CheckedRobot> robot;
  std::vector<Obstacle> given;
  std::vector<PlacedObstacle> obstacles;
  std::vector<ObstacleBlock> blocks;
  std::vector<Obb> obstacle_boxes;         ///< Root frame; infinite half extents of those without bounds.
  std::vector<std::uint32_t> obstacle_at;  ///< By place (block and lane); of empty lanes no obstacle's.
  std::vector<std::uint32_t> place_of;     ///< By obstacle.
  std::vector<std::uint8_t> wanted;        ///< A byte a piece and block: a bit a lane.
  std::vector<CheckedPieces>
      moving_pairs;                    ///< All that a configuration may change: of each obstacle, then of the robot.
  std::vector<StillPair> still_pairs;  ///< The others, those of the robot too.
  std::optional<CheckedPieces> still_contact;  ///< A pair of those that collides, wherever the robot is.
};

/// Balls of a piece somewhere: room for them, and whether they are up to date.
struct PlacedBalls {
  std::vector<float> center[3];
  std::uint64_t made_for = 0;  ///< The number of the question.
};

/// A part of CheckerState::lane_near.
struct NearPlaces {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A pair that the eight states of a motion leave open, and between which of them: a bit a stretch.
struct OpenStretches {
  CheckedPieces pair;
  unsigned stretches;
};

/// A part of a motion that a pair is not proven clear on, by fractions of the motion.
struct OpenWay {
  CheckedPieces pair;
  double lo;
  double hi;
};

struct CheckerState {
  explicit CheckerState(std::shared_ptr<const CheckedWorld> checked_world);

  std::shared_ptr<const CheckedWorld> world;
  const LaneKernels& kernels = lane_kernels();
  std::uint64_t question = 0;
  std::vector<Pose> frames;                   ///< root_from_frame
  std::vector<PairCache> caches;              ///< By CheckedWorld's numbering.
  std::vector<std::array<float, 3>> centers;  ///< Of the balls that hold whole pieces.
  std::vector<std::uint32_t> near;            ///< Places of obstacles, of the piece at hand.
  std::vector<PlacedBalls> placed;            ///< A piece.
  std::vector<CheckedPieces> open;
  std::vector<std::pair<double, CheckedPieces>> bounds;  ///< Of distances, from below.
  std::vector<double> work;                              ///< The configuration at hand.

  // Of eight configurations side by side.
  std::vector<double> lane_values;  ///< Of the variables: eight of the first, then of the next.
  std::vector<LanePose> lane_poses;
  std::vector<LaneCenter> lane_centers;    ///< Of the balls that hold whole pieces.
  std::vector<NearInLanes> lane_near;      ///< What those balls leave open; on motions, of the piece at hand.
  std::vector<NearPlaces> lane_obstacles;  ///< A piece: its obstacles among those, by their places.
  NearPlaces lane_tables;                  ///< Indices into CheckedRobot::tabled_pairs.
  NearPlaces lane_pairs;                   ///< Indices into CheckedRobot::free_pairs.

  // Of motions.
  std::vector<double> change;  ///< From the start to the end, one a variable.
  MotionBound bound;
  LanePose relative_pose;       ///< Of the pair of pieces at hand.
  std::vector<LanePath> paths;  ///< Of the balls of the piece at hand.
  std::vector<OpenStretches> stretches;
  std::vector<OpenWay> left;  ///< What a first look at them leaves.
  double frames_at = 0.0;     ///< Where on the motion the frames are, if they belong to this question.
  std::uint64_t frames_question = 0;
};

}  // namespace abut::detail
