// The loops of the sweep for instruction sets beyond the portable build's; see sweep_kernels.h.
#pragma once

#include <abut/broadphase/detail/sweep_kernels.h>

namespace abut::detail {

[[nodiscard]] const SweepKernels& avx2_sweep_kernels();
[[nodiscard]] const SweepKernels& avx512_sweep_kernels();

}  // namespace abut::detail
