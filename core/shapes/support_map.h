// Directions to support vertices of a large hull: a cube map whose cells list the few vertices that can be the answer.
#pragma once

#include <abut/core/shapes/farthest_of_eight.h>
#include <abut/core/simd.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

using Eigen::Vector3d;

/// A cell of a face of the cube is a narrow pyramid of directions. It lists every vertex that is farthest along some
/// direction of the pyramid, so that a lookup is a handful of dot products without a branch. A cell that more vertices
/// claim is divided into four, and so on a few times: hulls of scanned objects have dozens of vertices around the
/// normals of their flat sides. What is crowded even then holds some of the vertices, where a climb over the edges
/// starts well.
class SupportMap {
 public:
  using Index = std::uint32_t;
  static constexpr std::size_t kCandidates = 8;
  static constexpr std::size_t kMaxVertices = 65535;

  /// Compressed rows: the neighbours of vertex i are columns[row_begin[i]] … columns[row_begin[i + 1] - 1].
  struct Graph {
    std::span<const Index> row_begin;
    std::span<const Index> columns;
    [[nodiscard]] std::span<const Index> neighbours(Index vertex) const {
      return columns.subspan(row_begin[vertex], row_begin[vertex + 1] - row_begin[vertex]);
    }
  };

  struct Cell {
    std::span<const std::uint16_t, kCandidates> vertices;  ///< Shorter lists repeat their first vertex.
    bool is_complete;                                      ///< The vertex sought is among them.

    /// The listed vertex that is farthest along the direction.
    [[nodiscard]] Index farthest(std::span<const Vector3d> all, const Vector3d& direction) const {
      return farthest_of_eight(vertices, all.data(), direction);
    }
  };

  SupportMap() = default;

  /// @param vertices   4 to kMaxVertices extreme points of a solid hull, metres.
  /// @param graph      Their edges; connected.
  /// @param tolerance  Vertices that come this near to being farthest are listed too, metres; it covers the rounding of
  ///                   the vertices and of dot products.
  SupportMap(std::span<const Vector3d> vertices, const Graph& graph, double tolerance);

  [[nodiscard]] bool empty() const { return candidates_.empty(); }

  /// Where the cell of a direction is.
  struct Place {
    const std::array<std::uint16_t, kCandidates>* list;
    double u;  ///< How far across the cell, 0 … 1; with the next.
    double v;
  };

  /// Of a direction of any length; a zero or NaN direction gets some cell. Reads nothing of the cell.
  [[nodiscard]] Place place(const Vector3d& direction) const {
    const double x = std::abs(direction[0]);
    const double y = std::abs(direction[1]);
    const double z = std::abs(direction[2]);
    const double xy = std::max(x, y);
    const auto axis = static_cast<std::size_t>(select(z > xy, 2, select(y > x, 1, 0)));
    const double scale = half_cells_ / std::max(xy, z);
    static constexpr std::array<Eigen::Index, 4> kNext = {1, 2, 0, 1};
    const double u = on_face(direction[kNext[axis]] * scale);
    const double v = on_face(direction[kNext[axis + 1]] * scale);
    const std::size_t face = 2 * axis + static_cast<std::size_t>(direction[static_cast<Eigen::Index>(axis)] < 0.0);
    const std::size_t i = to_index(u);
    const std::size_t j = to_index(v);
    return {&candidates_[(face * cells_ + i) * cells_ + j], u - static_cast<double>(i), v - static_cast<double>(j)};
  }

  [[nodiscard]] Cell cell(const Place& place) const {
    if ((*place.list)[0] == kDivided) return part_of(*place.list, place.u, place.v);
    return {*place.list, true};
  }
  /// As of place().
  [[nodiscard]] Cell cell(const Vector3d& direction) const { return cell(place(direction)); }

 private:
  using Candidates = std::array<std::uint16_t, kCandidates>;
  // In place of a cell's first candidate: the index of its parts follows, its lower half first. No vertex is so high.
  static constexpr std::uint16_t kDivided = 0xffff;
  static_assert(kDivided >= kMaxVertices);
  class Builder;

  // In cells from the face's corner. From [-half_cells_, half_cells_]; a NaN goes to 0.
  [[nodiscard]] double on_face(double scaled) const { return std::min(std::max(0.0, scaled + half_cells_), end_); }
  static std::size_t to_index(double on_face) { return static_cast<std::size_t>(static_cast<std::int32_t>(on_face)); }

  [[nodiscard]] std::size_t face_cells() const { return 6 * cells_ * cells_; }

  /// The part of a divided cell, where u and v in [0, 1) say how far across the cell.
  [[nodiscard]] Cell part_of(const Candidates& cell, double u, double v) const;
  /// A list that is crowded has its last two vertices in falling order, a complete one has not: a lookup then reads
  /// nothing beside the list.
  [[nodiscard]] static bool is_complete(const Candidates& list) {
    return list[kCandidates - 2] <= list[kCandidates - 1];
  }

  std::size_t cells_ = 0;  // along the edge of a face of the cube
  double half_cells_ = 0.0;
  double end_ = 0.0;  // just below cells_
  // The cells of the six faces, none of which is crowded, then the parts of divided ones in fours.
  std::vector<Candidates> candidates_;
};

}  // namespace abut::detail
