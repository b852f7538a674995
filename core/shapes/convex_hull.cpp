// Convex hull: its data from the hull's corners and edges, and the climb over them.
#include <abut/core/error.h>
#include <abut/core/shapes/convex_hull.h>
#include <abut/core/shapes/hull_topology.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace abut {
namespace {

using Index = std::uint32_t;
using Edge = std::pair<Index, Index>;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Hulls of up to this many vertices are scanned: that costs less than a climb.
constexpr std::size_t kScanLimit = 64;

// Cells along the edge of a face of the cube map that holds the starts of climbs. 4: some 96 starts, so that a climb on
// 8000 vertices takes a few steps.
constexpr int kMapCells = 4;

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

Index scan(std::span<const Vector3d> vertices, const Vector3d& direction) {
  Index best = 0;
  double value = vertices[0].dot(direction);
  for (Index i = 1; i < vertices.size(); ++i) {
    const double candidate = vertices[i].dot(direction);
    if (candidate > value) {
      value = candidate;
      best = i;
    }
  }
  return best;
}

// Cell of a coordinate in [-1, 1] on the cube map; a NaN goes to cell 0.
int map_cell(double coordinate) {
  const double cell = 0.5 * (coordinate + 1.0) * kMapCells;
  return cell > 0.0 ? static_cast<int>(std::min(cell, kMapCells - 1.0)) : 0;
}

std::size_t map_index(const Vector3d& direction) {
  int axis = 0;
  const double largest = direction.cwiseAbs().maxCoeff(&axis);
  const int u = map_cell(direction[(axis + 1) % 3] / largest);
  const int v = map_cell(direction[(axis + 2) % 3] / largest);
  const int face = 2 * axis + (direction[axis] < 0.0 ? 1 : 0);
  return static_cast<std::size_t>((face * kMapCells + u) * kMapCells + v);
}

Vector3d map_direction(std::size_t index) {
  const auto cell = static_cast<int>(index);
  const int axis = cell / (2 * kMapCells * kMapCells);
  const bool negative = cell / (kMapCells * kMapCells) % 2 != 0;
  Vector3d direction;
  direction[axis] = negative ? -1.0 : 1.0;
  direction[(axis + 1) % 3] = (2.0 * (cell / kMapCells % kMapCells) + 1.0) / kMapCells - 1.0;
  direction[(axis + 2) % 3] = (2.0 * (cell % kMapCells) + 1.0) / kMapCells - 1.0;
  return direction;
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
        if (count == kMaxPlateau) return scan(vertices, direction);
        level[count++] = neighbour;
      }
    }
    if (next == best) return best;
    best = next;
  }
}

Index ConvexHull::support_vertex(const Vector3d& direction, Index start) const {
  const Data& data = *data_;
  if (!data.climbable) return scan(data.vertices, direction);
  const Index mapped = data.starts[map_index(direction)];
  const bool keep =
      start < data.vertices.size() && data.vertices[start].dot(direction) > data.vertices[mapped].dot(direction);
  return climb(data, direction, keep ? start : mapped);
}

ConvexHull ConvexHull::from_points(std::span<const Vector3d> input) {
  if (input.empty()) throw InvalidInput("points", "must have at least one point");
  if (input.size() > std::numeric_limits<Index>::max() / 8) {
    throw InvalidInput("points", "must be fewer than 2^29", static_cast<double>(input.size()));
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (!input[i].allFinite()) require_finite("points[" + std::to_string(i) + "]", input[i]);
  }
  const std::vector<Vector3d> points = distinct(input);
  const detail::HullTopology topology = detail::hull_topology(points);
  auto data = std::make_shared<Data>();
  data->dimension = topology.dimension;

  // Renumber: vertices only, in the order of the input.
  std::vector<Index> number(points.size(), 0);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!topology.is_vertex[i]) continue;
    number[i] = static_cast<Index>(data->vertices.size());
    data->vertices.push_back(points[i]);
  }
  for (const auto& t : topology.triangles) data->triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
  std::vector<Edge> directed;
  directed.reserve(2 * topology.edges.size());
  for (const Edge& edge : topology.edges) {
    directed.emplace_back(number[edge.first], number[edge.second]);
    directed.emplace_back(number[edge.second], number[edge.first]);
  }
  std::sort(directed.begin(), directed.end());
  directed.erase(std::unique(directed.begin(), directed.end()), directed.end());
  data->neighbour_begin.assign(data->vertices.size() + 1, 0);
  for (const Edge& edge : directed) {
    ++data->neighbour_begin[edge.first + 1];
    data->neighbours.push_back(edge.second);
  }
  std::partial_sum(data->neighbour_begin.begin(), data->neighbour_begin.end(), data->neighbour_begin.begin());

  // Boxes and centre.
  Eigen::Matrix3Xd columns(3, static_cast<Eigen::Index>(data->vertices.size()));
  for (std::size_t i = 0; i < data->vertices.size(); ++i) {
    columns.col(static_cast<Eigen::Index>(i)) = data->vertices[i];
    data->aabb.merge(data->vertices[i]);
    data->center += data->vertices[i] / static_cast<double>(data->vertices.size());
  }
  data->obb = bounding_obb(columns);

  // The climb's tolerance covers the hull's own and the rounding of a dot product.
  data->plateau = 2.0 * topology.outside + 8.0 * kEpsilon * topology.size;
  data->climbable = topology.is_complete && data->vertices.size() > kScanLimit &&
                    is_connected(data->neighbour_begin, data->neighbours);
  if (data->climbable) {
    data->starts.reserve(6 * kMapCells * kMapCells);
    Index start = 0;
    for (std::size_t i = 0; i < 6 * kMapCells * kMapCells; ++i) {
      start = climb(*data, map_direction(i), start);
      data->starts.push_back(start);
    }
  }
  return ConvexHull(std::move(data));
}

}  // namespace abut
