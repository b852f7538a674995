// Bullet's collision world with its dynamic tree.
#include "peer.h"

#include <btBulletCollisionCommon.h>

namespace abut::bench {
namespace {

btVector3 to_bullet(const Vector3d& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}

btTransform to_bullet(const Pose& pose) {
  const Eigen::Quaterniond q = pose.quaternion();
  return btTransform(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                  static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                     to_bullet(pose.translation()));
}

struct CountContacts : btCollisionWorld::ContactResultCallback {
  long count = 0;
  const btCollisionObject* last = nullptr;
  btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int,
                           const btCollisionObjectWrapper* other, int, int) override {
    if (point.getDistance() <= 0 && other->getCollisionObject() != last) {
      ++count;
      last = other->getCollisionObject();
    }
    return 0;
  }
};

class BulletQueries : public QueryPeer {
 public:
  explicit BulletQueries(std::span<const QueryBox> boxes)
      : dispatcher_(&configuration_), world_(&dispatcher_, &broad_, &configuration_) {
    for (const QueryBox& box : boxes) {
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(box.half_extents)));
      shapes_.back()->setMargin(0);
      objects_.push_back(std::make_unique<btCollisionObject>());
      objects_.back()->setCollisionShape(shapes_.back().get());
      objects_.back()->setWorldTransform(to_bullet(box.pose));
      world_.addCollisionObject(objects_.back().get());
    }
  }
  ~BulletQueries() override {
    for (const auto& object : objects_) world_.removeCollisionObject(object.get());
  }

  void prepare() override {
    world_.updateAabbs();
    broad_.optimize();
  }

  long first_hits(std::span<const QueryRay> rays) override {
    long hits = 0;
    for (const QueryRay& ray : rays) {
      const btVector3 from = to_bullet(ray.origin);
      const btVector3 to = to_bullet(ray.origin + ray.way);
      btCollisionWorld::ClosestRayResultCallback result(from, to);
      world_.rayTest(from, to, result);
      hits += result.hasHit() ? 1 : 0;
    }
    return hits;
  }

  long all_hits(std::span<const QueryRay> rays) override {
    long hits = 0;
    for (const QueryRay& ray : rays) {
      const btVector3 from = to_bullet(ray.origin);
      const btVector3 to = to_bullet(ray.origin + ray.way);
      btCollisionWorld::AllHitsRayResultCallback result(from, to);
      world_.rayTest(from, to, result);
      hits += result.m_collisionObjects.size();
    }
    return hits;
  }

  long casts(std::span<const QueryCast> casts) override {
    long hits = 0;
    for (const QueryCast& cast : casts) {
      btBoxShape shape(to_bullet(cast.box.half_extents));
      shape.setMargin(0);
      const btTransform from = to_bullet(cast.box.pose);
      const btTransform to = to_bullet(cast.end);
      btCollisionWorld::ClosestConvexResultCallback result(from.getOrigin(), to.getOrigin());
      world_.convexSweepTest(&shape, from, to, result);
      hits += result.hasHit() ? 1 : 0;
    }
    return hits;
  }

  long overlaps(std::span<const QueryBox> boxes) override {
    long hits = 0;
    for (const QueryBox& box : boxes) {
      btBoxShape shape(to_bullet(box.half_extents));
      shape.setMargin(0);
      btCollisionObject object;
      object.setCollisionShape(&shape);
      object.setWorldTransform(to_bullet(box.pose));
      CountContacts result;
      world_.contactTest(&object, result);
      hits += result.count;
    }
    return hits;
  }

 private:
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_;
  btCollisionWorld world_;
  std::vector<std::unique_ptr<btBoxShape>> shapes_;
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
};

}  // namespace

std::unique_ptr<QueryPeer> make_bullet(std::span<const QueryBox> boxes) {
  return std::make_unique<BulletQueries>(boxes);
}

}  // namespace abut::bench
