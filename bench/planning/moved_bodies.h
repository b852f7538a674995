// What a plain checker moves and compares: the pieces of a robot and the obstacles, their boxes, and the pairs to test.
#pragma once

#include "peer.h"

#include <abut/core/aabb.h>
#include <abut/planning/kinematics.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::bench {

/// A piece of a link's geometry, or an obstacle.
struct MovedBody {
  const Shape* shape = nullptr;
  std::string name;  ///< Of the link or obstacle.
  bool is_obstacle = false;
  std::uint32_t frame = 0;
  Pose frame_from_shape;
  Pose world_from_shape;
  Aabb box;  ///< World frame: around the shape's own box.
  Vector3d box_center = Vector3d::Zero();
  Vector3d box_half_extents = Vector3d::Zero();
};

struct BodyPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

/// The robot is at default_value() and fixed_values until it is moved. The problem outlives it.
class MovedBodies {
 public:
  explicit MovedBodies(const CheckedProblem& problem);

  /// The robot's first.
  [[nodiscard]] std::span<const MovedBody> bodies() const { return bodies_; }
  [[nodiscard]] std::size_t robot_body_count() const { return robot_body_count_; }
  /// Those that move against each other: links with obstacles, then links with links.
  [[nodiscard]] std::span<const BodyPair> moving_pairs() const { return moving_pairs_; }
  /// Those that never do.
  [[nodiscard]] std::span<const BodyPair> still_pairs() const { return still_pairs_; }
  /// Whether two links, by their bodies, are not compared.
  [[nodiscard]] bool is_allowed(std::uint32_t a, std::uint32_t b) const;

  void move(std::span<const double> configuration);
  /// Whether `touches(pair)` of some pair of moving_pairs() whose boxes overlap.
  template <class Touches>
  bool any_contact(const Touches& touches) const {
    for (const BodyPair& pair : moving_pairs_) {
      if (bodies_[pair.a].box.overlaps(bodies_[pair.b].box) && touches(pair)) return true;
    }
    return false;
  }

 private:
  void place(MovedBody& body, const Pose& world_from_frame);

  detail::Kinematics kinematics_;
  std::vector<Pose> root_from_frame_;
  std::vector<MovedBody> bodies_;
  std::size_t robot_body_count_ = 0;
  std::vector<std::uint8_t> allowed_;  // robot bodies squared
  std::vector<BodyPair> moving_pairs_;
  std::vector<BodyPair> still_pairs_;
};

}  // namespace abut::bench
