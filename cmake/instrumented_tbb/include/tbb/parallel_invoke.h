// tbb::parallel_invoke of the thread sanitizer build: each function once, by any thread of the team.
#pragma once

#include <tbb/parallel_for.h>

#include <array>
#include <cstddef>
#include <functional>

namespace tbb {

template <typename... Functions>
void parallel_invoke(const Functions&... functions) {
  const std::array<std::function<void()>, sizeof...(Functions)> all = {std::ref(functions)...};
  parallel_for(std::size_t{0}, all.size(), [&all](std::size_t i) { all[i](); });
}

}  // namespace tbb
