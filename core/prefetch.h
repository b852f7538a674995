// Fetching memory into the caches ahead of its use.
#pragma once

namespace abut::detail {

/// Asks for the line of the cache at an address, to be read or, where `kForWriting`, written. An address that is none
/// does no harm.
template <bool kForWriting = false>
inline void prefetch(const void* address) {
  __builtin_prefetch(address, kForWriting ? 1 : 0);
  // To g++ a function that does nothing but fetch has no effect, and its calls are left out. To this it has one.
  asm volatile("");
}

}  // namespace abut::detail
