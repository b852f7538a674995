// Pairs of slots that a scene never tests, as a sorted list that merges with the candidates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// The order of the two slots of a pair does not matter.
class IgnoredPairs {
 public:
  void insert(std::uint32_t slot, std::uint32_t other);
  void erase(std::uint32_t slot, std::uint32_t other);
  /// Forgets all pairs of a slot.
  void erase_slot(std::uint32_t slot);
  [[nodiscard]] bool contains(std::uint32_t slot, std::uint32_t other) const;

  /// slot_key(lower slot, higher slot) of every pair, ascending.
  [[nodiscard]] std::span<const std::uint64_t> keys() const { return keys_; }

 private:
  std::vector<std::uint64_t> keys_;
};

}  // namespace abut::detail
