#include "frank_wolfe.h"

#include <algorithm>

namespace abut::study {

FrankWolfeResult frank_wolfe(Minkowski& difference, double epsilon, int max_iterations) {
  FrankWolfeResult result;
  Vector3d x = difference.box_centers();
  if (!(x.squaredNorm() > 0.0)) x = difference.support(Vector3d::UnitX());
  while (difference.supports() <= max_iterations) {
    const Vector3d s = difference.support(x);
    if (2.0 * x.dot(x - s) <= epsilon) {
      result.converged = true;
      break;
    }
    // Foot of the perpendicular from the origin on the segment from x to s.
    const Vector3d edge = s - x;
    x += std::clamp(-x.dot(edge) / edge.squaredNorm(), 0.0, 1.0) * edge;
  }
  result.distance = x.norm();
  result.iterations = difference.supports() - 1;
  return result;
}

}  // namespace abut::study
