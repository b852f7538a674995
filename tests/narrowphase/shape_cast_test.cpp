// Shape casts against dense sampling in time, closed forms, and hostile input.
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/cast/shape_cast.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

constexpr double kPi = std::numbers::pi;
constexpr auto kClear = ShapeCastOutcome::clear;
constexpr auto kHit = ShapeCastOutcome::hit;

double distance_at(const Shape& a, const RigidMotion& motion_a, const Shape& b, const RigidMotion& motion_b, double t) {
  return distance(a, motion_a.at(t), b, motion_b.at(t)).distance;
}

RigidMotion random_motion(double away, double turn, Random& random) {
  RigidMotion motion{.start = Pose(away * random.direction(), random.rotation())};
  motion.linear = -motion.start.translation() * random.uniform(0.5, 2.0) + random.vector(-0.5, 0.5);
  motion.angular = random.uniform(0.0, turn) * random.direction();
  motion.pivot = random.vector(-0.3, 0.3);
  return motion;
}

/// Checks an answer against samples in time. @return Whether it is a hit.
bool expect_first_contact(const Shape& a, const RigidMotion& motion_a, const Shape& b, const RigidMotion& motion_b,
                          const ShapeCast& cast, double tolerance) {
  EXPECT_NE(cast.outcome, ShapeCastOutcome::undecided);
  // Depths and composites are as good as their solver; the proof of apartness is exact.
  constexpr int kSamples = 150;
  for (int k = 0; k < kSamples; ++k) {
    const double t = cast.t * k / kSamples;
    if (!(t < cast.t)) break;
    const double d = distance_at(a, motion_a, b, motion_b, t);
    EXPECT_GT(d, -1e-9) << "at t = " << t << " before " << cast.t;
    if (!(d > -1e-9)) return false;
  }
  if (cast.outcome == kClear) {
    EXPECT_EQ(cast.t, 1.0);
    return false;
  }
  const Separation there = distance(a, motion_a.at(cast.t), b, motion_b.at(cast.t));
  EXPECT_LE(there.distance, tolerance + 1e-9);
  EXPECT_NEAR(cast.contact.distance, there.distance, 1e-7 + there.distance_error + cast.contact.distance_error);
  EXPECT_NEAR(cast.contact.normal.norm(), 1.0, 1e-12);
  EXPECT_NEAR((cast.contact.point_b - cast.contact.point_a).dot(cast.contact.normal), cast.contact.distance, 1e-9);
  EXPECT_EQ(cast.starts_in_contact, cast.t == 0.0);
  return true;
}

TEST(ShapeCast, NoSampleInTimeIsInContactBeforeTheAnswer) {
  Random random(41);
  int hits = 0;
  int clear = 0;
  for (int i = 0; i < 400; ++i) {
    const auto kind_a = static_cast<ShapeKind>(random.below(samples::kShapeKinds));
    const auto kind_b = static_cast<ShapeKind>(random.below(samples::kShapeKinds));
    const Shape a = samples::random_shape(kind_a, 0.5, random);
    const Shape b = samples::random_shape(kind_b, 0.5, random);
    const RigidMotion motion_a = random_motion(2.5, i % 3 == 0 ? 0.0 : 4.0, random);
    const RigidMotion motion_b = i % 2 == 0 ? RigidMotion{.start = random.pose(0.3)} : random_motion(0.4, 3.0, random);
    SCOPED_TRACE(testing::Message() << "cast " << i << ": " << a.type_name() << " against " << b.type_name());
    const ShapeCast cast = shape_cast(a, motion_a, b, motion_b);
    (expect_first_contact(a, motion_a, b, motion_b, cast, 3e-6) ? hits : clear) += 1;
    // The same the other way round.
    const ShapeCast swapped = shape_cast(b, motion_b, a, motion_a);
    EXPECT_EQ(swapped.outcome, cast.outcome);
    EXPECT_NEAR(swapped.t, cast.t, 1e-4);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(hits, 120);
  EXPECT_GT(clear, 80);
}

TEST(ShapeCast, WhatPassesWithinTheToleranceIsAHit) {
  // Balls pass each other at a fraction of the tolerance, wherever the way begins and ends.
  const Shape ball = Sphere(1.0);
  for (const double tolerance : {0.01, 2e-6}) {
    for (const double fraction : {0.1, 0.5, 0.8, 0.87}) {
      for (const double start : {-1.0, -1.3, -1.7, -2.0}) {
        SCOPED_TRACE(testing::Message() << fraction << " of " << tolerance << " from " << start);
        const double gap = fraction * tolerance;
        const RigidMotion motion{.start = Pose(Vector3d(start, 0.0, 2.0 + gap)), .linear = Vector3d(4.0, 0.0, 0.0)};
        const ShapeCast cast = shape_cast(ball, motion, ball, Pose(), {.tolerance = tolerance});
        ASSERT_EQ(cast.outcome, kHit);
        EXPECT_LE(distance_at(ball, motion, ball, RigidMotion{}, cast.t), tolerance);
        const RigidMotion above{.start = Pose(Vector3d(start, 0.0, 2.0 + 1.001 * tolerance)), .linear = motion.linear};
        EXPECT_EQ(shape_cast(ball, above, ball, Pose(), {.tolerance = tolerance}).outcome, kClear);
      }
    }
  }
}

TEST(ShapeCast, NoCornerThatSwingsPastWithinTheToleranceIsMissed) {
  Random random(141);
  int passes = 0;
  for (int i = 0; i < 400; ++i) {
    const Shape box = Box(random.vector(0.1, 0.5));
    const bool is_ground = i % 2 == 0;
    const Shape other = is_ground ? Shape(HalfSpace(Vector3d::UnitZ(), 0.0)) : Shape(Box(Vector3d(5.0, 5.0, 1.0)));
    const Quaterniond turned = random.rotation();
    RigidMotion motion{.start = Pose(Vector3d(0.0, 0.0, 2.0), turned)};
    motion.linear = random.vector(-0.3, 0.3);
    const double turn = random.uniform(1.0, 6.0);
    motion.angular = turn * random.direction();
    const Pose world_from_other = is_ground ? Pose() : Pose(Vector3d(0.0, 0.0, -1.0));
    // Raised until the least distance on the way is a part of the tolerance.
    constexpr double kTolerance = 0.01;
    double least = 2.0;
    for (int k = 0; k <= 2000; ++k) {
      least = std::min(least, distance(box, motion.at(k / 2000.0), other, world_from_other).distance);
    }
    motion.start = Pose(Vector3d(0.0, 0.0, 2.0 - least + random.uniform(0.05, 0.86) * kTolerance), turned);
    if (distance(box, motion.start, other, world_from_other).distance <= kTolerance) continue;
    const ShapeCast cast = shape_cast(box, motion, other, world_from_other, {.tolerance = kTolerance});
    EXPECT_EQ(cast.outcome, kHit) << i;
    EXPECT_LE(distance(box, motion.at(cast.t), other, world_from_other).distance, kTolerance + 1e-9) << i;
    ++passes;
  }
  EXPECT_GT(passes, 200);
}

TEST(ShapeCast, AGroundThatSpinsAboutItsNormalIsAsOneThatRests) {
  const HalfSpace ground(Vector3d(0.0, 0.6, 0.8), 0.3);
  for (const double away : {0.0, 1.0, 10.0}) {
    for (const double spin : {0.0, 0.1, 6.0, 40.0}) {
      const RigidMotion fall{.start = Pose(Vector3d(away, 0.0, 2.0)), .linear = Vector3d(0.0, 0.0, -4.0)};
      const RigidMotion turn{.angular = spin * ground.normal()};
      const ShapeCast cast = shape_cast(Sphere(0.1), fall, ground, turn);
      EXPECT_EQ(cast.outcome, kHit);
      EXPECT_NEAR(cast.t, 0.25 * (2.0 - (0.3 + 0.1) / 0.8), 1e-6);
      EXPECT_LE(cast.iterations, 4);
    }
  }
}

TEST(ShapeCast, AGroundThatTiltsIsMetAsSamplesSay) {
  Random random(142);
  int hits = 0;
  int looks = 0;
  constexpr int kCasts = 400;
  for (int i = 0; i < kCasts; ++i) {
    const Shape a = samples::random_shape(static_cast<ShapeKind>(random.below(samples::kShapeKinds)), 0.5, random);
    const Vector3d upward = random.direction();
    const Shape ground = HalfSpace(upward, random.uniform(-0.5, 0.5));
    const Vector3d away = random.uniform(1.0, 3.0) * upward;
    RigidMotion motion_a{.start = random.pose(2.0)};
    motion_a.start = Pose(away) * motion_a.start;
    motion_a.linear = random.vector(-2.0, 2.0);
    const double turn_a = i % 2 == 0 ? 0.0 : random.uniform(0.0, 6.0);
    motion_a.angular = turn_a * random.direction();
    motion_a.pivot = random.vector(-0.3, 0.3);
    RigidMotion motion_b{.start = Pose(random.vector(-0.3, 0.3))};
    motion_b.linear = random.vector(-0.5, 0.5);
    const double turn_b = random.uniform(0.0, 12.0);
    motion_b.angular = turn_b * random.direction();
    motion_b.pivot = random.vector(-1.0, 1.0);
    SCOPED_TRACE(testing::Message() << "cast " << i << ": " << a.type_name());
    const ShapeCast cast = shape_cast(a, motion_a, ground, motion_b);
    if (expect_first_contact(a, motion_a, ground, motion_b, cast, 1e-5)) ++hits;
    if (!a.is_composite()) looks = std::max(looks, cast.iterations);
    if (HasFailure()) return;
  }
  EXPECT_GT(hits, kCasts / 3);
  EXPECT_LT(looks, 100);  // of one convex part
}

TEST(ShapeCast, MovingEverythingChangesNothing) {
  Random random(42);
  for (int i = 0; i < 60; ++i) {
    const Shape a = samples::random_shape(static_cast<ShapeKind>(random.below(samples::kShapeKinds)), 0.5, random);
    const Shape b = samples::random_shape(static_cast<ShapeKind>(random.below(samples::kShapeKinds)), 0.5, random);
    const RigidMotion motion = random_motion(2.5, 2.0, random);
    const Pose pose_b = random.pose(0.2);
    const Pose moved = random.pose(5.0);
    const ShapeCast cast = shape_cast(a, motion, b, pose_b);
    const RigidMotion same{.start = moved * motion.start,
                           .linear = moved.rotate(motion.linear),
                           .angular = moved.rotate(motion.angular),
                           .pivot = motion.pivot};
    const ShapeCast moved_cast = shape_cast(a, same, b, moved * pose_b);
    ASSERT_EQ(moved_cast.outcome, cast.outcome) << i;
    EXPECT_NEAR(moved_cast.t, cast.t, 1e-4) << i;
  }
}

TEST(ShapeCast, ABallMeetsWhatItsCentreMeetsOfTheGrownShape) {
  Random random(43);
  int hits = 0;
  for (int i = 0; i < 300; ++i) {
    const auto kind = static_cast<ShapeKind>(random.below(11));  // convex ones, which take a margin
    const Shape b = samples::random_shape(kind, 0.5, random);
    const Shape grown(b.geometry(), b.margin() + 0.2);
    const Pose pose = random.pose(0.3);
    const Vector3d from = 2.0 * random.direction();
    const Vector3d way = -2.0 * from + random.vector(-0.5, 0.5);
    const ShapeCast cast = shape_cast(Sphere(0.2), {.start = Pose(from), .linear = way}, b, pose, {.tolerance = 1e-9});
    const std::optional<RayCastHit> hit = ray_cast({from, way, 1.0}, grown, pose);
    if (cast.outcome != kHit || !hit) {
      if (cast.outcome == kHit || hit) {
        ADD_FAILURE() << "one hits, the other does not: " << b.type_name() << ' ' << i;
      }
      continue;
    }
    ++hits;
    EXPECT_NEAR(cast.t, hit->t, 2e-5) << b.type_name();  // grazing ones differ by the root of the tolerance
    EXPECT_LE(cast.t, hit->t + 1e-9);
  }
  EXPECT_GT(hits, 80);
}

TEST(ShapeCast, AnswersInNumbersKnownByHand) {
  // Two unit cubes, face against face.
  const ShapeCast cubes = shape_cast(Box({0.5, 0.5, 0.5}), {.start = Pose(Vector3d(-3, 0.1, 0.2)), .linear = {4, 0, 0}},
                                     Box({0.5, 0.5, 0.5}), Pose());
  ASSERT_EQ(cubes.outcome, kHit);
  EXPECT_NEAR(cubes.t, 0.5, 1e-6);
  EXPECT_LT((cubes.contact.normal - Vector3d::UnitX()).norm(), 1e-9);
  EXPECT_NEAR(cubes.contact.point_a.x(), -0.5, 1e-5);
  EXPECT_FALSE(cubes.starts_in_contact);

  // A ball on a half-space, both ways round.
  const HalfSpace ground(Vector3d::UnitZ(), 0.0);
  const RigidMotion fall{.start = Pose(Vector3d(0, 0, 3)), .linear = {1, 0, -4}, .angular = {1, 2, 3}};
  const ShapeCast ball = shape_cast(Sphere(1.0), fall, ground, Pose());
  ASSERT_EQ(ball.outcome, kHit);
  EXPECT_NEAR(ball.t, 0.5, 1e-6);
  EXPECT_LT((ball.contact.normal + Vector3d::UnitZ()).norm(), 1e-12);
  const ShapeCast swapped = shape_cast(ground, {}, Sphere(1.0), fall);
  EXPECT_NEAR(swapped.t, 0.5, 1e-6);
  EXPECT_LT((swapped.contact.normal - Vector3d::UnitZ()).norm(), 1e-12);

  // A rod of length 2 turns by half a turn about its middle and meets a post beside it at a known angle.
  const ShapeCast rod =
      shape_cast(Capsule(0.05, 1.0),
                 {.start = Pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(0.5 * kPi, Vector3d::UnitY()))),
                  .angular = {0, 0, kPi}},
                 Sphere(0.05), Pose(Vector3d(0, 0.8, 0)));
  ASSERT_EQ(rod.outcome, kHit);
  // From along x towards y; the axes are then asin(0.1 / 0.8) apart.
  EXPECT_NEAR(rod.t * kPi, 0.5 * kPi - std::asin(0.1 / 0.8), 1e-5);

  // A half-space that tips over about the y axis through the origin reaches a ball at a known angle.
  const ShapeCast lid = shape_cast(ground, {.angular = {0, -0.5 * kPi, 0}}, Sphere(0.5), Pose(Vector3d(2, 0, 1.5)));
  ASSERT_EQ(lid.outcome, kHit);
  // Distance of the centre from the plane at angle s: 1.5 cos s - 2 sin s = 0.5.
  EXPECT_NEAR(1.5 * std::cos(lid.t * 0.5 * kPi) - 2.0 * std::sin(lid.t * 0.5 * kPi), 0.5, 1e-5);
}

TEST(ShapeCast, ThinObstaclesAreNotJumpedOver) {
  const Shape sheet = Triangle({Vector3d(0, -5, -5), Vector3d(0, 5, -5), Vector3d(0, 0, 9)});
  const TriangleMesh mesh({Vector3d(0, -5, -5), Vector3d(0, 5, -5), Vector3d(0, 0, 9)}, {{0, 1, 2}});
  for (const Shape& wall : {sheet, Shape(mesh), Shape(Box({1e-6, 5, 5}))}) {
    for (const double speed : {1.0, 1e3, 1e6}) {
      for (const double turn : {0.0, 1.0, 100.0}) {
        const RigidMotion motion{
            .start = Pose(Vector3d(-0.3 * speed, 0.1, 0.2)), .linear = {speed, 0, 0}, .angular = {0, turn, 0}};
        const ShapeCast cast = shape_cast(Box({0.01, 0.02, 0.03}), motion, wall, Pose(), {.max_iterations = 1000});
        ASSERT_EQ(cast.outcome, kHit) << wall.type_name() << ' ' << speed << ' ' << turn;
        EXPECT_NEAR(cast.t, 0.3, 0.04 / speed + 1e-6);
        EXPECT_LE(cast.t, 0.3);
      }
    }
  }
}

TEST(ShapeCast, ContactAtTheStartIsReportedOrLetGo) {
  const Shape box = Box({1, 1, 1});
  const Pose beside(Vector3d(1.9, 0, 0));
  const RigidMotion leaving{.start = beside, .linear = {5, 0, 0}};
  const RigidMotion pushing{.start = beside, .linear = {-5, 0, 0}};
  const ShapeCast leaves = shape_cast(box, leaving, box, Pose());
  ASSERT_EQ(leaves.outcome, kHit);
  EXPECT_EQ(leaves.t, 0.0);
  EXPECT_TRUE(leaves.starts_in_contact);
  EXPECT_TRUE(leaves.is_receding);
  EXPECT_NEAR(leaves.contact.distance, -0.1, 1e-9);
  const ShapeCast pushes = shape_cast(box, pushing, box, Pose());
  EXPECT_EQ(pushes.t, 0.0);
  EXPECT_FALSE(pushes.is_receding);

  const ShapeCastOptions ignore{.ignore_receding_contact = true};
  EXPECT_EQ(shape_cast(box, leaving, box, Pose(), ignore).outcome, kClear);
  const ShapeCast deeper = shape_cast(box, pushing, box, Pose(), ignore);
  EXPECT_EQ(deeper.outcome, kHit);
  EXPECT_EQ(deeper.t, 0.0);
  // Along a floor: neither approaching nor leaving.
  EXPECT_EQ(
      shape_cast(box, {.start = Pose(Vector3d(0, 0, 2)), .linear = {3, 0, 0}}, Box({9, 9, 1}), Pose(), ignore).outcome,
      kClear);

  // Out of one wall into the next.
  const Compound walls({{Box({1, 5, 5}), Pose()}, {Box({1, 5, 5}), Pose(Vector3d(8, 0, 0))}});
  const RigidMotion turning{.start = beside, .linear = {8, 0, 0}, .angular = {0.5, 0, 0}};
  const ShapeCast next = shape_cast(box, turning, walls, Pose(), ignore);
  ASSERT_EQ(next.outcome, kHit);
  EXPECT_NEAR(next.t, (6.0 - 1.9) / 8.0, 1e-3);
  EXPECT_FALSE(next.starts_in_contact);

  // A rod that leaves with one end and comes back with the other.
  const RigidMotion seesaw{
      .start = Pose(Vector3d(0, 0, 0.1), Quaterniond(Eigen::AngleAxisd(0.5 * kPi + 0.02, Vector3d::UnitY()))),
      .angular = {0, -0.3, 0}};
  const HalfSpace ground(Vector3d::UnitZ(), 0.0);
  const Shape rod = Capsule(0.09, 1.0);
  const ShapeCast back = shape_cast(rod, seesaw, ground, Pose(), {.tolerance = 1e-4, .ignore_receding_contact = true});
  ASSERT_EQ(back.outcome, kHit);
  EXPECT_NEAR(back.t * 0.3, 0.03, 2e-4);  // tilted by 0.02 one way at first, by 0.01 the other way then
  EXPECT_LE(distance_at(rod, seesaw, ground, {}, back.t), 1e-4);
}

TEST(ShapeCast, WhatSlidesAlongAWallThatIsAskewIsLetGo) {
  const ShapeCastOptions ignore{.ignore_receding_contact = true};
  Random random(61);
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const Quaterniond turned = random.rotation();
    const Pose floor_pose(random.vector(-2.0, 2.0), turned);
    Vector3d way = random.vector(-3.0, 3.0);
    way.z() = 0.0;
    RigidMotion slides{.start = floor_pose * Pose(Vector3d(0, 0, 1)), .linear = turned * way};
    EXPECT_EQ(shape_cast(Box({0.5, 0.5, 0.5}), slides, Box({5, 5, 0.5}), floor_pose, ignore).outcome, kClear);
    const HalfSpace ground(turned * Vector3d::UnitZ(), 0.0);
    slides.start = Pose(0.5 * ground.normal());
    EXPECT_EQ(shape_cast(Sphere(0.5), slides, ground, Pose(), ignore).outcome, kClear);
    // A micrometre a metre downwards is no longer along it.
    slides.linear -= 1e-6 * way.norm() * ground.normal();
    const ShapeCast sinks = shape_cast(Sphere(0.5), slides, ground, Pose(), ignore);
    EXPECT_EQ(sinks.outcome, kHit);
    EXPECT_EQ(sinks.t, 0.0);
    EXPECT_FALSE(sinks.is_receding);
  }
}

TEST(ShapeCast, WhereEdgesOrCornersTouchTheyAreLetGoInEveryDirectionThatPartsThem) {
  const ShapeCastOptions ignore{.ignore_receding_contact = true};
  const Shape cube = Box({0.5, 0.5, 0.5});
  Random random(62);
  int parting = 0;
  int pushing = 0;
  for (int i = 0; i < 4000; ++i) {
    // Beside each other along two axes or all three, anywhere in the world.
    const Vector3d beside(1.0, i % 2 == 0 ? 1.0 : random.uniform(-0.7, 0.7), 1.0);
    const Vector3d way = random.vector(-1.0, 1.0);
    const double leaves = std::max({way.x(), way.z(), i % 2 == 0 ? way.y() : -1.0});
    if (std::abs(leaves) < 0.02) continue;
    const Vector3d place = random.vector(-1.0, 1.0);
    const Pose frame = i % 3 == 0 ? Pose() : Pose(place, random.rotation());
    const RigidMotion motion{.start = frame * Pose(beside), .linear = frame.rotate(way)};
    SCOPED_TRACE(testing::Message() << i << ", by " << way.transpose() << " from " << beside.transpose());
    const ShapeCast cast = shape_cast(cube, motion, cube, frame, ignore);
    EXPECT_EQ(cast.outcome == kClear, leaves > 0.0);
    const ShapeCast reported = shape_cast(cube, motion, cube, frame);
    ASSERT_TRUE(reported.starts_in_contact);
    EXPECT_EQ(reported.is_receding, leaves > 0.0);
    (leaves > 0.0 ? parting : pushing) += 1;
  }
  EXPECT_GT(parting, 1000);
  EXPECT_GT(pushing, 300);
}

/// Whether a cast against a half-space is, but for roundings, that of the first of a composite's leaves.
/// @return Whether that is a hit.
bool expect_first_leaf(const Shape& composite, const RigidMotion& motion, const HalfSpace& ground,
                       const ShapeCastOptions& options) {
  ShapeCast first;
  const auto consider = [&](const Shape& leaf, const Pose& pose) {
    const ShapeCast cast = shape_cast(leaf, motion.of_part(pose), ground, Pose(), options);
    if (cast.outcome != kClear && (first.outcome == kClear || cast.t < first.t)) first = cast;
  };
  if (const TriangleMesh* mesh = composite.get_if<TriangleMesh>()) {
    for (std::uint32_t i = 0; i < mesh->triangles().size(); ++i) consider(Triangle(mesh->corners(i)), Pose());
  } else if (const HeightField* field = composite.get_if<HeightField>()) {
    for (std::uint32_t i = 0; i < field->prism_count(); ++i) {
      const auto corners = field->prism(i);
      consider(ConvexHull::from_points(std::vector<Vector3d>(corners.begin(), corners.end())), Pose());
    }
  } else if (const Compound* compound = composite.get_if<Compound>()) {
    for (const CompoundChild& child : compound->children()) consider(child.shape, child.pose);
  }
  const ShapeCast cast = shape_cast(composite, motion, ground, Pose(), options);
  EXPECT_EQ(cast.outcome, first.outcome);
  // Which step of a slow approach first ends within the tolerance depends on how far a cast looks.
  EXPECT_NEAR(cast.t, first.t, 5e-3);
  EXPECT_EQ(cast.starts_in_contact, first.starts_in_contact);
  return cast.outcome == kHit;
}

TEST(ShapeCast, ARecedingContactOfACompositeHidesNoLeafThatMeetsTheHalfSpaceThenOrLater) {
  const HalfSpace ground(Vector3d::UnitZ(), 0.0);
  const ShapeCastOptions ignore{.tolerance = 1e-4, .ignore_receding_contact = true};

  // A dumbbell leaves the ground with one end and comes down on the other: at a tilt of -0.3 where it began at 0.3.
  const Compound dumbbell({{Sphere(0.1), Pose(Vector3d(-1, 0, 0))}, {Sphere(0.1), Pose(Vector3d(1, 0, 0))}});
  const Quaterniond tilt(Eigen::AngleAxisd(-0.3, Vector3d::UnitY()));
  const RigidMotion tips{.start = Pose(Vector3d(0, 0, 0.1 + std::sin(0.3)), tilt), .angular = {0, 0.7, 0}};
  const ShapeCast other_end = shape_cast(dumbbell, tips, ground, Pose(), ignore);
  ASSERT_EQ(other_end.outcome, kHit);
  EXPECT_NEAR(other_end.t * 0.7, 0.6, 1e-3);
  EXPECT_FALSE(other_end.starts_in_contact);

  // Both ends touch at the start, and one of them goes on down.
  const ShapeCast at_once =
      shape_cast(dumbbell, {.start = Pose(Vector3d(0, 0, 0.1)), .angular = {0, 0.7, 0}}, ground, Pose(), ignore);
  ASSERT_EQ(at_once.outcome, kHit);
  EXPECT_EQ(at_once.t, 0.0);
  EXPECT_FALSE(at_once.is_receding);

  Random random(47);
  int hits = 0;
  int later = 0;
  for (int i = 0; i < 300; ++i) {
    const auto kind = static_cast<ShapeKind>(12 + random.below(3));
    const Shape composite = samples::random_shape(kind, 0.5, random);
    RigidMotion motion{.start = Pose(Vector3d(0, 0, random.uniform(0.0, 0.6)), random.rotation())};
    motion.linear = random.vector(-0.3, 0.3);
    motion.angular = random.uniform(0.0, 4.0) * random.direction();
    SCOPED_TRACE(testing::Message() << "cast " << i << ": " << composite.type_name());
    if (!expect_first_leaf(composite, motion, ground, ignore)) continue;
    ++hits;
    later += shape_cast(composite, motion, ground, Pose(), ignore).t > 0.0 ? 1 : 0;
  }
  EXPECT_GT(hits, 150);
  EXPECT_GT(later, 30);
}

/// Grounds whose surface is z = 0, and where they stand.
std::vector<CompoundChild> grounds() {
  const TriangleMesh mesh({Vector3d(-2, -2, 0), Vector3d(2, -2, 0), Vector3d(2, 2, 0), Vector3d(-2, 2, 0)},
                          {{0, 1, 2}, {0, 2, 3}});
  const HeightField field(Eigen::MatrixXd::Zero(5, 5), {1, 1}, -1.0);
  return {{HalfSpace(Vector3d::UnitZ(), 0.0), Pose()},
          {Box({2, 2, 0.5}), Pose(Vector3d(0, 0, -0.5))},
          {mesh, Pose()},
          {field, Pose(Vector3d(-2, -2, 0))}};
}

TEST(ShapeCast, WhatTiltsIntoTheGroundThatItLiesOnDoesNotRecede) {
  const ShapeCastOptions ignore{.ignore_receding_contact = true};
  const Pose lying(Vector3d(0, 0, 0.5), Quaterniond(Eigen::AngleAxisd(0.5 * kPi, Vector3d::UnitY())));
  const std::vector<CompoundChild> bodies = {{Box({0.5, 0.5, 0.5}), Pose(Vector3d(0, 0, 0.5))},
                                             {Cylinder(0.5, 0.5), Pose(Vector3d(0, 0, 0.5))},
                                             {Capsule(0.5, 0.5), lying},
                                             {Cylinder(0.5, 0.5), lying}};
  Random random(63);
  for (const CompoundChild& ground : grounds()) {
    for (const CompoundChild& body : bodies) {
      for (int i = 0; i < 100; ++i) {
        const double angle = random.uniform(0.0, 2.0 * kPi);
        if (std::abs(std::sin(angle)) < 0.05) continue;  // what is round rolls
        const Pose frame = i % 2 == 0 ? Pose() : random.pose(2.0);
        const Pose ground_pose = frame * ground.pose;
        RigidMotion tilts{.start = frame * body.pose,
                          .angular = frame.rotate(0.5 * Vector3d(std::cos(angle), std::sin(angle), 0.0))};
        // The ground may tilt instead, about the same point.
        RigidMotion stays{.start = ground_pose, .pivot = ground_pose.inverse() * tilts.start.translation()};
        if (i % 3 == 0) std::swap(tilts.angular, stays.angular);
        SCOPED_TRACE(testing::Message() << body.shape.type_name() << " on " << ground.shape.type_name() << ", " << angle
                                        << " rad, " << i);
        ASSERT_LT(distance_at(body.shape, tilts, ground.shape, stays, 0.01), -1e-4);
        for (const bool is_swapped : {false, true}) {
          const auto cast = [&](const ShapeCastOptions& options) {
            return is_swapped ? shape_cast(ground.shape, stays, body.shape, tilts, options)
                              : shape_cast(body.shape, tilts, ground.shape, stays, options);
          };
          const ShapeCast reported = cast({});
          ASSERT_TRUE(reported.starts_in_contact);
          EXPECT_FALSE(reported.is_receding);
          const ShapeCast not_let_go = cast(ignore);
          EXPECT_EQ(not_let_go.outcome, kHit);
          EXPECT_EQ(not_let_go.t, 0.0);
        }
      }
    }
  }
}

TEST(ShapeCast, WhatSpinsRollsOrTipsOverAnEdgeRecedes) {
  const Pose on_ground(Vector3d(0.1, 0.2, 0.5));
  const Pose lying = on_ground * Pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(0.5 * kPi, Vector3d::UnitY())));
  const Shape box = Box({0.5, 0.5, 0.5});
  struct Case {
    const char* what;
    Shape body;
    RigidMotion motion;
  };
  const std::vector<Case> cases = {
      {"slides", box, {.start = on_ground, .linear = {0.3, -0.2, 0}}},
      {"spins", box, {.start = on_ground, .linear = {0.3, -0.2, 0}, .angular = {0, 0, 2}}},
      {"tips over an edge", box, {.start = on_ground, .angular = {0, 1, 0}, .pivot = {0.5, 0.1, -0.5}}},
      {"lifts", box, {.start = on_ground, .linear = {0, 0, 0.51}, .angular = {0, 1, 0}}},
      {"rolls", Cylinder(0.5, 0.3), {.start = lying, .linear = {0, -0.5, 0}, .angular = {1, 0, 0}}},
      {"rolls on the spot", Capsule(0.5, 0.3), {.start = lying, .angular = {1, 0, 0}}},
      {"rocks", Ellipsoid(Vector3d(0.3, 0.4, 0.5)), {.start = on_ground, .angular = {1, -1, 0}}},
  };
  Random random(64);
  for (const CompoundChild& ground : grounds()) {
    for (const Case& one : cases) {
      for (int i = 0; i < 20; ++i) {
        SCOPED_TRACE(testing::Message() << one.what << " on " << ground.shape.type_name() << ", frame " << i);
        const Pose frame = i == 0 ? Pose() : random.pose(2.0);
        const RigidMotion motion{.start = frame * one.motion.start,
                                 .linear = frame.rotate(one.motion.linear),
                                 .angular = frame.rotate(one.motion.angular),
                                 .pivot = one.motion.pivot};
        const ShapeCast cast = shape_cast(one.body, motion, ground.shape, frame * ground.pose);
        ASSERT_TRUE(cast.starts_in_contact);
        EXPECT_TRUE(cast.is_receding);
        EXPECT_TRUE(shape_cast(ground.shape, {.start = frame * ground.pose}, one.body, motion).is_receding);
      }
    }
  }
}

TEST(ShapeCast, OnlyWhatTwoFacesShareDecidesWhetherTheyRecede) {
  // A plate on a pillar under its one end: lifted off there, its other end goes down beside the pillar.
  const Shape plate = Box({2, 0.4, 0.1});
  const Shape pillar = Box({0.5, 0.5, 1});
  const Pose on_pillar(Vector3d(2, 0.1, 1.1));
  const RigidMotion off{.start = on_pillar, .angular = {0, 1, 0}, .pivot = {-1.3, 0, 0}};
  const RigidMotion into{.start = on_pillar, .angular = {0, -1, 0}, .pivot = {-1.3, 0, 0}};
  EXPECT_TRUE(shape_cast(plate, off, pillar, Pose()).is_receding);
  EXPECT_TRUE(shape_cast(pillar, {}, plate, off).is_receding);
  EXPECT_FALSE(shape_cast(plate, into, pillar, Pose()).is_receding);
  EXPECT_FALSE(shape_cast(pillar, {}, plate, into).is_receding);
  // Neither end over the other's face: two planks that cross each other at an overlap of their ends.
  const Shape plank = Box({0.3, 2, 0.1});
  const Pose under(Vector3d(0.2, -1.8, 0.9));
  EXPECT_TRUE(shape_cast(plate, off, plank, under).is_receding);
  EXPECT_FALSE(shape_cast(plate, into, plank, under).is_receding);

  // A stack that turns as one body does not move in itself.
  const Vector3d turn(0.3, -0.7, 0.2);
  const RigidMotion lower{.start = Pose(Vector3d(0, 0, -0.5)), .linear = {1, 2, 3}, .angular = turn};
  const RigidMotion upper{
      .start = Pose(Vector3d(0.3, 0, 0.5)), .linear = {1, 2, 3}, .angular = turn, .pivot = {-0.3, 0, -1}};
  const Shape cube = Box({0.5, 0.5, 0.5});
  EXPECT_TRUE(shape_cast(cube, upper, cube, lower).is_receding);
  EXPECT_TRUE(shape_cast(cube, lower, cube, upper).is_receding);
}

TEST(ShapeCast, ABoxSlidesOverTrianglesThatBeginAtItsEdges) {
  // Those beside its face touch its edges only, or all but touch them: their normals lie in the ground or anywhere.
  constexpr int kCells = 8;
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i <= kCells; ++i) {
    for (std::uint32_t j = 0; j <= kCells; ++j) vertices.emplace_back(0.5 * i - 2.0, 0.5 * j - 2.0, 0.0);
  }
  for (std::uint32_t i = 0; i < kCells; ++i) {
    for (std::uint32_t j = 0; j < kCells; ++j) {
      const std::uint32_t corner = i * (kCells + 1) + j;
      triangles.push_back({corner, corner + kCells + 1, corner + 1});
      triangles.push_back({corner + 1, corner + kCells + 1, corner + kCells + 2});
    }
  }
  const TriangleMesh mesh(vertices, triangles);
  const Shape box = Box({0.5, 0.5, 0.5});
  Random random(67);
  for (const double beside : {0.0, 1e-12, 1e-9, 1e-7, 0.1}) {
    for (int i = 0; i < 100; ++i) {
      SCOPED_TRACE(testing::Message() << "off the grid by " << beside << ", way " << i);
      const double angle = i < 8 ? 0.25 * kPi * i : random.uniform(0.0, 2.0 * kPi);
      const Pose frame = i % 2 == 0 ? Pose() : random.pose(2.0);
      const Pose start = frame * Pose(Vector3d(beside, beside, 0.5));
      const Vector3d along(std::cos(angle), std::sin(angle), 0.0);
      const ShapeCastOptions ignore{.ignore_receding_contact = true};
      const RigidMotion slides{.start = start, .linear = frame.rotate(along)};
      EXPECT_TRUE(shape_cast(box, slides, mesh, frame).is_receding);
      EXPECT_FALSE(shape_cast(box, slides, mesh, frame, ignore).starts_in_contact);
      const RigidMotion sinks{.start = start, .linear = frame.rotate(along - 1e-3 * Vector3d::UnitZ())};
      EXPECT_FALSE(shape_cast(box, sinks, mesh, frame).is_receding);
      EXPECT_TRUE(shape_cast(box, sinks, mesh, frame, ignore).starts_in_contact);
    }
  }
}

TEST(ShapeCast, BodiesSayThatTheyRecedeWhenTheirDistanceDoesNotFall) {
  Random random(65);
  int receding = 0;
  int digging = 0;
  for (int i = 0; i < 3000; ++i) {
    const Shape a = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 0.5, random);
    const Shape b = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 0.5, random);
    // At right angles half of the time, so that faces and edges meet.
    const auto pose = [&] {
      const Vector3d place = random.vector(-0.3, 0.3);
      if (random.below(2) == 0) return Pose(place, random.rotation());
      const double quarters = 0.5 * kPi * random.below(4);
      return Pose(place, Quaterniond(Eigen::AngleAxisd(quarters, Vector3d::Unit(static_cast<int>(random.below(3))))));
    };
    RigidMotion motion_a{.start = pose()};
    RigidMotion motion_b{.start = pose()};
    const Separation apart = distance(a, motion_a.start, b, motion_b.start);
    const double depth = i % 4 == 0 ? 0.05 : 0.0;
    motion_a.start = Pose((apart.distance + depth) * apart.normal) * motion_a.start;
    for (RigidMotion* motion : {&motion_a, &motion_b}) {
      if (random.below(3) > 0) motion->linear = random.vector(-0.5, 0.5);
      if (random.below(3) > 0) motion->angular = random.vector(-1.0, 1.0);
      motion->pivot = random.vector(-0.5, 0.5);
    }
    SCOPED_TRACE(testing::Message() << i << ": " << a.type_name() << " and " << b.type_name());
    // What is flat may have passed through the other.
    if (distance(a, motion_a.start, b, motion_b.start).distance > 1e-9) continue;
    const ShapeCast cast = shape_cast(a, motion_a, b, motion_b);
    ASSERT_TRUE(cast.starts_in_contact);
    const double soon = 1e-6;
    const Separation later = distance(a, motion_a.at(soon), b, motion_b.at(soon));
    const double rate = (later.distance - cast.contact.distance) / soon;
    const double error = (later.distance_error + cast.contact.distance_error + 1e-15) / soon;
    // Along a straight way an eighth of the tolerance is nothing.
    if (std::abs(rate) < 1e-3 + error) continue;
    EXPECT_EQ(cast.is_receding, rate > 0.0) << "rate " << rate;
    EXPECT_EQ(shape_cast(b, motion_b, a, motion_a).is_receding, rate > 0.0) << "rate " << rate;
    (rate > 0.0 ? receding : digging) += 1;
  }
  EXPECT_GT(receding, 800);
  EXPECT_GT(digging, 800);
}

/// Whether all leaves in contact at the start recede; asked of them one by one.
bool all_leaves_recede(const Shape& composite, const RigidMotion& motion, const Shape& other,
                       const RigidMotion& motion_other, const ShapeCastOptions& options) {
  bool all = true;
  const auto ask = [&](const Shape& leaf, const Pose& pose) {
    const ShapeCast cast = shape_cast(leaf, motion.of_part(pose), other, motion_other, options);
    if (cast.starts_in_contact) all = all && cast.is_receding;
  };
  if (const TriangleMesh* mesh = composite.get_if<TriangleMesh>()) {
    for (std::uint32_t i = 0; i < mesh->triangles().size(); ++i) ask(Triangle(mesh->corners(i)), Pose());
  } else if (const Compound* compound = composite.get_if<Compound>()) {
    for (const CompoundChild& child : compound->children()) ask(child.shape, child.pose);
  }
  return all;
}

TEST(ShapeCast, ACompositeRecedesWhenAllOfItsLeavesInContactDo) {
  // A ball in the corner between a floor and a wall; deeper in the floor.
  const Compound corner(
      {{Box({2, 2, 0.5}), Pose(Vector3d(0, 0, -0.5))}, {Box({0.5, 2, 2}), Pose(Vector3d(-0.5, 0, 0))}});
  const ShapeCastOptions ignore{.ignore_receding_contact = true};
  const Shape ball = Sphere(0.5);
  for (const double x : {-0.1, 0.1}) {
    for (const double z : {-0.1, 0.05}) {
      SCOPED_TRACE(testing::Message() << "along " << x << ' ' << z);
      const RigidMotion moves{.start = Pose(Vector3d(0.499, 0, 0.498)), .linear = {x, 0, z}};
      const ShapeCast cast = shape_cast(ball, moves, corner, Pose());
      EXPECT_EQ(cast.is_receding, x > 0.0 && z > 0.0);
      EXPECT_EQ(shape_cast(corner, {}, ball, moves).is_receding, cast.is_receding);
      // The contact is that of the deepest leaf.
      EXPECT_NEAR(cast.contact.distance, -0.002, 1e-12);
      EXPECT_LT((cast.contact.normal + Vector3d::UnitZ()).norm(), 1e-9);
      EXPECT_EQ(shape_cast(ball, moves, corner, Pose(), ignore).outcome, cast.is_receding ? kClear : kHit);
    }
  }

  Random random(66);
  int receding = 0;
  int mixed = 0;  // the deepest leaf recedes, another does not
  for (int i = 0; i < 600; ++i) {
    const Shape composite = samples::random_shape(i % 2 == 0 ? ShapeKind::compound : ShapeKind::mesh, 0.5, random);
    const bool is_ground = i % 5 == 0;
    const Shape other = is_ground ? Shape(HalfSpace(Vector3d::UnitZ(), 0.0))
                                  : samples::random_shape(static_cast<ShapeKind>(random.below(12)), 0.4, random);
    RigidMotion motion{.start = random.pose(0.3), .linear = random.vector(-1.0, 1.0)};
    if (i % 3 > 0) motion.angular = random.vector(-2.0, 2.0);
    const RigidMotion still{.start = random.pose(0.2)};
    const ShapeCastOptions options{.tolerance = 1e-6};
    SCOPED_TRACE(testing::Message() << i << ": " << composite.type_name() << " and " << other.type_name());
    const ShapeCast cast = shape_cast(composite, motion, other, still, options);
    if (!cast.starts_in_contact) continue;
    const bool expected = all_leaves_recede(composite, motion, other, still, options);
    EXPECT_EQ(cast.is_receding, expected);
    EXPECT_EQ(shape_cast(other, still, composite, motion, options).is_receding, expected);
    const double later = distance_at(composite, motion, other, still, 1e-6);
    receding += cast.is_receding ? 1 : 0;
    mixed += !cast.is_receding && later > cast.contact.distance + 1e-9 ? 1 : 0;
  }
  EXPECT_GT(receding, 60);
  EXPECT_GT(mixed, 20);
}

TEST(ShapeCast, RecedingBodiesAreSettledAtOnce) {
  Random random(44);
  for (int i = 0; i < 50; ++i) {
    const Shape a = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 0.5, random);
    const Shape b = samples::random_shape(static_cast<ShapeKind>(random.below(12)), 0.5, random);
    const Vector3d side = random.direction();
    const ShapeCast cast = shape_cast(a, {.start = Pose(3.0 * side, random.rotation()), .linear = 100.0 * side}, b,
                                      Pose(Vector3d::Zero(), random.rotation()));
    EXPECT_EQ(cast.outcome, kClear);
    EXPECT_LE(cast.iterations, 2) << a.type_name() << ' ' << b.type_name();
  }
}

TEST(ShapeCast, TheSlightestTurnsChangeLittle) {
  Random random(46);
  for (int i = 0; i < 200; ++i) {
    const Shape a = samples::random_shape(static_cast<ShapeKind>(random.below(15)), 0.5, random);
    const Shape b = samples::random_shape(static_cast<ShapeKind>(random.below(15)), 0.5, random);
    RigidMotion motion = random_motion(2.5, 0.0, random);
    const Pose pose = random.pose(0.2);
    const ShapeCast straight = shape_cast(a, motion, b, pose);
    motion.angular = std::pow(10.0, random.uniform(-18.0, -8.0)) * random.direction();
    const ShapeCast turning = shape_cast(a, motion, b, pose);
    ASSERT_EQ(turning.outcome, straight.outcome) << a.type_name() << " against " << b.type_name() << ' ' << i;
    EXPECT_NEAR(turning.t, straight.t, 1e-4);
    EXPECT_LE(turning.iterations, 3 * straight.iterations + 20);
  }
}

TEST(ShapeCast, TurnsWhoseSquaresVanishAreNoTurn) {
  const Shape box = Box({0.5, 0.5, 0.5});
  const std::vector<Shape> obstacles = {
      box, HalfSpace(-Vector3d::UnitX(), -0.5),
      TriangleMesh({Vector3d(-0.5, -1, -1), Vector3d(-0.5, 1, -1), Vector3d(-0.5, 0, 1)}, {{0, 1, 2}})};
  RigidMotion motion{.start = Pose(Vector3d(-3, 0, 0)), .linear = {4, 0, 0}, .pivot = {0.1, 0.2, 0.3}};
  const double smallest = std::numeric_limits<double>::denorm_min();
  for (const Shape& obstacle : obstacles) {
    motion.angular = Vector3d::Zero();
    const ShapeCast straight = shape_cast(box, motion, obstacle, Pose());
    ASSERT_EQ(straight.outcome, kHit);
    for (const double turn : {1e-150, 1e-161, 1e-162, 1e-200, 1e-310, 3.0 * smallest, smallest}) {
      for (const Vector3d& angular :
           {Vector3d(0, turn, 0), Vector3d(-turn, turn, turn), Vector3d(turn, 0, -smallest)}) {
        SCOPED_TRACE(testing::Message() << obstacle.type_name() << ", turn " << angular.transpose());
        motion.angular = angular;
        EXPECT_GT(motion.angle(), 0.0);
        const ShapeCast turning = shape_cast(box, motion, obstacle, Pose());
        EXPECT_EQ(turning.outcome, kHit);
        EXPECT_NEAR(turning.t, straight.t, 1e-12);
        // An obstacle that turns.
        const ShapeCast other =
            shape_cast(box, {.start = motion.start, .linear = motion.linear}, obstacle, {.angular = angular});
        EXPECT_EQ(other.outcome, kHit);
        EXPECT_NEAR(other.t, straight.t, 1e-5);
      }
    }
  }
}

TEST(ShapeCast, TheIterationLimitGivesAProvenTime) {
  const Shape rod = Capsule(0.01, 1.0);
  const RigidMotion motion{.start = Pose(Vector3d(0, 0, 2.2)), .linear = {0, 0, -1.5}, .angular = {20, 13, 0}};
  const Shape floor = Box({5, 5, 0.5});
  const ShapeCast full = shape_cast(rod, motion, floor, Pose(), {.max_iterations = 2000});
  ASSERT_EQ(full.outcome, kHit);
  const ShapeCast limited = shape_cast(rod, motion, floor, Pose(), {.max_iterations = 2});
  EXPECT_EQ(limited.outcome, ShapeCastOutcome::undecided);
  EXPECT_LE(limited.t, full.t);
  EXPECT_GT(limited.t, 0.0);
  EXPECT_NEAR(limited.contact.distance, distance_at(rod, motion, floor, {}, limited.t), 1e-9);
}

TEST(ShapeCast, ManyTurnsAreFollowed) {
  // A blade that turns ten times while it comes down on a ball beside its axis.
  const Shape blade = Box({1.0, 0.01, 0.01});
  const RigidMotion motion{.start = Pose(Vector3d(0, 0, 1)), .linear = {0, 0, -1.2}, .angular = {0, 0, 20.0 * kPi}};
  const Shape ball = Sphere(0.1);
  const Pose place(Vector3d(0.0, 0.7, 0.0));
  const ShapeCast cast = shape_cast(blade, motion, ball, place);
  ASSERT_EQ(cast.outcome, kHit);
  for (int k = 0; k < 20000; ++k) {
    ASSERT_GT(distance(blade, motion.at(cast.t * k / 20000.0), ball, place).distance, 0.0);
  }
  EXPECT_LE(distance(blade, motion.at(cast.t), ball, place).distance, 2e-6);
}

TEST(ShapeCast, FarFromTheOriginAndWithExtremeSizesItEnds) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    for (const double offset : {0.0, 1e5}) {
      const Vector3d far = Vector3d(offset, -offset, offset) * size;
      const RigidMotion motion{
          .start = Pose(far + Vector3d(0, 0, 4.0 * size)), .linear = {0, 0, -4.0 * size}, .angular = {0.3, 0.2, 0.1}};
      const ShapeCast cast =
          shape_cast(Ellipsoid(Vector3d(1.0, 0.5, 0.7) * size), motion, Cylinder(size, 0.5 * size), Pose(far));
      ASSERT_EQ(cast.outcome, kHit);
      EXPECT_NEAR(cast.t, 0.7, 0.1);
    }
  }
}

TEST(RigidMotion, GoesFromOnePoseToTheOther) {
  Random random(45);
  for (int i = 0; i < 200; ++i) {
    const Pose start = random.pose(3.0);
    const Pose end = i % 10 == 0 ? Pose(random.vector(-1, 1), start.quaternion()) : random.pose(3.0);
    const Vector3d pivot = random.vector(-1.0, 1.0);
    const RigidMotion motion = RigidMotion::between(start, end, pivot);
    EXPECT_LT((motion.at(1.0).translation() - end.translation()).norm(), 1e-12);
    EXPECT_LT((motion.at(1.0).rotation() - end.rotation()).norm(), 1e-12);
    EXPECT_EQ(motion.at(0.0), start);
    const Vector3d halfway = 0.5 * (start * pivot + end * pivot);
    EXPECT_LT((motion.at(0.5) * pivot - halfway).norm(), 1e-12);
    EXPECT_LE(motion.angular.norm(), kPi + 1e-12);
    const Pose part = random.pose(1.0);
    EXPECT_LT((motion.of_part(part).at(0.3).translation() - (motion.at(0.3) * part).translation()).norm(), 1e-12);
  }
}

TEST(ShapeCast, RefusesBadInputByName) {
  using samples::error_text;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Shape ball = Sphere(1.0);
  const auto text = [&](const RigidMotion& a, const RigidMotion& b, const ShapeCastOptions& options = {}) {
    return error_text([&] { static_cast<void>(shape_cast(ball, a, ball, b, options)); });
  };
  EXPECT_NE(text({.linear = {nan, 0, 0}}, {}).find("motion_a.linear"), std::string::npos);
  EXPECT_NE(text({}, {.angular = {0, nan, 0}}).find("motion_b.angular"), std::string::npos);
  EXPECT_NE(text({.pivot = {0, nan, 0}}, {}).find("motion_a.pivot"), std::string::npos);
  EXPECT_EQ(text({.angular = {0, -2e100, 0}}, {}),
            "motion_a.angular[1]: must be finite and at most 1e+100 radians, got -2e+100");
  EXPECT_EQ(text({}, {.angular = {0, 0, 1.7e308}}),
            "motion_b.angular[2]: must be finite and at most 1e+100 radians, got 1.7e+308");
  EXPECT_EQ(text({.angular = {kMaxTurn, 0, -kMaxTurn}}, {}), "no error");
  EXPECT_EQ(text({.start = Pose(Vector3d(1.7e308, 0, 0)), .linear = {1e308, 0, 0}}, {}),
            "motion_a: must stay finite: start, linear and pivot together are beyond the range of double");
  EXPECT_NE(text({}, {}, {.tolerance = -1.0}).find("tolerance"), std::string::npos);
  EXPECT_NE(text({}, {}, {.max_iterations = 0}).find("max_iterations"), std::string::npos);
  const Shape ground = HalfSpace(Vector3d::UnitZ(), 0.0);
  EXPECT_NE(error_text([&] { static_cast<void>(shape_cast(ground, {}, ground, Pose())); }).find("b: must be bounded"),
            std::string::npos);
}

}  // namespace
}  // namespace abut
