// Buffers that only grow.
#pragma once

#include <cstddef>
#include <vector>

namespace abut::detail {

/// Makes at least `count` elements available, with a quarter more where memory must be had, so that small changes from
/// frame to frame do not allocate again. Elements that were there keep their values.
template <class T>
void grow(std::vector<T>& values, std::size_t count) {
  if (values.size() < count) values.resize(count + count / 4);
}

}  // namespace abut::detail
