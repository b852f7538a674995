// Top-down build of the box tree with a binned surface-area heuristic.
// Source: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies" (2007), section 3. Departures: the leaf
// cost counts a full narrow-phase call an item, so most leaves hold one; a median split takes over where the heuristic
// would go deeper than kMaxDepth.
#include <abut/core/aabb_tree.h>
#include <abut/core/assert.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

namespace abut {
namespace {

constexpr std::size_t kBins = 8;
constexpr std::size_t kMaxLeafItems = 4;

// Cost of testing one item, in tests of a node's box.
constexpr double kItemCost = 8.0;

// Infinite sides are cut here, for the choice of splits only: centres stay finite and areas do not overflow.
constexpr double kFarAway = 1e100;

struct Reference {
  Aabb box;
  Vector3d center;
  std::uint32_t item = 0;
};

struct Task {
  std::uint32_t node = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  int level = 1;
};

struct Split {
  double cost = std::numeric_limits<double>::infinity();
  int axis = -1;
  std::size_t bin = 0;  // items of bins 0 … bin go left
};

// Maps centres to bins along one axis. Monotone, so that a split by bin is a split by position.
struct Binning {
  double origin = 0.0;
  double scale = 0.0;

  Binning(double lower, double upper) : origin(lower), scale(static_cast<double>(kBins) / (upper - lower)) {
    if (!std::isfinite(scale)) scale = 0.0;
  }
  [[nodiscard]] std::size_t operator()(double center) const {
    return std::min(static_cast<std::size_t>((center - origin) * scale), kBins - 1);
  }
};

struct Bin {
  Aabb box;
  std::size_t count = 0;
};

Vector3d cut(const Vector3d& corner) {
  return corner.cwiseMax(-kFarAway).cwiseMin(kFarAway);
}

double half_area(const Aabb& box) {
  const Vector3d size = cut(box.upper) - cut(box.lower);
  return size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
}

Split best_split(std::span<const Reference> references, const Aabb& centers) {
  const std::array<Binning, 3> binnings = {Binning(centers.lower.x(), centers.upper.x()),
                                           Binning(centers.lower.y(), centers.upper.y()),
                                           Binning(centers.lower.z(), centers.upper.z())};
  std::array<std::array<Bin, kBins>, 3> bins;
  for (const Reference& reference : references) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Bin& bin = bins[axis][binnings[axis](reference.center[static_cast<int>(axis)])];
      bin.box.merge(reference.box);
      ++bin.count;
    }
  }
  Split best;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<double, kBins> left_cost{};
    Bin left;
    for (std::size_t i = 0; i + 1 < kBins; ++i) {
      left.box.merge(bins[axis][i].box);
      left.count += bins[axis][i].count;
      left_cost[i] = left.count == 0 ? 0.0 : half_area(left.box) * static_cast<double>(left.count);
    }
    Bin right;
    for (std::size_t i = kBins - 1; i > 0; --i) {
      right.box.merge(bins[axis][i].box);
      right.count += bins[axis][i].count;
      if (right.count == 0 || right.count == references.size()) continue;
      const double cost = left_cost[i - 1] + half_area(right.box) * static_cast<double>(right.count);
      if (cost < best.cost) best = {cost, static_cast<int>(axis), i - 1};
    }
  }
  return best;
}

// Puts the lower half along the longest axis of the centres first; ties by item, so that equal boxes split as well.
std::size_t median_split(std::span<Reference> references, const Aabb& centers) {
  int axis = 0;
  (centers.upper - centers.lower).maxCoeff(&axis);
  const std::size_t middle = references.size() / 2;
  std::nth_element(references.begin(), references.begin() + static_cast<std::ptrdiff_t>(middle), references.end(),
                   [axis](const Reference& p, const Reference& q) {
                     if (p.center[axis] != q.center[axis]) return p.center[axis] < q.center[axis];
                     return p.item < q.item;
                   });
  return middle;
}

// Levels that halving needs for `count` items, the first one included.
int median_levels(std::size_t count) {
  return static_cast<int>(std::bit_width(count - 1)) + 1;
}

}  // namespace

AabbTree::AabbTree(std::span<const Aabb> boxes) {
  if (boxes.empty()) return;
  const auto count = static_cast<std::uint32_t>(boxes.size());
  std::vector<Reference> references(boxes.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    ABUT_ASSERT(!boxes[i].is_empty());
    references[i] = {boxes[i], 0.5 * cut(boxes[i].lower) + 0.5 * cut(boxes[i].upper), i};
  }
  nodes_.reserve(2 * boxes.size() - 1);
  nodes_.emplace_back();

  std::vector<Task> tasks = {{0, 0, count, 1}};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    depth_ = std::max(depth_, task.level);
    const auto part = std::span(references).subspan(task.begin, task.end - task.begin);
    Aabb box;
    Aabb centers;
    for (const Reference& reference : part) {
      box.merge(reference.box);
      centers.merge(reference.center);
    }
    nodes_[task.node].box = box;

    Split split;
    // A child may take all but one of the items and must still fit when it is halved from there on.
    const bool may_unbalance = part.size() > 1 && task.level + median_levels(part.size() - 1) <= kMaxDepth;
    if (may_unbalance && centers.lower != centers.upper) split = best_split(part, centers);
    if (part.size() <= kMaxLeafItems) {
      const double area = half_area(box);
      const double leaf_cost = kItemCost * area * static_cast<double>(part.size());
      if (part.size() == 1 || !(kItemCost * split.cost + 2.0 * area < leaf_cost)) {
        nodes_[task.node].first = task.begin;
        nodes_[task.node].count = static_cast<std::uint32_t>(part.size());
        continue;
      }
    }
    std::size_t middle = 0;
    if (split.axis < 0) {
      middle = median_split(part, centers);
    } else {
      const Binning binning(centers.lower[split.axis], centers.upper[split.axis]);
      const auto right = std::partition(part.begin(), part.end(), [&](const Reference& reference) {
        return binning(reference.center[split.axis]) <= split.bin;
      });
      middle = static_cast<std::size_t>(right - part.begin());
    }
    const auto left = static_cast<std::uint32_t>(nodes_.size());
    nodes_.resize(nodes_.size() + 2);
    nodes_[task.node].first = left;
    const std::uint32_t border = task.begin + static_cast<std::uint32_t>(middle);
    tasks.push_back({left + 1, border, task.end, task.level + 1});
    tasks.push_back({left, task.begin, border, task.level + 1});
  }

  items_.reserve(boxes.size());
  for (const Reference& reference : references) items_.push_back(reference.item);
  bounds_ = nodes_[0].box;
}

}  // namespace abut
