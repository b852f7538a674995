// Ids in blocks: the unit of the parallel passes over boxes.
#pragma once

#include <abut/broadphase/detail/grow.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Ascending lists, block k of ids from k * block_size() to (k + 1) * block_size() - 1. The blocks depend on the number
/// of ids alone, so no pass needs to know how many threads there are, and each block is filled by one task.
class IdBlocks {
 public:
  static constexpr std::size_t kMinBlock = 1024;  // a task of some microseconds at least; a multiple of 64
  static constexpr std::size_t kMaxBlocks = 64;   // bounds the tables of counts by block

  /// Makes room for the ids below `bound`. All blocks must be filled anew.
  void reset(std::size_t bound) {
    bound_ = bound;
    const std::size_t even = (bound + kMaxBlocks - 1) / kMaxBlocks;
    block_size_ = std::max(kMinBlock, (even + 63) / 64 * 64);
    blocks_ = (bound + block_size_ - 1) / block_size_;
    shrink(ids_, bound);
    grow(ids_, bound);
    grow(counts_, blocks_);
  }

  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  [[nodiscard]] std::size_t block_size() const { return block_size_; }
  /// Ids that belong to a block, listed or not: from first(k) to last(k) - 1.
  [[nodiscard]] std::size_t first(std::size_t block) const { return block * block_size_; }
  [[nodiscard]] std::size_t last(std::size_t block) const { return std::min(bound_, (block + 1) * block_size_); }

  /// Where the ids of a block are written.
  [[nodiscard]] std::uint32_t* room(std::size_t block) { return ids_.data() + first(block); }
  void set_count(std::size_t block, std::size_t count) { counts_[block] = static_cast<std::uint32_t>(count); }

  [[nodiscard]] std::span<const std::uint32_t> ids(std::size_t block) const {
    return {ids_.data() + first(block), counts_[block]};
  }
  /// Number of ids listed.
  [[nodiscard]] std::size_t count() const {
    std::size_t count = 0;
    for (std::size_t block = 0; block < blocks_; ++block) count += counts_[block];
    return count;
  }
  [[nodiscard]] std::size_t memory() const { return memory_of(ids_) + memory_of(counts_); }

 private:
  std::size_t bound_ = 0;
  std::size_t block_size_ = kMinBlock;
  std::size_t blocks_ = 0;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace abut::detail
