// The second half of the counting sort by column: the records of a bucket, sorted run by run into arrays.
#include <abut/broadphase/detail/column_sorter.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/core/assert.h>
#include <abut/core/infinity.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace abut::detail {
namespace {

constexpr unsigned kDigitBits = 8;
constexpr unsigned kDigits = 3;
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;

// Insertion repairs what is nearly sorted. Where it would have to move a box further than this, the keys were too
// coarse for the run (one box far away from the others stretches the scale), and the run is sorted by its exact ends.
constexpr std::size_t kMaxShift = 24;

}  // namespace

void ColumnSorter::sort(std::span<const ColumnRecord> records, std::size_t columns) {
  const std::size_t runs = 2 * columns;
  const std::size_t room = records.size() + (std::min(runs, records.size()) + 1) * SweepKernels::kGuard;
  grow(entries_, records.size());
  grow(scratch_, records.size());
  grow(run_sizes_, runs);
  grow(runs_, runs);
  for (std::vector<float>& values : arrays_) grow(values, room);
  grow(words_, room);
  order(records, columns);

  std::size_t begin = 0;
  std::size_t position = 0;
  for (std::size_t k = 0; k < runs; ++k) {
    const std::size_t size = run_sizes_[k];
    runs_[k] = {position, position + size};
    if (size == 0) continue;
    copy_run(records, begin, begin + size, position);
    begin += size;
    position += size;
    std::fill_n(arrays_[0].data() + position, SweepKernels::kGuard, kFloatInfinity);
    position += SweepKernels::kGuard;
  }
}

/// Orders entries_ by run and, nearly, by lower end.
void ColumnSorter::order(std::span<const ColumnRecord> records, std::size_t columns) {
  const std::size_t runs = 2 * columns;
  const auto run_mask = static_cast<std::uint32_t>(runs) - 1;
  float first = kFloatInfinity;
  float last = -kFloatInfinity;
  for (const ColumnRecord& record : records) {
    first = record.lower[0] < first ? record.lower[0] : first;
    last = record.lower[0] > last ? record.lower[0] : last;
  }
  const auto run_bits = static_cast<unsigned>(std::countr_zero(runs));
  ABUT_ASSERT(std::has_single_bit(runs) && run_bits < kDigits * kDigitBits);
  const unsigned scale_bits = kDigits * kDigitBits - run_bits;
  const auto steps = static_cast<float>((std::uint32_t{1} << scale_bits) - 1);
  // Halves, because the difference of two floats may be beyond their range.
  const float half_extent = 0.5F * last - 0.5F * first;
  const float scale = half_extent > 0.0F ? 0.5F * steps / half_extent : 0.0F;
  const float bounded_scale = scale < kLargestFloat ? scale : 0.0F;

  std::array<std::array<std::uint32_t, kDigitValues>, kDigits> counts = {};
  std::fill_n(run_sizes_.data(), runs, 0U);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const float place = 2.0F * (0.5F * records[i].lower[0] - 0.5F * first) * bounded_scale;
    const auto step = static_cast<std::uint32_t>(static_cast<std::int32_t>(place < steps ? place : steps));
    const std::uint32_t run = records[i].run & run_mask;
    const std::uint32_t key = run << scale_bits | step;
    entries_[i] = static_cast<std::uint64_t>(key) << 32 | i;
    ++run_sizes_[run];
    for (unsigned digit = 0; digit < kDigits; ++digit) {
      ++counts[digit][(key >> (kDigitBits * digit)) & (kDigitValues - 1)];
    }
  }
  std::uint64_t* from = entries_.data();
  std::uint64_t* to = scratch_.data();
  for (unsigned digit = 0; digit < kDigits; ++digit) {
    const unsigned shift = 32 + kDigitBits * digit;
    std::array<std::uint32_t, kDigitValues>& places = counts[digit];
    if (!records.empty() && places[(from[0] >> shift) & (kDigitValues - 1)] == records.size()) continue;
    std::uint32_t place = 0;
    for (std::uint32_t& value : places) place += std::exchange(value, place);
    for (std::size_t i = 0; i < records.size(); ++i) to[places[(from[i] >> shift) & (kDigitValues - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries_.data()) std::swap(entries_, scratch_);
}

/// Writes the boxes of the entries begin ... end - 1, one run, in exact order from `position` on.
void ColumnSorter::copy_run(std::span<const ColumnRecord> records, std::size_t begin, std::size_t end,
                            std::size_t position) {
  const std::size_t first = position;
  float last = -kFloatInfinity;
  for (std::size_t i = begin; i < end; ++i, ++position) {
    const ColumnRecord& record = records[static_cast<std::uint32_t>(entries_[i])];
    std::size_t place = position;
    if (record.lower[0] < last) {
      while (place > first && arrays_[0][place - 1] > record.lower[0]) --place;
      if (position - place > kMaxShift) {
        sort_exactly(records, begin, end);
        copy_run(records, begin, end, first);
        return;
      }
      for (std::vector<float>& values : arrays_) {
        std::copy_backward(values.data() + place, values.data() + position, values.data() + position + 1);
      }
      std::copy_backward(words_.data() + place, words_.data() + position, words_.data() + position + 1);
    } else {
      last = record.lower[0];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      arrays_[axis][place] = record.lower[axis];
      arrays_[3 + axis][place] = record.upper[axis];
    }
    words_[place] = record.word;
  }
}

void ColumnSorter::sort_exactly(std::span<const ColumnRecord> records, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto number = static_cast<std::uint32_t>(entries_[i]);
    const auto key = static_cast<std::uint32_t>(ordered_key(records[number].lower[0])) ^ (std::uint32_t{1} << 31);
    entries_[i] = static_cast<std::uint64_t>(key) << 32 | number;
  }
  std::sort(entries_.begin() + static_cast<std::ptrdiff_t>(begin), entries_.begin() + static_cast<std::ptrdiff_t>(end));
}

std::size_t ColumnSorter::memory() const {
  std::size_t bytes = memory_of(entries_) + memory_of(scratch_) + memory_of(run_sizes_) + memory_of(runs_);
  for (const std::vector<float>& values : arrays_) bytes += memory_of(values);
  return bytes + memory_of(words_);
}

void ColumnSorter::make_room_like(const ColumnSorter& other) {
  match_room(entries_, other.entries_);
  match_room(scratch_, other.scratch_);
  match_room(run_sizes_, other.run_sizes_);
  match_room(runs_, other.runs_);
  for (std::size_t k = 0; k < 6; ++k) match_room(arrays_[k], other.arrays_[k]);
  match_room(words_, other.words_);
}

}  // namespace abut::detail
