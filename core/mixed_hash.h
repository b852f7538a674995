// A running 64-bit hash: ids of features and leaves, keys of containers. The same everywhere.
#pragma once

#include <cstdint>

namespace abut::detail {

/// @param hash  Of what came before. @return Of that and `value`, in this order. Not against those who look for
/// collisions.
inline std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 31;
}

}  // namespace abut::detail
