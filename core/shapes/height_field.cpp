// Height field: checks, its prisms and the tree over them.
#include <abut/core/error.h>
#include <abut/core/shapes/height_field.h>
#include <abut/core/trees/box_tree.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace abut {
namespace {

// The largest number of prisms that node indices of the tree can hold.
constexpr double kMaxPrisms = std::numeric_limits<std::uint32_t>::max() / 2;

std::uint32_t number_of_prisms(const Eigen::MatrixXd& heights) {
  return static_cast<std::uint32_t>(2 * (heights.rows() - 1) * (heights.cols() - 1));
}

HeightField::Prism prism_of(const Eigen::MatrixXd& heights, const Eigen::Vector2d& spacing, double base,
                            std::uint32_t index) {
  const Eigen::Index cell = index / 2;
  const Eigen::Index row = cell / (heights.cols() - 1);
  const Eigen::Index column = cell % (heights.cols() - 1);
  const auto corner = [&](Eigen::Index i, Eigen::Index j) {
    return Vector3d(static_cast<double>(j) * spacing.x(), static_cast<double>(i) * spacing.y(), heights(i, j));
  };
  HeightField::Prism prism;
  prism[0] = corner(row, column);
  prism[1] = index % 2 == 0 ? corner(row, column + 1) : corner(row + 1, column + 1);
  prism[2] = index % 2 == 0 ? corner(row + 1, column + 1) : corner(row + 1, column);
  for (std::size_t i = 0; i < 3; ++i) prism[3 + i] = {prism[i].x(), prism[i].y(), base};
  return prism;
}

}  // namespace

HeightField::HeightField(Eigen::MatrixXd heights, const Eigen::Vector2d& spacing, double base) {
  if (heights.rows() < 2 || heights.cols() < 2) {
    throw InvalidInput("heights", "must be at least 2 x 2, got " + std::to_string(heights.rows()) + " x " +
                                      std::to_string(heights.cols()));
  }
  const double prisms = 2.0 * static_cast<double>(heights.rows() - 1) * static_cast<double>(heights.cols() - 1);
  if (prisms > kMaxPrisms) throw InvalidInput("heights", "must have fewer than 2^30 cells", prisms / 2.0);
  for (int i = 0; i < 2; ++i) {
    const double cells = static_cast<double>((i == 0 ? heights.cols() : heights.rows()) - 1);
    if (!(spacing[i] > 0.0 && std::isfinite(spacing[i]))) {
      throw InvalidInput("spacing", i, "must be finite and > 0", spacing[i]);
    }
    if (!std::isfinite(cells * spacing[i])) throw InvalidInput("spacing", i, "must keep the grid finite", spacing[i]);
  }
  require_finite("base", base);
  for (Eigen::Index i = 0; i < heights.rows(); ++i) {
    for (Eigen::Index j = 0; j < heights.cols(); ++j) {
      if (!(heights(i, j) >= base && std::isfinite(heights(i, j)))) {
        throw InvalidInput("heights[" + std::to_string(i) + "]", j, "must be finite and >= base", heights(i, j));
      }
    }
  }
  std::vector<Aabb> boxes(number_of_prisms(heights));
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    for (const Vector3d& corner : prism_of(heights, spacing, base, i)) boxes[i].merge(corner);
  }
  auto tree = std::make_shared<const BoxTree>(boxes);
  const Aabb bounds = tree->bounds();
  data_ = std::make_shared<const Data>(Data{std::move(heights), spacing, base, std::move(tree), bounds});
}

std::uint32_t HeightField::prism_count() const {
  return number_of_prisms(data_->heights);
}

HeightField::Prism HeightField::prism(std::uint32_t index) const {
  return prism_of(data_->heights, data_->spacing, data_->base, index);
}

}  // namespace abut
