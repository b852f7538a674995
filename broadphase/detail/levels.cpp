// The grids of a scene, from its small boxes to its large ones, and which boxes rest in them.
#include <abut/broadphase/detail/column_sweep.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/levels.h>
#include <abut/broadphase/detail/linear_scan.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/sample.h>

#include <span>

namespace abut::detail {
namespace {

// Oversize boxes tested against everything rather than in a grid of their own. Each costs one pass over the boxes,
// eight at a time, while a grid enters every smaller box as a guest.
constexpr std::size_t kMaxLinear = 16;

// A box resting outside the base is entered anew in every call. When one in so many does, building the base anew, which
// enters all boxes once, is paid back within that many calls.
constexpr std::size_t kMaxRestingShare = 16;

}  // namespace

void Levels::update(const ProxyTable& table) {
  grow(in_base_, table.id_bound());
  grow(fresh_ids_, table.id_bound());
  find_fresh(table);
  if (count_ != 0) find_larger(table);
  if (is_worn()) rebuild(table);
}

/// Takes changed boxes out of the base and lists what is outside it.
void Levels::find_fresh(const ProxyTable& table) {
  const std::span<const std::uint8_t> states = table.states();
  fresh_count_ = 0;
  base_count_ = 0;
  resting_outside_ = 0;
  for (std::size_t id = 0; id < states.size(); ++id) {
    const bool present = (states[id] & ProxyTable::kPresent) != 0;
    const bool changed = (states[id] & ProxyTable::kChanged) != 0;
    const bool in_base = in_base_[id] != 0 && !changed;  // a removed proxy has changed
    const bool fresh = present && !in_base;
    in_base_[id] = static_cast<std::uint8_t>(in_base);
    fresh_ids_[fresh_count_] = static_cast<std::uint32_t>(id);
    fresh_count_ += static_cast<std::size_t>(fresh);
    base_count_ += static_cast<std::size_t>(in_base);
    resting_outside_ += static_cast<std::size_t>(fresh && !changed);
  }
}

void Levels::find_larger(const ProxyTable& table) {
  const ColumnGrid& grid = levels_[count_ - 1].grid;
  larger_.clear();
  for (std::uint32_t id = 0; id < table.id_bound(); ++id) {
    // Ids not in use have a size of -infinity.
    if (grid.size_of(table.widened(), id) > grid.size_limit) larger_.push_back(id);
  }
}

bool Levels::is_worn() const {
  return count_ == 0 || fresh_count_ > base_count_ ||
         resting_outside_ * kMaxRestingShare > fresh_count_ + base_count_ || larger_.size() > 4 * kMaxLinear;
}

/// Chooses the grids by all boxes and puts those that rest into the base.
void Levels::rebuild(const ProxyTable& table) {
  grow(base_ids_, table.id_bound());
  const std::span<const std::uint8_t> states = table.states();
  fresh_count_ = 0;
  base_count_ = 0;
  for (std::size_t id = 0; id < states.size(); ++id) {
    const bool present = (states[id] & ProxyTable::kPresent) != 0;
    const bool rests = present && (states[id] & ProxyTable::kChanged) == 0;
    in_base_[id] = static_cast<std::uint8_t>(rests);
    fresh_ids_[fresh_count_] = static_cast<std::uint32_t>(id);
    fresh_count_ += static_cast<std::size_t>(present && !rests);
    base_ids_[base_count_] = static_cast<std::uint32_t>(id);
    base_count_ += static_cast<std::size_t>(rests);
  }

  count_ = 0;
  larger_.clear();
  if (fresh_count_ + base_count_ == 0) return;
  do {
    if (levels_.size() == count_) levels_.emplace_back();
    Level& level = levels_[count_];
    const Level* const finer = count_ == 0 ? nullptr : &levels_[count_ - 1];
    level.grid = choose_grid(table.widened(), (count_ == 0 ? Sample(table) : Sample(larger_)).ids(), table.size(),
                             finer == nullptr ? nullptr : &finer->grid);
    level.guest_limit = finer == nullptr ? -1.0F : finer->grid.size_limit;
    level.base.enter(table, level.grid, level.guest_limit, {base_ids_.data(), base_count_});
    if (base_count_ != 0) {
      parallel_each(level.base.buckets(), [&level](std::size_t bucket) { level.base.sort_bucket(bucket); });
    }
    ++count_;
    find_larger(table);
  } while (larger_.size() > kMaxLinear);
}

void Levels::find_pairs(const ProxyTable& table, PairPool& pool) {
  const std::span<const std::uint32_t> fresh(fresh_ids_.data(), fresh_count_);
  for (std::size_t k = 0; k < count_; ++k) {
    Level& level = levels_[k];
    level.fresh.enter(table, level.grid, level.guest_limit, fresh);
    const ColumnSweep sweep(table, level.fresh, level.base, in_base_);
    parallel_each(level.fresh.buckets(), [&level, &sweep, &pool](std::size_t bucket) {
      level.fresh.sort_bucket(bucket);
      sweep.sweep_bucket(bucket, pool);
    });
  }
  scan_linearly(table, larger_, fresh, pool);
}

}  // namespace abut::detail
