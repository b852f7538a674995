#include "abut.h"

#include <abut/narrowphase/distance.h>
#include <abut/world/scene.h>

#include <algorithm>
#include <cstddef>

#include "plain.h"

namespace abut::peers {
namespace {

class AbutPairs final : public PairSolver {
 public:
  AbutPairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs, const DistanceOptions& options)
      : options_(options) {
    for (const PlainPair& pair : pairs) {
      pairs_.push_back({static_cast<const Shape*>(shapes[pair.a].abut_shape),
                        static_cast<const Shape*>(shapes[pair.b].abut_shape), pose_of(pair.world_from_a),
                        pose_of(pair.world_from_b)});
    }
  }

  void collides(std::span<char> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      answers[i] = abut::collides(*pair.a, pair.world_from_a, *pair.b, pair.world_from_b, 0.0, options_) ? 1 : 0;
    }
  }

  void distances(std::span<double> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      answers[i] = distance(*pair.a, pair.world_from_a, *pair.b, pair.world_from_b, options_).distance;
    }
  }

  void depths(std::span<double> answers) override {
    distances(answers);
    for (double& answer : answers) answer = -answer;
  }

 private:
  struct Pair {
    const Shape* a = nullptr;
    const Shape* b = nullptr;
    Pose world_from_a;
    Pose world_from_b;
  };
  std::vector<Pair> pairs_;
  DistanceOptions options_;
};

class AbutScene final : public SceneSolver {
 public:
  AbutScene(std::span<const PlainShape> bodies, double margin, int max_points)
      : scene_({.contact_margin = margin, .max_points = max_points}), poses_(bodies.size()) {
    for (const PlainShape& shape : bodies) {
      ids_.push_back(scene_.add({.shape = *static_cast<const Shape*>(shape.abut_shape), .pose = Pose(), .filter = {}}));
    }
  }

  void step(std::span<const PlainPose> world_from_bodies) override {
    std::transform(world_from_bodies.begin(), world_from_bodies.end(), poses_.begin(), pose_of);
    scene_.set_poses(ids_, poses_);
    scene_.step();
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() override {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Contact& contact : scene_.contacts()) add_ordered(pairs, contact.body_a.slot, contact.body_b.slot);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  Scene scene_;
  std::vector<BodyId> ids_;  // slots count from 0 in the order of adding
  std::vector<Pose> poses_;
};

bool answers(Query /*query*/, Kind /*a*/, Kind /*b*/) {
  return true;
}

std::unique_ptr<PairSolver> make_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<AbutPairs>(shapes, pairs, DistanceOptions());
}

bool has_curved_iterative(Query query, Kind a, Kind b) {
  const auto is_curved = [](Kind kind) {
    return kind == Kind::cylinder || kind == Kind::cone || kind == Kind::ellipsoid;
  };
  return query != Query::collides && (is_curved(a) || is_curved(b));
}

// Witness points within 0.7 mm make distances of these bodies right within a micrometre.
std::unique_ptr<PairSolver> make_coarse_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<AbutPairs>(shapes, pairs, DistanceOptions{.tolerance = 7e-4});
}

std::unique_ptr<SceneSolver> make_scene(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<AbutScene>(bodies, margin, /*max_points=*/static_cast<int>(Contact::kMaxPatchPoints));
}

std::unique_ptr<SceneSolver> make_scene_of_witnesses(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<AbutScene>(bodies, margin, /*max_points=*/1);
}

}  // namespace

Peer abut_peer() {
  return {.name = "abut", .answers = answers, .pairs = make_pairs, .scene = make_scene, .has_margin = true};
}

Peer abut_point_peer() {
  return {.name = "abut_point",
          .answers = [](Query, Kind, Kind) { return false; },
          .pairs = nullptr,
          .scene = make_scene_of_witnesses,
          .has_margin = true};
}

Peer abut_coarse_peer() {
  return {.name = "abut_1um", .answers = has_curved_iterative, .pairs = make_coarse_pairs, .scene = nullptr};
}

}  // namespace abut::peers
