// Two bodies at a given signed distance, turned anyhow.
#pragma once

#include <abut/narrowphase/distance.h>
#include <support/random.h>

#include <cmath>

namespace abut::samples {

/// Pose of b in the frame of a at which the pair has about the signed distance, metres, moved there from deep overlap:
/// so a face of the Minkowski difference is nearest, as where bodies rest on each other, and not one of its vertices,
/// as seen from afar.
inline Pose placed(const Shape& a, const Shape& b, double gap, Random& random) {
  Vector3d translation = 0.1 * random.direction();
  const Pose turned(Vector3d::Zero(), random.rotation());
  for (int i = 0; i < 20; ++i) {
    const Separation found = distance(a, Pose(), b, Pose(translation, turned.quaternion()));
    if (std::abs(found.distance - gap) < 1e-6) break;
    translation += (gap - found.distance) * found.normal;
  }
  return Pose(translation, turned.quaternion());
}

}  // namespace abut::samples
