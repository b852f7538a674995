// Bytes that vectors hold.
#pragma once

#include <cstddef>
#include <vector>

namespace abut::detail {

/// Of all of them, unused capacity included.
template <class... T>
[[nodiscard]] std::size_t vector_bytes(const std::vector<T>&... vectors) {
  return ((vectors.capacity() * sizeof(T)) + ...);
}

}  // namespace abut::detail
