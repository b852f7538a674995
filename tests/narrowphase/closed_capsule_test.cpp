// Closed forms of a capsule against a capsule, box and triangle.
#include <abut/narrowphase/closed/closed_form.h>
#include <gtest/gtest.h>
#include <narrowphase/closed_checks.h>
#include <support/instrumented.h>
#include <support/poses.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace abut {
namespace {

using detail::separate_closed;
using samples::at;
using samples::best_gap;
using samples::closed_violation;
using samples::Random;
using samples::tiny;
using samples::turned_at;

constexpr double kRightAngle = std::numbers::pi / 2;

Pose along_x(const Vector3d& center) {
  Matrix3d rotation;
  rotation << 0, 0, 1, 0, 1, 0, -1, 0, 0;
  return Pose::from_matrix(center, rotation);
}

TEST(ClosedCapsules, CrossedParallelAndEndToEnd) {
  const Capsule capsule(0.25, 1.0);
  const Separation crossed = separate_closed(capsule, 0.0, capsule, 0.125, along_x({0, 2, 0.5}));
  EXPECT_DOUBLE_EQ(crossed.distance, 1.375);
  EXPECT_LE((crossed.point_a - Vector3d(0, 0.25, 0.5)).norm(), 1e-15);
  EXPECT_LE((crossed.point_b - Vector3d(0, 1.625, 0.5)).norm(), 1e-15);
  const Separation parallel = separate_closed(capsule, 0.0, capsule, 0.0, at(1, 0, 1));
  EXPECT_DOUBLE_EQ(parallel.distance, 0.5);
  EXPECT_LE((parallel.point_a - Vector3d(0.25, 0, 0.5)).norm(), 1e-15) << "the middle of the overlap";
  const Separation in_line = separate_closed(capsule, 0.0, capsule, 0.0, at(0, 0, 4));
  EXPECT_DOUBLE_EQ(in_line.distance, 1.5);
  EXPECT_LE((in_line.normal - Vector3d::UnitZ()).norm(), 1e-15);
}

TEST(ClosedCapsules, WhoseSegmentsCrossHaveTheNormalOfBoth) {
  const Capsule capsule(0.25, 1.0);
  const Separation s = separate_closed(capsule, 0.0, capsule, 0.0, along_x({0.5, 0, 0.5}));
  EXPECT_DOUBLE_EQ(s.distance, -0.5);
  EXPECT_DOUBLE_EQ(std::abs(s.normal.y()), 1.0);
  EXPECT_EQ(closed_violation(capsule, 0, capsule, 0, along_x({0.5, 0, 0.5})), "");
  EXPECT_EQ(closed_violation(capsule, 0, capsule, 0, Pose()), "") << "in one place";
  EXPECT_EQ(closed_violation(capsule, 0, capsule, 0, at(0, 0, 1.5)), "") << "collinear";
  EXPECT_EQ(closed_violation(capsule, 0, capsule, 0, at(0, 0, 2)), "") << "collinear, end on end";
  EXPECT_EQ(closed_violation(capsule, 0, Capsule(0.5, 0.0), 0, at(0, 0, 0.5)), "") << "a point on the segment";
  EXPECT_EQ(closed_violation(Capsule(0.5, 0.0), 0, capsule, 0, along_x({0.5, 0, 0})), "") << "and the reverse";
  EXPECT_EQ(closed_violation(Capsule(0.5, 0.0), 0, Capsule(0.5, 0.0), 0, Pose()), "") << "two points in one place";
}

TEST(ClosedCapsules, ProveRandomAnswersAtAllSizes) {
  Random random(11);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double scale = std::pow(10.0, random.uniform(-6.0, 3.0));
    const Capsule a(scale * random.uniform(0.01, 0.5), scale * (random.chance(0.1) ? 0.0 : random.uniform(0.0, 1.0)));
    const Capsule b(scale * random.uniform(0.01, 0.5), scale * (random.chance(0.1) ? 0.0 : random.uniform(0.0, 1.0)));
    ASSERT_EQ(closed_violation(a, 0.1 * scale, b, 0, turned_at(scale * random.vector(-1.5, 1.5), random)), "");
    ASSERT_EQ(closed_violation(a, 0, b, 0, turned_at(1e7 * random.direction(), random)), "") << "far away";
  }
}

TEST(ClosedCapsules, ProveThemselvesWhereSegmentsNearlyTouchOrAreNearlyParallel) {
  Random random(12);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Capsule a(0.2, random.chance(0.1) ? 0.0 : 1.0);
    const Capsule b(0.1, random.chance(0.1) ? 0.0 : 0.7);
    const auto pick = [&] {
      return random.chance(0.4) ? std::copysign(1.0, random.uniform(-1, 1)) : random.uniform(-1, 1);
    };
    const Vector3d tilt = tiny(random, -17, -1) * random.direction();
    const Quaterniond rotation = random.chance(0.5) ? random.rotation() : Quaterniond(1, tilt.x(), tilt.y(), tilt.z());
    const Pose turned(Vector3d::Zero(), rotation);
    // Two chosen points of the segments meet, but for a tiny offset.
    const Vector3d center = Vector3d(0, 0, pick() * a.half_length()) - turned.rotate({0, 0, pick() * b.half_length()}) +
                            tiny(random, -17, 0) * random.direction();
    ASSERT_EQ(closed_violation(a, 0, b, 0, Pose(center, rotation)), "");
  }
}

TEST(ClosedCapsules, SwappedMirrorTheAnswer) {
  Random random(13);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Pose pose = turned_at(random.vector(-1, 1), random);
    const Capsule a(0.1, 0.8);
    const Capsule b(0.2, 0.5);
    const Separation s = separate_closed(a, 0.1, b, 0.0, pose);
    const Separation t = separate_closed(b, 0.0, a, 0.1, pose.inverse());
    EXPECT_NEAR(s.distance, t.distance, 4e-15);
    const double core_distance = s.distance + 0.4;
    EXPECT_LE((s.normal + pose.rotate(t.normal)).norm(), 1e-14 / std::max(core_distance, 1e-3));
  }
}

TEST(ClosedCapsuleBox, MeetsFaceEdgeAndCorner) {
  const Capsule capsule(0.25, 1.0);
  const Box box({1, 2, 3});
  const Separation flat = separate_closed(capsule, 0.0, box, 0.0, at(2, 0.5, 3.5));
  EXPECT_DOUBLE_EQ(flat.distance, 0.75);
  EXPECT_LE((flat.point_a - Vector3d(0.25, 0, 0.75)).norm(), 1e-15) << "the middle of the stretch beside the face";
  EXPECT_LE((flat.normal - Vector3d::UnitX()).norm(), 1e-15);
  const Separation end_on = separate_closed(capsule, 0.125, box, 0.125, at(0.5, 0.5, -6));
  EXPECT_DOUBLE_EQ(end_on.distance, 1.5);
  EXPECT_LE((end_on.point_a - Vector3d(0, 0, -1.375)).norm(), 1e-15);
  const Separation beside_edge = separate_closed(capsule, 0.0, box, 0.0, at(4, 6, 0));
  EXPECT_DOUBLE_EQ(beside_edge.distance, 4.75);
  EXPECT_LE((beside_edge.normal - Vector3d(0.6, 0.8, 0)).norm(), 1e-15);
}

TEST(ClosedCapsuleBox, LeavesTheBoxByTheNearestFaceOrAcrossAnEdge) {
  const Capsule capsule(0.25, 1.0);
  const Separation sideways = separate_closed(capsule, 0.0, Box({2, 3, 0.5}), 0.0, at(1.5, 0, 0));
  EXPECT_DOUBLE_EQ(sideways.distance, -0.75) << "half a metre through the face of x, not 1.5 m endways";
  EXPECT_DOUBLE_EQ(sideways.normal.x(), 1.0);
  // A long segment cuts a long edge diagonally.
  const Pose slanted(Vector3d(-0.9, -0.9, 0.0), Quaterniond(Eigen::AngleAxisd(kRightAngle / 2, Vector3d::UnitZ())) *
                                                    Quaterniond(Eigen::AngleAxisd(kRightAngle, Vector3d::UnitX())));
  const Capsule needle(0.125, 3.0);
  const Separation edge = separate_closed(needle, 0.0, Box({1, 1, 5}), 0.0, slanted.inverse());
  EXPECT_EQ(closed_violation(needle, 0, Box({1, 1, 5}), 0, slanted.inverse()), "");
  EXPECT_NEAR(edge.distance, -0.1 * std::sqrt(2.0) - 0.125, 1e-15);
}

std::vector<Vector3d> axes_of_segment_and_box(const Pose& a_from_b) {
  std::vector<Vector3d> axes;
  for (int i = 0; i < 3; ++i) {
    axes.emplace_back(a_from_b.rotation().col(i));
    axes.emplace_back(Vector3d::UnitZ().cross(a_from_b.rotation().col(i)));
  }
  return axes;
}

TEST(ClosedCapsuleBox, ProvesRandomAnswersAtAllSizes) {
  Random random(21);
  int overlaps = 0;
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double scale = std::pow(10.0, random.uniform(-6.0, 3.0));
    const Capsule capsule(scale * random.uniform(0.01, 0.3),
                          scale * (random.chance(0.1) ? 0.0 : random.uniform(0.1, 2.0)));
    const Box box(scale * random.vector(0.1, 1.0));
    const Pose pose = turned_at(scale * random.vector(-1.2, 1.2), random);
    const double margin = random.chance(0.5) ? 0.1 * scale : 0.0;
    ASSERT_EQ(closed_violation(capsule, margin, box, 0.5 * margin, pose), "");
    ASSERT_EQ(closed_violation(capsule, 0, box, 0, turned_at(1e7 * random.direction(), random)), "") << "far away";
    const Separation s = separate_closed(capsule, margin, box, 0.5 * margin, pose);
    if (s.distance + capsule.radius() + 1.5 * margin < 0.0) {
      ++overlaps;
      EXPECT_NEAR(s.distance,
                  best_gap(Shape(capsule, margin), Shape(box, 0.5 * margin), pose, axes_of_segment_and_box(pose)),
                  1e-14 * scale);
    }
  }
  EXPECT_GT(overlaps, 300);
}

TEST(ClosedCapsuleBox, ProvesItselfWhereTheSegmentNearlyTouchesOrIsNearlyParallel) {
  Random random(22);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Capsule capsule(0.2, random.chance(0.1) ? 0.0 : 1.0);
    const Box box({0.3, 0.6, 0.9});
    const auto pick = [&] {
      return random.chance(0.5) ? std::copysign(1.0, random.uniform(-1, 1)) : random.uniform(-1, 1);
    };
    const Vector3d tilt = tiny(random, -17, -1) * random.direction();
    Quaterniond rotation(1, tilt.x(), tilt.y(), tilt.z());
    if (random.chance(0.3)) rotation = rotation * along_x({0, 0, 0}).quaternion();
    if (random.chance(0.4)) rotation = random.rotation();
    const Pose turned(Vector3d::Zero(), rotation);
    const Vector3d in_box(0.3 * pick(), 0.6 * pick(), 0.9 * pick());
    const Vector3d center = Vector3d(0, 0, pick() * capsule.half_length()) - turned.rotate(in_box) +
                            tiny(random, -17, 0) * random.direction();
    const Pose pose(center, rotation);
    ASSERT_EQ(closed_violation(capsule, 0, box, 0, pose), "");
  }
}

std::vector<Vector3d> axes_of_segment_and_triangle(const Pose& a_from_b, const Triangle& triangle) {
  const auto& p = triangle.points();
  std::vector<Vector3d> axes{a_from_b.rotate((p[1] - p[0]).cross(p[2] - p[0])).normalized()};
  for (std::size_t i = 0; i < 3; ++i) {
    axes.emplace_back(Vector3d::UnitZ().cross(a_from_b.rotate(p[(i + 1) % 3] - p[i])).normalized());
  }
  return axes;
}

TEST(ClosedCapsuleTriangle, StandsLiesAndPierces) {
  const Triangle triangle({Vector3d(-1, -1, 0), Vector3d(3, -1, 0), Vector3d(-1, 3, 0)});
  const Capsule capsule(0.25, 1.0);
  EXPECT_DOUBLE_EQ(separate_closed(capsule, 0.0, triangle, 0.125, at(0, 0, 2)).distance, 0.625);
  const Separation pierced = separate_closed(capsule, 0.0, triangle, 0.0, at(0, 0, 0.75));
  EXPECT_DOUBLE_EQ(pierced.distance, -0.5) << "a quarter of a metre of segment above the face, and the radius";
  EXPECT_DOUBLE_EQ(pierced.normal.z(), 1.0);
  const Separation beside = separate_closed(capsule, 0.0, triangle, 0.0, at(1.5, 0, 0));
  EXPECT_DOUBLE_EQ(beside.distance, 0.25);
  const Separation across_edge = separate_closed(capsule, 0.0, triangle, 0.0, at(0.875, 0, 0));
  EXPECT_DOUBLE_EQ(across_edge.distance, -0.375) << "an eighth of a metre from the edge";
  EXPECT_DOUBLE_EQ(across_edge.normal.x(), 1.0);
  const Separation lying = separate_closed(capsule, 0.0, triangle, 0.0, along_x({0, 0, 0}));
  EXPECT_DOUBLE_EQ(lying.distance, -0.25) << "the segment lies in the plane";
}

TEST(ClosedCapsuleTriangle, ProvesRandomAnswersAtAllSizes) {
  Random random(31);
  int pierced = 0;
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double scale = std::pow(10.0, random.uniform(-6.0, 3.0));
    const Capsule capsule(scale * random.uniform(0.01, 0.3),
                          scale * (random.chance(0.1) ? 0.0 : random.uniform(0.1, 2.0)));
    const Triangle triangle({scale * random.vector(-1, 1), scale * random.vector(-1, 1), scale * random.vector(-1, 1)});
    const Pose pose = turned_at(scale * random.vector(-1, 1), random);
    ASSERT_EQ(closed_violation(capsule, 0, triangle, 0.1 * scale, pose), "");
    ASSERT_EQ(closed_violation(capsule, 0, triangle, 0, turned_at(1e7 * random.direction(), random)), "") << "far away";
    const Separation s = separate_closed(capsule, 0.0, triangle, 0.0, pose);
    if (s.distance + capsule.radius() < -1e-3 * scale) {
      ++pierced;
      EXPECT_NEAR(s.distance, best_gap(capsule, triangle, pose, axes_of_segment_and_triangle(pose, triangle)),
                  1e-14 * scale);
    }
  }
  EXPECT_GT(pierced, 50);
}

TEST(ClosedCapsuleTriangle, ProvesItselfWhereCoresNearlyTouchAndOnNeedles) {
  Random random(32);
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Capsule capsule(0.2, random.chance(0.1) ? 0.0 : 1.0);
    const Vector3d p = random.vector(-1, 1);
    const Vector3d q = random.chance(0.1) ? p : random.vector(-1, 1);
    const Vector3d needle = p + random.uniform(-0.5, 1.5) * (q - p) + tiny(random, -17, -1) * random.direction();
    const Triangle triangle({p, q, random.chance(0.5) ? needle : random.vector(-1, 1)});
    const auto& corners = triangle.points();
    // In the plane of the triangle, across it, or along an edge.
    Quaterniond rotation = random.rotation();
    const Vector3d edge = corners[1] - corners[0];
    if (random.chance(0.3) && edge.norm() > 0.0) rotation = samples::turn_between(edge, Vector3d::UnitZ());
    const Pose turned(Vector3d::Zero(), rotation);
    const double u = random.chance(0.3) ? 0.0 : random.uniform(0, 1);
    const double v = random.chance(0.3) ? 0.0 : (1 - u) * random.uniform(0, 1);
    const Vector3d in_triangle = corners[0] + u * edge + v * (corners[2] - corners[0]);
    const double along = random.chance(0.4) ? std::copysign(1.0, random.uniform(-1, 1)) : random.uniform(-1, 1);
    const Vector3d center = Vector3d(0, 0, along * capsule.half_length()) - turned.rotate(in_triangle) +
                            tiny(random, -17, 0) * random.direction();
    ASSERT_EQ(closed_violation(capsule, 0, triangle, 0, Pose(center, rotation)), "")
        << corners[0].transpose() << " / " << corners[1].transpose() << " / " << corners[2].transpose();
  }
}

// Long capsules through the middle of triangles with an axis of symmetry, whose edges are equally deep but for
// rounding.
TEST(ClosedCapsuleTriangle, HasTheNormalAndThePointsOfOneEdgeWhereSeveralAreEquallyDeep) {
  Random random(33);
  for (int round = 0; round < (samples::kIsInstrumented ? 4000 : 20000); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double bottom = -random.uniform(0.3, 1.0);
    const double top = random.uniform(0.3, 1.0);
    const bool is_needle = random.chance(0.3);
    const double width = is_needle ? std::pow(10.0, random.uniform(-9.0, 0.0)) : random.uniform(0.3, 1.0);
    const Triangle triangle({Vector3d(0.0, top, 0.0), Vector3d(-width, bottom, 0.0), Vector3d(width, bottom, 0.0)});
    const Capsule capsule(0.01, random.uniform(5.0, 200.0));
    const Vector3d axis = Vector3d::Unit(static_cast<int>(random.below(3)));
    const double angle = random.chance(0.5) ? random.uniform(-1e-9, 1e-9) : 0.5 * kRightAngle * random.below(8);
    const Pose pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(angle, axis)));
    ASSERT_EQ(closed_violation(capsule, 0, triangle, 0, pose), "");
    // As it stands in the world, with the rounding of that.
    const Pose world = random.pose(5.0);
    const Separation s = distance(Shape(capsule), world, Shape(triangle), world * pose);
    EXPECT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, 1e-14 * (10.0 + capsule.half_length()));
  }
}

// The gap runs through zero of the surfaces and of the cores; nothing may jump.
template <class B>
void expect_smooth(const Capsule& capsule, const B& b, const Pose& start) {
  const Separation first = separate_closed(capsule, 0.0, b, 0.0, start);
  for (const double from : {first.distance, first.distance + capsule.radius()}) {  // surfaces, then cores
    for (const double step :
         {-1e-4, -1e-6, -1e-8, -1e-10, -1e-12, -1e-14, 0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4}) {
      SCOPED_TRACE(testing::Message() << "step " << step << " from " << from);
      const Pose moved = Pose((step - from) * first.normal) * start;
      const Separation s = separate_closed(capsule, 0.0, b, 0.0, moved);
      EXPECT_NEAR(s.distance, first.distance - from + step, 1e-14);
      EXPECT_NEAR(s.normal.dot(first.normal), 1.0, 1e-14);
      EXPECT_LE((s.point_a - first.point_a).norm(), 1e-13);
    }
  }
}

TEST(ClosedCapsuleBox, PassesSmoothlyThroughTouching) {
  Random random(41);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Quaterniond turn = random.rotation();
    const Capsule capsule(0.25, 1.0);
    // An end against a face, and the side across an edge.
    Pose box_from_capsule(Vector3d(0.1, 0.2, 4.0), Quaterniond(Eigen::AngleAxisd(0.4, random.direction())));
    expect_smooth(capsule, Box({1, 2, 0.5}), box_from_capsule.inverse());
    box_from_capsule =
        Pose(Vector3d(2.0, 0.1, 2.0),
             Quaterniond(Eigen::AngleAxisd(-kRightAngle / 2 + random.uniform(-0.1, 0.1), Vector3d::UnitY())));
    const Separation s = separate_closed(capsule, 0.0, Box({1, 2, 1}), 0.0, box_from_capsule.inverse());
    EXPECT_LT(std::abs(s.point_a.z()), 0.5) << "not an end";
    expect_smooth(capsule, Box({1, 2, 1}), box_from_capsule.inverse());
    // An end against the face of a triangle.
    const Triangle triangle({Vector3d(-3, -3, 0), Vector3d(5, -3, 0), Vector3d(-3, 5, 0)});
    expect_smooth(capsule, triangle, Pose(Vector3d(0, 0, 2), turn).inverse());
  }
}

}  // namespace
}  // namespace abut
