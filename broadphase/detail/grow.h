// Buffers that only grow.
#pragma once

#include <cstddef>
#include <vector>

namespace abut::detail {

/// Makes at least `count` elements available, with a sixteenth and some more where memory must be had, so that small
/// changes from frame to frame do not allocate again. Elements that were there keep their values.
template <class T, class Allocator>
void grow(std::vector<T, Allocator>& values, std::size_t count) {
  if (values.size() >= count) return;
  const std::size_t room = count + count / 16 + 256;
  values.reserve(room);  // exactly: resize() alone may double
  values.resize(room);
}

/// Makes as many elements available as another buffer has.
template <class T, class Allocator>
void match_room(std::vector<T, Allocator>& values, const std::vector<T, Allocator>& other) {
  if (values.size() < other.size()) {
    values.reserve(other.size());
    values.resize(other.size());
  }
}

/// Bytes held by a vector.
template <class T, class Allocator>
[[nodiscard]] std::size_t memory_of(const std::vector<T, Allocator>& values) {
  return values.capacity() * sizeof(T);
}

/// Gives memory back that is more than four times of what is needed; for rare occasions.
template <class T, class Allocator>
void shrink(std::vector<T, Allocator>& values, std::size_t needed) {
  constexpr std::size_t kSmall = 4096;  // elements that are never worth it
  if (values.size() <= kSmall + 4 * needed) return;
  values =
      std::vector<T, Allocator>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(needed + needed / 16));
  values.shrink_to_fit();
}

}  // namespace abut::detail
