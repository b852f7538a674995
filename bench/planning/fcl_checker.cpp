// FCL in two ways: a plain loop that asks it about single pairs, and its managers of objects as MoveIt uses them.
#include "moved_bodies.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>

#include <array>
#include <map>
#include <stdexcept>
#include <string>

namespace abut::bench {
namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

fcl::Transform3d transform_of(const Pose& pose) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = pose.rotation();
  transform.translation() = pose.translation();
  return transform;
}

Geometry tree_of(std::span<const Vector3d> vertices, std::span<const std::array<std::uint32_t, 3>> triangles) {
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
  model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(vertices.size()));
  std::vector<fcl::Triangle> corners;
  for (const auto& t : triangles) corners.emplace_back(t[0], t[1], t[2]);
  model->addSubModel(std::vector<fcl::Vector3d>(vertices.begin(), vertices.end()), corners);
  model->endModel();
  return model;
}

Geometry convex_of(const ConvexHull& hull) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>(hull.vertices().begin(), hull.vertices().end());
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& triangle : hull.triangles()) {
    faces->push_back(3);
    for (const std::uint32_t vertex : triangle) faces->push_back(static_cast<int>(vertex));
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(hull.triangles().size()), faces);
}

Geometry geometry_of(const Shape& shape, bool hulls_are_trees) {
  if (const auto* sphere = shape.get_if<Sphere>()) return std::make_shared<fcl::Sphered>(sphere->radius());
  if (const auto* box = shape.get_if<Box>()) return std::make_shared<fcl::Boxd>(2.0 * box->half_extents());
  if (const auto* cylinder = shape.get_if<Cylinder>()) {
    return std::make_shared<fcl::Cylinderd>(cylinder->radius(), 2.0 * cylinder->half_length());
  }
  if (const auto* mesh = shape.get_if<TriangleMesh>()) return tree_of(mesh->vertices(), mesh->triangles());
  if (const auto* hull = shape.get_if<ConvexHull>()) {
    return hulls_are_trees ? tree_of(hull->vertices(), hull->triangles()) : convex_of(*hull);
  }
  throw std::invalid_argument("a robot or obstacle has a shape that this benchmark does not give to FCL");
}

class FclLoop final : public PlanningPeer {
 public:
  explicit FclLoop(const CheckedProblem& problem) : bodies_(problem) {
    for (const MovedBody& body : bodies_.bodies()) {
      geometries_.push_back(geometry_of(*body.shape, /*hulls_are_trees=*/false));
      transforms_.push_back(transform_of(body.world_from_shape));
    }
    for (const BodyPair& pair : bodies_.still_pairs()) still_contact_ = still_contact_ || touches(pair);
  }

  bool is_valid(std::span<const double> configuration) override {
    if (still_contact_) return false;
    bodies_.move(configuration);
    for (std::size_t i = 0; i < bodies_.robot_body_count(); ++i) {
      transforms_[i] = transform_of(bodies_.bodies()[i].world_from_shape);
    }
    return !bodies_.any_contact([this](const BodyPair& pair) { return touches(pair); });
  }

 private:
  [[nodiscard]] bool touches(const BodyPair& pair) const {
    static const fcl::CollisionRequestd kYesNo(/*num_max_contacts=*/1, /*enable_contact=*/false);
    fcl::CollisionResultd result;
    return fcl::collide(geometries_[pair.a].get(), transforms_[pair.a], geometries_[pair.b].get(), transforms_[pair.b],
                        kYesNo, result) > 0;
  }

  MovedBodies bodies_;
  std::vector<Geometry> geometries_;
  std::vector<fcl::Transform3d> transforms_;
  bool still_contact_ = false;
};

/// Self collisions by the robot's manager, then each of its objects against the world's; every pair that a manager
/// reports is looked up by its names. Both managers stay from check to check.
class FclManagers final : public PlanningPeer {
 public:
  explicit FclManagers(const CheckedProblem& problem) : bodies_(problem) {
    for (const MovedBody& body : bodies_.bodies()) {
      objects_.push_back(std::make_unique<fcl::CollisionObjectd>(geometry_of(*body.shape, /*hulls_are_trees=*/true),
                                                                 transform_of(body.world_from_shape)));
      objects_.back()->setUserData(const_cast<std::string*>(&body.name));
      objects_.back()->computeAABB();
      (body.is_obstacle ? world_ : robot_).registerObject(objects_.back().get());
    }
    robot_.setup();
    world_.setup();
    for (std::uint32_t a = 0; a < bodies_.robot_body_count(); ++a) {
      for (std::uint32_t b = 0; b < bodies_.robot_body_count(); ++b) {
        if (bodies_.is_allowed(a, b)) check_.allowed[bodies_.bodies()[a].name][bodies_.bodies()[b].name] = true;
      }
    }
  }

  bool is_valid(std::span<const double> configuration) override {
    bodies_.move(configuration);
    for (std::size_t i = 0; i < bodies_.robot_body_count(); ++i) {
      objects_[i]->setTransform(transform_of(bodies_.bodies()[i].world_from_shape));
      objects_[i]->computeAABB();
    }
    robot_.update();
    check_.has_contact = false;
    robot_.collide(&check_, &FclManagers::look_at);
    for (std::size_t i = 0; i < bodies_.robot_body_count() && !check_.has_contact; ++i) {
      world_.collide(objects_[i].get(), &check_, &FclManagers::look_at);
    }
    return !check_.has_contact;
  }

 private:
  struct Check {
    std::map<std::string, std::map<std::string, bool>> allowed;
    bool has_contact = false;
  };

  static bool look_at(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
    auto& check = *static_cast<Check*>(data);
    if (check.has_contact) return true;
    const auto row = check.allowed.find(*static_cast<const std::string*>(a->getUserData()));
    if (row != check.allowed.end() && row->second.contains(*static_cast<const std::string*>(b->getUserData()))) {
      return false;
    }
    static const fcl::CollisionRequestd kYesNo(/*num_max_contacts=*/1, /*enable_contact=*/false);
    fcl::CollisionResultd result;
    check.has_contact = fcl::collide(a, b, kYesNo, result) > 0;
    return check.has_contact;
  }

  MovedBodies bodies_;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  fcl::DynamicAABBTreeCollisionManagerd robot_;
  fcl::DynamicAABBTreeCollisionManagerd world_;
  Check check_;
};

}  // namespace

std::unique_ptr<PlanningPeer> make_fcl_loop(const CheckedProblem& problem) {
  return std::make_unique<FclLoop>(problem);
}

std::unique_ptr<PlanningPeer> make_fcl_managers(const CheckedProblem& problem) {
  return std::make_unique<FclManagers>(problem);
}

}  // namespace abut::bench
