// Top-down build of the wide tree: a node's child with the largest area is split until the node is full; small ranges
// are split to the end first, and wide_collapse.h says which of them become children.
// Source: Wald, Benthin, Boulos, "Getting Rid of Packets" (2008), section 3, for collapsing binary splits into wide
// nodes; item_bins.h has that of the splits. Departure: halving takes over where the heuristic would lead deeper than
// kMaxDepth.
#include <abut/core/assert.h>
#include <abut/core/trees/box_tree.h>
#include <abut/core/trees/item_ranges.h>
#include <abut/core/trees/wide_collapse.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace abut {
namespace {

// Larger leaves save memory and cost tests of items.
constexpr auto kMaxLeafItems = static_cast<std::uint32_t>(BoxTree::kMaxLeafItems);
// In ranges of fewer items all splits are made first, then the nodes are chosen among them for the least cost.
constexpr std::uint32_t kCollapsedItems = 1024;
// Such splits end at leaves of so many. With four, contacts of meshes take a tenth longer; with one, trees are made in
// 1.1 to 1.2 of the time.
constexpr std::uint32_t kMaxBinaryLeafItems = 3;
// Only their ratios matter; measured on rays, distances and contacts of meshes.
constexpr detail::CollapseCosts kCosts{.node = 1.0F, .leaf = 0.5F, .item = 0.3F};

// Levels of nodes that halving needs for so many items.
std::size_t halving_levels(std::uint32_t items) {
  return (static_cast<std::size_t>(std::bit_width(items)) + 2) / 3 + 1;
}

}  // namespace

/// Makes the nodes over ranges of items.
class BoxTreeBuilder {
 public:
  static void build(BoxTree& tree, std::span<const Aabb> boxes);

 private:
  explicit BoxTreeBuilder(detail::ItemRanges items) : items_(std::move(items)) {}

  using Node = BoxTree::Node;
  using Range = detail::ItemRange;
  using Collapse = detail::WideCollapse<BoxTree::kWidth>;

  /// Splits a range down to the leaves of a binary tree. @param levels  That it may have below its root; log2 of its
  /// size, rounded up, or more.
  static void bisect(detail::SmallItemRanges& items, const Range& range, std::size_t levels,
                     std::vector<detail::BinaryNode>& tree) {
    const std::size_t index = tree.size();
    tree.push_back({range.begin, range.end, 0, range.box.half_area()});
    if (range.size() <= kMaxBinaryLeafItems) return;
    const auto [left, right] = items.split(range, levels <= static_cast<std::size_t>(std::bit_width(range.size())));
    bisect(items, left, levels - 1, tree);
    tree[index].right = static_cast<std::uint32_t>(tree.size());
    bisect(items, right, levels - 1, tree);
  }

  /// Some items below a node of a binary tree, or a leaf.
  struct Child {
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t node;  ///< 0: a leaf.
  };

  /// Lanes that would stay empty make leaves smaller. @return How many children there are then.
  static std::size_t fill_lanes(detail::SmallItemRanges& items, std::array<Child, BoxTree::kWidth>& children,
                                std::size_t count) {
    const auto leaf_size = [&](std::size_t i) {
      return children[i].node == 0 ? children[i].end - children[i].begin : 0;
    };
    for (; count < BoxTree::kWidth; ++count) {
      std::size_t largest = 0;
      for (std::size_t i = 1; i < count; ++i) {
        if (leaf_size(i) > leaf_size(largest)) largest = i;
      }
      if (leaf_size(largest) < 2) break;
      const auto [left, right] = items.split(items.range_of(children[largest].begin, children[largest].end), false);
      std::copy_backward(children.begin() + largest + 1, children.begin() + count, children.begin() + count + 1);
      children[largest] = {left.begin, left.end, 0};
      children[largest + 1] = {right.begin, right.end, 0};
    }
    return count;
  }

  /// Appends the subtree in place of a node of a binary tree.
  static std::uint32_t append_collapsed(detail::SmallItemRanges& items, std::span<const detail::BinaryNode> tree,
                                        const Collapse& collapse, std::uint32_t root, std::vector<Node>& nodes) {
    const auto index = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back();
    std::array<std::uint32_t, BoxTree::kWidth> chosen{root};
    std::array<Child, BoxTree::kWidth> children{};
    std::size_t count = tree[root].right == 0 ? 1 : collapse.children_of(root, chosen);
    for (std::size_t i = 0; i < count; ++i) {
      const detail::BinaryNode& child = tree[chosen[i]];
      children[i] = {child.begin, child.end, collapse.is_leaf(chosen[i]) ? 0 : chosen[i]};
    }
    count = fill_lanes(items, children, count);
    Node node{};
    node.count = static_cast<std::uint32_t>(count);
    node.first = tree[root].begin;
    node.end = tree[root].end;
    for (std::size_t i = 0; i < count; ++i) {
      node.child[i] = children[i].node == 0 ? BoxTree::kLeaf | children[i].begin
                                            : append_collapsed(items, tree, collapse, children[i].node, nodes);
    }
    nodes[index] = node;
    return index;
  }

  /// The children of a node over `range`, in the order of their items.
  template <class Items>
  static std::vector<Range> children_of(Items& items, const Range& range, bool must_halve) {
    std::vector<Range> children = {range};
    const std::uint32_t least = must_halve ? 2 : kMaxLeafItems + 1;
    const auto is_before = [&](const Range& p, const Range& q) {
      if ((p.size() >= least) != (q.size() >= least)) return p.size() >= least;
      if (!must_halve && p.box.half_area() != q.box.half_area()) return p.box.half_area() > q.box.half_area();
      return p.size() > q.size();
    };
    while (children.size() < BoxTree::kWidth) {
      const auto chosen = std::min_element(children.begin(), children.end(), is_before);
      if (chosen->size() < least) break;
      const auto [left, right] = items.split(*chosen, must_halve);
      *chosen = left;
      children.insert(chosen + 1, right);
    }
    return children;
  }

  /// The subtree over a range of fewer than ItemRanges::kParallelItems, appended.
  /// @param level  Of its root, 1 for that of the tree.
  static std::uint32_t append(detail::SmallItemRanges& items, const Range& range, std::size_t level,
                              std::vector<Node>& nodes) {
    const std::size_t levels = BoxTree::kMaxDepth - level;
    if (range.size() < kCollapsedItems && levels > static_cast<std::size_t>(std::bit_width(range.size()))) {
      std::vector<detail::BinaryNode> tree;
      tree.reserve(2 * range.size());
      bisect(items, range, levels, tree);
      return append_collapsed(items, tree, Collapse(tree, kMaxLeafItems, kCosts), 0, nodes);
    }
    const auto index = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back();
    const std::vector<Range> children = children_of(items, range, must_halve(range, level));
    Node node = node_over(range, children);
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (!is_leaf(children[i])) node.child[i] = append(items, children[i], level + 1, nodes);
    }
    nodes[index] = node;
    return index;
  }

  /// Nodes that count from the first of them; of a large range the root alone, and its children apart.
  struct Subtree {
    std::vector<Node> nodes;
    std::vector<Subtree> below;  ///< Of a large range, one a child, without nodes for a leaf.

    [[nodiscard]] std::size_t size() const {
      std::size_t sum = nodes.size();
      for (const Subtree& child : below) sum += child.size();
      return sum;
    }
    void append_to(std::vector<Node>& all) const {
      const auto offset = static_cast<std::uint32_t>(all.size());
      for (Node node : nodes) {
        for (std::size_t slot = 0; slot < node.count && below.empty(); ++slot) {
          if ((node.child[slot] & BoxTree::kLeaf) == 0) node.child[slot] += offset;
        }
        all.push_back(node);
      }
      for (std::size_t slot = 0; slot < below.size(); ++slot) {
        if (below[slot].nodes.empty()) continue;
        all[offset].child[slot] = static_cast<std::uint32_t>(all.size());
        below[slot].append_to(all);
      }
    }
  };

  /// The subtree over a range, whose parts are made in parallel where it is large.
  Subtree subtree_over(const Range& range, std::size_t level) {
    Subtree tree;
    if (range.size() < detail::ItemRanges::kParallelItems) {
      tree.nodes.reserve(range.size() / 8 + 1);
      detail::SmallItemRanges items = items_.small(range);
      append(items, range, level, tree.nodes);
      items.order_items();
      return tree;
    }
    const std::vector<Range> children = children_of(items_, range, must_halve(range, level));
    tree.nodes = {node_over(range, children)};
    tree.below.resize(children.size());
    tbb::parallel_for(std::size_t{0}, children.size(), [&](std::size_t i) {
      if (!is_leaf(children[i])) tree.below[i] = subtree_over(children[i], level + 1);
    });
    return tree;
  }

  static bool must_halve(const Range& range, std::size_t level) {
    return range.size() < kCollapsedItems || level + halving_levels(range.size()) > BoxTree::kMaxDepth;
  }

  static bool is_leaf(const Range& range) { return range.size() <= kMaxLeafItems; }

  /// With its leaves, but without its other children.
  static Node node_over(const Range& range, std::span<const Range> children) {
    Node node{};
    node.count = static_cast<std::uint32_t>(children.size());
    node.first = range.begin;
    node.end = range.end;
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (is_leaf(children[i])) node.child[i] = BoxTree::kLeaf | children[i].begin;
    }
    return node;
  }

  detail::ItemRanges items_;
};

void BoxTreeBuilder::build(BoxTree& tree, std::span<const Aabb> boxes) {
  BoxTreeBuilder builder({boxes, tree.origin_, tree.unit_});
  const Subtree whole = builder.subtree_over(builder.items_.whole(), 1);
  tree.nodes_.reserve(whole.size());
  whole.append_to(tree.nodes_);

  // What comes before a leaf or a node is the last of a leaf.
  const auto mark_before = [&](std::uint32_t begin) {
    if (begin > 0) builder.items_.mark(begin - 1, BoxTree::kLast);
  };
  mark_before(static_cast<std::uint32_t>(boxes.size()));
  std::vector<std::uint8_t> level(tree.nodes_.size(), 1);
  for (std::size_t i = 0; i < tree.nodes_.size(); ++i) {
    const Node& node = tree.nodes_[i];
    mark_before(node.first);
    tree.depth_ = std::max<std::size_t>(tree.depth_, level[i]);
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      const std::uint32_t child = node.child[slot];
      if ((child & BoxTree::kLeaf) != 0) {
        mark_before(child & ~BoxTree::kLeaf);
      } else {
        level[child] = static_cast<std::uint8_t>(level[i] + 1);
      }
    }
  }
  tree.items_ = std::make_shared<const std::vector<std::uint32_t>>(builder.items_.items());
  ABUT_ASSERT(tree.depth_ <= BoxTree::kMaxDepth);
}

BoxTree::BoxTree(std::span<const Aabb> boxes, const ItemPoints& points) {
  if (boxes.empty()) return;
  set_frame(boxes);
  BoxTreeBuilder::build(*this, boxes);
  fit(boxes, points);
}

}  // namespace abut
