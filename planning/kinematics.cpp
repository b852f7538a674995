#include <abut/planning/kinematics.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace abut::detail {
namespace {

/// A rotation that takes the z axis to a unit axis.
Matrix3d axes_about(const Vector3d& axis) {
  const PlanarAxes across = planar_axes(axis);
  Matrix3d rotation;
  rotation << across.x, across.y, axis;
  return rotation;
}

/// Builds frames joint by joint; `place` is where the joint's frame is, and becomes where the child link is.
class FrameBuilder {
 public:
  FrameBuilder(std::span<const std::size_t> variables, std::span<const double> values, std::vector<MovingFrame>& frames)
      : variables_(variables), values_(values), frames_(frames) {}

  /// @param variable  Of the robot; value = multiplier * variable + offset.
  void turn(LinkPlace& place, const Vector3d& axis, std::size_t variable, const JointMimic& scale) {
    move(place, axis, variable, scale, /*slides=*/false);
  }
  void slide(LinkPlace& place, const Vector3d& axis, std::size_t variable, const JointMimic& scale) {
    move(place, axis, variable, scale, /*slides=*/true);
  }

 private:
  void move(LinkPlace& place, const Vector3d& axis, std::size_t variable, const JointMimic& scale, bool slides) {
    const auto found = std::find(variables_.begin(), variables_.end(), variable);
    if (found == variables_.end()) {
      const double value = scale.multiplier * values_[variable] + scale.offset;
      const Pose motion =
          slides ? Pose(value * axis) : Pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(value, axis)));
      place.frame_from_link = place.frame_from_link * motion;
      return;
    }
    const Pose joint_from_axes = Pose::unchecked(Vector3d::Zero(), axes_about(axis));
    MovingFrame frame;
    frame.parent = place.frame;
    frame.variable = static_cast<std::uint32_t>(found - variables_.begin());
    frame.slides = slides;
    frame.multiplier = scale.multiplier;
    frame.offset = scale.offset;
    frame.parent_from_joint = place.frame_from_link * joint_from_axes;
    place = {static_cast<std::uint32_t>(frames_.size()), joint_from_axes.inverse()};
    frames_.push_back(frame);
  }

  std::span<const std::size_t> variables_;
  std::span<const double> values_;
  std::vector<MovingFrame>& frames_;
};

FrameMotion motion_of(const MovingFrame& frame) {
  FrameMotion motion{};
  for (Eigen::Index k = 0; k < 4; ++k) {
    const Vector3d column = k < 3 ? frame.parent_from_joint.rotation().col(k) : frame.parent_from_joint.translation();
    std::copy_n(column.data(), 3, motion.columns + 4 * k);
  }
  motion.multiplier = frame.multiplier;
  motion.offset = frame.offset;
  motion.parent = frame.parent;
  motion.variable = frame.variable;
  motion.slides = frame.slides;
  return motion;
}

void place_child(const RobotJoint& joint, std::optional<std::size_t> first_variable, FrameBuilder& builder,
                 LinkPlace& place) {
  const JointMimic scale = joint.mimic.value_or(JointMimic{});
  switch (joint.kind) {
    case JointKind::fixed:
      return;
    case JointKind::revolute:
    case JointKind::continuous:
      return builder.turn(place, joint.axis, *first_variable, scale);
    case JointKind::prismatic:
      return builder.slide(place, joint.axis, *first_variable, scale);
    case JointKind::planar: {
      const PlanarAxes across = planar_axes(joint.axis);
      builder.slide(place, across.x, *first_variable, scale);
      builder.slide(place, across.y, *first_variable + 1, scale);
      return builder.turn(place, joint.axis, *first_variable + 2, scale);
    }
    case JointKind::floating:
      for (int i = 0; i < 3; ++i)
        builder.slide(place, Vector3d::Unit(i), *first_variable + static_cast<std::size_t>(i), scale);
      // About fixed axes roll comes first, so as a chain of frames it is last.
      for (int i = 2; i >= 0; --i) {
        builder.turn(place, Vector3d::Unit(i), *first_variable + 3 + static_cast<std::size_t>(i), scale);
      }
      return;
  }
}

}  // namespace

Kinematics::Kinematics(const RobotModel& robot, std::span<const std::size_t> variables, std::span<const double> values)
    : dimension_(variables.size()), places_(robot.links().size()) {
  frames_.emplace_back();
  FrameBuilder builder(variables, values, frames_);
  for (const std::size_t index : robot.joints_from_root()) {
    const RobotJoint& joint = robot.joints()[index];
    LinkPlace place = places_[joint.parent_link];
    place.frame_from_link = place.frame_from_link * joint.parent_from_joint;
    place_child(joint, robot.first_variable(joint.mimic ? joint.mimic->joint : index), builder, place);
    places_[joint.child_link] = place;
  }
  for (const MovingFrame& frame : frames_) {
    motions_.push_back(motion_of(frame));
    const double room = kMaxLaneAngle - std::abs(frame.offset);
    largest_ = std::min(largest_, frame.multiplier == 0.0 ? room : room / std::abs(frame.multiplier));
  }
}

std::uint32_t Kinematics::common_frame(std::uint32_t a, std::uint32_t b) const {
  while (a != b) {
    if (a > b) {
      a = frames_[a].parent;
    } else {
      b = frames_[b].parent;
    }
  }
  return a;
}

void Kinematics::poses(std::span<const double> configuration, std::span<Pose> root_from_frame) const {
  constexpr std::size_t kMostAtOnce = 128;  // of more frames a question allocates
  std::array<double, kPlacedFrame * kMostAtOnce + kPlacedFramePadding> few;
  std::vector<double> many;
  double* placed = few.data();
  if (motions_.size() > kMostAtOnce) {
    many.resize(kPlacedFrame * motions_.size() + kPlacedFramePadding);
    placed = many.data();
  }
  lane_kernels().place_frames(motions_.data(), motions_.size(), configuration.data(), placed);
  for (std::size_t f = 0; f < motions_.size(); ++f) {
    const double* one = placed + kPlacedFrame * f;
    root_from_frame[f] = Pose::unchecked(Eigen::Map<const Vector3d>(one + 9), Eigen::Map<const Matrix3d>(one));
  }
}

void Kinematics::poses_between(std::uint32_t carrier, std::uint32_t frame, std::span<const double> configuration,
                               std::span<Pose> carrier_from_frame) const {
  if (frame == carrier) {
    carrier_from_frame[carrier] = Pose();
    return;
  }
  const MovingFrame& moving = frames_[frame];
  poses_between(carrier, moving.parent, configuration, carrier_from_frame);
  const double value = moving.multiplier * configuration[moving.variable] + moving.offset;
  const Vector3d z = Vector3d::UnitZ();
  const Pose motion =
      moving.slides ? Pose(value * z) : Pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(value, z)));
  carrier_from_frame[frame] = carrier_from_frame[moving.parent] * moving.parent_from_joint * motion;
}

bool Kinematics::in_range(std::span<const double> configuration) const {
  return std::all_of(configuration.begin(), configuration.end(),
                     [this](double value) { return std::abs(value) <= largest_; });
}

}  // namespace abut::detail
