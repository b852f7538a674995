// Boxes entered in the columns of a grid and sorted there.
//
// A counting sort in two steps: blocks of boxes scatter their records to buckets of neighbouring columns, then each
// bucket sorts its own. Blocks and buckets depend on the numbers of boxes and columns alone, so no step needs to know
// how many threads there are.
#include <abut/broadphase/detail/column_records.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/radix_sort.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/core/assert.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace abut::detail {
namespace {

constexpr std::size_t kMinBlock = 2048;     // boxes; a block is a task of some ten microseconds at least
constexpr std::size_t kMaxBlocks = 64;      // bounds the table of offsets
constexpr std::size_t kMaxBuckets = 1024;   // the same
constexpr std::size_t kBucketColumns = 32;  // columns a bucket: some hundred boxes, a task of ten microseconds
constexpr std::size_t kMaxBucketColumns = ColumnGrid::kMaxColumns / kMaxBuckets;

// Longest run sorted by counting, for each value, the smaller ones: quadratic, but without a branch.
constexpr std::size_t kMaxRankRun = 96;

}  // namespace

void ColumnRecords::enter(const ProxyTable& table, const ColumnGrid& grid, float guest_limit,
                          std::span<const std::uint32_t> ids) {
  table_ = &table;
  grid_ = grid;
  guest_limit_ = guest_limit;
  ids_ = ids;
  block_size_ = std::max(kMinBlock, (ids.size() + kMaxBlocks - 1) / kMaxBlocks);
  blocks_ = (ids.size() + block_size_ - 1) / block_size_;
  buckets_ = std::clamp<std::size_t>(grid_.columns / kBucketColumns, 1, kMaxBuckets);
  bucket_shift_ = static_cast<unsigned>(std::countr_zero(grid_.columns / static_cast<std::uint32_t>(buckets_)));
  grow(offsets_, blocks_ * buckets_);
  grow(bucket_begin_, buckets_ + 1);
  grow(run_end_, std::size_t{kRuns} * grid_.columns);
  grow(run_longest_, std::size_t{kRuns} * grid_.columns);

  parallel_each(blocks_, [this](std::size_t block) { count_block(block); });
  place();
  parallel_each(blocks_, [this](std::size_t block) { scatter_block(block); });
}

/// Calls visit(id, size) for the boxes of a block that the grid takes.
template <class Visit>
void ColumnRecords::visit_block(std::size_t block, const Visit& visit) const {
  const std::size_t begin = block * block_size_;
  for (const std::uint32_t id : ids_.subspan(begin, std::min(block_size_, ids_.size() - begin))) {
    const float size = grid_.size_of(table_->widened(), id);
    if (size <= grid_.size_limit) visit(id, size);
  }
}

void ColumnRecords::count_block(std::size_t block) {
  std::uint32_t* const counts = offsets_.data() + block * buckets_;
  std::fill(counts, counts + buckets_, 0U);
  visit_block(block, [this, counts](std::uint32_t id, float) {
    grid_.visit_columns(table_->widened(), id,
                        [this, counts](std::uint32_t column, bool, bool) { ++counts[column >> bucket_shift_]; });
  });
}

/// Turns the counts into places and makes room.
void ColumnRecords::place() {
  std::uint32_t place = 0;
  for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
    bucket_begin_[bucket] = place;
    for (std::size_t block = 0; block < blocks_; ++block) {
      place += std::exchange(offsets_[block * buckets_ + bucket], place);
    }
  }
  bucket_begin_[buckets_] = place;
  grow(records_, place);
  grow(entries_, place);
  grow(entry_scratch_, place);
  const std::size_t room = place + buckets_ * kLanes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grow(sorted_.lower[axis], room);
    grow(sorted_.upper[axis], room);
  }
  grow(sorted_word_, room);
}

void ColumnRecords::scatter_block(std::size_t block) {
  std::uint32_t* const places = offsets_.data() + block * buckets_;
  const BoxArrays& boxes = table_->widened();
  visit_block(block, [this, places, &boxes](std::uint32_t id, float size) {
    const std::uint8_t state = table_->states()[id];
    const bool changed = (state & ProxyTable::kChanged) != 0;
    const bool guest = size <= guest_limit_;
    const std::uint32_t run = guest ? (changed ? guest_changed : guest_still) : (changed ? own_changed : own_still);
    const std::uint32_t word = id | ((state & ProxyTable::kFixed) != 0 ? kFixed : 0U) |
                               ((state & ProxyTable::kFiltered) != 0 ? kFiltered : 0U);
    const std::array<std::size_t, 3> axes = {grid_.sweep_axis, grid_.u_axis, grid_.v_axis};
    const Record record = {{boxes.lower[axes[0]][id], boxes.lower[axes[1]][id], boxes.lower[axes[2]][id]},
                           {boxes.upper[axes[0]][id], boxes.upper[axes[1]][id], boxes.upper[axes[2]][id]},
                           word,
                           run};
    grid_.visit_columns(boxes, id, [this, places, &record](std::uint32_t column, bool first_u, bool first_v) {
      Record& placed = records_[places[column >> bucket_shift_]++];
      placed = record;
      placed.word |= (first_u ? kFirstU : 0U) | (first_v ? kFirstV : 0U);
      placed.run |= column * kRuns;
    });
  });
}

void ColumnRecords::sort_bucket(std::size_t bucket) {
  const std::size_t begin = bucket_begin_[bucket];
  const std::size_t end = bucket_begin_[bucket + 1];
  const std::size_t runs = std::size_t{kRuns} << bucket_shift_;
  const std::uint32_t run_mask = static_cast<std::uint32_t>(runs) - 1;
  std::size_t* const run_end = run_end_.data() + bucket * runs;
  if (begin == end) {
    std::fill(run_end, run_end + runs, sorted_begin(bucket));
    return;
  }

  std::array<std::uint32_t, kRuns * kMaxBucketColumns> places;
  ABUT_ASSERT(runs <= places.size());
  std::fill(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(runs), 0U);
  for (std::size_t i = begin; i < end; ++i) ++places[records_[i].run & run_mask];
  auto place = static_cast<std::uint32_t>(begin);
  for (std::size_t run = 0; run < runs; ++run) place += std::exchange(places[run], place);
  for (std::size_t i = begin; i < end; ++i) {
    entries_[places[records_[i].run & run_mask]++] = {ordered_key(records_[i].lower[0]), static_cast<std::uint32_t>(i)};
  }
  // Each place has become the end of its run.
  std::size_t run_begin = begin;
  const std::size_t shift = sorted_begin(bucket) - begin;
  for (std::size_t run = 0; run < runs; ++run) {
    if (places[run] != run_begin) {
      sort_run(run_begin, places[run] - run_begin, run_begin + shift);
      run_longest_[bucket * runs + run] = length_bound(run_begin + shift, places[run] + shift);
    }
    run_begin = places[run];
    run_end[run] = run_begin + shift;
  }
}

/// Sorts `count` entries by lower end and writes their boxes in that order to the sorted arrays.
void ColumnRecords::sort_run(std::size_t begin, std::size_t count, std::size_t sorted_begin) {
  const auto write = [this](const Entry& entry, std::size_t position) {
    const Record& record = records_[entry.record];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sorted_.lower[axis][position] = record.lower[axis];
      sorted_.upper[axis][position] = record.upper[axis];
    }
    sorted_word_[position] = record.word;
  };
  const std::span<Entry> entries(entries_.data() + begin, count);
  if (count > kMaxRankRun) {
    radix_sort(entries, std::span<Entry>(entry_scratch_.data() + begin, count),
               [](const Entry& entry) { return static_cast<std::uint32_t>(entry.key) ^ (std::uint32_t{1} << 31); });
    for (std::size_t i = 0; i < count; ++i) write(entries[i], sorted_begin + i);
    return;
  }
  std::array<std::int32_t, kMaxRankRun> keys;
  for (std::size_t i = 0; i < count; ++i) keys[i] = entries[i].key;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t key = keys[i];
    std::int32_t rank = 0;
    for (std::size_t j = 0; j < i; ++j) rank += static_cast<std::int32_t>(keys[j] <= key);
    for (std::size_t j = i + 1; j < count; ++j) rank += static_cast<std::int32_t>(keys[j] < key);
    write(entries[i], sorted_begin + static_cast<std::size_t>(rank));
  }
}

float ColumnRecords::length_bound(std::size_t begin, std::size_t end) const {
  float length = 0.0F;
  for (std::size_t i = begin; i < end; ++i) length = std::max(length, sorted_.upper[0][i] - sorted_.lower[0][i]);
  // The difference was rounded to nearest; a step upwards makes it a bound.
  return length < kLargestFloat ? raised(length, 0.0F) : std::numeric_limits<float>::infinity();
}

}  // namespace abut::detail
