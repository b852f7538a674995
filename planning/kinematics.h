// Forward kinematics made for speed: a robot whose joints are reduced to turns and slides of frames, with everything
// that does not move folded into constants.
#pragma once

#include <abut/core/infinity.h>
#include <abut/core/pose.h>
#include <abut/planning/lanes/lane_kernels.h>
#include <abut/planning/robot_model.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// A frame that one variable moves against its parent, along or about its own z axis:
/// parent_from_frame = parent_from_joint · Rz(value) or parent_from_joint · Tz(value),
/// value = multiplier * configuration[variable] + offset.
struct MovingFrame {
  std::uint32_t parent = 0;
  std::uint32_t variable = 0;
  bool slides = false;
  double multiplier = 1.0;
  double offset = 0.0;
  Pose parent_from_joint;
};

/// Where a link is: rigidly in a frame.
struct LinkPlace {
  std::uint32_t frame = 0;
  Pose frame_from_link;
};

/// Frame 0 is the root and does not move; the others follow their parents. Joints that are fixed, and those whose
/// variables stay, have no frame.
class Kinematics {
 public:
  /// @param variables        Indices into robot.variables(): what a configuration gives, in its order.
  /// @param values           One for each of robot.variables(); those of `variables` mean nothing.
  Kinematics(const RobotModel& robot, std::span<const std::size_t> variables, std::span<const double> values);

  /// Numbers in a configuration.
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] std::size_t frame_count() const { return frames_.size(); }
  /// The first is the root; its parent and variable mean nothing.
  [[nodiscard]] std::span<const MovingFrame> frames() const { return frames_; }
  [[nodiscard]] const LinkPlace& place(std::size_t link) const { return places_[link]; }

  /// The last frame that carries both.
  [[nodiscard]] std::uint32_t common_frame(std::uint32_t a, std::uint32_t b) const;

  /// @param configuration    dimension() finite numbers.
  /// @param root_from_frame  Written: frame_count() poses.
  void poses(std::span<const double> configuration, std::span<Pose> root_from_frame) const;
  /// The same of the frames between one and another that carries it alone, both included.
  /// @param carrier_from_frame  Those are written, of frame_count() poses.
  void poses_between(std::uint32_t carrier, std::uint32_t frame, std::span<const double> configuration,
                     std::span<Pose> carrier_from_frame) const;
  /// Whether the fast tier can take a configuration: its turns are within kMaxLaneAngle.
  [[nodiscard]] bool in_range(std::span<const double> configuration) const;

 private:
  std::size_t dimension_;
  double largest_ = kInfinity;  // of the variables, so that no value of a frame is above kMaxLaneAngle
  std::vector<MovingFrame> frames_;
  std::vector<FrameMotion> motions_;  // the same, for the kernels
  std::vector<LinkPlace> places_;
};

}  // namespace abut::detail
