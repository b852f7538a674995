// Bullet's dynamic tree and its axis sweep.
#include "peers.h"

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

namespace abut::bench {
namespace {

constexpr int kMoving = 1;
constexpr int kFixed = 2;

class BulletPeer : public BroadPeer {
 public:
  BulletPeer(const MovingScene& scene, std::unique_ptr<btBroadphaseInterface> broad)
      : scene_(scene), broad_(std::move(broad)) {
    for (std::size_t id = 0; id < scene.size(); ++id) {
      const bool is_fixed = scene.motions[id] == Motion::fixed;
      proxies_.push_back(broad_->createProxy(to_bullet(scene.boxes[id].lower), to_bullet(scene.boxes[id].upper), 0,
                                             nullptr, is_fixed ? kFixed : kMoving,
                                             is_fixed ? kMoving : kMoving | kFixed, nullptr));
    }
  }
  ~BulletPeer() override {
    for (btBroadphaseProxy* proxy : proxies_) broad_->destroyProxy(proxy, nullptr);
  }

  std::size_t run_frame(const std::vector<Aabb>& frame) override {
    for (std::size_t i = 0; i < frame.size(); ++i) {
      broad_->setAabb(proxies_[scene_.movers[i]], to_bullet(frame[i].lower), to_bullet(frame[i].upper), nullptr);
    }
    broad_->calculateOverlappingPairs(nullptr);
    return static_cast<std::size_t>(broad_->getOverlappingPairCache()->getNumOverlappingPairs());
  }

 private:
  static btVector3 to_bullet(const Vector3d& v) {
    return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
  }

  const MovingScene& scene_;
  std::unique_ptr<btBroadphaseInterface> broad_;
  std::vector<btBroadphaseProxy*> proxies_;
};

}  // namespace

std::unique_ptr<BroadPeer> make_bullet_tree(const MovingScene& scene) {
  return std::make_unique<BulletPeer>(scene, std::make_unique<btDbvtBroadphase>());
}

std::unique_ptr<BroadPeer> make_bullet_sweep(const MovingScene& scene) {
  Aabb all;
  for (const Aabb& box : scene.boxes) all.merge(box);
  all = all.expanded(20.0);
  const auto corner = [](const Vector3d& v) {
    return btVector3(static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z()));
  };
  return std::make_unique<BulletPeer>(scene,
                                      std::make_unique<bt32BitAxisSweep3>(corner(all.lower), corner(all.upper),
                                                                          static_cast<unsigned>(scene.size() + 2)));
}

}  // namespace abut::bench
