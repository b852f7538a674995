// Principal axes and the boxes along them, block by block: the points of a block are gathered once, and serve the nodes
// of the block and all those above it.
// Source: Gottschalk, Lin, Manocha, "OBBTree" (SIGGRAPH 1996), section 4, for the axes. Departures: they are those of
// the points, not of the surface, and a node is turned only where that pays.
#include <abut/core/assert.h>
#include <abut/core/infinity.h>
#include <abut/core/simd.h>
#include <abut/core/trees/lane_box.h>
#include <abut/core/trees/rotation.h>
#include <abut/core/trees/turned_boxes.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace abut::detail {
namespace {

// The points of so many items stay in the cache of a core.
constexpr std::uint32_t kGatheredItems = 2048;
// A node is turned where that makes the area of its boxes smaller than this part of it: each step into a turned node
// turns what it is tested against.
constexpr double kWorthTurning = 0.9;
// Principal axes need no more points than those of about so many items.
constexpr std::uint32_t kSampledItems = 128;

/// The points of the items of a tree, in its coordinates.
class ItemSource {
 public:
  ItemSource(const BoxTree& tree, std::span<const Aabb> boxes, const BoxTree::ItemPoints& points)
      : tree_(tree),
        boxes_(boxes),
        points_(points),
        inverse_unit_(1.0 / tree.unit()),
        all_finite_(is_finite(tree.bounds())) {
    std::array<Vector3d, 8> found;
    for (std::size_t i = 0; i < boxes.size() && per_item_ == 0; ++i) {
      if (is_finite(boxes[i])) per_item_ = points(static_cast<std::uint32_t>(i), found);
    }
  }

  /// The same number for every item with a finite box; 0 where there is none.
  [[nodiscard]] std::size_t per_item() const { return per_item_; }

  /// Calls visit(point) for the points of the item at a position in leaf order; for none of an unbounded one.
  template <class Visit>
  void visit(std::uint32_t position, const Visit& visit) const {
    const std::uint32_t item = tree_.items()[position] & ~BoxTree::kLast;
    if (!all_finite_ && !is_finite(boxes_[item])) return;
    std::array<Vector3d, 8> found;
    [[maybe_unused]] const std::size_t count = points_(item, found);
    ABUT_ASSERT(count == per_item_);
    for (std::size_t k = 0; k < per_item_; ++k) visit(Vector3d((found[k] - tree_.origin()) * inverse_unit_));
  }

 private:
  const BoxTree& tree_;
  std::span<const Aabb> boxes_;
  const BoxTree::ItemPoints& points_;
  double inverse_unit_;
  bool all_finite_;
  std::size_t per_item_ = 0;
};

/// The points of consecutive items, each coordinate by itself: what lies below a node lies side by side.
class BlockPoints {
 public:
  /// Of items at `first` up to `end`; what was here before is forgotten.
  void gather(const ItemSource& source, std::uint32_t first, std::uint32_t end) {
    first_ = first;
    per_item_ = source.per_item();
    const std::size_t size = per_item_ * (end - first);
    if (size > capacity_) {
      for (auto& coordinate : coordinates_) coordinate = std::make_unique_for_overwrite<double[]>(size);
      capacity_ = size;
    }
    for (std::uint32_t i = first; i < end; ++i) {
      std::size_t at = place_of(i);
      // Those of unbounded items are never read: no node above them is turned.
      source.visit(i, [&](const Vector3d& point) {
        for (std::size_t axis = 0; axis < 3; ++axis) coordinates_[axis][at] = point[static_cast<Eigen::Index>(axis)];
        ++at;
      });
    }
  }

  /// Calls visit(point) for the points of an item.
  template <class Visit>
  void visit(std::uint32_t item, const Visit& visit) const {
    for (std::size_t i = place_of(item); i < place_of(item + 1); ++i) visit(point(i));
  }

  /// The box along other axes of the points of items at `first` up to `end`.
  [[nodiscard]] Aabb box_along(const Eigen::Matrix3d& node_from_tree, std::uint32_t first, std::uint32_t end) const {
    using Registers = Simd<kSimdWidth>;
    using Doubles = Registers::Doubles;
    const std::size_t last = place_of(end);
    std::size_t i = place_of(first);
    Aabb box;
    if (last - i < kSimdWidth) {
      for (; i < last; ++i) box.merge(Vector3d(node_from_tree * point(i)));
      return box;
    }
    std::array<std::array<Doubles, 3>, 3> turn;
    std::array<Doubles, 3> lower;
    std::array<Doubles, 3> upper;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t k = 0; k < 3; ++k) {
        turn[row][k] =
            Registers::broadcast(node_from_tree(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(k)));
      }
      lower[row] = Registers::broadcast(kInfinity);
      upper[row] = Registers::broadcast(-kInfinity);
    }
    const auto add = [&](std::size_t at) {
      const Doubles x = Registers::load(&coordinates_[0][at]);
      const Doubles y = Registers::load(&coordinates_[1][at]);
      const Doubles z = Registers::load(&coordinates_[2][at]);
      for (std::size_t row = 0; row < 3; ++row) {
        const Doubles along = turn[row][0] * x + turn[row][1] * y + turn[row][2] * z;
        lower[row] = along < lower[row] ? along : lower[row];
        upper[row] = along > upper[row] ? along : upper[row];
      }
    };
    for (; i + kSimdWidth <= last; i += kSimdWidth) add(i);
    if (i < last) add(last - kSimdWidth);  // some of them again
    for (std::size_t row = 0; row < 3; ++row) {
      box.lower[static_cast<Eigen::Index>(row)] = -Registers::largest(-lower[row]);
      box.upper[static_cast<Eigen::Index>(row)] = Registers::largest(upper[row]);
    }
    return box;
  }

 private:
  [[nodiscard]] std::size_t place_of(std::uint32_t item) const { return per_item_ * (item - first_); }
  [[nodiscard]] Vector3d point(std::size_t i) const {
    return {coordinates_[0][i], coordinates_[1][i], coordinates_[2][i]};
  }

  std::uint32_t first_ = 0;
  std::size_t per_item_ = 0;
  std::size_t capacity_ = 0;
  std::array<std::unique_ptr<double[]>, 3> coordinates_;
};

/// Axes for a node, as its floats give them.
struct NodeAxes {
  std::array<float, 4> rotation;
  Eigen::Matrix3d node_from_tree;
};

using Lanes = std::array<Aabb, BoxNode::kWidth>;

class NodeTurner {
 public:
  NodeTurner(const BoxTree& tree, std::span<BoxNode> nodes, const ItemSource& source, double slack)
      : nodes_(nodes), source_(source) {
    // The turn by the matrix rounds as well.
    slack_ = slack + 0x1p-50 * static_cast<double>(tree.reach());
    if (is_high(nodes[0])) {
      collect(0, static_cast<std::uint32_t>(nodes.size()));
    } else {
      blocks_.push_back({nodes[0].first, nodes[0].end, 0, static_cast<std::uint32_t>(nodes.size()), 0, 0});
    }
  }

  bool turn_all() {
    each(high_.size(), [&](std::size_t i) { high_[i].axes = principal_axes(nodes_[high_[i].node], source_); });
    tbb::enumerable_thread_specific<BlockPoints> points_of_threads([] { return BlockPoints(); });
    each(blocks_.size(), [&](std::size_t b) {
      BlockPoints& points = points_of_threads.local();
      Block& block = blocks_[b];
      points.gather(source_, block.first, block.end);
      for (std::uint32_t i = block.shares_begin; i < block.shares_end; ++i) {
        const std::optional<NodeAxes>& axes = high_[shares_[i].high].axes;
        if (axes) shares_[i].box = points.box_along(axes->node_from_tree, block.first, block.end);
      }
      for (BoxNode& node : nodes_.subspan(block.nodes_begin, block.nodes_end - block.nodes_begin)) {
        if (turn(node, points)) block.is_turned = true;
      }
    });
    for (const Share& share : shares_) high_[share.high].lanes[share.slot].merge(share.box);
    bool is_turned = std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.is_turned; });
    for (const High& high : high_) {
      if (high.axes && take_if_smaller(*high.axes, high.lanes, nodes_[high.node])) is_turned = true;
    }
    return is_turned;
  }

 private:
  /// A node with more items than a block.
  struct High {
    std::uint32_t node;
    std::optional<NodeAxes> axes;
    Lanes lanes;
  };
  /// A block's share in the box of a lane of a high node.
  struct Share {
    std::uint32_t high;
    std::uint32_t slot;
    Aabb box;
  };
  /// What lies below a lane of a high node: nodes, or a leaf without any.
  struct Block {
    std::uint32_t first;
    std::uint32_t end;
    std::uint32_t nodes_begin;
    std::uint32_t nodes_end;
    std::uint32_t shares_begin;
    std::uint32_t shares_end;
    bool is_turned = false;
  };

  static bool is_high(const BoxNode& node) { return node.end - node.first > kGatheredItems; }

  template <class Work>
  static void each(std::size_t count, const Work& work) {
    if (count < 2) {
      if (count > 0) work(0);
    } else {
      tbb::parallel_for(std::size_t{0}, count, work);
    }
  }

  [[nodiscard]] std::uint32_t first_of(const BoxNode& node, std::size_t slot) const {
    const std::uint32_t child = node.child[slot];
    return (child & BoxNode::kLeaf) != 0 ? child & ~BoxNode::kLeaf : nodes_[child].first;
  }
  [[nodiscard]] std::uint32_t end_of(const BoxNode& node, std::size_t slot) const {
    return slot + 1 == node.count ? node.end : first_of(node, slot + 1);
  }

  /// The high node at `index` and what lies below, up to the node at `end`.
  void collect(std::uint32_t index, std::uint32_t end) {
    const BoxNode& node = nodes_[index];
    const auto high = static_cast<std::uint32_t>(high_.size());
    high_.push_back({index, std::nullopt, {}});
    for (std::uint32_t slot = 0; slot < node.count; ++slot) {
      path_.push_back({high, slot, {}});
      const std::uint32_t child = node.child[slot];
      const bool is_leaf = (child & BoxNode::kLeaf) != 0;
      std::uint32_t child_end = end;
      for (std::size_t next = slot + 1; next < node.count; ++next) {
        if ((node.child[next] & BoxNode::kLeaf) == 0) {
          child_end = node.child[next];
          break;
        }
      }
      if (!is_leaf && is_high(nodes_[child])) {
        collect(child, child_end);
      } else {
        const auto begin = static_cast<std::uint32_t>(shares_.size());
        shares_.insert(shares_.end(), path_.begin(), path_.end());
        blocks_.push_back({first_of(node, slot), end_of(node, slot), is_leaf ? 0 : child, is_leaf ? 0 : child_end,
                           begin, static_cast<std::uint32_t>(shares_.size())});
      }
      path_.pop_back();
    }
  }

  bool turn(BoxNode& node, const BlockPoints& points) const {
    const std::optional<NodeAxes> axes = principal_axes(node, points);
    if (!axes) return false;
    Lanes lanes;
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      lanes[slot] = points.box_along(axes->node_from_tree, first_of(node, slot), end_of(node, slot));
    }
    return take_if_smaller(*axes, lanes, node);
  }

  bool take_if_smaller(const NodeAxes& axes, const Lanes& lanes, BoxNode& node) const {
    double area_turned = 0.0;
    double area = 0.0;
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      area_turned += half_area(lanes[slot]);
      Aabb aligned;
      for (std::size_t k = 0; k < 3; ++k) {
        aligned.lower[static_cast<Eigen::Index>(k)] = node.lower[k][slot];
        aligned.upper[static_cast<Eigen::Index>(k)] = node.upper[k][slot];
      }
      area += half_area(aligned);
    }
    if (!(area_turned < kWorthTurning * area)) return false;
    std::copy(axes.rotation.begin(), axes.rotation.end(), node.rotation);
    node.is_turned = 1;
    for (std::size_t slot = 0; slot < node.count; ++slot) store(lanes[slot], slack_, node, slot);
    return true;
  }

  // None where an item is unbounded or there is nothing to choose from.
  // @param points  ItemSource or BlockPoints.
  template <class Points>
  static std::optional<NodeAxes> principal_axes(const BoxNode& node, const Points& points) {
    Vector3d origin = Vector3d::Zero();
    double scale = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t slot = 0; slot < node.count; ++slot) {
        if (!std::isfinite(node.lower[k][slot]) || !std::isfinite(node.upper[k][slot])) return std::nullopt;
      }
      const auto lower = static_cast<double>(*std::min_element(node.lower[k], node.lower[k] + node.count));
      const auto upper = static_cast<double>(*std::max_element(node.upper[k], node.upper[k] + node.count));
      origin[static_cast<Eigen::Index>(k)] = 0.5 * (lower + upper);
      scale = std::max(scale, upper - lower);
    }
    if (!(scale > 0.0)) return std::nullopt;
    Vector3d sum = Vector3d::Zero();
    Vector3d squares = Vector3d::Zero();
    Vector3d products = Vector3d::Zero();  // yz, zx, xy
    double count = 0.0;
    const double inverse_scale = 1.0 / scale;
    const std::uint32_t step = 1 + (node.end - node.first) / kSampledItems;
    for (std::uint32_t i = node.first; i < node.end; i += step) {
      points.visit(i, [&](const Vector3d& point) {
        const Vector3d p = (point - origin) * inverse_scale;
        sum += p;
        squares += p.cwiseProduct(p);
        products += Vector3d(p.y() * p.z(), p.z() * p.x(), p.x() * p.y());
        count += 1.0;
      });
    }
    const Vector3d mean = sum / count;
    Eigen::Matrix3d covariance = -mean * mean.transpose();
    covariance.diagonal() += squares / count;
    for (Eigen::Index k = 0; k < 3; ++k) {
      covariance((k + 1) % 3, (k + 2) % 3) += products[k] / count;
      covariance((k + 2) % 3, (k + 1) % 3) += products[k] / count;
    }
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    solver.computeDirect(covariance);
    Eigen::Matrix3d axes = solver.eigenvectors();
    axes.col(0).normalize();
    axes.col(1) = (axes.col(1) - axes.col(0).dot(axes.col(1)) * axes.col(0)).normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    if (!axes.allFinite()) return std::nullopt;
    const Eigen::Quaterniond q = Eigen::Quaterniond(axes).normalized();
    if (!q.coeffs().allFinite()) return std::nullopt;
    NodeAxes result{
        {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()), static_cast<float>(q.w())},
        {}};
    const RotationMatrix<double> rows = rotation_matrix<double>(result.rotation);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        result.node_from_tree(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = rows[i][j];
      }
    }
    return result;
  }

  std::span<BoxNode> nodes_;
  const ItemSource& source_;
  double slack_;
  std::vector<High> high_;
  std::vector<Block> blocks_;
  std::vector<Share> shares_;
  std::vector<Share> path_;
};

}  // namespace

bool turn_nodes(const BoxTree& tree, std::span<BoxNode> nodes, std::span<const Aabb> boxes,
                const BoxTree::ItemPoints& points, double slack) {
  if (nodes.empty()) return false;
  const ItemSource source(tree, boxes, points);
  return NodeTurner(tree, nodes, source, slack).turn_all();
}

}  // namespace abut::detail
