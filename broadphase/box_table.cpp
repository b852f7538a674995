// Boxes by id as the sweeps read them.
#include <abut/broadphase/box_table.h>
#include <abut/broadphase/detail/grow.h>
#include <abut/core/infinity.h>

namespace abut {

bool BoxTable::any_changed() const {
  std::uint8_t all = 0;
  for (const std::uint8_t state : states_) all |= state;
  return (all & kChanged) != 0;
}

void BoxTable::extend(std::size_t bound) {
  if (bound <= states_.size()) return;
  boxes_.resize(bound, kFloatInfinity, -kFloatInfinity);
  states_.resize(bound, 0);
}

void BoxTable::clear_changed() {
  for (std::uint8_t& state : states_) state &= static_cast<std::uint8_t>(~(kChanged | kRenewed));
  std::size_t bound = states_.size();
  while (bound != 0 && states_[bound - 1] == 0) --bound;
  if (bound == states_.size()) return;
  const auto resize = [bound](auto& values) {
    values.resize(bound);
    if (values.capacity() > 4 * bound + 1024) values.shrink_to_fit();
  };
  for (std::vector<float>& values : boxes_.lower) resize(values);
  for (std::vector<float>& values : boxes_.upper) resize(values);
  resize(states_);
}

void BoxTable::erase(std::uint32_t id) {
  for (std::vector<float>& values : boxes_.lower) values[id] = kFloatInfinity;
  for (std::vector<float>& values : boxes_.upper) values[id] = -kFloatInfinity;
}

std::size_t BoxTable::memory() const {
  std::size_t bytes = detail::memory_of(states_);
  for (const std::vector<float>& values : boxes_.lower) bytes += detail::memory_of(values);
  for (const std::vector<float>& values : boxes_.upper) bytes += detail::memory_of(values);
  return bytes;
}

}  // namespace abut
