// Sorted lists of neighbours; most are empty, and others are short.
#include <abut/world/detail/ignored_pairs.h>
#include <abut/world/detail/slot_order.h>
#include <abut/world/detail/vector_bytes.h>

#include <algorithm>

namespace abut::detail {
namespace {

void insert_sorted(std::vector<std::uint32_t>& others, std::uint32_t other) {
  const auto place = std::lower_bound(others.begin(), others.end(), other);
  if (place == others.end() || *place != other) others.insert(place, other);
}

void erase_sorted(std::vector<std::uint32_t>& others, std::uint32_t other) {
  const auto place = std::lower_bound(others.begin(), others.end(), other);
  if (place != others.end() && *place == other) others.erase(place);
}

}  // namespace

void IgnoredPairs::insert(std::uint32_t slot, std::uint32_t other) {
  const std::size_t needed = std::size_t{std::max(slot, other)} + 1;
  if (others_.size() < needed) others_.resize(needed);
  std::vector<std::uint32_t>& second = others_[other];
  if (second.size() == second.capacity()) second.reserve(2 * second.size() + 1);  // it cannot fail after the first
  insert_sorted(others_[slot], other);
  insert_sorted(others_[other], slot);
}

void IgnoredPairs::erase(std::uint32_t slot, std::uint32_t other) {
  if (std::max(slot, other) >= others_.size()) return;
  erase_sorted(others_[slot], other);
  erase_sorted(others_[other], slot);
}

void IgnoredPairs::erase_slot(std::uint32_t slot) {
  for (const std::uint32_t other : of(slot)) erase_sorted(others_[other], slot);
  if (slot < others_.size()) others_[slot] = {};
}

bool IgnoredPairs::is_among(std::span<const std::uint32_t> others, std::uint32_t other) {
  return std::binary_search(others.begin(), others.end(), other);
}

std::vector<std::uint64_t> IgnoredPairs::keys() const {
  std::vector<std::uint64_t> keys;
  for (std::uint32_t slot = 0; slot < others_.size(); ++slot) {
    for (const std::uint32_t other : others_[slot]) {
      if (slot < other) keys.push_back(slot_key(slot, other));
    }
  }
  return keys;
}

std::size_t IgnoredPairs::bytes() const {
  std::size_t bytes = vector_bytes(others_);
  for (const std::vector<std::uint32_t>& others : others_) bytes += vector_bytes(others);
  return bytes;
}

}  // namespace abut::detail
