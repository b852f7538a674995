// Large ranges are split by bins until eight parts lie below a node; those that are small enough become branches, which
// are split to single boxes before their nodes are chosen.
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/proxy_tree_build.h>
#include <abut/core/assert.h>
#include <abut/core/infinity.h>
#include <abut/core/trees/item_bins.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

namespace abut::detail {
namespace {

// Ranges of at most so many boxes are the work of one task.
constexpr std::uint32_t kBranchSize = 2048;
static_assert(kBranchSize <= SmallItemRanges::kMostItems);
// Below so many levels of nodes large ranges are halved, which takes no more than a level for each bit of their size.
constexpr std::size_t kFreeLevels = 12;
constexpr std::size_t kHalvingLevels = 32 - std::bit_width(kBranchSize - 1);
constexpr std::size_t kBranchLevels = kMaxTreeDepth - kFreeLevels - kHalvingLevels;
static_assert(kBranchLevels >= 2 * std::bit_width(kBranchSize));
// A leaf is one box, so that only the areas of the nodes matter.
constexpr CollapseCosts kCosts{.node = 1.0F, .leaf = 1.0F, .item = 0.0F};

/// What every node costs, however small its box is: points have no area, but are best many below a node as well. A
/// small part of what boxes that fill the range would have.
float least_area_of(const ItemRange& range) {
  return std::max(0.1F * range.box.half_area() / static_cast<float>(range.size()), 1e-30F);
}

TreeNode empty_node() {
  TreeNode node;
  for (std::size_t k = 0; k < TreeNode::kWidth; ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      node.side[TreeNode::kLower][axis][k] = kFloatInfinity;
      node.side[TreeNode::kUpper][axis][k] = -kFloatInfinity;
    }
    node.child[k] = TreeNode::kNone;
  }
  return node;
}

void set_box(TreeNode& node, std::size_t lane, const Float4Box& box) {
  float lower[4];
  float upper[4];
  box.lower.store(lower);
  box.upper.store(upper);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    node.side[TreeNode::kLower][axis][lane] = lower[axis];
    node.side[TreeNode::kUpper][axis][lane] = upper[axis];
  }
}

ItemRange range_of(const TreeItems& items, std::uint32_t begin, std::uint32_t end) {
  ItemRange range;
  range.begin = begin;
  range.end = end;
  for (std::uint32_t i = begin; i < end; ++i) range.add(items.boxes[i]);
  return range;
}

}  // namespace

/// Orders a large range so that it falls into two.
ItemRange::Halves ProxyTreeBuild::split(TreeItems& items, const ItemRange& range, bool must_halve) {
  const auto halved = [&] {  // where they stand: all are in one place, or the tree is as deep as none should be
    const std::uint32_t middle = range.begin + range.size() / 2;
    return std::pair{range_of(items, range.begin, middle), range_of(items, middle, range.end)};
  };
  if (must_halve) return halved();
  const Binning binning(range);
  Bins bins(binning.bins);
  std::int32_t bin[4];
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    binning(items.boxes[i], bin);
    bins.add(items.boxes[i], bin);
  }
  const Split best = bins.cheapest_split(range.size());
  if (best.axis < 0) return halved();

  // As many stand on the wrong side of the border as on the other; on which side one is no branch has to guess.
  const Side side(binning, best);
  const std::uint32_t border = range.begin + bins.items_left(best);
  misplaced_.resize(items.size());
  std::uint32_t count = 0;
  for (std::uint32_t i = range.begin; i < border; ++i) {
    misplaced_[range.begin + count] = i;
    count += side.is_left(items.boxes[i]) ? 0 : 1;
  }
  std::uint32_t partners = 0;
  for (std::uint32_t i = border; i < range.end; ++i) {
    misplaced_[border + partners] = i;
    partners += side.is_left(items.boxes[i]) ? 1 : 0;
  }
  ABUT_ASSERT(count == partners);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t p = misplaced_[range.begin + k];
    const std::uint32_t q = misplaced_[border + k];
    std::swap(items.boxes[p], items.boxes[q]);
    std::swap(items.ids[p], items.ids[q]);
  }
  auto [left, right] = bins.boxes_beside(best);
  for (std::uint32_t i = range.begin; i < border; ++i) left.add_center(items.boxes[i]);
  for (std::uint32_t i = border; i < range.end; ++i) right.add_center(items.boxes[i]);
  return range.halves(border, left, right);
}

/// Splits a range down to single boxes. @param levels  That may lie below it; log2 of its size, rounded up, or more.
void ProxyTreeBuild::Room::bisect(const ItemRange& range, std::size_t levels) {
  const std::size_t index = tree.size();
  tree.push_back({range.begin, range.end, 0, range.box.half_area() + least_area});
  boxes.push_back(range.box);
  if (range.size() == 1) return;
  const auto [left, right] = ranges.split(range, levels <= static_cast<std::size_t>(std::bit_width(range.size())));
  bisect(left, levels - 1);
  tree[index].right = static_cast<std::uint32_t>(tree.size());
  bisect(right, levels - 1);
}

/// Appends the nodes in place of a node of the binary tree.
std::uint32_t ProxyTreeBuild::Room::append(std::uint32_t root, const TreeItems& items,
                                           std::vector<TreeNode>& nodes) const {
  const auto index = static_cast<std::uint32_t>(nodes.size());
  nodes.push_back(empty_node());
  std::array<std::uint32_t, TreeNode::kWidth> chosen{root};
  const std::size_t count = tree[root].right == 0 ? 1 : collapse.children_of(root, chosen);
  const auto rank = [&](std::uint32_t node) {  // boxes first, by id
    return tree[node].right == 0 ? items.ids[tree[node].begin] : TreeNode::kLeaf;
  };
  for (std::size_t i = 1; i < count; ++i) {
    for (std::size_t k = i; k > 0 && rank(chosen[k]) < rank(chosen[k - 1]); --k) std::swap(chosen[k], chosen[k - 1]);
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    const std::uint32_t node = chosen[lane];
    set_box(nodes[index], lane, boxes[node]);
    const std::uint32_t child =
        tree[node].right == 0 ? items.ids[tree[node].begin] | TreeNode::kLeaf : append(node, items, nodes);
    nodes[index].child[lane] = child;
  }
  return index;
}

void ProxyTreeBuild::add_branch(const ItemRange& range, std::size_t parent, std::size_t lane) {
  if (branches_.size() == branch_count_) branches_.emplace_back();
  Branch& branch = branches_[branch_count_++];
  branch.range = range;
  branch.parent = parent;
  branch.lane = lane;
}

void ProxyTreeBuild::append_large(TreeItems& items, const ItemRange& range, std::size_t level,
                                  LargeVector<TreeNode>& nodes) {
  const std::size_t index = nodes.size();
  nodes.push_back(empty_node());
  std::array<ItemRange, TreeNode::kWidth> parts{range};
  for (std::size_t count = 1; count < TreeNode::kWidth; ++count) {
    // What is large comes first, so that all large parts are split by areas; then what would fill a node.
    const auto urgency = [](const ItemRange& part) {
      const int kind = part.size() > kBranchSize ? 2 : part.size() > TreeNode::kWidth ? 1 : 0;
      return std::pair(kind, part.box.half_area());
    };
    const auto largest =
        std::max_element(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count),
                         [&](const ItemRange& p, const ItemRange& q) { return urgency(p) < urgency(q); });
    ABUT_ASSERT(largest->size() > 1);
    const auto [left, right] = split(items, *largest, level > kFreeLevels);
    *largest = left;
    parts[count] = right;
  }
  for (std::size_t lane = 0; lane < TreeNode::kWidth; ++lane) {
    set_box(nodes[index], lane, parts[lane].box);
    if (parts[lane].size() == 1) {
      nodes[index].child[lane] = items.ids[parts[lane].begin] | TreeNode::kLeaf;
    } else if (parts[lane].size() <= kBranchSize) {
      add_branch(parts[lane], index, lane);
    } else {
      nodes[index].child[lane] = static_cast<std::uint32_t>(nodes.size());
      append_large(items, parts[lane], level + 1, nodes);
    }
  }
}

void ProxyTreeBuild::run(TreeItems& items, LargeVector<TreeNode>& nodes) {
  nodes.clear();
  branch_count_ = 0;
  const ItemRange whole = range_of(items, 0, items.size());
  const bool is_large = whole.size() > kBranchSize;
  if (is_large) {
    append_large(items, whole, 1, nodes);
  } else {
    add_branch(whole, 0, 0);
  }

  parallel_each(branch_count_, [&](std::size_t k) {
    Branch& branch = branches_[k];
    Room& room = rooms_.local();
    const std::uint32_t begin = branch.range.begin;
    room.ranges.assign(branch.range, items.boxes.data() + begin, items.ids.data() + begin);
    room.least_area = least_area_of(branch.range);
    room.tree.clear();
    room.boxes.clear();
    room.bisect(branch.range, kBranchLevels);
    room.ranges.order_items();
    room.collapse.assign(room.tree, 1, kCosts);
    branch.nodes.clear();
    room.append(0, items, branch.nodes);
  });

  for (std::size_t k = 0; k < branch_count_; ++k) {
    const Branch& branch = branches_[k];
    const auto base = static_cast<std::uint32_t>(nodes.size());
    if (is_large) nodes[branch.parent].child[branch.lane] = base;
    for (const TreeNode& node : branch.nodes) {
      TreeNode& copy = nodes.emplace_back(node);
      for (std::uint32_t& child : copy.child) {
        if ((child & TreeNode::kLeaf) == 0) child += base;
      }
    }
  }
}

std::size_t ProxyTreeBuild::memory() const {
  std::size_t bytes = memory_of(branches_) + rooms_.size() * sizeof(Room) + memory_of(misplaced_);
  for (const Branch& branch : branches_) bytes += memory_of(branch.nodes);
  for (const Room& room : rooms_) {
    bytes += room.ranges.memory() + memory_of(room.tree) + memory_of(room.boxes) + room.collapse.memory();
  }
  return bytes;
}

}  // namespace abut::detail
