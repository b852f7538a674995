// Comparison with FCL: collide() and distance() of pairs, and DynamicAABBTreeCollisionManager for scenes. Its depths
// come from its signed distance where it has one, which for most shapes is EPA of libccd.
#include <fcl/fcl.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>

#include "once_per_hull.h"
#include "peer.h"

namespace abut::peers {
namespace {

constexpr double kTolerance = 1e-6;  // metres; FCL's default

fcl::Transform3d transform_of(const PlainPose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.linear()(i, j) = pose.rotation[3 * i + j];
    result.translation()[i] = pose.translation[i];
  }
  return result;
}

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

Geometry geometry_of(const PlainShape& shape) {
  const double* s = shape.size;
  switch (shape.kind) {
    case Kind::sphere:
      return std::make_shared<fcl::Sphered>(s[0]);
    case Kind::box:
      return std::make_shared<fcl::Boxd>(2.0 * s[0], 2.0 * s[1], 2.0 * s[2]);
    case Kind::capsule:
      return std::make_shared<fcl::Capsuled>(s[0], 2.0 * s[1]);
    case Kind::cylinder:
      return std::make_shared<fcl::Cylinderd>(s[0], 2.0 * s[1]);
    case Kind::cone:
      return std::make_shared<fcl::Coned>(s[0], 2.0 * s[1]);
    case Kind::ellipsoid:
      return std::make_shared<fcl::Ellipsoidd>(s[0], s[1], s[2]);
    case Kind::hull:
      break;
  }
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  const std::vector<double>& points = shape.hull->points;
  for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
    vertices->emplace_back(points[i], points[i + 1], points[i + 2]);
  }
  auto faces = std::make_shared<std::vector<int>>();
  const std::vector<int>& triangles = shape.hull->triangles;
  for (std::size_t i = 0; i + 2 < triangles.size(); i += 3) {
    faces->push_back(3);
    for (std::size_t k = 0; k < 3; ++k) faces->push_back(triangles[i + k]);
  }
  return std::make_shared<fcl::Convexd>(vertices, static_cast<int>(triangles.size() / 3), faces);
}

class FclPairs final : public PairSolver {
 public:
  FclPairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
    OncePerHull<Geometry> geometries;
    for (const PlainShape& shape : shapes) geometries_.push_back(geometries.of(shape, geometry_of));
    for (const PlainPair& pair : pairs) {
      pairs_.push_back({geometries_[pair.a].get(), geometries_[pair.b].get(), transform_of(pair.world_from_a),
                        transform_of(pair.world_from_b)});
    }
  }

  void collides(std::span<char> answers) override {
    const fcl::CollisionRequestd request(/*num_max_contacts=*/1, /*enable_contact=*/false);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      fcl::CollisionResultd result;
      answers[i] = fcl::collide(pair.a, pair.world_from_a, pair.b, pair.world_from_b, request, result) > 0 ? 1 : 0;
    }
  }

  void distances(std::span<double> answers) override { solve(answers, /*is_signed=*/false); }

  void depths(std::span<double> answers) override {
    solve(answers, /*is_signed=*/true);
    for (double& answer : answers) answer = -answer;
  }

 private:
  struct Pair {
    const fcl::CollisionGeometryd* a = nullptr;
    const fcl::CollisionGeometryd* b = nullptr;
    fcl::Transform3d world_from_a;
    fcl::Transform3d world_from_b;
  };

  void solve(std::span<double> answers, bool is_signed) {
    const fcl::DistanceRequestd request(/*enable_nearest_points=*/true, is_signed, 0.0, 0.0, kTolerance);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      fcl::DistanceResultd result;
      try {
        fcl::distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, request, result);
        answers[i] = result.min_distance;
      } catch (const std::exception&) {  // FCL throws where its simplex degenerates
        answers[i] = std::numeric_limits<double>::quiet_NaN();
      }
    }
  }

  std::vector<Geometry> geometries_;
  std::vector<Pair> pairs_;
};

class FclScene final : public SceneSolver {
 public:
  explicit FclScene(std::span<const PlainShape> bodies) {
    OncePerHull<Geometry> geometries;
    for (const PlainShape& shape : bodies) {
      objects_.push_back(std::make_unique<fcl::CollisionObjectd>(geometries.of(shape, geometry_of)));
    }
    for (const auto& object : objects_) manager_.registerObject(object.get());
    for (std::uint32_t i = 0; i < objects_.size(); ++i) index_of_.emplace(objects_[i].get(), i);
    manager_.setup();
  }

  void step(std::span<const PlainPose> world_from_bodies) override {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      objects_[i]->setTransform(transform_of(world_from_bodies[i]));
      objects_[i]->computeAABB();
    }
    manager_.update();
    touching_.clear();
    manager_.collide(&touching_, &FclScene::add_contacts);
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() override {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Touch& touch : touching_) add_ordered(pairs, index_of_.at(touch.a), index_of_.at(touch.b));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  struct Touch {
    const fcl::CollisionObjectd* a = nullptr;
    const fcl::CollisionObjectd* b = nullptr;
    std::vector<fcl::Contactd> contacts;
  };

  static bool add_contacts(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
    const fcl::CollisionRequestd request(/*num_max_contacts=*/4, /*enable_contact=*/true);
    fcl::CollisionResultd result;
    if (fcl::collide(a, b, request, result) > 0) {
      Touch touch{a, b, {}};
      result.getContacts(touch.contacts);
      static_cast<std::vector<Touch>*>(data)->push_back(std::move(touch));
    }
    return false;  // go on
  }

  std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects_;
  std::map<const fcl::CollisionObjectd*, std::uint32_t> index_of_;
  fcl::DynamicAABBTreeCollisionManagerd manager_;
  std::vector<Touch> touching_;
};

bool answers(Query /*query*/, Kind /*a*/, Kind /*b*/) {
  return true;
}

std::unique_ptr<PairSolver> make_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<FclPairs>(shapes, pairs);
}

std::unique_ptr<SceneSolver> make_scene(std::span<const PlainShape> bodies, double /*margin*/) {
  return std::make_unique<FclScene>(bodies);
}

}  // namespace

Peer fcl_peer() {
  return {.name = "fcl", .answers = answers, .pairs = make_pairs, .scene = make_scene};
}

}  // namespace abut::peers
