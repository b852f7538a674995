// Closed forms of two boxes: depth, certified distance, and yes or no.
#include <abut/narrowphase/closed/closed_form.h>
#include <gtest/gtest.h>
#include <narrowphase/closed_checks.h>
#include <support/poses.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

namespace abut {
namespace {

using detail::closed_collides;
using detail::ClosedAnswer;
using detail::separate_closed;
using samples::at;
using samples::best_gap;
using samples::closed_violation;
using samples::Random;
using samples::tiny;
using samples::turned_at;

Pose turned(const Vector3d& center, double angle, const Vector3d& axis) {
  return Pose(center, Quaterniond(Eigen::AngleAxisd(angle, axis)));
}

// The fifteen axes; also with the unit vectors of a fine rotation between the boxes.
std::vector<Vector3d> axes_of_boxes(const Pose& a_from_b) {
  std::vector<Vector3d> axes;
  for (int i = 0; i < 3; ++i) {
    axes.emplace_back(Vector3d::Unit(i));
    axes.emplace_back(a_from_b.rotation().col(i));
    for (int j = 0; j < 3; ++j) axes.emplace_back(Vector3d::Unit(i).cross(a_from_b.rotation().col(j)));
  }
  return axes;
}

// Empty where the closed form has no answer; those are counted by the caller.
std::string violation_or_none(const Box& a, double margin_a, const Box& b, double margin_b, const Pose& pose,
                              int& unanswered, double relative = 3e-14) {
  if (!separate_closed(a, margin_a, b, margin_b, pose)) {
    ++unanswered;
    return "";
  }
  return closed_violation(a, margin_a, b, margin_b, pose, relative);
}

TEST(ClosedBoxes, FaceToFaceTouchInTheMiddleOfTheirOverlap) {
  const Separation apart = separate_closed(Box({1, 1, 1}), 0.0, Box({0.5, 0.5, 0.5}), 0.25, at(0.75, 0.25, 2)).value();
  EXPECT_DOUBLE_EQ(apart.distance, 0.25);
  EXPECT_EQ(apart.normal, Vector3d(0, 0, 1));
  EXPECT_LE((apart.point_a - Vector3d(0.625, 0.25, 1)).norm(), 1e-15);
  EXPECT_LE((apart.point_b - Vector3d(0.625, 0.25, 1.25)).norm(), 1e-15);
  const Separation inside =
      separate_closed(Box({1, 1, 1}), 0.0, Box({0.5, 0.5, 0.5}), 0.0, at(0.75, 0.25, 1.25)).value();
  EXPECT_DOUBLE_EQ(inside.distance, -0.25);
  EXPECT_LE((inside.point_a - Vector3d(0.625, 0.25, 1)).norm(), 1e-15);
  EXPECT_LE((inside.point_b - Vector3d(0.625, 0.25, 0.75)).norm(), 1e-15);
}

TEST(ClosedBoxes, CornerEdgeAndFaceOfEachOther) {
  const Box unit({1, 1, 1});
  const double diagonal = std::sqrt(2.0);
  const Separation edge_on_face =
      separate_closed(unit, 0, unit, 0, turned({0, 0, 3}, std::numbers::pi / 4, {1, 0, 0})).value();
  EXPECT_NEAR(edge_on_face.distance, 2 - diagonal, 1e-15);
  EXPECT_NEAR(edge_on_face.point_b.x(), 0.0, 1e-15) << "the middle of the edge";
  // Two edges at right angles: b stands on an edge along y, above the edge of a turned a along x.
  const Pose world_from_a = turned({0, 0, 0}, std::numbers::pi / 4, {1, 0, 0});
  const Pose world_from_b = turned({0.25, 0.125, 3}, std::numbers::pi / 4, {0, 1, 0});
  const Separation crossed = separate_closed(unit, 0, unit, 0, Pose::relative(world_from_a, world_from_b)).value();
  EXPECT_NEAR(crossed.distance, 3 - 2 * diagonal, 1e-15);
  EXPECT_LE((world_from_a * crossed.point_a - Vector3d(0.25, 0, diagonal)).norm(), 1e-15);
  EXPECT_LE((world_from_a * crossed.point_b - Vector3d(0.25, 0, 3 - diagonal)).norm(), 1e-15);
  EXPECT_EQ(closed_violation(unit, 0, unit, 0, at(3, 4, 5)), "") << "corner to corner";
  EXPECT_DOUBLE_EQ(separate_closed(unit, 0, unit, 0, at(3, 4, 4)).value().distance, 3.0);
}

TEST(ClosedBoxes, ProveRandomAnswersAtAllSizes) {
  Random random(51);
  int unanswered = 0;
  int overlaps = 0;
  const int rounds = 2000;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const double scale = std::pow(10.0, random.uniform(-6.0, 3.0));
    const Box a(scale * random.vector(0.05, 1.0));
    const Box b(scale * random.vector(0.05, 1.0));
    const Pose pose = turned_at(scale * random.vector(-1.5, 1.5), random);
    const double margin = random.chance(0.5) ? 0.1 * scale : 0.0;
    ASSERT_EQ(violation_or_none(a, margin, b, 0.5 * margin, pose, unanswered), "");
    const std::optional<Separation> s = separate_closed(a, 0.0, b, 0.0, pose);
    const double best = best_gap(a, b, pose, axes_of_boxes(pose));
    if (best < 0.0) {
      ++overlaps;
      ASSERT_TRUE(s.has_value()) << "an overlap is always answered";
      ASSERT_NEAR(s->distance, best, 1e-14 * scale);
    } else if (s) {
      ASSERT_GE(s->distance, best - 1e-14 * scale);
    }
  }
  EXPECT_GT(overlaps, rounds / 10);
  EXPECT_LT(unanswered, rounds / 50);
}

TEST(ClosedBoxes, ProveThemselvesFarAway) {
  Random random(52);
  int unanswered = 0;
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Pose pose = turned_at(1e7 * random.direction(), random);
    ASSERT_EQ(violation_or_none(Box({1, 2, 3}), 0, Box({0.5, 0.1, 2}), 0.1, pose, unanswered), "");
  }
  EXPECT_LT(unanswered, 10);
}

// Aligned but for rotation noise of every order, touching at chosen features but for an offset of every order.
TEST(ClosedBoxes, ProveThemselvesNearlyAlignedAndNearlyTouching) {
  Random random(53);
  int unanswered = 0;
  const int rounds = 5000;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Box a({0.3, 0.6, 0.9});
    const Box b(random.chance(0.3) ? Vector3d(0.3, 0.6, 0.9) : random.vector(0.2, 1.0));
    const auto pick = [&] {
      return random.chance(0.5) ? std::copysign(1.0, random.uniform(-1, 1)) : random.uniform(-1, 1);
    };
    const Vector3d tilt =
        tiny(random, -17, -1) * (random.chance(0.3) ? Vector3d(Vector3d::Unit(round % 3)) : random.direction());
    Quaterniond rotation(1, tilt.x(), tilt.y(), tilt.z());
    if (random.chance(0.4))
      rotation = rotation * Quaterniond(Eigen::AngleAxisd(random.uniform(0, 6), Vector3d::Unit(round % 3)));
    if (random.chance(0.2)) rotation = random.rotation();
    const Pose frame(Vector3d::Zero(), rotation);
    const Vector3d in_a(0.3 * pick(), 0.6 * pick(), 0.9 * pick());
    const Vector3d in_b = Vector3d(pick(), pick(), pick()).cwiseProduct(b.half_extents());
    const Vector3d center = in_a - frame.rotate(in_b) + tiny(random, -17, 0) * random.direction();
    ASSERT_EQ(violation_or_none(a, 0, b, 0, Pose(center, rotation), unanswered), "");
  }
  EXPECT_LT(unanswered, rounds / 50);
}

TEST(ClosedBoxes, ExactlyAlignedOnesAreExact) {
  Random random(54);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const auto eighth = [&](int count) {
      return 0.125 * static_cast<double>(random.below(static_cast<std::uint32_t>(count)));
    };
    const Vector3d half_a(0.125 + eighth(8), 0.125 + eighth(8), 0.125 + eighth(8));
    const Vector3d half_b(0.125 + eighth(8), 0.125 + eighth(8), 0.125 + eighth(8));
    const Vector3d center(eighth(24) - 1.5, eighth(24) - 1.5, eighth(24) - 1.5);
    const Vector3d gaps = center.cwiseAbs() - half_a - half_b;
    const double exact = gaps.maxCoeff() <= 0.0 ? gaps.maxCoeff() : gaps.cwiseMax(0.0).norm();
    const std::optional<Separation> s = separate_closed(Box(half_a), 0.0, Box(half_b), 0.0, Pose(center));
    ASSERT_TRUE(s.has_value());
    ASSERT_DOUBLE_EQ(s->distance, exact);
    ASSERT_EQ(closed_violation(Box(half_a), 0, Box(half_b), 0, Pose(center)), "");
    ASSERT_EQ(closed_collides(Box(half_a), 0, Box(half_b), 0, Pose(center), 0.0),
              exact <= 0.0 ? ClosedAnswer::colliding : ClosedAnswer::apart);
  }
}

TEST(ClosedBoxes, SlabsAgainstNeedles) {
  Random random(55);
  int unanswered = 0;
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Pose pose = turned_at(random.vector(-1, 1), random);
    ASSERT_EQ(violation_or_none(Box({1, 1, 1e-6}), 0, Box({1e-6, 1e-6, 1}), 0, pose, unanswered), "");
    ASSERT_EQ(violation_or_none(Box({1e3, 1e3, 1e-3}), 0, Box({1e-3, 0.1, 0.1}), 0, pose, unanswered), "");
  }
  EXPECT_LT(unanswered, 80);
}

TEST(ClosedBoxes, PassSmoothlyThroughTouching) {
  Random random(56);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Box a({0.5, 0.7, 0.4});
    const Box b({0.3, 0.6, 0.8});
    // Find contact, then step through it along the normal there.
    Pose pose = turned_at(0.4 * random.direction(), random);
    const Separation first = separate_closed(a, 0, b, 0, pose).value();
    ASSERT_LT(first.distance, 0.0);
    const Pose touching = Pose(-first.distance * first.normal) * pose;
    for (const double step :
         {-1e-4, -1e-6, -1e-8, -1e-10, -1e-12, -1e-14, 0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4}) {
      SCOPED_TRACE(testing::Message() << "step " << step);
      const std::optional<Separation> s = separate_closed(a, 0, b, 0, Pose(step * first.normal) * touching);
      ASSERT_TRUE(s.has_value());
      EXPECT_NEAR(s->distance, step, 1e-14);
      EXPECT_NEAR(s->normal.dot(first.normal), 1.0, 1e-12);
      EXPECT_LE((s->point_a - first.point_a).norm(), 1e-12);
    }
  }
}

TEST(ClosedBoxes, SwappedMirrorTheAnswer) {
  Random random(57);
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Box a(random.vector(0.2, 1.0));
    const Box b(random.vector(0.2, 1.0));
    const Pose pose = turned_at(random.vector(-1.5, 1.5), random);
    const std::optional<Separation> s = separate_closed(a, 0.1, b, 0.0, pose);
    const std::optional<Separation> t = separate_closed(b, 0.0, a, 0.1, pose.inverse());
    if (!s || !t) continue;
    EXPECT_NEAR(s->distance, t->distance, 1e-14);
    if (std::abs(s->distance + 0.1) < 1e-3) continue;
    EXPECT_LE((s->normal + pose.rotate(t->normal)).norm(), 1e-11);
    EXPECT_LE((s->point_a - pose * t->point_b).norm(), 1e-11);
  }
}

TEST(ClosedBoxes, OneInAnotherAndBothInOnePlace) {
  EXPECT_DOUBLE_EQ(separate_closed(Box({1, 2, 3}), 0, Box({1, 2, 3}), 0, Pose()).value().distance, -2.0);
  EXPECT_EQ(closed_violation(Box({1, 2, 3}), 0, Box({1, 2, 3}), 0, Pose()), "");
  EXPECT_EQ(closed_violation(Box({1, 2, 3}), 0.5, Box({0.1, 0.2, 0.3}), 0, turned({0.1, 0, 0.2}, 0.7, {1, 0, 0})), "");
}

// Yes or no against the sign of the best axis, and of the distance where the cores are apart.
TEST(ClosedBoxes, YesOrNoAgreesWithTheDistance) {
  Random random(58);
  int yes = 0;
  int undecided = 0;
  const int rounds = 10000;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Box a(random.vector(0.05, 1.0));
    const Box b(random.vector(0.05, 1.0));
    const Vector3d tilt = tiny(random, -17, -1) * random.direction();
    const Quaterniond noisy(1, tilt.x(), tilt.y(), tilt.z());
    const Pose pose(random.vector(-1.5, 1.5), random.chance(0.3) ? noisy : random.rotation());
    const double margin = random.chance(0.5) ? 0.1 : 0.0;
    const double max_distance = random.chance(0.5) ? 0.2 : 0.0;
    const ClosedAnswer answer = closed_collides(a, margin, b, 0.0, pose, max_distance);
    if (answer == ClosedAnswer::undecided) {
      ++undecided;
      EXPECT_GT(margin + max_distance, 0.0) << "without a limit the axes always decide";
      continue;
    }
    if (answer == ClosedAnswer::colliding) ++yes;
    if (margin + max_distance == 0.0) {
      const double best = best_gap(a, b, pose, axes_of_boxes(pose));
      if (std::abs(best) > 1e-13) {
        ASSERT_EQ(answer == ClosedAnswer::colliding, best < 0.0) << best;
      }
    } else if (const std::optional<Separation> s = separate_closed(a, margin, b, 0.0, pose)) {
      ASSERT_EQ(answer == ClosedAnswer::colliding, s->distance <= max_distance) << s->distance;
    }
  }
  EXPECT_GT(yes, rounds / 4);
  EXPECT_LT(yes, 3 * rounds / 4);
  EXPECT_LT(undecided, rounds / 50);
  EXPECT_EQ(closed_collides(Box({1, 1, 1}), 0, Box({1, 1, 1}), 0, at(2, 0, 0), 0.0), ClosedAnswer::colliding)
      << "kissing";
  EXPECT_EQ(closed_collides(Box({1, 1, 1}), 0, Box({1, 1, 1}), 0, at(9, 9, 9), INFINITY), ClosedAnswer::colliding);
}

}  // namespace
}  // namespace abut
