// Where the parallel parts of a sweep put the pairs they find: already cut into buckets by the smaller id.
#pragma once

#include <abut/broadphase/proxy_pair.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace abut::detail {

/// So many pairs, aligned to its own size, so that the address of a place tells whether a chunk is full.
struct alignas(512) PairChunk {
  static constexpr std::size_t kPairs = 63;

  PairChunk* previous;  ///< The full chunk before this one, or null.
  ProxyPair pairs[kPairs];
};
static_assert(sizeof(PairChunk) == 512);

/// Memory for chunks, kept from call to call.
class PairChunkPool {
 public:
  static constexpr std::size_t kSlab = 8;

  /// kSlab chunks. Thread-safe.
  [[nodiscard]] PairChunk* take_slab() {
    const std::lock_guard lock(mutex_);
    if (used_ == slabs_.size()) add_slabs(1);
    return slabs_[used_++]->chunks;
  }
  /// Takes all chunks back. @param slabs  So many can be taken without memory being asked for.
  void reset(std::size_t slabs) {
    expected_ = slabs;
    if (slabs_.size() < slabs) add_slabs(slabs - slabs_.size());
    used_ = 0;
  }
  [[nodiscard]] std::size_t memory() const { return slabs_.size() * sizeof(Slab); }
  /// Frees what was not used since the last reset(), where that is most. @param pairs  For so many enough is kept.
  void trim(std::size_t pairs) {
    const std::size_t enough = std::max({used_, expected_, pairs / (kSlab * PairChunk::kPairs)}) + 16;
    if (slabs_.size() > 4 * enough) slabs_.resize(enough);
  }

 private:
  struct Slab {
    PairChunk chunks[kSlab];
  };

  // Some more at a time, as scenes grow by a few pairs.
  void add_slabs(std::size_t needed) {
    const std::size_t more = needed + 4 + slabs_.size() / 16;
    slabs_.reserve(slabs_.size() + more);
    for (std::size_t k = 0; k < more; ++k) slabs_.push_back(std::make_unique<Slab>());
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Slab>> slabs_;
  std::size_t used_ = 0;
  std::size_t expected_ = 0;
};

/// The pairs of one task at a time: for each bucket a chain of chunks.
class PairSink {
 public:
  /// Forgets all pairs.
  void reset(std::size_t buckets, unsigned bucket_shift) {
    ends_.assign(buckets, nullptr);
    chunks_.assign(buckets, 0);
    bucket_shift_ = bucket_shift;
    free_ = nullptr;
    free_end_ = nullptr;
  }

  void add(std::uint32_t a, std::uint32_t b, PairChunkPool& pool) {
    ProxyPair*& end = ends_[a >> bucket_shift_];
    if (is_full(end)) {
      end = append_chunk(end, pool);
      ++chunks_[a >> bucket_shift_];
    }
    *end++ = ProxyPair{a, b};
  }

  /// The last chunk of a bucket; null when there is none.
  [[nodiscard]] PairChunk* last_chunk(std::size_t bucket) const {
    ProxyPair* const end = ends_[bucket];
    return end == nullptr ? nullptr : chunk_of(end - 1);
  }
  /// Pairs in the last chunk of a bucket; those before it are full.
  [[nodiscard]] std::size_t last_count(std::size_t bucket) const {
    return static_cast<std::size_t>(ends_[bucket] - last_chunk(bucket)->pairs);
  }
  [[nodiscard]] std::size_t chunk_count(std::size_t bucket) const { return chunks_[bucket]; }
  /// Pairs in a bucket.
  [[nodiscard]] std::size_t count(std::size_t bucket) const {
    return chunks_[bucket] == 0 ? 0 : (chunks_[bucket] - 1) * PairChunk::kPairs + last_count(bucket);
  }
  [[nodiscard]] std::size_t memory() const {
    return ends_.capacity() * sizeof(ProxyPair*) + chunks_.capacity() * sizeof(std::size_t);
  }

 private:
  static bool is_full(const ProxyPair* end) {
    return (reinterpret_cast<std::uintptr_t>(end) & (sizeof(PairChunk) - 1)) == 0;
  }
  static PairChunk* chunk_of(ProxyPair* pair) {
    return reinterpret_cast<PairChunk*>(reinterpret_cast<std::uintptr_t>(pair) & ~(sizeof(PairChunk) - 1));
  }
  ProxyPair* append_chunk(ProxyPair* end, PairChunkPool& pool) {
    if (free_ == free_end_) {
      free_ = pool.take_slab();
      free_end_ = free_ + PairChunkPool::kSlab;
    }
    PairChunk* const chunk = free_++;
    chunk->previous = end == nullptr ? nullptr : chunk_of(end - 1);
    return chunk->pairs;
  }

  std::vector<ProxyPair*> ends_;  // where the next pair of a bucket goes; a multiple of the size of a chunk when full
  std::vector<std::size_t> chunks_;
  unsigned bucket_shift_ = 0;
  PairChunk* free_ = nullptr;
  PairChunk* free_end_ = nullptr;
};

}  // namespace abut::detail
