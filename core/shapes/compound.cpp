// Union of shapes: checks, and the tree over the children's boxes.
#include <abut/core/error.h>
#include <abut/core/shape.h>
#include <abut/core/shapes/compound.h>

#include <utility>

namespace abut {

struct Compound::Data {
  std::vector<CompoundChild> children;
  AabbTree tree;
};

Compound::Compound(std::vector<CompoundChild> children) {
  if (children.empty()) throw InvalidInput("children", "must have at least one child");
  std::vector<Aabb> boxes;
  boxes.reserve(children.size());
  for (const CompoundChild& child : children) boxes.push_back(aabb(child.shape, child.pose));
  data_ = std::make_shared<const Data>(Data{std::move(children), AabbTree(boxes)});
}

std::span<const CompoundChild> Compound::children() const {
  return data_->children;
}

const AabbTree& Compound::tree() const {
  return data_->tree;
}

}  // namespace abut
