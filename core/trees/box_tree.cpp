// The boxes of a tree's nodes: along the axes of the tree, or turned to the principal axes of what they hold.
#include <abut/core/assert.h>
#include <abut/core/infinity.h>
#include <abut/core/prefetch.h>
#include <abut/core/trees/box_tree.h>
#include <abut/core/trees/lane_box.h>
#include <abut/core/trees/rotation.h>
#include <abut/core/trees/turned_boxes.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace abut {
namespace {

// Coordinates within these bounds, metres, are kept as they are: their floats neither overflow nor vanish when squared.
constexpr double kSmallest = 1e-10;
constexpr double kLargest = 1e10;

// So many nodes, or items, are worth a task.
constexpr std::size_t kNodesPerTask = 64;
constexpr std::size_t kItemsPerTask = 8192;

using detail::is_finite;

// @param rotation  Quaternion x, y, z, w, as a node holds it.
template <class Quaternion>
Eigen::Matrix3d matrix_of(const Quaternion& rotation) {
  const auto rows = detail::rotation_matrix<double>(rotation);
  Eigen::Matrix3d matrix;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
  }
  return matrix;
}

}  // namespace

// Where the coordinates of the nodes have their origin and unit: all finite boxes then use the floats well.
void BoxTree::set_frame(std::span<const Aabb> boxes) {
  Aabb finite;
  bounds_ = Aabb();
  for (const Aabb& box : boxes) {
    ABUT_ASSERT(!box.is_empty());
    bounds_.merge(box);
  }
  if (is_finite(bounds_)) {
    finite = bounds_;
  } else {
    for (const Aabb& box : boxes) {
      if (is_finite(box)) finite.merge(box);
    }
  }
  origin_.setZero();
  unit_ = 1.0;
  reach_ = 0.0F;
  if (finite.is_empty()) return;
  origin_ = 0.5 * finite.lower + 0.5 * finite.upper;
  const double radius = std::max((finite.upper - origin_).maxCoeff(), (origin_ - finite.lower).maxCoeff());
  if (radius > 0.0 && !(radius > kSmallest && radius < kLargest)) {
    // Not below what a division by it can stand.
    unit_ = std::ldexp(1.0, std::max(std::ilogb(radius), std::numeric_limits<double>::min_exponent));
  }
  reach_ = static_cast<float>(radius / unit_ * (1.0 + 0x1p-20));
}

namespace {

/// Makes the boxes of nodes along the axes of the tree.
class NodeFitter {
 public:
  NodeFitter(const BoxTree& tree, std::span<const Aabb> boxes) : tree_(tree), boxes_(boxes) {
    slack_ = 0x1p-51 * tree.origin().cwiseAbs().maxCoeff() / tree.unit();
    inverse_unit_ = 1.0 / tree.unit();
  }

  /// Boxes of the leaves of a node along the tree's axes.
  void fit_leaves(BoxTree::Node& node) const {
    for (std::size_t k = 0; k < 4; ++k) node.rotation[k] = k < 3 ? 0.0F : 1.0F;
    node.is_turned = 0;
    for (std::size_t slot = 0; slot < BoxTree::kWidth; ++slot) {
      if (slot >= node.count) {
        clear(node, slot);
      } else if ((node.child[slot] & BoxTree::kLeaf) != 0) {
        Aabb lane;
        const std::span<const std::uint32_t> items = tree_.items();
        for (std::size_t i = node.child[slot] & ~BoxTree::kLeaf;; ++i) {
          // The leaves of the nodes that follow lie behind, and their boxes anywhere.
          constexpr std::size_t kAhead = 16;
          if (i + kAhead < items.size()) detail::prefetch(&boxes_[items[i + kAhead] & ~BoxTree::kLast]);
          add_box(boxes_[items[i] & ~BoxTree::kLast], lane);
          if ((items[i] & BoxTree::kLast) != 0) break;
        }
        detail::store(lane, slack_, node, slot);
      }
    }
  }

  /// Boxes of the inner children of a node whose boxes are there.
  static void merge_children(std::span<const BoxTree::Node> nodes, BoxTree::Node& node) {
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      if ((node.child[slot] & BoxTree::kLeaf) != 0) continue;
      const BoxTree::Node& child = nodes[node.child[slot]];
      for (std::size_t k = 0; k < 3; ++k) {
        node.lower[k][slot] = *std::min_element(child.lower[k], child.lower[k] + child.count);
        node.upper[k][slot] = *std::max_element(child.upper[k], child.upper[k] + child.count);
      }
    }
  }

  /// What subtracting the tree's origin rounds away, in units.
  [[nodiscard]] double slack() const { return slack_; }

 private:
  // Never read as a box: the count tells. Finite, so that no arithmetic on it is slow.
  static void clear(BoxTree::Node& node, std::size_t slot) {
    for (std::size_t k = 0; k < 3; ++k) node.lower[k][slot] = node.upper[k][slot] = 0.0F;
    node.child[slot] = BoxTree::kLeaf;
  }

  void add_box(const Aabb& box, Aabb& lane) const {
    if (!is_finite(box)) {
      lane = {Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)};
    } else {
      lane.merge(Vector3d((box.lower - tree_.origin()) * inverse_unit_));
      lane.merge(Vector3d((box.upper - tree_.origin()) * inverse_unit_));
    }
  }

  const BoxTree& tree_;
  std::span<const Aabb> boxes_;
  double slack_ = 0.0;
  double inverse_unit_ = 1.0;
};

template <class Visit>
void for_each_node(std::span<BoxTree::Node> nodes, const Visit& visit) {
  if (nodes.size() < 2 * kNodesPerTask) {
    for (BoxTree::Node& node : nodes) visit(node);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, nodes.size(), kNodesPerTask), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) visit(nodes[i]);
  });
}

}  // namespace

void BoxTree::fit(std::span<const Aabb> boxes, const ItemPoints& points) {
  const NodeFitter fitter(*this, boxes);
  for_each_node(nodes_, [&](Node& node) { fitter.fit_leaves(node); });
  for (std::size_t i = nodes_.size(); i-- > 0;) NodeFitter::merge_children(nodes_, nodes_[i]);
  is_oriented_ = points && detail::turn_nodes(*this, nodes_, boxes, points, fitter.slack());
}

BoxTree BoxTree::refitted(std::span<const Aabb> boxes, const ItemPoints& points) const {
  ABUT_ASSERT(boxes.size() == items().size());
  BoxTree result = *this;
  result.set_frame(boxes);
  result.fit(boxes, points);
  return result;
}

void BoxTree::pack(std::span<const std::array<std::uint32_t, 3>> triangles, std::size_t vertex_count) {
  ABUT_ASSERT(triangles.size() == items().size());
  packed_.reset();
  if (vertex_count > PackedTriangle::kMaxVertices) return;
  std::vector<PackedTriangle> packed(items().size());
  const auto pack_range = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t item = items()[i];
      std::uint64_t bits = (item & kLast) != 0 ? PackedTriangle::kLast : 0;
      for (unsigned k = 0; k < 3; ++k) {
        bits |= std::uint64_t{triangles[item & ~kLast][k]} << (PackedTriangle::kVertexBits * k);
      }
      packed[i] = {bits};
    }
  };
  if (packed.size() < kItemsPerTask) {
    pack_range(0, packed.size());
  } else {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, packed.size(), kItemsPerTask),
                      [&](const auto& range) { pack_range(range.begin(), range.end()); });
  }
  packed_ = std::make_shared<const std::vector<PackedTriangle>>(std::move(packed));
}

std::size_t BoxTree::memory() const {
  return nodes_.capacity() * sizeof(Node) + items().size() * sizeof(std::uint32_t) +
         packed_triangles().size() * sizeof(PackedTriangle);
}

Aabb BoxTree::child_box(const Node& node, std::size_t slot) const {
  Vector3d lower;
  Vector3d upper;
  for (std::size_t k = 0; k < 3; ++k) {
    lower[static_cast<Eigen::Index>(k)] = static_cast<double>(node.lower[k][slot]);
    upper[static_cast<Eigen::Index>(k)] = static_cast<double>(node.upper[k][slot]);
  }
  if (!lower.allFinite() || !upper.allFinite()) return {Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)};
  Vector3d center = 0.5 * (lower + upper);
  Vector3d half = 0.5 * (upper - lower);
  if (node.is_turned != 0) {
    const Eigen::Matrix3d tree_from_node = matrix_of(node.rotation);
    center = tree_from_node * center;
    half = tree_from_node.cwiseAbs() * half;
    // The quaternion is of unit length to the rounding of a float, and so are the axes.
    half.array() += 0x1p-20 * (half.maxCoeff() + center.cwiseAbs().maxCoeff());
  }
  // Rounding of the way back to the body's frame.
  const double slack = 0x1p-50 * (origin_.cwiseAbs().maxCoeff() + unit_ * static_cast<double>(reach_));
  const Vector3d grown = unit_ * half + Vector3d::Constant(slack);
  return {origin_ + unit_ * center - grown, origin_ + unit_ * center + grown};
}

}  // namespace abut
