// Pairs of boxes that a walk has still to look at, the nearest first.
#pragma once

#include <abut/core/assert.h>
#include <abut/narrowphase/composite/walk_side.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace abut::detail {

/// A box of either side, and what is known of the leaves in them.
struct WalkEntry {
  double bound;  ///< Metres; no pair of leaves below is nearer (or deeper, where negative).
  WalkRef a;
  WalkRef b;
  /// Leaves of a that are composites themselves have been dealt with; those of b.
  bool a_composites_done = false;
  bool b_composites_done = false;
};

/// Room for an entry, left as it is until one is put there.
union WalkPlace {
  WalkEntry entry;
  WalkPlace() {}
};

/// A heap in fixed memory, of four children a node. Its elements are one word each, the bound as a float in the upper
/// half and the entry's place in the lower; equal bounds come in the order of their places, which is the same in every
/// run.
class EntryQueue {
 public:
  static constexpr std::size_t kCapacity = 1024;

  [[nodiscard]] bool is_empty() const { return size_ == 0; }
  [[nodiscard]] bool has_room(std::size_t count) const { return size_ + count <= kCapacity; }
  /// Of the first entry, rounded to the nearest float; NaN counts as the least.
  [[nodiscard]] float least() const { return bound_of(keys_[0]); }

  void push(const WalkEntry& entry) {
    ABUT_ASSERT(has_room(1));
    // Behind the heap the words of entries that are gone name the places they have left.
    const std::uint64_t place = size_ < used_ ? keys_[size_] & kPlaceMask : used_++;
    std::construct_at(&places_[place].entry, entry);
    const std::uint64_t key = key_of(entry.bound) | place;
    std::size_t at = size_++;
    while (at > 0 && keys_[(at - 1) / kWidth] > key) {
      keys_[at] = keys_[(at - 1) / kWidth];
      at = (at - 1) / kWidth;
    }
    keys_[at] = key;
  }

  [[nodiscard]] WalkEntry pop() {
    const std::uint64_t first = keys_[0];
    const std::uint64_t key = keys_[--size_];
    std::size_t at = 0;
    for (std::size_t child = 1; child < size_; child = kWidth * at + 1) {
      const std::size_t end = std::min(child + kWidth, size_);
      std::size_t least = child;
      for (std::size_t i = child + 1; i < end; ++i) least = keys_[i] < keys_[least] ? i : least;
      if (keys_[least] > key) break;
      keys_[at] = keys_[least];
      at = least;
    }
    keys_[at] = key;
    keys_[size_] = first & kPlaceMask;
    return places_[first & kPlaceMask].entry;
  }

 private:
  static constexpr std::size_t kWidth = 4;
  static constexpr unsigned kPlaceBits = 32;
  static constexpr std::uint64_t kPlaceMask = (std::uint64_t{1} << kPlaceBits) - 1;
  static constexpr std::uint32_t kSign = std::uint32_t{1} << 31;

  // The bits of a float in an order that is that of its values: negative ones reversed, and below the others.
  static std::uint64_t key_of(double bound) {
    const float value = std::max(-std::numeric_limits<float>::infinity(), static_cast<float>(bound));
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::uint64_t{(bits & kSign) != 0 ? ~bits : bits | kSign} << kPlaceBits;
  }
  static float bound_of(std::uint64_t key) {
    const auto bits = static_cast<std::uint32_t>(key >> kPlaceBits);
    return std::bit_cast<float>((bits & kSign) != 0 ? bits & ~kSign : ~bits);
  }

  std::array<std::uint64_t, kCapacity> keys_;
  std::array<WalkPlace, kCapacity> places_;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
};

}  // namespace abut::detail
