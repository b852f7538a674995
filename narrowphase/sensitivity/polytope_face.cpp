// The witness point decides: its face is the smallest one that holds it among those that are as high as the support
// point up to the tolerance, for a point in the middle of an edge or face can lie on no other.
#include <abut/narrowphase/sensitivity/polytope_face.h>

#include <abut/narrowphase/smooth/tangent_frame.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace abut::detail {
namespace {

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

// Level points of one plane that is `normal`'s, not all on a line. @param all  Also the lower ones, for the angles.
SupportFace flat_face(std::span<const Vector3d> all, std::span<FlatPoint> level, const Vector3d& normal,
                      const TangentFrame& frame, const Vector3d& outward, const Vector3d& point,
                      const FaceTolerance& tolerance) {
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
  face.point = point - normal.dot(point - *corners[0].point) * normal;
  face.add_free(frame.u, room);
  face.add_free(frame.v, room);
  return face;
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
  const TangentFrame frame = tangent_frame(normal);
  for (FlatPoint& at : std::span(level).first(count)) at.place = {frame.u.dot(*at.point), frame.v.dot(*at.point)};
  return flat_face(points, std::span(level).first(count), normal, frame, outward, point, tolerance);
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
