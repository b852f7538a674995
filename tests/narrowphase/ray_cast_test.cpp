// Ray casts against dense sampling by distance(), brute force over leaves, numbers known by hand, and hostile input.
#include <abut/core/infinity.h>
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random_shapes.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

/// Signed distance of a point, by the narrow phase: that of a small ball, plus its radius.
double point_distance(const Vector3d& point, const Shape& shape, const Pose& pose) {
  constexpr double kRadius = 1e-3;
  return distance(Sphere(kRadius), Pose(point), shape, pose).distance + kRadius;
}

/// A surface without an inside: depths of a small ball in it depend on its size.
bool is_surface(ShapeKind kind) {
  return kind == ShapeKind::mesh || kind == ShapeKind::triangle;
}

TEST(RayCast, MeetsEveryShapeWhereDenseSamplingDoes) {
  Random random(11);
  int hits = 0;
  int misses = 0;
  int inside = 0;
  for (std::uint32_t k = 0; k < samples::kShapeKinds; ++k) {
    const auto kind = static_cast<ShapeKind>(k);
    int hits_of_kind = 0;
    for (int i = 0; i < 120; ++i) {
      const Shape shape = samples::random_shape(kind, 1.0, random);
      const Pose pose = random.pose(1.0);
      const Vector3d origin = random.chance(0.1) ? pose * random.vector(-0.2, 0.2) : random.vector(-2.5, 2.5);
      const Vector3d target = random.chance(0.5) ? pose * random.vector(-0.5, 0.5) : random.vector(-2.5, 2.5);
      const Ray ray{origin, random.uniform(0.1, 3.0) * (target - origin).normalized(), 6.0};
      SCOPED_TRACE(testing::Message() << shape.type_name() << " margin " << shape.margin() << " ray " << i << ": "
                                      << ray.origin.transpose() << " along " << ray.direction.transpose());
      const std::optional<RayCastHit> hit = ray_cast(ray, shape, pose);
      const double length = ray.direction.norm();
      const double end = hit ? hit->t : ray.max_t;
      constexpr int kSamples = 60;
      for (int s = 0; s < kSamples; ++s) {
        const double t = end * s / kSamples;
        if (!(t < end)) break;  // starts inside
        ASSERT_GT(point_distance(ray.origin + t * ray.direction, shape, pose), -1e-7) << "at t = " << t;
      }
      if (!hit) {
        ++misses;
        continue;
      }
      ++hits;
      ++hits_of_kind;
      EXPECT_EQ(hit->status, SolveStatus::converged);
      EXPECT_LE(hit->distance_error, 1e-9);
      EXPECT_LE(point_distance(hit->point, shape, pose), 1e-7);
      EXPECT_LT((hit->point - (ray.origin + hit->t * ray.direction)).norm(), 1e-12);
      EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-12);
      EXPECT_LE(hit->normal.dot(ray.direction), 1e-9 * length);
      if (hit->starts_inside) {
        ++inside;
        EXPECT_EQ(hit->t, 0.0);
        continue;
      }
      EXPECT_GT(hit->t, 0.0);
      // Out of the shape: a small way along the normal the distance has grown. Corners are as good a normal as any.
      if (!is_surface(kind)) {
        const Vector3d outside = hit->point + 1e-3 * hit->normal;
        EXPECT_GT(point_distance(outside, shape, pose), 0.4e-3);
      }
    }
    EXPECT_GT(hits_of_kind, 8) << "kind " << k;
  }
  EXPECT_GT(hits, 400);
  EXPECT_GT(misses, 400);
  EXPECT_GT(inside, 50);
}

TEST(RayCast, NormalOfSmoothShapesIsThatOfTheNearestPoint) {
  Random random(12);
  for (const ShapeKind kind : {ShapeKind::sphere, ShapeKind::ellipsoid, ShapeKind::capsule, ShapeKind::superquadric,
                               ShapeKind::smooth_hull, ShapeKind::smooth_revolution}) {
    int hits = 0;
    for (int i = 0; i < 60; ++i) {
      const Shape shape = samples::random_shape(kind, 1.0, random);
      const Pose pose = random.pose(1.0);
      const Vector3d direction = random.direction();
      const Ray ray{pose * random.vector(-0.6, 0.6) - 5.0 * direction, direction, 20.0};
      const std::optional<RayCastHit> hit = ray_cast(ray, shape, pose);
      if (!hit || hit->starts_inside) continue;
      ++hits;
      const Vector3d outside = hit->point + 1e-2 * hit->normal;
      const Separation nearest = distance(shape, pose, Sphere(1e-6), Pose(outside));
      SCOPED_TRACE(testing::Message() << shape.type_name() << " ray " << i);
      // A march that ends 1e-10 from a curved surface has a normal good to the root of that, times what curvature
      // and obliqueness make of it.
      EXPECT_GT(nearest.normal.dot(hit->normal), 1.0 - 1e-4);
    }
    EXPECT_GT(hits, 8);
  }
}

TEST(RayCast, AnswersInNumbersKnownByHand) {
  struct Case {
    const char* name;
    Shape shape;
    Ray ray;
    std::optional<double> t;
    Vector3d normal;
  };
  const double root = std::sqrt(0.5);
  const std::vector<Case> cases = {
      {"sphere", Sphere(1.0), {{-3, 0, 0}, {1, 0, 0}}, 2.0, {-1, 0, 0}},
      {"sphere with margin", Shape(Sphere(1.0), 0.5), {{-3, 0, 0}, {1, 0, 0}}, 1.5, {-1, 0, 0}},
      {"sphere behind", Sphere(1.0), {{3, 0, 0}, {1, 0, 0}}, std::nullopt, {}},
      {"sphere out of reach", Sphere(1.0), {{-3, 0, 0}, {1, 0, 0}, 1.99}, std::nullopt, {}},
      {"box side", Box({1, 2, 3}), {{0.5, -7, 1}, {0, 2, 0}}, 2.5, {0, -1, 0}},
      {"box from a corner's side", Box({1, 1, 1}), {{-3, -3, 0.2}, {1, 1, 0}}, 2.0, {-1, 0, 0}},
      {"box beside", Box({1, 1, 1}), {{-3, 1.001, 0}, {1, 0, 0}}, std::nullopt, {}},
      {"rounded box, edge", Shape(Box({1, 1, 1}), 0.5), {{-3, -3, 0}, {1, 1, 0}}, 2.0 - 0.5 * root, {-root, -root, 0}},
      {"capsule tube", Capsule(0.5, 1.0), {{-2, 0, 0.7}, {1, 0, 0}}, 1.5, {-1, 0, 0}},
      {"capsule end", Capsule(0.5, 1.0), {{0, 0, 5}, {0, 0, -1}}, 3.5, {0, 0, 1}},
      {"capsule beyond the tube", Capsule(0.5, 1.0), {{-2, 0, 1.4}, {1, 0, 0}}, 2.0 - 0.3, {-0.6, 0, 0.8}},
      {"cylinder side", Cylinder(0.5, 1.0), {{-2, 0, 0.7}, {1, 0, 0}}, 1.5, {-1, 0, 0}},
      {"cylinder cap", Cylinder(0.5, 1.0), {{0.2, 0.1, 5}, {0, 0, -2}}, 2.0, {0, 0, 1}},
      {"cylinder beside", Cylinder(0.5, 1.0), {{0.51, 0, 5}, {0, 0, -2}}, std::nullopt, {}},
      {"cone base", Cone(1.0, 1.0), {{0.3, 0.3, -3}, {0, 0, 1}}, 2.0, {0, 0, -1}},
      {"cone side", Cone(1.0, 1.0), {{-3, 0, 0}, {1, 0, 0}}, 2.5, {-2 / std::sqrt(5.0), 0, 1 / std::sqrt(5.0)}},
      {"cone from above", Cone(1.0, 1.0), {{0.5, 0, 3}, {0, 0, -1}}, 3.0, {2 / std::sqrt(5.0), 0, 1 / std::sqrt(5.0)}},
      {"cone beside the apex", Cone(1.0, 1.0), {{-3, 0.1, 1.05}, {1, 0, 0}}, std::nullopt, {}},
      {"cone, through its mirror image", Cone(1.0, 1.0), {{-3, 0, 2.0}, {1, 0, 0}}, std::nullopt, {}},
      {"cone along a generator inwards",
       Cone(1.0, 1.0),
       {{-1.5, 0.0, 1.0}, {1, 0, -2}},
       0.75,
       {-2 / std::sqrt(5.0), 0, 1 / std::sqrt(5.0)}},
      {"disc", Cone(1.0, 0.0), {{0.5, 0, 2}, {0, 0, -1}}, 2.0, {0, 0, 1}},
      {"ellipsoid", Ellipsoid({1, 2, 3}), {{0, -5, 0}, {0, 1, 0}}, 3.0, {0, -1, 0}},
      {"half-space", HalfSpace({0, 0, 2}, 2.0), {{4, 4, 5}, {0, 0, -2}}, 2.0, {0, 0, 1}},
      {"half-space, upwards", HalfSpace({0, 0, 1}, 1.0), {{4, 4, 5}, {0, 0, 2}}, std::nullopt, {}},
      {"half-space, along it", HalfSpace({0, 0, 1}, 1.0), {{4, 4, 5}, {1, 1, 0}}, std::nullopt, {}},
      {"triangle from above",
       Triangle({Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0)}),
       {{0.2, 0.2, 2}, {0, 0, -1}},
       2.0,
       {0, 0, 1}},
      {"triangle from below",
       Triangle({Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0)}),
       {{0.2, 0.2, -2}, {0, 0, 1}},
       2.0,
       {0, 0, -1}},
      {"triangle in its plane",
       Triangle({Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 1, 0)}),
       {{-2, 0.25, 0}, {1, 0, 0}},
       2.0,
       {-1, 0, 0}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const std::optional<RayCastHit> hit = ray_cast(c.ray, c.shape, Pose());
    ASSERT_EQ(hit.has_value(), c.t.has_value());
    if (!hit) continue;
    EXPECT_NEAR(hit->t, *c.t, 1e-9);
    EXPECT_LT((hit->normal - c.normal).norm(), 1e-7) << hit->normal.transpose();
    EXPECT_FALSE(hit->starts_inside);
    EXPECT_EQ(hit->leaf, RayCastHit::kNoLeaf);
  }
}

TEST(RayCast, TouchingCounts) {
  // Grazing rays that are exact in binary.
  EXPECT_TRUE(ray_cast({{-3, 1, 0}, {1, 0, 0}}, Sphere(1.0), Pose()));
  EXPECT_TRUE(ray_cast({{-3, 1, 1}, {1, 0, 0}}, Box({1, 1, 1}), Pose()));
  EXPECT_TRUE(ray_cast({{-3, 0.5, 0}, {1, 0, 0}}, Cylinder(0.5, 1.0), Pose()));
  EXPECT_TRUE(ray_cast({{-3, 0, 1}, {1, 0, 0}}, Cylinder(0.5, 1.0), Pose()));
  EXPECT_TRUE(ray_cast({{-3, 0, 1}, {1, 0, 0}}, HalfSpace(Vector3d::UnitZ(), 1.0), Pose()));
  // At the very end of the ray.
  EXPECT_TRUE(ray_cast({{-3, 0, 0}, {1, 0, 0}, 2.0}, Sphere(1.0), Pose()));
  // On the surface and leaving: the set is closed.
  const std::optional<RayCastHit> leaving = ray_cast({{1, 0, 0}, {1, 0, 0}}, Sphere(1.0), Pose());
  ASSERT_TRUE(leaving);
  EXPECT_TRUE(leaving->starts_inside);
  EXPECT_EQ(leaving->t, 0.0);
}

TEST(RayCast, AZeroDirectionAsksForThePointAlone) {
  Random random(13);
  for (std::uint32_t k = 0; k < samples::kShapeKinds; ++k) {
    const auto kind = static_cast<ShapeKind>(k);
    if (is_surface(kind)) continue;
    for (int i = 0; i < 60; ++i) {
      const Shape shape = samples::random_shape(kind, 1.0, random);
      const Pose pose = random.pose(0.5);
      const Vector3d point = random.vector(-1.5, 1.5);
      const double expected = point_distance(point, shape, pose);
      if (std::abs(expected) < 1e-8) continue;
      const std::optional<RayCastHit> hit = ray_cast({point, Vector3d::Zero()}, shape, pose);
      EXPECT_EQ(hit.has_value(), expected < 0.0) << shape.type_name() << " at " << expected;
      if (!hit) continue;
      EXPECT_EQ(hit->t, 0.0);
      EXPECT_TRUE(hit->starts_inside);
      EXPECT_EQ(hit->normal, Vector3d(Vector3d::Zero()));
    }
  }
}

TEST(RayCast, InfinitelyLongRaysEnd) {
  Random random(14);
  for (std::uint32_t k = 0; k < samples::kShapeKinds; ++k) {
    for (int i = 0; i < 100; ++i) {
      const Shape shape = samples::random_shape(static_cast<ShapeKind>(k), 1.0, random);
      const Vector3d direction = random.direction();
      const Vector3d target = random.vector(-1.5, 1.5);
      const Ray ray{target - 50.0 * direction, direction, kInfinity};
      const std::optional<RayCastHit> hit = ray_cast(ray, shape, Pose());
      const std::optional<RayCastHit> finite = ray_cast({ray.origin, ray.direction, 100.0}, shape, Pose());
      ASSERT_EQ(hit.has_value(), finite.has_value()) << shape.type_name();
      if (!hit) continue;
      EXPECT_EQ(hit->t, finite->t);
    }
  }
}

TEST(RayCast, ScalingTheDirectionScalesT) {
  Random random(15);
  for (std::uint32_t k = 0; k < samples::kShapeKinds; ++k) {
    for (const double scale : {1e-200, 1e-6, 1e6, 1e200}) {
      const Shape shape = samples::random_shape(static_cast<ShapeKind>(k), 1.0, random);
      const Ray ray{{-4.0, 0.03, 0.02}, {1.0, 0.0, 0.0}, 100.0};
      const Ray scaled{ray.origin, scale * ray.direction, 100.0 / scale};
      const std::optional<RayCastHit> hit = ray_cast(ray, shape, Pose());
      const std::optional<RayCastHit> same = ray_cast(scaled, shape, Pose());
      ASSERT_EQ(hit.has_value(), same.has_value());
      if (!hit) continue;
      EXPECT_NEAR(same->t * scale, hit->t, 1e-9);
      EXPECT_LT((same->normal - hit->normal).norm(), 1e-6);
    }
  }
}

TEST(RayCast, APowerOfTwoTimesTheDirectionChangesNoBitButInT) {
  Random random(17);
  int hits = 0;
  for (std::uint32_t k = 0; k < samples::kShapeKinds; ++k) {
    for (const int exponent : {-900, -60, -1, 1, 60, 900}) {
      const Shape shape = samples::random_shape(static_cast<ShapeKind>(k), 1.0, random);
      const Pose pose = random.pose(0.5);
      const Vector3d origin = 3.0 * random.direction();
      const Ray ray{origin, random.vector(-0.3, 0.3) - origin, 2.0};
      const Ray scaled{origin, std::ldexp(1.0, exponent) * ray.direction, std::ldexp(ray.max_t, -exponent)};
      const std::optional<RayCastHit> hit = ray_cast(ray, shape, pose);
      const std::optional<RayCastHit> same = ray_cast(scaled, shape, pose);
      ASSERT_EQ(hit.has_value(), same.has_value());
      if (!hit) continue;
      ++hits;
      EXPECT_EQ(same->t, std::ldexp(hit->t, -exponent));
      EXPECT_EQ(same->point, hit->point);
      EXPECT_EQ(same->normal, hit->normal);
      EXPECT_EQ(same->leaf, hit->leaf);
    }
  }
  EXPECT_GT(hits, 40);
}

// Where lengths are so small that they are rounded.
TEST(RayCast, NoHitLiesBeyondTheEndOfATinyRay) {
  constexpr double kSize = 1e-308;
  int hits = 0;
  int misses = 0;
  for (int i = 1; i <= 40; ++i) {
    const double step = i <= 30 ? i * 1e-321 : std::ldexp(1.3e-320, i);
    const double face_t = 2.0 * kSize / step;
    for (const double part : {0.0, 0.5, 0.99, 0.999999, 1.0, 1.000001, 1.01, 2.0}) {
      const Ray ray{{-3.0 * kSize, 0.0, 0.0}, {step, 0.0, 0.0}, part * face_t};
      const std::optional<RayCastHit> hit = ray_cast(ray, Box(Vector3d::Constant(kSize)), Pose());
      ++(hit ? hits : misses);
      if (!hit) continue;
      EXPECT_LE(hit->t, ray.max_t) << step << ' ' << part;
      EXPECT_GE(part, 1.0) << step;
    }
  }
  EXPECT_GT(hits, 100);
  EXPECT_GT(misses, 100);
}

TEST(RayCast, MovingEverythingMovesTheAnswer) {
  Random random(16);
  for (std::uint32_t k = 0; k < samples::kShapeKinds; ++k) {
    for (int i = 0; i < 30; ++i) {
      const Shape shape = samples::random_shape(static_cast<ShapeKind>(k), 1.0, random);
      const Pose pose = random.pose(1.0);
      const Pose moved = random.pose(10.0);
      const Ray ray{3.0 * random.direction(), random.direction(), 10.0};
      const std::optional<RayCastHit> hit = ray_cast(ray, shape, pose);
      const std::optional<RayCastHit> same =
          ray_cast({moved * ray.origin, moved.rotate(ray.direction), ray.max_t}, shape, moved * pose);
      ASSERT_EQ(hit.has_value(), same.has_value()) << shape.type_name() << ' ' << i;
      if (!hit) continue;
      EXPECT_NEAR(hit->t, same->t, 1e-7);
      EXPECT_EQ(hit->leaf, same->leaf);
    }
  }
}

TEST(RayCast, FarOriginsAndExtremeSizesAreAnswered) {
  for (const double size : {1e-6, 1.0, 1e6, 1e50, 1e99}) {
    for (const Shape& shape :
         {Shape(Sphere(size)), Shape(Box(Vector3d::Constant(size))), Shape(Cylinder(size, size)),
          Shape(Capsule(size, size)), Shape(Ellipsoid(Vector3d::Constant(size))), Shape(Cone(size, size)),
          Shape(Superquadric(Vector3d::Constant(size), {0.7, 0.7})), Shape(Box(Vector3d::Constant(size)), size)}) {
      for (const double distance : {3.0, 1e3, 1e6}) {
        const std::optional<RayCastHit> hit =
            ray_cast({{-distance * size, 0.01 * size, -0.95 * size}, {1.0, 0.0, 0.0}}, shape, Pose());
        if (!hit) {
          // Only these two are narrow there.
          EXPECT_TRUE(shape.get_if<Sphere>() == nullptr) << size << ' ' << distance;
          continue;
        }
        EXPECT_TRUE(std::isfinite(hit->t));
        EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-9);
        EXPECT_LE(hit->t, distance * size);
        EXPECT_GE(hit->t, (distance - 3.0) * size);
      }
    }
  }
}

TEST(RayCast, FlatConesAreMetWithinTheirRims) {
  Random random(19);
  for (const double half : {1e-3, 1e-7, 1e-9, 1e-11, 1e-16, 0.0}) {
    const Shape cone = Cone(1.0, half);
    int hits = 0;
    for (int i = 0; i < 5000; ++i) {
      const Vector3d direction = random.direction();
      const double angle = random.uniform(0.0, 6.283);
      const double radius = random.uniform(0.0, 2.0);
      if (std::abs(direction.z()) < 0.1 || std::abs(radius - 1.0) < 20.0 * half + 1e-9) continue;
      const Vector3d target(radius * std::cos(angle), radius * std::sin(angle), -half);
      const std::optional<RayCastHit> hit = ray_cast({target - 3.0 * direction, direction}, cone, Pose());
      ASSERT_EQ(hit.has_value(), radius < 1.0) << half << ' ' << i;
      if (!hit) continue;
      ++hits;
      EXPECT_LT(std::abs(hit->point.z()), half + 1e-14);
      EXPECT_LT(hit->point.head<2>().norm(), 1.0 + 1e-14);
      EXPECT_LE(hit->normal.dot(direction), 0.0) << half << ' ' << i;
    }
    EXPECT_GT(hits, 1000);
  }
}

TEST(RayCast, ConesAreMetOnTheirSurfaceNearTheApexAndAsNeedles) {
  Random random(20);
  for (const double half : {0.5, 100.0, 1e4, 1e6}) {
    const Shape cone = Cone(1.0, half);
    int hits = 0;
    for (int i = 0; i < 5000; ++i) {
      const bool is_near_apex = random.chance(0.5);
      const double z = is_near_apex ? half - random.uniform(0.0, 1e-6) * half : random.uniform(-half, half);
      const double radius = 0.5 * (half - z) / half;
      Vector3d direction = random.direction();
      if (half > 1.0) direction.z() *= 0.1;
      const Vector3d side = Vector3d(-direction.y(), direction.x(), 0.0).normalized();
      const Vector3d target = Vector3d(0.0, 0.0, z) + random.uniform(0.0, 0.5) * radius * side;
      const std::optional<RayCastHit> hit = ray_cast({target - 3.0 * direction, direction}, cone, Pose());
      if (radius < 1e-8) continue;
      ASSERT_TRUE(hit) << half << ' ' << i;
      if (hit->starts_inside) continue;
      ++hits;
      const double beyond = hit->point.head<2>().norm() - 0.5 * (half - hit->point.z()) / half;
      EXPECT_LT(std::min(std::abs(beyond), std::abs(hit->point.z() + half)), 1e-15 * (4.0 + half)) << half << ' ' << i;
      EXPECT_LE(hit->normal.dot(direction), 1e-12) << half << ' ' << i;
    }
    EXPECT_GT(hits, 2000);
  }
}

TEST(RayCast, RaysParallelToTheSideOfAConeMeetItsLowerHalfAlone) {
  EXPECT_FALSE(ray_cast({{-1, 0, 2}, {1, 0, -1}}, Cone(1.0, 0.5), Pose()).has_value());
  EXPECT_FALSE(ray_cast({{1, 0, 0}, {-1, 0, 1}}, Cone(1.0, 0.5), Pose()).has_value());
  Random random(26);
  int hits = 0;
  for (int i = 0; i < 30000; ++i) {
    const double radius = random.uniform(0.05, 1.0);
    const double half = random.uniform(0.05, 1.0);
    const Shape cone = Cone(radius, half);
    const double around = random.uniform(-4.0, 4.0);
    Vector3d direction = Vector3d(radius * std::cos(around), radius * std::sin(around), -2.0 * half).normalized();
    if (random.chance(0.5)) direction = -direction;
    if (random.chance(0.5)) direction += std::pow(10.0, random.uniform(-17.0, -5.0)) * random.direction();
    const Vector3d target = random.uniform(0.0, 1.2) * support(cone, random.direction());
    const Pose pose = random.chance(0.5) ? Pose() : random.pose(1.0);
    const Ray ray{pose * (target - random.uniform(0.0, 4.0) * direction), pose.rotate(direction)};
    const std::optional<RayCastHit> hit = ray_cast(ray, cone, pose);
    if (!hit) continue;
    ++hits;
    EXPECT_LE(point_distance(ray.origin + hit->t * ray.direction, cone, pose), 1e-13) << i;
  }
  EXPECT_GT(hits, 20000);
}

TEST(RayCast, NormalsAtEdgesAndOfDiscsAreAgainstTheRay) {
  Random random(21);
  struct Case {
    Shape shape;
    Vector3d target;
  };
  const Case cases[] = {{Box({0.7, 1.0, 0.3}), {0.7, 1.0, 0.3}},  {Box({0.7, 1.0, 0.3}), {0.7, 1.0, 0.1}},
                        {Cylinder(0.5, 1.0), {0.5, 0.0, 1.0}},    {Cylinder(1.0, 0.0), {0.5, 0.3, 0.0}},
                        {Cone(0.5, 1.0), {0.5, 0.0, -1.0}},       {Cone(0.5, 1.0), {0.0, 0.0, 1.0}},
                        {Cone(1.0, 0.0), {0.5, 0.3, 0.0}},        {Ellipsoid({1.0, 1.0, 1e-15}), {0.5, 0.3, 0.0}},
                        {Ellipsoid({1.0, 2.0, 3.0}), {1.0, 0, 0}}};
  for (const Case& c : cases) {
    int hits = 0;
    for (int i = 0; i < 3000; ++i) {
      const Pose pose = random.chance(0.5) ? Pose() : random.pose(1.0);
      const Vector3d direction = random.direction();
      const std::optional<RayCastHit> hit = ray_cast({pose * c.target - 3.0 * direction, direction}, c.shape, pose);
      if (!hit) continue;
      ++hits;
      EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-12);
      EXPECT_LE(hit->normal.dot(direction), 1e-7) << c.shape.type_name() << ' ' << i;
    }
    EXPECT_GT(hits, 500) << c.shape.type_name();
  }
}

TEST(RayCast, MeshAnswersWithItsFirstTriangle) {
  Random random(17);
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const Vector3d corner = random.vector(-2.0, 2.0);
    for (int k = 0; k < 3; ++k) vertices.push_back(corner + random.vector(-0.4, 0.4));
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const TriangleMesh mesh(vertices, triangles);
  const Pose pose = random.pose(3.0);
  int hits = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3d origin = pose * random.vector(-3.0, 3.0);
    const Ray ray{origin, pose * random.vector(-1.5, 1.5) - origin, random.uniform(0.0, 3.0)};
    std::optional<RayCastHit> expected;
    for (std::uint32_t k = 0; k < triangles.size(); ++k) {
      const std::optional<RayCastHit> hit = ray_cast(ray, Triangle(mesh.corners(k)), pose);
      if (!hit || (expected && hit->t >= expected->t)) continue;
      expected = hit;
      expected->leaf = k;
    }
    const std::optional<RayCastHit> hit = ray_cast(ray, mesh, pose);
    ASSERT_EQ(hit.has_value(), expected.has_value()) << i;
    if (!hit) continue;
    ++hits;
    EXPECT_EQ(hit->t, expected->t);
    EXPECT_EQ(hit->leaf, expected->leaf);
    EXPECT_EQ(hit->normal, expected->normal);
  }
  EXPECT_GT(hits, 200);
}

TEST(RayCast, NoRaySlipsThroughAClosedMesh) {
  Random random(18);
  const TriangleMesh mesh = samples::l_mesh(1.0);
  for (int i = 0; i < 20000; ++i) {
    // From within the leg along -x; many through vertices and edges.
    const std::uint32_t target = random.below(12);
    const std::uint32_t other = random.below(12);
    const double weight = random.chance(0.5) ? 0.0 : random.uniform(0.0, 1.0);
    const Vector3d origin(-0.6, -0.6, 0.0);
    const Vector3d on_mesh = (1.0 - weight) * mesh.vertices()[target] + weight * mesh.vertices()[other];
    ASSERT_TRUE(ray_cast({origin, on_mesh - origin}, mesh, Pose())) << target << ' ' << other << ' ' << weight;
  }
}

TEST(RayCast, CompoundAnswersWithItsChild) {
  const Compound inner({{Sphere(0.5), Pose(Vector3d(0, 3, 0))}});
  const Compound compound({{Box({1, 1, 1}), Pose(Vector3d(5, 0, 0))},
                           {inner, Pose(Vector3d(5, 0, 0))},
                           {HalfSpace({0, 0, 1}, -2.0), Pose()}});
  const std::optional<RayCastHit> box = ray_cast({{0, 0, 0}, {1, 0, 0}}, compound, Pose());
  ASSERT_TRUE(box);
  EXPECT_EQ(box->leaf, 0u);
  EXPECT_EQ(box->t, 4.0);
  const std::optional<RayCastHit> ball = ray_cast({{0, 3, 0}, {1, 0, 0}}, compound, Pose());
  ASSERT_TRUE(ball);
  EXPECT_EQ(ball->leaf, 1u);
  EXPECT_NEAR(ball->t, 4.5, 1e-14);
  const std::optional<RayCastHit> ground = ray_cast({{0, 0, 0}, {0, 0, -1}}, compound, Pose());
  ASSERT_TRUE(ground);
  EXPECT_EQ(ground->leaf, 2u);
  EXPECT_EQ(ground->t, 2.0);
}

TEST(RayCast, AnIterationLimitIsAHitWithAProvenT) {
  const Superquadric shape({1.0, 1.0, 1.0}, {0.7, 0.7});
  const Ray ray{{-3.0, 0.3, 0.2}, {1.0, 0.02, 0.01}};
  const std::optional<RayCastHit> exact = ray_cast(ray, shape, Pose());
  const std::optional<RayCastHit> limited = ray_cast(ray, shape, Pose(), {.max_iterations = 2});
  ASSERT_TRUE(exact && limited);
  EXPECT_EQ(limited->status, SolveStatus::iteration_limit);
  EXPECT_LE(limited->t, exact->t + 1e-9);
  EXPECT_FALSE(limited->starts_inside);
}

TEST(RayCast, RefusesBadInputByName) {
  using samples::error_text;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Shape shape = Sphere(1.0);
  const auto text = [&](const Ray& ray, const RayCastOptions& options = {}) {
    return error_text([&] { static_cast<void>(ray_cast(ray, shape, Pose(), options)); });
  };
  EXPECT_NE(text({{nan, 0, 0}, {1, 0, 0}}).find("ray.origin"), std::string::npos);
  EXPECT_NE(text({{0, 0, 0}, {1, kInfinity, 0}}).find("ray.direction"), std::string::npos);
  EXPECT_NE(text({{0, 0, 0}, {1, 0, 0}, -1.0}).find("ray.max_t: must be >= 0"), std::string::npos);
  EXPECT_NE(text({{0, 0, 0}, {1, 0, 0}, nan}).find("ray.max_t"), std::string::npos);
  EXPECT_NE(text({{0, 0, 0}, {1, 0, 0}}, {.tolerance = -1.0}).find("tolerance"), std::string::npos);
  EXPECT_NE(text({{0, 0, 0}, {1, 0, 0}}, {.max_iterations = 0}).find("max_iterations"), std::string::npos);
  EXPECT_EQ(text({{0, 0, 0}, {1, 0, 0}}), "no error");
}

}  // namespace
}  // namespace abut
