// The list of pairs in canonical order, kept from call to call.
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/pair_list.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/radix_sort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {
namespace {

constexpr unsigned kMinBucketShift = 8;  // ids a bucket: a task of some thousand pairs
constexpr std::size_t kMaxBuckets = 2048;

// Rows, the pairs of one smaller id, are mostly of a few pairs, in dense scenes of dozens. That of a ground box may
// hold every other proxy.
constexpr std::size_t kShortRow = 8;
constexpr std::size_t kRankedRow = 64;
constexpr std::size_t kMinRadixRow = 512;

/// Number of bits of a mask of eight.
struct BitCounts {
  std::array<std::uint8_t, 256> counts = {};

  constexpr BitCounts() {
    for (unsigned mask = 0; mask < 256; ++mask) counts[mask] = static_cast<std::uint8_t>(std::popcount(mask));
  }
};
constexpr BitCounts kBitCounts;

/// How many of the first `count` <= kShortRow values are less; kShortRow of them are readable.
std::size_t count_less_of_few(const std::uint32_t* values, std::size_t count, std::uint32_t bound) {
#if defined(__SSE2__)
  const __m128i bounds = _mm_set1_epi32(static_cast<int>(bound));  // ids have no sign bit
  const auto less = [values, bounds](std::size_t k) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + k));
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmplt_epi32(some, bounds))));
  };
  const unsigned mask = less(0) | less(4) << 4;
#else
  unsigned mask = 0;
  for (unsigned k = 0; k < kShortRow; ++k) mask |= static_cast<unsigned>(values[k] < bound) << k;
#endif
  return kBitCounts.counts[mask & ((1U << count) - 1)];
}

/// How many of the first `count` values are less. The compiler makes vector code of it.
std::size_t count_less(const std::uint32_t* values, std::size_t count, std::uint32_t bound) {
  std::uint32_t less = 0;
  for (std::size_t k = 0; k < count; ++k) less += static_cast<std::uint32_t>(values[k] < bound);
  return less;
}

/// Sorts distinct values as bits of a set, in about as many steps as there are values and words.
/// @param words  Memory for a bit for every number up to the largest value, all of it below 32 * words.size().
void sort_by_bits(std::span<std::uint32_t> values, std::span<std::uint32_t> words) {
  std::fill(words.begin(), words.end(), 0U);
  for (const std::uint32_t value : values) words[value / 32] |= 1U << (value % 32);
  std::uint32_t* out = values.data();
  for (std::size_t k = 0; k < words.size(); ++k) {
    for (std::uint32_t bits = words[k]; bits != 0; bits &= bits - 1) {
      *out++ = static_cast<std::uint32_t>(32 * k) + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
  }
}

/// Orders as the pairs do.
std::uint64_t key_of(const ProxyPair& pair) {
  return static_cast<std::uint64_t>(pair.a) << 32 | pair.b;
}

/// Place k of a bucket's chunks.
ProxyPair& chunk_place(const std::vector<PairChunk*>& chunks, std::size_t k) {
  return chunks[k / PairChunk::kPairs]->pairs[k % PairChunk::kPairs];
}

}  // namespace

void PairList::prepare(const SweepContext& context, std::size_t id_bound, Workers& workers) {
  bucket_shift_ = kMinBucketShift;
  while ((id_bound >> bucket_shift_) >= kMaxBuckets) ++bucket_shift_;
  buckets_ = (id_bound >> bucket_shift_) + 1;
  grow(bucket_, buckets_ + 1);
  workers.reset(context, buckets_, bucket_shift_);
}

std::size_t PairList::slab_bound(const Workers& workers) const {
  const std::size_t worker_count = workers.all().size();
  std::size_t chunks = 0;
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    // Each worker begins a chunk in each bucket that it finds pairs for.
    const std::size_t found = bucket_[bucket].found;
    const std::size_t begun = std::min(found, worker_count);
    chunks += begun + (found - begun) / PairChunk::kPairs;
  }
  return chunks / PairChunkPool::kSlab + worker_count;  // and each begins a slab
}

void PairList::update(const IdBits& in_base, bool any_in_base, Workers& workers, std::vector<ProxyPair>* began,
                      std::vector<ProxyPair>* ended) {
  const bool compares = began != nullptr && ended != nullptr;
  count_found(workers);
  const std::size_t found = bucket_[buckets_].found_begin;
  // Where nothing stays and nothing is compared, the last list can be written over.
  const bool replaces = !any_in_base && !compares;
  std::vector<ProxyPair>& sorted = any_in_base ? found_ : replaces ? pairs_ : next_;
  // Beside a base pairs are found few at a time, and more from call to call until it is built anew.
  grow(sorted, any_in_base ? std::max(found, size_ / 4) : found);
  sorted_ = sorted.data();
  parallel_each(buckets_, workers, [&](std::size_t bucket, Worker& worker) {
    sort_bucket(bucket, worker);
    if (any_in_base) keep(bucket, in_base, worker);
    if (compares) compare(bucket, any_in_base, worker);
  });
  std::size_t place = found;
  if (any_in_base) {
    place = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      bucket_[bucket].next_begin = place;
      place += bucket_[bucket].kept + bucket_[bucket + 1].found_begin - bucket_[bucket].found_begin;
    }
    grow(next_, place);
    parallel_each(buckets_, [this](std::size_t bucket) { merge_bucket(bucket); });
  }
  if (compares) collect_events(workers, *began, *ended);
  if (!replaces) std::swap(pairs_, next_);
  size_ = place;
}

/// Finds where each bucket's pairs go, and where its part of the last list lies.
void PairList::count_found(const Workers& workers) {
  // More workers may come while the buckets are sorted; they have found nothing.
  sinks_.clear();
  for (const std::unique_ptr<Worker>& worker : workers.all()) sinks_.push_back(&worker->sink);
  const auto by_a = [](const ProxyPair& pair, std::uint32_t id) { return pair.a < id; };
  const std::span<const ProxyPair> last = pairs();
  std::size_t place = 0;
  auto begin = last.begin();
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    bucket_[bucket] = {};
    bucket_[bucket].found_begin = place;
    for (const PairSink* sink : sinks_) bucket_[bucket].found += sink->count(bucket);
    place += bucket_[bucket].found;
    begin = std::lower_bound(begin, last.end(), static_cast<std::uint32_t>(bucket << bucket_shift_), by_a);
    bucket_[bucket].last_begin = static_cast<std::size_t>(begin - last.begin());
  }
  bucket_[buckets_] = {};
  bucket_[buckets_].found_begin = place;
  bucket_[buckets_].last_begin = last.size();
}

/// Lists the chunks of a bucket in worker.chunks, in an order that depends on the chunks alone.
void PairList::find_chunks(std::size_t bucket, Worker& worker) const {
  worker.chunks.clear();
  // How many there are depends a little on how the work fell to the threads.
  std::size_t count = 0;
  for (const PairSink* sink : sinks_) count += sink->chunk_count(bucket);
  if (worker.chunks.capacity() < count) worker.chunks.reserve(2 * count + 64);
  for (const PairSink* sink : sinks_) {
    for (PairChunk* chunk = sink->last_chunk(bucket); chunk != nullptr; chunk = chunk->previous) {
      worker.chunks.push_back(chunk);
    }
  }
}

/// Sorts the pairs found in a bucket: counting sort by a, then each pair goes to its rank in its row. Ranks in short
/// rows are counted without a branch.
void PairList::sort_bucket(std::size_t bucket, Worker& worker) {
  const std::size_t begin = bucket_[bucket].found_begin;
  const std::size_t count = bucket_[bucket + 1].found_begin - begin;
  find_chunks(bucket, worker);
  if (count == 0) return;
  const std::size_t rows = std::size_t{1} << bucket_shift_;
  const auto row_mask = static_cast<std::uint32_t>(rows) - 1;
  grow(worker.scratch[0], rows + 1);
  grow(worker.scratch[1], count + kShortRow);
  grow(worker.scratch[2], count);
  std::uint32_t* const row_end = worker.scratch[0].data() + 1;
  std::uint32_t* const values = worker.scratch[1].data();
  std::uint32_t* const row_of = worker.scratch[2].data();
  std::fill_n(row_end - 1, rows + 1, 0U);

  const auto visit_pairs = [this, bucket](const auto& visit) {
    for (const PairSink* sink : sinks_) {
      const PairChunk* chunk = sink->last_chunk(bucket);
      if (chunk == nullptr) continue;
      for (std::size_t n = sink->last_count(bucket); chunk != nullptr; n = PairChunk::kPairs) {
        for (std::size_t k = 0; k < n; ++k) visit(chunk->pairs[k]);
        chunk = chunk->previous;
      }
    }
  };
  visit_pairs([row_end, row_mask](const ProxyPair& pair) { ++row_end[pair.a & row_mask]; });
  std::uint32_t place = 0;
  for (std::size_t row = 0; row < rows; ++row) place += std::exchange(row_end[row], place);
  visit_pairs([row_end, values, row_of, row_mask](const ProxyPair& pair) {
    const std::uint32_t row = pair.a & row_mask;
    const std::uint32_t k = row_end[row]++;
    values[k] = pair.b;
    row_of[k] = row;
  });
  // Each place has become the end of its row, and that of the row before it is its beginning.
  ProxyPair* const sorted = sorted_ + begin;
  const auto first_id = static_cast<std::uint32_t>(bucket << bucket_shift_);
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t row = row_of[k];
    const std::size_t first = row_end[static_cast<std::ptrdiff_t>(row) - 1];
    const std::size_t size = row_end[row] - first;
    if (size > kRankedRow) {
      sort_long_row(std::span(values + first, size), std::span(row_of + first, size));
      for (std::size_t j = first; j < first + size; ++j) sorted[j] = {first_id + row, values[j]};
      k += size - 1;
      continue;
    }
    const std::size_t rank = size <= kShortRow ? count_less_of_few(values + first, size, values[k])
                                               : count_less(values + first, size, values[k]);
    sorted[first + rank] = {first_id + row, values[k]};
  }
}

/// Sorts distinct ids; contents of scratch, which has as many places, are lost.
void PairList::sort_long_row(std::span<std::uint32_t> values, std::span<std::uint32_t> scratch) const {
  const std::size_t words = (buckets_ << bucket_shift_) / 32;  // a bit for every id
  if (words <= scratch.size()) {
    sort_by_bits(values, scratch.first(words));
  } else if (values.size() < kMinRadixRow) {
    std::sort(values.begin(), values.end());
  } else {
    radix_sort(values, scratch, [](std::uint32_t value) { return value; });
  }
}

/// Moves the pairs of the last list that stay to the front of the bucket's part of it, and the others to
/// worker.dropped.
void PairList::keep(std::size_t bucket, const IdBits& in_base, Worker& worker) {
  const std::size_t begin = bucket_[bucket].last_begin;
  const std::size_t count = bucket_[bucket + 1].last_begin - begin;
  grow(worker.dropped, count + 1);
  ProxyPair* const part = pairs_.data() + begin;
  ProxyPair* const dropped = worker.dropped.data();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const ProxyPair pair = part[i];
    const auto stays =
        static_cast<std::size_t>(in_base.contains(pair.a)) & static_cast<std::size_t>(in_base.contains(pair.b));
    dropped[i - kept] = pair;
    part[kept] = pair;
    kept += stays;
  }
  bucket_[bucket].kept = kept;
}

/// Lists what began and what ended in a bucket: the differences of what was found and what has not stayed.
void PairList::compare(std::size_t bucket, bool any_in_base, Worker& worker) {
  Bucket& own = bucket_[bucket];
  const std::size_t last_begin = own.last_begin;
  const std::size_t old_count = bucket_[bucket + 1].last_begin - last_begin - own.kept;
  const std::size_t new_count = bucket_[bucket + 1].found_begin - own.found_begin;
  const ProxyPair* const before = any_in_base ? worker.dropped.data() : pairs_.data() + last_begin;
  const ProxyPair* const now = sorted_ + own.found_begin;
  ProxyPair* const ended = pairs_.data() + last_begin + own.kept;  // at most as far as `before` has been read
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < old_count && j < new_count) {  // every step writes both, and keeps what is to be kept
    const ProxyPair x = before[i];
    const ProxyPair y = now[j];
    const auto is_less = static_cast<std::size_t>(key_of(x) < key_of(y));
    const auto is_greater = static_cast<std::size_t>(key_of(y) < key_of(x));
    ended[own.ended] = x;
    chunk_place(worker.chunks, own.began) = y;
    own.ended += is_less;
    own.began += is_greater;
    i += 1 - is_greater;
    j += 1 - is_less;
  }
  for (; i < old_count; ++i) ended[own.ended++] = before[i];
  for (; j < new_count; ++j) chunk_place(worker.chunks, own.began++) = now[j];
}

/// Merges what was found into what stays.
void PairList::merge_bucket(std::size_t bucket) {
  const ProxyPair* kept = pairs_.data() + bucket_[bucket].last_begin;
  const ProxyPair* const kept_end = kept + bucket_[bucket].kept;
  const ProxyPair* found = found_.data() + bucket_[bucket].found_begin;
  const ProxyPair* const found_end = found_.data() + bucket_[bucket + 1].found_begin;
  ProxyPair* out = next_.data() + bucket_[bucket].next_begin;
  for (; found != found_end; ++found) {
    const std::uint64_t key = key_of(*found);
    for (; kept != kept_end && key_of(*kept) < key; ++kept) *out++ = *kept;
    *out++ = *found;
  }
  std::copy(kept, kept_end, out);
}

void PairList::collect_events(Workers& workers, std::vector<ProxyPair>& began, std::vector<ProxyPair>& ended) {
  std::size_t began_count = 0;
  std::size_t ended_count = 0;
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    began_count += bucket_[bucket].began;
    ended_count += bucket_[bucket].ended;
  }
  began.resize(began_count);
  ended.resize(ended_count);
  // The buckets' places in the lists; those in found_ and next_ are not needed any more.
  std::size_t began_place = 0;
  std::size_t ended_place = 0;
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    bucket_[bucket].found_begin = began_place;
    bucket_[bucket].next_begin = ended_place;
    began_place += bucket_[bucket].began;
    ended_place += bucket_[bucket].ended;
  }
  parallel_each(buckets_, workers, [&](std::size_t bucket, Worker& worker) {
    const Bucket& own = bucket_[bucket];
    const ProxyPair* const part = pairs_.data() + own.last_begin + own.kept;
    std::copy(part, part + own.ended, ended.data() + own.next_begin);
    if (own.began == 0) return;
    find_chunks(bucket, worker);
    for (std::size_t k = 0; k < own.began; ++k) began[own.found_begin + k] = chunk_place(worker.chunks, k);
  });
}

std::size_t PairList::memory() const {
  return memory_of(bucket_) + memory_of(pairs_) + memory_of(next_) + memory_of(found_);
}

void PairList::trim() {
  shrink(next_, size_);
  shrink(found_, size_);
  shrink(pairs_, size_);
}

}  // namespace abut::detail
