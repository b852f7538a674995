// BoxTree: every item once, boxes that hold what is below them and hardly more, bounded depth, queries that agree with
// brute force, and the same tree for any number of threads.
#include <abut/core/infinity.h>
#include <abut/core/trees/box_tree.h>
#include <abut/core/trees/rotation.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace abut {
namespace {

using samples::Random;

bool is_finite(const Aabb& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

// Checks everything the header promises but the splits' quality. @param points  Of each item; where empty, the corners
// of the boxes.
void expect_sound(const BoxTree& tree, const std::vector<Aabb>& boxes,
                  const std::vector<std::vector<Vector3d>>& points = {}) {
  ASSERT_FALSE(tree.is_empty());
  ASSERT_EQ(tree.items().size(), boxes.size());
  std::vector<std::uint32_t> items;
  for (const std::uint32_t item : tree.items()) items.push_back(item & ~BoxTree::kLast);
  std::vector<std::uint32_t> sorted = items;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < sorted.size(); ++i) ASSERT_EQ(sorted[i], i);

  Aabb bounds;
  for (const Aabb& box : boxes) bounds.merge(box);
  EXPECT_EQ(tree.bounds().lower, bounds.lower);
  EXPECT_EQ(tree.bounds().upper, bounds.upper);

  struct Visit {
    std::uint32_t node;
    std::size_t level;
  };
  std::vector<Visit> pending = {{0, 1}};
  std::vector<int> covered(boxes.size(), 0);
  std::size_t visited = 0;
  std::size_t depth = 0;
  while (!pending.empty()) {
    const Visit visit = pending.back();
    pending.pop_back();
    ++visited;
    depth = std::max(depth, visit.level);
    const BoxTree::Node& node = tree.nodes()[visit.node];
    ASSERT_GE(node.count, 1u);
    ASSERT_LE(node.count, BoxTree::kWidth);
    const auto rotation = detail::rotation_matrix<double>(node.rotation);
    EXPECT_EQ(node.is_turned != 0, node.rotation[0] != 0.0F || node.rotation[1] != 0.0F || node.rotation[2] != 0.0F);
    EXPECT_TRUE(node.is_turned == 0 || tree.is_oriented());
    std::uint32_t position = node.first;
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      std::uint32_t end = 0;
      if ((node.child[slot] & BoxTree::kLeaf) != 0) {
        ASSERT_EQ(node.child[slot] & ~BoxTree::kLeaf, position);
        end = position;
        while ((tree.items()[end++] & BoxTree::kLast) == 0) ASSERT_LT(end, node.end);
        for (std::uint32_t i = position; i < end; ++i) ++covered[i];
      } else {
        ASSERT_GT(node.child[slot], visit.node);
        ASSERT_LT(node.child[slot], tree.nodes().size());
        pending.push_back({node.child[slot], visit.level + 1});
        ASSERT_EQ(tree.nodes()[node.child[slot]].first, position);
        end = tree.nodes()[node.child[slot]].end;
      }
      // Exactly, in the coordinates of the node.
      Aabb expected;
      for (std::uint32_t i = position; i < end; ++i) {
        const std::uint32_t item = items[i];
        if (!is_finite(boxes[item])) {
          EXPECT_EQ(node.lower[0][slot], -std::numeric_limits<float>::infinity());
          EXPECT_EQ(node.upper[2][slot], std::numeric_limits<float>::infinity());
          continue;
        }
        std::vector<Vector3d> corners =
            points.empty() ? std::vector<Vector3d>{boxes[item].lower, boxes[item].upper} : points[item];
        for (const Vector3d& corner : corners) {
          const Vector3d p = (corner - tree.origin()) / tree.unit();
          Vector3d turned;
          for (std::size_t k = 0; k < 3; ++k) {
            turned[static_cast<Eigen::Index>(k)] =
                rotation[0][k] * p.x() + rotation[1][k] * p.y() + rotation[2][k] * p.z();
          }
          expected.merge(turned);
        }
      }
      if (!expected.is_empty()) {
        for (std::size_t k = 0; k < 3; ++k) {
          const auto axis = static_cast<Eigen::Index>(k);
          ASSERT_LE(node.lower[k][slot], expected.lower[axis]);
          ASSERT_GE(node.upper[k][slot], expected.upper[axis]);
          if (std::isfinite(node.lower[k][slot])) {
            const double slack = 1e-6 * (expected.lower.cwiseAbs().maxCoeff() + expected.upper.cwiseAbs().maxCoeff()) +
                                 1e-12 * tree.origin().cwiseAbs().maxCoeff() / tree.unit() + 1e-30;
            EXPECT_NEAR(node.lower[k][slot], expected.lower[axis], slack);
            EXPECT_NEAR(node.upper[k][slot], expected.upper[axis], slack);
          }
        }
      }
      position = end;
    }
    ASSERT_EQ(position, node.end);
  }
  EXPECT_EQ(visited, tree.nodes().size());
  EXPECT_EQ(depth, tree.depth());
  EXPECT_LE(depth, BoxTree::kMaxDepth);
  EXPECT_TRUE(std::all_of(covered.begin(), covered.end(), [](int count) { return count == 1; }));
}

std::vector<Aabb> random_boxes(int count, double size, Random& random) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) {
    const Vector3d corner = random.vector(0.0, 1.0);
    boxes.push_back({corner, corner + random.vector(0.0, size)});
  }
  return boxes;
}

bool same(const BoxTree& a, const BoxTree& b) {
  return a.nodes().size() == b.nodes().size() &&
         std::memcmp(a.nodes().data(), b.nodes().data(), a.nodes().size_bytes()) == 0 &&
         std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end());
}

TEST(BoxTree, OfNothingIsEmpty) {
  const BoxTree::ItemPoints points = [](std::uint32_t, std::span<Vector3d, 8>) { return std::size_t{0}; };
  const std::vector<Aabb> none;
  for (const BoxTree& tree : {BoxTree(), BoxTree(none), BoxTree(none, points), BoxTree().refitted(none, points)}) {
    EXPECT_TRUE(tree.is_empty());
    EXPECT_EQ(tree.depth(), 0u);
    EXPECT_TRUE(tree.items().empty());
    EXPECT_TRUE(tree.bounds().is_empty());
    tree.visit([](const Aabb&) { return true; }, [](std::uint32_t) { FAIL(); });
  }
}

TEST(BoxTree, HoldsEveryItemOnceInTightBoxes) {
  for (std::uint64_t seed = 1; seed <= (samples::kIsInstrumented ? 1 : 3); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    for (const int count : {1, 2, 3, 4, 5, 8, 9, 17, 100, 5000, 40000}) {
      SCOPED_TRACE(testing::Message() << count << " boxes");
      const std::vector<Aabb> boxes = random_boxes(count, 0.1, random);
      const BoxTree tree(boxes);
      expect_sound(tree, boxes);
      if (count >= 100) {
        EXPECT_LE(tree.memory(), 40 * boxes.size());
      }
    }
  }
}

TEST(BoxTree, TurnsBoxesAroundThePointsOfItsItems) {
  Random random(11);
  std::vector<std::vector<Vector3d>> points;
  std::vector<Aabb> boxes;
  const Pose slanted = random.pose(1.0);
  for (int i = 0; i < 20000; ++i) {  // needles along one direction
    const Vector3d start = random.vector(0.0, 1.0);
    points.push_back(
        {slanted * start, slanted * (start + Vector3d(0.1, 0.0, 0.0)), slanted * (start + Vector3d(0.05, 0.001, 0.0))});
    Aabb box;
    for (const Vector3d& point : points.back()) box.merge(point);
    boxes.push_back(box);
  }
  boxes[77] = {Vector3d::Constant(-kInfinity), Vector3d(kInfinity, 0.0, kInfinity)};
  const BoxTree::ItemPoints source = [&](std::uint32_t item, std::span<Vector3d, 8> out) {
    std::copy(points[item].begin(), points[item].end(), out.begin());
    return points[item].size();
  };
  const BoxTree tree(boxes, source);
  EXPECT_TRUE(tree.is_oriented());
  expect_sound(tree, boxes, points);
  const BoxTree aligned(boxes);
  const auto area = [](const BoxTree& of, bool of_leaves) {
    double sum = 0.0;
    for (const BoxTree::Node& node : of.nodes()) {
      for (std::size_t slot = 0; slot < node.count; ++slot) {
        if (of_leaves && (node.child[slot] & BoxTree::kLeaf) == 0) continue;
        const double x = node.upper[0][slot] - node.lower[0][slot];
        const double y = node.upper[1][slot] - node.lower[1][slot];
        const double z = node.upper[2][slot] - node.lower[2][slot];
        if (std::isfinite(x)) sum += x * y + y * z + z * x;
      }
    }
    return sum;
  };
  double of_items = 0.0;
  for (const Aabb& box : boxes) {
    const Vector3d size = box.upper - box.lower;
    if (size.allFinite()) of_items += size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
  }
  // Most of the gain is in the leaves: the needles as a whole fill a cube.
  EXPECT_LT(area(tree, true), 0.6 * area(aligned, true));
  EXPECT_LT(area(tree, false), 1.2 * of_items);
}

TEST(BoxTree, QueriesAgreeWithBruteForceAndVisitFewNodes) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::vector<Aabb> boxes = random_boxes(4000, 0.05, random);
    const BoxTree tree(boxes);
    std::size_t found_in_all = 0;
    std::size_t visits = 0;
    for (int i = 0; i < 100; ++i) {
      const Vector3d corner = random.vector(-0.1, 1.0);
      const Aabb query{corner, corner + random.vector(0.0, 0.1)};
      std::vector<std::uint32_t> expected;
      for (std::uint32_t k = 0; k < boxes.size(); ++k) {
        if (boxes[k].overlaps(query)) expected.push_back(k);
      }
      std::vector<std::uint32_t> found;
      tree.visit(
          [&](const Aabb& box) {
            ++visits;
            return box.overlaps(query);
          },
          [&](std::uint32_t item) {
            if (boxes[item].overlaps(query)) found.push_back(item);
          });
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected);
      found_in_all += found.size();
    }
    EXPECT_GT(found_in_all, 100u);  // the queries did meet boxes
    EXPECT_LT(visits / 100, boxes.size() / 10);
  }
}

TEST(BoxTree, HalvesEqualBoxes) {
  const std::vector<Aabb> boxes(1000, Aabb{Vector3d::Zero(), Vector3d::Ones()});
  const BoxTree tree(boxes);
  expect_sound(tree, boxes);
  EXPECT_LE(tree.depth(), 4u);
}

TEST(BoxTree, HoldsPointsAndFlatBoxes) {
  Random random(7);
  std::vector<Aabb> boxes;
  for (int i = 0; i < 500; ++i) boxes.push_back(Aabb::of_point(Vector3d(random.uniform(0.0, 1.0), 0.0, 0.0)));
  for (int i = 0; i < 500; ++i) boxes.push_back(Aabb::of_point(Vector3d(2.0, 2.0, 2.0)));
  expect_sound(BoxTree(boxes), boxes);
}

TEST(BoxTree, StaysWithinItsDepthOnItemsThatPeelOffOneByOne) {
  // Each box is half as large and half as far as the one before: the cheapest split takes off a few at a time.
  std::vector<Aabb> boxes;
  for (int i = -1000; i < 300; ++i) {
    const double at = std::ldexp(1.0, i);
    boxes.push_back({Vector3d::Constant(at), Vector3d::Constant(1.1 * at)});
  }
  const BoxTree tree(boxes);
  expect_sound(tree, boxes);
  EXPECT_GT(tree.depth(), 4u);  // a balanced tree has three levels
}

TEST(BoxTree, TakesCoordinatesBeyondTheRangeOfFloats) {
  Random random(12);
  for (const double scale : {1e-300, 1e-60, 1e60, 1e300}) {
    SCOPED_TRACE(testing::Message() << "scale " << scale);
    std::vector<Aabb> boxes = random_boxes(300, 0.1, random);
    for (Aabb& box : boxes) box = {scale * box.lower, scale * box.upper};
    expect_sound(BoxTree(boxes), boxes);
  }
}

TEST(BoxTree, KeepsSmallBoxesTightFarFromTheOrigin) {
  Random random(13);
  std::vector<Aabb> boxes = random_boxes(300, 0.1, random);
  const Vector3d far(1e6, -2e6, 3e6);
  for (Aabb& box : boxes) box = {box.lower + far, box.upper + far};
  expect_sound(BoxTree(boxes), boxes);
}

TEST(BoxTree, TakesInfiniteBoxes) {
  Random random(8);
  std::vector<Aabb> boxes = random_boxes(50, 0.1, random);
  boxes.push_back({Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)});
  boxes.push_back({Vector3d::Constant(-kInfinity), Vector3d(kInfinity, kInfinity, 0.0)});
  boxes.push_back({Vector3d(1.0, -kInfinity, -kInfinity), Vector3d::Constant(kInfinity)});
  for (int i = 0; i < 20; ++i) boxes.push_back({Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)});
  expect_sound(BoxTree(boxes), boxes);
  const std::vector<Aabb> alone(1, boxes.back());
  expect_sound(BoxTree(alone), alone);
}

TEST(BoxTree, IsTheSameForAnyNumberOfThreads) {
  Random random(9);
  const std::vector<Aabb> boxes = random_boxes(samples::kIsInstrumented ? 30000 : 100000, 0.05, random);
  const BoxTree::ItemPoints corners = [&](std::uint32_t item, std::span<Vector3d, 8> out) {
    out[0] = boxes[item].lower;
    out[1] = boxes[item].upper;
    return std::size_t{2};
  };
  const BoxTree parallel(boxes);
  const BoxTree parallel_turned(boxes, corners);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_TRUE(same(parallel, BoxTree(boxes)));
  EXPECT_TRUE(same(parallel_turned, BoxTree(boxes, corners)));
}

TEST(BoxTree, RefitsToBoxesThatMoved) {
  Random random(10);
  std::vector<Aabb> boxes = random_boxes(3000, 0.05, random);
  const BoxTree tree(boxes);
  for (Aabb& box : boxes) {
    const Vector3d shift = random.vector(5.0, 5.1);
    box = {box.lower + shift, box.upper + shift};
  }
  const BoxTree refitted = tree.refitted(boxes);
  expect_sound(refitted, boxes);
  EXPECT_EQ(refitted.items().data(), tree.items().data());  // shared, not copied
}

}  // namespace
}  // namespace abut
