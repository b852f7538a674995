// HeightField: its prisms cover the ground below the surface and nothing else.
#include <abut/core/shapes/height_field.h>
#include <abut/core/trees/box_tree.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace abut {
namespace {

using samples::error_text;
using samples::Random;

// Surface height by the definition: two triangles a cell, that share the diagonal from (j, i) to (j + 1, i + 1).
double surface(const HeightField& field, double x, double y) {
  const auto& h = field.heights();
  const double u = x / field.spacing().x();
  const double v = y / field.spacing().y();
  const Eigen::Index j = std::min(static_cast<Eigen::Index>(u), h.cols() - 2);
  const Eigen::Index i = std::min(static_cast<Eigen::Index>(v), h.rows() - 2);
  const double s = u - static_cast<double>(j);
  const double t = v - static_cast<double>(i);
  if (t <= s) return h(i, j) + s * (h(i, j + 1) - h(i, j)) + t * (h(i + 1, j + 1) - h(i, j + 1));
  return h(i, j) + t * (h(i + 1, j) - h(i, j)) + s * (h(i + 1, j + 1) - h(i + 1, j));
}

// Whether the prism's footprint holds (x, y), and the height of its top there.
bool covers(const HeightField::Prism& prism, double x, double y, double* top) {
  const auto cross = [](const Vector3d& p, const Vector3d& q, double px, double py) {
    return (q.x() - p.x()) * (py - p.y()) - (q.y() - p.y()) * (px - p.x());
  };
  const double area = cross(prism[0], prism[1], prism[2].x(), prism[2].y());
  const double a = cross(prism[1], prism[2], x, y) / area;
  const double b = cross(prism[2], prism[0], x, y) / area;
  const double c = cross(prism[0], prism[1], x, y) / area;
  if (a < 0.0 || b < 0.0 || c < 0.0) return false;
  *top = a * prism[0].z() + b * prism[1].z() + c * prism[2].z();
  return true;
}

HeightField random_field(Random& random) {
  Eigen::MatrixXd heights(5, 7);
  for (Eigen::Index i = 0; i < heights.size(); ++i) heights(i) = random.uniform(-1.0, 2.0);
  return HeightField(heights, Eigen::Vector2d(0.5, 0.25), -1.5);
}

TEST(HeightField, PrismsCoverTheGroundBelowTheSurfaceOnce) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const HeightField field = random_field(random);
    EXPECT_EQ(field.prism_count(), 2u * 4u * 6u);
    for (int k = 0; k < 500; ++k) {
      const double x = random.uniform(0.0, 3.0);
      const double y = random.uniform(0.0, 1.0);
      int count = 0;
      for (std::uint32_t i = 0; i < field.prism_count(); ++i) {
        double top = 0.0;
        if (!covers(field.prism(i), x, y, &top)) continue;
        ++count;
        EXPECT_NEAR(top, surface(field, x, y), 1e-12);
      }
      EXPECT_EQ(count, 1) << x << ' ' << y;
    }
  }
}

TEST(HeightField, PrismsAreOrderedAsDocumented) {
  Eigen::MatrixXd heights(2, 3);
  heights << 1, 2, 3, 4, 5, 6;
  const HeightField field(heights, Eigen::Vector2d(10, 100), -1);
  const auto below = field.prism(2);  // cell 1 along x, the triangle below the diagonal
  EXPECT_EQ(below[0], Vector3d(10, 0, 2));
  EXPECT_EQ(below[1], Vector3d(20, 0, 3));
  EXPECT_EQ(below[2], Vector3d(20, 100, 6));
  const auto above = field.prism(3);
  EXPECT_EQ(above[0], Vector3d(10, 0, 2));
  EXPECT_EQ(above[1], Vector3d(20, 100, 6));
  EXPECT_EQ(above[2], Vector3d(10, 100, 5));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(above[3 + i], Vector3d(above[i].x(), above[i].y(), -1));
}

TEST(HeightField, BoxSpansTheGridFromTheBaseToTheTop) {
  Random random(4);
  const HeightField field = random_field(random);
  EXPECT_EQ(field.aabb().lower, Vector3d(0, 0, -1.5));
  EXPECT_EQ(field.aabb().upper, Vector3d(3, 1, field.heights().maxCoeff()));
  EXPECT_EQ(field.tree().items().size(), field.prism_count());
}

TEST(HeightField, RefusesSmallGridsBadNumbersAndHeightsBelowTheBase) {
  const Eigen::MatrixXd flat = Eigen::MatrixXd::Zero(2, 3);
  const Eigen::Vector2d unit = Eigen::Vector2d::Ones();
  EXPECT_EQ(error_text([&] { HeightField(Eigen::MatrixXd::Zero(1, 3), unit, 0); }),
            "heights: must be at least 2 x 2, got 1 x 3");
  EXPECT_EQ(error_text([&] { HeightField(flat, Eigen::Vector2d(1, 0), 0); }),
            "spacing[1]: must be finite and > 0, got 0");
  EXPECT_EQ(error_text([&] { HeightField(flat, Eigen::Vector2d(1e308, 1), 0); }),
            "spacing[0]: must keep the grid finite, got 1e+308");
  EXPECT_EQ(error_text([&] { HeightField(flat, unit, std::nan("")); }), "base: must be finite, got nan");
  EXPECT_EQ(error_text([&] { HeightField(flat, unit, 0.5); }), "heights[0][0]: must be finite and >= base, got 0");
  Eigen::MatrixXd heights = flat;
  heights(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_text([&] { HeightField(heights, unit, 0); }), "heights[1][2]: must be finite and >= base, got inf");
}

}  // namespace
}  // namespace abut
