// Closed forms of a sphere against a sphere, capsule, box, cylinder, cone and triangle.
#include <abut/narrowphase/closed/closed_form.h>
#include <gtest/gtest.h>
#include <narrowphase/closed_checks.h>
#include <support/instrumented.h>
#include <support/poses.h>

#include <array>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

namespace abut {
namespace {

using detail::separate_closed;
using samples::at;
using samples::closed_violation;
using samples::Random;
using samples::turned_at;

void expect_answer(const Separation& s, double distance, const Vector3d& normal, const Vector3d& point_a,
                   const Vector3d& point_b) {
  EXPECT_NEAR(s.distance, distance, 1e-15);
  EXPECT_LE((s.normal - normal).norm(), 1e-15) << s.normal.transpose();
  EXPECT_LE((s.point_a - point_a).norm(), 1e-15) << s.point_a.transpose();
  EXPECT_LE((s.point_b - point_b).norm(), 1e-15) << s.point_b.transpose();
}

TEST(ClosedSphere, AgainstASphereApartAndOverlapping) {
  expect_answer(separate_closed(Sphere(0.5), 0.25, Sphere(1.0), 0.0, at(0, 0, 3)), 1.25, {0, 0, 1}, {0, 0, 0.75},
                {0, 0, 2});
  expect_answer(separate_closed(Sphere(0.5), 0.0, Sphere(1.0), 0.25, at(0, -1, 0)), -0.75, {0, -1, 0}, {0, -0.5, 0},
                {0, 0.25, 0});
}

TEST(ClosedSphere, AgainstTheSideAndTheEndOfACapsule) {
  const Capsule capsule(0.25, 1.0);
  expect_answer(separate_closed(Sphere(0.5), 0.0, capsule, 0.0, at(2, 0, 0.5)), 1.25, {1, 0, 0}, {0.5, 0, 0},
                {1.75, 0, 0});
  expect_answer(separate_closed(Sphere(0.5), 0.0, capsule, 0.0, at(0, 0, 3)), 1.25, {0, 0, 1}, {0, 0, 0.5},
                {0, 0, 1.75});
}

TEST(ClosedSphere, AgainstABoxFromOutsideAndFromWithin) {
  const Box box({1, 2, 3});
  expect_answer(separate_closed(Sphere(0.5), 0.0, box, 0.0, at(2, 1, 1)), 0.5, {1, 0, 0}, {0.5, 0, 0}, {1, 0, 0});
  expect_answer(separate_closed(Sphere(0.5), 0.0, box, 0.0, at(0.75, 0, 0)), -0.75, {1, 0, 0}, {0.5, 0, 0},
                {-0.25, 0, 0});
  expect_answer(separate_closed(Sphere(1.0), 0.0, box, 0.5, at(4, 6, 3)), 3.5, {0.6, 0.8, 0}, {0.6, 0.8, 0},
                {2.7, 3.6, 0});
}

TEST(ClosedSphere, AgainstCapSideAndRimOfACylinder) {
  const Cylinder cylinder(1.0, 2.0);
  expect_answer(separate_closed(Sphere(0.5), 0.0, cylinder, 0.0, at(0.5, 0, 3)), 0.5, {0, 0, 1}, {0, 0, 0.5},
                {0, 0, 1});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cylinder, 0.0, at(0, -2, 1)), 0.5, {0, -1, 0}, {0, -0.5, 0},
                {0, -1, 0});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cylinder, 0.0, at(4, 0, 6)), 4.5, {0.6, 0, 0.8}, {0.3, 0, 0.4},
                {3, 0, 4});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cylinder, 0.0, at(0.75, 0, 0)), -0.75, {1, 0, 0}, {0.5, 0, 0},
                {-0.25, 0, 0});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cylinder, 0.0, at(0.25, 0, -1.75)), -0.75, {0, 0, -1}, {0, 0, -0.5},
                {0, 0, 0.25});
}

TEST(ClosedSphere, AgainstBaseSlantRimAndApexOfACone) {
  const Cone cone(3.0, 2.0);  // the slant rises 4 over 3
  expect_answer(separate_closed(Sphere(0.5), 0.0, cone, 0.0, at(1, 0, 4)), 1.5, {0, 0, 1}, {0, 0, 0.5}, {0, 0, 2});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cone, 0.0, at(0, 0, -5)), 2.5, {0, 0, -1}, {0, 0, -0.5}, {0, 0, -3});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cone, 0.0, at(-6, 0, 6)), 4.5, {-0.6, 0, 0.8}, {-0.3, 0, 0.4},
                {-3, 0, 4});
  // Two metres off the middle of the slant, whose outward normal is (0.8, 0, 0.6), and half a metre within it.
  expect_answer(separate_closed(Sphere(0.5), 0.0, cone, 0.0, at(-3.1, 0, -1.2)), 1.5, {-0.8, 0, -0.6}, {-0.4, 0, -0.3},
                {-1.6, 0, -1.2});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cone, 0.0, at(-1.1, 0, 0.3)), -1.0, {-0.8, 0, -0.6}, {-0.4, 0, -0.3},
                {0.4, 0, 0.3});
  expect_answer(separate_closed(Sphere(0.5), 0.0, cone, 0.0, at(0, 1, 1.75)), -0.75, {0, 0, 1}, {0, 0, 0.5},
                {0, 0, -0.25});
  // Beside the rim and far below it: the slant's plane is not the nearest thing.
  EXPECT_EQ(closed_violation(Sphere(0.5), 0.0, cone, 0.0, at(-3.001, 0, 40)), "");
}

TEST(ClosedSphere, AgainstFaceEdgeAndCornerOfATriangle) {
  const Triangle triangle({Vector3d(0, 0, 0), Vector3d(2, 0, 0), Vector3d(0, 2, 0)});
  expect_answer(separate_closed(Sphere(0.5), 0.0, triangle, 0.0, at(-0.5, -0.5, -2)), 1.5, {0, 0, -1}, {0, 0, -0.5},
                {0, 0, -2});
  expect_answer(separate_closed(Sphere(0.5), 0.0, triangle, 0.25, at(-1, 3, -4)), 4.25, {0, 0.6, -0.8}, {0, 0.3, -0.4},
                {0, 2.85, -3.8});
  expect_answer(separate_closed(Sphere(0.5), 0.0, triangle, 0.0, at(3, 0, 4)), 4.5, {0.6, 0, 0.8}, {0.3, 0, 0.4},
                {3, 0, 4});
}

std::vector<Vector3d> extreme_sizes(Random& random) {
  const double scale = std::pow(10.0, random.uniform(-6.0, 3.0));
  return {scale * random.vector(0.2, 1.0)};
}

TEST(ClosedSphere, ProvesRandomAnswersAtAllSizes) {
  Random random(1);
  int inside = 0;
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Vector3d size = extreme_sizes(random)[0];
    const double reach = size.sum();
    const Pose pose = turned_at(random.vector(-reach, reach), random);
    const double r = random.uniform(0.01, 1.0) * size.x();
    const double ma = random.chance(0.5) ? 0.1 * size.x() : 0.0;
    const double mb = random.chance(0.5) ? 0.2 * size.y() : 0.0;
    const Sphere sphere(r);
    ASSERT_EQ(closed_violation(sphere, ma, Sphere(size.y()), mb, pose), "");
    ASSERT_EQ(closed_violation(sphere, ma, Capsule(size.y(), size.z()), mb, pose), "");
    ASSERT_EQ(closed_violation(sphere, ma, Box(size), mb, pose), "");
    ASSERT_EQ(closed_violation(sphere, ma, Cylinder(size.y(), size.z()), mb, pose), "");
    ASSERT_EQ(closed_violation(sphere, ma, Cone(size.y(), size.z()), mb, pose), "");
    const Triangle triangle({random.vector(-reach, reach), random.vector(-reach, reach), random.vector(-reach, reach)});
    ASSERT_EQ(closed_violation(sphere, ma, triangle, mb, pose), "");
    inside += separate_closed(sphere, 0.0, Box(size), 0.0, pose).distance < -r ? 1 : 0;
  }
  EXPECT_GT(inside, 15) << "centres inside the box";
}

// Centres on and around every feature of the cores, nearer than any direction can be told from rounding.
TEST(ClosedSphere, ProvesItselfWithTheCentreAtTheSurfaceOfTheCore) {
  Random random(2);
  for (int round = 0; round < (samples::kIsInstrumented ? 500 : 1500); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double off = random.chance(0.2) ? 0.0 : std::pow(10.0, random.uniform(-17.0, -2.0));
    const Vector3d shift = off * random.direction();
    const Quaterniond rotation = round % 3 == 0 ? Quaterniond::Identity() : random.rotation();
    const auto pose = [&](const Vector3d& center_in_b) { return Pose(rotation * -(center_in_b + shift), rotation); };
    const auto pick = [&] {
      return random.chance(0.5) ? std::copysign(1.0, random.uniform(-1, 1)) : random.uniform(-1, 1);
    };
    const Sphere sphere(0.125);
    const double ring = random.uniform(0, 2 * std::numbers::pi);
    const Vector3d radial(std::cos(ring), std::sin(ring), 0);
    ASSERT_EQ(closed_violation(sphere, 0, Capsule(0.25, 0.5), 0, pose({0, 0, 0.5 * pick()})), "");
    ASSERT_EQ(closed_violation(sphere, 0, Capsule(0.25, 0.0), 0, pose({0, 0, 0})), "");
    ASSERT_EQ(closed_violation(sphere, 0, Box({1, 2, 3}), 0, pose({pick(), 2 * pick(), 3 * pick()})), "");
    ASSERT_EQ(closed_violation(sphere, 0, Cylinder(1, 0.5), 0,
                               pose(std::abs(pick()) * radial + Vector3d(0, 0, 0.5 * pick()))),
              "");
    const double up = std::abs(pick());
    ASSERT_EQ(closed_violation(sphere, 0, Cone(1, 0.5), 0, pose((1 - up) * radial + Vector3d(0, 0, up - 0.5))), "");
    ASSERT_EQ(closed_violation(sphere, 0, Cone(1, 0.5), 0, pose(up * radial + Vector3d(0, 0, -0.5))), "");
    const std::array<Vector3d, 3> corners{Vector3d(0.1, 0.2, 0.3), Vector3d(1, -1, 0.5), Vector3d(-0.5, 1.5, 1)};
    const double u = std::max(0.0, pick());
    const double v = (1 - u) * std::max(0.0, pick());
    ASSERT_EQ(closed_violation(sphere, 0, Triangle(corners), 0,
                               pose(corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0]))),
              "");
  }
}

TEST(ClosedSphere, HandlesFlatAndDegenerateShapes) {
  Random random(3);
  const Vector3d p(0.3, -0.2, 0.5);
  const Vector3d q(-0.7, 0.4, 0.1);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double thin = random.chance(0.2) ? 0.0 : std::pow(10.0, random.uniform(-17.0, -1.0));
    const Pose pose = turned_at(random.chance(0.2) ? Vector3d(Vector3d::Zero()) : random.vector(-1, 1), random);
    const Sphere sphere(0.25);
    const Vector3d bent = 0.5 * (p + q) + thin * random.direction();
    ASSERT_EQ(closed_violation(sphere, 0, Triangle({p, q, bent}), 0, pose), "") << "needle " << thin;
    ASSERT_EQ(closed_violation(sphere, 0, Triangle({bent, p, q}), 0, Pose(pose.rotate(-bent), pose.quaternion())), "")
        << "at the corner of a needle " << thin;
    ASSERT_EQ(closed_violation(sphere, 0, Triangle({p, p, q}), 0, pose), "");
    ASSERT_EQ(closed_violation(sphere, 0, Triangle({p, p, p}), 0, pose), "");
    ASSERT_EQ(closed_violation(sphere, 0, Triangle({p, p, p}), 0, Pose(-p)), "") << "concentric";
    ASSERT_EQ(closed_violation(sphere, 0, Cylinder(0.5, 0.0), 0, pose), "") << "disc";
    ASSERT_EQ(closed_violation(sphere, 0, Cone(0.5, 0.0), 0, pose), "") << "disc";
    ASSERT_EQ(closed_violation(sphere, 0, Capsule(0.5, 0.0), 0, pose), "");
    ASSERT_EQ(closed_violation(sphere, 0, Cylinder(1e-6, 1e3), 0, pose), "") << "wire";
    ASSERT_EQ(closed_violation(sphere, 0, Cone(1e3, 1e-6), 0, pose), "") << "sheet";
  }
}

TEST(ClosedSphere, KeepsItsFiguresFarAway) {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Pose pose = turned_at(1e7 * random.direction(), random);
    const Sphere sphere(0.25);
    ASSERT_EQ(closed_violation(sphere, 0, Sphere(0.5), 0, pose), "");
    ASSERT_EQ(closed_violation(sphere, 0, Capsule(0.5, 1), 0, pose), "");
    ASSERT_EQ(closed_violation(sphere, 0, Box({1, 2, 3}), 0, pose), "");
    ASSERT_EQ(closed_violation(sphere, 0, Cylinder(1, 2), 0, pose), "");
    ASSERT_EQ(closed_violation(sphere, 0, Cone(1, 2), 0, pose), "");
    const Vector3d near = -pose.unrotate(pose.translation());
    const Triangle triangle({near + random.vector(-1, 1), near + random.vector(-1, 1), near + random.vector(-1, 1)});
    ASSERT_EQ(closed_violation(sphere, 0, triangle, 0, pose), "");
  }
}

// The gap runs through zero of the surfaces and of the cores; nothing may jump.
template <class B>
void expect_smooth(const B& b, const Pose& start) {
  const Sphere sphere(0.5);
  const Separation first = separate_closed(sphere, 0.0, b, 0.0, start);
  const Vector3d direction = first.normal;
  for (const double from : {first.distance, first.distance + 0.5}) {  // surfaces, then cores
    for (const double step :
         {-1e-4, -1e-6, -1e-8, -1e-10, -1e-12, -1e-14, 0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4}) {
      SCOPED_TRACE(testing::Message() << "step " << step << " from " << from);
      const Pose moved = Pose((step - from) * direction) * start;
      const Separation s = separate_closed(sphere, 0.0, b, 0.0, moved);
      EXPECT_NEAR(s.distance, first.distance - from + step, 4e-15);
      EXPECT_NEAR(s.normal.dot(direction), 1.0, 1e-14);
      EXPECT_LE((s.point_a - first.point_a).norm(), 4e-15);
    }
  }
}

TEST(ClosedSphere, PassesSmoothlyThroughTouching) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Quaterniond turn = random.rotation();
    const auto facing = [&](const Vector3d& center_in_b) { return Pose(turn * -center_in_b, turn); };
    expect_smooth(Box({1, 2, 3}), facing({2.5, 0.3, 0.4}));
    expect_smooth(Cylinder(1, 2), facing({0.3, 0.2, 3}));
    expect_smooth(Cylinder(1, 2), facing({1.3, 1.2, 0.5}));
    expect_smooth(Cone(1, 2), facing({1.1, 0.9, -0.3}));
    expect_smooth(Cone(1, 2), facing({0.2, 0.3, -4}));
  }
}

TEST(ClosedSphere, ConcentricCentresHaveAUnitNormal) {
  const Sphere sphere(0.5);
  EXPECT_EQ(closed_violation(sphere, 0, Sphere(1.0), 0, Pose()), "");
  EXPECT_EQ(closed_violation(sphere, 0, Capsule(1.0, 2.0), 0, Pose()), "");
  EXPECT_EQ(closed_violation(sphere, 0, Box({1, 1, 1}), 0, Pose()), "");
  EXPECT_EQ(closed_violation(sphere, 0, Cylinder(1, 1), 0, Pose()), "");
  EXPECT_EQ(closed_violation(sphere, 0, Cone(1, 1), 0, Pose()), "");
  EXPECT_DOUBLE_EQ(separate_closed(sphere, 0, Box({1, 1, 1}), 0, Pose()).distance, -1.5);
}

TEST(ClosedSphere, SwappedSpheresMirrorTheAnswer) {
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Pose pose = turned_at(random.vector(-1, 1), random);
    const Separation s = separate_closed(Sphere(0.3), 0.1, Sphere(0.5), 0.0, pose);
    const Separation t = separate_closed(Sphere(0.5), 0.0, Sphere(0.3), 0.1, pose.inverse());
    EXPECT_NEAR(s.distance, t.distance, 2e-15);
    EXPECT_LE((s.normal + pose.rotate(t.normal)).norm(), 1e-14);
    EXPECT_LE((s.point_a - pose * t.point_b).norm(), 2e-15);
    EXPECT_LE((s.point_b - pose * t.point_a).norm(), 2e-15);
  }
}

}  // namespace
}  // namespace abut
