// Vertices and polygons as the readers of mesh files find them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// What a mesh file holds of use.
struct PolygonMesh {
  std::vector<Eigen::Vector3d> vertices = {};
  std::vector<std::uint32_t> corners = {};    ///< Of all polygons, one after the other; indices into vertices.
  std::vector<std::size_t> polygon_end = {};  ///< Where each polygon ends in `corners`.
  bool has_strips = false;                    ///< The file has surface in strips too, which are not here.

  [[nodiscard]] std::span<const std::uint32_t> polygon(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : polygon_end[i - 1];
    return std::span(corners).subspan(begin, polygon_end[i] - begin);
  }
};

}  // namespace abut::detail
