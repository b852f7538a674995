// Comparison with Box3D: the collision part of its step (a step of no time), with contact points of all pairs, and the
// same with box3d_fresh, which is not allowed to keep points while bodies move by less than half a millimetre and more.
// Its lengths are scaled so that the distance up to which it makes points is the margin. It has no cylinders and cones:
// they are prisms and pyramids of 32 sides here. Hulls have at most 128 edges: a scene with larger ones has no answer.
#include <box3d/box3d.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "once_per_hull.h"
#include "peer.h"

namespace abut::peers {
namespace {

constexpr int kSides = 32;
constexpr double kDefaultMargin = 1e-3;  // metres: where none is asked for, points farther apart than 0 are left out

b3Vec3 vector_of(double x, double y, double z) {
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
}

/// Of a rotation matrix, row by row: from the largest of the four components, so that none is divided by a small one.
b3Quat quaternion_of(const double m[9]) {
  const std::array<double, 4> squares = {m[0] - m[4] - m[8], m[4] - m[0] - m[8], m[8] - m[0] - m[4],
                                         m[0] + m[4] + m[8]};  // 4 q^2 - 1 of x, y, z, w
  const auto largest = static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) - squares.begin());
  const double root = 0.5 * std::sqrt(1.0 + squares[largest]);
  const double part = 0.25 / root;
  const double xy = part * (m[1] + m[3]);
  const double xz = part * (m[2] + m[6]);
  const double yz = part * (m[5] + m[7]);
  const double wx = part * (m[7] - m[5]);
  const double wy = part * (m[2] - m[6]);
  const double wz = part * (m[3] - m[1]);
  const std::array<std::array<double, 4>, 4> columns = {
      {{root, xy, xz, wx}, {xy, root, yz, wy}, {xz, yz, root, wz}, {wx, wy, wz, root}}};
  const std::array<double, 4>& q = columns[largest];
  return {vector_of(q[0], q[1], q[2]), static_cast<float>(q[3])};
}

struct DestroyHull {
  void operator()(b3HullData* hull) const { b3DestroyHull(hull); }
};
using Hull = std::shared_ptr<b3HullData>;

Hull hull_of_points(const std::vector<b3Vec3>& points) {
  const auto count = static_cast<int>(points.size());
  b3HullData* hull = count <= B3_MAX_HULL_VERTICES ? b3CreateHull(points.data(), count, count) : nullptr;
  if (hull == nullptr) throw std::runtime_error("Box3D: a hull over its limits");
  return {hull, DestroyHull()};
}

Hull hull_of(const PlainShape& shape) {
  std::vector<b3Vec3> points;
  if (shape.kind == Kind::hull) {
    const std::vector<double>& from = shape.hull->points;
    for (std::size_t i = 0; i + 2 < from.size(); i += 3) points.push_back(vector_of(from[i], from[i + 1], from[i + 2]));
    return hull_of_points(points);
  }
  for (int i = 0; i < kSides; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kSides;
    const double x = shape.size[0] * std::cos(angle);
    const double y = shape.size[0] * std::sin(angle);
    points.push_back(vector_of(x, y, -shape.size[1]));
    if (shape.kind == Kind::cylinder) points.push_back(vector_of(x, y, shape.size[1]));
  }
  if (shape.kind == Kind::cone) points.push_back(vector_of(0.0, 0.0, shape.size[1]));
  return hull_of_points(points);
}

class Box3dScene final : public SceneSolver {
 public:
  Box3dScene(std::span<const PlainShape> bodies, double margin, bool keeps_points) : margin_(margin) {
    OncePerHull<Hull> hulls;
    for (const PlainShape& shape : bodies) {
      const bool is_hull = shape.kind == Kind::hull || shape.kind == Kind::cylinder || shape.kind == Kind::cone;
      hulls_.push_back(is_hull ? hulls.of(shape, hull_of) : nullptr);
    }
    // By default 20 mm.
    b3SetLengthUnitsPerMeter(static_cast<float>((margin > 0.0 ? margin : kDefaultMargin) / 0.02));
    b3WorldDef world = b3DefaultWorldDef();
    world.gravity = vector_of(0.0, 0.0, 0.0);
    world.enableSleep = false;
    world.enableContinuous = false;
    world.workerCount = 1;
    world_ = b3CreateWorld(&world);
    if (!keeps_points) b3World_SetContactRecycleDistance(world_, 0.0F);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      b3BodyDef body = b3DefaultBodyDef();
      body.type = b3_dynamicBody;
      body.userData = reinterpret_cast<void*>(i);
      bodies_.push_back(b3CreateBody(world_, &body));
      add_shape(bodies[i], hulls_[i].get(), bodies_.back());
    }
  }
  ~Box3dScene() override { b3DestroyWorld(world_); }
  Box3dScene(const Box3dScene&) = delete;
  Box3dScene& operator=(const Box3dScene&) = delete;

  void step(std::span<const PlainPose> world_from_bodies) override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const PlainPose& pose = world_from_bodies[i];
      const b3Vec3 position = vector_of(pose.translation[0], pose.translation[1], pose.translation[2]);
      b3Body_SetTransform(bodies_[i], position, quaternion_of(pose.rotation));
    }
    b3World_Step(world_, 0.0F, 1);
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() override {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<b3ContactData> contacts;
    for (const b3BodyId body : bodies_) {
      contacts.resize(static_cast<std::size_t>(b3Body_GetContactCapacity(body)));
      const int count = b3Body_GetContactData(body, contacts.data(), static_cast<int>(contacts.size()));
      for (int i = 0; i < count; ++i) {
        const b3ContactData& contact = contacts[static_cast<std::size_t>(i)];
        if (is_near(contact)) add_ordered(pairs, index_of(contact.shapeIdA), index_of(contact.shapeIdB));
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

 private:
  static void add_shape(const PlainShape& shape, const b3HullData* hull, b3BodyId body) {
    const b3ShapeDef definition = b3DefaultShapeDef();
    const double* s = shape.size;
    switch (shape.kind) {
      case Kind::sphere: {
        const b3Sphere sphere{vector_of(0.0, 0.0, 0.0), static_cast<float>(s[0])};
        b3CreateSphereShape(body, &definition, &sphere);
        return;
      }
      case Kind::capsule: {
        const b3Capsule capsule{vector_of(0.0, 0.0, -s[1]), vector_of(0.0, 0.0, s[1]), static_cast<float>(s[0])};
        b3CreateCapsuleShape(body, &definition, &capsule);
        return;
      }
      case Kind::box: {
        const b3BoxHull box =
            b3MakeBoxHull(static_cast<float>(s[0]), static_cast<float>(s[1]), static_cast<float>(s[2]));
        b3CreateHullShape(body, &definition, &box.base);
        return;
      }
      case Kind::ellipsoid:
        throw std::runtime_error("Box3D has no ellipsoids");
      case Kind::cylinder:
      case Kind::cone:
      case Kind::hull:
        b3CreateHullShape(body, &definition, hull);
    }
  }

  [[nodiscard]] bool is_near(const b3ContactData& contact) const {
    for (int i = 0; i < contact.manifoldCount; ++i) {
      const b3Manifold& manifold = contact.manifolds[i];
      for (int k = 0; k < manifold.pointCount; ++k) {
        if (manifold.points[k].separation <= static_cast<float>(margin_)) return true;
      }
    }
    return false;
  }

  static std::uint32_t index_of(b3ShapeId shape) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(b3Body_GetUserData(b3Shape_GetBody(shape))));
  }

  double margin_;
  b3WorldId world_{};
  std::vector<b3BodyId> bodies_;
  std::vector<Hull> hulls_;  // one a body, null where it has none
};

bool answers(Query /*query*/, Kind /*a*/, Kind /*b*/) {
  return false;
}

std::unique_ptr<SceneSolver> make_scene(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<Box3dScene>(bodies, margin, /*keeps_points=*/true);
}

std::unique_ptr<SceneSolver> make_fresh_scene(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<Box3dScene>(bodies, margin, /*keeps_points=*/false);
}

}  // namespace

Peer box3d_peer() {
  return {.name = "box3d", .answers = answers, .pairs = nullptr, .scene = make_scene, .has_margin = true};
}

Peer box3d_fresh_peer() {
  return {.name = "box3d_fresh", .answers = answers, .pairs = nullptr, .scene = make_fresh_scene, .has_margin = true};
}

}  // namespace abut::peers
