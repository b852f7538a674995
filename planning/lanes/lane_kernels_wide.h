// Kernels of the fast tier for instruction sets beyond those of the build; each in a file compiled for it.
#pragma once

#include <abut/planning/lanes/lane_kernels.h>

namespace abut::detail {

/// Only for processors with AVX2.
[[nodiscard]] const LaneKernels& avx2_lane_kernels();

}  // namespace abut::detail
