// The build of the tree: binned by surface area, the upper part by one thread, branches below it by tasks.
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/broadphase/proxy_tree.h>
#include <abut/core/infinity.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace abut {
namespace {

using detail::TreeNode;
using Item = ProxyTree::Item;

// Ranges of at most so many boxes are the work of one task.
constexpr std::size_t kBranchSize = 2048;
constexpr std::size_t kBins = 16;
// Deeper splits halve the number of boxes, so that no tree is deeper than kMaxTreeDepth.
constexpr std::size_t kMaxSplitDepth = detail::kMaxTreeDepth - 30;

struct Bounds {
  float lower[3] = {kFloatInfinity, kFloatInfinity, kFloatInfinity};
  float upper[3] = {-kFloatInfinity, -kFloatInfinity, -kFloatInfinity};

  template <class Box>
  void merge(const Box& box) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      lower[axis] = std::min(lower[axis], box.lower[axis]);
      upper[axis] = std::max(upper[axis], box.upper[axis]);
    }
  }
  // Finite for boxes within kReach.
  [[nodiscard]] float half_area() const {
    const float x = upper[0] - lower[0];
    const float y = upper[1] - lower[1];
    const float z = upper[2] - lower[2];
    return x * y + y * z + z * x;
  }
};

float center_of(const Item& item, std::size_t axis) {
  return item.lower[axis] + item.upper[axis];  // twice
}

struct Range {
  std::size_t begin;
  std::size_t end;
  Bounds bounds;
  std::size_t depth;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

class Builder {
 public:
  explicit Builder(std::span<Item> items) : items_(items) {}

  [[nodiscard]] Range range(std::size_t begin, std::size_t end, std::size_t depth) const {
    Range result = {begin, end, {}, depth};
    for (std::size_t i = begin; i < end; ++i) result.bounds.merge(items_[i]);
    return result;
  }

  /// Splits until there are as many parts as a node has children, or each fits in a node; of the parts that do not the
  /// one of the largest area next.
  std::size_t children(const Range& range, std::array<Range, TreeNode::kWidth>& parts) {
    std::size_t count = 0;
    if (range.size() <= TreeNode::kWidth) {
      // Of boxes that are as near, walks show that of the lowest lane first.
      std::sort(items_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                items_.begin() + static_cast<std::ptrdiff_t>(range.end),
                [](const Item& p, const Item& q) { return p.id < q.id; });
      for (std::size_t i = range.begin; i < range.end; ++i) parts[count++] = this->range(i, i + 1, range.depth + 1);
      return count;
    }
    parts[count++] = range;
    while (count < TreeNode::kWidth) {
      std::size_t largest = count;
      for (std::size_t k = 0; k < count; ++k) {
        if (parts[k].size() <= TreeNode::kWidth) continue;
        if (largest == count || parts[k].bounds.half_area() > parts[largest].bounds.half_area()) largest = k;
      }
      if (largest == count) break;
      const Range whole = parts[largest];
      const std::size_t middle = split(whole);
      parts[largest] = this->range(whole.begin, middle, whole.depth + 1);
      parts[count++] = this->range(middle, whole.end, whole.depth + 1);
    }
    return count;
  }

 private:
  /// Reorders a range of two boxes or more and returns where its second part begins.
  std::size_t split(const Range& range) {
    const std::size_t size = range.size();
    float from[3] = {kFloatInfinity, kFloatInfinity, kFloatInfinity};
    float to[3] = {-kFloatInfinity, -kFloatInfinity, -kFloatInfinity};
    for (std::size_t i = range.begin; i < range.end; ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        from[axis] = std::min(from[axis], center_of(items_[i], axis));
        to[axis] = std::max(to[axis], center_of(items_[i], axis));
      }
    }
    std::size_t widest = 0;
    for (std::size_t axis = 1; axis < 3; ++axis) {
      if (to[axis] - from[axis] > to[widest] - from[widest]) widest = axis;
    }
    const float extent = to[widest] - from[widest];
    if (!(extent > 0.0F) || range.depth >= kMaxSplitDepth || size <= 4) return halved(range, widest);

    const float scale = static_cast<float>(kBins) / extent;
    if (!(scale < kFloatInfinity)) return halved(range, widest);
    const auto bin_of = [&](const Item& item) {
      const float bin = (center_of(item, widest) - from[widest]) * scale;
      return std::min(static_cast<std::size_t>(bin), kBins - 1);
    };
    std::array<Bounds, kBins> bounds;
    std::array<std::size_t, kBins> counts = {};
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::size_t bin = bin_of(items_[i]);
      bounds[bin].merge(items_[i]);
      ++counts[bin];
    }
    std::array<float, kBins> cost_below = {};
    Bounds below;
    std::size_t count = 0;
    for (std::size_t bin = 0; bin + 1 < kBins; ++bin) {
      below.merge(bounds[bin]);
      count += counts[bin];
      cost_below[bin] = count == 0 ? kFloatInfinity : below.half_area() * static_cast<float>(count);
    }
    Bounds above;
    count = 0;
    std::size_t best = kBins;
    float best_cost = kFloatInfinity;
    for (std::size_t bin = kBins - 1; bin > 0; --bin) {
      above.merge(bounds[bin]);
      count += counts[bin];
      if (count == 0) continue;
      const float cost = cost_below[bin - 1] + above.half_area() * static_cast<float>(count);
      if (cost < best_cost) {
        best_cost = cost;
        best = bin;
      }
    }
    if (best == kBins) return halved(range, widest);
    Item* const begin = items_.data() + range.begin;
    Item* const end = items_.data() + range.end;
    Item* const middle = std::partition(begin, end, [&](const Item& item) { return bin_of(item) < best; });
    return range.begin + static_cast<std::size_t>(middle - begin);
  }

  std::size_t halved(const Range& range, std::size_t axis) {
    Item* const begin = items_.data() + range.begin;
    Item* const end = items_.data() + range.end;
    Item* const middle = begin + range.size() / 2;
    std::nth_element(begin, middle, end, [axis](const Item& p, const Item& q) {
      const float a = center_of(p, axis);
      const float b = center_of(q, axis);
      return a < b || (a == b && p.id < q.id);
    });
    return range.begin + range.size() / 2;
  }

  std::span<Item> items_;
};

TreeNode empty_node() {
  TreeNode node;
  for (std::size_t k = 0; k < TreeNode::kWidth; ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      node.lower[axis][k] = kFloatInfinity;
      node.upper[axis][k] = -kFloatInfinity;
    }
    node.child[k] = TreeNode::kNone;
  }
  return node;
}

/// Appends a node for the range and all below it, or hands a part to `defer`, which says whether it takes it.
template <class Nodes, class Defer>
std::size_t append(Builder& builder, std::span<const Item> items, const Range& range, Nodes& nodes,
                   const Defer& defer) {
  const std::size_t index = nodes.size();
  nodes.push_back(empty_node());
  std::array<Range, TreeNode::kWidth> parts;
  const std::size_t count = builder.children(range, parts);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      nodes[index].lower[axis][k] = parts[k].bounds.lower[axis];
      nodes[index].upper[axis][k] = parts[k].bounds.upper[axis];
    }
    if (parts[k].size() == 1) {
      nodes[index].child[k] = items[parts[k].begin].id | TreeNode::kLeaf;
    } else if (!defer(parts[k], index, k)) {
      const std::size_t child = append(builder, items, parts[k], nodes, defer);
      nodes[index].child[k] = static_cast<std::uint32_t>(child);
    }
  }
  return index;
}

bool is_within_reach(const FloatBox& box) {
  bool within = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    within = within && box.lower[axis] >= -ProxyTree::kReach && box.upper[axis] <= ProxyTree::kReach;
  }
  return within;
}

bool is_taken(ProxyTree::Proxies proxies, std::uint8_t state) {
  if (proxies == ProxyTree::Proxies::all) return true;
  return ((state & ProxyTable::kFixed) != 0) == (proxies == ProxyTree::Proxies::fixed);
}

}  // namespace

void ProxyTree::build(const ProxyTable& table, Proxies proxies) {
  nodes_.clear();
  far_.clear();
  items_.clear();
  branch_count_ = 0;
  if (proxies == Proxies::all) items_.reserve(table.size());
  const BoxArrays& boxes = table.boxes();
  for (std::uint32_t id = 0; id < table.id_bound(); ++id) {
    if (!table.contains(id) || !is_taken(proxies, table.states()[id])) continue;
    FloatBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lower[axis] = boxes.lower[axis][id];
      box.upper[axis] = boxes.upper[axis][id];
    }
    if (!is_within_reach(box)) {
      far_.push_back(id);
      continue;
    }
    items_.push_back({{box.lower[0], box.lower[1], box.lower[2]}, {box.upper[0], box.upper[1], box.upper[2]}, id});
  }
  if (items_.empty()) return;
  Builder builder(items_);
  append(builder, items_, builder.range(0, items_.size(), 0), nodes_,
         [this](const Range& part, std::size_t parent, std::size_t lane) {
           if (part.size() > kBranchSize) return false;
           if (branches_.size() == branch_count_) branches_.emplace_back();
           Branch& branch = branches_[branch_count_++];
           branch.begin = part.begin;
           branch.end = part.end;
           branch.parent = parent;
           branch.lane = lane;
           branch.depth = part.depth;
           return true;
         });
  detail::parallel_each(branch_count_, [this](std::size_t k) {
    Branch& branch = branches_[k];
    branch.nodes.clear();
    Builder of_branch(items_);
    append(of_branch, items_, of_branch.range(branch.begin, branch.end, branch.depth), branch.nodes,
           [](const Range&, std::size_t, std::size_t) { return false; });
  });
  for (std::size_t k = 0; k < branch_count_; ++k) {
    const Branch& branch = branches_[k];
    const auto base = static_cast<std::uint32_t>(nodes_.size());
    nodes_[branch.parent].child[branch.lane] = base;
    for (const TreeNode& node : branch.nodes) {
      TreeNode& copy = nodes_.emplace_back(node);
      for (std::uint32_t& child : copy.child) {
        if ((child & TreeNode::kLeaf) == 0) child += base;
      }
    }
  }
}

std::size_t ProxyTree::memory() const {
  std::size_t bytes = detail::memory_of(nodes_) + detail::memory_of(far_) + detail::memory_of(items_);
  for (const Branch& branch : branches_) bytes += sizeof(Branch) + detail::memory_of(branch.nodes);
  return bytes;
}

detail::TreeRay ProxyTree::prepared(const BoxRay& ray, const Vector3d& half) {
  detail::TreeRay query{};
  const double largest = ray.direction.cwiseAbs().maxCoeff();
  query.scale = largest > 0.0 ? largest : 1.0;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const double direction = ray.direction[axis] / query.scale;
    // Half extents are added with a rounding of their own.
    const double slack = 1e-15 * (std::abs(ray.origin[axis]) + half[axis]);
    const double above = ray.origin[axis] + half[axis] + slack;
    const double below = ray.origin[axis] - half[axis] - slack;
    const bool positive = direction >= 0.0;
    query.is_positive[k] = positive;
    float up = detail::round_up(above);
    float down = detail::round_down(below);
    query.inverse[k] = static_cast<float>(1.0 / direction);
    if (direction == 0.0) {
      // One step away from the box, so that only the sides beyond decide: they are met at minus or plus infinity.
      query.inverse[k] = kFloatInfinity;
      up = detail::from_ordered_key(detail::ordered_key(up) + 1);
      down = detail::from_ordered_key(detail::ordered_key(down) - 1);
    }
    constexpr double kSteepest = 1e-30;
    const bool is_known = std::abs(above) < kReach && std::abs(below) < kReach && std::isfinite(above - below) &&
                          (direction == 0.0 || std::abs(direction) > kSteepest);
    if (!is_known) {  // this axis rejects nothing
      query.inverse[k] = positive ? 1.0F : -1.0F;
      up = kFloatInfinity;
      down = -kFloatInfinity;
    }
    query.near_origin[k] = positive ? up : down;
    query.far_origin[k] = positive ? down : up;
  }
  query.limit = limit_of(query, ray.max_t);
  return query;
}

detail::TreeBox ProxyTree::prepared(const Aabb& box, double max_distance) {
  detail::TreeBox query{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    query.lower[k] = box.lower[axis] > -kReach ? detail::round_down(box.lower[axis]) : -kFloatInfinity;
    query.upper[k] = box.upper[axis] < kReach ? detail::round_up(box.upper[axis]) : kFloatInfinity;
  }
  query.limit_sq = limit_of(max_distance);
  return query;
}

float ProxyTree::limit_of(const detail::TreeRay& query, double t) {
  const double scaled = t * query.scale * (1.0 + 1e-6);
  return scaled < static_cast<double>(detail::kLargestFloat) ? detail::round_up(scaled) : kFloatInfinity;
}

float ProxyTree::limit_of(double distance) {
  if (distance < 0.0) return -1.0F;
  const double square = distance * distance * (1.0 + 1e-6);
  return square < static_cast<double>(detail::kLargestFloat) ? detail::round_up(square) : kFloatInfinity;
}

}  // namespace abut
