// What a broad phase reports: two proxies whose widened boxes overlap.
#pragma once

#include <compare>
#include <cstdint>

namespace abut {

/// Ids of two proxies, a < b. Ordered by a, then by b.
struct ProxyPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  friend auto operator<=>(const ProxyPair&, const ProxyPair&) = default;
};

}  // namespace abut
