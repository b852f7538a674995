// Comparison with Coal: collide() and distance() of pairs; for scenes its dynamic tree, each pair with a warm start of
// its own and the search ended where the pair is proven to be farther apart than the margin: what a user of Coal who
// wants speed does by hand; and with one solver for all pairs, where collide() makes one each. The tree is given boxes
// from support points, which are tighter than Coal's own for hulls. As coal_patches with the contact patches that it
// finds in a second call.
#include <coal/broadphase/broadphase_callbacks.h>
#include <coal/broadphase/broadphase_dynamic_AABB_tree.h>
#include <coal/collision.h>
#include <coal/collision_func_matrix.h>
#include <coal/contact_patch.h>
#include <coal/distance.h>
#include <coal/narrowphase/support_functions.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "once_per_hull.h"
#include "peer.h"

namespace abut::peers {
namespace {

coal::Transform3s transform_of(const PlainPose& pose) {
  coal::Matrix3s rotation;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rotation(i, j) = pose.rotation[3 * i + j];
  }
  return {rotation, coal::Vec3s(pose.translation[0], pose.translation[1], pose.translation[2])};
}

using Geometry = std::shared_ptr<coal::ShapeBase>;

Geometry geometry_of(const PlainShape& shape) {
  const double* s = shape.size;
  switch (shape.kind) {
    case Kind::sphere:
      return std::make_shared<coal::Sphere>(s[0]);
    case Kind::box:
      return std::make_shared<coal::Box>(2.0 * s[0], 2.0 * s[1], 2.0 * s[2]);
    case Kind::capsule:
      return std::make_shared<coal::Capsule>(s[0], 2.0 * s[1]);
    case Kind::cylinder:
      return std::make_shared<coal::Cylinder>(s[0], 2.0 * s[1]);
    case Kind::cone:
      return std::make_shared<coal::Cone>(s[0], 2.0 * s[1]);
    case Kind::ellipsoid:
      return std::make_shared<coal::Ellipsoid>(s[0], s[1], s[2]);
    case Kind::hull:
      break;
  }
  const std::vector<double>& points = shape.hull->points;
  auto vertices = std::make_shared<std::vector<coal::Vec3s>>();
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    vertices->emplace_back(points[i], points[i + 1], points[i + 2]);
  }
  auto faces = std::make_shared<std::vector<coal::Triangle>>();
  const auto index = [&shape](std::size_t i) { return static_cast<std::size_t>(shape.hull->triangles[i]); };
  for (std::size_t i = 0; i + 2 < shape.hull->triangles.size(); i += 3) {
    faces->emplace_back(index(i), index(i + 1), index(i + 2));
  }
  const auto vertex_count = static_cast<unsigned int>(vertices->size());
  const auto face_count = static_cast<unsigned int>(faces->size());
  return std::make_shared<coal::Convex<coal::Triangle>>(vertices, vertex_count, faces, face_count);
}

class CoalPairs final : public PairSolver {
 public:
  CoalPairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
    OncePerHull<Geometry> geometries;
    for (const PlainShape& shape : shapes) geometries_.push_back(geometries.of(shape, geometry_of));
    for (const PlainPair& pair : pairs) {
      pairs_.push_back({geometries_[pair.a].get(), geometries_[pair.b].get(), transform_of(pair.world_from_a),
                        transform_of(pair.world_from_b)});
    }
  }

  void collides(std::span<char> answers) override {
    coal::CollisionRequest request(coal::NO_REQUEST, 1);
    request.distance_upper_bound = 0.0;
    coal::CollisionResult result;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      result.clear();
      answers[i] = coal::collide(pair.a, pair.world_from_a, pair.b, pair.world_from_b, request, result) > 0 ? 1 : 0;
    }
  }

  void distances(std::span<double> answers) override {
    const coal::DistanceRequest request;
    coal::DistanceResult result;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      result.clear();
      answers[i] = coal::distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, request, result);
    }
  }

  void depths(std::span<double> answers) override {
    distances(answers);
    for (double& answer : answers) answer = -answer;
  }

 private:
  struct Pair {
    const coal::CollisionGeometry* a = nullptr;
    const coal::CollisionGeometry* b = nullptr;
    coal::Transform3s world_from_a;
    coal::Transform3s world_from_b;
  };

  std::vector<Geometry> geometries_;
  std::vector<Pair> pairs_;
};

class CoalScene final : public SceneSolver, private coal::CollisionCallBackBase {
 public:
  CoalScene(std::span<const PlainShape> bodies, double margin, bool has_patches)
      : margin_(margin), has_patches_(has_patches) {
    OncePerHull<Geometry> geometries;
    for (const PlainShape& shape : bodies) {
      shapes_.push_back(geometries.of(shape, geometry_of));
      objects_.push_back(std::make_unique<coal::CollisionObject>(shapes_.back()));
      // Where the body is among the others; Coal leaves this pointer to its user.
      objects_.back()->setUserData(reinterpret_cast<void*>(objects_.size() - 1));
    }
    for (const auto& object : objects_) manager_.registerObject(object.get());
    manager_.setup();
    request_.security_margin = margin;
    request_.distance_upper_bound = margin;
    request_.gjk_initial_guess = coal::GJKInitialGuess::CachedGuess;
    patch_request_ = coal::ContactPatchRequest(request_);
    patch_result_ = coal::ContactPatchResult(patch_request_);
  }

  void step(std::span<const PlainPose> world_from_bodies) override {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      objects_[i]->setTransform(transform_of(world_from_bodies[i]));
      objects_[i]->getAABB() = box_of(i);
    }
    manager_.update();
    near_.clear();
    manager_.collide(this);
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() override {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs = near_;
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  struct Memory {
    coal::Vec3s guess;
    coal::support_func_guess_t vertices;
  };

  static std::uint32_t index_of(const coal::CollisionObject& object) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(object.getUserData()));
  }

  /// Around the support points along the world's axes, half the margin wider.
  coal::AABB box_of(std::size_t body) const {
    const coal::Transform3s& pose = objects_[body]->getTransform();
    coal::AABB box;
    int hint = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const coal::Vec3s along = pose.getRotation().row(axis).transpose();
      for (const double sign : {-1.0, 1.0}) {
        using coal::details::getSupport;
        using coal::details::SupportOptions;
        const coal::Vec3s point =
            getSupport<SupportOptions::WithSweptSphere>(shapes_[body].get(), coal::Vec3s(sign * along), hint);
        const double end = along.dot(point) + pose.getTranslation()[axis] + sign * 0.5 * margin_;
        (sign < 0.0 ? box.min_ : box.max_)[axis] = end;
      }
    }
    return box;
  }

  bool collide(coal::CollisionObject* a, coal::CollisionObject* b) override {
    const std::uint32_t index_a = index_of(*a);
    const std::uint32_t index_b = index_of(*b);
    const std::uint64_t key = (std::uint64_t{std::min(index_a, index_b)} << 32) | std::max(index_a, index_b);
    if (index_b < index_a) std::swap(a, b);
    const auto [memory, is_new] = memories_.try_emplace(key);
    if (is_new) {
      memory->second.guess = a->getRotation().transpose() * (a->getTranslation() - b->getTranslation());
      if (memory->second.guess.isZero()) memory->second.guess = coal::Vec3s::UnitX();
      memory->second.vertices.setZero();
    }
    request_.cached_gjk_guess = memory->second.guess;
    request_.cached_support_func_guess = memory->second.vertices;
    result_.clear();
    const coal::CollisionGeometry* shape_a = a->collisionGeometryPtr();
    const coal::CollisionGeometry* shape_b = b->collisionGeometryPtr();
    solver_.set(request_);
    functions_.collision_matrix[shape_a->getNodeType()][shape_b->getNodeType()](
        shape_a, a->getTransform(), shape_b, b->getTransform(), &solver_, request_, result_);
    memory->second = {solver_.cached_guess, solver_.support_func_cached_guess};
    if (!result_.isCollision()) return false;  // go on
    near_.emplace_back(std::min(index_a, index_b), std::max(index_a, index_b));
    if (has_patches_) {
      patch_result_.clear();
      coal::computeContactPatch(a, b, result_, patch_request_, patch_result_);
    }
    return false;
  }

  double margin_;
  bool has_patches_;
  std::vector<Geometry> shapes_;
  std::vector<std::unique_ptr<coal::CollisionObject>> objects_;
  coal::DynamicAABBTreeCollisionManager manager_;
  coal::CollisionRequest request_;
  coal::CollisionResult result_;
  coal::CollisionFunctionMatrix functions_;  // by the kinds of two shapes, as coal::collide() looks them up
  coal::GJKSolver solver_;                   // kept, with the memory of its polytopes, which collide() takes anew
  coal::ContactPatchRequest patch_request_;
  coal::ContactPatchResult patch_result_;
  std::unordered_map<std::uint64_t, Memory> memories_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_;
};

bool answers(Query /*query*/, Kind /*a*/, Kind /*b*/) {
  return true;
}

std::unique_ptr<PairSolver> make_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<CoalPairs>(shapes, pairs);
}

std::unique_ptr<SceneSolver> make_scene(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<CoalScene>(bodies, margin, /*has_patches=*/false);
}

std::unique_ptr<SceneSolver> make_scene_of_patches(std::span<const PlainShape> bodies, double margin) {
  return std::make_unique<CoalScene>(bodies, margin, /*has_patches=*/true);
}

}  // namespace

Peer coal_peer() {
  return {.name = "coal", .answers = answers, .pairs = make_pairs, .scene = make_scene, .has_margin = true};
}

Peer coal_patches_peer() {
  return {.name = "coal_patches",
          .answers = [](Query, Kind, Kind) { return false; },
          .pairs = nullptr,
          .scene = make_scene_of_patches,
          .has_margin = true};
}

}  // namespace abut::peers
