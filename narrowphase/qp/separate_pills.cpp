#include <abut/narrowphase/proximity.h>
#include <abut/narrowphase/qp/separate_pills.h>

namespace abut::detail {

std::optional<Separation> separate_pills(const Shape& a, const Shape& b, const Pose& a_from_b) {
  const Proximity found = proximity(a, Pose(), b, a_from_b);
  if ((found.core_point_b - found.core_point_a).dot(found.normal) <= 2.0 * found.distance_error) return std::nullopt;
  Separation result;
  result.distance = found.distance;
  result.point_a = found.point_a;
  result.point_b = found.point_b;
  result.normal = found.normal;
  result.status = found.status;
  result.solver = Solver::qp;
  result.iterations = found.iterations;
  result.distance_error = found.distance_error;
  return result;
}

}  // namespace abut::detail
