// The arithmetic of the fast tier, eight lanes at a time: obstacles, balls or states of a motion side by side. Plain
// data in floats; whoever makes it leaves room for the rounding of everything that is done with it here.
#pragma once

#include <abut/core/simd_trigonometry.h>

#include <cstddef>
#include <cstdint>

namespace abut::detail {

inline constexpr std::size_t kLanes = 8;

/// What an obstacle looks like to a ball: the set of points within a distance of a solid box or cylinder, or of a
/// half-space, all exactly. Upright ones have the root's z for their third axis.
enum class ObstacleKind : std::uint8_t { box, upright_box, cylinder, upright_cylinder, half_space };

/// Eight obstacles of a kind, structure of arrays. Lanes that hold none are clear of everything.
struct alignas(32) ObstacleBlock {
  float axes[9]
            [kLanes];  ///< axes[3 i + k]: component k, root frame, of the unit axis i. A half-space: i = 0, outwards.
  float origin[3][kLanes];  ///< Root frame, metres: the centre, or a point of the plane.
  float half[3][kLanes];    ///< Half extents, metres; of a cylinder along its third axis: radius, 0, half length.
  /// A ball of radius R is proven clear where it is farther than R + outside from the solid, and proven to collide
  /// where it is nearer than R + inside; metres, minus infinity where nothing is to be proven.
  float outside[kLanes];
  float inside[kLanes];
  ObstacleKind kind;
};

/// Balls, structure of arrays, as many as whole lanes. Lanes that hold none have radii of minus infinity.
struct BallSet {
  const float* center[3];
  const float* outer;
  const float* inner;
  std::size_t lanes;  ///< Numbers in each array, a multiple of kLanes.
};

enum class LaneVerdict : std::uint8_t {
  clear,  ///< Proven apart.
  unknown,
  collides,  ///< Proven to collide.
};

/// A frame that moves, as MovingFrame has it.
struct LaneFrame {
  float rotation[9];  ///< Of parent_from_joint, row by row.
  float translation[3];
  double multiplier;
  double offset;
  std::uint32_t parent;
  std::uint32_t variable;
  bool slides;
};

/// The same in doubles: parent_from_joint as four columns, the axes and the origin, each followed by a zero.
struct alignas(32) FrameMotion {
  double columns[16];
  double multiplier;
  double offset;
  std::uint32_t parent;
  std::uint32_t variable;
  bool slides;
};

/// Numbers that a placed frame takes: the columns of its rotation, then its translation.
inline constexpr std::size_t kPlacedFrame = 12;
/// Numbers after the last placed frame that are written as well.
inline constexpr std::size_t kPlacedFramePadding = 1;

/// A frame in eight states.
struct alignas(32) LanePose {
  float rotation[9][kLanes];  ///< Row by row.
  float translation[3][kLanes];
};

/// The centre of a ball in eight states.
struct alignas(32) LaneCenter {
  float at[3][kLanes];
};

/// A ball on its way through eight states, and what it stays in between one and the next.
struct alignas(32) LanePath {
  float center[3][kLanes];  ///< In the states.
  float middle[3][kLanes];  ///< Between state i and state i + 1 the centre stays within reach[i] of middle[i]; the last
  float reach[kLanes];      ///< lane is state 7 once more.
};

/// Two balls that hold whole pieces.
struct PairOfBalls {
  std::uint32_t a = 0;  ///< Of the pieces.
  std::uint32_t b = 0;
  std::uint32_t pair = 0;  ///< Number of the pair of pieces.
  float radii = 0.0F;      ///< Their sum, metres.
};

/// What is not proven clear in eight states: an obstacle by its place (eight times the block, and the lane), or a pair
/// of balls by its index; and in which lanes, a bit each. On a path bit i means the stretch from state i to the next.
struct NearInLanes {
  std::uint32_t which;
  std::uint32_t lanes;
};

/// Largest value of a turn that LaneKernels::poses takes, radians.
inline constexpr double kMaxLaneAngle = SimdTrigonometry<>::kMaxAngle;

struct LaneKernels {
  const char* name;

  /// Which obstacles a ball is not proven clear of.
  /// @param wanted  A byte a block: a bit a lane that is looked at. @param near  Written, with room for 8 count:
  /// places.
  /// @return How many there are.
  std::size_t (*obstacles_near)(const ObstacleBlock* blocks, std::size_t count, const std::uint8_t* wanted,
                                const float* center, float outer, std::uint32_t* near);

  /// All balls, of one piece of geometry, against one obstacle.
  LaneVerdict (*balls_against_obstacle)(const BallSet& balls, const ObstacleBlock& block, std::size_t lane);

  /// The balls of one piece against those of another.
  /// @param center, outer  A ball that holds all of the first piece.
  LaneVerdict (*balls_against_balls)(const BallSet& a, const float* center, float outer, const BallSet& b);

  /// Balls moved to another frame.
  /// @param pose  Rotation row by row, then the translation.
  void (*place_balls)(const float* pose, const BallSet& balls, float* const* center);

  /// The frames of one configuration.
  /// @param count  Of frames, the root's among them. @param placed  Written: kPlacedFrame numbers a frame, and
  ///               kPlacedFramePadding more.
  void (*place_frames)(const FrameMotion* frames, std::size_t count, const double* configuration, double* placed);

  /// The frames in eight configurations, whose turns stay within kMaxLaneAngle.
  /// @param count   Of frames; poses[0] is the root's and is written too.
  /// @param values  Of the variables: eight of the first, then of the next.
  void (*poses)(const LaneFrame* frames, std::size_t count, const double* values, LanePose* poses);

  /// Balls that a frame carries.
  void (*centers)(const LanePose& pose, const BallSet& balls, std::size_t count, LaneCenter* centers);

  /// Paths of balls that a frame carries.
  /// @param sag  How far a centre may come from the straight line between one state and the next, metres.
  void (*paths)(const LanePose& pose, const BallSet& balls, std::size_t count, float sag, LanePath* paths);

  /// In which states a ball is not proven clear of obstacles.
  /// @param wanted  As above. @param near  Written, with room for 8 count. @return How many there are.
  std::size_t (*states_near_obstacles)(const ObstacleBlock* blocks, std::size_t count, const std::uint8_t* wanted,
                                       const LaneCenter& center, float outer, NearInLanes* near);

  /// In which states pairs of balls are not proven apart.
  /// @param centers  By piece. @param near  Written, with room for all pairs. @return How many there are.
  std::size_t (*states_near_each_other)(const PairOfBalls* pairs, std::size_t count, const LaneCenter* centers,
                                        NearInLanes* near);

  /// Between which states a path is not proven clear of obstacles.
  /// @param wanted  As above. @param near  Written, with room for 8 count. @return How many there are.
  std::size_t (*path_near_obstacles)(const ObstacleBlock* blocks, std::size_t count, const std::uint8_t* wanted,
                                     const LanePath& path, float outer, NearInLanes* near);

  /// The same for the paths of all balls of a piece and one obstacle. @param hits  Or-ed with the states that are
  /// proven to collide.
  unsigned (*paths_near_obstacle)(const LanePath* paths, const float* outer, const float* inner, std::size_t count,
                                  const ObstacleBlock& block, std::size_t lane, unsigned wanted, unsigned* hits);

  /// One frame seen from another, in eight states.
  void (*relative_pose)(const LanePose& from, const LanePose& of, LanePose* pose);

  /// As paths_near_obstacle, for paths seen from the frame of balls that do not move in it.
  unsigned (*paths_near_balls)(const LanePath* paths, const float* outer, const float* inner, std::size_t count,
                               const BallSet& balls, std::size_t ball_count, unsigned wanted, unsigned* hits);
};

/// The fastest of those that this processor can run.
[[nodiscard]] const LaneKernels& lane_kernels();
/// All of them, for tests; the first is the plain one.
[[nodiscard]] std::size_t runnable_lane_kernels(const LaneKernels** kernels, std::size_t room);

}  // namespace abut::detail
