// Sorting by a 32-bit key: least significant digit first, eight bits a pass.
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.5.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace abut::detail {

/// Sorts `items` by key(item), a std::uint32_t; equal keys keep their order. Digits in which all keys agree cost no
/// pass. No allocation.
/// @param scratch  As many items as `items`; contents are lost.
template <class Item, class Key>
void radix_sort(std::span<Item> items, std::span<Item> scratch, Key key) {
  std::array<std::array<std::uint32_t, 256>, 4> counts = {};
  for (const Item& item : items) {
    const std::uint32_t value = key(item);
    for (std::size_t digit = 0; digit < 4; ++digit) ++counts[digit][(value >> (8 * digit)) & 0xffU];
  }
  std::span<Item> from = items;
  std::span<Item> to = scratch;
  for (std::size_t digit = 0; digit < 4; ++digit) {
    std::array<std::uint32_t, 256>& offsets = counts[digit];
    if (!items.empty() && offsets[(key(items.front()) >> (8 * digit)) & 0xffU] == items.size()) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& offset : offsets) begin += std::exchange(offset, begin);
    for (const Item& item : from) to[offsets[(key(item) >> (8 * digit)) & 0xffU]++] = item;
    std::swap(from, to);
  }
  if (from.data() != items.data()) {
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = from[i];
  }
}

}  // namespace abut::detail
