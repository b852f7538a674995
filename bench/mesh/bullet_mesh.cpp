// Bullet's btBvhTriangleMeshShape with its quantized tree, in single precision: rays, and bodies by contactPairTest.
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletCollisionCommon.h>

#include <limits>

#include "mesh_peer.h"

namespace abut::bench {
namespace {

btVector3 bullet_vector(const Vector3d& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

/// Without a margin, but for spheres and capsules, whose radius it is.
std::unique_ptr<btConvexShape> shape_of(const Shape& body) {
  std::unique_ptr<btConvexShape> result;
  if (const auto* sphere = body.get_if<Sphere>()) {
    return std::make_unique<btSphereShape>(static_cast<btScalar>(sphere->radius()));
  }
  if (const auto* capsule = body.get_if<Capsule>()) {
    return std::make_unique<btCapsuleShapeZ>(static_cast<btScalar>(capsule->radius()),
                                             static_cast<btScalar>(2.0 * capsule->half_length()));
  }
  if (const auto* box = body.get_if<Box>()) {
    result = std::make_unique<btBoxShape>(bullet_vector(box->half_extents()));
  } else if (const auto* cylinder = body.get_if<Cylinder>()) {
    const double radius = cylinder->radius();
    result = std::make_unique<btCylinderShapeZ>(bullet_vector({radius, radius, cylinder->half_length()}));
  } else {
    auto hull = std::make_unique<btConvexHullShape>();
    for (const Vector3d& point : body.get_if<ConvexHull>()->vertices()) hull->addPoint(bullet_vector(point), false);
    hull->recalcLocalAabb();
    result = std::move(hull);
  }
  result->setMargin(0);
  return result;
}

class BulletMeshes : public MeshPeer {
 public:
  BulletMeshes() : dispatcher_(&configuration_), world_(&dispatcher_, &broad_, &configuration_) {}

  [[nodiscard]] std::string name() const override { return "Bullet"; }
  void add(const MeshData& mesh) override {
    auto entry = std::make_unique<Entry>();
    for (const Vector3d& vertex : mesh.vertices) entry->vertices.push_back(bullet_vector(vertex));
    for (const auto& triangle : mesh.triangles) {
      for (const std::uint32_t index : triangle) entry->indices.push_back(static_cast<int>(index));
    }
    entry->arrays = std::make_unique<btTriangleIndexVertexArray>(
        static_cast<int>(mesh.triangles.size()), entry->indices.data(), static_cast<int>(3 * sizeof(int)),
        static_cast<int>(mesh.vertices.size()), &entry->vertices[0][0], static_cast<int>(sizeof(btVector3)));
    entry->shape = std::make_unique<btBvhTriangleMeshShape>(entry->arrays.get(), true);
    entry->shape->setMargin(0);
    entry->object.setCollisionShape(entry->shape.get());
    meshes_.push_back(std::move(entry));
  }
  void set_body(const Shape& body) override {
    body_ = shape_of(body);
    body_object_.setCollisionShape(body_.get());
  }

  [[nodiscard]] bool has_bodies() const override { return true; }
  bool collide_body(std::size_t mesh, const Pose& mesh_from_body) override {
    struct Found : btCollisionWorld::ContactResultCallback {
      bool is_found = false;
      btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int,
                               const btCollisionObjectWrapper*, int, int) override {
        is_found = is_found || point.getDistance() <= 0;
        return 0;
      }
    } found;
    const Eigen::Quaterniond q = mesh_from_body.quaternion();
    body_object_.setWorldTransform(btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                                            static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                                               bullet_vector(mesh_from_body.translation())));
    world_.contactPairTest(&body_object_, &meshes_[mesh]->object, found);
    return found.is_found;
  }

  [[nodiscard]] bool has_rays() const override { return true; }
  double cast(std::size_t mesh, const Ray& ray) override {
    struct Nearest : btTriangleRaycastCallback {
      using btTriangleRaycastCallback::btTriangleRaycastCallback;
      bool is_hit = false;
      btScalar reportHit(const btVector3&, btScalar fraction, int, int) override {
        is_hit = true;
        return fraction;
      }
    };
    constexpr double kEnd = 4.0;  // its rays end somewhere; these are through the mesh by then
    const btVector3 from = bullet_vector(ray.origin);
    const btVector3 to = bullet_vector(ray.origin + kEnd * ray.direction);
    Nearest nearest(from, to);
    meshes_[mesh]->shape->performRaycast(&nearest, from, to);
    return nearest.is_hit ? kEnd * static_cast<double>(nearest.m_hitFraction) : std::numeric_limits<double>::infinity();
  }

 private:
  struct Entry {
    std::vector<btVector3> vertices;
    std::vector<int> indices;
    std::unique_ptr<btTriangleIndexVertexArray> arrays;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    btCollisionObject object;
  };

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_;
  btCollisionWorld world_;
  std::vector<std::unique_ptr<Entry>> meshes_;
  std::unique_ptr<btConvexShape> body_;
  btCollisionObject body_object_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_bullet() {
  return std::make_unique<BulletMeshes>();
}

}  // namespace abut::bench
