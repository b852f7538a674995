// Polygons cut into triangles: the triangles lie inside and cover the polygon, whatever the rounding of its corners.
#include <abut/io/triangulate.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace abut {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Outline = std::vector<Vector2d>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

double area_of(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  return 0.5 * ((b - a).x() * (c - a).y() - (b - a).y() * (c - a).x());
}

double area_of(const Outline& outline) {
  double area = 0.0;
  for (std::size_t i = 1; i + 1 < outline.size(); ++i) area += area_of(outline[0], outline[i], outline[i + 1]);
  return area;
}

bool is_inside(const Outline& outline, const Vector2d& point) {
  bool inside = false;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vector2d& a = outline[i];
    const Vector2d& b = outline[(i + 1) % outline.size()];
    if ((a.y() > point.y()) == (b.y() > point.y())) continue;
    if (point.x() < a.x() + (b.x() - a.x()) * (point.y() - a.y()) / (b.y() - a.y())) inside = !inside;
  }
  return inside;
}

// A plane in space in which an outline lies.
struct Placement {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Vector3d translation = Vector3d::Zero();
  double scale = 1.0;
};

Triangles cut(const Outline& outline, const Placement& placement) {
  std::vector<Vector3d> vertices;
  for (const Vector2d& p : outline) {
    vertices.emplace_back(placement.scale * (placement.rotation * Vector3d(p.x(), p.y(), 0.0) + placement.translation));
  }
  std::vector<std::uint32_t> polygon(outline.size());
  std::iota(polygon.begin(), polygon.end(), 0U);
  Triangles triangles;
  EXPECT_TRUE(detail::triangulate(vertices, polygon, triangles));
  return triangles;
}

// The areas of the triangles add up to that of the polygon with none turned round, and the middle of each lies inside.
void expect_whole(const Outline& outline, const Triangles& triangles) {
  ASSERT_EQ(triangles.size(), outline.size() - 2);
  const double area = area_of(outline);
  const double slack = 1e-12 * std::abs(area);
  double sum = 0.0;
  for (const auto& [i, j, k] : triangles) {
    const double part = area_of(outline[i], outline[j], outline[k]);
    ASSERT_GE(part * (area < 0.0 ? -1.0 : 1.0), -slack);
    sum += std::abs(part);
    if (std::abs(part) > 1e-9 * std::abs(area)) {
      ASSERT_TRUE(is_inside(outline, (outline[i] + outline[j] + outline[k]) / 3.0));
    }
  }
  ASSERT_NEAR(sum, std::abs(area), 1e-9 * std::abs(area));
}

Placement random_placement(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Placement placement;
  placement.rotation = Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized();
  placement.translation = Vector3d(normal(random), normal(random), normal(random));
  return placement;
}

// In its own plane and in random ones, from every third corner on and in both senses.
void expect_whole_in_any_plane(const Outline& outline, int planes, unsigned seed) {
  std::mt19937 random(seed);
  for (int plane = 0; plane <= planes; ++plane) {
    const Placement placement = plane == 0 ? Placement() : random_placement(random);
    for (std::size_t first = 0; first < outline.size(); first += 3) {
      for (const bool reverse : {false, true}) {
        Outline turned = outline;
        std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(first), turned.end());
        if (reverse) std::reverse(turned.begin(), turned.end());
        SCOPED_TRACE(testing::Message() << "plane " << plane << ", first " << first << ", reverse " << reverse);
        ASSERT_NO_FATAL_FAILURE(expect_whole(turned, cut(turned, placement)));
      }
    }
  }
}

using Cell = std::array<int, 2>;
constexpr std::array<Cell, 4> kSteps = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

Cell operator+(const Cell& a, const Cell& b) {
  return {a[0] + b[0], a[1] + b[1]};
}

// The outline of unit squares, counterclockwise, every corner of a square on it kept, so that many lie on a line.
// Empty where it touches itself or has holes.
Outline outline_of(const std::set<Cell>& cells) {
  std::map<Cell, Cell> next;
  for (const Cell& cell : cells) {
    const std::array<Cell, 4> corners = {cell, cell + Cell{1, 0}, cell + Cell{1, 1}, cell + Cell{0, 1}};
    for (std::size_t side = 0; side < 4; ++side) {
      if (cells.count(cell + kSteps[(side + 3) % 4]) != 0) continue;
      if (!next.emplace(corners[side], corners[(side + 1) % 4]).second) return {};
    }
  }
  Outline outline;
  Cell corner = next.begin()->first;
  do {
    outline.emplace_back(corner[0], corner[1]);
    corner = next.at(corner);
  } while (corner != next.begin()->first);
  return outline.size() == next.size() ? outline : Outline();
}

std::set<Cell> random_polyomino(int count, std::mt19937& random) {
  std::vector<Cell> cells = {{0, 0}};
  std::set<Cell> taken = {{0, 0}};
  while (cells.size() < static_cast<std::size_t>(count)) {
    const Cell cell = cells[random() % cells.size()] + kSteps[random() % 4];
    if (taken.insert(cell).second) cells.push_back(cell);
  }
  return taken;
}

std::set<Cell> spiral(int turns) {
  Cell cell = {0, 0};
  std::set<Cell> cells = {cell};
  for (int turn = 0; turn < turns; ++turn) {
    for (int i = 0; i < 2 * (turn / 2 + 1); ++i) cells.insert(cell = cell + kSteps[static_cast<std::size_t>(turn) % 4]);
  }
  return cells;
}

std::set<Cell> comb(int teeth, int length) {
  std::set<Cell> cells;
  for (int x = 0; x < 2 * teeth - 1; ++x) {
    for (int y = 0; y <= (x % 2 == 0 ? length : 0); ++y) cells.insert({x, y});
  }
  return cells;
}

TEST(Triangulate, PolyominoesInRandomPlanesAreCoveredOnce) {
  std::mt19937 random(1);
  int concave = 0;
  for (int i = 0; i < 20'000; ++i) {
    Outline outline = outline_of(random_polyomino(2 + static_cast<int>(random() % 10), random));
    if (outline.empty()) continue;
    std::rotate(outline.begin(), outline.begin() + static_cast<std::ptrdiff_t>(random() % outline.size()),
                outline.end());
    if (random() % 2 == 0) std::reverse(outline.begin(), outline.end());
    SCOPED_TRACE(testing::Message() << "polyomino " << i);
    ASSERT_NO_FATAL_FAILURE(expect_whole(outline, cut(outline, random_placement(random))));
    ++concave;
  }
  EXPECT_GT(concave, 15'000);
}

TEST(Triangulate, SpiralsAndCombsAreCoveredOnce) {
  expect_whole_in_any_plane(outline_of(spiral(5)), 20, 1);
  expect_whole_in_any_plane(outline_of(spiral(10)), 1, 2);
  expect_whole_in_any_plane(outline_of(comb(4, 3)), 20, 3);
  expect_whole_in_any_plane(outline_of(comb(8, 6)), 1, 4);
}

TEST(Triangulate, CornersInOnePlaceAddNothing) {
  for (const std::size_t copies : {1U, 2U, 3U}) {
    const Outline once = outline_of(comb(3, 2));
    Outline outline;
    for (std::size_t i = 0; i < once.size(); ++i) outline.insert(outline.end(), i % 4 == 1 ? 1 + copies : 1, once[i]);
    SCOPED_TRACE(testing::Message() << copies << " copies");
    expect_whole_in_any_plane(outline, 10, 5);
  }
}

TEST(Triangulate, AnOutlineMayGoToHolesAndBack) {
  // A square with two square holes, each joined to the outline by a line that is walked in both directions.
  const Outline outline = {{0, 0}, {4, 0}, {4, 4}, {3, 3}, {3, 2}, {2, 2}, {2, 3}, {3, 3},
                           {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 2}, {2, 1}, {1, 1}};
  ASSERT_EQ(area_of(outline), 14.5);
  std::mt19937 random(6);
  for (int plane = 0; plane < 50; ++plane) {
    SCOPED_TRACE(testing::Message() << "plane " << plane);
    ASSERT_NO_FATAL_FAILURE(expect_whole(outline, cut(outline, plane == 0 ? Placement() : random_placement(random))));
  }
}

TEST(Triangulate, ASpikeOfNoWidthAddsNothing) {
  const Outline outward = {{0, 0}, {2, 0}, {2, 2}, {3, 3}, {2, 2}, {0, 2}};
  const Outline inward = {{0, 0}, {2, 0}, {2, 2}, {0.5, 1.75}, {2, 2}, {0, 2}};
  for (const Outline& outline : {outward, inward}) {
    std::mt19937 random(7);
    for (int plane = 0; plane < 50; ++plane) {
      SCOPED_TRACE(testing::Message() << "plane " << plane);
      ASSERT_NO_FATAL_FAILURE(expect_whole(outline, cut(outline, plane == 0 ? Placement() : random_placement(random))));
    }
  }
}

TEST(Triangulate, SizeAndPlaceDoNotMatter) {
  std::mt19937 random(8);
  const Outline outline = outline_of(comb(3, 3));
  for (const double scale : {1e-300, 1e-150, 1e-6, 1e6, 1e150, 1e300}) {
    for (int i = 0; i < 20; ++i) {
      Placement placement = random_placement(random);
      placement.scale = scale;
      SCOPED_TRACE(testing::Message() << "scale " << scale);
      ASSERT_NO_FATAL_FAILURE(expect_whole(outline, cut(outline, placement)));
    }
  }
  for (int i = 0; i < 20; ++i) {
    Placement far = random_placement(random);
    far.translation *= 1e9;
    ASSERT_NO_FATAL_FAILURE(expect_whole(outline, cut(outline, far)));
  }
}

TEST(Triangulate, StraightCornersGiveNoSliversWhereTheyNeedNot) {
  // A square whose sides have corners in their middles, turned so that rounding takes these off the sides.
  const Outline outline = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  std::mt19937 random(9);
  for (int plane = 0; plane < 200; ++plane) {
    for (const auto& [i, j, k] : cut(outline, random_placement(random))) {
      EXPECT_GT(area_of(outline[i], outline[j], outline[k]), 0.4);
    }
  }
}

TEST(Triangulate, APolygonThatCrossesItselfIsCutOrTooLong) {
  const auto star = [](std::uint32_t corners) {
    std::vector<Vector3d> vertices;
    for (std::uint32_t i = 0; i < corners; ++i) {
      const double angle = 2.0 * std::numbers::pi * (corners / 2) * i / corners;
      vertices.emplace_back(std::cos(angle), std::sin(angle), 0.0);
    }
    return vertices;
  };
  for (const std::uint32_t corners : {5U, 201U, 2001U}) {
    std::vector<std::uint32_t> polygon(corners);
    std::iota(polygon.begin(), polygon.end(), 0U);
    Triangles triangles;
    const bool is_cut = detail::triangulate(star(corners), polygon, triangles);
    EXPECT_EQ(is_cut, corners < 2000);
    EXPECT_EQ(triangles.size() == corners - 2, is_cut);
  }
}

}  // namespace
}  // namespace abut
