// FCL's dynamic tree of boxes.
#include "peer.h"

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <limits>

namespace abut::bench {
namespace {

fcl::Transform3d to_fcl(const Pose& pose) {
  fcl::Transform3d transform = fcl::Transform3d::Identity();
  transform.linear() = pose.rotation();
  transform.translation() = pose.translation();
  return transform;
}

bool count_collision(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
  fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  *static_cast<long*>(data) += fcl::collide(a, b, request, result) > 0 ? 1 : 0;
  return false;
}

bool least_distance(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data, double& distance) {
  fcl::DistanceRequestd request;
  fcl::DistanceResultd result;
  auto& least = *static_cast<double*>(data);
  least = std::min(least, fcl::distance(a, b, request, result));
  distance = least;
  return least <= 0.0;
}

class FclQueries : public QueryPeer {
 public:
  explicit FclQueries(std::span<const QueryBox> boxes) {
    for (const QueryBox& box : boxes) {
      objects_.push_back(object_of(box));
      manager_.registerObject(objects_.back().get());
    }
  }

  void prepare() override { manager_.setup(); }

  long overlaps(std::span<const QueryBox> boxes) override {
    long hits = 0;
    for (const QueryBox& box : boxes) {
      const auto object = object_of(box);
      manager_.collide(object.get(), &hits, &count_collision);
    }
    return hits;
  }

  long nearest(std::span<const QueryBox> boxes) override {
    long found = 0;
    for (const QueryBox& box : boxes) {
      const auto object = object_of(box);
      double least = std::numeric_limits<double>::max();
      manager_.distance(object.get(), &least, &least_distance);
      found += least < std::numeric_limits<double>::max() ? 1 : 0;
    }
    return found;
  }

 private:
  static std::unique_ptr<fcl::CollisionObjectd> object_of(const QueryBox& box) {
    auto object =
        std::make_unique<fcl::CollisionObjectd>(std::make_shared<fcl::Boxd>(2.0 * box.half_extents), to_fcl(box.pose));
    object->computeAABB();
    return object;
  }

  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
};

}  // namespace

std::unique_ptr<QueryPeer> make_fcl(std::span<const QueryBox> boxes) {
  return std::make_unique<FclQueries>(boxes);
}

}  // namespace abut::bench
