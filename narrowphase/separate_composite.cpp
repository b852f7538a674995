// Meshes, height fields and compounds against anything: branch and bound over their trees.
//
// The bound of two boxes is their distance; boxes of b are carried into the frame of a (as the axis-aligned box of the
// turned box). The best answer so far prunes, the nearer child goes first. When leaves collide the deepest pair is
// kept.
#include <abut/core/assert.h>
#include <abut/narrowphase/separate.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

namespace abut::detail {
namespace {

const AabbTree& tree_of(const Shape& composite) {
  return std::visit(
      [](const auto& geometry) -> const AabbTree& {
        if constexpr (CompositeGeometry<std::decay_t<decltype(geometry)>>) {
          return geometry.tree();
        } else {
          ABUT_ASSERT(false && "not a composite");
          static const AabbTree empty;
          return empty;
        }
      },
      composite.geometry());
}

// Calls visit(part, composite_from_part) with one leaf of a composite.
template <class Visit>
void visit_leaf(const Shape& composite, std::uint32_t item, Visit&& visit) {
  if (const TriangleMesh* mesh = composite.get_if<TriangleMesh>()) {
    const Triangle triangle(mesh->corners(item));
    visit(Part(triangle), Pose());
  } else if (const HeightField* field = composite.get_if<HeightField>()) {
    const HeightField::Prism prism = field->prism(item);
    const PointSet points(prism);
    visit(Part(points), Pose());
  } else if (const Compound* compound = composite.get_if<Compound>()) {
    const CompoundChild& child = compound->children()[item];
    visit(Part(child.shape), child.pose);
  }
}

// The box of a turned box; infinite sides stay infinite on every axis they reach, and never become NaN.
class BoxMap {
 public:
  explicit BoxMap(const Pose& outer_from_inner)
      : pose_(outer_from_inner), reach_(outer_from_inner.rotation().cwiseAbs()) {}

  [[nodiscard]] Aabb operator()(const Aabb& box) const {
    if (!box.lower.allFinite() || !box.upper.allFinite()) {
      return {Vector3d::Constant(-std::numeric_limits<double>::infinity()),
              Vector3d::Constant(std::numeric_limits<double>::infinity())};
    }
    const Vector3d center = pose_ * box.center();
    const Vector3d half = reach_ * box.half_extents();
    return {center - half, center + half};
  }

 private:
  Pose pose_;
  Matrix3d reach_;
};

// One side of the traversal: a tree, or a single part that stands for a tree of one leaf.
struct Side {
  const Shape* composite = nullptr;  // null: a single part
  const AabbTree* tree = nullptr;

  explicit Side(const Part& part)
      : composite(part.is_composite() ? part.shape() : nullptr),
        tree(composite != nullptr ? &tree_of(*composite) : nullptr) {}

  [[nodiscard]] bool is_leaf(std::uint32_t node) const { return tree == nullptr || tree->nodes()[node].is_leaf(); }
};

class Traversal {
 public:
  Traversal(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query)
      : part_a_(a), part_b_(b), side_a_(a), side_b_(b), a_from_b_(a_from_b), box_map_(a_from_b), query_(query) {
    single_a_ = box_of_single(a, Pose());
    single_b_ = box_of_single(b, a_from_b);
    best_.distance = query.options.max_distance;
    best_.status = SolveStatus::beyond_limit;
  }

  // Shows the leaves that answered the last run().
  void show_leaves(LeafVisitor& visitor) const {
    const auto show = [](const Side& side, const Part& whole, std::uint32_t item, auto&& visit) {
      if (side.tree == nullptr) {
        visit(whole, Pose());
      } else {
        visit_leaf(*side.composite, item, visit);
      }
    };
    show(side_a_, part_a_, best_item_a_, [&](const Part& a, const Pose& a_from_leaf) {
      show(side_b_, part_b_, best_item_b_,
           [&](const Part& b, const Pose& b_from_leaf) { visitor.visit(a, a_from_leaf, b, b_from_leaf); });
    });
  }

  [[nodiscard]] bool has_answer() const { return any_answer_; }

  Separation run() {
    push(0, 0, bound(0, 0));
    while (size_ > 0 && !done_) {
      const Entry entry = stack_[--size_];
      if (is_pruned(entry.bound_sq)) continue;
      const bool leaf_a = side_a_.is_leaf(entry.a);
      const bool leaf_b = side_b_.is_leaf(entry.b);
      if (leaf_a && leaf_b) {
        visit_leaves(entry.a, entry.b);
      } else if (leaf_b || (!leaf_a && size_of(box_a(entry.a)) >= size_of(box_b(entry.b)))) {
        const std::uint32_t child = side_a_.tree->nodes()[entry.a].first;
        push_nearer_last(child, entry.b, child + 1, entry.b);
      } else {
        const std::uint32_t child = side_b_.tree->nodes()[entry.b].first;
        push_nearer_last(entry.a, child, entry.a, child + 1);
      }
    }
    if (!any_answer_) {  // every leaf pair is beyond the limit
      best_.distance = query_.options.max_distance;
      best_.distance_error = std::numeric_limits<double>::infinity();
    }
    best_.iterations = iterations_;
    if (limited_) best_.status = SolveStatus::iteration_limit;
    return best_;
  }

 private:
  struct Entry {
    std::uint32_t a;
    std::uint32_t b;
    double bound_sq;
  };

  // The box of a part that is not a tree, in the frame of a. Convex: from its support function.
  static Aabb box_of_single(const Part& part, const Pose& a_from_part) {
    if (part.is_composite()) return {};
    if (part.is_half_space()) return unbounded();
    const ConvexCore core = part.core();
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d direction = a_from_part.unrotate(Vector3d::Unit(axis));
      box.lower[axis] = (a_from_part * core.support(-direction))[axis] - core.radius();
      box.upper[axis] = (a_from_part * core.support(direction))[axis] + core.radius();
    }
    return box;
  }

  static Aabb unbounded() {
    return {Vector3d::Constant(-std::numeric_limits<double>::infinity()),
            Vector3d::Constant(std::numeric_limits<double>::infinity())};
  }

  static double size_of(const Aabb& box) { return (box.upper - box.lower).squaredNorm(); }

  [[nodiscard]] Aabb box_a(std::uint32_t node) const {
    return side_a_.tree != nullptr ? side_a_.tree->nodes()[node].box : single_a_;
  }
  [[nodiscard]] Aabb box_b(std::uint32_t node) const {
    return side_b_.tree != nullptr ? box_map_(side_b_.tree->nodes()[node].box) : single_b_;
  }

  // A half-space's box says nothing; its plane bounds a box from below by the corner nearest to it.
  [[nodiscard]] static double plane_bound(const Part& half_space, const Pose& a_from_half_space, const Aabb& box) {
    if (!box.lower.allFinite() || !box.upper.allFinite()) return 0.0;
    const Vector3d normal = a_from_half_space.rotate(half_space.as<HalfSpace>().normal());
    const double offset = half_space.as<HalfSpace>().offset() + normal.dot(a_from_half_space.translation());
    return normal.dot(box.center()) - normal.cwiseAbs().dot(box.half_extents()) - offset - half_space.margin();
  }

  [[nodiscard]] double bound(std::uint32_t node_a, std::uint32_t node_b) const {
    double plane = 0.0;
    if (part_a_.is_half_space())
      plane = plane_bound(part_a_, Pose(), box_b(node_b));
    else if (part_b_.is_half_space())
      plane = plane_bound(part_b_, a_from_b_, box_a(node_a));
    else
      return box_a(node_a).distance_sq(box_b(node_b));
    return plane > 0.0 ? plane * plane : 0.0;
  }

  [[nodiscard]] bool is_pruned(double bound_sq) const {
    const double limit = best_.distance;
    return limit < 0.0 ? bound_sq > 0.0 : bound_sq > limit * limit;
  }

  void push(std::uint32_t a, std::uint32_t b, double bound_sq) {
    if (is_pruned(bound_sq)) return;
    ABUT_ASSERT(size_ < stack_.size());
    stack_[size_++] = {a, b, bound_sq};
  }

  void push_nearer_last(std::uint32_t a0, std::uint32_t b0, std::uint32_t a1, std::uint32_t b1) {
    const double bound0 = bound(a0, b0);
    const double bound1 = bound(a1, b1);
    if (bound0 < bound1) {
      push(a1, b1, bound1);
      push(a0, b0, bound0);
    } else {
      push(a0, b0, bound0);
      push(a1, b1, bound1);
    }
  }

  void visit_leaves(std::uint32_t node_a, std::uint32_t node_b) {
    for_each_part(side_a_, part_a_, node_a, [&](const Part& a, const Pose& a_from_leaf_a, std::uint32_t item_a) {
      for_each_part(side_b_, part_b_, node_b, [&](const Part& b, const Pose& b_from_leaf_b, std::uint32_t item_b) {
        if (done_ || !solve(a, a_from_leaf_a, b, a_from_b_ * b_from_leaf_b)) return;
        best_item_a_ = item_a;
        best_item_b_ = item_b;
      });
    });
  }

  template <class Visit>
  static void for_each_part(const Side& side, const Part& whole, std::uint32_t node, Visit&& visit) {
    if (side.tree == nullptr) {
      visit(whole, Pose(), 0);
      return;
    }
    const AabbTree::Node& leaf = side.tree->nodes()[node];
    for (std::uint32_t i = 0; i < leaf.count; ++i) {
      const std::uint32_t item = side.tree->items()[leaf.first + i];
      visit_leaf(*side.composite, item,
                 [&](const Part& part, const Pose& composite_from_part) { visit(part, composite_from_part, item); });
    }
  }

  // @return Whether it is the best answer so far.
  bool solve(const Part& a, const Pose& a_from_leaf_a, const Part& b, const Pose& a_from_leaf_b) {
    PairQuery query = query_;
    query.options.max_distance = query_.is_boolean ? query_.options.max_distance : std::max(best_.distance, 0.0);
    const Separation leaf = separate(a, b, a_from_leaf_a.inverse() * a_from_leaf_b, query, nullptr);
    iterations_ += leaf.iterations;
    if (leaf.status == SolveStatus::beyond_limit) return false;
    if (any_answer_ && !(leaf.distance < best_.distance)) return false;
    if (!any_answer_ && leaf.distance > query_.options.max_distance) return false;
    limited_ = leaf.status == SolveStatus::iteration_limit;
    best_ = leaf;
    transform(best_, a_from_leaf_a);
    any_answer_ = true;
    if (query_.is_boolean && leaf.distance <= query_.options.max_distance) done_ = true;
    return true;
  }

  const Part& part_a_;
  const Part& part_b_;
  Side side_a_;
  Side side_b_;
  Pose a_from_b_;
  BoxMap box_map_;
  PairQuery query_;
  Aabb single_a_;
  Aabb single_b_;
  Separation best_;
  std::uint32_t best_item_a_ = 0;
  std::uint32_t best_item_b_ = 0;
  int iterations_ = 0;
  bool any_answer_ = false;
  bool limited_ = false;
  bool done_ = false;
  // Depth first, two entries a level of either tree.
  std::array<Entry, 2 * 2 * AabbTree::kMaxDepth + 2> stack_;
  std::size_t size_ = 0;
};

}  // namespace

Separation separate_composite(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query) {
  return Traversal(a, b, a_from_b, query).run();
}

void visit_answering_leaves(const Part& a, const Part& b, const Pose& a_from_b, LeafVisitor& visitor) {
  Traversal traversal(a, b, a_from_b, PairQuery{});
  static_cast<void>(traversal.run());
  if (traversal.has_answer()) traversal.show_leaves(visitor);
}

}  // namespace abut::detail
