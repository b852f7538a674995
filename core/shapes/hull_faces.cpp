// Joins triangles into faces: from the largest triangle on, everything next to it that lies in its plane. The polygon
// is the planar hull of what was found (Andrew's monotone chain), so that it is convex whatever rounding did.
#include <abut/core/cross.h>
#include <abut/core/shapes/hull_faces.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <numeric>
#include <utility>

namespace abut::detail {
namespace {

using Index = HullFaces::Index;
using Triangle3 = std::array<Index, 3>;

// Cosine of the angle by which the normal of a triangle may differ from its face's. Its vertices lie in the plane, so
// that a large angle is a sliver's, or the far side of a flat hull.
constexpr double kSameSide = 0.5;

// A side of a triangle, whichever way it is passed.
struct Side {
  Index low;
  Index high;
  Index triangle;

  [[nodiscard]] std::pair<Index, Index> ends() const { return {low, high}; }
};

std::vector<Side> sorted_sides(std::span<const Triangle3> triangles) {
  std::vector<Side> sides;
  sides.reserve(3 * triangles.size());
  for (Index t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
      sides.push_back({low, high, t});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& s, const Side& t) {
    return std::pair(s.ends(), s.triangle) < std::pair(t.ends(), t.triangle);
  });
  return sides;
}

// Corners of the planar hull of vertices, counter-clockwise about the normal, none between two others.
std::vector<Index> planar_hull(std::span<const Vector3d> vertices, std::vector<Index> members, const Vector3d& normal,
                               double tolerance) {
  const Vector3d axis_x = normal.unitOrthogonal();
  const Vector3d axis_y = normal.cross(axis_x);
  const Vector3d origin = vertices[members.front()];
  const auto flat = [&](Index i) {
    const Vector3d offset = vertices[i] - origin;
    return Eigen::Vector2d(axis_x.dot(offset), axis_y.dot(offset));
  };
  std::sort(members.begin(), members.end(), [&](Index i, Index j) {
    const Eigen::Vector2d p = flat(i);
    const Eigen::Vector2d q = flat(j);
    return p.x() != q.x() ? p.x() < q.x() : p.y() < q.y();
  });
  std::vector<Index> ring;
  const auto append_chain = [&](auto first, auto last) {
    const std::size_t begin = ring.size();
    for (auto member = first; member != last; ++member) {
      const Eigen::Vector2d next = flat(*member);
      while (ring.size() >= begin + 2) {
        const Eigen::Vector2d before = flat(ring[ring.size() - 2]);
        const double width = cross(before, flat(ring.back()), next);
        if (width > tolerance * (next - before).norm()) break;
        ring.pop_back();
      }
      ring.push_back(*member);
    }
    ring.pop_back();  // it begins the other chain
  };
  append_chain(members.begin(), members.end());
  append_chain(members.rbegin(), members.rend());
  return ring;
}

// Newell's normal: the areas of all projections of the ring.
Vector3d ring_normal(std::span<const Vector3d> vertices, const std::vector<Index>& ring) {
  Vector3d twice_area = Vector3d::Zero();
  const Vector3d& origin = vertices[ring.front()];
  for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
    twice_area += (vertices[ring[i]] - origin).cross(vertices[ring[i + 1]] - origin);
  }
  return twice_area.normalized();
}

}  // namespace

HullFaces::HullFaces(std::span<const Vector3d> vertices, std::span<const Triangle3> triangles) {
  if (triangles.empty()) return;
  Vector3d lower = vertices.front();
  Vector3d upper = vertices.front();
  for (const Vector3d& vertex : vertices) {
    lower = lower.cwiseMin(vertex);
    upper = upper.cwiseMax(vertex);
  }
  const double tolerance = kFlatness * (upper - lower).norm();

  std::vector<Vector3d> twice_area;
  twice_area.reserve(triangles.size());
  for (const auto& [i, j, k] : triangles) {
    twice_area.push_back((vertices[j] - vertices[i]).cross(vertices[k] - vertices[i]));
  }
  std::vector<Index> order(triangles.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index s, Index t) { return twice_area[s].squaredNorm() > twice_area[t].squaredNorm(); });

  const std::vector<Side> sides = sorted_sides(triangles);
  std::vector<bool> is_taken(triangles.size(), false);
  struct Face {
    Vector3d normal;
    std::vector<Index> ring;
    std::vector<Index> members;
  };
  std::vector<Face> faces;
  std::vector<Index> found;
  std::vector<Index> members;
  for (const Index seed : order) {
    if (is_taken[seed] || !(twice_area[seed].norm() > 0.0)) continue;
    const Vector3d normal = twice_area[seed].normalized();
    const double height = normal.dot(vertices[triangles[seed][0]]);
    const auto lies_in_plane = [&](Index t) {
      if (normal.dot(twice_area[t]) < kSameSide * twice_area[t].norm()) return false;
      return std::all_of(triangles[t].begin(), triangles[t].end(),
                         [&](Index i) { return std::abs(normal.dot(vertices[i]) - height) <= tolerance; });
    };
    found.assign(1, seed);
    is_taken[seed] = true;
    for (std::size_t head = 0; head < found.size(); ++head) {
      const Triangle3& triangle = triangles[found[head]];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::pair<Index, Index> ends = std::minmax(triangle[k], triangle[(k + 1) % 3]);
        auto side = std::lower_bound(sides.begin(), sides.end(), ends,
                                     [](const Side& s, const std::pair<Index, Index>& e) { return s.ends() < e; });
        for (; side != sides.end() && side->ends() == ends; ++side) {
          if (is_taken[side->triangle] || !lies_in_plane(side->triangle)) continue;
          is_taken[side->triangle] = true;
          found.push_back(side->triangle);
        }
      }
    }
    members.clear();
    for (const Index t : found) members.insert(members.end(), triangles[t].begin(), triangles[t].end());
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    // A needle thinner than the tolerance keeps its three corners, which the planar hull would drop.
    std::vector<Index> ring = planar_hull(vertices, members, normal, 1e-3 * tolerance);
    if (ring.size() < 3) ring.assign(triangles[seed].begin(), triangles[seed].end());
    const Vector3d ring_up = ring_normal(vertices, ring);
    faces.push_back({ring_up, std::move(ring), members});
  }

  // In the order of their vertices: faces that meet lie close in memory where vertices that are close do.
  std::stable_sort(faces.begin(), faces.end(),
                   [](const Face& p, const Face& q) { return p.members.front() < q.members.front(); });
  std::vector<std::pair<Index, Index>> vertex_faces;  // (vertex, face)
  for (const Face& face : faces) {
    const auto number = static_cast<Index>(faces_.size());
    faces_.push_back({face.normal, static_cast<Index>(corners_.size()), static_cast<Index>(face.ring.size())});
    corners_.insert(corners_.end(), face.ring.begin(), face.ring.end());
    for (const Index vertex : face.members) vertex_faces.emplace_back(vertex, number);
  }
  std::sort(vertex_faces.begin(), vertex_faces.end());
  faces_at_begin_.assign(vertices.size() + 1, 0);
  for (const auto& [vertex, face] : vertex_faces) {
    ++faces_at_begin_[vertex + 1];
    faces_at_.push_back(face);
  }
  std::partial_sum(faces_at_begin_.begin(), faces_at_begin_.end(), faces_at_begin_.begin());
}

}  // namespace abut::detail
