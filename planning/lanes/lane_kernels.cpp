// Which kernels of the fast tier this processor can run; the plain ones and those of SSE2, which every x86-64 has.
#include <abut/core/float_lanes.h>
#include <abut/planning/lanes/lane_kernel_loops.h>
#include <abut/planning/lanes/lane_kernels.h>
#include <abut/planning/lanes/lane_kernels_wide.h>

#include <algorithm>
#include <array>

namespace abut::detail {
namespace {

constexpr LaneKernels kPlainLaneKernels = LaneLoops<PlainFloatLanes>::kernels("plain");
#if defined(__SSE2__)
constexpr LaneKernels kSse2LaneKernels = LaneLoops<Sse2FloatLanes>::kernels("SSE2");
#endif

struct RunnableLaneKernels {
  std::array<const LaneKernels*, 3> kernels = {};
  std::size_t count = 0;

  RunnableLaneKernels() {
    kernels[count++] = &kPlainLaneKernels;
#if defined(__SSE2__)
    kernels[count++] = &kSse2LaneKernels;
#endif
#if defined(ABUT_PLANNING_WIDE_KERNELS)
    if (__builtin_cpu_supports("avx2")) kernels[count++] = &avx2_lane_kernels();
#endif
  }
};

const RunnableLaneKernels& all_lane_kernels() {
  static const RunnableLaneKernels found;
  return found;
}

}  // namespace

const LaneKernels& lane_kernels() {
  return *all_lane_kernels().kernels[all_lane_kernels().count - 1];
}

std::size_t runnable_lane_kernels(const LaneKernels** kernels, std::size_t room) {
  const RunnableLaneKernels& found = all_lane_kernels();
  std::copy_n(found.kernels.begin(), std::min(room, found.count), kernels);
  return found.count;
}

}  // namespace abut::detail
