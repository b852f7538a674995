// Meshes of any size, made by formulas.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "mesh_peer.h"

namespace abut::bench {

/// A bumpy ball of 2 * rings * rings triangles.
[[nodiscard]] inline MeshData ball(const std::string& name, int rings, double bumps, double stretch) {
  MeshData mesh{name, {}, {}};
  for (int i = 0; i <= rings; ++i) {
    for (int j = 0; j < rings; ++j) {
      const double polar = std::numbers::pi * i / rings;
      const double around = 2.0 * std::numbers::pi * j / rings;
      const double radius = 1.0 + 0.1 * std::sin(bumps * polar) * std::cos(bumps * around);
      mesh.vertices.emplace_back(stretch * radius * std::sin(polar) * std::cos(around),
                                 radius * std::sin(polar) * std::sin(around), radius * std::cos(polar));
    }
  }
  const auto vertex = [&](int i, int j) { return static_cast<std::uint32_t>(i * rings + j % rings); };
  for (int i = 0; i < rings; ++i) {
    for (int j = 0; j < rings; ++j) {
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return mesh;
}

/// Ground of 22.4 m in a square of so many cells, two triangles each.
[[nodiscard]] inline MeshData hills(const std::string& name, int cells) {
  MeshData mesh{name, {}, {}};
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) {
      const double x = 22.4 * j / cells - 11.2;
      const double y = 22.4 * i / cells - 11.2;
      mesh.vertices.emplace_back(x, y, std::sin(0.7 * x) * std::cos(0.5 * y) + 0.1 * std::sin(5.0 * x + 3.0 * y));
    }
  }
  const auto vertex = [&](int i, int j) { return static_cast<std::uint32_t>(i * (cells + 1) + j); };
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      mesh.triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i + 1, j)});
    }
  }
  return mesh;
}

}  // namespace abut::bench
