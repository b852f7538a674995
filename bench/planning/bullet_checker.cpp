// Bullet's detector of pairs in a plain loop. Margins are 0, so that the shapes are abut's. Bullet computes in single
// precision with thresholds of about a hundredth of its unit, so its unit here is the centimetre, and vertices of a
// simplex count as one only where single precision cannot tell them apart.
#include "moved_bodies.h"

#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>
#include <btBulletCollisionCommon.h>

#include <stdexcept>

namespace abut::bench {
namespace {

constexpr double kUnitsPerMetre = 100.0;
constexpr btScalar kEqualVerticesSq = btScalar(1e-12);  // square units

btScalar units(double metres) {
  return static_cast<btScalar>(kUnitsPerMetre * metres);
}

btVector3 units(const Vector3d& metres) {
  return {units(metres.x()), units(metres.y()), units(metres.z())};
}

btTransform transform_of(const Pose& pose) {
  btMatrix3x3 rotation;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rotation[i][j] = static_cast<btScalar>(pose.rotation()(i, j));
  }
  return btTransform(rotation, units(pose.translation()));
}

std::unique_ptr<btConvexShape> shape_of(const Shape& shape) {
  std::unique_ptr<btConvexShape> result;
  if (const auto* sphere = shape.get_if<Sphere>()) {
    return std::make_unique<btSphereShape>(units(sphere->radius()));  // its radius is its margin
  }
  if (const auto* box = shape.get_if<Box>()) {
    result = std::make_unique<btBoxShape>(units(box->half_extents()));
  } else if (const auto* cylinder = shape.get_if<Cylinder>()) {
    result = std::make_unique<btCylinderShapeZ>(
        btVector3(units(cylinder->radius()), units(cylinder->radius()), units(cylinder->half_length())));
  } else if (const auto* hull = shape.get_if<ConvexHull>()) {
    auto points = std::make_unique<btConvexHullShape>();
    for (const Vector3d& vertex : hull->vertices()) points->addPoint(units(vertex), /*recalculateLocalAabb=*/false);
    points->recalcLocalAabb();
    result = std::move(points);
  } else {
    throw std::invalid_argument("a robot or obstacle has a shape that this benchmark does not give to Bullet");
  }
  result->setMargin(0);
  return result;
}

class BulletLoop final : public PlanningPeer {
 public:
  explicit BulletLoop(const CheckedProblem& problem) : bodies_(problem) {
    for (const MovedBody& body : bodies_.bodies()) {
      shapes_.push_back(shape_of(*body.shape));
      transforms_.push_back(transform_of(body.world_from_shape));
    }
    simplex_.setEqualVertexThreshold(kEqualVerticesSq);
    for (const BodyPair& pair : bodies_.still_pairs()) still_contact_ = still_contact_ || touches(pair);
  }

  bool is_valid(std::span<const double> configuration) override {
    if (still_contact_) return false;
    bodies_.move(configuration);
    for (std::size_t i = 0; i < bodies_.robot_body_count(); ++i) {
      transforms_[i] = transform_of(bodies_.bodies()[i].world_from_shape);
    }
    return !bodies_.any_contact([this](const BodyPair& pair) { return touches(pair); });
  }

 private:
  [[nodiscard]] bool touches(const BodyPair& pair) {
    const btConvexShape* a = shapes_[pair.a].get();
    const btConvexShape* b = shapes_[pair.b].get();
    btGjkPairDetector detector(a, b, &simplex_, &depth_solver_);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = transforms_[pair.a];
    input.m_transformB = transforms_[pair.b];
    // It stops at the first plane that proves the pair farther apart than this, and measures without the margins.
    const btScalar margins = a->getMargin() + b->getMargin();
    input.m_maximumDistanceSquared = margins * margins;
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    return result.m_hasResult && result.m_distance <= 0;
  }

  MovedBodies bodies_;
  std::vector<std::unique_ptr<btConvexShape>> shapes_;
  std::vector<btTransform> transforms_;
  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver depth_solver_;
  bool still_contact_ = false;
};

}  // namespace

std::unique_ptr<PlanningPeer> make_bullet_loop(const CheckedProblem& problem) {
  return std::make_unique<BulletLoop>(problem);
}

}  // namespace abut::bench
