// An array that several threads fill, and whose memory is touched no sooner than its elements are written. The system
// hands out memory when it is first touched, and in virtual machines that can take longer than what is computed for it:
// the pages of a thousand contacts some milliseconds.
#pragma once

#include <abut/core/assert.h>
#include <abut/core/large_arrays.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace abut::detail {

/// Filled anew from its beginning, again and again: begin(), then make_room() and write(), in turns as often as need
/// be. What was written before begin() stays until it is written over, or until the array grows.
template <class T>
class GrowingArray {
 public:
  static_assert(std::is_trivially_destructible_v<T>);

  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    GrowingArray(std::move(other)).swap(*this);
    return *this;
  }
  ~GrowingArray() {
    if (elements_ != nullptr) Allocator().deallocate(elements_, room_);
  }

  /// Makes room for `count` elements, of which the first `written` are kept.
  /// @param written  All of them have been written.
  void make_room(std::size_t count, std::size_t written) {
    ABUT_ASSERT(written <= count);
    made_ = std::max(made_, written);
    if (count <= room_) return;
    // Elements are large: an array that grows has room for a quarter more, not for as much again.
    const std::size_t room = count + count / 4;
    T* const elements = Allocator().allocate(room);
    std::uninitialized_copy_n(elements_, written, elements);
    if (elements_ != nullptr) Allocator().deallocate(elements_, room_);
    elements_ = elements;
    room_ = room;
    made_ = written;
  }

  /// An element to be written, as it was left or as T() makes it. Several threads may each ask for their own, once
  /// between two calls of make_room().
  /// @param i  Below what there is room for.
  [[nodiscard]] T& write(std::size_t i) {
    ABUT_ASSERT(i < room_);
    T* const element = elements_ + i;
    if (i >= made_) std::construct_at(element);
    return *element;
  }
  [[nodiscard]] const T& operator[](std::size_t i) const { return elements_[i]; }
  /// @param count  All of them have been written.
  [[nodiscard]] std::span<const T> first(std::size_t count) const { return {elements_, count}; }
  /// Where element i is or will be, for prefetching.
  [[nodiscard]] const void* address(std::size_t i) const { return elements_ + i; }

  /// Bytes taken from the system, but for what the last page holds besides: those of elements never written are not.
  [[nodiscard]] std::size_t bytes() const { return made_ * sizeof(T); }

  void swap(GrowingArray& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(room_, other.room_);
    std::swap(made_, other.made_);
  }

 private:
  using Allocator = LargeArrayAllocator<T>;

  T* elements_ = nullptr;
  std::size_t room_ = 0;
  std::size_t made_ = 0;  // elements that exist; others may, of those written since make_room()
};

}  // namespace abut::detail
