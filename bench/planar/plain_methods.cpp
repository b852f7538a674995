// The two references that are always there.
#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "planar_method.h"

namespace abut::bench {
namespace {

using planar::Vector2d;

class SeparatingAxes final : public PlanarMethod {
 public:
  explicit SeparatingAxes(std::span<const PlanarPair> pairs) : pairs_(pairs) {}

  bool collides(std::size_t pair) override {
    const PlanarPair& p = pairs_[pair];
    return !is_separated(p.a, p.world_from_a, p.b, p.world_from_b) &&
           !is_separated(p.b, p.world_from_b, p.a, p.world_from_a);
  }
  double distance(std::size_t /*pair*/) override { return std::numeric_limits<double>::quiet_NaN(); }

 private:
  static bool is_separated(const planar::Shape& own, const planar::Pose& world_from_own, const planar::Shape& other,
                           const planar::Pose& world_from_other) {
    const planar::Pose own_from_other = planar::Pose::relative(world_from_own, world_from_other);
    const std::span<const Vector2d> corners = own.corners();
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Vector2d side = corners[i + 1 < corners.size() ? i + 1 : 0] - corners[i];
      const Vector2d across(side.y(), -side.x());
      const Vector2d of_other = own_from_other.unrotate(across);
      double lowest = std::numeric_limits<double>::infinity();
      for (const Vector2d& corner : other.corners()) lowest = std::min(lowest, corner.dot(of_other));
      if (lowest + across.dot(own_from_other.translation - corners[i]) > 0.0) return true;
    }
    return false;
  }

  std::span<const PlanarPair> pairs_;
};

class Prisms final : public PlanarMethod {
 public:
  explicit Prisms(std::span<const PlanarPair> pairs) {
    for (const PlanarPair& pair : pairs) {
      a_.push_back({prism(pair.a), in_space(pair.world_from_a)});
      b_.push_back({prism(pair.b), in_space(pair.world_from_b)});
    }
  }

  bool collides(std::size_t pair) override {
    return abut::collides(a_[pair].shape, a_[pair].pose, b_[pair].shape, b_[pair].pose);
  }
  double distance(std::size_t pair) override {
    return abut::distance(a_[pair].shape, a_[pair].pose, b_[pair].shape, b_[pair].pose).distance;
  }

 private:
  struct Placed {
    Shape shape;
    Pose pose;
  };

  static Shape prism(const planar::Shape& polygon) {
    std::vector<Vector3d> points;
    for (const Vector2d& corner : polygon.corners()) {
      for (const double z : {-5.0, 5.0}) points.emplace_back(corner.x(), corner.y(), z);
    }
    return ConvexHull::from_points(points);
  }
  static Pose in_space(const planar::Pose& pose) {
    return Pose(Vector3d(pose.translation.x(), pose.translation.y(), 0.0),
                Quaterniond(Eigen::AngleAxisd(pose.angle(), Vector3d::UnitZ())));
  }

  std::vector<Placed> a_;
  std::vector<Placed> b_;
};

}  // namespace

std::unique_ptr<PlanarMethod> separating_axes(std::span<const PlanarPair> pairs) {
  return std::make_unique<SeparatingAxes>(pairs);
}
std::unique_ptr<PlanarMethod> prisms_in_space(std::span<const PlanarPair> pairs) {
  return std::make_unique<Prisms>(pairs);
}

}  // namespace abut::bench
