// Pairs of slots that a scene never tests: for each slot, the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// The order of the two slots of a pair does not matter. Changes cost as much as the two slots have pairs, however many
/// there are in all.
class IgnoredPairs {
 public:
  void insert(std::uint32_t slot, std::uint32_t other);
  void erase(std::uint32_t slot, std::uint32_t other);
  /// Forgets all pairs of a slot.
  void erase_slot(std::uint32_t slot);
  [[nodiscard]] bool contains(std::uint32_t slot, std::uint32_t other) const {
    return !of(slot).empty() && is_among(of(slot), other);
  }

  /// slot_key(lower slot, higher slot) of every pair, ascending.
  [[nodiscard]] std::vector<std::uint64_t> keys() const;
  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const;

 private:
  /// The others of a slot, ascending.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t slot) const {
    return slot < others_.size() ? std::span<const std::uint32_t>(others_[slot]) : std::span<const std::uint32_t>();
  }

  /// Apart from contains(), which most slots, having none, leave at once.
  [[nodiscard]] static bool is_among(std::span<const std::uint32_t> others, std::uint32_t other);

  std::vector<std::vector<std::uint32_t>> others_;  // by slot; a pair is there twice
};

}  // namespace abut::detail
