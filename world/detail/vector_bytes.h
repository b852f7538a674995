// Bytes that vectors hold.
#pragma once

#include <cstddef>

namespace abut::detail {

/// Of all of them, unused capacity included.
template <class... Vector>
[[nodiscard]] std::size_t vector_bytes(const Vector&... vectors) {
  return ((vectors.capacity() * sizeof(typename Vector::value_type)) + ...);
}

}  // namespace abut::detail
