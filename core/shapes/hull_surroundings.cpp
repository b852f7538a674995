// Breadth first from each vertex, over the vertices that may be level with it.
#include <abut/core/shapes/hull_surroundings.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace abut::detail {
namespace {

// A vertex with very many neighbours, the tip of a fine cone, is not worth the time that all of them take.
constexpr std::size_t kMostLooks = 256;

}  // namespace

HullSurroundings::HullSurroundings(std::span<const Vector3d> vertices, std::span<const Index> neighbour_begin,
                                   std::span<const Index> neighbours, const HullFaces& faces) {
  if (vertices.size() > kMaxVertices) return;
  lists_.resize(vertices.size());
  const double sine = std::sin(kMaxTilt);
  std::vector<Index> met_by(vertices.size(), std::numeric_limits<Index>::max());
  std::array<Index, kMost + 1> found;
  for (Index vertex = 0; vertex < vertices.size(); ++vertex) {
    // The directions in which the vertex is the highest lie between the normals of its faces, and of the drops to
    // another vertex along all of them, which are not negative, the least is along one of these.
    const auto may_be_level = [&](Index other) {
      const Vector3d offset = vertices[vertex] - vertices[other];
      const double most = sine * offset.norm();
      return std::ranges::any_of(faces.faces_at(vertex),
                                 [&](Index face) { return faces.normal(face).dot(offset) <= most; });
    };
    std::size_t count = 0;
    std::size_t looks = 0;
    found[count++] = vertex;
    met_by[vertex] = vertex;
    for (std::size_t head = 0; head < count && count < found.size(); ++head) {
      const auto row = neighbours.subspan(neighbour_begin[found[head]],
                                          neighbour_begin[found[head] + 1] - neighbour_begin[found[head]]);
      for (const Index other : row) {
        if (count == found.size() || looks == kMostLooks) break;
        if (std::exchange(met_by[other], vertex) == vertex) continue;
        ++looks;
        if (may_be_level(other)) found[count++] = other;
      }
    }
    List& list = lists_[vertex];
    list.count = static_cast<std::uint16_t>(count - 1);
    std::transform(found.begin() + 1, found.begin() + static_cast<std::ptrdiff_t>(count), list.vertices.begin(),
                   [](Index other) { return static_cast<std::uint16_t>(other); });
    std::fill(list.vertices.begin() + list.count, list.vertices.end(), std::uint16_t{0});
  }
}

}  // namespace abut::detail
