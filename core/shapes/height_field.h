// Height field: the solid below a triangulated grid surface, down to z = base.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/trees/tree_kind.h>
#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace abut {

/// Immutable and shared. heights(i, j) is the surface's z at (j dx, i dy); every cell is two triangles that share the
/// diagonal from (j, i) to (j + 1, i + 1). Each triangle with the ground below it is a convex prism, and those prisms
/// are the leaves that queries meet.
class HeightField {
 public:
  using Prism = std::array<Eigen::Vector3d, 6>;  // three surface corners, then the same at z = base

  /// @param heights  rows x columns, at least 2 x 2, metres, finite, each >= base.
  /// @param spacing  dx, dy, metres, each finite and > 0.
  /// @param base     Metres, finite.
  /// @throws InvalidInput  naming heights[i][j], spacing[i] or base.
  HeightField(Eigen::MatrixXd heights, const Eigen::Vector2d& spacing, double base);

  [[nodiscard]] const Eigen::MatrixXd& heights() const { return data_->heights; }
  [[nodiscard]] const Eigen::Vector2d& spacing() const { return data_->spacing; }
  [[nodiscard]] double base() const { return data_->base; }

  /// Number of prisms: two a cell.
  [[nodiscard]] std::uint32_t prism_count() const;
  /// Prism 2c is cell c's triangle below the diagonal, 2c + 1 the one above it; cells count along x first.
  [[nodiscard]] Prism prism(std::uint32_t index) const;
  /// Over the prisms; item i is prism i.
  [[nodiscard]] const BoxTree& tree() const { return *data_->tree; }
  [[nodiscard]] const Aabb& aabb() const { return data_->aabb; }

 private:
  struct Data {
    Eigen::MatrixXd heights;
    Eigen::Vector2d spacing;
    double base = 0.0;
    std::shared_ptr<const BoxTree> tree;
    Aabb aabb;
  };
  std::shared_ptr<const Data> data_;
};

}  // namespace abut
