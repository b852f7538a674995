// A set of ids, one bit each.
#pragma once

#include <abut/broadphase/detail/grow.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::detail {

/// A set of ids, as bits.
class IdBits {
 public:
  void resize(std::size_t bound) {
    if (words_.size() < bound / 64 + 1) grow(words_, bound / 64 + 1);
  }
  [[nodiscard]] bool contains(std::uint32_t id) const { return (words_[id >> 6] >> (id & 63U) & 1U) != 0; }
  /// The bits of ids 64 k ... 64 k + 63. Tasks may write different words at once.
  [[nodiscard]] std::uint64_t& word(std::size_t k) { return words_[k]; }
  [[nodiscard]] std::uint64_t word(std::size_t k) const { return words_[k]; }
  /// Tasks may set ids of different words at once.
  void set(std::uint32_t id, bool is_in) {
    const std::uint64_t bit = std::uint64_t{1} << (id & 63U);
    words_[id >> 6] = is_in ? words_[id >> 6] | bit : words_[id >> 6] & ~bit;
  }
  [[nodiscard]] std::size_t words() const { return words_.size(); }
  [[nodiscard]] std::size_t memory() const { return memory_of(words_); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace abut::detail
