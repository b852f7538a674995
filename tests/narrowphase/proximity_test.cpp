// Proximity of capsules and padded polygons against GJK, the closed form and its own proof, and between its two
// solvers.
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/proximity.h>
#include <gtest/gtest.h>
#include <narrowphase/pill_samples.h>
#include <narrowphase/separation_checks.h>
#include <support/instrumented.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace abut {
namespace {

using samples::certificate_violation;
using samples::kIsInstrumented;
using samples::kPillKinds;
using samples::nearly_parallel_pair;
using samples::PillKind;
using samples::PillPair;
using samples::proximity_of;
using samples::Random;
using samples::random_pair;

constexpr int kRepetitions = kIsInstrumented ? 40 : 1500;

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

double coordinates(const PillPair& pair) {
  return 3.0 * pair.size + (pair.world_from_a.translation() - pair.world_from_b.translation()).norm();
}

// What the members of an answer say of each other.
void expect_consistent(const PillPair& pair, const Proximity& p) {
  const double tolerance = 1e-14 * (coordinates(pair) + pair.world_from_a.translation().norm());
  const double radii = pair.radii();
  ASSERT_TRUE(std::isfinite(p.phi + p.distance + p.normal.sum() + p.point_a.sum() + p.point_b.sum() +
                            p.core_point_a.sum() + p.core_point_b.sum() + p.distance_error));
  EXPECT_EQ(p.status, SolveStatus::converged);
  EXPECT_GE(p.distance_error, 0.0);
  EXPECT_LE(p.distance_error, 1e-12 * coordinates(pair));
  EXPECT_NEAR(p.normal.norm(), 1.0, 1e-14);
  const double apart = (p.core_point_b - p.core_point_a).norm();
  EXPECT_NEAR(p.distance, apart - radii, tolerance);
  EXPECT_NEAR(p.phi, apart * apart - radii * radii, tolerance * (apart + radii));
  EXPECT_LE((p.point_a - p.core_point_a - samples::PillPair::radius(pair.a) * p.normal).norm(), tolerance);
  EXPECT_LE((p.point_b - p.core_point_b + samples::PillPair::radius(pair.b) * p.normal).norm(), tolerance);
}

// Its normal separates by its distance, its points are on the bodies and as far apart.
void expect_proven(const PillPair& pair, const Proximity& p) {
  if (p.distance + pair.radii() <= 4.0 * p.distance_error) return;  // the cores meet: no depth is claimed
  Separation s;
  s.distance = p.distance;
  s.normal = p.normal;
  s.point_a = p.point_a;
  s.point_b = p.point_b;
  s.distance_error = p.distance_error;
  EXPECT_EQ(certificate_violation(pair.a, pair.world_from_a, pair.b, pair.world_from_b, s, 1e-13 * pair.size), "");
}

// The distance of GJK; where the cores cross, that is deeper than the radii and proximity stops at them.
void expect_distance_of_gjk(const PillPair& pair, const Proximity& p) {
  DistanceOptions options;
  options.solver = Solver::gjk;
  options.tolerance = 1e-12 * pair.size;
  const Separation s = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, options);
  EXPECT_NEAR(p.distance, std::max(s.distance, -pair.radii()), 1e-10 * pair.size + s.distance_error);
}

void expect_right(const PillPair& pair) {
  const Proximity p = proximity_of(pair);
  expect_consistent(pair, p);
  expect_proven(pair, p);
  expect_distance_of_gjk(pair, p);
  const Proximity interior = proximity_of(pair, QpMethod::interior_point);
  expect_consistent(pair, interior);
  expect_proven(pair, interior);
  EXPECT_NEAR(interior.distance, p.distance, 1e-13 * coordinates(pair));
}

TEST(Proximity, IsThatOfGjkAndProvesItselfForRandomPairs) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    int apart = 0;
    int crossing = 0;
    for (const double size : {1e-6, 1.0, 1e3}) {
      const std::uint64_t seed = 1;
      Random random(seed);
      for (int i = 0; i < kRepetitions; ++i) {
        SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " size " << size << " seed "
                                        << seed << " number " << i);
        const PillPair pair = random_pair(kind_a, kind_b, size, random);
        expect_right(pair);
        const bool is_apart = proximity_of(pair).distance > -pair.radii() + 1e-9 * size;
        (is_apart ? apart : crossing) += 1;
      }
    }
    EXPECT_GT(apart, kRepetitions);
    const bool are_polygons = kind_a == PillKind::polygon && kind_b == PillKind::polygon;
    EXPECT_GT(crossing, are_polygons ? kRepetitions / 20 : -1);
  }
}

TEST(Proximity, IsRightForParallelAndNearlyParallelPairs) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    for (int power = 3; power <= 16; ++power) {
      const double angle = power == 16 ? 0.0 : std::pow(10.0, -power);
      const auto seed = static_cast<std::uint64_t>(power);
      Random random(seed);
      for (int i = 0; i < kRepetitions / 8; ++i) {
        SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " angle " << angle << " seed "
                                        << seed << " number " << i);
        const double size = std::pow(10.0, random.uniform(-6.0, 3.0));
        expect_right(nearly_parallel_pair(kind_a, kind_b, size, angle, random));
      }
    }
  }
}

// What tells the features apart is then less than the rounding of the program's gradient.
TEST(Proximity, IsRightForNearlyParallelPairsThatNearlyTouch) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    Random random(9);
    for (int i = 0; i < 2 * kRepetitions; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 9 number " << i);
      const double size = std::pow(10.0, random.uniform(-6.0, 3.0));
      const double angle = std::pow(10.0, random.uniform(-16.0, -3.0));
      PillPair pair = nearly_parallel_pair(kind_a, kind_b, size, angle, random);
      const Proximity p = proximity_of(pair);
      const double core_distance = size * std::pow(10.0, random.uniform(-16.0, -3.0));
      pair.world_from_b = Pose((core_distance - (p.distance + pair.radii())) * p.normal) * pair.world_from_b;
      expect_right(pair);
    }
  }
}

TEST(Proximity, IsRightForBodiesOfVeryDifferentSizes) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    Random random(3);
    for (int i = 0; i < kRepetitions / 2; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 3 number " << i);
      const double small = std::pow(10.0, random.uniform(-7.0, 0.0));
      PillPair pair = random_pair(kind_a, kind_b, 1.0, random);
      pair.b = samples::random_pill(kind_b, small, random);
      expect_right(pair);
    }
  }
}

TEST(Proximity, TakesCapsulesWithoutLengthAsBalls) {
  for (const PillKind kind : {PillKind::capsule, PillKind::polygon}) {
    Random random(4);
    for (int i = 0; i < kRepetitions; ++i) {
      SCOPED_TRACE(testing::Message() << "kind " << int(kind) << " seed 4 number " << i);
      PillPair pair = random_pair(PillKind::capsule, kind, 1.0, random);
      pair.a = Capsule(0.2, 0.0);
      if (kind == PillKind::capsule && i % 4 == 0) pair.b = Capsule(0.3, 0.0);
      expect_right(pair);
      const Separation ball =
          distance(Shape(Sphere(0.2)), pair.world_from_a, pair.b, pair.world_from_b, {.solver = Solver::gjk});
      EXPECT_NEAR(proximity_of(pair).distance, std::max(ball.distance, -pair.radii()), 1e-10);
    }
  }
}

TEST(Proximity, OfTwoCapsulesIsTheClosedForm) {
  Random random(5);
  for (int i = 0; i < 4 * kRepetitions; ++i) {
    SCOPED_TRACE(testing::Message() << "seed 5 number " << i);
    const double size = std::pow(10.0, random.uniform(-6.0, 3.0));
    const double angle = std::pow(10.0, random.uniform(-18.0, 0.0));
    const PillPair pair = i % 2 == 0 ? random_pair(PillKind::capsule, PillKind::capsule, size, random)
                                     : nearly_parallel_pair(PillKind::capsule, PillKind::capsule, size, angle, random);
    const Separation closed = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
    const double sine = pair.world_from_a.rotation().col(2).cross(pair.world_from_b.rotation().col(2)).norm();
    for (const QpMethod method : {QpMethod::active_set, QpMethod::interior_point}) {
      const Proximity p = proximity_of(pair, method);
      if (closed.distance + pair.radii() < 1e-12 * size) continue;
      EXPECT_NEAR(p.distance, closed.distance, 1e-14 * coordinates(pair));
      if (sine < 1e-4) continue;
      EXPECT_LT((p.point_a - closed.point_a).norm(), 1e-10 * size);
      EXPECT_LT((p.point_b - closed.point_b).norm(), 1e-10 * size);
      EXPECT_LT((p.normal - closed.normal).norm(), 1e-10 * size / (closed.distance + pair.radii()) + 1e-12);
    }
  }
}

TEST(Proximity, OfCollinearAndParallelCapsulesIsExact) {
  const Shape capsule = Capsule(0.1, 1.0);
  const auto at = [&](const Vector3d& translation, QpMethod method) {
    return proximity(capsule, Pose(), capsule, Pose(translation), method);
  };
  for (const QpMethod method : {QpMethod::active_set, QpMethod::interior_point}) {
    const Proximity collinear = at({0, 0, 3}, method);
    EXPECT_NEAR(collinear.distance, 0.8, 1e-15);
    EXPECT_EQ(collinear.core_point_a, Vector3d(0, 0, 1));
    EXPECT_EQ(collinear.core_point_b, Vector3d(0, 0, 2));
    const Proximity beside = at({0.5, 0, 1}, method);
    EXPECT_NEAR(beside.distance, 0.3, 1e-15);
    EXPECT_NEAR(beside.phi, 0.21, 1e-15);
    EXPECT_LT((beside.normal - Vector3d::UnitX()).norm(), 1e-15);
    const Proximity overlapping = at({0, 0, 1}, method);
    EXPECT_EQ(overlapping.distance, -0.2);
    EXPECT_EQ(overlapping.phi, -0.2 * 0.2);
    EXPECT_NEAR(overlapping.normal.z(), 0.0, 1e-15);
  }
  // The middle of what they share, by a fixed rule.
  EXPECT_NEAR(at({0.5, 0, 1}, QpMethod::automatic).core_point_a.z(), 0.5, 1e-15);
}

TEST(Proximity, OfCrossingCoresIsTheRadiiWithANormalOfBoth) {
  const std::vector<Eigen::Vector2d> square = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  const Shape polygon = PaddedPolygon(square, 0.25);
  const Shape needle = Capsule(0.25, 1.0);
  const Proximity through = proximity(needle, Pose(Vector3d(0.2, 0.1, 0.9)), polygon, Pose());
  EXPECT_EQ(through.distance, -0.5);
  EXPECT_EQ(through.phi, -0.25);
  // The way out is along the needle: 0.1 of it is on the far side.
  EXPECT_LT((through.normal - Vector3d(0, 0, -1)).norm(), 1e-12);
  EXPECT_LT((through.core_point_a - Vector3d(0.2, 0.1, 0)).norm(), 1e-14);
  // In one plane, corner over corner.
  const Proximity flat = proximity(polygon, Pose(), polygon, Pose(Vector3d(1.9, 0.1, 0.0)));
  EXPECT_EQ(flat.distance, -0.5);
  EXPECT_LT((flat.core_point_a - flat.core_point_b).norm(), 1e-14);
  // Touching at a corner: the face's normal.
  const Pose on_edge(Vector3d(0.3, 0.2, std::sqrt(2.0)),
                     Quaterniond(Eigen::AngleAxisd(std::atan(1.0), Vector3d::UnitX()) *
                                 Eigen::AngleAxisd(2.0 * std::atan(1.0), Vector3d::UnitY())));
  const Proximity touching = proximity(polygon, on_edge, polygon, Pose());
  EXPECT_NEAR(touching.distance, -0.5, 1e-14);
  EXPECT_NEAR(std::abs(touching.normal.z()), 1.0, 1e-12);
}

TEST(Proximity, ExchangedIsTheOppositeAndFarFromTheOriginTheSame) {
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    Random random(6);
    for (int i = 0; i < kRepetitions / 2; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 6 number " << i);
      const PillPair pair = random_pair(kind_a, kind_b, 1.0, random);
      const Proximity p = proximity_of(pair);
      const Proximity q = proximity(pair.b, pair.world_from_b, pair.a, pair.world_from_a);
      EXPECT_NEAR(p.distance, q.distance, 1e-13);
      if (p.distance + pair.radii() > 1e-3) {
        EXPECT_LT((p.normal + q.normal).norm(), 1e-10);
        EXPECT_LT((p.point_a - q.point_b).norm(), 1e-10);
      }

      PillPair far = pair;
      const Pose shift(Vector3d(1e6, -2e6, 5e5));
      far.world_from_a = shift * pair.world_from_a;
      far.world_from_b = shift * pair.world_from_b;
      EXPECT_NEAR(proximity_of(far).distance, p.distance, 1e-8);
      EXPECT_LE(proximity_of(far).distance_error, 1e-13 * coordinates(pair));
    }
  }
}

TEST(Proximity, TakesPolygonsOfManySidesNeedlesAndTinyOnes) {
  std::vector<Eigen::Vector2d> circle;
  for (int i = 0; i < 64; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 64;
    circle.emplace_back(std::cos(angle), std::sin(angle));
  }
  const std::vector<Eigen::Vector2d> needle = {{0, 0}, {1, 0}, {1, 1e-7}, {0, 1e-7}};
  const std::vector<Eigen::Vector2d> wedge = {{0, 0}, {1, 0}, {1e-5, 1e-5}};
  const std::vector<Shape> shapes = {PaddedPolygon(circle, 0.1), PaddedPolygon(needle, 0.1), PaddedPolygon(wedge, 0.0),
                                     Capsule(0.1, 1e-8), Capsule(1e-3, 100.0)};
  Random random(7);
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      for (int i = 0; i < kRepetitions / 4; ++i) {
        SCOPED_TRACE(testing::Message() << a.type_name() << " " << b.type_name() << " seed 7 number " << i);
        expect_right({a, b, random.pose(1.0), random.pose(2.0), 1.0});
      }
    }
  }
}

TEST(Proximity, ServesCapsulesAndPolygonsOfAtMost64Sides) {
  const Shape capsule = Capsule(0.1, 1.0);
  const Shape ball = Sphere(1.0);
  std::vector<Eigen::Vector2d> circle;
  for (int i = 0; i < 65; ++i) circle.emplace_back(std::cos(0.09 * i), std::sin(0.09 * i));
  const Shape round = PaddedPolygon(circle, 0.1);
  const Shape triangle = PaddedPolygon(std::vector<Eigen::Vector2d>{{0, 0}, {1, 0}, {0, 1}}, 0.1);
  EXPECT_TRUE(has_proximity(capsule, triangle));
  EXPECT_FALSE(has_proximity(capsule, ball));
  EXPECT_FALSE(has_proximity(round, capsule));
  EXPECT_EQ(error_of([&] { static_cast<void>(proximity(ball, Pose(), capsule, Pose())); }),
            "shape: proximity needs two capsules or padded polygons of at most 64 sides, not sphere and capsule");
  EXPECT_EQ(error_of([&] { static_cast<void>(proximity(capsule, Pose(), triangle, Pose(), QpMethod::active_set)); }),
            "method: the active set needs two capsules");
}

TEST(SolverQp, AnswersDistanceAndCollidesAndLeavesCrossingCoresToOthers) {
  constexpr int kPairs = kIsInstrumented ? 400 : 1500;  // crossing cores are rare among polygons
  for (const auto& [kind_a, kind_b] : kPillKinds) {
    Random random(8);
    int by_qp = 0;
    int by_others = 0;
    for (int i = 0; i < kPairs; ++i) {
      SCOPED_TRACE(testing::Message() << "kinds " << int(kind_a) << int(kind_b) << " seed 8 number " << i);
      PillPair pair = random_pair(kind_a, kind_b, 1.0, random);
      if (i % 8 == 0) pair.world_from_b = pair.world_from_a * Pose(Vector3d::Zero(), random.rotation());
      const DistanceOptions options{.solver = Solver::qp};
      const Separation s = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b, options);
      const Separation automatic = distance(pair.a, pair.world_from_a, pair.b, pair.world_from_b);
      EXPECT_NEAR(s.distance, automatic.distance, 1e-9);
      EXPECT_EQ(s.solver == Solver::qp, s.distance > -pair.radii() + 1e-9);
      (s.solver == Solver::qp ? by_qp : by_others) += 1;
      EXPECT_EQ(certificate_violation(pair.a, pair.world_from_a, pair.b, pair.world_from_b, s, 1e-9), "");
      for (const double offset : {-1e-6, 1e-6}) {
        const double margin = s.distance + offset;
        if (margin < 0.0) continue;
        EXPECT_EQ(collides(pair.a, pair.world_from_a, pair.b, pair.world_from_b, margin, options), offset > 0.0);
      }
      if (s.distance < 0.0) {
        EXPECT_TRUE(collides(pair.a, pair.world_from_a, pair.b, pair.world_from_b, 0.0, options));
      }
    }
    EXPECT_GT(by_qp, kPairs / 2);
    EXPECT_GT(by_others, kPairs / 40);
  }
}

TEST(SolverQp, IsRefusedForOtherShapes) {
  const Shape ball = Sphere(1.0);
  const Shape box = Box(Vector3d(1, 1, 1));
  const DistanceOptions options{.solver = Solver::qp};
  EXPECT_EQ(error_of([&] { static_cast<void>(distance(box, Pose(), ball, Pose(), options)); }),
            "solver: qp needs two capsules or padded polygons of at most 64 sides, not box and sphere");
  EXPECT_EQ(error_of([&] { static_cast<void>(collides(box, Pose(), ball, Pose(), 0.0, options)); }),
            "solver: qp needs two capsules or padded polygons of at most 64 sides, not box and sphere");
  EXPECT_FALSE(serves(Solver::qp, box, ball));
  EXPECT_TRUE(serves(Solver::qp, Capsule(1.0, 1.0), Capsule(1.0, 0.0)));
  EXPECT_EQ(solver_or_automatic(Solver::qp, box, ball), Solver::automatic);
}

}  // namespace
}  // namespace abut
