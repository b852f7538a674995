#include "moved_bodies.h"

namespace abut::bench {
namespace {

detail::Kinematics kinematics_of(const CheckedProblem& problem) {
  const RobotModel& robot = problem.robot;
  std::vector<std::size_t> variables;
  for (const std::string& name : problem.options.variables) variables.push_back(*robot.find_variable(name));
  std::vector<double> values = robot.default_values();
  for (const auto& [name, value] : problem.options.fixed_values) values[*robot.find_variable(name)] = value;
  return detail::Kinematics(robot, variables, values);
}

}  // namespace

MovedBodies::MovedBodies(const CheckedProblem& problem) : kinematics_(kinematics_of(problem)) {
  root_from_frame_.resize(kinematics_.frame_count());
  const RobotModel& robot = problem.robot;
  std::vector<std::size_t> links;
  for (std::size_t link = 0; link < robot.links().size(); ++link) {
    const detail::LinkPlace& place = kinematics_.place(link);
    for (const LinkGeometry& geometry : robot.links()[link].geometry) {
      MovedBody body;
      body.shape = &geometry.shape;
      body.name = robot.links()[link].name;
      body.frame = place.frame;
      body.frame_from_shape = place.frame_from_link * geometry.link_from_shape;
      bodies_.push_back(body);
      links.push_back(link);
    }
  }
  robot_body_count_ = bodies_.size();
  for (const Obstacle& obstacle : problem.obstacles) {
    MovedBody body;
    body.shape = &obstacle.shape;
    body.name = obstacle.name;
    body.is_obstacle = true;
    body.frame_from_shape = obstacle.world_from_obstacle;
    bodies_.push_back(body);
  }
  for (MovedBody& body : bodies_) {
    const Aabb box = aabb(*body.shape, Pose());
    body.box_center = box.center();
    body.box_half_extents = box.half_extents();
    place(body, Pose());
  }

  for (std::uint32_t a = 0; a < robot_body_count_; ++a) {
    for (auto b = static_cast<std::uint32_t>(robot_body_count_); b < bodies_.size(); ++b) {
      (bodies_[a].frame == 0 ? still_pairs_ : moving_pairs_).push_back({a, b});
    }
  }
  allowed_.assign(robot_body_count_ * robot_body_count_, 0);
  for (std::uint32_t a = 0; a < robot_body_count_; ++a) {
    for (std::uint32_t b = 0; b < robot_body_count_; ++b) {
      const bool is_allowed =
          links[a] == links[b] || robot.adjacent(links[a], links[b]) ||
          (problem.options.disabled_pairs && problem.options.disabled_pairs->contains(links[a], links[b]));
      allowed_[a * robot_body_count_ + b] = is_allowed ? 1 : 0;
      if (a < b && !is_allowed) (bodies_[a].frame == bodies_[b].frame ? still_pairs_ : moving_pairs_).push_back({a, b});
    }
  }
  move(std::vector<double>(kinematics_.dimension(), 0.0));
}

bool MovedBodies::is_allowed(std::uint32_t a, std::uint32_t b) const {
  return allowed_[a * robot_body_count_ + b] != 0;
}

void MovedBodies::place(MovedBody& body, const Pose& world_from_frame) {
  body.world_from_shape = world_from_frame * body.frame_from_shape;
  const Vector3d center = body.world_from_shape * body.box_center;
  const Vector3d half_extents = body.world_from_shape.rotation().cwiseAbs() * body.box_half_extents;
  body.box = {center - half_extents, center + half_extents};
}

void MovedBodies::move(std::span<const double> configuration) {
  kinematics_.poses(configuration, root_from_frame_);
  for (std::size_t i = 0; i < robot_body_count_; ++i) place(bodies_[i], root_from_frame_[bodies_[i].frame]);
}

}  // namespace abut::bench
