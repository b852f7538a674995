// Sets of ids as the bits of words of 64, read from the states of a table and listed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace abut::detail {

/// Bit k of the result: whether states[first + k] has `bit`, for up to 64 ids.
inline std::uint64_t bits_of(std::span<const std::uint8_t> states, std::size_t first, std::uint8_t bit) {
  const std::size_t count = std::min<std::size_t>(64, states.size() - first);
  const auto shift = static_cast<unsigned>(std::countr_zero(bit));
  std::uint64_t mask = 0;
  std::size_t k = 0;
  for (; k + 8 <= count; k += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, states.data() + first + k, 8);
    // One bit of each byte, moved together by a multiplication.
    const std::uint64_t ones = (eight >> shift) & 0x0101010101010101U;
    mask |= ((ones * 0x0102040810204080U) >> 56) << k;
  }
  for (; k < count; ++k) mask |= static_cast<std::uint64_t>((states[first + k] & bit) != 0) << k;
  return mask;
}

/// Appends first + k for each bit k. Returns the new end.
inline std::uint32_t* list_bits(std::uint64_t bits, std::size_t first, std::uint32_t* out) {
  if (bits == ~std::uint64_t{0}) {
    for (std::uint32_t k = 0; k < 64; ++k) *out++ = static_cast<std::uint32_t>(first) + k;
    return out;
  }
  for (; bits != 0; bits &= bits - 1)
    *out++ = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(std::countr_zero(bits));
  return out;
}

}  // namespace abut::detail
