// The tests of a node's children for instruction sets beyond the portable build's; see node_kernels.h.
#pragma once

#include <abut/core/trees/node_kernels.h>

namespace abut::detail {

[[nodiscard]] const NodeKernels& avx2_node_kernels();

}  // namespace abut::detail
