// The cores of capsules and padded polygons, a segment and a flat polygon, placed in the world: their variables and
// rows in the quadratic program, their support, and their features (face, edges, ends and corners). Source: Tracy et
// al., "DiffPills", eq. 23, 24, 26, 29 and 32. Departures: the variables are scaled so that every core is about 1 in
// its own; a segment's is its place between -1 and 1, so that one without length is no special case.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shapes/capsule.h>
#include <abut/core/shapes/padded_polygon.h>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace abut::detail {

/// Sides of a polygon that proximity() takes.
inline constexpr std::size_t kMaxSides = 64;

/// Rows of G that touch the variables of one body: first x₁ + second x₂ <= bound, bounds > 0.
struct QpRows {
  std::size_t count = 0;
  std::array<double, kMaxSides> first;
  std::array<double, kMaxSides> second;  // unused by a body of one variable
  std::array<double, kMaxSides> bound;

  QpRows() {}  // NOLINT(modernize-use-equals-default): the arrays are filled by whoever sets count
};

/// A face, an edge or a corner: the points of a core where a set of rows holds with equality. World axes.
struct Feature {
  int dimension = 0;                  ///< Of its free directions, 0 to 2.
  Vector3d point = Vector3d::Zero();  ///< One of its points, from the same place as the core's center.
  Vector3d u = Vector3d::Zero();      ///< Its free directions, orthonormal.
  Vector3d v = Vector3d::Zero();
  double low = 0.0;  ///< An edge: of its coordinate along u from point, metres.
  double high = 0.0;
  std::array<Vector3d, 2> inward = {Vector3d::Zero(), Vector3d::Zero()};  ///< Unit, edges of the core's cone there.
  int inward_count = 0;
};

/// The segment of a capsule.
struct SegmentCore {
  static constexpr int kVariables = 1;

  Vector3d center;  ///< From wherever the pair is measured.
  Vector3d axis;    ///< Unit.
  double half_length;

  SegmentCore(const Capsule& capsule, const Pose& world_from_body, const Vector3d& measured_from)
      : center(world_from_body.translation() - measured_from),
        axis(world_from_body.rotation().col(2)),
        half_length(capsule.half_length()) {}

  /// Metres; the unit of the variables, too.
  [[nodiscard]] double reach() const { return half_length; }
  [[nodiscard]] Eigen::Matrix<double, 3, 1> columns() const { return half_length * axis; }
  void fill(QpRows& rows) const {
    rows.count = 2;
    rows.first[0] = 1.0;
    rows.first[1] = -1.0;
    rows.bound[0] = 1.0;
    rows.bound[1] = 1.0;
  }
  [[nodiscard]] Vector3d point(const Eigen::Matrix<double, 1, 1>& x) const {
    return center + (half_length * x[0]) * axis;
  }
  /// Max of n · (p - center).
  [[nodiscard]] double height(const Vector3d& n) const { return half_length * std::abs(axis.dot(n)); }

  /// Rows 0 and 1 are the ends along +axis and -axis. @return Whether `active` are the rows of a feature.
  [[nodiscard]] bool feature(std::uint64_t active, Feature& result) const {
    if (half_length == 0.0) {
      result.dimension = 0;
      result.point = center;
      result.inward_count = 0;
      return true;
    }
    if (active == 0) {
      result.dimension = 1;
      result.point = center;
      result.u = axis;
      result.low = -half_length;
      result.high = half_length;
      result.inward_count = 0;
      return true;
    }
    if (active > 2) return false;
    const double end = active == 1 ? 1.0 : -1.0;
    result.dimension = 0;
    result.point = center + (end * half_length) * axis;
    result.inward[0] = -end * axis;
    result.inward_count = 1;
    return true;
  }
  /// How far a point of the core is from leaving row i, metres.
  [[nodiscard]] double slack(std::size_t row, const Vector3d& point) const {
    const double along = axis.dot(point - center);
    return half_length - (row == 0 ? along : -along);
  }
  [[nodiscard]] std::size_t row_count() const { return 2; }
};

/// The flat polygon of a padded polygon.
struct PolygonCore {
  static constexpr int kVariables = 2;

  const PaddedPolygon& polygon;
  Vector3d center;  ///< Mean of the corners, from wherever the pair is measured.
  Vector3d u;       ///< The polygon's x and y axes in the world.
  Vector3d v;

  PolygonCore(const PaddedPolygon& shape, const Pose& world_from_body, const Vector3d& measured_from)
      : polygon(shape),
        center((world_from_body.translation() - measured_from) + world_from_body.rotate(shape.center())),
        u(world_from_body.rotation().col(0)),
        v(world_from_body.rotation().col(1)) {}

  [[nodiscard]] double reach() const { return polygon.reach(); }
  [[nodiscard]] Eigen::Matrix<double, 3, 2> columns() const {
    Eigen::Matrix<double, 3, 2> result;
    result << reach() * u, reach() * v;
    return result;
  }
  void fill(QpRows& rows) const {
    const Eigen::Vector2d middle = polygon.center().head<2>();
    const double scale = 1.0 / reach();
    rows.count = polygon.sides().size();
    for (std::size_t i = 0; i < rows.count; ++i) {
      const HalfPlane& side = polygon.sides()[i];
      rows.first[i] = side.normal.x();
      rows.second[i] = side.normal.y();
      rows.bound[i] = scale * side.normal.dot(polygon.points()[i] - middle);
    }
  }
  [[nodiscard]] Vector3d point(const Eigen::Vector2d& x) const {
    return center + (reach() * x[0]) * u + (reach() * x[1]) * v;
  }
  [[nodiscard]] double height(const Vector3d& n) const {
    const double along_u = u.dot(n);
    const double along_v = v.dot(n);
    const double middle = along_u * polygon.center().x() + along_v * polygon.center().y();
    double largest = -std::numeric_limits<double>::infinity();
    for (const Eigen::Vector2d& p : polygon.points()) largest = std::max(largest, along_u * p.x() + along_v * p.y());
    return largest - middle;
  }

  [[nodiscard]] Vector3d corner(std::size_t i) const {
    const Eigen::Vector2d p = polygon.points()[i] - polygon.center().head<2>();
    return center + p.x() * u + p.y() * v;
  }
  /// Unit, along side i, counter-clockwise.
  [[nodiscard]] Vector3d tangent(std::size_t i) const {
    const Eigen::Vector2d& normal = polygon.sides()[i].normal;
    return normal.x() * v - normal.y() * u;
  }
  /// @return Whether `active` are the rows of a feature: none, one, or those of two neighbouring sides.
  [[nodiscard]] bool feature(std::uint64_t active, Feature& result) const {
    const std::size_t count = polygon.sides().size();
    if (active == 0) {
      result.dimension = 2;
      result.point = center;
      result.u = u;
      result.v = v;
      result.inward_count = 0;
      return true;
    }
    const auto i = static_cast<std::size_t>(__builtin_ctzll(active));
    const std::uint64_t others = active & (active - 1);
    if (others == 0) {
      const Eigen::Vector2d& normal = polygon.sides()[i].normal;
      const Eigen::Vector2d side = polygon.points()[(i + 1) % count] - polygon.points()[i];
      result.dimension = 1;
      result.point = corner(i);
      result.u = tangent(i);
      result.low = 0.0;
      result.high = normal.x() * side.y() - normal.y() * side.x();
      result.inward[0] = -(normal.x() * u + normal.y() * v);
      result.inward_count = 1;
      return true;
    }
    const auto j = static_cast<std::size_t>(__builtin_ctzll(others));
    if ((others & (others - 1)) != 0) return false;
    if (j != i + 1 && !(i == 0 && j + 1 == count)) return false;
    const std::size_t before = j == i + 1 ? i : j;  // the corner ends this side and begins the other
    const std::size_t after = j == i + 1 ? j : i;
    result.dimension = 0;
    result.point = corner(after);
    result.inward[0] = -tangent(before);
    result.inward[1] = tangent(after);
    result.inward_count = 2;
    return true;
  }
  [[nodiscard]] double slack(std::size_t row, const Vector3d& point) const {
    const Vector3d from_center = point - center;
    const Eigen::Vector2d planar(u.dot(from_center), v.dot(from_center));
    return polygon.sides()[row].normal.dot(polygon.points()[row] - polygon.center().head<2>() - planar);
  }
  [[nodiscard]] std::size_t row_count() const { return polygon.sides().size(); }
};

}  // namespace abut::detail
