// Signed distances that a person can compute, and the errors at the front door.
#include <abut/core/error.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/poses.h>

#include <cmath>
#include <numbers>
#include <string>

namespace abut {
namespace {

using samples::at;

TEST(Distance, OfSpheresIsThatOfTheirCentresLessTheRadii) {
  const Separation s = distance(Sphere(0.5), at(1.0, 0.0, 0.0), Sphere(0.25), at(1.0, 0.0, 2.0));
  EXPECT_NEAR(s.distance, 1.25, 1e-14);
  EXPECT_TRUE(s.normal.isApprox(Vector3d::UnitZ(), 1e-14));
  EXPECT_TRUE(s.point_a.isApprox(Vector3d(1.0, 0.0, 0.5), 1e-14));
  EXPECT_TRUE(s.point_b.isApprox(Vector3d(1.0, 0.0, 1.75), 1e-14));
  EXPECT_EQ(s.status, SolveStatus::converged);
}

TEST(Distance, OfOverlappingSpheresIsNegativeWithoutAnyPenetrationSolver) {
  const Separation s = distance(Sphere(1.0), at(0.0, 0.0, 0.0), Sphere(1.0), at(0.0, 1.5, 0.0));
  EXPECT_NEAR(s.distance, -0.5, 1e-14);
  EXPECT_TRUE(s.normal.isApprox(Vector3d::UnitY(), 1e-14));
  EXPECT_LE(s.iterations, 2);
}

TEST(Distance, OfConcentricSpheresHasAnyUnitNormal) {
  const Separation s = distance(Sphere(1.0), at(3.0, 0.0, 0.0), Sphere(0.5), at(3.0, 0.0, 0.0));
  EXPECT_NEAR(s.distance, -1.5, 1e-14);
  EXPECT_NEAR(s.normal.norm(), 1.0, 1e-14);
}

TEST(Distance, OfCrossedCapsulesIsThatOfTheirSegments) {
  const Pose along_x(Vector3d(0.0, 0.0, 1.0), Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY())));
  const Pose along_y(Vector3d(0.0, 0.0, 0.0), Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitX())));
  const Separation s = distance(Capsule(0.2, 2.0), along_x, Capsule(0.3, 2.0), along_y);
  EXPECT_NEAR(s.distance, 0.5, 1e-14);
  EXPECT_TRUE(s.normal.isApprox(-Vector3d::UnitZ(), 1e-12));
}

TEST(Distance, OfBoxesFaceToFace) {
  const Separation s = distance(Box({1, 1, 1}), at(0, 0, 0), Box({0.5, 0.5, 0.5}), at(0.2, -0.3, 2.0));
  EXPECT_NEAR(s.distance, 0.5, 1e-14);
  EXPECT_TRUE(s.normal.isApprox(Vector3d::UnitZ(), 1e-12));
}

TEST(Distance, OfBoxesCornerToCorner) {
  const Separation s = distance(Box({1, 1, 1}), at(0, 0, 0), Box({1, 1, 1}), at(3, 3, 3));
  EXPECT_NEAR(s.distance, std::sqrt(3.0), 1e-14);
  EXPECT_TRUE(s.point_a.isApprox(Vector3d(1, 1, 1), 1e-14));
  EXPECT_TRUE(s.point_b.isApprox(Vector3d(2, 2, 2), 1e-14));
}

TEST(Distance, OfOverlappingBoxesIsTheLeastTranslationApart) {
  const Separation s = distance(Box({1, 1, 1}), at(0, 0, 0), Box({1, 1, 1}), at(0.3, 1.6, 0.2));
  EXPECT_NEAR(s.distance, -0.4, 1e-14);
  EXPECT_TRUE(s.normal.isApprox(Vector3d::UnitY(), 1e-12));
  EXPECT_EQ(s.status, SolveStatus::converged);
}

TEST(Distance, OfSphereInsideBoxIsTheWayOutThroughTheNearestFace) {
  const Separation s = distance(Box({1, 2, 3}), at(0, 0, 0), Sphere(0.25), at(0.6, 0.1, -0.2));
  EXPECT_NEAR(s.distance, -0.65, 1e-13);
  EXPECT_TRUE(s.normal.isApprox(Vector3d::UnitX(), 1e-12));
}

TEST(Distance, OfACylinderStandingOnABox) {
  const Separation s = distance(Box({1, 1, 0.5}), at(0, 0, -0.5), Cylinder(0.2, 0.3), at(0.1, 0.1, 0.31));
  EXPECT_NEAR(s.distance, 0.01, 1e-14);
  EXPECT_TRUE(s.normal.isApprox(Vector3d::UnitZ(), 1e-12));
}

TEST(Distance, OfConesTipToTip) {
  const Pose upside_down(Vector3d(0, 0, 2.1), Quaterniond(Eigen::AngleAxisd(std::numbers::pi, Vector3d::UnitX())));
  const Separation s = distance(Cone(0.5, 1.0), at(0, 0, 0), Cone(0.5, 1.0), upside_down);
  EXPECT_NEAR(s.distance, 0.1, 1e-13);
  EXPECT_TRUE(s.normal.isApprox(Vector3d::UnitZ(), 1e-10));
}

TEST(Distance, OfEllipsoidsAlongAnAxis) {
  const Separation s = distance(Ellipsoid({1, 2, 3}), at(0, 0, 0), Ellipsoid({0.5, 1, 2}), at(0, 4, 0));
  EXPECT_NEAR(s.distance, 1.0, 1e-12);
  EXPECT_TRUE(s.point_a.isApprox(Vector3d(0, 2, 0), 1e-6));
  EXPECT_TRUE(s.point_b.isApprox(Vector3d(0, 3, 0), 1e-6));
}

TEST(Distance, CountsMarginsOnBothSides) {
  const Separation plain = distance(Box({1, 1, 1}), at(0, 0, 0), Cone(0.5, 0.5), at(3, 0, 0));
  const Separation grown = distance(Shape(Box({1, 1, 1}), 0.2), at(0, 0, 0), Shape(Cone(0.5, 0.5), 0.1), at(3, 0, 0));
  EXPECT_NEAR(grown.distance, plain.distance - 0.3, 1e-14);
  EXPECT_NEAR((grown.point_a - plain.point_a).norm(), 0.2, 1e-12);
  EXPECT_NEAR((grown.point_b - plain.point_b).norm(), 0.1, 1e-12);
}

TEST(Distance, StopsOnceItIsProvenToExceedMaxDistance) {
  DistanceOptions options;
  options.max_distance = 0.1;
  const Separation s = distance(Ellipsoid({1, 2, 3}), at(0, 0, 0), Ellipsoid({1, 2, 3}), at(9, 1, 0), options);
  EXPECT_EQ(s.status, SolveStatus::beyond_limit);
  EXPECT_GT(s.distance, 0.1);
  const double exact = distance(Ellipsoid({1, 2, 3}), at(0, 0, 0), Ellipsoid({1, 2, 3}), at(9, 1, 0)).distance;
  EXPECT_LE(s.distance, exact + 1e-12) << "a lower bound";
  EXPECT_GE(s.distance + s.distance_error, exact - 1e-12) << "and its error";
}

TEST(Distance, ReportsTheIterationLimitWithAnHonestBound) {
  DistanceOptions options;
  options.max_iterations = 3;
  const Pose turned(Vector3d(2.5, 1.0, 0.7), Quaterniond(0.3, 0.5, -0.2, 0.8));
  for (const Vector3d& radii : {Vector3d(1.0, 0.2, 0.6), Vector3d(2.9, 0.8, 1.9)}) {  // apart, and overlapping
    const Separation rough =
        distance(Ellipsoid(radii), Pose(), Superquadric({0.7, 0.9, 0.5}, {0.4, 0.6}), turned, options);
    const double exact = distance(Ellipsoid(radii), Pose(), Superquadric({0.7, 0.9, 0.5}, {0.4, 0.6}), turned).distance;
    EXPECT_EQ(rough.status, SolveStatus::iteration_limit);
    EXPECT_GT(rough.distance_error, 1e-9);
    EXPECT_LE(std::abs(rough.distance - exact), rough.distance_error);
  }
}

TEST(Distance, RefusesTwoHalfSpaces) {
  const Shape ground(HalfSpace(Vector3d::UnitZ(), 0.0));
  try {
    static_cast<void>(distance(ground, Pose(), ground, Pose()));
    FAIL() << "two half-spaces were answered";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("half-spaces"), std::string::npos) << error.what();
  }
}

TEST(Distance, RefusesBadOptionsByName) {
  const auto message_of = [](const DistanceOptions& options) -> std::string {
    try {
      static_cast<void>(distance(Sphere(1.0), Pose(), Sphere(1.0), Pose(), options));
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  DistanceOptions negative;
  negative.tolerance = -1e-6;
  EXPECT_NE(message_of(negative).find("tolerance"), std::string::npos);
  DistanceOptions not_a_number;
  not_a_number.max_distance = std::nan("");
  EXPECT_EQ(message_of(not_a_number), "max_distance: must not be NaN, got nan");
  DistanceOptions no_steps;
  no_steps.max_iterations = 0;
  EXPECT_NE(message_of(no_steps).find("max_iterations"), std::string::npos);
  DistanceOptions no_solver;
  no_solver.solver = static_cast<Solver>(77);
  EXPECT_EQ(message_of(no_solver), "solver: must be at most 6, got 77");
  DistanceOptions no_start;
  no_start.warm_start = static_cast<WarmStart>(77);
  EXPECT_EQ(message_of(no_start), "warm_start: must be at most 3, got 77");
  EXPECT_THROW(static_cast<void>(collides(Sphere(1.0), Pose(), Sphere(1.0), Pose(), -0.1)), InvalidInput);
}

}  // namespace
}  // namespace abut
