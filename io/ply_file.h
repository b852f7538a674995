// The PLY format: vertices and polygons. Source: Turk, "The PLY Polygon File Format" (Stanford, 1994).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace abut::detail {

/// What a PLY file holds of use; numbers as they are stored, finite or not.
struct PlyFile {
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::uint32_t> corners;         ///< Of all polygons, one after the other; indices into vertices.
  std::vector<std::size_t> polygon_end = {};  ///< Where each polygon ends in `corners`.

  [[nodiscard]] std::span<const std::uint32_t> polygon(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : polygon_end[i - 1];
    return std::span(corners).subspan(begin, polygon_end[i] - begin);
  }
};

/// Reads the forms ascii, binary_little_endian and binary_big_endian, all number types, elements and properties in any
/// order; those that are not x, y, z or the corners of faces are skipped.
/// @throws FileError  when the content does not keep to the format, is cut short, or a corner is out of range. Memory
///                    stays in proportion to the file's length whatever its header says.
[[nodiscard]] PlyFile read_ply_file(const std::filesystem::path& file);

}  // namespace abut::detail
