// Derivatives of separations against central differences, for every pair of kinds, on both sides of contact.
#include <abut/narrowphase/derivatives.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/quaternion_derivatives.h>
#include <gtest/gtest.h>
#include <narrowphase/separation_checks.h>
#include <support/instrumented.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace abut {
namespace {

using samples::kIsInstrumented;
using samples::Random;
using samples::ShapeKind;

using Vector10 = Eigen::Matrix<double, 10, 1>;
using Vector12 = Eigen::Matrix<double, 12, 1>;

// The bounded convex kinds, then the half-space.
constexpr std::uint32_t kConvexKinds = static_cast<std::uint32_t>(ShapeKind::mesh);
constexpr std::uint32_t kKinds = kConvexKinds + 1;

Shape shape_of(std::uint32_t kind, Random& random) {
  const double margin = random.chance(0.3) ? random.uniform(0.01, 0.1) : 0.0;
  if (kind == kConvexKinds) return Shape(HalfSpace(random.direction(), random.uniform(-0.3, 0.3)), margin);
  const Shape shape = random_shape(static_cast<ShapeKind>(kind), 1.0, random);
  return Shape(shape.geometry(), margin);
}

Vector10 numbers_of(const Separation& s) {
  Vector10 numbers;
  numbers << s.distance, s.point_a, s.point_b, s.normal;
  return numbers;
}

Eigen::Matrix<double, 10, 12> matrix_of(const SeparationDerivatives& derivatives) {
  Eigen::Matrix<double, 10, 12> matrix;
  int column = 0;
  for (const PoseDerivatives* by : {&derivatives.by_a, &derivatives.by_b}) {
    matrix.middleCols<6>(column) << by->distance, by->point_a, by->point_b, by->normal;
    column += 6;
  }
  return matrix;
}

// A small motion along the world's axes and about the body's own origin.
Pose moved(const Pose& pose, const Eigen::Matrix<double, 6, 1>& by) {
  const Vector3d turn = by.tail<3>();
  const double angle = turn.norm();
  const Quaterniond rotation(Eigen::AngleAxisd(angle, angle > 0.0 ? Vector3d(turn / angle) : Vector3d::UnitX()));
  return Pose(pose.translation() + by.head<3>(), rotation * pose.quaternion());
}

struct DerivativePair {
  Shape a;
  Pose pose_a;
  Shape b;
  Pose pose_b;

  [[nodiscard]] Separation separation(const Vector12& motion = Vector12::Zero()) const {
    return abut::distance(a, moved(pose_a, motion.head<6>()), b, moved(pose_b, motion.tail<6>()));
  }
  // Differences are taken of answers that are right to rounding.
  [[nodiscard]] Separation refined_separation(const Vector12& motion) const {
    const Pose at_a = moved(pose_a, motion.head<6>());
    const Pose at_b = moved(pose_b, motion.tail<6>());
    return refined(a, at_a, b, at_b, abut::distance(a, at_a, b, at_b));
  }
};

// b is moved along the normal until the pair has that distance, nearly.
DerivativePair pair_at_distance(Shape a, Shape b, double distance, Random& random) {
  const Pose pose_a = random.pose(1.0);
  DerivativePair pair{std::move(a), pose_a, std::move(b),
                      Pose(2.0 * random.direction()) * pose_a * Pose(Vector3d::Zero(), random.rotation())};
  const Separation start = pair.separation();
  pair.pose_b = Pose((distance - start.distance) * start.normal) * pair.pose_b;
  return pair;
}

struct Differences {
  Vector10 value;
  double doubt;           // how far two steps differ
  bool has_jump = false;  // to another face, or another direction of least depth
};

Differences along(const DerivativePair& pair, const Vector12& direction) {
  constexpr double kStep = 4e-6;
  Differences result;
  Vector10 first = Vector10::Zero();
  for (const double step : {kStep, 0.5 * kStep}) {
    const Separation ahead = pair.refined_separation(step * direction);
    const Separation behind = pair.refined_separation(-step * direction);
    const Vector10 difference = (numbers_of(ahead) - numbers_of(behind)) / (2.0 * step);
    result.has_jump = result.has_jump || (ahead.normal - behind.normal).norm() > 0.02;
    if (step == kStep) {
      first = difference;
    } else {
      result.value = (4.0 * difference - first) / 3.0;
      result.doubt = (difference - first).lpNorm<Eigen::Infinity>();
    }
  }
  return result;
}

struct Counts {
  int poses = 0;
  int distance = 0;  // smooth
  int points = 0;
  int compared = 0;
};

void check_pose(const DerivativePair& pair, Random& random, Counts& counts) {
  const Separation s = pair.separation();
  const SeparationDerivatives found = derivatives(pair.a, pair.pose_a, pair.b, pair.pose_b, s);
  const Eigen::Matrix<double, 10, 12> exact = matrix_of(found);
  ASSERT_TRUE(exact.allFinite());
  ++counts.poses;
  counts.distance += found.is_distance_smooth ? 1 : 0;
  counts.points += found.are_points_smooth ? 1 : 0;
  EXPECT_TRUE(found.is_distance_smooth || !found.are_points_smooth);
  EXPECT_TRUE(found.is_normal_smooth || !found.are_points_smooth);
  if (!found.is_distance_smooth) return;

  Vector12 direction;
  for (int i = 0; i < 4; ++i) direction.segment<3>(3 * i) = random.direction();
  const Differences differences = along(pair, direction);
  const Vector10 error = (differences.value - exact * direction).cwiseAbs();
  const double allowed = 1e-6 * (1.0 + exact.lpNorm<Eigen::Infinity>());
  // Steps that cross a kink, or that the curvature of the answer is too large for, say nothing.
  if (differences.has_jump || differences.doubt > 20.0 * allowed) return;
  ++counts.compared;
  EXPECT_LT(error[0], allowed) << "distance " << s.distance;
  if (found.are_points_smooth) {
    EXPECT_LT(error.maxCoeff(), allowed + 0.5 * differences.doubt)
        << "distance " << s.distance << ": " << differences.value.transpose() << " instead of "
        << (exact * direction).transpose();
  } else if (found.is_normal_smooth) {
    EXPECT_LT(error.tail<3>().maxCoeff(), allowed + 0.5 * differences.doubt);
  }
}

class EveryKind : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EveryKind, HasTheDerivativesOfCentralDifferences) {
  const std::uint32_t kind_a = GetParam();
  for (std::uint32_t kind_b = 0; kind_b < kKinds; ++kind_b) {
    if (kind_a == kConvexKinds && kind_b == kConvexKinds) continue;
    Counts counts;
    Random random(100 * kind_a + kind_b);
    // Each unordered pair of kinds comes twice, once in either order.
    const int poses = kIsInstrumented ? 6 : 500;
    for (int i = 0; i < poses; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " number " << i);
      // Deep overlap has directions of nearly equal depth, between which the answer jumps.
      const double distance = i % 2 == 0 ? random.uniform(-0.1, -0.005) : random.uniform(0.01, 1.0);
      Shape a = shape_of(kind_a, random);
      const DerivativePair pair = pair_at_distance(std::move(a), shape_of(kind_b, random), distance, random);
      check_pose(pair, random, counts);
      if (HasFatalFailure() || HasFailure()) return;
    }
    // A pair now and then is near a kink, or the like, which counts where the poses are few.
    const double few = kIsInstrumented ? 2.0 : 0.0;
    EXPECT_GE(counts.distance, 0.98 * counts.poses - few) << "kinds " << kind_a << " " << kind_b;
    EXPECT_GE(counts.points, 0.98 * counts.poses - few) << "kinds " << kind_a << " " << kind_b;
    EXPECT_GE(counts.compared, 0.9 * counts.poses - few) << "kinds " << kind_a << " " << kind_b;
  }
}

INSTANTIATE_TEST_SUITE_P(Derivatives, EveryKind, testing::Range(0u, kKinds), [](const auto& kind) {
  return kind.param == kConvexKinds ? std::string("half_space") : [&] {
    Random random(1);
    return std::string(random_shape(static_cast<ShapeKind>(kind.param), 1.0, random).type_name());
  }();
});

TEST(Derivatives, OfCompositesAreThoseOfTheirNearestLeaves) {
  Random random(7);
  Counts counts;
  const std::uint32_t first = static_cast<std::uint32_t>(ShapeKind::mesh);
  for (std::uint32_t kind_a = first; kind_a < samples::kShapeKinds; ++kind_a) {
    for (std::uint32_t kind_b = 0; kind_b < samples::kShapeKinds; ++kind_b) {
      for (int i = 0; i < (kIsInstrumented ? 1 : 10); ++i) {
        SCOPED_TRACE(testing::Message() << "kinds " << kind_a << " " << kind_b << " number " << i);
        Shape a = random_shape(static_cast<ShapeKind>(kind_a), 1.0, random);
        Shape b = random_shape(static_cast<ShapeKind>(kind_b), 1.0, random);
        if (i % 2 == 1) std::swap(a, b);
        DerivativePair pair{std::move(a), random.pose(1.0), std::move(b), Pose()};
        pair.pose_b = Pose(6.0 * random.direction()) * pair.pose_a * Pose(Vector3d::Zero(), random.rotation());
        ASSERT_GT(pair.separation().distance, 0.0);
        check_pose(pair, random, counts);
      }
    }
  }
  EXPECT_GE(counts.points, 0.95 * counts.poses);
  EXPECT_GE(counts.compared, 0.9 * counts.poses);
}

TEST(Derivatives, GoDownCompoundsInCompounds) {
  const Shape inner = Compound({{Shape(Box(Vector3d(0.2, 0.3, 0.4))), Pose(Vector3d(0.3, 0.0, 0.0))},
                                {Shape(Sphere(0.2)), Pose(Vector3d(-0.5, 0.0, 0.0))}});
  const Shape outer = Compound({{inner, Pose(Vector3d(0.0, 1.0, 0.0), Quaterniond(0.9, 0.1, 0.3, 0.2).normalized())},
                                {Shape(Capsule(0.1, 0.3)), Pose(Vector3d(0.0, -1.0, 0.0))}});
  Random random(3);
  Counts counts;
  for (int i = 0; i < 50; ++i) {
    SCOPED_TRACE(i);
    const DerivativePair pair{outer, random.pose(0.5), inner, Pose(4.0 * random.direction(), random.rotation())};
    check_pose(pair, random, counts);
  }
  EXPECT_GE(counts.compared, 45);
}

TEST(Derivatives, OfAMotionOfBothBodiesAreThoseOfARigidMotion) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Shape shape_a = shape_of(seed % kConvexKinds, random);
    const DerivativePair pair = pair_at_distance(
        std::move(shape_a), shape_of((seed / kConvexKinds) % kConvexKinds, random), random.uniform(-0.05, 0.5), random);
    const Separation s = pair.separation();
    const SeparationDerivatives found = derivatives(pair.a, pair.pose_a, pair.b, pair.pose_b, s);
    const Separation exact = refined(pair.a, pair.pose_a, pair.b, pair.pose_b, s);
    // A common motion: both bodies along each axis, and both about each axis through the world's origin.
    Eigen::Matrix<double, 12, 6> common = Eigen::Matrix<double, 12, 6>::Zero();
    Eigen::Matrix<double, 10, 6> expected = Eigen::Matrix<double, 10, 6>::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d unit = Vector3d::Unit(axis);
      common.col(axis) << unit, Vector3d::Zero(), unit, Vector3d::Zero();
      expected.col(axis) << 0.0, unit, unit, Vector3d::Zero();
      common.col(3 + axis) << unit.cross(pair.pose_a.translation()), unit, unit.cross(pair.pose_b.translation()), unit;
      expected.col(3 + axis) << 0.0, unit.cross(exact.point_a), unit.cross(exact.point_b), unit.cross(exact.normal);
    }
    const Eigen::Matrix<double, 10, 12> matrix = matrix_of(found);
    const double scale = 1.0 + matrix.lpNorm<Eigen::Infinity>();
    EXPECT_LT((matrix * common - expected).lpNorm<Eigen::Infinity>(), 1e-6 * scale);
    // The distance changes with the normal's direction, at rate one.
    EXPECT_LT((found.by_b.distance.head<3>().transpose() - exact.normal).norm(), 1e-8);
  }
}

TEST(Derivatives, ExchangeWithTheBodies) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 1000);
    Shape shape_a = shape_of(seed % kKinds, random);
    const DerivativePair pair = pair_at_distance(std::move(shape_a), shape_of((seed / kKinds) % kConvexKinds, random),
                                                 random.uniform(-0.05, 0.5), random);
    const Separation s = pair.separation();
    Separation exchanged = s;
    std::swap(exchanged.point_a, exchanged.point_b);
    exchanged.normal = -s.normal;
    const SeparationDerivatives one = derivatives(pair.a, pair.pose_a, pair.b, pair.pose_b, s);
    const SeparationDerivatives other = derivatives(pair.b, pair.pose_b, pair.a, pair.pose_a, exchanged);
    EXPECT_EQ(one.is_distance_smooth, other.is_distance_smooth);
    EXPECT_EQ(one.are_points_smooth, other.are_points_smooth);
    const double scale = 1.0 + matrix_of(one).lpNorm<Eigen::Infinity>();
    if (!one.are_points_smooth) continue;
    EXPECT_LT((one.by_a.distance - other.by_b.distance).norm(), 1e-9 * scale);
    EXPECT_LT((one.by_b.distance - other.by_a.distance).norm(), 1e-9 * scale);
    EXPECT_LT((one.by_a.point_a - other.by_b.point_b).norm(), 1e-8 * scale);
    EXPECT_LT((one.by_b.point_a - other.by_a.point_b).norm(), 1e-8 * scale);
    EXPECT_LT((one.by_a.normal + other.by_b.normal).norm(), 1e-8 * scale);
  }
}

TEST(Derivatives, ByTheFourComponentsOfAQuaternionAreThoseOfItsNormalisedRotation) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Shape a = Box(random.vector(0.2, 0.6));
    const Shape b = Cylinder(random.uniform(0.2, 0.5), random.uniform(0.2, 0.6));
    const Pose pose_a = random.pose(0.5);
    const Vector3d place_b = 2.5 * random.direction();
    // Not of unit length.
    const Eigen::Vector4d q =
        random.uniform(0.5, 2.0) * Eigen::Vector4d(random.uniform(0.2, 1.0), random.uniform(-1.0, 1.0),
                                                   random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
    const auto distance_at = [&](const Eigen::Vector4d& wxyz) {
      return distance(a, pose_a, b, Pose(place_b, Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized()));
    };
    const Separation s = distance_at(q);
    const Quaterniond quaternion(q[0], q[1], q[2], q[3]);
    const SeparationDerivatives found = derivatives(a, pose_a, b, Pose(place_b, quaternion.normalized()), s);
    if (!found.is_distance_smooth) continue;
    const Eigen::Matrix<double, 1, 4> by_quaternion =
        found.by_b.distance.rightCols<3>() * rotation_by_quaternion(quaternion);
    EXPECT_NEAR(by_quaternion.dot(q), 0.0, 1e-12);
    for (int k = 0; k < 4; ++k) {
      const auto difference = [&](double step) {
        const Eigen::Vector4d dq = step * Eigen::Vector4d::Unit(k);
        return (distance_at(q + dq).distance - distance_at(q - dq).distance) / (2.0 * step);
      };
      const double extrapolated = (4.0 * difference(1e-5) - difference(2e-5)) / 3.0;
      EXPECT_NEAR(by_quaternion[k], extrapolated, 1e-6 * (1.0 + by_quaternion.norm()));
    }
  }
}

// The worked example of docs/derivatives.md.
TEST(Derivatives, OfABallBesideAnEdge) {
  const Shape cube = Box(Vector3d(1, 1, 1));
  const Shape ball = Sphere(0.5);
  const Pose world_from_ball(Vector3d(1.6, 0.0, 1.8));
  const Separation s = distance(cube, Pose(), ball, world_from_ball);
  const SeparationDerivatives by = derivatives(cube, Pose(), ball, world_from_ball, s);
  EXPECT_NEAR(s.distance, 0.5, 1e-12);
  EXPECT_TRUE(by.is_distance_smooth && by.are_points_smooth && by.is_normal_smooth);
  Eigen::Matrix<double, 1, 6> expected;
  expected << 0.6, 0.0, 0.8, 0.0, 0.0, 0.0;
  EXPECT_LT((by.by_b.distance - expected).norm(), 1e-12);
  expected << -0.6, 0.0, -0.8, 0.0, 0.2, 0.0;
  EXPECT_LT((by.by_a.distance - expected).norm(), 1e-12);
  Matrix3d normal;
  normal << 0.64, 0.0, -0.48, 0.0, 0.0, 0.0, -0.48, 0.0, 0.36;
  EXPECT_LT((by.by_b.normal.leftCols<3>() - normal).norm(), 1e-12);
  EXPECT_LT(by.by_b.normal.rightCols<3>().norm(), 1e-12);
  EXPECT_LT((by.by_b.point_a.leftCols<3>() - Vector3d::UnitY() * Vector3d::UnitY().transpose()).norm(), 1e-12);
}

TEST(Refined, AnswersAreRightToRounding) {
  int counted = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Shape shape_a = shape_of(seed % kConvexKinds, random);
    const DerivativePair pair = pair_at_distance(
        std::move(shape_a), shape_of((seed / kConvexKinds) % kConvexKinds, random), random.uniform(0.01, 0.5), random);
    const Separation s = pair.separation();
    const Separation exact = refined(pair.a, pair.pose_a, pair.b, pair.pose_b, s);
    EXPECT_NEAR(exact.distance, s.distance, 1e-9);
    EXPECT_LT((exact.point_a - s.point_a).norm(), 1e-4);
    // The certificates: s(n) is the distance, and the points are that far apart, along the normal.
    const samples::Placed a(pair.a, pair.pose_a);
    const samples::Placed b(pair.b, pair.pose_b);
    EXPECT_NEAR(samples::separation_along(a, b, exact.normal), exact.distance, 1e-13);
    const double offset = (exact.point_b - exact.point_a - exact.distance * exact.normal).norm();
    counted += offset < 1e-13 ? 1 : 0;
    EXPECT_LT(offset, 1e-6);
  }
  EXPECT_GT(counted, 480);
}

// A roof of two triangles over the square, which bends along a diagonal. Beneath it a box.
ConvexHull bent_roof(double bend) {
  return ConvexHull::from_points(std::vector<Vector3d>{{-1, -1, 0},
                                                       {1, 1, 0},
                                                       {0.6, -0.6, 0},
                                                       {-1.5, 1.5, -2.1 * bend},
                                                       {-1, -1, -3},
                                                       {1, 1, -3},
                                                       {0.6, -0.6, -3},
                                                       {-1.5, 1.5, -3}});
}

TEST(Refined, HasThePlaneOfTheFaceThatHoldsThePointWhereFacesHardlyBend) {
  const std::vector<Shape> shapes = {Shape(Sphere(0.3)), Shape(Ellipsoid(Vector3d(0.3, 0.4, 0.2))),
                                     Shape(Superquadric(Vector3d(0.3, 0.4, 0.2), {1.5, 1.5})),
                                     Shape(Cylinder(0.3, 0.2))};
  for (const double bend : {1e-8, 1e-7, 3e-7, 1e-6, 1e-5, 3e-5, 1e-4, 1e-3}) {
    const Shape roof = bent_roof(bend);
    for (const Shape& shape : shapes) {
      for (const double height : {-0.2, 0.2, 0.6}) {
        SCOPED_TRACE(testing::Message() << shape.type_name() << " bend " << bend << " height " << height);
        // Over the level one of the two triangles.
        const Pose pose(Vector3d(0.2, -0.25, height), Quaterniond(0.8, 0.3, 0.4, 0.2).normalized());
        const Separation s = abut::distance(roof, Pose(), shape, pose);
        const Separation exact = refined(roof, Pose(), shape, pose, s);
        EXPECT_LT((exact.normal - Vector3d::UnitZ()).norm(), 1e-11);
        EXPECT_NEAR(exact.distance, s.distance, s.distance_error + 1e-13);
        const SeparationDerivatives found = derivatives(roof, Pose(), shape, pose, s);
        EXPECT_TRUE(found.is_distance_smooth && found.are_points_smooth && found.is_normal_smooth);
        EXPECT_LT((found.by_b.distance.head<3>().transpose() - Vector3d::UnitZ()).norm(), 1e-8);
      }
    }
  }
}

// As scans of a box have them: points of its faces, out of these by the noise.
ConvexHull noisy_box(double noise, Random& random) {
  std::vector<Vector3d> points;
  for (int i = 0; i < 8; ++i) points.emplace_back((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, (i & 4) != 0 ? 1 : -1);
  for (int i = 0; i < 120; ++i) {
    Vector3d point = random.vector(-1.0, 1.0);
    point[i % 3] = i % 2 == 0 ? 1.0 : -1.0;
    points.emplace_back(point * (1.0 + noise * (1.0 - point.squaredNorm() / 3.0) * random.uniform(0.5, 1.0)));
  }
  return ConvexHull::from_points(points);
}

TEST(Refined, AnswersOfNoisyFacesAreThoseOfTheSolverToItsError) {
  const std::vector<Shape> shapes = {Shape(Sphere(0.3)), Shape(Ellipsoid(Vector3d(0.3, 0.4, 0.5))),
                                     Shape(Superquadric(Vector3d(0.3, 0.4, 0.5), {1.5, 1.5})),
                                     Shape(Cylinder(0.3, 0.4))};
  for (const double noise : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9}) {
    Random random(4);
    const Shape box = noisy_box(noise, random);
    int smooth = 0;
    constexpr int kPoses = 200;
    for (int i = 0; i < kPoses; ++i) {
      SCOPED_TRACE(testing::Message() << "noise " << noise << " number " << i);
      const Shape& shape = shapes[static_cast<std::size_t>(i) % shapes.size()];
      Vector3d place = random.vector(-0.7, 0.7);
      place[i % 3] = random.uniform(0.9, 1.6);
      const Pose pose(place, random.rotation());
      const Separation s = abut::distance(box, Pose(), shape, pose);
      if (s.status != SolveStatus::converged) continue;
      const Separation exact = refined(box, Pose(), shape, pose, s);
      EXPECT_NEAR(exact.distance, s.distance, s.distance_error + 1e-13);
      const SeparationDerivatives found = derivatives(box, Pose(), shape, pose, s);
      if (!found.is_distance_smooth) continue;
      ++smooth;
      const Vector3d normal = found.by_b.distance.head<3>().transpose();
      const double along =
          samples::separation_along(samples::Placed(box, Pose()), samples::Placed(shape, pose), normal);
      EXPECT_GT(along, s.distance - s.distance_error - 1e-7);
    }
    EXPECT_GT(smooth, kPoses - 10);
  }
}

// Deep in each other EPA ends far from its bounds, and the error that it states says nothing of where the points are.
TEST(Refined, AnswersOfTooFewIterationsKeepTheirPointsAlongTheNormal) {
  Random random(90);
  int unfinished = 0;
  for (int trial = 0; trial < (kIsInstrumented ? 400 : 4000); ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const auto body = [&]() -> Shape {
      const double radius = random.uniform(0.3, 1.5);
      const double half_length = random.uniform(0.2, 1.5);
      switch (random.below(3)) {
        case 0:
          return Cylinder(radius, half_length);
        case 1:
          return Cone(radius, half_length);
        default:
          return Capsule(0.5 * radius, half_length);
      }
    };
    // Turned about one axis across both of theirs, all but in one plane.
    const auto turned = [&](const Vector3d& place) {
      return Pose(place, Quaterniond(Eigen::AngleAxisd(random.uniform(0.0, 6.0), Vector3d::UnitY())));
    };
    const DerivativePair pair{body(), turned(Vector3d::Zero()), body(),
                              turned({random.uniform(-0.5, 0.5), 1e-7, random.uniform(-0.5, 0.5)})};
    DistanceOptions few;
    few.max_iterations = 12;
    few.solver = random.chance(0.5) ? Solver::automatic : Solver::gjk;
    const Separation s = abut::distance(pair.a, pair.pose_a, pair.b, pair.pose_b, few);
    if (s.status != SolveStatus::iteration_limit) continue;
    ++unfinished;
    const auto beside = [](const Separation& answer) {
      const Vector3d apart = answer.point_b - answer.point_a;
      return (apart - apart.dot(answer.normal) * answer.normal).norm();
    };
    const Separation exact = refined(pair.a, pair.pose_a, pair.b, pair.pose_b, s);
    EXPECT_LE(beside(exact), std::max(1e-6, beside(s)));
    // By the envelope theorem, of a turn of b: about its own origin, at the point of b, which a step may move a little.
    const SeparationDerivatives by = derivatives(pair.a, pair.pose_a, pair.b, pair.pose_b, s);
    const Eigen::RowVector3d turn = (s.point_b - pair.pose_b.translation()).cross(s.normal).transpose();
    EXPECT_LE((by.by_b.distance.tail<3>() - turn).norm(), 0.3) << by.by_b.distance << " for " << turn;
  }
  EXPECT_GT(unfinished, kIsInstrumented ? 20 : 200);
}

// Where the rim begins the steps for the side lead to planes that cut the body, and those for the rim as well.
TEST(Refined, PlanesBesideARimDoNotCutTheBodies) {
  Random random(91);
  DistanceOptions coarse;
  coarse.solver = Solver::gjk;
  coarse.tolerance = 1e-4;
  for (int trial = 0; trial < (kIsInstrumented ? 400 : 4000); ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial);
    const Cylinder cylinder(random.uniform(0.2, 1.0), random.uniform(0.2, 1.0));
    const Ellipsoid ellipsoid(Vector3d(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0), random.uniform(0.1, 1.0)));
    // A normal that rises as little over those of the side as the solver can tell, or stays below them.
    const double rise = (random.chance(0.5) ? 1.0 : -1.0) * std::pow(10.0, random.uniform(-8.0, -2.0));
    const Vector3d normal(std::cos(rise), 0.0, std::sin(rise));
    const Quaterniond turn = random.rotation();
    const Vector3d below = turn * ellipsoid.core_support(turn.conjugate() * -normal);
    const Vector3d rim(cylinder.radius(), 0.0, cylinder.half_length());
    const Shape a(cylinder);
    const Shape b(ellipsoid);
    const Pose pose_b(rim + random.uniform(0.01, 0.5) * normal - below, turn);
    const Separation s = abut::distance(a, Pose(), b, pose_b, coarse);
    const Separation exact = refined(a, Pose(), b, pose_b, s);
    const Pose pose_a;
    const double along =
        samples::separation_along(samples::Placed(a, pose_a), samples::Placed(b, pose_b), exact.normal);
    EXPECT_GE(along, std::min(exact.distance, samples::separation_along(samples::Placed(a, pose_a),
                                                                        samples::Placed(b, pose_b), s.normal)) -
                         1e-10);
  }
}

// Ends that lie flat on each other but for rounding.
TEST(Refined, LeavesANormalAsItIsWhereNoneSeparatesMore) {
  Random random(24);
  for (int trial = 0; trial < 20000; ++trial) {
    const Shape a(Cylinder(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0)));
    const Shape b(random.chance(0.5) ? Shape(Cylinder(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0)))
                                     : Shape(Box(random.vector(0.1, 1.0)), 0.05));
    const double tilt = std::pow(10.0, random.uniform(-14.0, -10.0));
    const Pose pose_b(random.vector(-0.8, 0.8), Quaterniond(Eigen::AngleAxisd(tilt, random.direction())));
    const Separation s = distance(a, Pose(), b, pose_b);
    const Separation exact = refined(a, Pose(), b, pose_b, s);
    const Pose pose_a;
    const samples::Placed placed_a(a, pose_a);
    const samples::Placed placed_b(b, pose_b);
    EXPECT_GE(samples::separation_along(placed_a, placed_b, exact.normal),
              samples::separation_along(placed_a, placed_b, s.normal) - 5e-14)
        << "trial " << trial << ", against " << b.type_name();
  }
}

}  // namespace
}  // namespace abut
