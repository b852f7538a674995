#include <abut/narrowphase/nearest_points.h>

namespace abut::detail {

NearestPoints nearest_points(const Simplex<DifferencePoint>& simplex) {
  NearestPoints result;
  if (simplex.size() == 4) {
    result.point_a = simplex[0].on_a;
    result.point_b = simplex[0].on_b();
    return result;
  }
  const NearestOnHull nearest = simplex.nearest();
  result.distance = nearest.closest.norm();
  for (std::size_t i = 0; i < static_cast<std::size_t>(nearest.size); ++i) {
    // Each from the points of its own body: on slivers, whose weights are poor, both stay on the surfaces.
    result.point_a += nearest.weight[i] * simplex[nearest.index[i]].on_a;
    result.point_b += nearest.weight[i] * simplex[nearest.index[i]].on_b();
  }
  return result;
}

}  // namespace abut::detail
