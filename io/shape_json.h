// Shapes and poses from JSON: the tables of the query format, field by field.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/io/json.h>
#include <abut/io/shape_files.h>

#include <cstdint>

namespace abut {

/// What to do with fields that the format does not name: a query line ignores them, a scene refuses them.
enum class UnknownFields : std::uint8_t { ignored, refused };

/// Compounds inside compounds beyond this are refused.
inline constexpr int kMaxCompoundDepth = static_cast<int>(Compound::kMaxDepth);

/// A shape of three dimensions: {"type": "box", "half_extents": [1, 2, 3], "margin": 0.01}.
/// @param files  Reads the mesh files that shapes name.
/// @throws InvalidInput  with the path of the field inside `value`: a missing field, a wrong type or length, an unknown
///                       shape type, a value out of range, a file that cannot be read.
[[nodiscard]] Shape read_shape(const Json& value, ShapeFiles& files, UnknownFields unknown);

/// {"translation": [x, y, z], "rotation": [w, x, y, z]}, both optional; the quaternion is normalised. Where unknown
/// fields are ignored, "rotation_matrix", the rows of the same rotation, is taken to the last bit: see append_pose.
/// @throws InvalidInput  as read_shape; also for a zero quaternion.
[[nodiscard]] Pose read_pose(const Json& value, UnknownFields unknown);

/// The object's "pose", or the identity where it has none.
[[nodiscard]] Pose read_pose_field(const Json& object, UnknownFields unknown);

}  // namespace abut
