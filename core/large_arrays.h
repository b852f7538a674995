// Memory for arrays that are read here and there, as the nodes of a tree by a ray: where they are large they ask the
// system for huge pages, so that a read needs no walk over the page table besides.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace abut {

/// As std::allocator; what takes 4 MiB or more begins at a huge page and asks for such pages, which the system may
/// refuse (Linux: MADV_HUGEPAGE). Up to 2 MiB behind the last element in use may be taken from the system besides.
/// @throws std::bad_array_new_length, std::bad_alloc  as std::allocator.
template <class T>
class LargeArrayAllocator {
 public:
  using value_type = T;
  static constexpr std::size_t kHugePage = std::size_t{1} << 21;  ///< Bytes.
  static constexpr std::size_t kLeast = 2 * kHugePage;            ///< Smaller arrays are left alone.

  LargeArrayAllocator() = default;
  template <class U>
  explicit(false) LargeArrayAllocator(const LargeArrayAllocator<U>& /*stateless*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(count));
#if defined(__linux__)
    if (bytes >= kLeast) static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    ::operator delete(memory, alignment(count));
  }

  template <class U>
  friend bool operator==(const LargeArrayAllocator& /*any*/, const LargeArrayAllocator<U>& /*other*/) {
    return true;
  }

 private:
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t{count * sizeof(T) >= kLeast ? kHugePage : alignof(T)};
  }
};

template <class T>
using LargeVector = std::vector<T, LargeArrayAllocator<T>>;

}  // namespace abut
