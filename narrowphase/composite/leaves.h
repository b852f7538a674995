// The leaves of a composite as parts: triangles of a mesh, prisms of a height field, children of a compound.
#pragma once

#include <abut/core/assert.h>
#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/part.h>

#include <cstdint>
#include <type_traits>
#include <variant>

namespace abut::detail {

[[nodiscard]] inline const BoxTree& tree_of(const Shape& composite) {
  return std::visit(
      [](const auto& geometry) -> const BoxTree& {
        if constexpr (CompositeGeometry<std::decay_t<decltype(geometry)>>) {
          return geometry.tree();
        } else {
          ABUT_ASSERT(false && "not a composite");
          static const BoxTree empty;
          return empty;
        }
      },
      composite.geometry());
}

/// Calls visit(part, composite_from_part) with one leaf of a composite.
template <class Visit>
void visit_item(const Shape& composite, std::uint32_t item, Visit&& visit) {
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

}  // namespace abut::detail
