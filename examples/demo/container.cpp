#include "container.h"

#include <cmath>
#include <utility>

namespace abut::demo {
namespace {

constexpr double kGravity = 9.81;         // metres a second squared
constexpr double kNearestFraction = 0.7;  // of half a body's longest side: how near its middle comes to floor and walls

// Where a point is that started at `place` and has gone `way`, between mirrors at ±half_side.
double between_mirrors(double place, double way, double half_side) {
  const double period = 4.0 * half_side;
  double unfolded = std::fmod(place + way + half_side, period);
  if (unfolded < 0.0) unfolded += period;
  return unfolded <= 2.0 * half_side ? unfolded - half_side : 3.0 * half_side - unfolded;
}

}  // namespace

double Container::fall_time() const {
  return std::sqrt(2.0 * height / kGravity);
}

void add_floor_and_walls(const Container& container, SceneDescription& description) {
  const auto add = [&](const char* name, const Vector3d& normal, double offset) {
    SceneBody body{.name = name,
                   .body = {.shape = HalfSpace(normal, offset), .pose = Pose(), .motion = Motion::fixed, .filter = {}}};
    description.bodies.push_back(std::move(body));
  };
  add("floor", Vector3d::UnitZ(), 0.0);
  add("west wall", Vector3d::UnitX(), -container.half_side);
  add("east wall", -Vector3d::UnitX(), -container.half_side);
  add("south wall", Vector3d::UnitY(), -container.half_side);
  add("north wall", -Vector3d::UnitY(), -container.half_side);
}

BouncingPath::BouncingPath(const Shape& shape, const Container& container, samples::Random& random) {
  const Obb box = obb(shape);
  middle_body_ = box.center;
  lowest_ = kNearestFraction * box.half_extents.maxCoeff();
  half_side_ = container.half_side - lowest_;
  const double x = random.uniform(-half_side_, half_side_);
  start_ = {x, random.uniform(-half_side_, half_side_)};
  const double fastest = 0.5 * container.half_side / container.fall_time();
  const double velocity_x = random.uniform(-fastest, fastest);
  velocity_ = {velocity_x, random.uniform(-fastest, fastest)};
  highest_ = lowest_ + random.uniform(0.2, 1.0) * (container.height - lowest_);
  phase_ = random.uniform(0.0, 2.0 * container.fall_time());
  start_rotation_ = random.rotation();
  axis_ = random.direction();
  spin_ = random.uniform(-3.0, 3.0) / container.fall_time();
}

Pose BouncingPath::at(double time) const {
  // A parabola from bounce to bounce, its top half way between them.
  const double half_period = std::sqrt(2.0 * (highest_ - lowest_) / kGravity);
  const double from_top = std::fmod(time + phase_, 2.0 * half_period) - half_period;
  const Vector3d middle(between_mirrors(start_.x(), velocity_.x() * time, half_side_),
                        between_mirrors(start_.y(), velocity_.y() * time, half_side_),
                        highest_ - 0.5 * kGravity * from_top * from_top);
  const Quaterniond rotation = Quaterniond(Eigen::AngleAxisd(spin_ * time, axis_)) * start_rotation_;
  return Pose(middle - rotation * middle_body_, rotation);
}

MotionSource along_paths(std::vector<BouncingPath> paths, std::size_t first_body, double time_step) {
  return [paths = std::move(paths), first_body, time_step](std::size_t frame, RecordedFrame& poses) {
    poses.time = static_cast<double>(frame) * time_step;
    poses.bodies.clear();
    poses.poses.clear();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      poses.bodies.push_back(first_body + i);
      poses.poses.push_back(paths[i].at(poses.time));
    }
    return true;
  };
}

}  // namespace abut::demo
