// Vertices are joined by a hash of their coordinates, edges in rows of their lower vertex; what that leaves open is
// joined by the indices, and copies of triangles last.
#include <abut/core/shapes/mesh_adjacency.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace abut {
namespace {

using Eigen::Vector3d;
using Indices = MeshAdjacency::Indices;

constexpr std::size_t kMostTriangles = std::size_t{1} << 30;

std::uint64_t place_hash(const Vector3d& place) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int axis = 0; axis < 3; ++axis) {
    hash ^= std::bit_cast<std::uint64_t>(place[axis] + 0.0);  // -0 is 0
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

/// For every vertex the first one at its place.
std::vector<std::uint32_t> first_at_place(std::span<const Vector3d> vertices) {
  constexpr std::uint32_t kEmpty = ~std::uint32_t{0};
  const std::size_t size = std::bit_ceil(2 * vertices.size() + 1);
  std::vector<std::uint32_t> table(size, kEmpty);
  std::vector<std::uint32_t> first(vertices.size());
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    std::size_t at = place_hash(vertices[i]) & (size - 1);
    while (table[at] != kEmpty && vertices[table[at]] != vertices[i]) at = (at + 1) & (size - 1);
    if (table[at] == kEmpty) table[at] = i;
    first[i] = table[at];
  }
  return first;
}

/// In the row of an edge's lower vertex; by the higher one first, then by triangle and edge.
struct EdgeEntry {
  std::uint64_t key;

  EdgeEntry() = default;
  EdgeEntry(std::uint32_t other, std::uint32_t bits) : key(std::uint64_t{other} << 32 | bits) {}

  /// The edge's higher vertex.
  [[nodiscard]] std::uint32_t other() const { return static_cast<std::uint32_t>(key >> 32); }
  /// Triangle and edge.
  [[nodiscard]] std::uint32_t bits() const { return static_cast<std::uint32_t>(key); }

  friend bool operator<(const EdgeEntry& x, const EdgeEntry& y) { return x.key < y.key; }
};

/// The triangles that have one edge, and where each leads across it: if they are two, or copies of two that are wound
/// either way, to the first copy of the other that runs along the edge the other way, or else to its first.
class SharedEdge {
 public:
  void clear() {
    members_.clear();
    across_ = {kNone, kNone};
    first_ = {};
    is_crowded_ = false;
    has_copies_ = false;
  }
  [[nodiscard]] bool has_copies() const { return has_copies_; }

  /// @param bits     Triangle and edge.
  /// @param corners  Of the triangle: places or indices.
  void add(std::uint32_t bits, const Indices& corners) {
    const std::uint32_t k = bits & 3u;
    const std::uint32_t across = corners[k > 0 ? k - 1 : 2];
    const std::size_t side = across_[0] == kNone || across_[0] == across ? 0 : 1;
    const std::size_t way = corners[k] < corners[k < 2 ? k + 1 : 0] ? 0 : 1;
    if (across_[side] == kNone) {
      across_[side] = across;
      first_[side] = {kNone, kNone};
    } else if (across_[side] == across) {
      has_copies_ = true;
    }
    is_crowded_ = is_crowded_ || across_[side] != across;
    if (first_[side][way] == kNone) first_[side][way] = bits;
    members_.push_back({bits, side, way});
  }

  /// Triangles and edges, from and to.
  template <class Visit>
  void for_each_link(const Visit& visit) const {
    if (is_crowded_ || across_[1] == kNone) return;
    for (const Member& member : members_) {
      const std::array<std::uint32_t, 2>& beyond = first_[1 - member.side];
      const std::uint32_t opposite = beyond[1 - member.way];
      visit(member.bits, opposite == kNone ? beyond[member.way] : opposite);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Member {
    std::uint32_t bits;
    std::size_t side;  // of the edge
    std::size_t way;   // along the edge
  };
  std::vector<Member> members_;
  std::array<std::uint32_t, 2> across_{};                // a side's corner that is not on the edge
  std::array<std::array<std::uint32_t, 2>, 2> first_{};  // by side and way: triangle and edge
  bool is_crowded_ = false;
  bool has_copies_ = false;
};

}  // namespace

MeshAdjacency::MeshAdjacency(std::span<const Vector3d> vertices, std::span<const Indices> triangles)
    : width_(triangles.size() < std::size_t{1} << 14   ? 2
             : triangles.size() < std::size_t{1} << 22 ? 3
                                                       : 4) {
  bytes_.assign(3 * width_ * triangles.size(), 0xff);  // all open
  const auto set_link = [&](std::uint32_t triangle, std::size_t edge, std::uint32_t bits) {
    std::uint8_t* to = bytes_.data() + width_ * (3 * std::size_t{triangle} + edge);
    for (std::size_t k = 0; k < width_; ++k) to[k] = static_cast<std::uint8_t>(bits >> (8 * k));
  };
  const std::vector<std::uint32_t> place = first_at_place(vertices);
  const auto corners = [&](std::size_t t) {
    return Indices{place[triangles[t][0]], place[triangles[t][1]], place[triangles[t][2]]};
  };
  const auto is_flat = [](const Indices& c) { return c[0] == c[1] || c[1] == c[2] || c[2] == c[0]; };
  const std::size_t count = std::min(triangles.size(), kMostTriangles);

  // Rows of edges, each at its lower vertex; three times the most triangles are fewer than 2^32.
  std::vector<std::uint32_t> rows(vertices.size() + 1, 0);
  const auto for_each_edge = [&](const auto& visit) {
    for (std::size_t t = 0; t < count; ++t) {
      const Indices c = corners(t);
      if (is_flat(c)) continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto [low, high] = std::minmax(c[k], c[k < 2 ? k + 1 : 0]);
        visit(low, EdgeEntry(high, static_cast<std::uint32_t>(4 * t + k)));
      }
    }
  };
  for_each_edge([&](std::uint32_t low, const EdgeEntry&) { ++rows[low + 1]; });
  for (std::size_t i = 1; i < rows.size(); ++i) rows[i] += rows[i - 1];
  std::vector<EdgeEntry> entries(rows.back());
  std::vector<std::uint32_t> next(rows.begin(), rows.end() - 1);
  for_each_edge([&](std::uint32_t low, const EdgeEntry& entry) { entries[next[low]++] = entry; });

  // Edges of several indices at one place, and those of triangles that are flat there: told apart by index.
  struct OpenEdge {
    std::uint64_t vertices;
    std::uint32_t bits;
  };
  std::vector<OpenEdge> open;
  std::vector<std::span<const EdgeEntry>> crowded;
  const auto join = [&](std::uint32_t here, std::uint32_t there) {
    set_link(here >> 2, here & 3u, there);
    set_link(there >> 2, there & 3u, here);
  };
  // Wound either way.
  const auto are_copies = [&](const EdgeEntry& x, const EdgeEntry& y) {
    const Indices cx = corners(x.bits() >> 2);
    const Indices cy = corners(y.bits() >> 2);
    return cx[((x.bits() & 3u) + 2) % 3] == cy[((y.bits() & 3u) + 2) % 3];
  };
  SharedEdge shared;
  const auto join_shared = [&] {
    shared.for_each_link([&](std::uint32_t from, std::uint32_t to) {
      if (!link(from >> 2, from & 3u).is_joined()) set_link(from >> 2, from & 3u, to);
    });
  };
  const auto join_by_place = [&](std::span<const EdgeEntry> edges) {
    shared.clear();
    for (const EdgeEntry& edge : edges) shared.add(edge.bits(), corners(edge.bits() >> 2));
    has_copies_ = has_copies_ || shared.has_copies();
    join_shared();
  };
  const auto leave_open = [&](std::uint32_t bits) {
    const Indices& c = triangles[bits >> 2];
    const std::uint32_t k = bits & 3u;
    const auto [low, high] = std::minmax(c[k], c[k < 2 ? k + 1 : 0]);
    open.push_back({std::uint64_t{low} << 32 | high, bits});
  };
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    const std::span<EdgeEntry> edges = std::span(entries).subspan(rows[row], rows[row + 1] - rows[row]);
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 0; i < edges.size();) {
      std::size_t end = i + 1;
      while (end < edges.size() && edges[end].other() == edges[i].other()) ++end;
      const std::span<const EdgeEntry> same = edges.subspan(i, end - i);
      if (same.size() == 2) {  // nearly all: without the sides
        if (are_copies(same[0], same[1])) {
          has_copies_ = true;
        } else {
          join(same[0].bits(), same[1].bits());
        }
      } else if (same.size() > 2) {
        for (const EdgeEntry& edge : same) leave_open(edge.bits());
        crowded.push_back(same);
      }
      i = end;
    }
  }

  // Triangles that are a segment or a point.
  std::vector<std::uint8_t> is_used;
  for (std::size_t t = 0; t < count; ++t) {
    const Indices c = corners(t);
    if (!is_flat(c)) continue;
    const auto [low, high] = std::minmax({c[0], c[1], c[2]});
    bool is_covered = false;
    if (low == high) {
      if (is_used.empty()) {
        is_used.resize(vertices.size(), 0);
        for_each_edge(
            [&](std::uint32_t vertex, const EdgeEntry& entry) { is_used[vertex] = is_used[entry.other()] = 1; });
      }
      is_covered = is_used[low] != 0;
    } else {
      const std::span<const EdgeEntry> row = std::span(entries).subspan(rows[low], rows[low + 1] - rows[low]);
      const auto found = std::lower_bound(row.begin(), row.end(), EdgeEntry(high, 0));
      is_covered = found != row.end() && found->other() == high;
    }
    for (std::size_t k = 0; k < 3 && is_covered; ++k) set_link(static_cast<std::uint32_t>(t), k, Link::kCovered);
    if (is_covered || is_flat(triangles[t])) continue;
    for (std::uint32_t k = 0; k < 3; ++k) leave_open(static_cast<std::uint32_t>(4 * t) + k);
  }

  std::sort(open.begin(), open.end(), [](const OpenEdge& x, const OpenEdge& y) {
    return x.vertices != y.vertices ? x.vertices < y.vertices : x.bits < y.bits;
  });
  for (std::size_t i = 0; i < open.size();) {
    std::size_t end = i + 1;
    while (end < open.size() && open[end].vertices == open[i].vertices) ++end;
    if (end - i >= 2) {
      shared.clear();
      for (const OpenEdge& edge : std::span(open).subspan(i, end - i)) shared.add(edge.bits, triangles[edge.bits >> 2]);
      join_shared();
    }
    has_crowded_edges_ = has_crowded_edges_ || end - i > 2;
    i = end;
  }
  // Copies that have vertices of their own.
  for (const std::span<const EdgeEntry> edges : crowded) join_by_place(edges);
}

}  // namespace abut
