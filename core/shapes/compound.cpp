// Union of shapes: checks, and the tree over the children's boxes.
#include <abut/core/error.h>
#include <abut/core/require_enum.h>
#include <abut/core/shape.h>
#include <abut/core/shapes/compound.h>
#include <abut/core/trees/box_tree.h>

#include <algorithm>
#include <string>
#include <utility>

namespace abut {

struct Compound::Data {
  std::vector<CompoundChild> children;
  BoxTree tree;
  TreeKind tree_kind;
  std::size_t depth;
};

Compound::Compound(std::vector<CompoundChild> children, TreeKind tree) {
  detail::require_enum("tree", tree, TreeKind::obb);
  if (children.empty()) throw InvalidInput("children", "must have at least one child");
  std::size_t depth = 1;
  for (const CompoundChild& child : children) {
    if (const auto* inner = child.shape.get_if<Compound>()) depth = std::max(depth, inner->depth() + 1);
  }
  if (depth > kMaxDepth) {
    throw InvalidInput("children", "compounds are nested deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  std::vector<Aabb> boxes;
  boxes.reserve(children.size());
  for (const CompoundChild& child : children) boxes.push_back(aabb(child.shape, child.pose));
  BoxTree::ItemPoints corners;
  if (tree == TreeKind::obb) {
    corners = [&children](std::uint32_t item, std::span<Vector3d, 8> points) {
      const Obb box = children[item].pose * obb(children[item].shape);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const Vector3d signs((i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0, (i & 4) != 0 ? 1.0 : -1.0);
        points[i] = box.center + box.axes * signs.cwiseProduct(box.half_extents);
      }
      return points.size();
    };
  }
  BoxTree made(boxes, corners);
  data_ = std::make_shared<const Data>(Data{std::move(children), std::move(made), tree, depth});
}

std::span<const CompoundChild> Compound::children() const {
  return data_->children;
}

const BoxTree& Compound::tree() const {
  return data_->tree;
}

std::size_t Compound::depth() const {
  return data_->depth;
}

TreeKind Compound::tree_kind() const {
  return data_->tree_kind;
}

}  // namespace abut
