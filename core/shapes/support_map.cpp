// Building the cube map. In the plane of a cube's face a cell is a square, and the directions for which vertex p beats
// its neighbour q, (p - q)·d >= 0, are a half-plane: p belongs to a cell when the square clipped by the half-planes of
// all its neighbours keeps a point. The vertices of a cell are connected by edges, since their normal cones cover the
// cell, so they are found by a walk from any one of them.
#include <abut/core/shapes/support_map.h>

#include <utility>

namespace abut::detail {
namespace {

using Index = SupportMap::Index;

// Cells are some four times as many as vertices, up to this many along an edge. Hulls of scanned objects rest on their
// flat sides, around whose normals the vertices crowd: fewer cells are divided more often there, and each division is
// one more line of the cache to wait for, which costs more than the room of the cells does.
constexpr std::size_t kMaxCells = 64;
// Times that a cell is divided.
constexpr int kMaxDivisions = 5;

// Directions on the cube are at most √3 long; the widened squares cover the rounding of the cell's index.
constexpr double kLongestDirection = 1.75;
constexpr double kWiden = 1e-12;

std::size_t cells_for(std::size_t vertex_count) {
  constexpr double kCellsAVertex = 4.0;
  const double cells = kCellsAVertex * static_cast<double>(vertex_count);
  return std::min(static_cast<std::size_t>(std::lround(std::sqrt(cells / 6.0))) + 1, kMaxCells);
}

// A square of a cube's face, in the face's own two coordinates.
struct Square {
  std::size_t axis;
  double sign;
  double lower_u, upper_u, lower_v, upper_v;

  [[nodiscard]] Vector3d direction(double u, double v) const {
    Vector3d result;
    result[static_cast<Eigen::Index>(axis)] = sign;
    result[static_cast<Eigen::Index>((axis + 1) % 3)] = u;
    result[static_cast<Eigen::Index>((axis + 2) % 3)] = v;
    return result;
  }
  [[nodiscard]] Vector3d center() const { return direction(0.5 * (lower_u + upper_u), 0.5 * (lower_v + upper_v)); }
};

// Of a square, as directions.
using Corners = std::array<Vector3d, 4>;

Corners widened_corners(const Square& square) {
  return {square.direction(square.lower_u - kWiden, square.lower_v - kWiden),
          square.direction(square.upper_u + kWiden, square.lower_v - kWiden),
          square.direction(square.upper_u + kWiden, square.upper_v + kWiden),
          square.direction(square.lower_u - kWiden, square.upper_v + kWiden)};
}

// What is left of a square after clipping by half-planes.
class ClippedSquare {
 public:
  // The whole square again; the memory is kept.
  void reset(const Corners& corners) { corners_.assign(corners.begin(), corners.end()); }

  [[nodiscard]] bool empty() const { return corners_.empty(); }

  // Keeps the directions along which `edge` rises by at least -tolerance.
  void clip(const Vector3d& edge, double tolerance) {
    const auto height = [&](const Vector3d& corner) { return edge.dot(corner) + tolerance; };
    kept_.clear();
    const std::size_t count = corners_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3d& from = corners_[i];
      const Vector3d& to = corners_[(i + 1) % count];
      const double height_from = height(from);
      const double height_to = height(to);
      if (height_from >= 0.0) kept_.push_back(from);
      if ((height_from >= 0.0) != (height_to >= 0.0)) {
        kept_.push_back(from + (height_from / (height_from - height_to)) * (to - from));
      }
    }
    corners_.swap(kept_);
  }

 private:
  std::vector<Vector3d> corners_;
  std::vector<Vector3d> kept_;
};

// Walks over the vertices of one cell after the other.
class CellWalk {
 public:
  CellWalk(std::span<const Vector3d> vertices, const SupportMap::Graph& graph, double tolerance)
      : vertices_(vertices), graph_(graph), tolerance_(tolerance), seen_(vertices.size(), 0) {}

  // The vertices of the cell, the one at its centre first; no more than one too many for a list.
  const std::vector<Index>& vertices_of(const Square& square) {
    ++walk_;
    corners_ = widened_corners(square);
    start_ = climb(square.center(), start_);
    found_.assign(1, start_);
    seen_[start_] = walk_;
    for (std::size_t head = 0; head < found_.size(); ++head) {
      for (const Index neighbour : graph_.neighbours(found_[head])) {
        if (seen_[neighbour] == walk_) continue;
        seen_[neighbour] = walk_;
        if (is_in(neighbour)) found_.push_back(neighbour);
        if (found_.size() > SupportMap::kCandidates) return found_;
      }
    }
    return found_;
  }

 private:
  [[nodiscard]] Index climb(const Vector3d& direction, Index start) const {
    Index best = start;
    double value = vertices_[best].dot(direction);
    for (bool rises = true; rises;) {
      rises = false;
      for (const Index neighbour : graph_.neighbours(best)) {
        const double candidate = vertices_[neighbour].dot(direction);
        if (candidate > value) {
          best = neighbour;
          value = candidate;
          rises = true;
        }
      }
    }
    return best;
  }

  // Whether the vertex is farthest along some direction of the square. Most squares lie on one side of most edges:
  // their corners tell.
  bool is_in(Index vertex) {
    cutting_.clear();
    for (const Index neighbour : graph_.neighbours(vertex)) {
      const Vector3d edge = vertices_[vertex] - vertices_[neighbour];
      int above = 0;
      for (const Vector3d& corner : corners_) above += edge.dot(corner) + tolerance_ >= 0.0 ? 1 : 0;
      if (above == 0) return false;
      if (above < 4) cutting_.push_back(edge);
    }
    if (cutting_.size() <= 1) return true;
    rest_.reset(corners_);
    for (const Vector3d& edge : cutting_) {
      rest_.clip(edge, tolerance_);
      if (rest_.empty()) return false;
    }
    return true;
  }

  std::span<const Vector3d> vertices_;
  SupportMap::Graph graph_;
  double tolerance_;
  std::vector<std::uint32_t> seen_;  // the last walk that met the vertex
  std::uint32_t walk_ = 0;
  Index start_ = 0;
  std::vector<Index> found_;
  Corners corners_;  // of the square of the walk
  ClippedSquare rest_;
  std::vector<Vector3d> cutting_;  // edges whose half-planes cut the square
};

}  // namespace

class SupportMap::Builder {
 public:
  Builder(SupportMap& map, std::span<const Vector3d> vertices, const Graph& graph, double tolerance)
      : map_(map), walk_(vertices, graph, kLongestDirection * tolerance) {}

  // Fills a cell and, where it must be divided, its parts.
  void fill(std::size_t index, const Square& square, int divisions_left) {
    const std::vector<Index>& found = walk_.vertices_of(square);
    const bool fits = found.size() <= kCandidates;
    if (fits || divisions_left == 0) {
      Candidates list;
      for (std::size_t i = 0; i < kCandidates; ++i) {
        list[i] = static_cast<std::uint16_t>(found[i < found.size() ? i : 0]);
      }
      if (is_complete(list) != fits) std::swap(list[kCandidates - 2], list[kCandidates - 1]);
      map_.candidates_[index] = list;
      return;
    }
    const std::size_t first = map_.candidates_.size();
    map_.candidates_[index] = {kDivided, static_cast<std::uint16_t>(first & 0xffff),
                               static_cast<std::uint16_t>(first >> 16)};
    map_.candidates_.resize(first + 4);
    const double middle_u = 0.5 * (square.lower_u + square.upper_u);
    const double middle_v = 0.5 * (square.lower_v + square.upper_v);
    for (std::size_t part = 0; part < 4; ++part) {
      Square quarter = square;
      (part / 2 == 0 ? quarter.upper_u : quarter.lower_u) = middle_u;
      (part % 2 == 0 ? quarter.upper_v : quarter.lower_v) = middle_v;
      fill(first + part, quarter, divisions_left - 1);
    }
  }

 private:
  SupportMap& map_;
  CellWalk walk_;
};

SupportMap::SupportMap(std::span<const Vector3d> vertices, const Graph& graph, double tolerance)
    : cells_(cells_for(vertices.size())),
      half_cells_(0.5 * static_cast<double>(cells_)),
      end_(std::nextafter(static_cast<double>(cells_), 0.0)) {
  candidates_.resize(face_cells());
  Builder builder(*this, vertices, graph, tolerance);
  const auto edge = [this](std::size_t i) { return static_cast<double>(i) / half_cells_ - 1.0; };
  for (std::size_t face = 0; face < 6; ++face) {
    for (std::size_t u = 0; u < cells_; ++u) {
      for (std::size_t v = 0; v < cells_; ++v) {
        const std::size_t index = (face * cells_ + u) * cells_ + v;
        const Square square{face / 2, face % 2 == 0 ? 1.0 : -1.0, edge(u), edge(u + 1), edge(v), edge(v + 1)};
        builder.fill(index, square, kMaxDivisions);
      }
    }
  }
}

SupportMap::Cell SupportMap::part_of(const Candidates& cell, double u, double v) const {
  for (const Candidates* list = &cell;;) {
    u *= 2.0;
    v *= 2.0;
    const auto upper_u = static_cast<std::int32_t>(u >= 1.0);
    const auto upper_v = static_cast<std::int32_t>(v >= 1.0);
    u -= upper_u;
    v -= upper_v;
    const std::size_t first = (*list)[1] | (static_cast<std::size_t>((*list)[2]) << 16);
    list = &candidates_[first + 2 * static_cast<std::size_t>(upper_u) + static_cast<std::size_t>(upper_v)];
    if ((*list)[0] != kDivided) return {*list, is_complete(*list)};
  }
}

}  // namespace abut::detail
