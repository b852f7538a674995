// What the constructors of the shapes refuse, and how they say it.
#include <abut/core/infinity.h>
#include <abut/core/shape.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random_shapes.h>

#include <limits>
#include <vector>

namespace abut {
namespace {

using samples::error_text;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ShapeErrors, RadiiAndHalfExtentsMustBePositive) {
  EXPECT_EQ(error_text([] { Sphere(0.0); }), "radius: must be finite and > 0, got 0");
  EXPECT_EQ(error_text([] { Sphere{kNan}; }), "radius: must be finite and > 0, got nan");
  EXPECT_EQ(error_text([] { Ellipsoid(Vector3d(1, -1, 1)); }), "radii[1]: must be finite and > 0, got -1");
  EXPECT_EQ(error_text([] { Box(Vector3d(1, 1, kInfinity)); }), "half_extents[2]: must be finite and > 0, got inf");
  EXPECT_EQ(error_text([] { Capsule(-0.1, 1.0); }), "radius: must be finite and > 0, got -0.1");
  EXPECT_EQ(error_text([] { Cylinder(0.0, 1.0); }), "radius: must be finite and > 0, got 0");
  EXPECT_EQ(error_text([] { Cone(0.0, 1.0); }), "radius: must be finite and > 0, got 0");
}

TEST(ShapeErrors, HalfLengthsMayBeZeroButNotNegative) {
  EXPECT_EQ(error_text([] { Capsule(1.0, 0.0), Cylinder(1.0, 0.0), Cone(1.0, 0.0); }), "no error");
  EXPECT_EQ(error_text([] { Capsule(1.0, -1.0); }), "half_length: must be finite and >= 0, got -1");
  EXPECT_EQ(error_text([] { Cylinder(1.0, kNan); }), "half_length: must be finite and >= 0, got nan");
  EXPECT_EQ(error_text([] { Cone(1.0, kInfinity); }), "half_length: must be finite and >= 0, got inf");
}

TEST(ShapeErrors, TrianglesMayBeDegenerateButMustBeFinite) {
  EXPECT_EQ(error_text([] { Triangle({Vector3d::Ones(), Vector3d::Ones(), Vector3d::Ones()}); }), "no error");
  EXPECT_EQ(error_text([] {
              Triangle({Vector3d::Ones(), Vector3d::Ones(), Vector3d(0, kNan, 0)});
            }),
            "points[2][1]: must be finite, got nan");
}

TEST(ShapeErrors, HalfSpaceNeedsADirection) {
  EXPECT_EQ(error_text([] { HalfSpace(Vector3d::Zero(), 1.0); }), "normal: must not be zero");
  EXPECT_EQ(error_text([] { HalfSpace(Vector3d(0, 0, kNan), 1.0); }), "normal[2]: must be finite, got nan");
  EXPECT_EQ(error_text([] { HalfSpace(Vector3d::UnitZ(), kInfinity); }), "offset: must be finite, got inf");
}

TEST(ShapeErrors, SuperquadricExponentsLieBetweenZeroAndTwo) {
  const Vector3d radii = Vector3d::Ones();
  EXPECT_EQ(error_text([&] { Superquadric(radii, {1e-9, 2.0 - 1e-9}); }), "no error");
  EXPECT_EQ(error_text([&] { Superquadric(radii, {0.0, 1.0}); }), "exponents[0]: must be > 0 and < 2, got 0");
  EXPECT_EQ(error_text([&] { Superquadric(radii, {1.0, 2.0}); }), "exponents[1]: must be > 0 and < 2, got 2");
  EXPECT_EQ(error_text([&] { Superquadric(radii, {1.0, kNan}); }), "exponents[1]: must be > 0 and < 2, got nan");
  EXPECT_EQ(error_text([&] {
              Superquadric(Vector3d(0, 1, 1), {1.0, 1.0});
            }),
            "radii[0]: must be finite and > 0, got 0");
}

TEST(ShapeErrors, SmoothHullNeedsPointsAndASharpnessAboveTwo) {
  EXPECT_EQ(error_text([] { SmoothHull({}, 10.0); }), "points: must have at least one point");
  EXPECT_EQ(error_text([] { SmoothHull({Vector3d(0, kInfinity, 0)}, 10.0); }), "points[0][1]: must be finite, got inf");
  EXPECT_EQ(error_text([] { SmoothHull({Vector3d::Ones()}, 2.0); }), "sharpness: must be finite and > 2, got 2");
  EXPECT_EQ(error_text([] { SmoothHull({Vector3d::Ones()}, kNan); }), "sharpness: must be finite and > 2, got nan");
  EXPECT_EQ(error_text([] { SmoothHull({Vector3d::Ones()}, 1e300); }), "sharpness: must be <= 1e12, got 1e+300");
}

TEST(ShapeErrors, SmoothRevolutionNeedsAProfileBesideTheAxis) {
  const std::vector<Eigen::Vector2d> profile = {{1.0, 0.5}, {0.0, -0.5}};
  EXPECT_EQ(error_text([&] { SmoothRevolution(profile, 10.0, 0.01); }), "no error");
  EXPECT_EQ(error_text([&] { SmoothRevolution({}, 10.0, 0.01); }), "profile: must have at least one point");
  EXPECT_EQ(error_text([&] {
              SmoothRevolution({{1.0, 0.0}, {-1.0, 0.0}}, 10.0, 0.01);
            }),
            "profile[1][0]: must be finite and >= 0, got -1");
  EXPECT_EQ(error_text([&] { SmoothRevolution({{1.0, kNan}}, 10.0, 0.01); }), "profile[0][1]: must be finite, got nan");
  EXPECT_EQ(error_text([&] { SmoothRevolution(profile, 1.5, 0.01); }), "sharpness: must be finite and > 2, got 1.5");
  EXPECT_EQ(error_text([&] { SmoothRevolution(profile, 1e13, 0.01); }), "sharpness: must be <= 1e12, got 1e+13");
  EXPECT_EQ(error_text([&] { SmoothRevolution(profile, 10.0, 0.0); }), "flatness: must be finite and > 0, got 0");
  EXPECT_EQ(error_text([&] { SmoothRevolution(profile, 10.0, 1e-300); }),
            "flatness: must be from 1e-100 to 1e12, got 1e-300");
  EXPECT_EQ(error_text([&] { SmoothRevolution(profile, 10.0, 1e100); }),
            "flatness: must be from 1e-100 to 1e12, got 1e+100");
}

TEST(ShapeErrors, MarginsAreFiniteAndNotForComposites) {
  samples::Random random(1);
  EXPECT_EQ(error_text([] { Shape(Sphere(1.0), -0.1); }), "margin: must be finite and >= 0, got -0.1");
  EXPECT_EQ(error_text([] { Shape(Sphere(1.0), kNan); }), "margin: must be finite and >= 0, got nan");
  EXPECT_EQ(error_text([] { Shape(Sphere(1.7e308), 1.7e308); }),
            "margin: must be finite together with the radius, got inf");
  EXPECT_EQ(error_text([] { Shape(HalfSpace(Vector3d::UnitZ(), 0.0), 0.1); }), "no error");
  EXPECT_EQ(error_text([] { Shape(samples::l_mesh(1.0), 0.1); }), "margin: must be 0: a mesh takes none, got 0.1");
  EXPECT_EQ(error_text([&] { Shape(samples::hills(2, 1.0, 1.0, random), 0.1); }),
            "margin: must be 0: a height_field takes none, got 0.1");
  EXPECT_EQ(error_text([] {
              Shape(Compound({{Sphere(1.0), Pose()}}), 0.1);
            }),
            "margin: must be 0: a compound takes none, got 0.1");
  EXPECT_EQ(error_text([] { Shape(samples::l_mesh(1.0), 0.0); }), "no error");
}

TEST(ShapeErrors, SupportNeedsABoundedConvexShapeAndADirection) {
  const Shape plane = HalfSpace(Vector3d::UnitZ(), 0.0);
  EXPECT_EQ(error_text([&] { (void)support(plane, Vector3d::UnitX()); }),
            "shape: must be bounded and convex to have a support point, got a halfspace");
  EXPECT_EQ(error_text([&] { (void)support(Shape(samples::l_mesh(1.0)), Vector3d::UnitX()); }),
            "shape: must be bounded and convex to have a support point, got a mesh");
  EXPECT_EQ(error_text([&] { (void)support(Sphere(1.0), Vector3d::Zero()); }), "direction: must not be zero");
  EXPECT_EQ(error_text([&] { (void)support(Sphere(1.0), Vector3d(0, kNan, 0)); }),
            "direction[1]: must be finite, got nan");
}

}  // namespace
}  // namespace abut
