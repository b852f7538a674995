// Who may collide with whom: layers and masks, and groups that overrule them.
#pragma once

#include <cstdint>

namespace abut {

/// A body lies in the layers whose bits are set and meets bodies in the layers of its mask. A pair is tested only when
/// each accepts the other.
///
/// Two bodies of one group, other than group 0, are tested always where the group is positive and never where it is
/// negative, whatever their layers and masks say. The parts of a robot that may overlap share a negative group.
struct CollisionFilter {
  std::uint32_t layers = 1;
  std::uint32_t mask = ~std::uint32_t{0};
  std::int32_t group = 0;

  [[nodiscard]] bool accepts(const CollisionFilter& other) const {
    if (group != 0 && group == other.group) return group > 0;
    return (layers & other.mask) != 0 && (other.layers & mask) != 0;
  }
  friend bool operator==(const CollisionFilter&, const CollisionFilter&) = default;
};

/// Whether a body moves. Fixed bodies are never tested against each other.
enum class Motion : std::uint8_t { fixed, moving };

}  // namespace abut
