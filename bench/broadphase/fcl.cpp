// FCL's dynamic tree and its sweep-and-prune. What is fixed has a manager of its own where all in it is fixed.
#include "peers.h"

#include <fcl/broadphase/broadphase_SaP.h>
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision_object.h>

namespace abut::bench {
namespace {

template <class Manager>
class FclPeer : public BroadPeer {
 public:
  explicit FclPeer(const MovingScene& scene) : scene_(scene) {
    std::vector<fcl::CollisionObjectd*> moving;
    std::vector<fcl::CollisionObjectd*> fixed;
    for (std::size_t id = 0; id < scene.size(); ++id) {
      const Vector3d size = 2.0 * scene.boxes[id].half_extents();
      objects_.push_back(std::make_unique<fcl::CollisionObjectd>(std::make_shared<fcl::Boxd>(size)));
      place(*objects_.back(), scene.boxes[id]);
      (scene.motions[id] == Motion::fixed ? fixed : moving).push_back(objects_.back().get());
    }
    moving_.registerObjects(moving);
    fixed_.registerObjects(fixed);
    moving_.setup();
    fixed_.setup();
    has_fixed_ = !fixed.empty();
  }

  std::size_t run_frame(const std::vector<Aabb>& frame) override {
    for (std::size_t i = 0; i < frame.size(); ++i) place(*objects_[scene_.movers[i]], frame[i]);
    moving_.update();
    std::size_t pairs = 0;
    moving_.collide(&pairs, &count);
    if (has_fixed_) moving_.collide(&fixed_, &pairs, &count);
    return pairs;
  }

 private:
  static void place(fcl::CollisionObjectd& object, const Aabb& box) {
    object.setTranslation(box.center());
    object.computeAABB();
  }
  static bool count(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* pairs) {
    if (a->getAABB().overlap(b->getAABB())) ++*static_cast<std::size_t*>(pairs);
    return false;
  }

  const MovingScene& scene_;
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  Manager moving_;
  Manager fixed_;
  bool has_fixed_ = false;
};

}  // namespace

std::unique_ptr<BroadPeer> make_fcl_tree(const MovingScene& scene) {
  return std::make_unique<FclPeer<fcl::DynamicAABBTreeCollisionManagerd>>(scene);
}

std::unique_ptr<BroadPeer> make_fcl_sweep(const MovingScene& scene) {
  return std::make_unique<FclPeer<fcl::SaPCollisionManagerd>>(scene);
}

}  // namespace abut::bench
