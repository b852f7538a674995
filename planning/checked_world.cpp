#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/narrowphase/distance.h>
#include <abut/planning/checked_world.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace abut::detail {
namespace {

/// How an obstacle looks to the fast tier.
struct LaneSolid {
  ObstacleKind kind = ObstacleKind::box;
  Matrix3d axes = Matrix3d::Identity();  ///< Columns, root frame.
  Vector3d origin = Vector3d::Zero();
  Vector3d half = Vector3d::Zero();
  double radius = 0.0;     ///< Of the ball around it.
  bool is_exact = true;    ///< Else it only contains the obstacle.
  bool is_bounded = true;  ///< Else nothing is known about it, as of one too large for floats.
};

/// Turns the axes so that an upright solid has the root's z last, and says so.
void stand_upright(LaneSolid& solid) {
  // More than the rounding of a rotation, and far below that of floats, for which there is room.
  constexpr double kLargestTilt = 1e-12;  // radians
  const auto is_upright = [&solid](Eigen::Index k) { return solid.axes.col(k).head<2>().norm() <= kLargestTilt; };
  if (solid.kind == ObstacleKind::cylinder) {
    if (is_upright(2)) solid.kind = ObstacleKind::upright_cylinder;
    return;
  }
  for (Eigen::Index vertical = 0; vertical < 3; ++vertical) {
    if (!is_upright(vertical)) continue;
    solid.axes.col(vertical).swap(solid.axes.col(2));
    std::swap(solid.half[vertical], solid.half[2]);
    solid.kind = ObstacleKind::upright_box;
    return;
  }
}

LaneSolid lane_solid(const Shape& shape, const Pose& root_from_obstacle) {
  LaneSolid solid;
  solid.axes = root_from_obstacle.rotation();
  solid.origin = root_from_obstacle.translation();
  solid.radius = shape.margin();
  if (const Box* box = shape.get_if<Box>()) {
    solid.half = box->half_extents();
  } else if (const Cylinder* cylinder = shape.get_if<Cylinder>()) {
    solid.kind = ObstacleKind::cylinder;
    solid.half = {cylinder->radius(), 0.0, cylinder->half_length()};
  } else if (const Capsule* capsule = shape.get_if<Capsule>()) {
    solid.half = {0.0, 0.0, capsule->half_length()};
    solid.radius += capsule->radius();
  } else if (const Sphere* sphere = shape.get_if<Sphere>()) {
    solid.radius += sphere->radius();
  } else if (const HalfSpace* half_space = shape.get_if<HalfSpace>()) {
    const Vector3d normal = root_from_obstacle.rotate(half_space->normal());
    const double offset = half_space->offset() + normal.dot(root_from_obstacle.translation());
    solid.kind = ObstacleKind::half_space;
    solid.axes.col(0) = normal;
    solid.origin = offset * normal;
  } else if (shape.is_bounded()) {
    const Obb around = root_from_obstacle * obb(shape);
    solid.axes = around.axes;
    solid.origin = around.center;
    solid.half = around.half_extents;
    solid.radius = 0.0;  // the box has the margin in it
    solid.is_exact = false;
  } else {
    solid.is_bounded = false;
  }
  if (!(solid.origin.norm() + solid.half.norm() + solid.radius <= kLargestFastLength)) {
    solid = LaneSolid();
    solid.is_bounded = false;
  }
  if (solid.kind != ObstacleKind::half_space && solid.is_bounded) stand_upright(solid);
  return solid;
}

void put(ObstacleBlock& block, std::size_t lane, const LaneSolid& solid, const CheckedRobot& robot) {
  constexpr double kRounding = 16.0 * std::numeric_limits<float>::epsilon();
  const double slack = kRounding * (solid.origin.norm() + solid.half.norm() + robot.reach);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t k = 0; k < 3; ++k) {
      block.axes[3 * i + k][lane] = static_cast<float>(solid.axes(static_cast<Eigen::Index>(k), row));
    }
    block.origin[i][lane] = static_cast<float>(solid.origin[row]);
    block.half[i][lane] = static_cast<float>(solid.half[row]);
  }
  block.outside[lane] = solid.is_bounded ? static_cast<float>(solid.radius + slack) : kFloatInfinity;
  block.inside[lane] = solid.is_bounded && solid.is_exact ? static_cast<float>(solid.radius - slack) : -kFloatInfinity;
}

ObstacleBlock empty_block(ObstacleKind kind) {
  ObstacleBlock block{};
  block.kind = kind;
  for (std::size_t lane = 0; lane < kLanes; ++lane) block.outside[lane] = block.inside[lane] = -kFloatInfinity;
  return block;
}

/// Nothing that can be reached is farther from the root's origin than the piece can get.
bool can_reach(const CheckedRobot& robot, const Piece& piece, const Obb& box) {
  if (!box.half_extents.allFinite()) return true;
  const Vector3d local = box.axes.transpose() * -box.center;
  const double gap = (local.cwiseAbs() - box.half_extents).cwiseMax(0.0).norm();
  const double reach = robot.frame_reach[piece.frame] + piece.arm;
  return !(gap > reach + robot.slack && std::isfinite(gap));  // a gap that overflows says nothing
}

}  // namespace

CheckedWorld::CheckedWorld(std::shared_ptr<const CheckedRobot> checked_robot, std::vector<Obstacle> bodies)
    : robot(std::move(checked_robot)), given(std::move(bodies)) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i].name;
    const auto is_named = [&name](const auto& other) { return other.name == name; };
    if (name.empty()) throw InvalidInput("obstacles[" + std::to_string(i) + "].name", "must not be empty");
    if (std::find(robot->body_names.begin(), robot->body_names.end(), name) != robot->body_names.end() ||
        std::any_of(obstacles.begin(), obstacles.end(), is_named)) {
      throw InvalidInput("obstacles[" + std::to_string(i) + "].name", "'" + name + "' is the name of another body");
    }
    require_finite("obstacles[" + std::to_string(i) + "].world_from_obstacle", given[i].world_from_obstacle);
    obstacles.push_back(
        {name, given[i].shape, Pose::relative(robot->options.world_from_root, given[i].world_from_obstacle)});
  }

  // Blocks of one kind each.
  place_of.assign(obstacles.size(), 0);
  for (const ObstacleKind kind : {ObstacleKind::box, ObstacleKind::upright_box, ObstacleKind::cylinder,
                                  ObstacleKind::upright_cylinder, ObstacleKind::half_space}) {
    std::size_t lane = kLanes;
    for (std::size_t i = 0; i < obstacles.size(); ++i) {
      const LaneSolid solid = lane_solid(obstacles[i].shape, obstacles[i].root_from_obstacle);
      if (solid.kind != kind) continue;
      if (lane == kLanes) {
        blocks.push_back(empty_block(kind));
        obstacle_at.resize(blocks.size() * kLanes, ~std::uint32_t{0});
        lane = 0;
      }
      put(blocks.back(), lane, solid, *robot);
      place_of[i] = static_cast<std::uint32_t>((blocks.size() - 1) * kLanes + lane);
      obstacle_at[place_of[i]] = static_cast<std::uint32_t>(i);
      ++lane;
    }
  }

  // Which pieces are tested against which obstacles.
  wanted.assign(robot->pieces.size() * blocks.size(), 0);
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    const Obb& box = obstacle_boxes.emplace_back(obstacles[i].root_from_obstacle * obb(obstacles[i].shape));
    for (std::size_t p = 0; p < robot->pieces.size(); ++p) {
      const Piece& piece = robot->pieces[p];
      if (robot->is_allowed(robot->body_names[piece.body], obstacles[i].name)) continue;
      const CheckedPieces pair = {static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(i), 0, true};
      if (piece.frame == 0) {
        still_pairs.push_back(
            {pair, distance(piece.shape, piece.frame_from_shape, obstacles[i].shape, obstacles[i].root_from_obstacle)});
        continue;
      }
      moving_pairs.push_back(pair);
      const std::size_t place = place_of[i];
      std::uint8_t& bits = wanted[p * blocks.size() + place / kLanes];
      if (can_reach(*robot, piece, box)) bits = static_cast<std::uint8_t>(bits | (1U << (place % kLanes)));
    }
  }
  for (std::uint32_t i = 0; i < robot->pairs.size(); ++i) {
    moving_pairs.push_back({robot->pairs[i].a, robot->pairs[i].b, i, false});
  }
  still_pairs.insert(still_pairs.end(), robot->still_pairs.begin(), robot->still_pairs.end());
  const auto colliding = std::find_if(still_pairs.begin(), still_pairs.end(),
                                      [](const StillPair& still) { return is_contact(still.separation); });
  if (colliding != still_pairs.end()) still_contact = colliding->pair;
}

CheckerState::CheckerState(std::shared_ptr<const CheckedWorld> checked_world) : world(std::move(checked_world)) {
  const CheckedRobot& robot = *world->robot;
  frames.resize(robot.kinematics.frame_count());
  caches.resize(world->pair_count());
  near.resize(world->blocks.size() * kLanes);
  placed.resize(robot.pieces.size());
  for (std::size_t p = 0; p < robot.pieces.size(); ++p) {
    for (std::vector<float>& coordinate : placed[p].center) coordinate.resize(robot.pieces[p].balls.outer.size());
  }
  centers.resize(robot.pieces.size());
  open.reserve(world->pair_count());
  bounds.reserve(world->moving_pairs.size());
  work.resize(robot.kinematics.dimension());
  change.resize(robot.kinematics.dimension());
  lane_poses.resize(frames.size());
  lane_values.resize(kLanes * robot.kinematics.dimension());
  lane_centers.resize(robot.pieces.size());
  lane_near.resize(robot.pieces.size() * world->blocks.size() * kLanes + robot.pairs.size());
  lane_obstacles.resize(robot.pieces.size());
  stretches.reserve(world->moving_pairs.size());
  left.reserve(world->moving_pairs.size());
  for (const Piece& piece : robot.pieces) paths.resize(std::max(paths.size(), piece.balls.count));
}

}  // namespace abut::detail
