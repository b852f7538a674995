// AabbTree: every item once, tight boxes, bounded depth, and queries that agree with brute force.
#include <abut/core/aabb_tree.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace abut {
namespace {

using samples::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool same(const Aabb& a, const Aabb& b) {
  return a.lower == b.lower && a.upper == b.upper;
}

// Checks everything the header promises but the splits' quality.
void expect_sound(const AabbTree& tree, const std::vector<Aabb>& boxes) {
  ASSERT_FALSE(tree.is_empty());
  std::vector<std::uint32_t> items(tree.items().begin(), tree.items().end());
  std::sort(items.begin(), items.end());
  ASSERT_EQ(items.size(), boxes.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i], i);

  struct Visit {
    std::uint32_t node;
    int level;
  };
  std::vector<Visit> pending = {{0, 1}};
  std::vector<int> covered(boxes.size(), 0);
  std::size_t visited = 0;
  int depth = 0;
  while (!pending.empty()) {
    const Visit visit = pending.back();
    pending.pop_back();
    ++visited;
    depth = std::max(depth, visit.level);
    const AabbTree::Node& node = tree.nodes()[visit.node];
    Aabb expected;
    if (node.is_leaf()) {
      EXPECT_LE(node.count, 4u);
      for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        ++covered[i];
        expected.merge(boxes[tree.items()[i]]);
      }
    } else {
      ASSERT_LT(node.first + 1, tree.nodes().size());
      for (const std::uint32_t child : {node.first, node.first + 1}) {
        expected.merge(tree.nodes()[child].box);
        pending.push_back({child, visit.level + 1});
      }
    }
    EXPECT_TRUE(same(node.box, expected)) << "node " << visit.node;
  }
  EXPECT_EQ(visited, tree.nodes().size());
  EXPECT_EQ(depth, tree.depth());
  EXPECT_LE(depth, AabbTree::kMaxDepth);
  EXPECT_TRUE(std::all_of(covered.begin(), covered.end(), [](int count) { return count == 1; }));
  EXPECT_TRUE(same(tree.bounds(), tree.nodes()[0].box));
}

std::vector<Aabb> random_boxes(int count, double size, Random& random) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3d corner = random.vector(0.0, 1.0);
    boxes.push_back({corner, corner + random.vector(0.0, size)});
  }
  return boxes;
}

std::vector<std::uint32_t> overlapping(const AabbTree& tree, const std::vector<Aabb>& boxes, const Aabb& query,
                                       std::size_t* visits) {
  std::vector<std::uint32_t> found;
  std::vector<std::uint32_t> pending = {0};
  while (!pending.empty()) {
    const AabbTree::Node& node = tree.nodes()[pending.back()];
    pending.pop_back();
    ++*visits;
    if (!node.box.overlaps(query)) continue;
    if (!node.is_leaf()) {
      pending.push_back(node.first);
      pending.push_back(node.first + 1);
      continue;
    }
    for (const std::uint32_t item : tree.items().subspan(node.first, node.count)) {
      if (boxes[item].overlaps(query)) found.push_back(item);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(AabbTree, OfNothingIsEmpty) {
  for (const AabbTree& tree : {AabbTree(), AabbTree(std::vector<Aabb>{})}) {
    EXPECT_TRUE(tree.is_empty());
    EXPECT_EQ(tree.depth(), 0);
    EXPECT_TRUE(tree.items().empty());
    EXPECT_TRUE(tree.bounds().is_empty());
  }
}

TEST(AabbTree, HoldsEveryItemOnceInTightBoxes) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (const int count : {1, 2, 3, 4, 5, 17, 100, 5000}) {
      SCOPED_TRACE(testing::Message() << count << " boxes");
      const std::vector<Aabb> boxes = random_boxes(count, 0.1, random);
      const AabbTree tree(boxes);
      expect_sound(tree, boxes);
      EXPECT_LE(tree.nodes().size(), 2 * boxes.size() - 1);
    }
  }
}

TEST(AabbTree, QueriesAgreeWithBruteForceAndVisitFewNodes) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::vector<Aabb> boxes = random_boxes(4000, 0.05, random);
    const AabbTree tree(boxes);
    std::size_t found_in_all = 0;
    std::size_t visits = 0;
    for (int i = 0; i < 100; ++i) {
      const Vector3d corner = random.vector(-0.1, 1.0);
      const Aabb query{corner, corner + random.vector(0.0, 0.1)};
      std::vector<std::uint32_t> expected;
      for (std::uint32_t k = 0; k < boxes.size(); ++k) {
        if (boxes[k].overlaps(query)) expected.push_back(k);
      }
      const auto found = overlapping(tree, boxes, query, &visits);
      ASSERT_EQ(found, expected);
      found_in_all += found.size();
    }
    EXPECT_GT(found_in_all, 100u);  // the queries did meet boxes
    EXPECT_LT(visits / 100, tree.nodes().size() / 20);
  }
}

TEST(AabbTree, HalvesEqualBoxes) {
  const std::vector<Aabb> boxes(1000, Aabb{Vector3d::Zero(), Vector3d::Ones()});
  const AabbTree tree(boxes);
  expect_sound(tree, boxes);
  EXPECT_LE(tree.depth(), 11);
}

TEST(AabbTree, HoldsPointsAndFlatBoxes) {
  Random random(7);
  std::vector<Aabb> boxes;
  for (int i = 0; i < 500; ++i) boxes.push_back(Aabb::of_point(Vector3d(random.uniform(0.0, 1.0), 0.0, 0.0)));
  for (int i = 0; i < 500; ++i) boxes.push_back(Aabb::of_point(Vector3d(2.0, 2.0, 2.0)));
  expect_sound(AabbTree(boxes), boxes);
}

TEST(AabbTree, StaysWithinItsDepthOnItemsThatPeelOffOneByOne) {
  // Each box is half as large and half as far as the one before: the cheapest split takes off a few at a time.
  std::vector<Aabb> boxes;
  for (int i = -1000; i < 300; ++i) {
    const double at = std::ldexp(1.0, i);
    boxes.push_back({Vector3d::Constant(at), Vector3d::Constant(1.1 * at)});
  }
  const AabbTree tree(boxes);
  expect_sound(tree, boxes);
  EXPECT_GT(tree.depth(), 20);  // the case does lead deep
}

TEST(AabbTree, TakesInfiniteBoxes) {
  Random random(8);
  std::vector<Aabb> boxes = random_boxes(50, 0.1, random);
  boxes.push_back({Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)});
  boxes.push_back({Vector3d::Constant(-kInfinity), Vector3d(kInfinity, kInfinity, 0.0)});
  boxes.push_back({Vector3d(1.0, -kInfinity, -kInfinity), Vector3d::Constant(kInfinity)});
  for (int i = 0; i < 20; ++i) boxes.push_back({Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)});
  expect_sound(AabbTree(boxes), boxes);
  const std::vector<Aabb> alone(1, boxes.back());
  expect_sound(AabbTree(alone), alone);
}

TEST(AabbTree, IsTheSameForTheSameBoxes) {
  Random random(9);
  const std::vector<Aabb> boxes = random_boxes(3000, 0.05, random);
  const AabbTree first(boxes);
  const AabbTree second(boxes);
  ASSERT_EQ(first.nodes().size(), second.nodes().size());
  for (std::size_t i = 0; i < first.nodes().size(); ++i) {
    EXPECT_TRUE(same(first.nodes()[i].box, second.nodes()[i].box));
    EXPECT_EQ(first.nodes()[i].first, second.nodes()[i].first);
    EXPECT_EQ(first.nodes()[i].count, second.nodes()[i].count);
  }
  EXPECT_TRUE(std::equal(first.items().begin(), first.items().end(), second.items().begin()));
}

}  // namespace
}  // namespace abut
