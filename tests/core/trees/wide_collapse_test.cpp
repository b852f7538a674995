// WideCollapse: as cheap as the cheapest of all ways to make wide nodes of a small binary tree, and every item once.
#include <abut/core/trees/wide_collapse.h>
#include <gtest/gtest.h>
#include <support/random.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace abut::detail {
namespace {

using samples::Random;

constexpr std::size_t kWidth = 4;
constexpr std::uint32_t kMaxLeafItems = 4;
constexpr CollapseCosts kCosts{.node = 1.0F, .leaf = 0.5F, .item = 0.3F};

// A child's box is smaller than its parent's, as boxes are.
std::uint32_t grow(std::vector<BinaryNode>& tree, std::uint32_t begin, std::uint32_t inner, float area,
                   Random& random) {
  const auto index = static_cast<std::uint32_t>(tree.size());
  tree.push_back({begin, 0, 0, area});
  if (inner == 0) {
    tree[index].end = begin + 1 + random.below(3);
    return tree[index].end;
  }
  const auto left = random.below(inner);
  const auto child_area = [&] { return area * static_cast<float>(random.uniform(0.2, 0.9)); };
  const std::uint32_t middle = grow(tree, begin, left, child_area(), random);
  tree[index].right = static_cast<std::uint32_t>(tree.size());
  tree[index].end = grow(tree, middle, inner - 1 - left, child_area(), random);
  return tree[index].end;
}

double leaf_cost(const BinaryNode& node) {
  return double{node.half_area} * (kCosts.leaf + kCosts.item * static_cast<double>(node.size()));
}

// What becomes of a node that has children.
enum class Role : std::uint8_t { dissolved, wide, leaf };

// Of a tree whose nodes' roles are given; infinite where the width or the size of leaves forbids them.
class CostOfRoles {
 public:
  CostOfRoles(const std::vector<BinaryNode>& tree, const std::vector<Role>& roles) : tree_(tree), roles_(roles) {}

  double of_wide(std::uint32_t node) const {
    std::size_t children = 0;
    const double below = of(node + 1, children) + of(tree_[node].right, children);
    if (children > kWidth) return std::numeric_limits<double>::infinity();
    return double{tree_[node].half_area} * kCosts.node + below;
  }

 private:
  double of(std::uint32_t node, std::size_t& children) const {
    if (tree_[node].right != 0 && roles_[node] == Role::dissolved) {
      return of(node + 1, children) + of(tree_[node].right, children);
    }
    ++children;
    if (tree_[node].right != 0 && roles_[node] == Role::wide) return of_wide(node);
    if (tree_[node].size() > kMaxLeafItems) return std::numeric_limits<double>::infinity();
    return leaf_cost(tree_[node]);
  }

  const std::vector<BinaryNode>& tree_;
  const std::vector<Role>& roles_;
};

double cheapest_of_all(const std::vector<BinaryNode>& tree) {
  std::vector<std::uint32_t> inner;
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    if (tree[i].right != 0) inner.push_back(i);
  }
  std::size_t ways = 1;
  for (std::size_t i = 0; i < inner.size(); ++i) ways *= 3;
  std::vector<Role> roles(tree.size(), Role::dissolved);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t way = 0; way < ways; ++way) {
    std::size_t rest = way;
    for (const std::uint32_t node : inner) {
      roles[node] = static_cast<Role>(rest % 3);
      rest /= 3;
    }
    best = std::min(best, CostOfRoles(tree, roles).of_wide(0));
  }
  return best;
}

// Of the wide tree; checks that its nodes hold their items one after another.
double cost_of(const std::vector<BinaryNode>& tree, const WideCollapse<kWidth>& collapse, std::uint32_t node) {
  std::array<std::uint32_t, kWidth> children{};
  const std::size_t count = collapse.children_of(node, children);
  EXPECT_GE(count, 2U);
  EXPECT_LE(count, kWidth);
  double cost = double{tree[node].half_area} * kCosts.node;
  std::uint32_t position = tree[node].begin;
  for (std::size_t i = 0; i < count; ++i) {
    const BinaryNode& child = tree[children[i]];
    EXPECT_EQ(child.begin, position);
    position = child.end;
    if (collapse.is_leaf(children[i])) {
      EXPECT_LE(child.size(), kMaxLeafItems);
      cost += leaf_cost(child);
    } else {
      cost += cost_of(tree, collapse, children[i]);
    }
  }
  EXPECT_EQ(position, tree[node].end);
  return cost;
}

TEST(WideCollapse, CostsAsLittleAsTheCheapestOfAllWays) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    std::vector<BinaryNode> tree;
    grow(tree, 0, 1 + random.below(8), 1.0F, random);
    const WideCollapse<kWidth> collapse(tree, kMaxLeafItems, kCosts);
    const double cheapest = cheapest_of_all(tree);
    EXPECT_NEAR(cost_of(tree, collapse, 0), cheapest, 1e-5 * cheapest);
  }
}

// Where nothing costs anything, as for points on a line, or all is beyond floats.
TEST(WideCollapse, HoldsAllItemsWhateverTheAreas) {
  Random random(12);
  for (const float area : {0.0F, 1e38F, std::numeric_limits<float>::infinity()}) {
    for (int round = 0; round < 100; ++round) {
      std::vector<BinaryNode> tree;
      grow(tree, 0, 1 + random.below(30), area, random);
      cost_of(tree, WideCollapse<kWidth>(tree, kMaxLeafItems, kCosts), 0);
    }
  }
}

}  // namespace
}  // namespace abut::detail
