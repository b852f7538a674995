// What the plain test of a ray and a triangle leaves open: edges that pass within rounding of the ray, and rays in the
// plane of the triangle.
//
// Sheared corners are taken as they are, rounded: each is that of a vertex moved by less than rounding, the same for
// all of its triangles. So edge products that are exact for them tell of a surface without gaps that is the given one
// to rounding, and a point that is met on it belongs to the given one to rounding. Source of the products: Dekker, "A
// floating-point technique for extending the available precision" (1971).
#include <abut/narrowphase/cast/sheared_ray.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

/// a b - c d: the sign is exact, the value to rounding.
double difference_of_products(double a, double b, double c, double d) {
  const double ab = a * b;
  const double cd = c * d;
  const double ab_rest = std::fma(a, b, -ab);
  const double cd_rest = std::fma(c, d, -cd);
  const double rest = ab_rest - cd_rest;
  const double back = ab_rest - rest;
  const double rest_of_rest = (ab_rest - (rest + back)) + (back - cd_rest);
  return ((ab - cd) + rest) + rest_of_rest;
}

EdgeProducts exact_edge_products(const ShearedCorners& corners) {
  const double* x = corners.x;
  const double* y = corners.y;
  return {difference_of_products(x[2], y[1], y[2], x[1]), difference_of_products(x[0], y[2], y[0], x[2]),
          difference_of_products(x[1], y[0], y[1], x[0])};
}

TriangleMeeting meet_exactly(const ShearedCorners& corners) {
  const EdgeProducts edges = exact_edge_products(corners);
  const auto [least, most] = std::minmax({edges.u, edges.v, edges.w});
  if ((least < 0.0 && most > 0.0) || (least == 0.0 && most == 0.0)) {
    return {std::numeric_limits<double>::quiet_NaN(), 0.0, false, false};
  }
  return meeting_at(corners, edges);
}

/// What rounding may have moved the sheared corners by, twice over.
double rounding_of_corners(const ShearedRay& ray, const double* p, const double* q, const double* r) {
  double largest = 0.0;
  for (const double* corner : {p, q, r}) {
    const double along = std::abs(corner[ray.axis[2]] - ray.origin[ray.axis[2]]);
    for (std::size_t k = 0; k < 2; ++k) {
      const double across = std::abs(corner[ray.axis[k]] - ray.origin[ray.axis[k]]);
      largest = std::max(largest, across + std::abs(ray.shear[k]) * along);
    }
  }
  return 4.0 * std::numeric_limits<double>::epsilon() * largest;
}

/// A triangle as a ray sees it that looks along the triangle's plane.
struct EdgeOnView {
  double along[3];  ///< Of the corners, along the longest side of what is seen: from the ray, metres.
  double offset;    ///< Of the corners from the line along it through the ray, the largest.

  explicit EdgeOnView(const ShearedCorners& corners) {
    const double* x = corners.x;
    const double* y = corners.y;
    // Where all three are seen in one place, the line through it.
    double line_x = x[0];
    double line_y = y[0];
    double longest_sq = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const double side_x = x[j] - x[i];
      const double side_y = y[j] - y[i];
      const double length_sq = side_x * side_x + side_y * side_y;
      if (!(length_sq > longest_sq)) continue;
      longest_sq = length_sq;
      line_x = side_x;
      line_y = side_y;
    }
    const double length = std::sqrt(line_x * line_x + line_y * line_y);
    line_x = length > 0.0 ? line_x / length : 1.0;
    line_y = length > 0.0 ? line_y / length : 0.0;
    offset = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      along[i] = line_x * x[i] + line_y * y[i];
      offset = std::max(offset, std::abs(line_x * y[i] - line_y * x[i]));
    }
  }
};

}  // namespace

TriangleMeeting meet_carefully(const ShearedRay& ray, const double* p, const double* q, const double* r) {
  const ShearedCorners corners = sheared_corners(ray, p, q, r);
  if (EdgeOnView(corners).offset <= rounding_of_corners(ray, p, q, r)) {
    TriangleMeeting meeting = meet_exactly(corners);
    meeting.is_edge_on = true;
    return meeting;
  }
  const EdgeProducts edges = edge_products(corners);
  const EdgeSigns signs = edge_signs(corners, edges, 0.0);
  if (signs.is_uncertain) return meet_exactly(corners);
  if (signs.is_missed) return {std::numeric_limits<double>::quiet_NaN(), 0.0, false, false};
  return meeting_at(corners, edges);  // the bits of meet()
}

InPlaneMeeting meet_in_plane(const ShearedRay& ray, const double* p, const double* q, const double* r) {
  const ShearedCorners corners = sheared_corners(ray, p, q, r);
  EdgeOnView view(corners);
  // Corners on the ray to rounding lie on it: none is passed by, whatever the triangle next to this one sees.
  const double rounding = rounding_of_corners(ray, p, q, r);
  double moved = 0.0;
  for (double& along : view.along) {
    if (!(std::abs(along) <= rounding)) continue;
    moved = std::max(moved, std::abs(along));
    along = 0.0;
  }
  InPlaneMeeting result{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                        view.offset + moved, 0};
  const auto add = [&](double t, unsigned edges) {
    if (t == result.enter) result.edges |= edges;
    if (t < result.enter) {
      result.enter = t;
      result.edges = edges;
    }
    result.leave = std::max(result.leave, t);
  };
  const double* along = view.along;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    if (along[i] == 0.0) add(corners.z[i], 1U << i | 1U << (i + 2) % 3);
    const bool is_crossed = (along[i] < 0.0 && along[j] > 0.0) || (along[i] > 0.0 && along[j] < 0.0);
    if (!is_crossed) continue;
    add(corners.z[i] + along[i] / (along[i] - along[j]) * (corners.z[j] - corners.z[i]), 1U << i);
  }
  return result;
}

}  // namespace abut::detail
