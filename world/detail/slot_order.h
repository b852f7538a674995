// The canonical order of body pairs: by the slots alone.
#pragma once

#include <abut/world/body.h>

#include <cstdint>

namespace abut::detail {

/// Both slots in one number that sorts by (a.slot, b.slot).
[[nodiscard]] constexpr std::uint64_t slot_key(std::uint32_t slot_a, std::uint32_t slot_b) {
  return std::uint64_t{slot_a} << 32 | slot_b;
}
[[nodiscard]] constexpr std::uint64_t slot_key(const BodyPair& pair) {
  return slot_key(pair.a.slot, pair.b.slot);
}

/// Generations do not count here: no list names a slot pair twice, and lists of different frames must merge also where
/// a slot has changed hands between them.
struct SlotOrder {
  [[nodiscard]] constexpr bool operator()(const BodyPair& p, const BodyPair& q) const {
    return slot_key(p) < slot_key(q);
  }
};

}  // namespace abut::detail
