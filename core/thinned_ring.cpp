// A heap of corners by their triangles. A corner whose neighbour is dropped is put in once more, with its new triangle;
// its old place is passed over.
#include <abut/core/thinned_ring.h>
#include <Eigen/Geometry>

#include <functional>
#include <queue>
#include <utility>

namespace abut::detail {

std::vector<std::uint32_t> thinned_ring(std::span<const Eigen::Vector3d> ring, std::size_t most,
                                        double least_twice_area) {
  const auto count = static_cast<std::uint32_t>(ring.size());
  struct Corner {
    std::uint32_t before;
    std::uint32_t after;
    double area;  // negative: dropped
  };
  std::vector<Corner> corners(count);
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> smallest_first;
  const auto measure = [&](std::uint32_t i) {
    Corner& corner = corners[i];
    const Eigen::Vector3d& before = ring[corner.before];
    corner.area = (ring[i] - before).cross(ring[corner.after] - before).stableNorm();
    smallest_first.emplace(corner.area, i);
  };
  for (std::uint32_t i = 0; i < count; ++i) corners[i] = {(i + count - 1) % count, (i + 1) % count, 0.0};
  std::size_t left = count;
  if (left > most || least_twice_area > 0.0) {
    for (std::uint32_t i = 0; i < count; ++i) measure(i);
  }
  while (left > 3 && !smallest_first.empty()) {
    const auto [area, i] = smallest_first.top();
    if (left <= most && area >= least_twice_area) break;
    smallest_first.pop();
    Corner& corner = corners[i];
    if (area != corner.area) continue;
    corner.area = -1.0;
    --left;
    corners[corner.before].after = corner.after;
    corners[corner.after].before = corner.before;
    measure(corner.before);
    measure(corner.after);
  }
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (corners[i].area >= 0.0) kept.push_back(i);
  }
  return kept;
}

}  // namespace abut::detail
