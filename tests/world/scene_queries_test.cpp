// Queries about a scene against brute force over all bodies.
#include <abut/core/infinity.h>
#include <abut/narrowphase/distance.h>
#include <abut/world/queries.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/instrumented.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

using samples::Random;

/// Distances of one pair by different starts agree to this, metres: bodies are smaller than a metre.
constexpr double kSamePoint = 1e-9;

/// Bodies of all kinds with a ground, with some filters, some removed.
Scene mixed(int count, std::uint64_t seed) {
  Scene scene({.contact_margin = 0.01});
  const std::vector<BodyId> ids = add_all(scene, samples::pile(count, seed).bodies);
  for (std::size_t i = 0; i < ids.size(); i += 5) scene.set_filter(ids[i], {.layers = 2});
  for (std::size_t i = 3; i < ids.size(); i += 11) scene.remove(ids[i]);
  scene.prepare_queries();
  return scene;
}

Ray random_ray(Random& random) {
  const Vector3d origin = random.vector(-1.0, 1.0) + Vector3d(0, 0, 0.5);
  const Ray ray{origin, random.uniform(0.3, 3.0) * random.direction(), random.chance(0.3) ? kInfinity : 1.0};
  if (!random.chance(0.2)) return ray;
  const double unit = random.chance(0.5) ? 1e-40 : 1e40;  // the same in other units of t
  return {origin, unit * ray.direction, ray.max_t / unit};
}

std::vector<BodyRayHit> brute_hits(const Scene& scene, const Ray& ray, const CollisionFilter& filter) {
  std::vector<BodyRayHit> hits;
  for (const BodyId id : scene.bodies()) {
    if (!filter.accepts(scene.filter(id))) continue;
    const std::optional<RayCastHit> hit = ray_cast(ray, scene.shape(id), scene.pose(id));
    if (hit) hits.push_back({id, *hit});
  }
  std::stable_sort(hits.begin(), hits.end(),
                   [](const BodyRayHit& p, const BodyRayHit& q) { return p.hit.t < q.hit.t; });
  return hits;
}

std::vector<BodySeparation> brute_distances(const Scene& scene, const Shape& shape, const Pose& pose,
                                            const CollisionFilter& filter) {
  std::vector<BodySeparation> all;
  for (const BodyId id : scene.bodies()) {
    if (!filter.accepts(scene.filter(id))) continue;
    if (!shape.is_bounded() && !scene.shape(id).is_bounded()) continue;
    all.push_back({id, distance(shape, pose, scene.shape(id), scene.pose(id))});
  }
  std::stable_sort(all.begin(), all.end(), [](const BodySeparation& p, const BodySeparation& q) {
    return p.separation.distance < q.separation.distance;
  });
  return all;
}

const std::vector<CollisionFilter>& filters() {
  static const std::vector<CollisionFilter> kFilters = {{}, {.layers = 1, .mask = 2}, {.layers = 4, .mask = 1}};
  return kFilters;
}

TEST(SceneQueries, RaysMeetWhatBruteForceFinds) {
  const Scene scene = mixed(400, 21);
  Random random(22);
  QueryContext context;
  std::vector<BodyRayHit> hits;
  std::size_t found = 0;
  for (int i = 0; i < 1500; ++i) {
    const QueryFilter filter{.collision = filters()[static_cast<std::size_t>(i) % 3]};
    const Ray ray = random_ray(random);
    const std::vector<BodyRayHit> expected = brute_hits(scene, ray, filter.collision);
    all_hits(scene, ray, filter, context, hits);
    ASSERT_EQ(hits.size(), expected.size());
    for (std::size_t k = 0; k < hits.size(); ++k) {
      EXPECT_EQ(hits[k].body, expected[k].body);
      EXPECT_EQ(hits[k].hit.t, expected[k].hit.t);
      EXPECT_EQ(hits[k].hit.normal, expected[k].hit.normal);
    }
    found += hits.size();
    const std::optional<BodyRayHit> first = ray_cast(scene, ray, filter, context);
    ASSERT_EQ(first.has_value(), !expected.empty());
    const std::optional<BodyId> any = any_hit(scene, ray, filter, context);
    ASSERT_EQ(any.has_value(), !expected.empty());
    if (!first) continue;
    EXPECT_EQ(first->body, expected[0].body);
    EXPECT_NEAR(first->hit.t, expected[0].hit.t, 1e-12);
    EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [&](const BodyRayHit& h) { return h.body == *any; }));
  }
  EXPECT_GT(found, 1000u);
}

TEST(SceneQueries, OverlapsAndNearestBodiesAreThoseOfBruteForce) {
  const Scene scene = mixed(300, 23);
  Random random(24);
  QueryContext context;
  std::vector<BodyId> bodies;
  std::vector<BodySeparation> near;
  std::size_t overlapping = 0;
  std::size_t apart = 0;
  for (int i = 0; i < 150; ++i) {
    const QueryFilter filter{.collision = filters()[static_cast<std::size_t>(i) % 3]};
    const Shape shape = i % 30 == 0 ? Shape(HalfSpace(random.direction(), 0.1))
                                    : samples::random_shape(static_cast<samples::ShapeKind>(random.below(15)),
                                                            random.chance(0.3) ? 0.5 : 0.05, random);
    const Pose pose = random.pose(0.9);
    SCOPED_TRACE(testing::Message() << "query " << i << ": " << shape.type_name());
    const std::vector<BodySeparation> expected = brute_distances(scene, shape, pose, filter.collision);
    const double margin = i % 2 == 0 ? 0.0 : 0.03;
    overlaps(scene, shape, pose, margin, filter, context, bodies);
    ASSERT_TRUE(std::is_sorted(bodies.begin(), bodies.end()));
    for (const BodySeparation& each : expected) {
      const bool listed = std::binary_search(bodies.begin(), bodies.end(), each.body);
      const double allowed = each.separation.distance_error + kSamePoint;
      if (std::abs(each.separation.distance - margin) > allowed) {
        EXPECT_EQ(listed, each.separation.distance <= margin) << each.separation.distance;
      }
    }
    overlapping += bodies.size();
    const std::optional<BodyId> any = any_overlap(scene, shape, pose, margin, filter, context);
    ASSERT_EQ(any.has_value(), !bodies.empty());
    if (any) {
      EXPECT_TRUE(std::binary_search(bodies.begin(), bodies.end(), *any));
    }

    const std::size_t count = 1 + random.below(8);
    const double reach = random.chance(0.5) ? kInfinity : random.uniform(-0.01, 0.3);
    nearest(scene, shape, pose, count, reach, filter, context, near);
    const std::optional<BodySeparation> one = nearest(scene, shape, pose, reach, filter, context);
    std::size_t within = 0;
    while (within < expected.size() && expected[within].separation.distance <= reach - kSamePoint) ++within;
    ASSERT_GE(near.size(), std::min(count, within));
    ASSERT_LE(near.size(), count);
    for (std::size_t k = 0; k < near.size(); ++k) {
      EXPECT_NEAR(near[k].separation.distance, expected[k].separation.distance,
                  expected[k].separation.distance_error + near[k].separation.distance_error + kSamePoint);
      const Separation itself = distance(shape, pose, scene.shape(near[k].body), scene.pose(near[k].body));
      EXPECT_NEAR(near[k].separation.distance, itself.distance,
                  near[k].separation.distance_error + itself.distance_error + kSamePoint);
      apart += itself.distance > 0.0 ? 1 : 0;
    }
    ASSERT_EQ(one.has_value(), !near.empty());
    if (one) {
      EXPECT_NEAR(one->separation.distance, near[0].separation.distance, kSamePoint);
    }
  }
  EXPECT_GT(overlapping, 500u);
  EXPECT_GT(apart, 100u);
}

TEST(SceneQueries, NearestToAPointIsExact) {
  Scene scene;
  const BodyId ball = scene.add({.shape = Sphere(1.0), .pose = Pose(Vector3d(5, 0, 0))});
  const BodyId box = scene.add({.shape = Box({1, 1, 1}), .pose = Pose(Vector3d(-4, 0, 0))});
  scene.prepare_queries();
  QueryContext context;
  const std::optional<BodySeparation> near = nearest(scene, Vector3d::Zero(), kInfinity, {}, context);
  ASSERT_TRUE(near);
  EXPECT_EQ(near->body, box);
  EXPECT_NEAR(near->separation.distance, 3.0, 1e-12);
  EXPECT_LT((near->separation.point_a - Vector3d::Zero()).norm(), 1e-12);
  EXPECT_LT((near->separation.normal - Vector3d(-1, 0, 0)).norm(), 1e-9);
  std::vector<BodySeparation> both;
  nearest(scene, Vector3d(4.5, 0, 0), 5, kInfinity, {}, context, both);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].body, ball);
  EXPECT_NEAR(both[0].separation.distance, -0.5, 1e-9);
  EXPECT_NEAR(both[1].separation.distance, 7.5, 1e-9);
  EXPECT_FALSE(nearest(scene, Vector3d(0, 50, 0), 10.0, {}, context));
}

TEST(SceneQueries, EqualAnswersGoToTheLowerSlot) {
  Scene scene;
  for (int i = 0; i < 20; ++i) scene.add({.shape = Sphere(1.0)});
  scene.prepare_queries();
  QueryContext context;
  const Ray ray{{-5, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(ray_cast(scene, ray, {}, context)->body.slot, 0u);
  std::vector<BodyRayHit> hits;
  all_hits(scene, ray, {}, context, hits);
  ASSERT_EQ(hits.size(), 20u);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(hits[i].body.slot, i);
  const QueryFilter without_first{.predicate = [](BodyId id) { return id.slot >= 4; }};
  EXPECT_EQ(ray_cast(scene, ray, without_first, context)->body.slot, 4u);
  EXPECT_EQ(nearest(scene, Vector3d(9, 0, 0), kInfinity, without_first, context)->body.slot, 4u);
  EXPECT_EQ(nearest(scene, Vector3d(9, 0, 0), kInfinity, {}, context)->body.slot, 0u);  // remembers 4
}

TEST(SceneQueries, SkippedBodiesAndPredicatesAreHonoured) {
  Scene scene;
  std::vector<BodyId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(scene.add({.shape = Sphere(0.5), .pose = Pose(Vector3d(2 * i, 0, 0))}));
  scene.prepare_queries();
  QueryContext context;
  const Ray ray{{-5, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(ray_cast(scene, ray, {}, context)->body, ids[0]);
  const std::vector<BodyId> skip = {ids[0], ids[1], BodyId{7, 9}};
  EXPECT_EQ(ray_cast(scene, ray, {.skip = skip}, context)->body, ids[2]);
  EXPECT_EQ(*any_hit(scene, ray, {.skip = std::span(ids).first(3)}, context), ids[3]);
  EXPECT_FALSE(any_hit(scene, ray, {.skip = ids}, context));
  EXPECT_FALSE(any_overlap(scene, Sphere(3.0), Pose(), 0.0, {.skip = ids}, context));
  EXPECT_FALSE(nearest(scene, Vector3d::Zero(), kInfinity, {.predicate = [](BodyId) { return false; }}, context));
}

TEST(SceneQueries, BodiesFoundSoFarMayBeSkippedWhereTheNextOnesGo) {
  Scene scene;
  for (int i = 0; i < 40; ++i) {
    scene.add({.shape = Sphere(0.1), .pose = Pose(Vector3d(0.3 * i, 0.0, 0.0))});
  }
  scene.prepare_queries();
  QueryContext context;
  std::vector<BodyId> bodies;
  bodies.reserve(100);
  overlaps(scene, Sphere(2.0), Pose(), 0.0, {}, context, bodies);
  const std::vector<BodyId> first = bodies;
  std::vector<BodyId> expected;
  overlaps(scene, Sphere(8.0), Pose(), 0.0, {.skip = first}, context, expected);
  overlaps(scene, Sphere(8.0), Pose(), 0.0, {.skip = bodies}, context, bodies);
  EXPECT_EQ(bodies, expected);
  EXPECT_GT(first.size(), 3u);
  EXPECT_GT(bodies.size(), first.size());
  // Of the lists of a batch, too.
  const std::vector<PlacedShape> shapes = {{Sphere(2.0)}, {Sphere(8.0)}};
  QueryLists<BodyId> lists;
  overlaps(scene, shapes, 0.0, {}, context, lists);
  overlaps(scene, shapes, 0.0, {.skip = lists[0]}, context, lists);
  EXPECT_TRUE(lists[0].empty());
  EXPECT_TRUE(std::equal(lists[1].begin(), lists[1].end(), expected.begin(), expected.end()));
}

TEST(SceneQueries, WhatAPredicateThrowsComesOutAndLeavesEmptyLists) {
  Scene scene;
  for (int i = 0; i < 60; ++i) {
    scene.add({.shape = Sphere(0.1), .pose = Pose(Vector3d(0.3 * i, 0.0, 0.0))});
  }
  scene.prepare_queries();
  QueryContext context;
  const std::vector<Ray> rays(100, Ray{{-5.0, 0.0, 0.0}, {30.0, 0.0, 0.0}});
  const std::vector<PlacedShape> shapes(100, PlacedShape{Sphere(8.0)});
  std::atomic<int> left{1000};
  const QueryFilter filter{.predicate = [&](BodyId) {
    if (--left == 0) throw std::runtime_error("no more");
    return true;
  }};
  QueryLists<BodyRayHit> hits;
  QueryLists<BodyId> bodies;
  QueryLists<BodySeparation> nearest_bodies;
  const auto expect_empty = [&](const auto& lists, const auto& ask) {
    left = 1000;
    EXPECT_THROW(ask(), std::runtime_error);
    EXPECT_EQ(lists.size(), 0u);
    EXPECT_TRUE(lists.items.empty());
    left = 1'000'000'000;
    ask();
    EXPECT_EQ(lists.size(), 100u);
  };
  expect_empty(hits, [&] { all_hits(scene, rays, filter, context, hits); });
  expect_empty(bodies, [&] { overlaps(scene, shapes, 0.0, filter, context, bodies); });
  expect_empty(nearest_bodies, [&] { nearest(scene, shapes, 5, kInfinity, filter, context, nearest_bodies); });
}

TEST(SceneQueries, TurningShapesMeetTheLowerSlotOfBodiesInOnePlaceAsTheyMeetOneAlone) {
  Random random(35);
  int hits = 0;
  for (int i = 0; i < 600; ++i) {
    const Shape shape = i % 3 == 0   ? Shape(Sphere(0.5))
                        : i % 3 == 1 ? Shape(Box(Vector3d(0.3, 0.4, 0.5)))
                                     : Shape(Capsule(0.2, 0.5));
    const Shape obstacle = i % 2 == 0 ? Shape(Box(Vector3d(0.5, 0.6, 0.7))) : Shape(Cylinder(0.5, 0.6));
    const Pose place = random.pose(0.2);
    Scene scene;
    // Of fixed and moving bodies there are two trees, and the lower slot may be in either.
    const BodyId lower =
        scene.add({.shape = obstacle, .pose = place, .motion = i % 5 < 3 ? Motion::fixed : Motion::moving});
    scene.add({.shape = obstacle, .pose = place, .motion = i % 7 < 2 ? Motion::fixed : Motion::moving});
    scene.prepare_queries();
    RigidMotion motion{.start = random.pose(1.0)};
    motion.start = Pose(4.0 * random.direction(), Quaterniond(motion.start.rotation()));
    motion.linear = -random.uniform(0.5, 2.0) * motion.start.translation();
    const double turn = random.uniform(0.0, 6.0);
    motion.angular = turn * random.direction();
    QueryContext context;
    const std::optional<BodyShapeCast> found = shape_cast(scene, shape, motion, {}, {}, context);
    const ShapeCast alone = shape_cast(shape, motion, obstacle, place);
    ASSERT_EQ(found.has_value(), alone.outcome == ShapeCastOutcome::hit) << i;
    if (!found) continue;
    ++hits;
    EXPECT_EQ(found->body, lower) << i;
    EXPECT_EQ(found->cast.t, alone.t) << i;
  }
  EXPECT_GT(hits, 400);
}

// A composite that is asked with a limit answers with other roundings.
TEST(SceneQueries, CompositesInEqualPlacesAreOrderedBySlot) {
  Random random(33);
  for (int round = 0; round < (samples::kIsInstrumented ? 40 : 400); ++round) {
    SCOPED_TRACE(round);
    Eigen::MatrixXd heights(3, 3);
    for (Eigen::Index i = 0; i < heights.size(); ++i) heights(i) = random.uniform(-0.4, 0.4);
    const HeightField field(heights, {random.uniform(0.3, 0.6), 0.5}, -0.5);
    Scene scene;
    const Pose pose = random.pose(0.5);
    std::vector<BodyId> ids;
    for (int i = 0; i < 6; ++i) ids.push_back(scene.add({.shape = field, .pose = pose, .motion = Motion::fixed}));
    scene.prepare_queries();
    const Shape shape = Ellipsoid(random.vector(0.1, 0.3));
    const Pose world_from_shape(pose * Vector3d(random.uniform(-1.0, 2.0), random.uniform(-1.0, 2.0), 1.0),
                                random.rotation());
    QueryContext context;
    for (const std::size_t count : {1u, 2u, 3u, 4u, 6u, 9u}) {
      std::vector<BodySeparation> near;
      nearest(scene, shape, world_from_shape, count, kInfinity, {}, context, near);
      ASSERT_EQ(near.size(), std::min<std::size_t>(count, 6));
      for (std::size_t i = 0; i < near.size(); ++i) {
        ASSERT_EQ(near[i].body, ids[i]);
        ASSERT_EQ(near[i].separation.distance, near[0].separation.distance);
      }
      ASSERT_EQ(nearest(scene, shape, world_from_shape, kInfinity, {}, context)->body, ids[0]);
    }
    const std::vector<BodyId> first = {scene.add({.shape = shape, .pose = world_from_shape})};
    ASSERT_EQ(distance(scene, first, ids, kInfinity, context)->pair.b, ids[0]);
    ASSERT_EQ(distance(scene, ids, first, kInfinity, context)->pair.a, ids[0]);
  }
}

TEST(SceneQueries, ShapesMeetTheBodyThatBruteForceFinds) {
  const Scene scene = mixed(250, 31);
  Random random(32);
  QueryContext context;
  std::vector<MovingShape> shapes;
  std::vector<std::optional<BodyShapeCast>> singles;
  int hits = 0;
  int at_start = 0;
  const int count = samples::kIsInstrumented ? 70 : 200;
  for (int i = 0; i < count; ++i) {
    const Shape shape = samples::random_shape(static_cast<samples::ShapeKind>(random.below(15)), 0.05, random);
    RigidMotion motion{.start = Pose(random.vector(-1.0, 1.0) + Vector3d(0, 0, 0.6), random.rotation())};
    motion.linear = random.uniform(0.0, 0.6) * random.direction();
    if (i % 2 == 0) motion.angular = random.uniform(0.0, 3.0) * random.direction();
    const QueryFilter filter{.collision = filters()[0]};
    std::optional<BodyShapeCast> expected;
    for (const BodyId id : scene.bodies()) {
      if (!filter.collision.accepts(scene.filter(id))) continue;
      const ShapeCast cast = shape_cast(shape, motion, scene.shape(id), scene.pose(id));
      if (cast.outcome == ShapeCastOutcome::clear) continue;
      if (!expected || cast.t < expected->cast.t) expected = {id, cast};
    }
    const std::optional<BodyShapeCast> found = shape_cast(scene, shape, motion, {}, filter, context);
    shapes.push_back({shape, motion});
    singles.push_back(found);
    SCOPED_TRACE(testing::Message() << "cast " << i << ": " << shape.type_name());
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) continue;
    ++hits;
    at_start += found->cast.t == 0.0 ? 1 : 0;
    EXPECT_NEAR(found->cast.t, expected->cast.t, 1e-5);
    if (found->cast.t != expected->cast.t) continue;
    EXPECT_EQ(found->body, expected->body);
  }
  EXPECT_GT(hits, count * 3 / 10);
  EXPECT_GT(at_start, count / 20);
  std::vector<std::optional<BodyShapeCast>> batch(shapes.size());
  shape_cast(scene, shapes, {}, {}, batch);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ASSERT_EQ(batch[i].has_value(), singles[i].has_value());
    if (!batch[i]) continue;
    EXPECT_EQ(batch[i]->body, singles[i]->body);
    EXPECT_EQ(batch[i]->cast.t, singles[i]->cast.t);
  }
}

TEST(SceneQueries, ShapesWithinTheDefaultToleranceOfABodyMeetIt) {
  QueryContext context;
  const Shape cube = Box({0.5, 0.5, 0.5});
  for (const double size : {0.01, 1.0, 100.0}) {
    const double tolerance = kRelativeTolerance * std::sqrt(3.0) * (0.5 + size);
    for (const double gap : {0.1 * tolerance, 0.9 * tolerance, 1.1 * tolerance}) {
      for (const Vector3d& away : {Vector3d(0, 0, 0), Vector3d(512, -1024, 2048)}) {  // where floats are exact
        for (const bool over_a_corner : {false, true}) {
          SCOPED_TRACE(testing::Message() << "size " << size << ", gap " << gap << ", at " << away.transpose()
                                          << (over_a_corner ? ", over a corner" : ""));
          Scene scene;
          // Faces one above the other, or corners along the diagonal of both.
          const Shape block = Box(Vector3d::Constant(size));
          const BodyId body = scene.add({.shape = block, .pose = Pose(away - Vector3d(0, 0, size))});
          scene.prepare_queries();
          const Vector3d off = over_a_corner
                                   ? Vector3d::Constant(0.5 + size + gap / std::sqrt(3.0)) - size * Vector3d::UnitZ()
                                   : Vector3d(0, 0, 0.5 + gap);
          const Vector3d way = over_a_corner ? Vector3d(0.5, -0.5, 0) : Vector3d(0.3, 0.2, 0);
          const RigidMotion motion{.start = Pose(away + off), .linear = way};
          const ShapeCast pair = shape_cast(cube, motion, block, scene.pose(body));
          EXPECT_EQ(pair.outcome == ShapeCastOutcome::hit, gap < tolerance);
          const std::vector<MovingShape> shapes(1, {cube, motion});
          std::vector<std::optional<BodyShapeCast>> batch(1);
          shape_cast(scene, shapes, {}, {}, batch);
          for (const auto& cast : {shape_cast(scene, cube, motion, {}, {}, context), batch[0]}) {
            ASSERT_EQ(cast.has_value(), pair.outcome == ShapeCastOutcome::hit);
            if (!cast) continue;
            EXPECT_EQ(cast->body, body);
            EXPECT_EQ(cast->cast.t, pair.t);
            EXPECT_EQ(cast->cast.contact.distance, pair.contact.distance);
          }
        }
      }
    }
  }
}

TEST(SceneQueries, ShapesThatHardlyTurnMeetWhatThoseMeetThatDoNot) {
  Scene scene;
  const BodyId wall = scene.add({.shape = Box({0.5, 0.5, 0.5})});
  scene.prepare_queries();
  QueryContext context;
  std::vector<MovingShape> shapes;
  for (const double turn : {0.0, 1e-150, 1e-162, 1e-200, 1e-310, std::numeric_limits<double>::denorm_min()}) {
    shapes.push_back(
        {Box({0.5, 0.5, 0.5}), {.start = Pose(Vector3d(-3, 0, 0)), .linear = {4, 0, 0}, .angular = {0, turn, turn}}});
  }
  std::vector<std::optional<BodyShapeCast>> batch(shapes.size());
  shape_cast(scene, shapes, {}, {}, batch);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto single = shape_cast(scene, shapes[i].shape, shapes[i].motion, {}, {}, context);
    for (const std::optional<BodyShapeCast>& cast : {batch[i], single}) {
      ASSERT_TRUE(cast) << i;
      EXPECT_EQ(cast->body, wall);
      EXPECT_EQ(cast->cast.outcome, ShapeCastOutcome::hit);
      EXPECT_NEAR(cast->cast.t, 0.5, 1e-6);
    }
  }
}

TEST(SceneQueries, GroupsAreAsFarApartAsTheirNearestPair) {
  Scene scene;
  const std::vector<BodyId> ids = add_all(scene, samples::drift(120, 25).bodies);
  Random random(26);
  QueryContext context;
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<BodyId> a;
    std::vector<BodyId> b;
    for (std::uint32_t k = 0; k < 1 + random.below(6); ++k) a.push_back(ids[random.below(122)]);
    for (std::uint32_t k = 0; k < 1 + random.below(12); ++k) b.push_back(ids[random.below(122)]);
    const double reach = random.chance(0.5) ? kInfinity : random.uniform(0.0, 0.4);
    std::optional<PairSeparation> expected;
    for (const BodyId p : a) {
      for (const BodyId q : b) {
        if (p == q || (!scene.shape(p).is_bounded() && !scene.shape(q).is_bounded())) continue;
        const Separation separation = scene.distance(p, q);
        if (separation.distance > reach) continue;
        if (!expected || separation.distance < expected->separation.distance) expected = {{p, q}, separation};
      }
    }
    const std::optional<PairSeparation> answer = distance(scene, a, b, reach, context);
    ASSERT_EQ(answer.has_value(), expected.has_value()) << i;
    if (!answer) continue;
    ++found;
    EXPECT_NEAR(answer->separation.distance, expected->separation.distance,
                kSamePoint + answer->separation.distance_error + expected->separation.distance_error);
    EXPECT_NEAR(scene.distance(answer->pair.a, answer->pair.b).distance, answer->separation.distance, kSamePoint);
  }
  EXPECT_GT(found, 30);
  EXPECT_FALSE(distance(scene, {}, ids, kInfinity, context));
  EXPECT_FALSE(distance(scene, std::span(ids).first(1), std::span(ids).first(1), kInfinity, context));
}

/// Everything that queries answer, as numbers.
std::vector<double> all_answers(const Scene& scene, std::span<const Ray> rays, std::span<const PlacedShape> shapes,
                                bool is_batch) {
  QueryContext context;
  const QueryFilter filter;
  std::vector<double> numbers;
  const auto add_hit = [&](const BodyRayHit& hit) {
    numbers.insert(numbers.end(), {static_cast<double>(hit.body.slot), hit.hit.t, hit.hit.normal.x()});
  };
  const auto add_separation = [&](const BodySeparation& near) {
    numbers.insert(numbers.end(),
                   {static_cast<double>(near.body.slot), near.separation.distance, near.separation.point_b.y()});
  };
  std::vector<Vector3d> points;
  for (const PlacedShape& shape : shapes) points.push_back(shape.pose.translation());
  std::vector<MovingShape> moving;
  for (const PlacedShape& placed : shapes) {
    if (!placed.shape.is_bounded()) continue;
    const Vector3d& way = rays[moving.size()].direction;
    moving.push_back({placed.shape, {.start = placed.pose, .linear = way, .angular = {0.0, 0.0, way.x()}}});
  }
  const auto add_cast = [&](const std::optional<BodyShapeCast>& cast) {
    numbers.push_back(cast.has_value());
    if (cast)
      numbers.insert(numbers.end(),
                     {static_cast<double>(cast->body.slot), cast->cast.t, cast->cast.contact.normal.z()});
  };
  if (is_batch) {
    std::vector<std::optional<BodyRayHit>> hits(rays.size());
    ray_cast(scene, rays, filter, hits);
    std::vector<std::optional<BodyId>> any(rays.size());
    any_hit(scene, rays, filter, any);
    for (std::size_t i = 0; i < rays.size(); ++i) {
      numbers.push_back(hits[i].has_value());
      if (hits[i]) add_hit(*hits[i]);
      numbers.push_back(any[i].has_value());
    }
    QueryLists<BodyRayHit> lists;
    all_hits(scene, rays, filter, context, lists);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (const BodyRayHit& hit : lists[i]) add_hit(hit);
    }
    QueryLists<BodyId> overlapping;
    overlaps(scene, shapes, 0.01, filter, context, overlapping);
    for (std::size_t i = 0; i < overlapping.size(); ++i) {
      for (const BodyId id : overlapping[i]) numbers.push_back(id.slot);
    }
    std::vector<std::optional<BodyId>> some(shapes.size());
    any_overlap(scene, shapes, 0.01, filter, some);
    for (const auto& id : some) numbers.push_back(id.has_value());
    std::vector<std::optional<BodySeparation>> near(shapes.size());
    nearest(scene, shapes, 0.5, filter, near);
    for (const auto& one : near) {
      if (one) add_separation(*one);
    }
    nearest(scene, points, 0.5, filter, near);
    for (const auto& one : near) {
      if (one) add_separation(*one);
    }
    QueryLists<BodySeparation> several;
    nearest(scene, shapes, 4, 0.5, filter, context, several);
    for (std::size_t i = 0; i < several.size(); ++i) {
      for (const BodySeparation& one : several[i]) add_separation(one);
    }
    nearest(scene, points, 4, 0.5, filter, context, several);
    for (std::size_t i = 0; i < several.size(); ++i) {
      for (const BodySeparation& one : several[i]) add_separation(one);
    }
    std::vector<std::optional<BodyShapeCast>> casts(moving.size());
    shape_cast(scene, moving, {}, filter, casts);
    for (const auto& cast : casts) add_cast(cast);
    return numbers;
  }
  std::vector<BodyRayHit> hits;
  std::vector<BodyId> bodies;
  std::vector<BodySeparation> near;
  for (const Ray& ray : rays) {
    const auto hit = ray_cast(scene, ray, filter, context);
    numbers.push_back(hit.has_value());
    if (hit) add_hit(*hit);
    numbers.push_back(any_hit(scene, ray, filter, context).has_value());
  }
  for (const Ray& ray : rays) {
    all_hits(scene, ray, filter, context, hits);
    for (const BodyRayHit& hit : hits) add_hit(hit);
  }
  for (const PlacedShape& s : shapes) {
    overlaps(scene, s.shape, s.pose, 0.01, filter, context, bodies);
    for (const BodyId id : bodies) numbers.push_back(id.slot);
  }
  for (const PlacedShape& s : shapes) {
    numbers.push_back(any_overlap(scene, s.shape, s.pose, 0.01, filter, context).has_value());
  }
  for (const PlacedShape& s : shapes) {
    const auto one = nearest(scene, s.shape, s.pose, 0.5, filter, context);
    if (one) add_separation(*one);
  }
  for (const Vector3d& point : points) {
    const auto one = nearest(scene, point, 0.5, filter, context);
    if (one) add_separation(*one);
  }
  for (const PlacedShape& s : shapes) {
    nearest(scene, s.shape, s.pose, 4, 0.5, filter, context, near);
    for (const BodySeparation& one : near) add_separation(one);
  }
  for (const Vector3d& point : points) {
    nearest(scene, point, 4, 0.5, filter, context, near);
    for (const BodySeparation& one : near) add_separation(one);
  }
  for (const MovingShape& one : moving) add_cast(shape_cast(scene, one.shape, one.motion, {}, filter, context));
  return numbers;
}

struct Questions {
  std::vector<Ray> rays;
  std::vector<PlacedShape> shapes;

  explicit Questions(std::uint64_t seed, int ray_count = 200, int shape_count = 100) {
    Random random(seed);
    for (int i = 0; i < ray_count; ++i) rays.push_back(random_ray(random));
    for (int i = 0; i < shape_count; ++i) {
      shapes.push_back(
          {samples::random_shape(static_cast<samples::ShapeKind>(random.below(15)), 0.1, random), random.pose(0.7)});
    }
  }
};

TEST(SceneQueries, OfAPairInBothGroupsTheFirstIsAnsweredAndItsAnswerIsTheSameInEitherOrder) {
  Random random(41);
  QueryContext context;
  for (int trial = 0; trial < 500; ++trial) {
    Scene scene;
    const double half = random.uniform(0.1, 0.6);
    const Shape first = trial % 2 == 0 ? Shape(Box({half, 0.3, 0.2})) : Shape(Capsule(half, 0.4));
    const BodyId a = scene.add({.shape = first, .pose = random.pose(1.0)});
    const BodyId b = scene.add({.shape = Sphere(0.3), .pose = Pose(Vector3d(3, 0, 0) + random.vector(-1, 1))});
    const std::vector<BodyId> ab = {a, b};
    const std::vector<BodyId> ba = {b, a};
    const std::optional<PairSeparation> answer = distance(scene, ab, ba, kInfinity, context);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->pair, (BodyPair{a, b})) << trial;
    const std::optional<PairSeparation> turned = distance(scene, ba, ab, kInfinity, context);
    ASSERT_TRUE(turned.has_value());
    EXPECT_EQ(turned->pair, (BodyPair{b, a})) << trial;
    EXPECT_EQ(turned->separation.distance, answer->separation.distance);
    EXPECT_EQ(turned->separation.point_a, answer->separation.point_b);
    EXPECT_EQ(turned->separation.point_b, answer->separation.point_a);
    EXPECT_EQ(turned->separation.normal, -answer->separation.normal);
  }
}

TEST(SceneQueries, GroupsOfBodiesThatTouchAreWithinNoDistance) {
  // The boxes of the first pair overlap while its bodies are apart; those of the second, which touches, are apart by
  // the rounding of their sides.
  QueryContext context;
  int touching = 0;
  for (int i = 1; i <= 40; ++i) {
    for (int j = 1; j <= 40; ++j) {
      const double a = 0.025 * i;
      const double b = 0.025 * j;
      Scene scene;
      const BodyId ball = scene.add({.shape = Sphere(a)});
      const std::vector<BodyId> others = {
          scene.add({.shape = Sphere(b), .pose = Pose(Vector3d::Constant(0.7 * (a + b)))}),
          scene.add({.shape = Sphere(b), .pose = Pose(Vector3d(a + b, 0, 0))})};
      if (scene.distance(ball, others[1]).distance != 0.0) continue;
      ++touching;
      const std::optional<PairSeparation> answer = distance(scene, std::span(&ball, 1), others, 0.0, context);
      ASSERT_TRUE(answer.has_value()) << a << " " << b;
      EXPECT_EQ(answer->pair, (BodyPair{ball, others[1]}));
    }
  }
  EXPECT_GT(touching, 1000);
}

TEST(SceneQueries, BatchesAnswerAsSingleQueriesForAnyNumberOfThreads) {
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
  const Scene scene = mixed(300, 27);
  const int share = samples::kIsInstrumented ? 4 : 1;
  const Questions questions(28, 200 / share, 100 / share);
  const std::vector<double> single = all_answers(scene, questions.rays, questions.shapes, false);
  EXPECT_GT(single.size(), 1500u / static_cast<unsigned>(share));
  for (const int threads : {1, 2, 4}) {
    tbb::task_arena arena(threads);
    const std::vector<double> batch =
        arena.execute([&] { return all_answers(scene, questions.rays, questions.shapes, true); });
    ASSERT_EQ(batch.size(), single.size());
    // Single queries look first where the last one ended, which may move an answer by its error.
    for (std::size_t i = 0; i < batch.size(); ++i) ASSERT_NEAR(batch[i], single[i], 1e-6) << i;
    EXPECT_EQ(batch, arena.execute([&] { return all_answers(scene, questions.rays, questions.shapes, true); }));
  }
  tbb::task_arena one(1);
  tbb::task_arena four(4);
  EXPECT_EQ(one.execute([&] { return all_answers(scene, questions.rays, questions.shapes, true); }),
            four.execute([&] { return all_answers(scene, questions.rays, questions.shapes, true); }));
}

TEST(SceneQueries, OfTwoBodiesInOnePlaceTheLowerSlotAnswers) {
  Random random(34);
  Scene scene;
  constexpr std::uint32_t kPlaces = 6000;
  for (std::uint32_t i = 0; i < 2 * kPlaces; ++i) {
    samples::Random of_place(i % kPlaces);
    const Vector3d half = of_place.vector(0.01, 0.05);
    const std::uint32_t kind = i % kPlaces % 64;
    const Shape shape = kind == 0   ? samples::random_shape(samples::ShapeKind::convex_hull, 0.05, of_place)
                        : kind < 16 ? Shape(Cylinder(half.x(), half.y()), 0.001)
                        : kind < 32 ? Shape(Sphere(half.x()))
                                    : Shape(Box(half));
    scene.add({.shape = shape, .pose = of_place.pose(1.0)});
  }
  scene.prepare_queries();
  QueryContext context;
  std::vector<Ray> rays;
  std::vector<MovingShape> moving;
  std::vector<Vector3d> points;
  for (int i = 0; i < 800; ++i) {
    rays.push_back({random.vector(-2.0, 2.0), random.uniform(0.3, 3.0) * random.direction(), kInfinity});
    points.push_back(random.vector(-1.5, 1.5));
    if (i < 80) moving.push_back({Sphere(0.01), {.start = Pose(points.back()), .linear = rays.back().direction}});
  }
  std::vector<std::optional<BodyRayHit>> hits(rays.size());
  ray_cast(scene, rays, {}, hits);
  std::vector<std::optional<BodySeparation>> near(points.size());
  nearest(scene, points, kInfinity, {}, near);
  std::vector<std::optional<BodyShapeCast>> casts(moving.size());
  shape_cast(scene, moving, {}, {}, casts);
  int found = 0;
  const auto expect_lower = [&](const auto& answer, const char* what) {
    if (!answer) return;
    ++found;
    EXPECT_LT(answer->body.slot, kPlaces) << what;
  };
  for (std::size_t i = 0; i < rays.size(); ++i) {
    expect_lower(hits[i], "batch of rays");
    expect_lower(ray_cast(scene, rays[i], {}, context), "ray");
    expect_lower(near[i], "batch of nearest");
    expect_lower(nearest(scene, points[i], kInfinity, {}, context), "nearest");
    if (i < casts.size()) expect_lower(casts[i], "batch of casts");
  }
  EXPECT_GT(found, 1800);
}

// Of so many bodies, walks of a batch take turns; of the few that move each walks alone.
TEST(SceneQueries, BatchesAmongManyBodiesAnswerAsSingleQueries) {
  Random random(31);
  Scene scene;
  for (int i = 0; i < 16000; ++i) {
    const Vector3d half = random.vector(0.002, 0.03);
    const Shape shape = random.chance(0.5) ? Shape(Box(half)) : Shape(Sphere(half.x()));
    scene.add({.shape = shape, .pose = random.pose(1.0), .motion = i % 16 == 0 ? Motion::moving : Motion::fixed});
  }
  scene.prepare_queries();
  const Questions questions(32, 80, samples::kIsInstrumented ? 9 : 34);  // full blocks and others
  const std::vector<double> single = all_answers(scene, questions.rays, questions.shapes, false);
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena one(1);
  tbb::task_arena four(4);
  const auto answers = [&] { return all_answers(scene, questions.rays, questions.shapes, true); };
  const std::vector<double> batch = one.execute(answers);
  EXPECT_EQ(four.execute(answers), batch);
  EXPECT_GT(single.size(), samples::kIsInstrumented ? 1000u : 2000u);
  ASSERT_EQ(batch.size(), single.size());
  for (std::size_t i = 0; i < batch.size(); ++i) ASSERT_NEAR(batch[i], single[i], 1e-6) << i;
}

TEST(SceneQueries, AnEmptySceneHasNoAnswersForABatch) {
  Scene scene;
  scene.prepare_queries();
  const Questions questions(33);
  const std::vector<double> single = all_answers(scene, questions.rays, questions.shapes, false);
  EXPECT_EQ(all_answers(scene, questions.rays, questions.shapes, true), single);
  EXPECT_EQ(std::count(single.begin(), single.end(), 0.0), static_cast<std::ptrdiff_t>(single.size()));
}

TEST(SceneQueries, ThreadsMayAskAtOnceEachWithItsContext) {
  const Scene scene = mixed(200, 29);
  const Questions questions(30);
  const std::vector<double> alone = all_answers(scene, questions.rays, questions.shapes, false);
  std::vector<std::vector<double>> answers(4);
  std::vector<std::thread> threads;
  for (auto& answer : answers) {
    threads.emplace_back([&] { answer = all_answers(scene, questions.rays, questions.shapes, false); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, alone);
}

TEST(SceneQueries, NeedAPreparedScene) {
  using samples::error_text;
  Scene scene;
  QueryContext context;
  const auto text = [&] { return error_text([&] { static_cast<void>(ray_cast(scene, Ray{}, {}, context)); }); };
  const auto outdated = [&] { return text().find("scene: needs prepare_queries()") != std::string::npos; };
  scene.prepare_queries();
  EXPECT_EQ(text(), "no error");  // an empty one
  const BodyId body = scene.add({.shape = Sphere(1.0)});
  EXPECT_TRUE(outdated());
  EXPECT_FALSE(scene.is_ready_for_queries());
  scene.prepare_queries();
  EXPECT_TRUE(scene.is_ready_for_queries());
  EXPECT_EQ(text(), "no error");
  scene.set_pose(body, Pose(Vector3d(1, 0, 0)));
  EXPECT_TRUE(outdated());
  scene.step();
  EXPECT_TRUE(outdated());
  scene.prepare_queries();
  scene.step();
  scene.set_filter(body, {.layers = 2});  // read by every query anew
  scene.set_pose(body, Pose(Vector3d(1, 0, 0)));
  EXPECT_EQ(text(), "no error");
  scene.set_poses(std::vector<BodyId>{body}, std::vector<Pose>{Pose(Vector3d(2, 0, 0))});
  EXPECT_TRUE(outdated());
  scene.prepare_queries();
  scene.remove(body);
  EXPECT_TRUE(outdated());
}

TEST(SceneQueries, PreparingDoesNotHideMovesFromTheNextStep) {
  Scene scene;
  const BodyId a = scene.add({.shape = Sphere(1.0)});
  const BodyId b = scene.add({.shape = Sphere(1.0), .pose = Pose(Vector3d(1.5, 0, 0))});
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  scene.set_pose(b, Pose(Vector3d(1.6, 0, 0)));
  scene.prepare_queries();
  std::vector<SeparationDerivatives> derivatives(1);
  EXPECT_NE(samples::error_text([&] { scene.contact_derivatives(derivatives); }), "no error");
  scene.set_pose(b, Pose(Vector3d(5, 0, 0)));
  scene.prepare_queries();
  scene.step();
  EXPECT_TRUE(scene.contacts().empty());
  EXPECT_EQ(scene.ended().size(), 1u);
  EXPECT_TRUE(scene.contains(a));
}

TEST(SceneQueries, FollowEveryChangeOfFixedAndMovingBodies) {
  Random random(77);
  Scene scene({.contact_margin = 0.01});
  const std::vector<BodyDescription> pool = samples::pile(60, 5).bodies;
  std::vector<BodyId> ids;
  std::size_t fixed_hits = 0;
  std::size_t moving_hits = 0;
  for (int round = 0; round < 400; ++round) {
    const std::size_t pick = ids.empty() ? 0 : random.below(static_cast<std::uint32_t>(ids.size()));
    switch (ids.size() < 10 ? 0 : random.below(7)) {
      case 0: {
        BodyDescription body = pool[random.below(static_cast<std::uint32_t>(pool.size()))];
        if (!body.shape.is_bounded()) body.shape = Sphere(0.1);
        body.motion = random.chance(0.5) ? Motion::fixed : Motion::moving;
        ids.push_back(scene.add(body));
        break;
      }
      case 1:
        scene.remove(ids[pick]);
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(pick));
        break;
      case 2:
        scene.set_motion(ids[pick], scene.motion(ids[pick]) == Motion::fixed ? Motion::moving : Motion::fixed);
        break;
      case 3:
        scene.set_shape(ids[pick], Sphere(random.uniform(0.02, 0.2)));
        break;
      case 4:
        scene.step();
        break;
      default:
        scene.set_pose(ids[pick], Pose(random.vector(-0.8, 0.8) + Vector3d(0, 0, 0.5), random.rotation()));
        break;
    }
    scene.prepare_queries();
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(testing::Message() << "round " << round << " question " << i);
      QueryContext context;
      const Ray ray = random_ray(random);
      const std::vector<BodyRayHit> expected = brute_hits(scene, ray, {});
      std::vector<BodyRayHit> hits;
      all_hits(scene, ray, {}, context, hits);
      ASSERT_EQ(hits.size(), expected.size());
      const std::optional<BodyRayHit> first = ray_cast(scene, ray, {}, context);
      ASSERT_EQ(first.has_value(), !expected.empty());
      ASSERT_EQ(any_hit(scene, ray, {}, context).has_value(), !expected.empty());
      if (first) {
        ASSERT_EQ(first->body, expected.front().body);
        ++(scene.motion(first->body) == Motion::fixed ? fixed_hits : moving_hits);
      }
      const Shape probe = Sphere(0.05);
      const Pose at(random.vector(-1.0, 1.0) + Vector3d(0, 0, 0.5));
      const std::vector<BodySeparation> near = brute_distances(scene, probe, at, {});
      const std::optional<BodySeparation> nearest_body = nearest(scene, probe, at, kInfinity, {}, context);
      ASSERT_EQ(nearest_body.has_value(), !near.empty());
      if (nearest_body) {
        ASSERT_NEAR(nearest_body->separation.distance, near.front().separation.distance, kSamePoint);
      }
    }
  }
  EXPECT_GT(fixed_hits, 50u);
  EXPECT_GT(moving_hits, 50u);
}

TEST(SceneQueries, BadQuestionsAreRefusedByName) {
  using samples::error_text;
  Scene scene;
  const BodyId body = scene.add({.shape = Sphere(1.0)});
  scene.prepare_queries();
  QueryContext context;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_text([&] {
              static_cast<void>(ray_cast(scene, {{nan, 0, 0}}, {}, context));
            }).find("ray.origin"),
            std::string::npos);
  std::vector<Ray> rays(3);
  rays[2].max_t = -1.0;
  std::vector<std::optional<BodyRayHit>> hits(3);
  EXPECT_NE(error_text([&] { ray_cast(scene, rays, {}, hits); }).find("queries[2].ray.max_t"), std::string::npos);
  hits.resize(2);
  rays[2].max_t = 1.0;
  EXPECT_NE(error_text([&] { ray_cast(scene, rays, {}, hits); }).find("hits: must have one element for each of the 3"),
            std::string::npos);
  std::vector<BodyId> bodies;
  EXPECT_NE(error_text([&] { overlaps(scene, Sphere(1.0), Pose(), -1.0, {}, context, bodies); }).find("margin"),
            std::string::npos);
  EXPECT_NE(error_text([&] { static_cast<void>(nearest(scene, Vector3d(0, nan, 0), 1.0, {}, context)); }).find("point"),
            std::string::npos);
  EXPECT_EQ(error_text([&] { static_cast<void>(nearest(scene, Vector3d(0, 0, 0), nan, {}, context)); }),
            "max_distance: must not be NaN, got nan");
  const Pose nowhere = Pose::unchecked(Vector3d(0, 0, nan), Matrix3d::Identity());
  const Shape ball = Sphere(1.0);
  std::vector<BodySeparation> separations;
  for (const auto& ask : std::vector<std::function<void()>>{
           [&] { overlaps(scene, ball, nowhere, 0.0, {}, context, bodies); },
           [&] { static_cast<void>(any_overlap(scene, ball, nowhere, 0.0, {}, context)); },
           [&] { static_cast<void>(nearest(scene, ball, nowhere, 1.0, {}, context)); },
           [&] { nearest(scene, ball, nowhere, 2, 1.0, {}, context, separations); }}) {
    EXPECT_EQ(error_text(ask), "world_from_shape.translation[2]: must be finite, got nan");
  }
  const std::vector<PlacedShape> placed = {{ball, Pose()}, {ball, nowhere}};
  QueryLists<BodyId> body_lists;
  QueryLists<BodySeparation> separation_lists;
  std::vector<std::optional<BodyId>> some(2);
  std::vector<std::optional<BodySeparation>> nearest_ones(2);
  for (const auto& ask : std::vector<std::function<void()>>{
           [&] { overlaps(scene, placed, 0.0, {}, context, body_lists); },
           [&] { any_overlap(scene, placed, 0.0, {}, some); }, [&] { nearest(scene, placed, 1.0, {}, nearest_ones); },
           [&] { nearest(scene, placed, 2, 1.0, {}, context, separation_lists); }}) {
    EXPECT_NE(error_text(ask).find("queries[1].pose.translation[2]: must be finite, got nan"), std::string::npos);
  }
  EXPECT_NE(error_text([&] {
              static_cast<void>(shape_cast(scene, ball, {.start = nowhere}, {}, {}, context));
            }).find("motion.start.translation[2]"),
            std::string::npos);
  const Shape ground = HalfSpace(Vector3d::UnitZ(), 0.0);
  EXPECT_NE(
      error_text([&] { static_cast<void>(shape_cast(scene, ground, {}, {}, {}, context)); }).find("shape: must be"),
      std::string::npos);
  std::vector<MovingShape> shapes(2, {Sphere(1.0), {}});
  shapes[1].motion.linear.x() = nan;
  std::vector<std::optional<BodyShapeCast>> casts(2);
  EXPECT_NE(error_text([&] { shape_cast(scene, shapes, {}, {}, casts); }).find("queries[1].motion.linear"),
            std::string::npos);
  // Refused before any is answered.
  shapes[1].motion = {.angular = {0, 1e160, 0}};
  EXPECT_EQ(error_text([&] { shape_cast(scene, shapes, {}, {}, casts); }),
            "queries[1].motion.angular[1]: must be finite and at most 1e+100 radians, got 1e+160");
  EXPECT_FALSE(casts[0]);
  EXPECT_EQ(error_text([&] { static_cast<void>(shape_cast(scene, ball, shapes[1].motion, {}, {}, context)); }),
            "motion.angular[1]: must be finite and at most 1e+100 radians, got 1e+160");
  const std::vector<BodyId> stale = {body, BodyId{9, 1}};
  EXPECT_NE(error_text([&] {
              static_cast<void>(distance(scene, std::vector<BodyId>{body}, stale, 1.0, context));
            }).find("b[1]"),
            std::string::npos);
}

}  // namespace
}  // namespace abut
