// The list of pairs in canonical order, kept from call to call.
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/pair_list.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/radix_sort.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace abut::detail {
namespace {

constexpr std::size_t kBucketPairs = 1024;  // wanted in a bucket
constexpr std::size_t kMaxBuckets = 256;
constexpr std::size_t kMinBlock = 8192;  // pairs
constexpr std::size_t kMaxBlocks = 64;

// Rows are mostly of a few pairs. That of a ground box may hold every other proxy.
constexpr std::size_t kMaxInsertionRow = 24;
constexpr std::size_t kMinRadixRow = 512;

}  // namespace

void PairList::update(std::span<const ProxyPair> found, const ProxyTable& table) {
  states_ = table.states();
  ids_ = states_.size();
  partition(found);
  parallel_each(buckets_, [this](std::size_t bucket) {
    sort_bucket(bucket);
    count_kept(bucket);
  });

  std::size_t place = 0;
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    const std::size_t size = next_begin_[bucket] + bucket_begin_[bucket + 1] - bucket_begin_[bucket];
    next_begin_[bucket] = place;
    place += size;
  }
  grow(next_, place);
  parallel_each(buckets_, [this](std::size_t bucket) { merge_bucket(bucket); });
  std::swap(pairs_, next_);
  size_ = place;
}

/// Writes `found` to partitioned_, bucket by bucket.
void PairList::partition(std::span<const ProxyPair> found) {
  const std::size_t wanted = std::clamp<std::size_t>((found.size() + size_) / kBucketPairs, 1, kMaxBuckets);
  bucket_shift_ = 0;
  while ((ids_ >> bucket_shift_) >= wanted) ++bucket_shift_;
  buckets_ = (ids_ >> bucket_shift_) + 1;
  const std::size_t block_size = std::max(kMinBlock, (found.size() + kMaxBlocks - 1) / kMaxBlocks);
  const std::size_t blocks = (found.size() + block_size - 1) / block_size;
  grow(offsets_, blocks * buckets_);
  grow(bucket_begin_, buckets_ + 1);
  grow(last_begin_, buckets_ + 1);
  grow(next_begin_, buckets_ + 1);
  grow(rows_, ids_);
  grow(partitioned_, found.size());
  grow(sorted_, found.size());

  const auto block_pairs = [found, block_size](std::size_t block) {
    const std::size_t begin = block * block_size;
    return found.subspan(begin, std::min(block_size, found.size() - begin));
  };
  parallel_each(blocks, [this, &block_pairs](std::size_t block) {
    std::uint32_t* const counts = offsets_.data() + block * buckets_;
    std::fill(counts, counts + buckets_, 0U);
    for (const ProxyPair& pair : block_pairs(block)) ++counts[pair.a >> bucket_shift_];
  });
  std::uint32_t place = 0;
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    bucket_begin_[bucket] = place;
    for (std::size_t block = 0; block < blocks; ++block) {
      place += std::exchange(offsets_[block * buckets_ + bucket], place);
    }
  }
  bucket_begin_[buckets_] = place;
  parallel_each(blocks, [this, &block_pairs](std::size_t block) {
    std::uint32_t* const places = offsets_.data() + block * buckets_;
    for (const ProxyPair& pair : block_pairs(block)) partitioned_[places[pair.a >> bucket_shift_]++] = pair;
  });
}

/// Sorts a bucket into sorted_: counting sort by a, then each row by b.
void PairList::sort_bucket(std::size_t bucket) {
  const std::size_t begin = bucket_begin_[bucket];
  const std::size_t end = bucket_begin_[bucket + 1];
  if (begin == end) return;
  const std::size_t first_id = bucket << bucket_shift_;
  const std::size_t last_id = std::min((bucket + 1) << bucket_shift_, ids_);
  std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(first_id), rows_.begin() + static_cast<std::ptrdiff_t>(last_id),
            0U);
  for (std::size_t i = begin; i < end; ++i) ++rows_[partitioned_[i].a];
  auto place = static_cast<std::uint32_t>(begin);
  for (std::size_t id = first_id; id < last_id; ++id) place += std::exchange(rows_[id], place);
  for (std::size_t i = begin; i < end; ++i) sorted_[rows_[partitioned_[i].a]++] = partitioned_[i];
  // Each place has become the end of its row.
  std::size_t row_begin = begin;
  for (std::size_t id = first_id; id < last_id; ++id) {
    sort_row(row_begin, rows_[id]);
    row_begin = rows_[id];
  }
}

void PairList::sort_row(std::size_t begin, std::size_t end) {
  const std::size_t count = end - begin;
  if (count < 2) return;
  const std::span<ProxyPair> row(sorted_.data() + begin, count);
  if (count <= kMaxInsertionRow) {
    for (std::size_t i = 1; i < count; ++i) {
      const ProxyPair pair = row[i];
      std::size_t j = i;
      for (; j > 0 && row[j - 1].b > pair.b; --j) row[j] = row[j - 1];
      row[j] = pair;
    }
  } else if (count < kMinRadixRow) {
    std::sort(row.begin(), row.end());
  } else {
    radix_sort(row, std::span<ProxyPair>(partitioned_.data() + begin, count),
               [](const ProxyPair& pair) { return pair.b; });
  }
}

bool PairList::stays(const ProxyPair& pair) const {
  return ((states_[pair.a] | states_[pair.b]) & ProxyTable::kChanged) == 0;
}

/// Finds the pairs of the last list that belong to the bucket, and how many of them stay.
void PairList::count_kept(std::size_t bucket) {
  const auto first = static_cast<std::uint32_t>(bucket << bucket_shift_);
  const auto last = static_cast<std::uint32_t>((bucket + 1) << bucket_shift_);
  const auto by_a = [](const ProxyPair& pair, std::uint32_t id) { return pair.a < id; };
  const std::span<const ProxyPair> all = pairs();
  const auto begin = std::lower_bound(all.begin(), all.end(), first, by_a);
  const auto end = std::lower_bound(begin, all.end(), last, by_a);
  last_begin_[bucket] = static_cast<std::size_t>(begin - all.begin());
  if (bucket + 1 == buckets_) last_begin_[buckets_] = all.size();
  std::size_t kept = 0;
  for (auto pair = begin; pair != end; ++pair) kept += static_cast<std::size_t>(stays(*pair));
  next_begin_[bucket] = kept;
}

void PairList::merge_bucket(std::size_t bucket) {
  const ProxyPair* found = sorted_.data() + bucket_begin_[bucket];
  const ProxyPair* const found_end = sorted_.data() + bucket_begin_[bucket + 1];
  ProxyPair* out = next_.data() + next_begin_[bucket];
  for (std::size_t i = last_begin_[bucket]; i < last_begin_[bucket + 1]; ++i) {
    if (!stays(pairs_[i])) continue;
    for (; found != found_end && *found < pairs_[i]; ++found) *out++ = *found;
    *out++ = pairs_[i];
  }
  std::copy(found, found_end, out);
}

}  // namespace abut::detail
