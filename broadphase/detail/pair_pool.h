// Where the parallel parts of a sweep put the pairs they find, in no particular order.
#pragma once

#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/proxy_pair.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace abut::detail {

/// An array of fixed room filled by many threads. Pairs beyond its room are counted and dropped: the caller then makes
/// room and sweeps again, which happens only while the number of pairs grows, and keeps the pool free of locks and of
/// buffers per thread.
class PairPool {
 public:
  void clear() { count_.store(0, std::memory_order_relaxed); }

  /// Thread-safe.
  void append(std::span<const ProxyPair> pairs) {
    const std::size_t begin = count_.fetch_add(pairs.size(), std::memory_order_relaxed);
    if (begin + pairs.size() > pairs_.size()) return;
    std::copy(pairs.begin(), pairs.end(), pairs_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  /// True when everything appended since clear() is here; otherwise makes room for as many.
  [[nodiscard]] bool complete_or_grow() {
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (count <= pairs_.size()) return true;
    grow(pairs_, count);
    return false;
  }

  /// The pairs appended; only when complete.
  [[nodiscard]] std::span<const ProxyPair> pairs() const {
    return {pairs_.data(), count_.load(std::memory_order_relaxed)};
  }

 private:
  std::vector<ProxyPair> pairs_;
  std::atomic<std::size_t> count_ = 0;
};

/// Collects the pairs of one task and hands them to the pool in blocks.
class PairWriter {
 public:
  explicit PairWriter(PairPool& pool) : pool_(pool) {}
  ~PairWriter() { flush(); }
  PairWriter(const PairWriter&) = delete;
  PairWriter& operator=(const PairWriter&) = delete;

  [[nodiscard]] PairPool& pool() const { return pool_; }

  void add(std::uint32_t a, std::uint32_t b) {
    buffer_[count_++] = a < b ? ProxyPair{a, b} : ProxyPair{b, a};
    if (count_ == buffer_.size()) flush();
  }

 private:
  void flush() {
    if (count_ != 0) pool_.append({buffer_.data(), count_});
    count_ = 0;
  }

  PairPool& pool_;
  std::size_t count_ = 0;
  std::array<ProxyPair, 256> buffer_;
};

}  // namespace abut::detail
