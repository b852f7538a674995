// The tree of boxes against brute force, for each instruction set and any number of threads.
#include <abut/broadphase/proxy_tree.h>
#include <abut/core/infinity.h>
#include <gtest/gtest.h>
#include <support/random.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <thread>
#include <vector>

namespace abut {
namespace {

using samples::Random;

/// What a walk shows.
using Order = std::vector<std::uint32_t>;

ProxyTable table_of(std::span<const Aabb> boxes) {
  ProxyTable table;
  for (std::uint32_t id = 0; id < boxes.size(); ++id) table.insert(id, boxes[id]);
  return table;
}

/// Of all sizes, some flat, some as points, some in the same place, and now and then one that is huge.
std::vector<Aabb> mixed_boxes(std::size_t count, double reach, Random& random) {
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3d center = random.vector(-reach, reach);
    Vector3d half = random.vector(0.0, 0.05) * reach * std::pow(random.uniform(0.0, 1.0), 3.0);
    if (random.chance(0.1)) half.setZero();
    if (random.chance(0.1)) half[random.below(3)] = 0.0;
    if (random.chance(0.002)) half.setConstant(1e200);
    boxes.push_back({center - half, center + half});
    if (random.chance(0.05)) boxes.push_back(boxes[random.below(static_cast<std::uint32_t>(boxes.size()))]);
  }
  return boxes;
}

double entry_of(const BoxRay& ray, const Aabb& box, const Vector3d& half) {
  double enter = 0.0;
  double leave = ray.max_t;
  for (int axis = 0; axis < 3; ++axis) {
    const double lower = box.lower[axis] - half[axis];
    const double upper = box.upper[axis] + half[axis];
    if (ray.direction[axis] == 0.0) {
      if (ray.origin[axis] < lower || ray.origin[axis] > upper) return kInfinity;
      continue;
    }
    const double a = (lower - ray.origin[axis]) / ray.direction[axis];
    const double b = (upper - ray.origin[axis]) / ray.direction[axis];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter <= leave ? enter : kInfinity;
}

BoxRay random_ray(double reach, Random& random) {
  BoxRay ray{random.vector(-1.5 * reach, 1.5 * reach), random.direction(), kInfinity};
  if (random.chance(0.3)) ray.direction[random.below(3)] = 0.0;
  if (random.chance(0.2)) ray.direction[random.below(3)] = 1e-40;
  if (random.chance(0.05)) ray.direction.setZero();
  if (random.chance(0.5)) ray.max_t = random.uniform(0.0, 2.0 * reach);
  ray.direction *= std::pow(10.0, random.uniform(-3.0, 3.0));
  return ray;
}

TEST(ProxyTree, ARayIsShownEveryBoxThatItMeets) {
  for (const double reach : {1e-3, 1.0, 1e6}) {
    Random random(3);
    const std::vector<Aabb> boxes = mixed_boxes(3000, reach, random);
    ProxyTree tree;
    tree.build(table_of(boxes));
    ASSERT_EQ(tree.size(), boxes.size());
    std::size_t met = 0;
    std::size_t shown_in_all = 0;
    for (int i = 0; i < 300; ++i) {
      BoxRay ray = random_ray(reach, random);
      if (random.chance(0.3)) ray.origin = boxes[random.below(3000)].lower;  // grazing
      const Vector3d half =
          random.chance(0.5) ? Vector3d(Vector3d::Zero()) : Vector3d(random.vector(0.0, 0.02) * reach);
      std::set<std::uint32_t> shown;
      tree.visit_ray(ray, half, [&](std::uint32_t id) {
        EXPECT_TRUE(shown.insert(id).second) << "shown twice";
        return ray.max_t;
      });
      shown_in_all += shown.size();
      for (std::uint32_t id = 0; id < boxes.size(); ++id) {
        if (!(entry_of(ray, boxes[id], half) < kInfinity)) continue;
        ++met;
        ASSERT_TRUE(shown.contains(id)) << "ray " << i << " box " << id;
      }
    }
    EXPECT_GT(met, 1000u);
    EXPECT_LT(shown_in_all, 3 * met + 300 * 40);  // and few others
  }
}

TEST(ProxyTree, TheFirstHitIsFoundWhileTheRestIsCutOff) {
  Random random(4);
  const std::vector<Aabb> boxes = mixed_boxes(5000, 1.0, random);
  ProxyTree tree;
  tree.build(table_of(boxes));
  std::size_t shown = 0;
  for (int i = 0; i < 500; ++i) {
    const BoxRay ray = random_ray(1.0, random);
    double expected = kInfinity;
    for (const Aabb& box : boxes) expected = std::min(expected, entry_of(ray, box, Vector3d::Zero()));
    double first = kInfinity;
    tree.visit_ray(ray, Vector3d::Zero(), [&](std::uint32_t id) {
      ++shown;
      first = std::min(first, entry_of(ray, boxes[id], Vector3d::Zero()));
      return first;
    });
    ASSERT_EQ(first, expected) << i;
  }
  EXPECT_LT(shown, 500u * 40u);
}

TEST(ProxyTree, NearestAndOverlappingBoxesAreFound) {
  for (const double reach : {1e-3, 1.0, 1e6}) {
    Random random(5);
    const std::vector<Aabb> boxes = mixed_boxes(3000, reach, random);
    ProxyTree tree;
    tree.build(table_of(boxes));
    std::size_t shown = 0;
    for (int i = 0; i < 300; ++i) {
      const Vector3d center = random.vector(-1.5, 1.5) * reach;
      const Vector3d half =
          random.chance(0.5) ? Vector3d(Vector3d::Zero()) : Vector3d(random.vector(0.0, 0.05) * reach);
      const Aabb box{center - half, center + half};
      double expected = kInfinity;
      std::set<std::uint32_t> overlapping;
      for (std::uint32_t id = 0; id < boxes.size(); ++id) {
        expected = std::min(expected, boxes[id].distance_sq(box));
        if (boxes[id].overlaps(box)) overlapping.insert(id);
      }
      double nearest = kInfinity;
      tree.visit_nearest(box, kInfinity, [&](std::uint32_t id) {
        ++shown;
        nearest = std::min(nearest, boxes[id].distance_sq(box));
        return std::sqrt(nearest);
      });
      ASSERT_EQ(nearest, expected);
      std::set<std::uint32_t> found;
      tree.visit_overlaps(box, [&](std::uint32_t id) {
        if (boxes[id].overlaps(box)) found.insert(id);
        return true;
      });
      ASSERT_EQ(found, overlapping);
    }
    EXPECT_LT(shown, 300u * 100u);
  }
}

TEST(ProxyTree, AWalkEndsWhenTheVisitorSaysSo) {
  for (const std::size_t count : {100u, 40000u}) {  // in a large tree boxes are shown late
    const std::vector<Aabb> boxes(count, Aabb::of_point(Vector3d::Zero()));
    const std::vector<char> records(count);
    ProxyTree tree;
    tree.build(table_of(boxes));
    tree.set_records(records.data(), 1);
    int shown = 0;
    tree.visit_overlaps(boxes[0], [&](std::uint32_t) { return ++shown < 3; });
    EXPECT_EQ(shown, 3);
    shown = 0;
    tree.visit_ray({Vector3d::Zero(), Vector3d::UnitX(), 1.0}, Vector3d::Zero(), [&](std::uint32_t) {
      ++shown;
      return -1.0;
    });
    EXPECT_EQ(shown, 1);
  }
}

// Each is cut off by its own answers, whatever the others are doing meanwhile.
TEST(ProxyTree, QuestionsByTurnsAreShownWhatEachIsShownAlone) {
  Random random(8);
  for (const std::size_t box_count : {0u, 1u, 9u, 30000u}) {
    const std::vector<Aabb> boxes = mixed_boxes(box_count, 1.0, random);
    const std::vector<char> records(boxes.size());
    ProxyTree tree;
    tree.build(table_of(boxes));
    tree.set_records(records.data(), 1);
    std::size_t shown = 0;
    for (const std::size_t count : {0u, 1u, 2u, 8u, 9u, 100u}) {
      std::vector<BoxPath> paths;
      std::vector<BoxReach> reaches;
      for (std::size_t i = 0; i < count; ++i) {
        paths.push_back(
            {random_ray(1.0, random), random.chance(0.5) ? Vector3d(Vector3d::Zero()) : random.vector(0, 0.1)});
        const Vector3d center = random.vector(-1.5, 1.5);
        reaches.push_back(
            {{center, center + random.vector(0, 0.1)}, random.chance(0.3) ? kInfinity : random.uniform(0, 0.3)});
        if (random.chance(0.1)) paths.back().ray.max_t = reaches.back().max_distance = -1.0;  // not asked any more
      }
      const auto first_on = [&](std::size_t i, std::uint32_t id, Order& order, double& limit) {
        order.push_back(id);
        return limit = std::min(limit, entry_of(paths[i].ray, boxes[id], paths[i].half));
      };
      const auto nearest_to = [&](std::size_t i, std::uint32_t id, Order& order, double& limit) {
        order.push_back(id);
        return limit = std::min(limit, std::sqrt(reaches[i].box.distance_sq(boxes[id])));
      };
      std::vector<Order> of_path(count);
      std::vector<Order> of_reach(count);
      std::vector<double> end(count, kInfinity);
      std::vector<double> reach(count, kInfinity);
      tree.visit_paths(
          count, [&](std::size_t i) { return paths[i]; },
          [&](std::size_t i, std::uint32_t id) { return first_on(i, id, of_path[i], end[i]); });
      tree.visit_reaches(
          count, [&](std::size_t i) { return reaches[i]; },
          [&](std::size_t i, std::uint32_t id) { return nearest_to(i, id, of_reach[i], reach[i]); });
      for (std::size_t i = 0; i < count; ++i) {
        Order path_alone;
        Order reach_alone;
        double end_alone = kInfinity;
        double limit_alone = kInfinity;
        if (paths[i].ray.max_t >= 0.0) {
          tree.visit_ray(paths[i].ray, paths[i].half,
                         [&](std::uint32_t id) { return first_on(i, id, path_alone, end_alone); });
        }
        if (reaches[i].max_distance >= 0.0) {
          tree.visit_nearest(reaches[i].box, reaches[i].max_distance,
                             [&](std::uint32_t id) { return nearest_to(i, id, reach_alone, limit_alone); });
        }
        ASSERT_EQ(of_path[i], path_alone) << i << " of " << count;
        ASSERT_EQ(of_reach[i], reach_alone) << i << " of " << count;
        ASSERT_EQ(end[i], end_alone);
        ASSERT_EQ(reach[i], limit_alone);
        shown += path_alone.size() + reach_alone.size();
      }
    }
    EXPECT_GE(shown, box_count / 10);
  }
}

TEST(ProxyTree, EmptyTreesAndSmallOnesAnswer) {
  ProxyTree tree;
  const auto count = [&] {
    int shown = 0;
    tree.visit_nearest(Aabb::of_point(Vector3d::Zero()), kInfinity, [&](std::uint32_t) {
      ++shown;
      return kInfinity;
    });
    return shown;
  };
  EXPECT_EQ(count(), 0);
  for (int n = 0; n < 40; ++n) {
    std::vector<Aabb> boxes;
    for (int i = 0; i < n; ++i) boxes.push_back(Aabb::of_point(Vector3d(i, 0, 0)));
    tree.build(table_of(boxes));
    EXPECT_EQ(count(), n);
  }
}

TEST(ProxyTree, OfBoxesThatAreAsNearTheLowestIdIsShownFirst) {
  const std::vector<Aabb> boxes(7, Aabb::of_point(Vector3d::Zero()));
  ProxyTree tree;
  tree.build(table_of(boxes));
  Order shown;
  tree.visit_overlaps(boxes[0], [&](std::uint32_t id) {
    shown.push_back(id);
    return true;
  });
  EXPECT_EQ(shown, (Order{0, 1, 2, 3, 4, 5, 6}));
}

std::size_t depth_of(std::span<const detail::TreeNode> nodes, std::uint32_t index) {
  std::size_t below = 0;
  for (const std::uint32_t child : nodes[index].child) {
    if ((child & detail::TreeNode::kLeaf) == 0) below = std::max(below, depth_of(nodes, child));
  }
  return below + 1;
}

// Doubling distances make splits as uneven as can be; equal boxes cannot be split at all.
TEST(ProxyTree, BuildsOfHostileBoxesEnd) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < 4000; ++i) boxes.push_back(Aabb::of_point(Vector3d(std::ldexp(1.0, -(i % 100)), 0, 0)));
  for (int i = 0; i < 4000; ++i) boxes.push_back(Aabb::of_point(Vector3d(1e11 * (i % 2), 1.0, 0.0)));
  ProxyTree tree;
  tree.build(table_of(boxes));
  std::set<std::uint32_t> shown;
  tree.visit_nearest(Aabb::of_point(Vector3d::Zero()), kInfinity, [&](std::uint32_t id) {
    shown.insert(id);
    return kInfinity;
  });
  EXPECT_EQ(shown.size(), boxes.size());
}

TEST(ProxyTree, IsNoDeeperThanWalksCanBeWhereSplitsAreUneven) {
  detail::TreeItems items;
  constexpr std::uint32_t kCount = 200000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const float x = std::ldexp(1.0F, 39 - static_cast<int>(i % 160));
    items.add({x, 0.0F, 0.0F}, {x, 0.0F, 0.0F}, i);
  }
  detail::ProxyTreeBuild build;
  LargeVector<detail::TreeNode> nodes;
  build.run(items, nodes);
  EXPECT_GT(depth_of(nodes, 0), 30u);
  EXPECT_LE(depth_of(nodes, 0), detail::kMaxTreeDepth);
  std::size_t leaves = 0;
  for (const detail::TreeNode& node : nodes) {
    leaves +=
        static_cast<std::size_t>(std::count_if(std::begin(node.child), std::end(node.child), [](std::uint32_t child) {
          return child != detail::TreeNode::kNone && (child & detail::TreeNode::kLeaf) != 0;
        }));
  }
  EXPECT_EQ(leaves, kCount);
}

// An arena for one thread has room for a second that waits in it.
TEST(ProxyTree, TwoThreadsMayBuildTreesInOneArena) {
  Random random(9);
  const std::vector<Aabb> boxes = mixed_boxes(20000, 1.0, random);
  const ProxyTable table = table_of(boxes);
  tbb::task_arena arena(1);
  const auto build_and_count = [&](std::size_t& shown) {
    for (int i = 0; i < 3; ++i) {
      arena.execute([&] {
        ProxyTree tree;
        tree.build(table);
        tree.visit_nearest(Aabb::of_point(Vector3d::Zero()), kInfinity, [&](std::uint32_t) {
          ++shown;
          return kInfinity;
        });
      });
    }
  };
  std::size_t shown[2] = {0, 0};
  std::thread other([&] { build_and_count(shown[0]); });
  build_and_count(shown[1]);
  other.join();
  EXPECT_EQ(shown[0], 3 * boxes.size());
  EXPECT_EQ(shown[1], 3 * boxes.size());
}

/// Questions asked at once, and what each was shown.
constexpr std::size_t kAsked = 11;
template <class Question>
struct Asked {
  Question questions[kAsked];
  Order orders[kAsked];
};

/// What a question answers to a box: lower and lower limits, but for some boxes that tell nothing.
float limit_after(std::uint32_t id, std::size_t shown) {
  return id % 3 == 0 ? std::numeric_limits<float>::infinity() : 3.0F - 0.15F * static_cast<float>(shown);
}
float show_to(Order& order, std::uint32_t id) {
  order.push_back(id);
  return limit_after(id, order.size());
}

template <class Question>
detail::TreeQuestions<Question> questions_of(Asked<Question>& asked) {
  return {kAsked,
          [](void* user, std::size_t index, Question& question) {
            question = static_cast<Asked<Question>*>(user)->questions[index];
          },
          [](void* user, std::size_t index, const Question&, std::uint32_t id) {
            return show_to(static_cast<Asked<Question>*>(user)->orders[index], id);
          },
          &asked};
}

TEST(ProxyTree, EveryInstructionSetWalksAlike) {
  Random random(6);
  const std::vector<Aabb> boxes = mixed_boxes(400, 1.0, random);
  std::vector<detail::TreeNode> nodes;
  // One level of leaves under a root with eight nodes is enough to compare orders.
  for (std::size_t n = 0; n < 9; ++n) {
    detail::TreeNode node{};
    for (std::size_t k = 0; k < detail::TreeNode::kWidth; ++k) {
      const Aabb& box = boxes[8 * n + k];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        node.side[detail::TreeNode::kLower][axis][k] =
            n == 0 ? -2.0F : static_cast<float>(box.lower[static_cast<Eigen::Index>(axis)]);
        node.side[detail::TreeNode::kUpper][axis][k] =
            n == 0 ? 2.0F : static_cast<float>(box.upper[static_cast<Eigen::Index>(axis)]);
      }
      node.child[k] =
          n == 0 ? static_cast<std::uint32_t>(k + 1) : static_cast<std::uint32_t>(8 * n + k) | detail::TreeNode::kLeaf;
    }
    nodes.push_back(node);
  }
  const char record = 0;
  const detail::TreeCall show = [](void* user, std::uint32_t id) { return show_to(*static_cast<Order*>(user), id); };
  std::size_t shown = 0;
  for (int i = 0; i < 100; ++i) {
    Asked<detail::TreeRay> rays{};
    Asked<detail::TreeBox> reaches{};
    for (std::size_t k = 0; k < kAsked; ++k) {
      detail::TreeRay& ray = rays.questions[k];
      detail::TreeBox& box = reaches.questions[k];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto origin = static_cast<float>(random.uniform(-1.5, 1.5));
        const auto direction = static_cast<float>(random.uniform(-1.0, 1.0));
        ray.near_origin[axis] = ray.far_origin[axis] = origin;
        ray.inverse[axis] = random.chance(0.2) ? std::numeric_limits<float>::infinity() : 1.0F / direction;
        ray.near_side[axis] = ray.inverse[axis] > 0.0F ? detail::TreeNode::kLower : detail::TreeNode::kUpper;
        box.lower[axis] = origin;
        box.upper[axis] = origin + 0.1F;
      }
      ray.limit = random.chance(0.1) ? -1.0F : 3.0F;
      box.limit_sq = random.chance(0.1) ? -1.0F : 0.5F;
      ray.records = box.records = {&record, 0, random.below(4)};  // boxes are shown late, but in their order
    }
    std::vector<Order> of_first_set;
    for (const detail::TreeWalks* walks : detail::all_tree_walks()) {
      for (Order& order : rays.orders) order.clear();
      for (Order& order : reaches.orders) order.clear();
      walks->rays(nodes.data(), questions_of(rays));
      walks->nearest_of_each(nodes.data(), questions_of(reaches));
      for (std::size_t k = 0; k < kAsked; ++k) {
        Order ray_alone;
        Order reach_alone;
        walks->ray(nodes.data(), rays.questions[k], show, &ray_alone);
        walks->nearest(nodes.data(), reaches.questions[k], show, &reach_alone);
        EXPECT_EQ(rays.orders[k], ray_alone) << walks->name;
        EXPECT_EQ(reaches.orders[k], reach_alone) << walks->name;
        if (walks == detail::all_tree_walks().front()) {
          shown += ray_alone.size() + reach_alone.size();
          of_first_set.push_back(ray_alone);
          of_first_set.push_back(reach_alone);
        } else {
          EXPECT_EQ(ray_alone, of_first_set[2 * k]) << walks->name;
          EXPECT_EQ(reach_alone, of_first_set[2 * k + 1]) << walks->name;
        }
      }
    }
  }
  EXPECT_GT(shown, 1000u);
}

TEST(ProxyTree, IsTheSameForAnyNumberOfThreads) {
  tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 4);
  Random random(7);
  const std::vector<Aabb> boxes = mixed_boxes(20000, 1.0, random);
  std::vector<std::vector<std::uint32_t>> orders;
  for (const int threads : {1, 2, 4}) {
    tbb::task_arena arena(threads);
    arena.execute([&] {
      ProxyTree tree;
      tree.build(table_of(boxes));
      std::vector<std::uint32_t>& order = orders.emplace_back();
      tree.visit_nearest(Aabb::of_point(Vector3d::Zero()), kInfinity, [&](std::uint32_t id) {
        order.push_back(id);
        return kInfinity;
      });
    });
  }
  EXPECT_EQ(orders[1], orders[0]);
  EXPECT_EQ(orders[2], orders[0]);
}

}  // namespace
}  // namespace abut
