#include <abut/core/assert.h>
#include <abut/narrowphase/polytope.h>
#include <abut/narrowphase/simplex.h>
#include <abut/narrowphase/triangle_normal.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// Heights above a plane smaller than this fraction of the polytope's size are rounding.
constexpr double kPlaneRounding = 1e-15;
// A face whose height is below this fraction of its longest edge has no usable normal.
constexpr double kNoArea = 1e-13;
// Faces whose normals have a larger dot product may be pieces of one facet.
constexpr double kCoplanar = 1.0 - 1e-8;

}  // namespace

Polytope::Polytope(const std::array<DifferencePoint, 4>& corners) {
  double size = 0.0;
  for (const DifferencePoint& corner : corners) {
    vertices_[static_cast<std::size_t>(vertex_count_++)] = corner;
    size = std::max(size, corner.difference.norm());
  }
  rounding_ = kPlaneRounding * size;
  const Vector3d& p = corners[0].difference;
  const Vector3d pq = corners[1].difference - p;
  const Vector3d pr = corners[2].difference - p;
  const Vector3d ps = corners[3].difference - p;
  if (pq.cross(pr).dot(ps) > 0.0) std::swap(vertices_[1], vertices_[2]);  // the fourth corner lies behind face 0 1 2
  new_face(0, 1, 2);
  new_face(0, 3, 1);
  new_face(1, 3, 2);
  new_face(2, 3, 0);
  faces_[0].neighbour = {1, 2, 3};
  faces_[1].neighbour = {3, 2, 0};
  faces_[2].neighbour = {1, 3, 0};
  faces_[3].neighbour = {2, 1, 0};
}

int Polytope::new_face(int i, int j, int k) {
  const int index = free_count_ > 0 ? free_faces_[static_cast<std::size_t>(--free_count_)] : face_count_++;
  Face& face = faces_[static_cast<std::size_t>(index)];
  face.vertex = {static_cast<std::int16_t>(i), static_cast<std::int16_t>(j), static_cast<std::int16_t>(k)};
  const Vector3d& p = vertex(i).difference;
  const auto [normal, longest_sq] = TriangleNormal(p, vertex(j).difference, vertex(k).difference);
  const double length = normal.norm();
  double& offset = offsets_[static_cast<std::size_t>(index)];
  if (length > kNoArea * longest_sq) {
    face.normal = normal / length;
    offset = face.normal.dot(p);
  } else {
    face.normal.setZero();
    offset = kNoOffset;
  }
  alive_[static_cast<std::size_t>(index)] = true;
  return index;
}

int Polytope::nearest_face() const {
  int best = -1;
  double smallest = kNoOffset;
  for (int i = 0; i < face_count_; ++i) {
    const double candidate = offset(i);
    if (candidate < smallest) {
      smallest = candidate;
      best = i;
    }
  }
  return best;
}

Polytope::NearestPoint Polytope::nearest_point(int index, double tolerance) const {
  NearestPoint best;
  double smallest_sq = std::numeric_limits<double>::infinity();
  for (int i = 0; i < face_count_; ++i) {
    const bool is_coplanar = alive_[static_cast<std::size_t>(i)] && offset(i) <= offset(index) + tolerance &&
                             face(i).normal.dot(face(index).normal) > kCoplanar;
    if (!is_coplanar && i != index) continue;
    const Face& f = face(i);
    const Vector3d& p = vertex(f.vertex[0]).difference;
    const Vector3d& q = vertex(f.vertex[1]).difference;
    const Vector3d& r = vertex(f.vertex[2]).difference;
    const std::array<double, 3> weight = nearest_on_triangle(p, q, r);
    const double distance_sq = (weight[0] * p + weight[1] * q + weight[2] * r).squaredNorm();
    if (distance_sq < smallest_sq) {
      smallest_sq = distance_sq;
      best = {i, weight};
    }
  }
  return best;
}

bool Polytope::has_vertex(const Vector3d& difference) const {
  for (int i = 0; i < vertex_count_; ++i) {
    if (vertex(i).difference == difference) return true;
  }
  return false;
}

bool Polytope::sees(const Vector3d& point, int index) const {
  const Face& f = face(index);
  return f.normal.dot(point - vertex(f.vertex[0]).difference) > rounding_;
}

bool Polytope::expand(int seen, const DifferencePoint& point) {
  if (vertex_count_ == kMaxVertices) return false;

  // Flood the faces that see the point, from the one known to. Their outer edges form the horizon.
  std::array<std::int16_t, kMaxFaces> visible;
  std::array<bool, kMaxFaces> is_visible{};
  struct HorizonEdge {
    std::int16_t from;
    std::int16_t to;
    std::int16_t outside;  // the face beyond
    std::int16_t next;     // the horizon edge that starts where this one ends
  };
  std::array<HorizonEdge, kMaxFaces> horizon;
  int visible_count = 0;
  int horizon_count = 0;
  visible[static_cast<std::size_t>(visible_count++)] = static_cast<std::int16_t>(seen);
  is_visible[static_cast<std::size_t>(seen)] = true;
  for (int i = 0; i < visible_count; ++i) {
    for (const std::int16_t neighbour : face(visible[static_cast<std::size_t>(i)]).neighbour) {
      bool& mark = is_visible[static_cast<std::size_t>(neighbour)];
      if (mark || !sees(point.difference, neighbour)) continue;
      mark = true;
      visible[static_cast<std::size_t>(visible_count++)] = neighbour;
    }
  }
  std::array<std::int16_t, kMaxVertices> edge_from;
  std::fill_n(edge_from.begin(), vertex_count_, std::int16_t{-1});
  for (int i = 0; i < visible_count; ++i) {
    const Face& f = face(visible[static_cast<std::size_t>(i)]);
    for (std::size_t e = 0; e < 3; ++e) {
      if (is_visible[static_cast<std::size_t>(f.neighbour[e])]) continue;
      const std::int16_t from = f.vertex[e];
      if (edge_from[static_cast<std::size_t>(from)] >= 0) return false;  // the horizon touches itself
      if (horizon_count == kMaxFaces) return false;
      edge_from[static_cast<std::size_t>(from)] = static_cast<std::int16_t>(horizon_count);
      horizon[static_cast<std::size_t>(horizon_count++)] = {from, f.vertex[(e + 1) % 3], f.neighbour[e], -1};
    }
  }
  if (horizon_count < 3) return false;
  // One closed loop?
  int length = 0;
  for (int e = 0;;) {
    HorizonEdge& edge = horizon[static_cast<std::size_t>(e)];
    edge.next = edge_from[static_cast<std::size_t>(edge.to)];
    if (edge.next < 0) return false;
    e = edge.next;
    ++length;
    if (e == 0) break;
    if (length > horizon_count) return false;
  }
  if (length != horizon_count) return false;
  if (face_count_ - free_count_ - visible_count + horizon_count > kMaxFaces) return false;

  for (int i = 0; i < visible_count; ++i) {
    const auto index = static_cast<std::size_t>(visible[static_cast<std::size_t>(i)]);
    alive_[index] = false;
    offsets_[index] = kNoOffset;
    free_faces_[static_cast<std::size_t>(free_count_++)] = static_cast<std::int16_t>(index);
  }
  const int apex = vertex_count_++;
  vertices_[static_cast<std::size_t>(apex)] = point;
  std::array<std::int16_t, kMaxFaces> fan;  // the new face on each horizon edge
  for (int e = 0; e < horizon_count; ++e) {
    const HorizonEdge& edge = horizon[static_cast<std::size_t>(e)];
    const int index = new_face(edge.from, edge.to, apex);
    fan[static_cast<std::size_t>(e)] = static_cast<std::int16_t>(index);
    faces_[static_cast<std::size_t>(index)].neighbour[0] = edge.outside;
    Face& outside = faces_[static_cast<std::size_t>(edge.outside)];
    for (std::size_t k = 0; k < 3; ++k) {
      if (outside.vertex[k] == edge.to && outside.vertex[(k + 1) % 3] == edge.from) {
        outside.neighbour[k] = static_cast<std::int16_t>(index);
      }
    }
  }
  for (int e = 0; e < horizon_count; ++e) {
    const int next = horizon[static_cast<std::size_t>(e)].next;
    const std::int16_t here = fan[static_cast<std::size_t>(e)];
    const std::int16_t there = fan[static_cast<std::size_t>(next)];
    faces_[static_cast<std::size_t>(here)].neighbour[1] = there;  // across the edge from `to` to the apex
    faces_[static_cast<std::size_t>(there)].neighbour[2] = here;  // across the edge from the apex to `from`
  }
  return true;
}

}  // namespace abut::detail
