// The installed Box2D: version 2, a C++ library, or version 3, a C library. Its own limit of eight corners a polygon is
// for its shapes; version 2 measures the corners of any list, version 3 those of its proxy, which its build limits.
#if ABUT_BENCH_BOX2D_MAJOR == 2
#include <box2d/b2_distance.h>
#else
#include <box2d/box2d.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "planar_method.h"

namespace abut::bench {
namespace {

// As Box2D has it: what it takes for contact, metres.
constexpr double kContact = 10.0 * std::numeric_limits<float>::epsilon();

float single(double value) {
  return static_cast<float>(value);
}

#if ABUT_BENCH_BOX2D_MAJOR == 2

class Box2d final : public PlanarMethod {
 public:
  explicit Box2d(std::span<const PlanarPair> pairs) {
    for (const PlanarPair& pair : pairs) {
      a_.push_back({corners_of(pair.a), transform_of(pair.world_from_a)});
      b_.push_back({corners_of(pair.b), transform_of(pair.world_from_b)});
    }
    for (std::size_t i = 0; i < a_.size(); ++i) {
      b2DistanceInput input;
      input.proxyA.Set(a_[i].corners.data(), static_cast<int32>(a_[i].corners.size()), 0.0f);
      input.proxyB.Set(b_[i].corners.data(), static_cast<int32>(b_[i].corners.size()), 0.0f);
      input.transformA = a_[i].transform;
      input.transformB = b_[i].transform;
      input.useRadii = false;
      inputs_.push_back(input);
    }
  }

  bool collides(std::size_t pair) override { return distance(pair) < kContact; }
  double distance(std::size_t pair) override {
    b2SimplexCache cache;
    cache.count = 0;
    b2DistanceOutput output;
    b2Distance(&output, &cache, &inputs_[pair]);
    return static_cast<double>(output.distance);
  }

 private:
  struct Placed {
    std::vector<b2Vec2> corners;
    b2Transform transform;
  };

  static std::vector<b2Vec2> corners_of(const planar::Shape& polygon) {
    std::vector<b2Vec2> corners;
    for (const planar::Vector2d& corner : polygon.corners())
      corners.emplace_back(single(corner.x()), single(corner.y()));
    return corners;
  }
  static b2Transform transform_of(const planar::Pose& pose) {
    return {b2Vec2(single(pose.translation.x()), single(pose.translation.y())), b2Rot(single(pose.angle()))};
  }

  std::vector<Placed> a_;
  std::vector<Placed> b_;
  std::vector<b2DistanceInput> inputs_;
};

#else

class Box2d final : public PlanarMethod {
 public:
  explicit Box2d(std::span<const PlanarPair> pairs) {
    for (const PlanarPair& pair : pairs) {
      b2DistanceInput input{};
      input.proxyA = proxy_of(pair.a);
      input.proxyB = proxy_of(pair.b);
      inputs_.push_back(input);
      poses_.emplace_back(transform_of(pair.world_from_a), transform_of(pair.world_from_b));
    }
  }

  bool collides(std::size_t pair) override { return distance(pair) < kContact; }
  double distance(std::size_t pair) override {
    b2DistanceInput& input = inputs_[pair];
    set_poses(input, poses_[pair].first, poses_[pair].second);
    b2SimplexCache cache{};
    return static_cast<double>(b2ShapeDistance(&input, &cache, nullptr, 0).distance);
  }

 private:
  // Version 3.2 takes the pose of b in the frame of a, 3.1 both poses in the world.
  template <class Input>
  static void set_poses(Input& input, const b2Transform& a, const b2Transform& b) {
    if constexpr (requires { input.transform; }) {
      input.transform = b2InvMulTransforms(a, b);
    } else {
      input.transformA = a;
      input.transformB = b;
    }
  }
  static b2ShapeProxy proxy_of(const planar::Shape& polygon) {
    b2ShapeProxy proxy{};
    const std::span<const planar::Vector2d> corners = polygon.corners();
    proxy.count = std::min(static_cast<int>(corners.size()), B2_MAX_POLYGON_VERTICES);
    for (int i = 0; i < proxy.count; ++i) {
      const planar::Vector2d& corner = corners[static_cast<std::size_t>(i)];
      proxy.points[i] = {single(corner.x()), single(corner.y())};
    }
    return proxy;
  }
  static b2Transform transform_of(const planar::Pose& pose) {
    return {{single(pose.translation.x()), single(pose.translation.y())}, {single(pose.cos), single(pose.sin)}};
  }

  std::vector<b2DistanceInput> inputs_;
  std::vector<std::pair<b2Transform, b2Transform>> poses_;
};

#endif

}  // namespace

std::unique_ptr<PlanarMethod> box2d(std::span<const PlanarPair> pairs) {
  return std::make_unique<Box2d>(pairs);
}

}  // namespace abut::bench
