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
    result.point_a += nearest.weight[i] * simplex[nearest.index[i]].on_a;
  }
  result.point_b = result.point_a - nearest.closest;
  return result;
}

}  // namespace abut::detail
