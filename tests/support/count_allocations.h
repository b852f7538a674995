// Counts the calls of operator new in the whole program: link count_allocations.cpp, which takes its place.
#pragma once

#include <cstddef>

namespace abut::samples {

/// So far, in all threads.
[[nodiscard]] std::size_t allocation_count();

}  // namespace abut::samples
