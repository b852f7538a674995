// Comparison with Bullet: btGjkPairDetector for pairs, btCollisionWorld with its dynamic trees for scenes. All margins
// are 0, so that the shapes are abut's. Bullet has absolute thresholds of about a hundredth of its unit: with metres as
// the unit half of the distances between hulls of 200 vertices are millimetres off. So its unit here is the centimetre,
// and the threshold below which vertices of a simplex count as one is lowered to what single precision resolves.
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include "once_per_hull.h"
#include "peer.h"

namespace abut::peers {
namespace {

constexpr double kUnitsPerMetre = 100.0;
constexpr btScalar kEqualVerticesSq = btScalar(1e-12);  // square units

btScalar units(double metres) {
  return static_cast<btScalar>(kUnitsPerMetre * metres);
}

btTransform transform_of(const PlainPose& pose) {
  const double* t = pose.translation;
  btMatrix3x3 rotation;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rotation[i][j] = static_cast<btScalar>(pose.rotation[3 * i + j]);
  }
  return btTransform(rotation, btVector3(units(t[0]), units(t[1]), units(t[2])));
}

/// Null for an ellipsoid, which Bullet has not.
std::unique_ptr<btConvexShape> shape_of(const PlainShape& shape) {
  const double* s = shape.size;
  std::unique_ptr<btConvexShape> result;
  switch (shape.kind) {
    case Kind::sphere:
      return std::make_unique<btSphereShape>(units(s[0]));  // its radius is its margin
    case Kind::capsule:
      return std::make_unique<btCapsuleShapeZ>(units(s[0]), units(2.0 * s[1]));  // likewise
    case Kind::box:
      result = std::make_unique<btBoxShape>(btVector3(units(s[0]), units(s[1]), units(s[2])));
      break;
    case Kind::cylinder:
      result = std::make_unique<btCylinderShapeZ>(btVector3(units(s[0]), units(s[0]), units(s[1])));
      break;
    case Kind::cone:
      result = std::make_unique<btConeShapeZ>(units(s[0]), units(2.0 * s[1]));
      break;
    case Kind::ellipsoid:
      return nullptr;
    case Kind::hull: {
      auto hull = std::make_unique<btConvexHullShape>();
      const std::vector<double>& points = shape.hull->points;
      for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
        const btVector3 point(units(points[i]), units(points[i + 1]), units(points[i + 2]));
        hull->addPoint(point, /*recalculateLocalAabb=*/false);
      }
      hull->recalcLocalAabb();
      result = std::move(hull);
      break;
    }
  }
  result->setMargin(0);
  return result;
}

class BulletPairs final : public PairSolver {
 public:
  BulletPairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
    for (const PlainShape& shape : shapes) shapes_.push_back(shape_of(shape));
    for (const PlainPair& pair : pairs) {
      pairs_.push_back({shapes_[pair.a].get(), shapes_[pair.b].get(), transform_of(pair.world_from_a),
                        transform_of(pair.world_from_b)});
    }
    simplex_.setEqualVertexThreshold(kEqualVerticesSq);
  }

  void collides(std::span<char> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      // The detector stops at the first plane that proves the pair farther apart; it measures without the margins.
      const btScalar margins = pairs_[i].a->getMargin() + pairs_[i].b->getMargin();
      const double distance = solve(pairs_[i], margins * margins);
      answers[i] = distance <= 0.0 ? 1 : 0;  // NaN, no answer, is apart
    }
  }

  void distances(std::span<double> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) answers[i] = solve(pairs_[i], btScalar(BT_LARGE_FLOAT));
  }

  void depths(std::span<double> answers) override {
    for (std::size_t i = 0; i < pairs_.size(); ++i) answers[i] = -solve(pairs_[i], btScalar(BT_LARGE_FLOAT));
  }

 private:
  struct Pair {
    const btConvexShape* a = nullptr;
    const btConvexShape* b = nullptr;
    btTransform world_from_a;
    btTransform world_from_b;
  };

  double solve(const Pair& pair, btScalar max_distance_sq) {
    btGjkPairDetector detector(pair.a, pair.b, &simplex_, &depth_solver_);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = pair.world_from_a;
    input.m_transformB = pair.world_from_b;
    input.m_maximumDistanceSquared = max_distance_sq;
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    return result.m_hasResult ? static_cast<double>(result.m_distance) / kUnitsPerMetre
                              : std::numeric_limits<double>::quiet_NaN();
  }

  std::vector<std::unique_ptr<btConvexShape>> shapes_;
  std::vector<Pair> pairs_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver depth_solver_;
};

class BulletScene final : public SceneSolver {
 public:
  explicit BulletScene(std::span<const PlainShape> bodies)
      : dispatcher_(&configuration_), world_(&dispatcher_, &broad_phase_, &configuration_) {
    OncePerHull<std::shared_ptr<btConvexShape>> shapes;
    for (const PlainShape& shape : bodies) {
      shapes_.push_back(shapes.of(shape, shape_of));
      objects_.push_back(std::make_unique<btCollisionObject>());
      btCollisionObject& object = *objects_.back();
      object.setCollisionShape(shapes_.back().get());
      object.setCollisionFlags(0);  // neither static nor kinematic
      object.setUserIndex(static_cast<int>(objects_.size()) - 1);
      world_.addCollisionObject(&object);
    }
  }
  ~BulletScene() override {
    for (const auto& object : objects_) world_.removeCollisionObject(object.get());
  }

  void step(std::span<const PlainPose> world_from_bodies) override {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      objects_[i]->setWorldTransform(transform_of(world_from_bodies[i]));
    }
    world_.performDiscreteCollisionDetection();
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> near_pairs() override {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(i);
      for (int k = 0; k < manifold.getNumContacts(); ++k) {
        if (manifold.getContactPoint(k).getDistance() > 0) continue;
        add_ordered(pairs, static_cast<std::uint32_t>(manifold.getBody0()->getUserIndex()),
                    static_cast<std::uint32_t>(manifold.getBody1()->getUserIndex()));
        break;
      }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  std::vector<std::shared_ptr<btConvexShape>> shapes_;
  std::vector<std::unique_ptr<btCollisionObject>> objects_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btCollisionWorld world_;
};

bool answers(Query /*query*/, Kind a, Kind b) {
  return a != Kind::ellipsoid && b != Kind::ellipsoid;
}

std::unique_ptr<PairSolver> make_pairs(std::span<const PlainShape> shapes, std::span<const PlainPair> pairs) {
  return std::make_unique<BulletPairs>(shapes, pairs);
}

std::unique_ptr<SceneSolver> make_scene(std::span<const PlainShape> bodies, double /*margin*/) {
  return std::make_unique<BulletScene>(bodies);
}

}  // namespace

Peer bullet_peer() {
  return {.name = "bullet", .answers = answers, .pairs = make_pairs, .scene = make_scene};
}

}  // namespace abut::peers
