// What the planar GJK remembers of a pair from one query to the next.
#pragma once

#include <array>
#include <cstdint>

namespace abut::planar::detail {

/// The corners of the last answer of a pair.
struct SimplexMemory {
  std::uint8_t size = 0;  ///< 0: nothing is remembered; else 1 or 2.
  std::array<std::uint32_t, 2> corner_a{};
  std::array<std::uint32_t, 2> corner_b{};
};

}  // namespace abut::planar::detail
