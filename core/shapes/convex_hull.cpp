// Convex hull: its data from the hull's corners and edges, and the climb over them.
#include <abut/core/error.h>
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_topology.h>
#include <abut/core/triangle_normal.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace abut {
namespace {

using Index = std::uint32_t;
using Edge = std::pair<Index, Index>;

// Hulls of up to this many vertices are scanned: that costs less than a look into a map. Measured with registers of 2
// doubles; with 8 the two cost the same here, and a scan of 40 vertices costs twice as much as the map.
constexpr std::size_t kScanLimit = 32;

// All vertices of hulls of up to this many are looked at for a box around them: with AVX2 that is 27 instructions for
// four, and six looks into a map are some 1 260, whatever the number.
constexpr std::size_t kBoundsLimit = 128;
// And where sums of three of their coordinates are finite, metres.
constexpr double kLargestBounds = 1e300;

// Vertices of a plateau to explore before a scan is the cheaper way.
constexpr std::size_t kMaxPlateau = 32;

// Positions of the distinct points, each at its first occurrence, in the order of the input.
std::vector<Vector3d> distinct(std::span<const Vector3d> points) {
  std::vector<Index> order(points.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index i, Index j) {
    const Vector3d& p = points[i];
    const Vector3d& q = points[j];
    for (int k = 0; k < 3; ++k) {
      if (p[k] != q[k]) return p[k] < q[k];
    }
    return i < j;
  };
  std::sort(order.begin(), order.end(), before);
  order.erase(std::unique(order.begin(), order.end(), [&](Index i, Index j) { return points[i] == points[j]; }),
              order.end());
  std::sort(order.begin(), order.end());
  std::vector<Vector3d> result;
  result.reserve(order.size());
  for (const Index i : order) result.push_back(points[i]);
  return result;
}

std::vector<Vector3d> only_corners(std::span<const Vector3d> points, const std::vector<bool>& is_vertex) {
  std::vector<Vector3d> corners;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_vertex[i]) corners.push_back(points[i]);
  }
  return corners;
}

bool is_connected(std::span<const Index> row_begin, std::span<const Index> columns) {
  std::vector<bool> seen(row_begin.size() - 1, false);
  std::vector<Index> pending = {0};
  seen[0] = true;
  std::size_t count = 1;
  while (!pending.empty()) {
    const Index vertex = pending.back();
    pending.pop_back();
    for (Index i = row_begin[vertex]; i < row_begin[vertex + 1]; ++i) {
      if (seen[columns[i]]) continue;
      seen[columns[i]] = true;
      ++count;
      pending.push_back(columns[i]);
    }
  }
  return count == seen.size();
}

// The points in the order of Morton's curve through their box: a look-up among the vertices of a scanned body then
// touches few lines of memory.
std::vector<Vector3d> along_curve(std::span<const Vector3d> points) {
  constexpr double kCells = 1024.0;  // along an axis: 10 bits each
  const auto spread = [](double cell) {
    std::uint64_t bits = static_cast<std::uint64_t>(cell);
    bits = (bits | bits << 16) & 0x030000ffu;
    bits = (bits | bits << 8) & 0x0300f00fu;
    bits = (bits | bits << 4) & 0x030c30c3u;
    return (bits | bits << 2) & 0x09249249u;
  };
  Aabb box;
  for (const Vector3d& point : points) box.merge(point);
  std::vector<std::pair<std::uint64_t, Index>> keys(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    keys[i] = {0, static_cast<Index>(i)};
    for (int axis = 0; axis < 3; ++axis) {
      // Halves, so that a box as wide as the range of double has a finite width.
      const double width = 0.5 * box.upper[axis] - 0.5 * box.lower[axis];
      const double along = width > 0.0 ? (0.5 * points[i][axis] - 0.5 * box.lower[axis]) / width : 0.0;
      keys[i].first |= spread(std::clamp(kCells * along, 0.0, kCells - 1.0)) << axis;
    }
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Vector3d> ordered;
  ordered.reserve(points.size());
  for (const auto& [key, i] : keys) ordered.push_back(points[i]);
  return ordered;
}

// Unit normals of the largest faces, of parallel ones the largest: tight boxes mostly lie flush with one of them.
std::vector<Vector3d> main_normals(std::span<const Vector3d> vertices, const detail::HullFaces& faces) {
  constexpr std::size_t kMost = 6;
  constexpr double kSameWay = 0.999;  // cosine of 2.6 degrees
  double size = 0.0;
  for (const Vector3d& vertex : vertices) size = std::max(size, vertex.lpNorm<Eigen::Infinity>());
  const auto scaled = [&](Index vertex) -> Vector3d { return vertices[vertex] / size; };  // no square overflows
  std::vector<std::pair<double, Index>> by_area(faces.size());
  for (Index face = 0; face < faces.size(); ++face) {
    const std::span<const Index> ring = faces.corners(face);
    Vector3d twice_area = Vector3d::Zero();
    const Vector3d first = scaled(ring[0]);
    for (std::size_t i = 2; i < ring.size(); ++i) {
      twice_area += (scaled(ring[i - 1]) - first).cross(scaled(ring[i]) - first);
    }
    by_area[face] = {-twice_area.norm(), face};
  }
  std::sort(by_area.begin(), by_area.end());
  std::vector<Vector3d> normals;
  for (const auto& [area, face] : by_area) {
    if (normals.size() == kMost) break;
    const Vector3d& normal = faces.normal(face);
    const bool is_new =
        std::ranges::none_of(normals, [&](const Vector3d& known) { return std::abs(known.dot(normal)) > kSameWay; });
    if (is_new) normals.push_back(normal);
  }
  return normals;
}

// The least height of a point above the planes of the triangles, inwards, less what rounding may have added; 0 where it
// is outside or rounding. @param thickness  Half the hull's least extent along some axis, metres.
double least_offset(std::span<const Vector3d> vertices, std::span<const std::array<Index, 3>> triangles,
                    const Vector3d& point, double thickness) {
  constexpr double kRounding = 1e-9;  // of the length that is found
  // Of a needle its own sides may have no usable normals.
  constexpr double kNeedle = 1e-6;
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  double least = std::numeric_limits<double>::infinity();
  double longest_sliver_sq = 0.0;
  for (const auto& [i, j, k] : triangles) {
    const detail::TriangleNormal triangle(vertices[i], vertices[j], vertices[k]);
    const double length = triangle.length();
    if (!(length > kRounding * triangle.longest_sq)) {  // between others, within the last of the digits
      longest_sliver_sq = std::max(longest_sliver_sq, triangle.longest_sq);
      continue;
    }
    const Vector3d away = vertices[i] - point;
    const double turned = 8.0 * kEpsilon * (1.0 + triangle.longest_sq / length);  // the normal, by rounding, radians
    least = std::min(least, triangle.normal.dot(away) / length - turned * away.norm());
  }
  const double longest_sliver = std::sqrt(longest_sliver_sq);
  if (thickness < kNeedle * longest_sliver) return 0.0;
  least -= kRounding * longest_sliver;
  return std::isfinite(least) && least > 0.0 ? (1.0 - kRounding) * least : 0.0;
}

}  // namespace

Index ConvexHull::climb(const Data& data, const Vector3d& direction, Index start) {
  const std::vector<Vector3d>& vertices = data.vertices;
  Index best = start;
  double value = vertices[best].dot(direction);
  const double plateau = data.plateau * direction.lpNorm<1>();

  std::array<Index, kMaxPlateau> level;
  for (;;) {
    // Steepest ascent first.
    Index next = best;
    double next_value = value;
    bool is_tied = false;
    for (Index i = data.neighbour_begin[best]; i < data.neighbour_begin[best + 1]; ++i) {
      const Index neighbour = data.neighbours[i];
      const double candidate = vertices[neighbour].dot(direction);
      if (candidate > next_value) {
        next = neighbour;
        next_value = candidate;
      }
      is_tied = is_tied || candidate >= value - plateau;
    }
    if (next != best) {
      best = next;
      value = next_value;
      continue;
    }
    if (!is_tied) return best;

    // Rounding may hide the way up across a nearly level facet. All vertices on the level are visited; a vertex below
    // the level by more than rounding needs no visit, since the surface is convex to within that.
    std::size_t count = 1;
    level[0] = best;
    for (std::size_t head = 0; head < count && next == best; ++head) {
      for (Index i = data.neighbour_begin[level[head]]; i < data.neighbour_begin[level[head] + 1]; ++i) {
        const Index neighbour = data.neighbours[i];
        const double candidate = vertices[neighbour].dot(direction);
        if (candidate > value) {
          next = neighbour;
          value = candidate;
          break;
        }
        const auto visited = std::span(level).first(count);
        if (candidate < value - plateau || std::find(visited.begin(), visited.end(), neighbour) != visited.end()) {
          continue;
        }
        if (count == kMaxPlateau) return data.scan.farthest(direction);
        level[count++] = neighbour;
      }
    }
    if (next == best) return best;
    best = next;
  }
}

// Of a hull with a map of directions.
[[gnu::always_inline]] inline Index ConvexHull::mapped_vertex(const Data& data, const Vector3d& direction,
                                                              const detail::SupportMap::Place& place) {
  const detail::SupportMap::Cell cell = data.map.cell(place);
  const Index best = cell.farthest(data.vertices, direction);
  return cell.is_complete ? best : climb(data, direction, best);
}

#if defined(ABUT_AVX2_VARIANTS)

[[gnu::target("avx2")]] Index ConvexHull::mapped_vertex_avx2(const Data& data, const Vector3d& direction,
                                                             const detail::SupportMap::Place& place) {
  const detail::SupportMap::Cell cell = data.map.cell(place);
  const Index best = detail::farthest_of_eight_avx2(cell.vertices, data.vertices.data(), direction);
  return cell.is_complete ? best : climb(data, direction, best);
}

// Finds the place itself, so that the call needs no more than a jump.
[[gnu::target("avx2")]] Index ConvexHull::mapped_vertex_avx2(const Data& data, const Vector3d& direction) {
  return mapped_vertex_avx2(data, direction, data.map.place(direction));
}

#endif

Index ConvexHull::support_vertex(const Vector3d& direction) const {
  const Data& data = *data_;
  if (data.map.empty()) return data.scan.farthest(direction);
#if defined(ABUT_AVX2_VARIANTS)
  if (detail::has_avx2()) return mapped_vertex_avx2(data, direction);
#endif
  return mapped_vertex(data, direction, data.map.place(direction));
}

Index ConvexHull::support_vertex(const Vector3d& direction, const detail::SupportMap::Place& place) const {
#if defined(ABUT_AVX2_VARIANTS)
  if (detail::has_avx2()) return mapped_vertex_avx2(*data_, direction, place);
#endif
  return mapped_vertex(*data_, direction, place);
}

Aabb ConvexHull::bounds(const Eigen::Matrix3d& rotation) const {
  if (data_->scans_bounds) {
#if defined(ABUT_AVX2_VARIANTS) && !defined(__AVX__)  // with AVX the registers hold four anyway
    if (detail::has_avx2()) return data_->scan.bounds_avx2(rotation);
#endif
    return data_->scan.bounds(rotation);
  }
  Aabb box;
  for (int i = 0; i < 3; ++i) {
    const Vector3d axis = rotation.row(i);
    box.upper[i] = axis.dot(core_support(axis));
    box.lower[i] = axis.dot(core_support(-axis));
  }
  return box;
}

Index ConvexHull::climbed_vertex(const Vector3d& direction, Index start) const {
  const Data& data = *data_;
  if (!data.climbable) return data.scan.farthest(direction);
  return climb(data, direction, start < data.vertices.size() ? start : 0);
}

ConvexHull ConvexHull::from_points(std::span<const Vector3d> input) {
  if (input.empty()) throw InvalidInput("points", "must have at least one point");
  if (input.size() > std::numeric_limits<Index>::max() / 8) {
    throw InvalidInput("points", "must be fewer than 2^29", static_cast<double>(input.size()));
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (!input[i].allFinite()) require_finite("points[" + std::to_string(i) + "]", input[i]);
  }
  std::vector<Vector3d> points = along_curve(distinct(input));
  detail::HullTopology topology = detail::hull_topology(points);
  // Once more from the corners alone, until all of them are corners: then the hull depends on its vertices only, and
  // from_points(vertices()) is the same to the last bit.
  while (std::find(topology.is_vertex.begin(), topology.is_vertex.end(), false) != topology.is_vertex.end()) {
    points = along_curve(only_corners(points, topology.is_vertex));
    topology = detail::hull_topology(points);
  }
  auto data = std::make_shared<Data>();
  data->dimension = topology.dimension;

  data->vertices = points;
  data->triangles = topology.triangles;
  std::vector<Edge> directed;
  directed.reserve(2 * topology.edges.size());
  for (const Edge& edge : topology.edges) {
    directed.emplace_back(edge.first, edge.second);
    directed.emplace_back(edge.second, edge.first);
  }
  std::sort(directed.begin(), directed.end());
  directed.erase(std::unique(directed.begin(), directed.end()), directed.end());
  data->neighbour_begin.assign(data->vertices.size() + 1, 0);
  for (const Edge& edge : directed) {
    ++data->neighbour_begin[edge.first + 1];
    data->neighbours.push_back(edge.second);
  }
  std::partial_sum(data->neighbour_begin.begin(), data->neighbour_begin.end(), data->neighbour_begin.begin());

  data->faces = detail::HullFaces(data->vertices, data->triangles);
  data->outlines = {data->vertices, data->faces};
  data->surroundings = {data->vertices, data->neighbour_begin, data->neighbours, data->faces};

  // Boxes and centre.
  Eigen::Matrix3Xd columns(3, static_cast<Eigen::Index>(data->vertices.size()));
  for (std::size_t i = 0; i < data->vertices.size(); ++i) {
    columns.col(static_cast<Eigen::Index>(i)) = data->vertices[i];
    data->aabb.merge(data->vertices[i]);
    data->center += data->vertices[i] / static_cast<double>(data->vertices.size());
  }
  const Vector3d farthest = data->aabb.lower.cwiseAbs().cwiseMax(data->aabb.upper.cwiseAbs());
  data->reach = std::max((data->aabb.upper - data->aabb.lower).norm(), farthest.norm());
  data->obb = bounding_obb(columns, main_normals(data->vertices, data->faces));

  if (data->dimension == 3) {
    const double thickness = data->obb.half_extents.minCoeff();
    data->inner_radius = least_offset(data->vertices, data->triangles, data->center, thickness);
  }

  // The climb's tolerance covers the hull's own and the rounding of a dot product.
  data->plateau = 2.0 * topology.outside + 8.0 * std::numeric_limits<double>::epsilon() * topology.size;
  data->climbable = topology.is_complete && is_connected(data->neighbour_begin, data->neighbours);
  data->scan = detail::VertexScan<>(data->vertices);
  const std::size_t count = data->vertices.size();
  data->scans_bounds = count <= kBoundsLimit && farthest.maxCoeff() < kLargestBounds;
  if (data->climbable && data->dimension == 3 && count > kScanLimit && count <= detail::SupportMap::kMaxVertices) {
    data->map = detail::SupportMap(data->vertices, {data->neighbour_begin, data->neighbours}, data->plateau);
  }
  return ConvexHull(std::move(data));
}

}  // namespace abut
