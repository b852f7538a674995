// The list of pairs in canonical order, kept from call to call.
#pragma once

#include <abut/broadphase/proxy_pair.h>
#include <abut/broadphase/proxy_table.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Sorts what a sweep found and merges the pairs of the last list that are still true. The ids are cut into buckets by
/// pair.a; each bucket is sorted, and later merged, by one task.
class PairList {
 public:
  /// @param found  Pairs of which at least one proxy has changed, each once, in any order.
  /// @param table  Pairs of the last list stay when neither proxy has changed according to it.
  void update(std::span<const ProxyPair> found, const ProxyTable& table);

  /// Sorted by (a, b).
  [[nodiscard]] std::span<const ProxyPair> pairs() const { return {pairs_.data(), size_}; }

 private:
  void partition(std::span<const ProxyPair> found);
  void sort_bucket(std::size_t bucket);
  void sort_row(std::size_t begin, std::size_t end);
  void count_kept(std::size_t bucket);
  void merge_bucket(std::size_t bucket);
  [[nodiscard]] bool stays(const ProxyPair& pair) const;

  std::span<const std::uint8_t> states_;  // of the call in progress
  std::size_t ids_ = 0;
  std::size_t buckets_ = 0;
  unsigned bucket_shift_ = 0;

  std::vector<std::uint32_t> offsets_;     // per block and bucket: number, then first place, of its pairs
  std::vector<std::size_t> bucket_begin_;  // in sorted_
  std::vector<std::size_t> last_begin_;    // in pairs_, the last list
  std::vector<std::size_t> next_begin_;    // in next_
  std::vector<std::uint32_t> rows_;        // per id: number, then place, of the pairs whose a it is
  std::vector<ProxyPair> partitioned_;
  std::vector<ProxyPair> sorted_;
  std::vector<ProxyPair> pairs_;
  std::vector<ProxyPair> next_;
  std::size_t size_ = 0;
};

}  // namespace abut::detail
