// Sorted list of ignored pairs. Changes are rare beside steps, so that changing it may cost a pass over it.
#include <abut/world/detail/ignored_pairs.h>
#include <abut/world/detail/slot_order.h>

#include <algorithm>

namespace abut::detail {
namespace {

std::uint64_t unordered_key(std::uint32_t slot, std::uint32_t other) {
  return slot_key(std::min(slot, other), std::max(slot, other));
}

}  // namespace

void IgnoredPairs::insert(std::uint32_t slot, std::uint32_t other) {
  const std::uint64_t key = unordered_key(slot, other);
  const auto place = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (place == keys_.end() || *place != key) keys_.insert(place, key);
}

void IgnoredPairs::erase(std::uint32_t slot, std::uint32_t other) {
  const std::uint64_t key = unordered_key(slot, other);
  const auto place = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (place != keys_.end() && *place == key) keys_.erase(place);
}

void IgnoredPairs::erase_slot(std::uint32_t slot) {
  std::erase_if(keys_, [slot](std::uint64_t key) {
    return static_cast<std::uint32_t>(key >> 32) == slot || static_cast<std::uint32_t>(key) == slot;
  });
}

bool IgnoredPairs::contains(std::uint32_t slot, std::uint32_t other) const {
  return std::binary_search(keys_.begin(), keys_.end(), unordered_key(slot, other));
}

}  // namespace abut::detail
