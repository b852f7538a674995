// The pairs of fat boxes whose own boxes overlap.
#pragma once

#include <abut/broadphase/detail/fat_boxes.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/proxy_pair.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// A list chosen from another, in the same order. Its memory is kept.
class PairSelection {
 public:
  /// Chooses by the boxes themselves.
  /// @param boxes  Switched on. @param pairs  Of the fat ones.
  void select(const FatBoxes& boxes, std::span<const ProxyPair> pairs);
  /// Takes all pairs.
  void assign(std::span<const ProxyPair> pairs) {
    grow(pairs_, pairs.size());
    std::copy(pairs.begin(), pairs.end(), pairs_.begin());
    size_ = pairs.size();
  }

  [[nodiscard]] std::span<const ProxyPair> pairs() const { return {pairs_.data(), size_}; }
  [[nodiscard]] std::size_t memory() const { return memory_of(pairs_) + memory_of(hits_) + memory_of(places_); }
  /// Gives back what the last call had no use for, where that is much.
  void trim() { shrink(pairs_, size_); }

 private:
  template <class Test>
  void select_if(std::span<const ProxyPair> pairs, const Test& is_selected);

  std::vector<ProxyPair> pairs_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> hits_;  // scratch: a bit a pair
  std::vector<std::size_t> places_;  // scratch: where the pairs of a block go
};

}  // namespace abut::detail
