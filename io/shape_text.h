// Shapes and poses as JSON, so that reading them gives the same bits again: the other direction of shape_json.h.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <string>

namespace abut {

/// Appends {"type": .., ..} with all data in place: no files.
void append_shape(std::string& line, const Shape& shape);

/// Appends {"translation": [..], "rotation": [w, x, y, z]} and, where no quaternion gives the rotation matrix to the
/// last bit, "rotation_matrix" with its rows, which read_pose takes instead. @throws InvalidInput  naming "translation"
/// or "rotation" when a value is not finite.
void append_pose(std::string& line, const Pose& pose);

}  // namespace abut
