// The affine frame of a point set, the run of qhull in it, and the checks of what comes back.
#include <abut/core/aabb.h>
#include <abut/core/shapes/hull_topology.h>

#include <libqhull_r/qhull_ra.h>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

namespace abut::detail {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Index = HullTopology::Index;
using Triangle3 = std::array<Index, 3>;
using Edge = std::pair<Index, Index>;

constexpr double kHullEpsilon = std::numeric_limits<double>::epsilon();

// Extents below this many roundings of the largest coordinate do not count as extents: points that were rounded onto a
// plane lie that far from it.
constexpr double kFlat = 8.0 * kHullEpsilon;

// Where qhull leaves a point farther outside the hull than this, in units of the hull's size and coordinates, it merged
// facets that are not of one plane, and all points near facets are kept as vertices. Rounding alone moves the points of
// a plane about this far.
constexpr double kOutside = 4.0 * kHullEpsilon;

// ---- The frame of a point set

// The points' affine dimension, and up to three orthogonal axes along which they reach that far.
struct Frame {
  int dimension = 0;
  Vector3d origin = Vector3d::Zero();
  Matrix3d axes = Matrix3d::Identity();  // columns
  Vector3d extents = Vector3d::Zero();   // metres
  double largest = 0.0;                  // largest coordinate of the points, metres

  // Scale of the rounding errors, metres.
  [[nodiscard]] double size() const { return largest + extents[0]; }
  [[nodiscard]] Vector3d local(const Vector3d& point) const {
    return (axes.transpose() * (point - origin)).cwiseQuotient(extents);
  }
};

// Takes the farthest point from the origin, from the line so far, from the plane so far.
Frame frame_of(std::span<const Vector3d> points) {
  Frame frame;
  Aabb box;
  for (const Vector3d& point : points) box.merge(point);
  frame.largest = std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff());

  // A corner of the set along its widest side: half of the diameter lies on one side of it.
  int widest = 0;
  (box.upper - box.lower).maxCoeff(&widest);
  frame.origin = *std::min_element(points.begin(), points.end(),
                                   [widest](const Vector3d& p, const Vector3d& q) { return p[widest] < q[widest]; });
  const auto rejected = [&frame](const Vector3d& point) {
    Vector3d rest = point - frame.origin;
    // Twice, so that the rest is orthogonal to rounding of its own length.
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < frame.dimension; ++i) rest -= frame.axes.col(i).dot(rest) * frame.axes.col(i);
    }
    return rest;
  };
  for (int axis = 0; axis < 3; ++axis) {
    Vector3d farthest = Vector3d::Zero();
    for (const Vector3d& point : points) {
      const Vector3d rest = rejected(point);
      if (rest.stableNorm() > farthest.stableNorm()) farthest = rest;
    }
    const double extent = farthest.stableNorm();
    if (!(extent > kFlat * frame.largest)) break;
    frame.axes.col(axis) = (farthest / extent).normalized();
    frame.extents[axis] = extent;
    frame.dimension = axis + 1;
  }
  // Right-handed, so that facets keep their orientation.
  if (frame.dimension == 3 && frame.axes.col(0).cross(frame.axes.col(1)).dot(frame.axes.col(2)) < 0.0)
    frame.axes.col(2) = -frame.axes.col(2);
  return frame;
}

// ---- qhull

// Where qhull writes its messages: nowhere.
std::FILE* open_null_stream() {
#ifdef _WIN32
  return std::fopen("NUL", "w");
#else
  return std::fopen("/dev/null", "w");
#endif
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Ends a run of qhull and frees what it holds, whether it succeeded or not.
class QhullRun {
 public:
  QhullRun() {
    QHULL_LIB_CHECK
    sink_.reset(open_null_stream());
    if (sink_) qh_zero(&state_, sink_.get());
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  ~QhullRun() {
    if (!sink_) return;
    int open_blocks = 0;
    int open_bytes = 0;
    qh_freeqhull(&state_, !qh_ALL);
    qh_memfreeshort(&state_, &open_blocks, &open_bytes);
  }

  // Qt: triangles only. Qc: keep the points near facets. Pp: no advice on precision.
  [[nodiscard]] bool hull_of(std::vector<double>& coordinates, int dimension) {
    if (!sink_) return false;
    char command[] = "qhull Qt Qc Pp";
    const int count = static_cast<int>(coordinates.size()) / dimension;
    return qh_new_qhull(&state_, dimension, count, coordinates.data(), /*ismalloc=*/False, command, sink_.get(),
                        sink_.get()) == qh_ERRnone;
  }
  [[nodiscard]] qhT* state() { return &state_; }

 private:
  std::unique_ptr<std::FILE, CloseFile> sink_;
  qhT state_;
};

struct Hull {
  std::vector<Triangle3> facets;  // dimension 3: triangles; dimension 2: edges, the third entry unused
  std::vector<Index> coplanar;    // points that are no corners and lie near a facet
  double outside = 0.0;           // metres: how far points reach out of the facets
};

// Hull of the points in their frame (dimension 2 or 3); nothing when qhull fails.
std::optional<Hull> run_qhull(std::span<const Vector3d> points, const Frame& frame) {
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 3) return std::nullopt;
  const int dimension = frame.dimension;
  std::vector<double> coordinates;
  coordinates.reserve(points.size() * static_cast<std::size_t>(dimension));
  for (const Vector3d& point : points) {
    const Vector3d local = frame.local(point);
    for (int i = 0; i < dimension; ++i) coordinates.push_back(local[i]);
  }
  QhullRun run;
  if (!run.hull_of(coordinates, dimension)) return std::nullopt;

  qhT* qh = run.state();
  const auto id_of = [&](const pointT* point) { return static_cast<Index>((point - coordinates.data()) / dimension); };
  Hull hull;
  facetT* facet = nullptr;
  FORALLfacets {
    if (!facet->simplicial) return std::nullopt;
    Triangle3 corners{};
    std::size_t count = 0;
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FOREACHvertex_(facet->vertices) {
      if (count == static_cast<std::size_t>(dimension)) return std::nullopt;
      corners[count++] = id_of(vertex->point);
    }
    if (count != static_cast<std::size_t>(dimension)) return std::nullopt;
    if (dimension == 3 && (facet->toporient != 0) != (qh_ORIENTclock != 0)) std::swap(corners[1], corners[2]);
    hull.facets.push_back(corners);

    // The facet's normal in metres: covectors map by the inverse of the scale.
    double length_sq = 0.0;
    for (int i = 0; i < dimension; ++i) length_sq += std::pow(facet->normal[i] / frame.extents[i], 2);
    pointT* point = nullptr;
    pointT** pointp = nullptr;
    FOREACHpoint_(facet->coplanarset) {
      double distance = facet->offset;
      const double* local =
          coordinates.data() + static_cast<std::size_t>(id_of(point)) * static_cast<std::size_t>(dimension);
      for (int i = 0; i < dimension; ++i) distance += facet->normal[i] * local[i];
      distance /= std::sqrt(length_sq);
      hull.outside = std::max(hull.outside, distance);
      hull.coplanar.push_back(id_of(point));
    }
  }
  return hull;
}

// ---- What the facets make

// The edges of a polygon as one ring of corners; empty when they do not form one.
std::vector<Index> ring_of(const std::vector<Triangle3>& edges, std::size_t vertex_count) {
  constexpr Index kNone = std::numeric_limits<Index>::max();
  std::vector<std::array<Index, 2>> adjacent(vertex_count, {kNone, kNone});
  for (const Triangle3& edge : edges) {
    for (std::size_t k = 0; k < 2; ++k) {
      std::array<Index, 2>& ends = adjacent[edge[k]];
      if (ends[1] != kNone) return {};
      (ends[0] == kNone ? ends[0] : ends[1]) = edge[1 - k];
    }
  }
  std::vector<Index> ring = {edges.front()[0]};
  Index previous = kNone;
  while (ring.size() <= edges.size()) {
    const std::array<Index, 2>& ends = adjacent[ring.back()];
    const Index next = ends[0] == previous ? ends[1] : ends[0];
    if (next == kNone) return {};
    if (next == ring.front()) break;
    previous = ring.back();
    ring.push_back(next);
  }
  return ring.size() == edges.size() && ring.size() >= 3 ? ring : std::vector<Index>{};
}

// Every edge of a closed surface is passed once in each direction.
bool is_closed(const std::vector<Triangle3>& triangles) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles.size());
  for (const Triangle3& t : triangles) {
    for (std::size_t k = 0; k < 3; ++k) edges.emplace_back(t[k], t[(k + 1) % 3]);
  }
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return std::all_of(edges.begin(), edges.end(), [&](const Edge& edge) {
    return std::binary_search(edges.begin(), edges.end(), Edge(edge.second, edge.first));
  });
}

HullTopology segment_topology(std::span<const Vector3d> points, const Frame& frame) {
  HullTopology result;
  result.is_vertex.assign(points.size(), false);
  const auto below = [&](const Vector3d& p, const Vector3d& q) { return frame.local(p).x() < frame.local(q).x(); };
  const auto [lowest, topmost] = std::minmax_element(points.begin(), points.end(), below);
  const auto first = static_cast<Index>(lowest - points.begin());
  const auto last = static_cast<Index>(topmost - points.begin());
  result.is_vertex[first] = result.is_vertex[last] = true;
  result.edges.emplace_back(first, last);
  return result;
}

HullTopology flat_topology(const Hull& hull, std::size_t point_count) {
  HullTopology result;
  result.is_vertex.assign(point_count, false);
  const std::vector<Index> ring = ring_of(hull.facets, point_count);
  result.is_complete = !ring.empty();
  for (std::size_t i = 0; i < ring.size(); ++i) {
    result.is_vertex[ring[i]] = true;
    result.edges.emplace_back(ring[i], ring[(i + 1) % ring.size()]);
  }
  for (std::size_t i = 1; i + 1 < ring.size(); ++i) {
    result.triangles.push_back({ring[0], ring[i], ring[i + 1]});
    result.triangles.push_back({ring[0], ring[i + 1], ring[i]});
  }
  return result;
}

HullTopology solid_topology(const Hull& hull, std::size_t point_count) {
  HullTopology result;
  result.is_vertex.assign(point_count, false);
  result.is_complete = is_closed(hull.facets);
  result.triangles = hull.facets;
  for (const Triangle3& t : hull.facets) {
    for (std::size_t k = 0; k < 3; ++k) {
      result.is_vertex[t[k]] = true;
      result.edges.emplace_back(t[k], t[(k + 1) % 3]);
    }
  }
  return result;
}

}  // namespace

HullTopology hull_topology(std::span<const Vector3d> points) {
  const Frame frame = frame_of(points);
  HullTopology result;
  if (frame.dimension == 0) {
    result.is_vertex.assign(points.size(), false);
    result.is_vertex[0] = true;
  } else if (frame.dimension == 1) {
    result = segment_topology(points, frame);
  } else if (const std::optional<Hull> hull = run_qhull(points, frame)) {
    result = frame.dimension == 2 ? flat_topology(*hull, points.size()) : solid_topology(*hull, points.size());
    result.outside = hull->outside;
    if (!result.is_complete) {
      result.is_vertex.assign(points.size(), true);
    } else if (result.outside > kOutside * frame.size()) {
      for (const Index point : hull->coplanar) result.is_vertex[point] = true;
      result.is_complete = false;
    }
  } else {
    result.is_vertex.assign(points.size(), true);
    result.is_complete = false;
  }
  result.dimension = frame.dimension;
  result.size = frame.size();
  return result;
}

}  // namespace abut::detail
