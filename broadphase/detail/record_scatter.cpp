// Boxes entered in the columns of a grid: one record for each column that a box lies in, grouped by neighbouring
// columns.
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/record_scatter.h>
#include <abut/broadphase/detail/rounding.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {
namespace {

constexpr std::size_t kMaxScatterBuckets = 1024;  // bounds the table of offsets
constexpr std::size_t kBucketColumns = 32;        // columns a bucket: some hundred boxes, a task of ten microseconds

// The columns of ids are found this many at a time. Where fewer than a quarter of them is listed, one at a time.
constexpr std::size_t kScatterBatch = 64;

using Code = ColumnGrid::Code;

/// A record in two registers. Put together in memory, its eight parts would have to arrive there before it can be read
/// as a whole.
class PackedRecord {
 public:
#if defined(__SSE2__)
  PackedRecord(float lower_s, float lower_u, float lower_v, float upper_s, float upper_u, float upper_v,
               std::uint32_t word, std::uint32_t run)
      : front_(_mm_setr_ps(lower_s, lower_u, lower_v, upper_s)),
        back_(_mm_castps_si128(_mm_setr_ps(upper_u, upper_v, std::bit_cast<float>(word), std::bit_cast<float>(run)))) {}

  void write(ColumnRecord& record, std::uint32_t more_word, std::uint32_t more_run) const {
    const __m128i more = _mm_setr_epi32(0, 0, static_cast<int>(more_word), static_cast<int>(more_run));
    auto* const to = reinterpret_cast<unsigned char*>(&record);
    _mm_store_ps(reinterpret_cast<float*>(to), front_);
    _mm_store_si128(reinterpret_cast<__m128i*>(to + 16), _mm_or_si128(back_, more));
  }

 private:
  __m128 front_;
  __m128i back_;
#else
  PackedRecord(float lower_s, float lower_u, float lower_v, float upper_s, float upper_u, float upper_v,
               std::uint32_t word, std::uint32_t run)
      : record_{{lower_s, lower_u, lower_v}, {upper_s, upper_u, upper_v}, word, run} {}

  void write(ColumnRecord& record, std::uint32_t more_word, std::uint32_t more_run) const {
    record = record_;
    record.word |= more_word;
    record.run |= more_run;
  }

 private:
  ColumnRecord record_;
#endif
};
static_assert(sizeof(ColumnRecord) == 32 && offsetof(ColumnRecord, upper) == 12 && offsetof(ColumnRecord, word) == 24);

}  // namespace

void RecordScatter::enter(const BoxTable& table, const ColumnGrid& grid, float guest_limit, const IdBlocks& ids,
                          std::uint32_t word) {
  table_ = &table;
  ids_ = &ids;
  grid_ = grid;
  guest_limit_ = guest_limit;
  word_ = word;
  buckets_ = std::clamp<std::size_t>(grid_.columns / kBucketColumns, 1, kMaxScatterBuckets);
  bucket_shift_ = static_cast<unsigned>(std::countr_zero(grid_.columns / static_cast<std::uint32_t>(buckets_)));
  grow(codes_, table.id_bound());
  grow(offsets_, ids.blocks() * buckets_);
  grow(bucket_begin_, buckets_ + 1);

  parallel_each(ids.blocks(), [this](std::size_t block) { count_block(block); });
  place();
  parallel_each(ids.blocks(), [this](std::size_t block) { scatter_block(block); });
}

void RecordScatter::count_block(std::size_t block) {
  std::uint32_t* const counts = offsets_.data() + block * buckets_;
  std::fill(counts, counts + buckets_, 0U);
  const std::span<const std::uint32_t> ids = ids_->ids(block);
  std::uint32_t* const codes = codes_.data() + ids_->first(block);
  for (std::size_t done = 0; done < ids.size(); done += kScatterBatch) {
    const std::size_t n = std::min(kScatterBatch, ids.size() - done);
    if (ids[done + n - 1] - ids[done] == n - 1) {  // neighbours
      grid_.find_codes(*table_, ids[done], n, codes + done);
    } else {
      for (std::size_t k = 0; k < n; ++k) grid_.find_codes(*table_, ids[done + k], 1, codes + done + k);
    }
  }
  const std::uint32_t mask = grid_.columns - 1;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::uint32_t code = codes[k];
    if (code == Code::kNone) continue;
    const std::uint32_t more_u = Code::more_u(code);
    const std::uint32_t more_v = Code::more_v(code);
    if ((more_u | more_v) > 1) {
      grid_.visit_columns(code,
                          [this, counts](std::uint32_t column, bool, bool) { ++counts[column >> bucket_shift_]; });
      continue;
    }
    // Up to two cells an axis: four additions, some of them of zero, are cheaper than branches that cannot be foreseen.
    const std::uint32_t column = code & (ColumnGrid::kMaxColumns - 1);
    const std::uint32_t row = column + grid_.row_stride;
    ++counts[column >> bucket_shift_];
    counts[((column + 1) & mask) >> bucket_shift_] += more_u;
    counts[(row & mask) >> bucket_shift_] += more_v;
    counts[((row + 1) & mask) >> bucket_shift_] += more_u & more_v;
  }
}

/// Turns the counts into places and makes room.
void RecordScatter::place() {
  const std::size_t blocks = ids_->blocks();
  std::uint32_t place = 0;
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    bucket_begin_[bucket] = place;
    for (std::size_t block = 0; block < blocks; ++block) {
      place += std::exchange(offsets_[block * buckets_ + bucket], place);
    }
  }
  bucket_begin_[buckets_] = place;
  grow(records_, place + blocks);
}

void RecordScatter::scatter_block(std::size_t block) {
  if (table_->half_margin() > 0.0F) {
    scatter_block_widened<true>(block);
  } else {
    scatter_block_widened<false>(block);
  }
}

template <bool kWidens>
void RecordScatter::scatter_block_widened(std::size_t block) {
  std::uint32_t* const places = offsets_.data() + block * buckets_;
  const std::span<const std::uint32_t> ids = ids_->ids(block);
  const std::uint32_t* const codes = codes_.data() + ids_->first(block);
  const std::uint8_t* const states = table_->states().data();
  const auto in_vain = static_cast<std::uint32_t>(size() + block);
  const std::uint32_t mask = grid_.columns - 1;
  const std::uint32_t row_stride = grid_.row_stride;
  const unsigned shift = bucket_shift_;
  const float guest_limit = guest_limit_;
  const float margin = table_->half_margin();
  ColumnRecord* const records = records_.data();
  const BoxArrays& boxes = table_->boxes();
  const std::array<std::size_t, 3> axes = {grid_.sweep_axis, grid_.u_axis, grid_.v_axis};
  const std::array<const float*, 3> lower = {boxes.lower[axes[0]].data(), boxes.lower[axes[1]].data(),
                                             boxes.lower[axes[2]].data()};
  const std::array<const float*, 3> upper = {boxes.upper[axes[0]].data(), boxes.upper[axes[1]].data(),
                                             boxes.upper[axes[2]].data()};
  const auto lower_at = [&](std::size_t axis, std::uint32_t id) {
    return kWidens ? lowered(lower[axis][id], margin) : lower[axis][id];
  };
  const auto upper_at = [&](std::size_t axis, std::uint32_t id) {
    return kWidens ? raised(upper[axis][id], margin) : upper[axis][id];
  };
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::uint32_t code = codes[k];
    if (code == Code::kNone) continue;
    const std::uint32_t id = ids[k];
    const float lower_u = lower_at(1, id);
    const float lower_v = lower_at(2, id);
    const float upper_u = upper_at(1, id);
    const float upper_v = upper_at(2, id);
    // kFixed and kFiltered of the state are neighbours in the word as well.
    static_assert(SweepWord::kFixed == std::uint32_t{BoxTable::kFixed} << 28 &&
                  SweepWord::kFiltered == std::uint32_t{BoxTable::kFiltered} << 28);
    const std::uint32_t state = states[id];
    const std::uint32_t flags = (state & (BoxTable::kFixed | BoxTable::kFiltered)) << 28;
    const std::uint32_t is_guest = static_cast<std::uint32_t>(upper_u - lower_u <= guest_limit) &
                                   static_cast<std::uint32_t>(upper_v - lower_v <= guest_limit);
    const PackedRecord record(lower_at(0, id), lower_u, lower_v, upper_at(0, id), upper_u, upper_v, id | flags | word_,
                              is_guest);
    // Writes to the place of the column, or where nobody looks; a branch could not be foreseen.
    const auto put = [&](std::uint32_t column, std::uint32_t is_there, std::uint32_t not_first) {
      const std::uint32_t bucket = column >> shift;
      const std::uint32_t place = places[bucket];
      places[bucket] = place + is_there;
      record.write(records[in_vain ^ ((in_vain ^ place) & (0U - is_there))], not_first, 2 * column);
    };
    if (mask == 0) {  // a single column
      put(0, 1, 0);
      continue;
    }
    const std::uint32_t more_u = Code::more_u(code);
    const std::uint32_t more_v = Code::more_v(code);
    if ((more_u | more_v) > 1) {
      grid_.visit_columns(code, [&put](std::uint32_t column, bool first_u, bool first_v) {
        put(column, 1, (first_u ? 0U : SweepWord::kNotFirstU) | (first_v ? 0U : SweepWord::kNotFirstV));
      });
      continue;
    }
    const std::uint32_t column = code & (ColumnGrid::kMaxColumns - 1);
    const std::uint32_t row = column + row_stride;
    put(column, 1, 0);
    put((column + 1) & mask, more_u, SweepWord::kNotFirstU);
    put(row & mask, more_v, SweepWord::kNotFirstV);
    put((row + 1) & mask, more_u & more_v, SweepWord::kNotFirstU | SweepWord::kNotFirstV);
  }
}

std::size_t RecordScatter::memory() const {
  return memory_of(codes_) + memory_of(offsets_) + memory_of(bucket_begin_) + memory_of(records_);
}

void RecordScatter::trim(const BoxTable& table, std::size_t boxes) {
  if (buckets_ == 0) return;
  constexpr std::size_t kRecordsABox = 2;  // at most, where boxes are many
  shrink(records_, std::max(size() + ids_->blocks(), kRecordsABox * boxes));
  shrink(codes_, table.id_bound());
}

}  // namespace abut::detail
