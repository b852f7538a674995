// The boxes of a tree's nodes: along the axes of the tree, or turned to the principal axes of what they hold.
#include <abut/core/assert.h>
#include <abut/core/infinity.h>
#include <abut/core/simd.h>
#include <abut/core/trees/box_tree.h>
#include <abut/core/trees/rotation.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace abut {
namespace {

// Coordinates within these bounds, metres, are kept as they are: their floats neither overflow nor vanish when squared.
constexpr double kSmallest = 1e-10;
constexpr double kLargest = 1e10;

// So many nodes are worth a task.
constexpr std::size_t kNodesPerTask = 64;
// The lanes of a node with more items than this are fitted in parallel, and so are the items of a tree.
constexpr std::uint32_t kManyItems = 8192;
// A node is turned where that makes the area of its boxes smaller than this part of it: each step into a turned node
// turns what it is tested against.
constexpr double kWorthTurning = 0.9;
// Principal axes need no more points than these.
constexpr std::uint32_t kSampledItems = 128;

bool is_finite(const Aabb& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

/// Grows while coordinates of points are added, then is rounded outwards.
struct LaneBox {
  Vector3d lower = Vector3d::Constant(kInfinity);
  Vector3d upper = Vector3d::Constant(-kInfinity);

  void add(const Vector3d& point) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  void add_everything() {
    lower.setConstant(-kInfinity);
    upper.setConstant(kInfinity);
  }
  [[nodiscard]] double half_area() const {
    const Vector3d size = upper - lower;
    return size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
  }
};

/// Below `value - slack`, by no more than two steps of a float and the slack.
float rounded_down(double value, double slack) {
  constexpr double kStep = 0x1p-23;  // of a float, relative
  return static_cast<float>(value - slack - kStep * std::abs(value));
}

void store(const LaneBox& box, double slack, BoxTree::Node& node, std::size_t slot) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    node.lower[k][slot] = rounded_down(box.lower[axis], slack);
    node.upper[k][slot] = -rounded_down(-box.upper[axis], slack);
  }
}

// @param[out] rotation  Quaternion x, y, z, w, as a node holds it.
template <class Quaternion>
void set_rotation(Quaternion& rotation, const Eigen::Quaterniond& q) {
  rotation[0] = static_cast<float>(q.x());
  rotation[1] = static_cast<float>(q.y());
  rotation[2] = static_cast<float>(q.z());
  rotation[3] = static_cast<float>(q.w());
}

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

/// The points of all items in the tree's coordinates, item by item as the leaves have them, each coordinate by itself:
/// what lies below a node lies side by side, and every level of nodes reads it once.
class LeafPoints {
 public:
  LeafPoints(const BoxTree& tree, std::span<const Aabb> boxes, const BoxTree::ItemPoints& points) {
    std::array<Vector3d, 8> of_item;
    const std::size_t items = tree.items().size();
    for (std::size_t i = 0; i < items && per_item_ == 0; ++i) {
      if (is_finite(boxes[i])) per_item_ = points(static_cast<std::uint32_t>(i), of_item);
    }
    for (auto& coordinate : coordinates_) coordinate = std::make_unique_for_overwrite<double[]>(per_item_ * items);
    const double inverse_unit = 1.0 / tree.unit();
    const bool all_finite = is_finite(tree.bounds());
    const auto gather = [&](std::size_t begin, std::size_t end) {
      std::array<Vector3d, 8> found;
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t item = tree.items()[i] & ~BoxTree::kLast;
        if (!all_finite && !is_finite(boxes[item])) continue;  // never read: no node above it is turned
        [[maybe_unused]] const std::size_t count = points(item, found);
        ABUT_ASSERT(count == per_item_);
        for (std::size_t k = 0; k < per_item_; ++k) {
          const Vector3d point = (found[k] - tree.origin()) * inverse_unit;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            coordinates_[axis][i * per_item_ + k] = point[static_cast<Eigen::Index>(axis)];
          }
        }
      }
    };
    if (items < kManyItems) {
      gather(0, items);
    } else {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, items, kManyItems / 8),
                        [&](const auto& range) { gather(range.begin(), range.end()); });
    }
  }

  [[nodiscard]] std::size_t per_item() const { return per_item_; }
  [[nodiscard]] Vector3d point(std::size_t i) const {
    return {coordinates_[0][i], coordinates_[1][i], coordinates_[2][i]};
  }

  /// The box along other axes of the points of items at `first` up to `end`.
  [[nodiscard]] LaneBox box_along(const Eigen::Matrix3d& node_from_tree, std::size_t first, std::size_t end) const {
    using Registers = detail::Simd<detail::kSimdWidth>;
    using Doubles = Registers::Doubles;
    const std::size_t last = end * per_item_;
    std::size_t i = first * per_item_;
    LaneBox box;
    if (last - i >= detail::kSimdWidth) {
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
      for (; i + detail::kSimdWidth <= last; i += detail::kSimdWidth) add(i);
      if (i < last) add(last - detail::kSimdWidth);  // some of them again
      for (std::size_t row = 0; row < 3; ++row) {
        box.lower[static_cast<Eigen::Index>(row)] = -Registers::largest(-lower[row]);
        box.upper[static_cast<Eigen::Index>(row)] = Registers::largest(upper[row]);
      }
      return box;
    }
    for (; i < last; ++i) box.add(node_from_tree * point(i));
    return box;
  }

 private:
  std::size_t per_item_ = 0;
  std::array<std::unique_ptr<double[]>, 3> coordinates_;
};

/// Makes the boxes of nodes, one node independently of the others where they are turned.
class NodeFitter {
 public:
  NodeFitter(const BoxTree& tree, std::span<const Aabb> boxes) : tree_(tree), boxes_(boxes) {
    // What subtracting the origin rounds away.
    slack_ = 0x1p-51 * tree.origin().cwiseAbs().maxCoeff() / tree.unit();
    inverse_unit_ = 1.0 / tree.unit();
  }

  /// Boxes of the leaves of a node along the tree's axes.
  void fit_leaves(BoxTree::Node& node) const {
    set_rotation(node.rotation, Eigen::Quaterniond::Identity());
    node.is_turned = 0;
    for (std::size_t slot = 0; slot < BoxTree::kWidth; ++slot) {
      if (slot >= node.count) {
        clear(node, slot);
      } else if ((node.child[slot] & BoxTree::kLeaf) != 0) {
        LaneBox lane;
        const std::span<const std::uint32_t> items = tree_.items();
        for (std::size_t i = node.child[slot] & ~BoxTree::kLeaf;; ++i) {
          // The leaves of the nodes that follow lie behind, and their boxes anywhere.
          constexpr std::size_t kAhead = 16;
          if (i + kAhead < items.size()) __builtin_prefetch(&boxes_[items[i + kAhead] & ~BoxTree::kLast]);
          add_box(boxes_[items[i] & ~BoxTree::kLast], lane);
          if ((items[i] & BoxTree::kLast) != 0) break;
        }
        store(lane, slack_, node, slot);
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

  /// Turns the boxes of a node to the principal axes of its points where that makes them smaller by enough.
  /// @return Whether it does.
  bool turn(std::span<const BoxTree::Node> nodes, const LeafPoints& points, BoxTree::Node& node) const {
    const std::optional<Eigen::Quaterniond> axes = principal_axes(points, node);
    if (!axes) return false;
    std::array<float, 4> rotation{};
    set_rotation(rotation, *axes);
    const Eigen::Matrix3d node_from_tree = matrix_of(rotation).transpose();
    std::array<LaneBox, BoxTree::kWidth> lanes;
    const auto fit_lane = [&](std::size_t slot) {
      const bool is_leaf = (node.child[slot] & BoxTree::kLeaf) != 0;
      const std::uint32_t first = is_leaf ? node.child[slot] & ~BoxTree::kLeaf : nodes[node.child[slot]].first;
      lanes[slot] = points.box_along(node_from_tree, first, end_of(nodes, node, slot));
    };
    if (node.end - node.first > kManyItems) {
      tbb::parallel_for(std::size_t{0}, std::size_t{node.count}, fit_lane);
    } else {
      for (std::size_t slot = 0; slot < node.count; ++slot) fit_lane(slot);
    }
    double area_turned = 0.0;
    double area = 0.0;
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      area_turned += lanes[slot].half_area();
      LaneBox aligned;
      for (std::size_t k = 0; k < 3; ++k) {
        aligned.lower[static_cast<Eigen::Index>(k)] = node.lower[k][slot];
        aligned.upper[static_cast<Eigen::Index>(k)] = node.upper[k][slot];
      }
      area += aligned.half_area();
    }
    if (!(area_turned < kWorthTurning * area)) return false;
    // The turn by the matrix rounds as well.
    const double slack = slack_ + 0x1p-50 * static_cast<double>(tree_.reach());
    // Nothing else of the node is written: other tasks read its range of items meanwhile.
    set_rotation(node.rotation, *axes);
    node.is_turned = 1;
    for (std::size_t slot = 0; slot < node.count; ++slot) store(lanes[slot], slack, node, slot);
    return true;
  }

 private:
  // Never read as a box: the count tells. Finite, so that no arithmetic on it is slow.
  static void clear(BoxTree::Node& node, std::size_t slot) {
    for (std::size_t k = 0; k < 3; ++k) node.lower[k][slot] = node.upper[k][slot] = 0.0F;
    node.child[slot] = BoxTree::kLeaf;
  }

  void add_box(const Aabb& box, LaneBox& lane) const {
    if (!is_finite(box)) {
      lane.add_everything();
    } else {
      lane.add((box.lower - tree_.origin()) * inverse_unit_);
      lane.add((box.upper - tree_.origin()) * inverse_unit_);
    }
  }

  std::uint32_t end_of(std::span<const BoxTree::Node> nodes, const BoxTree::Node& node, std::size_t slot) const {
    if (slot + 1 == node.count) return node.end;
    const std::uint32_t next = node.child[slot + 1];
    return (next & BoxTree::kLeaf) != 0 ? next & ~BoxTree::kLeaf : nodes[next].first;
  }

  // None where an item is unbounded or there is nothing to choose from.
  static std::optional<Eigen::Quaterniond> principal_axes(const LeafPoints& points, const BoxTree::Node& node) {
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (!std::isfinite(node.lower[k][slot]) || !std::isfinite(node.upper[k][slot])) return std::nullopt;
      }
    }
    Vector3d origin = Vector3d::Zero();
    double scale = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
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
    const std::size_t step = 1 + (node.end - node.first) / kSampledItems;
    for (std::size_t i = node.first; i < node.end; i += step) {
      for (std::size_t k = i * points.per_item(); k < (i + 1) * points.per_item(); ++k) {
        const Vector3d p = (points.point(k) - origin) * inverse_scale;
        sum += p;
        squares += p.cwiseProduct(p);
        products += Vector3d(p.y() * p.z(), p.z() * p.x(), p.x() * p.y());
      }
      count += static_cast<double>(points.per_item());
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
    return q;
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
  is_oriented_ = false;
  if (!points) return;
  const LeafPoints leaf_points(*this, boxes, points);
  std::vector<std::uint8_t> is_turned(nodes_.size());
  const std::span<const Node> nodes = nodes_;
  for_each_node(nodes_, [&](Node& node) {
    is_turned[static_cast<std::size_t>(&node - nodes.data())] = fitter.turn(nodes, leaf_points, node) ? 1 : 0;
  });
  is_oriented_ = std::find(is_turned.begin(), is_turned.end(), 1) != is_turned.end();
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
  if (packed.size() < kManyItems) {
    pack_range(0, packed.size());
  } else {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, packed.size(), kManyItems),
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
