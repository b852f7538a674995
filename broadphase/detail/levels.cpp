// The grids of a scene, from its small boxes to its large ones, and which boxes rest in them.
#include <abut/broadphase/detail/column_sweep.h>
#include <abut/broadphase/detail/levels.h>
#include <abut/broadphase/detail/linear_scan.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/state_bits.h>

#include <algorithm>
#include <array>
#include <bit>

namespace abut::detail {
namespace {

// Oversize boxes tested against everything rather than in a grid of their own. Each costs one pass over the boxes,
// several at a time, while a grid enters every smaller box as a guest.
constexpr std::size_t kMaxLinear = 16;

// The oversize boxes are tested beside the sweep of the last grid where that is so many tests, some microseconds.
constexpr std::size_t kScanWorthATask = 1024;

// A box resting outside the base is entered anew in every call. When one in so many does, building the base anew, which
// enters all boxes once, is paid back within that many calls.
constexpr std::size_t kMaxRestingShare = 16;

// A scene in which all move has its grids chosen anew after so many boxes have been swept, but not later than after so
// many calls.
constexpr std::size_t kBoxesPerChoice = 16384;
constexpr std::size_t kMaxAge = 16;

/// Appends the ids of boxes larger than a grid takes.
void list_larger(const BoxTable& table, const ColumnGrid& grid, std::span<const std::uint32_t> ids,
                 std::vector<std::uint32_t>& larger) {
  constexpr std::size_t kBatch = 64;
  const BoxArrays& boxes = table.boxes();
  const float* const lower_u = boxes.lower[grid.u_axis].data();
  const float* const upper_u = boxes.upper[grid.u_axis].data();
  const float* const lower_v = boxes.lower[grid.v_axis].data();
  const float* const upper_v = boxes.upper[grid.v_axis].data();
  // Twice the margin and rounding: whatever is smaller fits once it is widened, so most batches need no second look.
  // Widening moves an end by up to two of its float steps more than the half margin. Far from the origin these count:
  // for both ends they are 2^-21 of the coordinate, and as much again covers the rounding of the sum.
  const float limit = grid.size_limit * (1.0F - 0x1p-20F) - 4.0F * table.half_margin();
  const auto bound = [](float lower, float upper) { return (upper - lower) + 0x1p-20F * std::max(upper, -lower); };
  for (std::size_t done = 0; done < ids.size(); done += kBatch) {
    const std::size_t n = std::min(kBatch, ids.size() - done);
    if (ids[done + n - 1] - ids[done] == n - 1) {
      const std::size_t first = ids[done];
      unsigned too_large = 0;
      for (std::size_t k = first; k < first + n; ++k) {
        too_large |= static_cast<unsigned>(!(bound(lower_u[k], upper_u[k]) <= limit)) |
                     static_cast<unsigned>(!(bound(lower_v[k], upper_v[k]) <= limit));
      }
      if (too_large == 0) continue;
    }
    for (std::size_t k = 0; k < n; ++k) {
      if (grid.size_of(table.search_box(ids[done + k])) > grid.size_limit) larger.push_back(ids[done + k]);
    }
  }
}

/// Up to kMaxSample boxes, evenly spread over the ids in use.
class Sample {
 public:
  explicit Sample(const BoxTable& table) {
    const std::size_t bound = table.id_bound();
    for (std::size_t k = 0; k < boxes_.size(); ++k) {
      std::size_t id = k * bound / boxes_.size();
      const std::size_t end = (k + 1) * bound / boxes_.size();
      while (id < end && !table.contains(static_cast<std::uint32_t>(id))) ++id;
      if (id < end) boxes_[count_++] = table.search_box(static_cast<std::uint32_t>(id));
    }
  }
  Sample(const BoxTable& table, std::span<const std::uint32_t> ids) : count_(std::min(ids.size(), boxes_.size())) {
    for (std::size_t k = 0; k < count_; ++k) boxes_[k] = table.search_box(ids[k * ids.size() / count_]);
  }

  [[nodiscard]] std::span<const FloatBox> boxes() const { return {boxes_.data(), count_}; }

 private:
  std::array<FloatBox, kMaxSample> boxes_ = {};
  std::size_t count_ = 0;
};

}  // namespace

void Levels::update(const BoxTable& table, Workers& workers) {
  find_fresh(table);
  ++age_;
  if (!is_worn(table)) find_larger(table);
  if (is_worn(table) || larger_.size() > 4 * kMaxLinear) rebuild(table, workers);
  if (base_count_ == 0) {  // nothing of it is true any more
    for (Level& level : levels_) level.base.clear();
  }
}

void Levels::index(const BoxTable& table, Workers& workers) {
  update(table, workers);
  for (std::size_t k = 0; k < count_; ++k) {
    Level& level = levels_[k];
    level.loose.clear();
    if (fresh_count_ == 0) continue;
    records_.enter(table, level.grid, level.guest_limit, fresh_ids_, 0);
    level.loose.build(records_, level.grid, workers);
  }
}

void Levels::sum_counts() {
  fresh_count_ = 0;
  base_count_ = 0;
  resting_outside_ = 0;
  for (std::size_t block = 0; block < fresh_ids_.blocks(); ++block) {
    fresh_count_ += block_counts_[block].fresh;
    base_count_ += block_counts_[block].base;
    resting_outside_ += block_counts_[block].resting_outside;
  }
}

/// Takes changed boxes out of the base and lists what is outside it.
void Levels::find_fresh(const BoxTable& table) {
  in_base_.resize(table.id_bound());
  fresh_ids_.reset(table.id_bound());
  grow(block_counts_, fresh_ids_.blocks());
  parallel_each(fresh_ids_.blocks(), [this, &table](std::size_t block) {
    BlockCounts counts;
    std::uint32_t* out = fresh_ids_.room(block);
    const std::uint32_t* const begin = out;
    for (std::size_t first = fresh_ids_.first(block); first < fresh_ids_.last(block); first += 64) {
      const std::uint64_t changed = bits_of(table.states(), first, BoxTable::kChanged);
      std::uint64_t& in_base = in_base_.word(first / 64);
      in_base &= ~changed;  // a removed proxy has changed
      counts.base += static_cast<std::size_t>(std::popcount(in_base));
      const std::uint64_t fresh = bits_of(table.states(), first, BoxTable::kPresent) & ~in_base;
      counts.resting_outside += static_cast<std::size_t>(std::popcount(fresh & ~changed));
      out = list_bits(fresh, first, out);
    }
    counts.fresh = static_cast<std::size_t>(out - begin);
    fresh_ids_.set_count(block, counts.fresh);
    block_counts_[block] = counts;
  });
  sum_counts();
}

/// Lists what is too large for the last grid: what was and has not changed, and of what is fresh the larger.
void Levels::find_larger(const BoxTable& table) {
  std::erase_if(larger_, [this](std::uint32_t id) { return !in_base_.contains(id); });
  append_larger(table, levels_[count_ - 1].grid, fresh_ids_);
  std::sort(larger_.begin(), larger_.end());
}

/// Appends the ids that a grid does not take.
void Levels::append_larger(const BoxTable& table, const ColumnGrid& grid, const IdBlocks& ids) {
  if (block_larger_.size() < ids.blocks()) block_larger_.resize(ids.blocks());
  parallel_each(ids.blocks(), [this, &table, &grid, &ids](std::size_t block) {
    block_larger_[block].clear();
    list_larger(table, grid, ids.ids(block), block_larger_[block]);
  });
  for (std::size_t block = 0; block < ids.blocks(); ++block) {
    larger_.insert(larger_.end(), block_larger_[block].begin(), block_larger_[block].end());
  }
}

bool Levels::is_worn(const BoxTable& table) const {
  if (count_ == 0) return true;
  if (fresh_count_ > base_count_) {
    // The grids suit the boxes as they were. Choosing them anew takes as long as sweeping some hundred boxes does.
    const std::size_t life = std::clamp<std::size_t>(kBoxesPerChoice / (table.size() + 1), 1, kMaxAge);
    if (age_ >= life) return true;
    // What has left the base is still met in it.
    if (built_base_count_ > 2 * base_count_) return true;
  }
  return resting_outside_ * kMaxRestingShare > fresh_count_ + base_count_;
}

/// Chooses the grids by all boxes and puts those that rest into the base.
void Levels::rebuild(const BoxTable& table, Workers& workers) {
  in_base_.resize(table.id_bound());
  fresh_ids_.reset(table.id_bound());
  // Without a box that rests the list stays empty and takes no memory.
  bool any_base = false;
  for (const std::uint8_t state : table.states()) {
    any_base |= (state & (BoxTable::kPresent | BoxTable::kChanged)) == BoxTable::kPresent;
  }
  base_ids_.reset(any_base ? table.id_bound() : 0);
  grow(block_counts_, fresh_ids_.blocks());
  parallel_each(fresh_ids_.blocks(), [this, &table, any_base](std::size_t block) {
    std::uint32_t* fresh_out = fresh_ids_.room(block);
    std::uint32_t* base_out = any_base ? base_ids_.room(block) : nullptr;
    for (std::size_t first = fresh_ids_.first(block); first < fresh_ids_.last(block); first += 64) {
      const std::uint64_t present = bits_of(table.states(), first, BoxTable::kPresent);
      const std::uint64_t base = present & ~bits_of(table.states(), first, BoxTable::kChanged);
      in_base_.word(first / 64) = base;
      fresh_out = list_bits(present & ~base, first, fresh_out);
      base_out = list_bits(base, first, base_out);
    }
    const auto fresh = static_cast<std::size_t>(fresh_out - fresh_ids_.room(block));
    const std::size_t base = any_base ? static_cast<std::size_t>(base_out - base_ids_.room(block)) : 0;
    fresh_ids_.set_count(block, fresh);
    if (any_base) base_ids_.set_count(block, base);
    block_counts_[block] = {fresh, base, 0};
  });
  sum_counts();

  age_ = 0;
  built_base_count_ = base_count_;
  count_ = 0;
  larger_.clear();
  if (fresh_count_ + base_count_ == 0) return;
  do {
    if (levels_.size() == count_) levels_.emplace_back();
    Level& level = levels_[count_];
    const Level* const finer = count_ == 0 ? nullptr : &levels_[count_ - 1];
    const Sample sample = count_ == 0 ? Sample(table) : Sample(table, larger_);
    level.grid = choose_grid(sample.boxes(), table.size(), finer == nullptr ? nullptr : &finer->grid);
    level.guest_limit = finer == nullptr ? -1.0F : finer->grid.size_limit;
    level.base.clear();
    level.loose.clear();
    if (base_count_ != 0) {
      records_.enter(table, level.grid, level.guest_limit, base_ids_, SweepWord::kBase);
      level.base.build(records_, level.grid, workers);
    }
    ++count_;
    larger_.clear();
    append_larger(table, level.grid, fresh_ids_);
    append_larger(table, level.grid, base_ids_);
    std::sort(larger_.begin(), larger_.end());
  } while (larger_.size() > kMaxLinear);
}

void Levels::find_pairs(const SweepContext& context, Workers& workers) {
  const LinearScan scan(context, larger_, fresh_ids_);
  const bool is_beside = count_ != 0 && larger_.size() * fresh_count_ >= kScanWorthATask;
  for (std::size_t k = 0; k < count_; ++k) {
    const Level& level = levels_[k];
    records_.enter(*context.boxes, level.grid, level.guest_limit, fresh_ids_, 0);
    const ColumnSweep sweep(records_, level.base, workers);
    const std::size_t buckets = records_.buckets();
    const std::size_t blocks = is_beside && k + 1 == count_ ? scan.blocks() : 0;
    parallel_each(buckets + blocks, workers, [&sweep, &scan, buckets](std::size_t part, Worker& worker) {
      if (part < buckets) {
        sweep.sweep_bucket(part, worker);
      } else {
        scan.scan_block(part - buckets, worker);
      }
    });
  }
  if (is_beside) return;
  parallel_each(scan.blocks(), workers, [&scan](std::size_t block, Worker& worker) { scan.scan_block(block, worker); });
}

void Levels::trim(const BoxTable& table, std::size_t boxes) {
  records_.trim(table, boxes);
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    levels_[k].base.trim();
    levels_[k].loose.trim();
  }
  if (levels_.size() > count_ + 1) levels_.resize(count_ + 1);
}

std::size_t Levels::memory() const {
  std::size_t bytes = records_.memory() + in_base_.memory() + fresh_ids_.memory() + base_ids_.memory();
  for (const Level& level : levels_) bytes += level.base.memory() + level.loose.memory();
  for (const std::vector<std::uint32_t>& ids : block_larger_) bytes += memory_of(ids);
  return bytes + memory_of(block_counts_) + memory_of(larger_);
}

}  // namespace abut::detail
