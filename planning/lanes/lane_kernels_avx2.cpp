// The fast tier with AVX2: eight floats in a register. Compiled for that instruction set whatever the build's.
#include <abut/core/float_lanes_avx2.h>
#include <abut/planning/lanes/lane_kernel_loops.h>
#include <abut/planning/lanes/lane_kernels_wide.h>

namespace abut::detail {
namespace {

constexpr LaneKernels kAvx2LaneKernels = LaneLoops<Avx2FloatLanes>::kernels("AVX2");

}  // namespace

const LaneKernels& avx2_lane_kernels() {
  return kAvx2LaneKernels;
}

}  // namespace abut::detail
