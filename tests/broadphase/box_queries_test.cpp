// Boxes, rays and nearest neighbours against brute force.
#include <abut/broadphase/sweep_and_prune.h>
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <gtest/gtest.h>
#include <support/drifting_boxes.h>
#include <support/error_text.h>
#include <support/instrumented.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace abut {
namespace {

using samples::error_text;
using test::DriftingBoxes;
using test::Random;

std::vector<std::uint32_t> brute_overlaps(const SweepAndPrune& broad, const Aabb& box) {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t id = 0; id < broad.id_bound(); ++id) {
    if (broad.contains(id) && broad.widened_box(id).overlaps(box)) ids.push_back(id);
  }
  return ids;
}

std::vector<RayHit> brute_hits(const SweepAndPrune& broad, const BoxRay& ray) {
  std::vector<RayHit> hits;
  for (std::uint32_t id = 0; id < broad.id_bound(); ++id) {
    if (!broad.contains(id)) continue;
    const Aabb box = broad.widened_box(id);
    double enter = 0.0;
    double leave = ray.max_t;
    for (int axis = 0; axis < 3; ++axis) {
      if (ray.direction[axis] == 0.0) {
        if (ray.origin[axis] < box.lower[axis] || ray.origin[axis] > box.upper[axis]) leave = -1.0;
        continue;
      }
      const double a = (box.lower[axis] - ray.origin[axis]) / ray.direction[axis];
      const double b = (box.upper[axis] - ray.origin[axis]) / ray.direction[axis];
      enter = std::max(enter, std::min(a, b));
      leave = std::min(leave, std::max(a, b));
    }
    if (enter <= leave) hits.push_back({id, enter});
  }
  std::sort(hits.begin(), hits.end(),
            [](const RayHit& x, const RayHit& y) { return x.t < y.t || (x.t == y.t && x.id < y.id); });
  return hits;
}

std::vector<NearBox> brute_nearest(const SweepAndPrune& broad, const Aabb& box, std::size_t count) {
  std::vector<NearBox> near;
  for (std::uint32_t id = 0; id < broad.id_bound(); ++id) {
    if (broad.contains(id)) near.push_back({id, broad.widened_box(id).distance_sq(box)});
  }
  std::sort(near.begin(), near.end(), [](const NearBox& x, const NearBox& y) {
    return x.distance_sq < y.distance_sq || (x.distance_sq == y.distance_sq && x.id < y.id);
  });
  near.resize(std::min(near.size(), count));
  return near;
}

/// Queries of all kinds into and around a room, checked one by one and as batches.
void check_queries(const SweepAndPrune& broad, const Aabb& room, Random& random, int count) {
  std::vector<Aabb> boxes;
  std::vector<BoxRay> rays;
  const double size = (room.upper - room.lower).maxCoeff();
  for (int i = 0; i < count; ++i) {
    Vector3d center;
    for (int axis = 0; axis < 3; ++axis)
      center[axis] = random.uniform(room.lower[axis] - 0.2 * size, room.upper[axis] + 0.2 * size);
    const double extent = i % 7 == 0 ? 0.0 : size * std::pow(10.0, random.uniform(-3.0, 0.5));
    boxes.push_back(test::detail::box_at(i % 29 == 0 ? 1e4 * center : center, extent));
    BoxRay ray;
    ray.origin = i % 23 == 0 ? 1e5 * center : center;
    ray.direction =
        i % 5 == 0 ? Vector3d(Vector3d::Unit(i % 3)) : random.direction() * std::pow(10.0, random.uniform(-2.0, 2.0));
    if (i % 31 == 0) ray.direction.setZero();
    if (i % 23 == 0) ray.direction = -ray.origin;
    ray.max_t = i % 3 == 0 ? kInfinity : random.uniform(0.0, size);
    rays.push_back(ray);
  }
  QueryLists<std::uint32_t> all_ids;
  QueryLists<RayHit> all_hits;
  QueryLists<NearBox> all_near;
  std::vector<std::optional<RayHit>> all_first;
  broad.find_overlaps(boxes, all_ids);
  broad.find_hits(rays, all_hits);
  broad.find_first_hits(rays, all_first);
  broad.find_nearest(boxes, 5, all_near);
  ASSERT_EQ(all_ids.size(), boxes.size());
  std::vector<std::uint32_t> ids = {77};  // results replace what is there
  std::vector<RayHit> hits = {{77, 7.0}};
  std::vector<NearBox> near = {{77, 7.0}};
  std::size_t found = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "query " << i);
    broad.find_overlaps(boxes[i], ids);
    ASSERT_EQ(ids, brute_overlaps(broad, boxes[i]));
    ASSERT_TRUE(std::equal(ids.begin(), ids.end(), all_ids[i].begin(), all_ids[i].end()));
    broad.find_hits(rays[i], hits);
    ASSERT_EQ(hits, brute_hits(broad, rays[i]));
    ASSERT_TRUE(std::equal(hits.begin(), hits.end(), all_hits[i].begin(), all_hits[i].end()));
    const std::optional<RayHit> first = broad.find_first_hit(rays[i]);
    ASSERT_EQ(first.has_value(), !hits.empty());
    if (first) {
      ASSERT_EQ(*first, hits.front());
    }
    ASSERT_EQ(first, all_first[i]);
    for (const std::size_t wanted : {0U, 1U, 5U, 1000000U}) {
      if (wanted > 5 && i % 16 != 0) continue;
      broad.find_nearest(boxes[i], wanted, near);
      ASSERT_EQ(near, brute_nearest(broad, boxes[i], wanted)) << wanted << " wanted";
      if (wanted == 5) {
        ASSERT_TRUE(std::equal(near.begin(), near.end(), all_near[i].begin(), all_near[i].end()));
      }
    }
    found += ids.size() + hits.size();
  }
  EXPECT_GT(found, boxes.size());
}

TEST(BoxQueries, AnswerAsBruteForceDoesInEveryScene) {
  for (const std::size_t count : {200U, samples::kIsInstrumented ? 1500U : 3000U}) {
    const DriftingBoxes scenes[] = {test::uniform_cloud(count, 0.5, 1), test::layer(count, 2),
                                    test::log_uniform_sizes(count, 3), test::movers_among_fixed(count, 4),
                                    test::towers(count, 5)};
    for (const DriftingBoxes& start : scenes) {
      SCOPED_TRACE(testing::Message() << "scene " << &start - scenes << ", " << count << " boxes, seed 6");
      DriftingBoxes scene = start;
      SweepAndPrune broad(&start == scenes ? 0.1 : 0.0);
      for (std::uint32_t id = 0; id < count; ++id) broad.insert(id, scene.boxes[id], {}, scene.motions[id]);
      // A box too large for every grid, one far away, and unused ids.
      broad.insert(static_cast<std::uint32_t>(count) + 3, {{-1e300, -1.0, -1.0}, {1e300, -0.5, 1e300}}, {},
                   Motion::fixed);
      broad.insert(static_cast<std::uint32_t>(count) + 9, test::detail::box_at({3e6, -2e6, 1e6}, 2.0));
      broad.remove(17);
      Random random(6);
      std::vector<ProxyPair> pairs;
      for (int frame = 0; frame < (samples::kIsInstrumented ? 2 : 4); ++frame) {
        if (frame != 1) broad.find_pairs(pairs);  // with and without a search between
        broad.index();
        check_queries(broad, scene.room, random, 40);
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << "frame " << frame;
        scene.advance(random);
        for (const std::uint32_t id : scene.movers) {
          if (id != 17) broad.set_box(id, scene.boxes[id]);
        }
      }
    }
  }
}

TEST(BoxQueries, LeaveTheNextSearchAsItWouldHaveBeen) {
  DriftingBoxes scene = test::movers_among_fixed(3000, 7);
  SweepAndPrune asked;
  SweepAndPrune plain;
  for (std::uint32_t id = 0; id < 3000; ++id) {
    asked.insert(id, scene.boxes[id], {}, scene.motions[id]);
    plain.insert(id, scene.boxes[id], {}, scene.motions[id]);
  }
  Random random(8);
  std::vector<ProxyPair> from_asked;
  std::vector<ProxyPair> from_plain;
  for (int frame = 0; frame < 12; ++frame) {
    if (frame % 3 == 1) asked.index();
    asked.find_pairs(from_asked);
    plain.find_pairs(from_plain);
    ASSERT_EQ(from_asked, from_plain) << "frame " << frame;
    if (frame % 3 == 2) asked.index();
    scene.advance(random);
    for (const std::uint32_t id : scene.movers) {
      asked.set_box(id, scene.boxes[id]);
      plain.set_box(id, scene.boxes[id]);
    }
  }
  EXPECT_GT(from_asked.size(), 30U);
}

TEST(BoxQueries, RaysOfAnyLengthMeetWhatLiesAtAFiniteTime) {
  SweepAndPrune broad;
  for (std::uint32_t id = 0; id < 40; ++id) {
    const double x = id < 3 ? std::array{1.0, 3.0, 100.0}[id] : 1.2 * id + 2.0;
    const double y = id < 3 ? 0.0 : 5.0;
    broad.insert(id, {Vector3d(x, y - 1.0, -1.0), Vector3d(x + 1.0, y + 1.0, 1.0)});
  }
  broad.index();
  for (const double length : {1.0, 1e-300, 1e-306, 5e-307, 2e-308, 1e-308}) {
    BoxRay ray;
    ray.direction = Vector3d(length, 0, 0);
    ray.max_t = kInfinity;
    std::vector<RayHit> hits;
    broad.find_hits(ray, hits);
    std::vector<RayHit> expected = brute_hits(broad, ray);
    std::erase_if(expected, [](const RayHit& hit) { return !(hit.t < kInfinity); });
    EXPECT_EQ(hits, expected) << length;
    EXPECT_GE(expected.size(), length < 1e-306 ? 1u : 3u) << length;
  }
}

TEST(BoxQueries, OfNothingFindNothing) {
  SweepAndPrune broad;
  broad.index();
  std::vector<std::uint32_t> ids = {1};
  std::vector<NearBox> near = {{1, 1.0}};
  broad.find_overlaps(test::detail::box_at(Vector3d::Zero(), 1.0), ids);
  broad.find_nearest(test::detail::box_at(Vector3d::Zero(), 1.0), 3, near);
  EXPECT_TRUE(ids.empty());
  EXPECT_TRUE(near.empty());
  EXPECT_FALSE(broad.find_first_hit({Vector3d::Zero(), Vector3d::UnitX(), kInfinity}));
}

TEST(BoxQueries, NeedAnIndexOfTheBoxesAsTheyAre) {
  SweepAndPrune broad;
  std::vector<std::uint32_t> ids;
  const Aabb box = test::detail::box_at(Vector3d::Zero(), 1.0);
  const auto ask = [&] { return error_text([&] { broad.find_overlaps(box, ids); }); };
  const std::string stale = "query: needs index() after the last change of a proxy";
  EXPECT_EQ(ask(), stale);
  broad.insert(0, box);
  broad.index();
  EXPECT_EQ(ask(), "no error");
  EXPECT_EQ(ids, std::vector<std::uint32_t>{0});
  broad.set_box(0, box);  // no change
  EXPECT_EQ(ask(), "no error");
  broad.set_box(0, test::detail::box_at(Vector3d::Ones(), 1.0));
  EXPECT_EQ(ask(), stale);
  broad.index();
  broad.set_margin(0.5);
  EXPECT_EQ(ask(), stale);
  broad.index();
  broad.remove(0);
  EXPECT_EQ(ask(), stale);
  broad.index();
  EXPECT_EQ(ask(), "no error");
  EXPECT_TRUE(ids.empty());
}

TEST(BoxQueries, RefuseWhatIsNotFinite) {
  SweepAndPrune broad;
  broad.index();
  std::vector<std::uint32_t> ids;
  QueryLists<RayHit> hits;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_text([&] { broad.find_overlaps(Aabb{{0.0, nan, 0.0}, {1.0, 1.0, 1.0}}, ids); }), "no error");
  EXPECT_NE(error_text([&] { broad.find_overlaps(Aabb{{2.0, 0.0, 0.0}, {1.0, 1.0, 1.0}}, ids); }), "no error");
  const std::vector<BoxRay> rays = {{Vector3d::Zero(), Vector3d::UnitX(), 1.0},
                                    {Vector3d::Zero(), Vector3d::UnitX(), -1.0}};
  EXPECT_EQ(error_text([&] { broad.find_hits(rays, hits); }), "queries[1].ray.max_t: must be >= 0, got -1");
}

TEST(BoxQueries, MayBeAskedFromManyThreads) {
  const DriftingBoxes scene = test::uniform_cloud(3000, 0.5, 9);
  SweepAndPrune broad;
  for (std::uint32_t id = 0; id < 3000; ++id) broad.insert(id, scene.boxes[id]);
  broad.index();
  std::vector<std::vector<std::uint32_t>> ids(64);
  tbb::task_arena(8).execute([&] {
    tbb::parallel_for(0, 64, [&](int k) {
      broad.find_overlaps(scene.boxes[static_cast<std::size_t>(k)], ids[static_cast<std::size_t>(k)]);
    });
  });
  for (std::size_t k = 0; k < 64; ++k) EXPECT_EQ(ids[k], brute_overlaps(broad, scene.boxes[k])) << k;
}

}  // namespace
}  // namespace abut
