// The witness point decides: its face is the smallest one that holds it among those that are as high as the support
// point up to the tolerance, for a point in the middle of an edge or face can lie on no other. Where these are more
// than one face, for they bend by less than the tolerance, it is the one over the point.
#include <abut/narrowphase/sensitivity/polytope_face.h>

#include <abut/narrowphase/smooth/tangent_frame.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace abut::detail {
namespace {

// What rounding leaves of points of one plane, in units of their coordinates.
constexpr double kOnePlane = 32.0 * std::numeric_limits<double>::epsilon();
constexpr int kMaxFacetSteps = 64;

// A set of points is flat or straight where its thickness is below this fraction of its length.
constexpr double kFlatFace = 1e-9;

using Scratch = std::array<Vector3d, kMaxFacePoints>;

double height(const Vector3d& top, const Vector3d& point, const Vector3d& outward) {
  return (top - point).dot(outward);
}

SupportFace vertex_face(std::span<const Vector3d> points, const Vector3d& vertex, const Vector3d& outward,
                        const FaceTolerance& tolerance) {
  SupportFace face;
  face.point = vertex;
  for (const Vector3d& other : points) {
    const Vector3d edge = vertex - other;
    const double length = edge.norm();
    if (!(length > 0.0)) continue;
    const double slope = edge.dot(outward) / length;
    face.limit_turn(slope);
    if (std::abs(slope) > tolerance.level) continue;
    const Vector3d direction = edge / length;
    const bool is_new = face.level_count == 0 || face.along[0].cross(direction).norm() > tolerance.level;
    if (is_new) face.add_level(direction);
  }
  return face;
}

// Between p and q.
SupportFace edge_face(std::span<const Vector3d> points, const Vector3d& p, const Vector3d& q, const Vector3d& outward,
                      const Vector3d& point, const FaceTolerance& tolerance) {
  const double length = (q - p).norm();
  const Vector3d direction = (q - p) / length;
  const double place = (point - p).dot(direction);
  const double room = std::min(place, length - place);
  if (!(room > tolerance.point)) return vertex_face(points, place < 0.5 * length ? p : q, outward, tolerance);
  SupportFace face;
  face.point = p + place * direction;
  face.add_free(direction, room);
  const Vector3d across = outward - outward.dot(direction) * direction;
  for (const Vector3d& other : points) {
    const Vector3d arm = p - other;
    const Vector3d from_line = arm - arm.dot(direction) * direction;
    const double distance = from_line.norm();
    if (!(distance > kFlatFace * length)) continue;
    const double slope = from_line.dot(across) / distance;
    face.limit_turn(slope);
    if (std::abs(slope) <= tolerance.level) face.add_level(from_line / distance);
  }
  return face;
}

struct FlatPoint {
  Eigen::Vector2d place;
  const Vector3d* point;
};

double turn_of(const Eigen::Vector2d& o, const Eigen::Vector2d& p, const Eigen::Vector2d& q) {
  return (p.x() - o.x()) * (q.y() - o.y()) - (p.y() - o.y()) * (q.x() - o.x());
}

// Andrew's monotone chain, counter-clockwise. @return The number of corners, at the front of `corners`.
std::size_t flat_hull(std::span<FlatPoint> points, std::span<FlatPoint> corners) {
  std::sort(points.begin(), points.end(), [](const FlatPoint& p, const FlatPoint& q) {
    return p.place.x() < q.place.x() || (p.place.x() == q.place.x() && p.place.y() < q.place.y());
  });
  std::size_t count = 0;
  const auto extend = [&](const FlatPoint& next, std::size_t fixed) {
    while (count >= fixed + 2 && turn_of(corners[count - 2].place, corners[count - 1].place, next.place) <= 0.0)
      --count;
    corners[count++] = next;
  };
  for (const FlatPoint& point : points) extend(point, 0);
  const std::size_t lower = count - 1;
  for (std::size_t i = points.size() - 1; i-- > 0;) extend(points[i], lower);
  return count - 1;  // the first one comes again
}

// Level points of one plane that is `normal`'s, not all on a line. @param in_plane  A point of it. @param all  Also the
// lower ones, for the angles.
SupportFace flat_face(std::span<const Vector3d> all, std::span<FlatPoint> level, const Vector3d& normal,
                      const TangentFrame& frame, const Vector3d& outward, const Vector3d& point,
                      const Vector3d& in_plane, const FaceTolerance& tolerance) {
  std::array<FlatPoint, 2 * kMaxFacePoints + 1> corners;
  const std::size_t count = flat_hull(level, corners);
  const Eigen::Vector2d place(frame.u.dot(point), frame.v.dot(point));
  double room = std::numeric_limits<double>::infinity();
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector2d& p = corners[i].place;
    const Eigen::Vector2d& q = corners[(i + 1) % count].place;
    const double inside = turn_of(p, q, place) / (q - p).norm();
    if (inside < room) {
      room = inside;
      nearest = i;
    }
  }
  if (!(room > tolerance.point)) {
    return edge_face(all, *corners[nearest].point, *corners[(nearest + 1) % count].point, outward, point, tolerance);
  }
  SupportFace face;
  face.point = point - normal.dot(point - in_plane) * normal;
  face.add_free(frame.u, room);
  face.add_free(frame.v, room);
  return face;
}

using Facet = std::array<FlatPoint, 3>;

// The facet of the hull of level points that lies over `place`. Found by raising a triangle under it.
// @param level   More than two; `place` lies inside of their outline. @param normal  Theirs, about, outwards.
// @return Whether it has been found.
bool find_facet(std::span<FlatPoint> level, const Eigen::Vector2d& place, const Vector3d& normal, Facet& facet) {
  std::array<FlatPoint, 2 * kMaxFacePoints + 1> corners;
  const std::size_t count = flat_hull(level, corners);
  bool is_under = false;
  for (std::size_t i = 1; i + 1 < count && !is_under; ++i) {
    facet = {corners[0], corners[i], corners[i + 1]};
    is_under = turn_of(facet[0].place, facet[2].place, place) <= 0.0;
  }
  if (!is_under) return false;
  double largest = 0.0;
  for (const FlatPoint& at : level) largest = std::max(largest, at.point->lpNorm<Eigen::Infinity>());
  for (int step = 0; step < kMaxFacetSteps; ++step) {
    const Vector3d& corner = *facet[0].point;
    Vector3d outward = (*facet[1].point - corner).cross(*facet[2].point - corner).normalized();
    if (outward.dot(normal) < 0.0) outward = -outward;
    const FlatPoint* above = nullptr;
    double rise = kOnePlane * largest;
    for (const FlatPoint& at : level) {
      const double over = (*at.point - corner).dot(outward);
      if (over > rise) {
        rise = over;
        above = &at;
      }
    }
    if (above == nullptr) return true;
    // Of the three triangles with it, that over the place which lies highest there.
    const Facet last = facet;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 3; ++i) {
      Facet next = last;
      next[i] = *above;
      const double area = turn_of(next[0].place, next[1].place, next[2].place);
      if (area == 0.0) continue;
      double height_there = 0.0;
      double least_part = 1.0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double part = turn_of(next[(k + 1) % 3].place, next[(k + 2) % 3].place, place) / area;
        least_part = std::min(least_part, part);
        height_there += part * (*next[k].point - corner).dot(outward);
      }
      if (least_part < 0.0 || !(height_there > highest)) continue;
      highest = height_there;
      facet = next;
    }
    if (!(highest > 0.0)) return false;
  }
  return false;
}

// Moves those that lie in a facet's plane, or bend from it by less than counts as level, to the front.
std::size_t keep_level(std::span<FlatPoint> points, const Vector3d& corner, const Vector3d& normal,
                       const FaceTolerance& tolerance) {
  const auto kept = std::partition(points.begin(), points.end(), [&](const FlatPoint& at) {
    const Vector3d arm = *at.point - corner;
    return std::abs(arm.dot(normal)) <= tolerance.level * arm.norm() + kOnePlane * at.point->lpNorm<Eigen::Infinity>();
  });
  return static_cast<std::size_t>(kept - points.begin());
}

}  // namespace

SupportFace face_of_points(std::span<const Vector3d> points, const Vector3d& outward, const Vector3d& point,
                           const FaceTolerance& tolerance) {
  const Vector3d* top = &points.front();
  for (const Vector3d& candidate : points) {
    if (height(*top, candidate, outward) < 0.0) top = &candidate;
  }
  // Those as high as the top, the longest distance between it and one of them, and their thickness around that.
  std::array<FlatPoint, kMaxFacePoints> level;
  std::size_t count = 0;
  const Vector3d* far = top;
  double length = 0.0;
  for (const Vector3d& candidate : points) {
    const double distance = (candidate - *top).norm();
    if (height(*top, candidate, outward) > tolerance.slope * distance) continue;
    level[count++].point = &candidate;
    if (distance > length) {
      length = distance;
      far = &candidate;
    }
  }
  if (!(length > 0.0)) return vertex_face(points, *top, outward, tolerance);
  const Vector3d direction = (*far - *top) / length;
  const Vector3d* wide = top;
  double width = 0.0;
  double low = 0.0;
  const Vector3d* first = top;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3d arm = *level[i].point - *top;
    const double along = arm.dot(direction);
    const double across = (arm - along * direction).norm();
    if (across > width) {
      width = across;
      wide = level[i].point;
    }
    if (along < low) {
      low = along;
      first = level[i].point;
    }
  }
  if (!(width > kFlatFace * length)) return edge_face(points, *first, *far, outward, point, tolerance);

  Vector3d normal = direction.cross(*wide - *top).normalized();
  if (normal.dot(outward) < 0.0) normal = -normal;
  TangentFrame frame = tangent_frame(normal);
  std::span<FlatPoint> face = std::span(level).first(count);
  const auto project = [&] {
    for (FlatPoint& at : face) at.place = {frame.u.dot(*at.point), frame.v.dot(*at.point)};
  };
  project();
  // Faces that bend by less than the slope that counts as level: only the one that holds the point has its plane.
  const bool is_one_plane = std::all_of(face.begin(), face.end(), [&](const FlatPoint& at) {
    return std::abs((*at.point - *top).dot(normal)) <= kOnePlane * at.point->lpNorm<Eigen::Infinity>();
  });
  Facet facet{};
  if (!is_one_plane && find_facet(face, {frame.u.dot(point), frame.v.dot(point)}, normal, facet)) {
    const Vector3d& corner = *facet[0].point;
    const Vector3d across = (*facet[1].point - corner).cross(*facet[2].point - corner).normalized();
    normal = across.dot(normal) < 0.0 ? Vector3d(-across) : across;
    frame = tangent_frame(normal);
    face = face.first(keep_level(face, corner, normal, tolerance));
    project();
    return flat_face(points, face, normal, frame, outward, point, corner, tolerance);
  }
  return flat_face(points, face, normal, frame, outward, point, *top, tolerance);
}

SupportFace face_of_hull(const ConvexHull& hull, const Vector3d& outward, const Vector3d& point,
                         const FaceTolerance& tolerance) {
  const std::span<const Vector3d> vertices = hull.vertices();
  // The vertices that are level, found over the graph from the highest one, and all their neighbours.
  std::array<std::uint32_t, kMaxFacePoints> found;
  std::size_t count = 0;
  found[count++] = hull.support_vertex(outward);
  const Vector3d& top = vertices[found[0]];
  bool is_complete = true;
  for (std::size_t next = 0; next < count; ++next) {
    const Vector3d& vertex = vertices[found[next]];
    if (height(top, vertex, outward) > tolerance.slope * (vertex - top).norm()) continue;
    for (const std::uint32_t neighbour : hull.neighbours(found[next])) {
      if (std::find(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), neighbour) !=
          found.begin() + static_cast<std::ptrdiff_t>(count)) {
        continue;
      }
      if (count == found.size()) {
        is_complete = false;
        break;
      }
      found[count++] = neighbour;
    }
  }
  Scratch points;
  for (std::size_t i = 0; i < count; ++i) points[i] = vertices[found[i]];
  SupportFace face = face_of_points(std::span(points).first(count), outward, point, tolerance);
  if (!is_complete) face.limit_turn(0.0);
  return face;
}

SupportFace face_of_polygon(const PaddedPolygon& polygon, const Vector3d& outward, const Vector3d& point,
                            const FaceTolerance& tolerance) {
  const std::span<const Eigen::Vector2d> corners = polygon.points();
  const Eigen::Vector2d place = point.head<2>();
  double room = std::numeric_limits<double>::infinity();
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Eigen::Vector2d& p = corners[i];
    const Eigen::Vector2d& q = corners[i + 1 < corners.size() ? i + 1 : 0];
    const double inside = turn_of(p, q, place) / (q - p).norm();
    if (inside < room) {
      room = inside;
      nearest = i;
    }
  }
  if (room > tolerance.point && outward.head<2>().norm() <= tolerance.slope) {
    SupportFace face;
    face.point = {place.x(), place.y(), 0.0};
    face.add_free(Vector3d::UnitX(), room);
    face.add_free(Vector3d::UnitY(), room);
    return face;
  }
  // The side's ends and the corners next to them.
  std::array<Vector3d, 4> around;
  const std::size_t size = corners.size();
  for (std::size_t i = 0; i < 4; ++i) {
    const Eigen::Vector2d& corner = corners[(nearest + size + i - 1) % size];
    around[i] = {corner.x(), corner.y(), 0.0};
  }
  return edge_face(around, around[1], around[2], outward, point, tolerance);
}

}  // namespace abut::detail
