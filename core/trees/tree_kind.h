// Which boxes a mesh or compound puts around its parts.
#pragma once

#include <cstdint>

namespace abut {

/// Queries answer alike with either; they differ in speed. docs/meshes.md has the measurements behind `automatic`.
enum class TreeKind : std::uint8_t {
  automatic,  ///< obb for meshes, aabb for compounds.
  aabb,       ///< Boxes along the axes of the body.
  obb,        ///< Boxes along the principal axes of what they hold, where those are smaller by a tenth.
};

class BoxTree;

}  // namespace abut
