// Pairs of hulls moving through contact: recorded drops, or generated ones where no recording is at hand.
#pragma once

#include <abut/core/pose.h>

#include <cstdint>
#include <string>
#include <vector>

#include "problems.h"

namespace abut::study {

/// Two hulls over time. Their shapes are those of the Hulls that it was made with.
struct Trajectory {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::vector<Pose> world_from_a;  ///< A pose a frame, 120 frames a second.
  std::vector<Pose> world_from_b;
};

struct Trajectories {
  std::vector<Trajectory> all;
  std::string source;  ///< "funnel" or "generated".
};

/// The drops in funnel.json and funnel.bin of the folder that ABUT_TRAJECTORY_DIR names. Without it, or without the
/// recorded hulls, 100 generated ones: a body on a spring dives into another and bounces off.
/// @throws InvalidInput  for a hull that is missing and for a file that is too short.
[[nodiscard]] Trajectories load_trajectories(const Hulls& hulls);

}  // namespace abut::study
