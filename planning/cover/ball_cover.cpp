#include <abut/narrowphase/distance.h>
#include <abut/planning/cover/ball_cover.h>
#include <abut/planning/cover/convex_region.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace abut::detail {
namespace {

/// Added to outer radii and taken from inner ones, of the size of the piece: for the rounding of everything here.
constexpr double kSlack = 1e-9;
constexpr int kLloydSteps = 12;
/// Hulls with more faces are bounded by planes along given directions, not by their own.
constexpr std::size_t kMaxOwnPlanes = 160;
constexpr int kGivenPlanes = 96;

/// Directions spread evenly: Fibonacci's lattice on the sphere.
Vector3d spread_direction(int i, int count) {
  const double z = 1.0 - (2.0 * i + 1.0) / count;
  const double angle = i * std::numbers::pi * (3.0 - std::sqrt(5.0));
  const double across = std::sqrt(1.0 - z * z);
  return {across * std::cos(angle), across * std::sin(angle), z};
}

/// A convex region that contains a shape.
ConvexRegion outer_region(const Shape& shape) {
  const Aabb box = aabb(shape, Pose());
  const double slack = kSlack * (box.half_extents().norm() + box.center().norm());
  const ConvexRegion around(box.expanded(slack));
  if (!shape.is_convex()) return around;
  ConvexRegion region = around;
  // Planes through a shape without extent would leave nothing, by rounding.
  const auto cut = [&](const Vector3d& normal) { region.cut(normal, normal.dot(support(shape, normal)) + slack); };
  const ConvexHull* hull = shape.get_if<ConvexHull>();
  if (hull != nullptr && hull->dimension() == 3 && hull->faces().size() <= kMaxOwnPlanes) {
    for (std::uint32_t face = 0; face < hull->faces().size(); ++face) cut(hull->faces().normal(face));
  } else if (!shape.get_if<Box>()) {
    for (int i = 0; i < kGivenPlanes; ++i) cut(spread_direction(i, kGivenPlanes));
  }
  return region.is_empty() ? around : region;
}

/// Of the points of a mesh, its hull; a compound is bounded by its box.
ConvexRegion region_of(const Shape& shape) {
  if (const TriangleMesh* mesh = shape.get_if<TriangleMesh>()) {
    return outer_region(ConvexHull::from_points(mesh->vertices()));
  }
  return outer_region(shape);
}

/// Radius of a ball about a point that lies in a convex shape.
double inner_radius(const Shape& shape, const Vector3d& center, double size) {
  if (!shape.is_convex()) return 0.0;
  const double point_size = 1e-9 * size;  // of the probing ball; a sphere has to have a radius
  if (!(point_size > 0.0)) return 0.0;    // a shape that is the origin
  const Separation separation = distance(Sphere(point_size), Pose(center), shape, Pose());
  return std::max(0.0, -separation.distance - separation.distance_error - 2.0 * kSlack * size);
}

/// Cells of the power diagram of balls, inside a region; empty ones have no faces.
std::vector<std::vector<Vector3d>> cell_corners(const ConvexRegion& region, const std::vector<CoverBall>& balls) {
  std::vector<std::vector<Vector3d>> result;
  for (const CoverBall& own : balls) {
    ConvexRegion cell = region;
    const double own_power = own.center.squaredNorm() - own.outer * own.outer;
    for (const CoverBall& other : balls) {
      if (&other == &own || cell.is_empty()) continue;
      const Vector3d normal = other.center - own.center;
      const double other_power = other.center.squaredNorm() - other.outer * other.outer;
      if (normal.squaredNorm() > 0.0) cell.cut(normal, 0.5 * (other_power - own_power));
    }
    result.push_back(cell.corners());
  }
  return result;
}

/// Cuts cells in two, the one with the largest ball first, across the direction in which it is longest.
std::vector<CoverBall> first_division(const ConvexRegion& region, std::size_t count) {
  std::vector<ConvexRegion> cells = {region};
  std::vector<CoverBall> balls = {enclosing_ball(region.corners())};
  while (balls.size() < count) {
    const auto largest = std::max_element(balls.begin(), balls.end(),
                                          [](const CoverBall& a, const CoverBall& b) { return a.outer < b.outer; }) -
                         balls.begin();
    const auto index = static_cast<std::size_t>(largest);
    const std::vector<Vector3d> corners = cells[index].corners();
    Vector3d longest = Vector3d::UnitX();
    double length = -1.0;
    constexpr int kDirections = 40;
    for (int i = 0; i < kDirections; ++i) {
      const Vector3d direction = spread_direction(i, kDirections);
      double low = direction.dot(corners[0]);
      double high = low;
      for (const Vector3d& corner : corners) {
        low = std::min(low, direction.dot(corner));
        high = std::max(high, direction.dot(corner));
      }
      if (high - low > length) {
        length = high - low;
        longest = direction;
      }
    }
    const double middle = longest.dot(balls[index].center);
    ConvexRegion upper = cells[index];
    cells[index].cut(longest, middle);
    upper.cut(-longest, -middle);
    if (cells[index].is_empty() || upper.is_empty()) {
      cells[index] = cells[index].is_empty() ? upper : cells[index];
      break;
    }
    balls[index] = enclosing_ball(cells[index].corners());
    balls.push_back(enclosing_ball(upper.corners()));
    cells.push_back(std::move(upper));
  }
  return balls;
}

double largest_outer(const std::vector<CoverBall>& balls) {
  double largest = 0.0;
  for (const CoverBall& ball : balls) largest = std::max(largest, ball.outer);
  return largest;
}

}  // namespace

CoverBall enclosing_ball(std::span<const Vector3d> points) {
  // Bădoiu and Clarkson, "Smaller Core-Sets for Balls" (SODA 2003): steps towards the farthest point, ever shorter.
  CoverBall ball;
  Aabb box;
  for (const Vector3d& point : points) box.merge(point);
  ball.center = box.center();
  const auto farthest = [&](const Vector3d& from) {
    return *std::max_element(points.begin(), points.end(), [&from](const Vector3d& p, const Vector3d& q) {
      return (p - from).squaredNorm() < (q - from).squaredNorm();
    });
  };
  ball.outer = (farthest(ball.center) - ball.center).norm();
  Vector3d center = ball.center;
  constexpr int kSteps = 64;
  for (int i = 1; i <= kSteps; ++i) {
    const Vector3d far = farthest(center);
    const double radius = (far - center).norm();
    if (radius < ball.outer) {
      ball.center = center;
      ball.outer = radius;
    }
    center += (far - center) / (i + 1.0);
  }
  return ball;
}

BallCover ball_cover(const Shape& shape, std::size_t count) {
  BallCover cover;
  if (const Sphere* sphere = shape.get_if<Sphere>()) {
    const double radius = sphere->radius() + shape.margin();
    cover.whole.outer = (1.0 + kSlack) * radius;
    cover.whole.inner = (1.0 - kSlack) * radius;
    cover.parts = {cover.whole};
    return cover;
  }
  const ConvexRegion region = region_of(shape);
  cover.whole = enclosing_ball(region.corners());
  const double size = cover.whole.outer + cover.whole.center.norm();
  std::vector<CoverBall> balls = first_division(region, count);
  cover.parts = balls;
  for (int step = 0; step < kLloydSteps; ++step) {
    std::vector<CoverBall> moved;
    for (const std::vector<Vector3d>& corners : cell_corners(region, balls)) {
      if (!corners.empty()) moved.push_back(enclosing_ball(corners));
    }
    balls = std::move(moved);
    if (largest_outer(balls) < largest_outer(cover.parts)) cover.parts = balls;
  }
  cover.whole.outer += kSlack * size;
  cover.whole.inner = inner_radius(shape, cover.whole.center, size);
  for (CoverBall& part : cover.parts) {
    part.outer += kSlack * size;
    part.inner = inner_radius(shape, part.center, size);
  }
  return cover;
}

}  // namespace abut::detail
