// CGAL's box_self_intersection_d, a divide and conquer that keeps nothing from frame to frame. What is fixed is crossed
// with what moves and not with itself.
#include "peers.h"

#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/box_intersection_d.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace abut::bench {
namespace {

using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, std::uint32_t>;

Box box_of(Aabb box, std::size_t id) {
  return {box.lower.data(), box.upper.data(), static_cast<std::uint32_t>(id)};
}

class CgalPeer : public BroadPeer {
 public:
  explicit CgalPeer(const MovingScene& scene) : scene_(scene), boxes_(scene.boxes) {}

  std::size_t run_frame(const std::vector<Aabb>& frame) override {
    for (std::size_t i = 0; i < frame.size(); ++i) boxes_[scene_.movers[i]] = frame[i];
    // It reorders what it is given: pointers, which its manual advises for speed.
    copies_.clear();
    for (std::size_t id = 0; id < boxes_.size(); ++id) copies_.push_back(box_of(boxes_[id], id));
    moving_.clear();
    fixed_.clear();
    for (std::size_t id = 0; id < boxes_.size(); ++id) {
      (scene_.motions[id] == Motion::fixed ? fixed_ : moving_).push_back(&copies_[id]);
    }
    std::size_t pairs = 0;
    const auto count = [&pairs](const Box*, const Box*) { ++pairs; };
    CGAL::box_self_intersection_d(moving_.begin(), moving_.end(), count);
    if (!fixed_.empty()) {
      CGAL::box_intersection_d(moving_.begin(), moving_.end(), fixed_.begin(), fixed_.end(), count);
    }
    return pairs;
  }

 private:
  const MovingScene& scene_;
  std::vector<Aabb> boxes_;
  std::vector<Box> copies_;
  std::vector<const Box*> moving_;
  std::vector<const Box*> fixed_;
};

}  // namespace

std::unique_ptr<BroadPeer> make_cgal(const MovingScene& scene) {
  return std::make_unique<CgalPeer>(scene);
}

}  // namespace abut::bench
