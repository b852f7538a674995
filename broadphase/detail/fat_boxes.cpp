// Larger boxes, swept in the place of those of slow proxies.
#include <abut/broadphase/detail/fat_boxes.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/broadphase/detail/state_bits.h>
#include <abut/core/infinity.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace abut::detail {
namespace {

// A box has room for a twelfth of its size, or of the common one where that is larger, on every side. The pairs of fat
// boxes are then some two thirds more than those of the boxes, and each costs about a thirtieth of what a sweep costs a
// box. More room would be left later and less be cheaper to look through; over the speeds at which fat boxes pay at all
// both weigh about the same here.
constexpr float kRoom = 1.0F / 12.0F;
// Of the longest side, in boxes that stay: more would make small ones among large ones meet more than they cost to be
// swept.
constexpr float kMostRoom = 1.0F / 4.0F;

// A few boxes that roll or swing would leave theirs in nearly every call, which then looks through the whole list of
// pairs. So one that has left its fat box within kSoonLeft calls gets as much room again, up to kMostMore times, while
// of kFewLeave boxes that move no more than one leaves a call. Where more do, the pairs would cost more than the
// sweeps.
constexpr std::uint16_t kSoonLeft = 32;
constexpr std::uint8_t kMostMore = 7;
constexpr std::size_t kFewLeave = 64;
// Half of the additional room is taken back from a box that has stayed for so many calls, or twice as many for each
// time that it has left soon after.
constexpr unsigned kCallsUntilLess = 256;
constexpr std::uint8_t kMostPatience = 7;

// Boxes that would leave their fat ones before so many calls are not worth any.
constexpr float kLeastCalls = 4.0F;
// Of the boxes that move, so many in four have to stay longer.
constexpr std::size_t kSlowInFour = 3;
// Below so many boxes, and where of the sample fewer move, there is nothing to be gained.
constexpr std::size_t kLeastBoxes = 64;
constexpr std::size_t kLeastMoving = 4;

// Calls after which another sample is taken.
constexpr std::size_t kCallsUntilSample = 16;
// Of those that have left their fat boxes.
constexpr std::size_t kCallsCounted = 8;
// After questions that need the boxes as they are; where such questions come often, fat boxes never pay.
constexpr std::size_t kCallsSuspended = 64;

constexpr std::size_t kIdsATask = 1024;  // a multiple of 64

constexpr std::uint8_t kKept = BoxTable::kPresent | BoxTable::kFixed | BoxTable::kFiltered;

/// The sides of a box, ascending.
std::array<float, 3> sides_of(const FloatBox& box) {
  std::array<float, 3> sides;
  for (std::size_t axis = 0; axis < 3; ++axis) sides[axis] = box.upper[axis] - box.lower[axis];
  std::sort(sides.begin(), sides.end());
  return sides;
}

/// How far an end of a box has come.
float motion_of(const FloatBox& from, const FloatBox& to) {
  float motion = 0.0F;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    motion = std::max(motion, std::abs(to.lower[axis] - from.lower[axis]));
    motion = std::max(motion, std::abs(to.upper[axis] - from.upper[axis]));
  }
  return motion;
}

FloatBox grown(const FloatBox& box, float room) {
  FloatBox result = box;
  if (room > 0.0F) widen(result.lower.data(), result.upper.data(), room);
  return result;
}

}  // namespace

void FatBoxes::Sample::take(const BoxTable& table) {
  count = 0;
  const std::size_t bound = table.id_bound();
  const auto may_move = [&table](std::size_t id) { return (table.states()[id] & (kPresent | kFixed)) == kPresent; };
  const std::size_t parts = std::min(kSize, bound);
  for (std::size_t k = 0; k < parts; ++k) {
    std::size_t id = k * bound / parts;
    const std::size_t end = (k + 1) * bound / parts;
    while (id < end && !may_move(id)) ++id;
    if (id == end) continue;
    ids[count] = static_cast<std::uint32_t>(id);
    boxes[count++] = table.search_box(static_cast<std::uint32_t>(id));
  }
}

/// Compares with the sample of the call before.
bool FatBoxes::are_slow(const BoxTable& table) {
  std::size_t moving = 0;
  std::size_t slow = 0;
  for (std::size_t k = 0; k < sample_.count; ++k) {
    const std::uint32_t id = sample_.ids[k];
    if (!table.contains(id) || (table.states()[id] & kRenewed) != 0) continue;
    const float motion = motion_of(sample_.boxes[k], table.search_box(id));
    moving += motion > 0.0F ? 1 : 0;
    slow += motion > 0.0F && kLeastCalls * motion <= room_of(sample_.boxes[k]) ? 1 : 0;
  }
  return moving >= kLeastMoving && 4 * slow >= kSlowInFour * moving;
}

/// The median over the sample of the sides of middle length: neither poles nor plates count as large.
void FatBoxes::measure_common_size(const BoxTable& table) {
  sample_.take(table);
  std::array<float, Sample::kSize> sizes;
  for (std::size_t k = 0; k < sample_.count; ++k) sizes[k] = sides_of(sample_.boxes[k])[1];
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sample_.count / 2);
  std::nth_element(sizes.begin(), middle, sizes.begin() + static_cast<std::ptrdiff_t>(sample_.count));
  common_size_ = sample_.count == 0 ? 0.0F : *middle;
}

float FatBoxes::room_of(const FloatBox& box, float times) const {
  const std::array<float, 3> sides = sides_of(box);
  const float room = std::min(kRoom * std::max(sides[1], common_size_), kMostRoom * sides[2]);
  return room < 0.125F * kLargestFloat ? times * room : 0.0F;  // a side without bound does not move
}

void FatBoxes::update(const BoxTable& table) {
  if (!is_on_) {
    if (is_sampled_ && are_slow(table)) return switch_on(table);
    is_sampled_ = false;
    if (calls_ > 0) {
      --calls_;
    } else if (table.size() >= kLeastBoxes) {
      measure_common_size(table);
      is_sampled_ = true;
      calls_ = kCallsUntilSample;
    }
    return;
  }

  extend(table.id_bound());
  grow(own_, table.id_bound());  // the fourth numbers stay zero
  grow(stays_, table.id_bound());
  ++call_number_;
  do_few_leave_ = recent_.moved > 0 && kFewLeave * recent_.left <= recent_.moved;
  roomy_.resize(table.id_bound());
  size_ = table.size();
  const std::size_t bound = table.id_bound();
  const std::size_t blocks = (bound + kIdsATask - 1) / kIdsATask;
  grow(counts_, blocks);
  parallel_each(blocks, [this, &table, bound](std::size_t block) {
    Counts counts;
    const std::size_t end = std::min(bound, (block + 1) * kIdsATask);
    for (std::size_t first = block * kIdsATask; first < end; first += 64) {
      const std::uint64_t changed = bits_of(table.states(), first, kChanged);
      if (changed == 0) continue;
      // Written once: the words at the ends of a task may share a line of the cache with those of another.
      std::uint64_t roomy = roomy_.word(first / 64);
      for (std::uint64_t bits = changed; bits != 0; bits &= bits - 1) {
        const int place = std::countr_zero(bits);
        const std::uint64_t bit = std::uint64_t{1} << place;
        const auto id = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(place);
        const bool has_room = take_up(table, id, (roomy & bit) != 0, counts);
        roomy = has_room ? roomy | bit : roomy & ~bit;
      }
      roomy_.word(first / 64) = roomy;
    }
    counts_[block] = counts;
  });
  // Calls count the less the longer ago they are, the last eight of them most; rounded up, so that they are forgotten.
  recent_.moved -= (recent_.moved + kCallsCounted - 1) / kCallsCounted;
  recent_.left -= (recent_.left + kCallsCounted - 1) / kCallsCounted;
  for (std::size_t block = 0; block < blocks; ++block) {
    recent_.moved += counts_[block].moved;
    recent_.left += counts_[block].left;
  }
  if (2 * recent_.left > recent_.moved) {
    is_on_ = false;
    calls_ = kCallsUntilSample;
  } else if (--calls_ == 0) {
    measure_common_size(table);
    take_room_back(table);
    calls_ = kCallsUntilSample;
  }
  count_roomy();
}

/// Boxes that have not changed keep their pairs: they are their own fat boxes at first.
void FatBoxes::switch_on(const BoxTable& table) {
  is_on_ = true;
  is_sampled_ = false;
  calls_ = kCallsUntilSample;
  recent_ = {};
  const std::size_t bound = table.id_bound();
  boxes_.resize(bound, kFloatInfinity, -kFloatInfinity);
  states_.resize(bound);
  grow(own_, bound);
  grow(stays_, bound);
  std::fill(stays_.begin(), stays_.end(), Stay());
  roomy_.resize(bound);
  for (std::size_t word = 0; word < roomy_.words(); ++word) roomy_.word(word) = 0;
  size_ = table.size();
  parallel_each((bound + kIdsATask - 1) / kIdsATask, [this, &table, bound](std::size_t block) {
    const std::size_t end = std::min(bound, (block + 1) * kIdsATask);
    for (std::size_t k = block * kIdsATask; k < end; ++k) {
      const auto id = static_cast<std::uint32_t>(k);
      const std::uint8_t state = table.states()[id];
      states_[id] = state & (kKept | kChanged);
      if ((state & kPresent) == 0) {
        erase(id);
        continue;
      }
      const FloatBox box = table.search_box(id);
      set_own_box(id, box);
      store(id, box);
      if ((state & kChanged) != 0) roomy_.set(id, set_fat_box(id, box, state));
    }
  });
  count_roomy();
}

void FatBoxes::count_roomy() {
  roomy_count_ = 0;
  for (std::size_t word = 0; word < roomy_.words(); ++word) {
    roomy_count_ += static_cast<std::size_t>(std::popcount(roomy_.word(word)));
  }
}

bool FatBoxes::take_up(const BoxTable& table, std::uint32_t id, bool had_room, Counts& counts) {
  const std::uint8_t state = table.states()[id];
  if ((state & kPresent) == 0) {
    erase(id);
    states_[id] = kChanged;
    return false;
  }
  const FloatBox box = table.search_box(id);
  set_own_box(id, box);
  if ((state & kRenewed) == 0) {
    ++counts.moved;
    bool is_within = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      is_within &= boxes_.lower[axis][id] <= box.lower[axis];
      is_within &= box.upper[axis] <= boxes_.upper[axis][id];
    }
    if (is_within) return true;  // also of one that had none and has become smaller
    ++counts.left;
    Stay& stay = stays_[id];
    if (had_room && do_few_leave_ && stay.age(call_number_) < kSoonLeft) {
      if (stay.has_less && stay.patience < kMostPatience) ++stay.patience;
      if (stay.more < kMostMore) ++stay.more;
    }
  } else {
    stays_[id] = {};
  }
  return set_fat_box(id, box, state);
}

void FatBoxes::set_own_box(std::uint32_t id, const FloatBox& box) {
  OwnBox& own = own_[id];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    own.lower[axis] = box.lower[axis];
    own.upper[axis] = box.upper[axis];
  }
}

bool FatBoxes::set_fat_box(std::uint32_t id, const FloatBox& box, std::uint8_t state) {
  Stay& stay = stays_[id];
  stay.since = call_number_;
  stay.has_less = false;
  const float room = (state & kFixed) != 0 ? 0.0F : room_of(box, 1.0F + static_cast<float>(stay.more));
  store(id, grown(box, room));
  states_[id] = static_cast<std::uint8_t>((state & kKept) | kChanged);
  return room > 0.0F;
}

/// From boxes that have stayed long within more than the others have: their fat boxes are made anew.
void FatBoxes::take_room_back(const BoxTable& table) {
  const std::size_t bound = table.id_bound();
  parallel_each((bound + kIdsATask - 1) / kIdsATask, [this, &table, bound](std::size_t block) {
    const std::size_t end = std::min(bound, (block + 1) * kIdsATask);
    for (std::size_t k = block * kIdsATask; k < end; ++k) {
      Stay& stay = stays_[k];
      if (stay.more == 0 || stay.age(call_number_) < kCallsUntilLess << stay.patience) continue;
      const auto id = static_cast<std::uint32_t>(k);
      if (!table.contains(id)) continue;
      stay.more /= 2;
      roomy_.set(id, set_fat_box(id, table.search_box(id), table.states()[id]));
      stay.has_less = true;
    }
  });
}

bool FatBoxes::has_room(const BoxTable& table, std::uint32_t id) const {
  if (!contains(id)) return false;
  const FloatBox box = table.search_box(id);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (boxes_.lower[axis][id] != box.lower[axis] || boxes_.upper[axis][id] != box.upper[axis]) return true;
  }
  return false;
}

void FatBoxes::suspend() {
  is_on_ = false;
  is_sampled_ = false;
  calls_ = kCallsSuspended;
}

std::size_t FatBoxes::memory() const {
  return BoxTable::memory() + memory_of(own_) + memory_of(stays_) + roomy_.memory() + memory_of(counts_);
}

}  // namespace abut::detail
