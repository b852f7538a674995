// The list of pairs in canonical order, kept from call to call.
#pragma once

#include <abut/broadphase/detail/workers.h>
#include <abut/broadphase/proxy_pair.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Sorts what a sweep found and merges the pairs of the last list that are still true. The ids are cut into buckets by
/// pair.a; each bucket is sorted, merged and compared with the last list by one task.
class PairList {
 public:
  /// Fixes the buckets for the coming sweep and makes the workers ready for it.
  void prepare(const SweepContext& context, std::size_t id_bound, Workers& workers);
  /// After prepare(): slabs of chunks that as many pairs as the last sweep found take at most, however the work falls
  /// to the workers.
  [[nodiscard]] std::size_t slab_bound(const Workers& workers) const;

  /// Takes the pairs that the workers have found, each once. Pairs of the last list stay when both boxes are in the
  /// base.
  /// @param any_in_base  Whether a pair can stay at all.
  /// @param began,ended  Where not null: replaced by the pairs that only the new and only the last list has, sorted.
  void update(const IdBits& in_base, bool any_in_base, Workers& workers, std::vector<ProxyPair>* began,
              std::vector<ProxyPair>* ended);

  /// Sorted by (a, b).
  [[nodiscard]] std::span<const ProxyPair> pairs() const { return {pairs_.data(), size_}; }
  [[nodiscard]] std::size_t memory() const;
  /// Gives back what the last update() had no use for, where that is much.
  void trim();

 private:
  struct Bucket {
    std::size_t found = 0;        // pairs
    std::size_t found_begin = 0;  // in found_
    std::size_t last_begin = 0;   // in pairs_, the last list
    std::size_t next_begin = 0;   // in next_
    std::size_t kept = 0;         // pairs of the last list that stay; they come first in the bucket's part of it
    std::size_t began = 0;        // they lie in the bucket's chunks
    std::size_t ended = 0;        // they lie in the bucket's part of the last list, behind those that are kept
  };

  void count_found(const Workers& workers);
  void sort_bucket(std::size_t bucket, Worker& worker);
  void sort_long_row(std::span<std::uint32_t> values, std::span<std::uint32_t> scratch) const;
  void keep(std::size_t bucket, const IdBits& in_base, Worker& worker);
  void compare(std::size_t bucket, bool any_in_base, Worker& worker);
  void merge_bucket(std::size_t bucket);
  void collect_events(Workers& workers, std::vector<ProxyPair>& began, std::vector<ProxyPair>& ended);
  void find_chunks(std::size_t bucket, Worker& worker) const;

  std::size_t buckets_ = 0;
  unsigned bucket_shift_ = 0;
  std::vector<const PairSink*> sinks_;  // of the call in progress
  std::vector<Bucket> bucket_;          // and one more, for the ends
  std::vector<ProxyPair> pairs_;
  std::vector<ProxyPair> next_;
  std::vector<ProxyPair> found_;  // sorted, where next_ has to be merged from it
  ProxyPair* sorted_ = nullptr;   // of the call in progress: the list that takes what was found
  std::size_t size_ = 0;
};

}  // namespace abut::detail
