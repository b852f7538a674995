#include <abut/core/triangle_normal.h>
#include <abut/narrowphase/polytope.h>
#include <abut/narrowphase/simplex.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

// Heights above a plane smaller than this fraction of the polytope's size are rounding.
constexpr double kPlaneRounding = 1e-15;
// Where a point lies in a facet of many triangles, rounding may let it see some of them and not those between. Heights
// up to so many times as large are then taken for rounding as well, in steps of the next.
constexpr double kMostRounding = 256.0;
constexpr double kMoreRounding = 16.0;
// A face whose height is below this fraction of its longest edge has no usable normal.
constexpr double kNoArea = 1e-13;
// Faces whose normals have a larger dot product may be pieces of one facet.
constexpr double kCoplanar = 1.0 - 1e-8;

using Edge = Polytope::Edge;

// Which directed edges there are among a few, a bit each. Nothing is cleared at the start: an edge that is asked for
// has to be forgotten first, before any is added, since its neighbours in the same word go with it.
class EdgeSet {
 public:
  void forget(const Edge& edge) { bits_[word(edge)] = 0; }
  void add(const Edge& edge) { bits_[word(edge)] |= bit(edge); }
  [[nodiscard]] bool contains(const Edge& edge) const { return (bits_[word(edge)] & bit(edge)) != 0; }

 private:
  static constexpr std::size_t kWords = (Polytope::kMaxVertices + 63) / 64;  // a vertex

  static std::size_t word(const Edge& edge) {
    return static_cast<std::size_t>(edge.from) * kWords + static_cast<std::size_t>(edge.to) / 64;
  }
  static std::uint64_t bit(const Edge& edge) { return std::uint64_t{1} << (static_cast<unsigned>(edge.to) % 64); }

  std::array<std::uint64_t, kWords * Polytope::kMaxVertices> bits_;
};

}  // namespace

Polytope::Polytope(const std::array<DifferencePoint, 4>& corners) {
  double size = 0.0;
  for (const DifferencePoint& corner : corners) {
    vertices_[at(vertex_count_++)] = corner;
    size = std::max(size, corner.difference.norm());
  }
  rounding_ = kPlaneRounding * size;
  const Vector3d& p = corners[0].difference;
  const Vector3d pq = corners[1].difference - p;
  const Vector3d pr = corners[2].difference - p;
  const Vector3d ps = corners[3].difference - p;
  if (pq.cross(pr).dot(ps) > 0.0) std::swap(vertices_[1], vertices_[2]);  // the fourth corner lies behind face 0 1 2
  set_face(new_place(), 0, 1, 2);
  set_face(new_place(), 0, 3, 1);
  set_face(new_place(), 1, 3, 2);
  set_face(new_place(), 2, 3, 0);
}

void Polytope::clear_face(int face) {
  normal_x_[at(face)] = 0.0;
  normal_y_[at(face)] = 0.0;
  normal_z_[at(face)] = 0.0;
  plane_[at(face)] = 0.0;
  rank_[at(face)] = kNoOffset;
}

int Polytope::new_place() {
  if (at(face_count_) % kBlock == 0) {
    for (int f = face_count_; f < face_count_ + static_cast<int>(kBlock); ++f) clear_face(f);
  }
  return face_count_++;
}

void Polytope::set_face(int face, int i, int j, int k) {
  corners_[at(face)] = {static_cast<std::int16_t>(i), static_cast<std::int16_t>(j), static_cast<std::int16_t>(k)};
  const Vector3d& p = vertex(i).difference;
  const Vector3d& q = vertex(j).difference;
  const Vector3d& r = vertex(k).difference;
  const auto [normal, longest_sq] = TriangleNormal(p, q, r);
  const double length = normal.norm();
  if (!(length > kNoArea * longest_sq)) {
    clear_face(face);
    return;
  }
  const Vector3d unit = normal / length;
  normal_x_[at(face)] = unit.x();
  normal_y_[at(face)] = unit.y();
  normal_z_[at(face)] = unit.z();
  plane_[at(face)] = unit.dot(p);
  // Of a sliver the normal is tilted by rounding, and other corners lie below the plane through the first.
  rank_[at(face)] = std::min(plane_[at(face)], std::min(unit.dot(q), unit.dot(r)));
}

int Polytope::nearest_face() const {
  using Doubles = Registers::Doubles;
  using Integers = Registers::Integers;
  constexpr auto kWidth = static_cast<std::int64_t>(kSimdWidth);
  Doubles best_0 = Registers::broadcast(kNoOffset);
  Doubles best_1 = best_0;
  Integers where_0 = Integers{} - 1;
  Integers where_1 = where_0;
  Integers block{};
  for (std::size_t f = 0; f < at(face_count_); f += kBlock) {
    const Doubles rank_0 = Registers::load(&rank_[f]);
    const Doubles rank_1 = Registers::load(&rank_[f + kSimdWidth]);
    where_0 = Registers::select(rank_0 < best_0, block, where_0);
    where_1 = Registers::select(rank_1 < best_1, block + kWidth, where_1);
    best_0 = rank_0 < best_0 ? rank_0 : best_0;
    best_1 = rank_1 < best_1 ? rank_1 : best_1;
    block = block + 2 * kWidth;
  }
  const Integers where = Registers::select(best_1 < best_0, where_1, where_0);
  const Doubles best = best_1 < best_0 ? best_1 : best_0;
  std::int64_t face = -1;
  double smallest = kNoOffset;
  for (std::size_t i = 0; i < kSimdWidth; ++i) {
    face = select(best[i] < smallest, where[i] + static_cast<std::int64_t>(i), face);
    smallest = std::min(smallest, best[i]);
  }
  return static_cast<int>(face);
}

Polytope::NearestPoint Polytope::nearest_point(int face, double tolerance) const {
  const Vector3d facet_normal = normal(face);
  NearestPoint best{face, {1.0, 0.0, 0.0}};  // stands where squares overflow
  double smallest_sq = std::numeric_limits<double>::infinity();
  for (int i = 0; i < face_count_; ++i) {
    const bool is_coplanar = offset(i) <= offset(face) + tolerance && normal(i).dot(facet_normal) > kCoplanar;
    if (!is_coplanar && i != face) continue;
    const Vector3d& p = vertex(corners(i)[0]).difference;
    const Vector3d& q = vertex(corners(i)[1]).difference;
    const Vector3d& r = vertex(corners(i)[2]).difference;
    const std::array<double, 3> weight = nearest_on_triangle(p, q, r);
    const double distance_sq = (weight[0] * p + weight[1] * q + weight[2] * r).squaredNorm();
    if (distance_sq < smallest_sq) {
      smallest_sq = distance_sq;
      best = {i, weight};
    }
  }
  return best;
}

// Every vertex of the horizon starts one edge of it, and the edges form one loop.
bool Polytope::is_loop(const Edge* horizon, int count) const {
  std::array<std::int16_t, kMaxVertices> edge_from;  // only elements of the horizon's vertices are ever read
  for (int e = 0; e < count; ++e) edge_from[at(horizon[e].to)] = -1;
  for (int e = 0; e < count; ++e) edge_from[at(horizon[e].from)] = static_cast<std::int16_t>(e);
  int e = 0;
  for (int length = 1; length <= count; ++length) {
    e = edge_from[at(horizon[e].to)];
    if (e < 0) return false;
    if (e == 0) return length == count;
  }
  return false;
}

Polytope::Growth Polytope::grow(const DifferencePoint& point) {
  if (vertex_count_ == kMaxVertices) return Growth::no_room;
  Growth growth = Growth::crossed;
  for (double times = 1.0; growth == Growth::crossed && times <= kMostRounding; times *= kMoreRounding) {
    growth = grow_above(point, times * rounding_);
  }
  return growth;
}

Polytope::Growth Polytope::grow_above(const DifferencePoint& point, double rounding) {
  const Vector3d& p = point.difference;

  // The faces that see the point.
  std::array<std::int16_t, kMaxFaces> visible;
  int visible_count = 0;
  const auto x = Registers::broadcast(p.x());
  const auto y = Registers::broadcast(p.y());
  const auto z = Registers::broadcast(p.z());
  const auto threshold = Registers::broadcast(rounding);
  constexpr std::size_t kChunk = 64 * kSimdWidth;  // a bit a face
  for (std::size_t chunk = 0; chunk < at(face_count_); chunk += kChunk) {
    const std::size_t end = std::min(chunk + kChunk, at(face_count_));
    Registers::Integers seen{};
    Registers::Integers bit = Registers::Integers{} + 1;
    for (std::size_t f = chunk; f < end; f += kSimdWidth) {
      const auto height = Registers::load(&normal_x_[f]) * x + Registers::load(&normal_y_[f]) * y +
                          Registers::load(&normal_z_[f]) * z - Registers::load(&plane_[f]);
      seen |= (height > threshold) & bit;
      bit <<= 1;
    }
    for (std::size_t lane = 0; lane < kSimdWidth; ++lane) {
      for (auto rest = static_cast<std::uint64_t>(seen[lane]); rest != 0; rest &= rest - 1) {
        const std::size_t f = chunk + kSimdWidth * static_cast<std::size_t>(std::countr_zero(rest)) + lane;
        visible[at(visible_count++)] = static_cast<std::int16_t>(f);
      }
    }
  }
  if (visible_count == 0) return Growth::needless;
  // An edge whose reverse is one of a visible face too lies inside the hole.
  const auto for_each_edge = [&](const auto& visit) {
    for (int i = 0; i < visible_count; ++i) {
      const std::array<std::int16_t, 3>& c = corners(visible[at(i)]);
      visit(Edge{c[0], c[1]});
      visit(Edge{c[1], c[2]});
      visit(Edge{c[2], c[0]});
    }
  };
  const auto reverse = [](const Edge& edge) { return Edge{edge.to, edge.from}; };
  EdgeSet edges;
  for_each_edge([&](const Edge& edge) {
    edges.forget(edge);
    edges.forget(reverse(edge));
  });
  for_each_edge([&](const Edge& edge) { edges.add(edge); });
  std::array<Edge, 3 * kMaxFaces> horizon;
  int horizon_count = 0;
  bool is_known = false;
  for_each_edge([&](const Edge& edge) {
    horizon[at(horizon_count)] = edge;
    horizon_count += edges.contains(reverse(edge)) ? 0 : 1;
    is_known |= (vertex(edge.from).difference.array() == p.array()).all();
  });
  if (is_known) return Growth::needless;
  if (horizon_count < 3 || !is_loop(horizon.data(), horizon_count)) return Growth::crossed;
  const int face_count = face_count_ - visible_count + horizon_count;
  if (face_count > kMaxFaces) return Growth::no_room;

  // The fan takes the places of the visible faces, then new ones; places left over are filled from the end.
  const int apex = vertex_count_++;
  vertices_[at(apex)] = point;
  rounding_ = std::max(rounding_, kPlaneRounding * p.norm());
  for (int e = 0; e < horizon_count; ++e) {
    const int face = e < visible_count ? visible[at(e)] : new_place();
    set_face(face, horizon[at(e)].from, horizon[at(e)].to, apex);
  }
  for (int i = visible_count - 1; i >= horizon_count; --i) {
    const int hole = visible[at(i)];
    const int last = --face_count_;
    normal_x_[at(hole)] = normal_x_[at(last)];
    normal_y_[at(hole)] = normal_y_[at(last)];
    normal_z_[at(hole)] = normal_z_[at(last)];
    plane_[at(hole)] = plane_[at(last)];
    rank_[at(hole)] = rank_[at(last)];
    corners_[at(hole)] = corners_[at(last)];
    clear_face(last);
  }
  return Growth::done;
}

}  // namespace abut::detail
