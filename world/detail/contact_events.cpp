// A merge of two sorted lists. A slot pair that changed hands between the frames both ends and begins.
#include <abut/world/detail/contact_events.h>
#include <abut/world/detail/slot_order.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace abut::detail {

void ContactEvents::take_pairs(std::span<const BodyPair> pairs, std::span<const std::uint8_t> with_sensor) {
  pairs_.assign(pairs.begin(), pairs.end());
  with_sensor_.assign(with_sensor.begin(), with_sensor.end());
}

void ContactEvents::restore(std::span<const BodyPair> pairs, std::span<const std::uint8_t> with_sensor, Events events) {
  take_pairs(pairs, with_sensor);
  began_ = std::move(events.began);
  ended_ = std::move(events.ended);
  began_with_sensor_ = std::move(events.began_with_sensor);
  ended_with_sensor_ = std::move(events.ended_with_sensor);
  persisted_.clear();
  std::set_difference(pairs_.begin(), pairs_.end(), began_.begin(), began_.end(), std::back_inserter(persisted_),
                      SlotOrder());
}

void ContactEvents::update(std::span<const BodyPair> pairs, std::span<const std::uint8_t> with_sensor) {
  pairs_.swap(last_pairs_);
  with_sensor_.swap(last_with_sensor_);
  take_pairs(pairs, with_sensor);

  began_.clear();
  ended_.clear();
  persisted_.clear();
  began_with_sensor_.clear();
  ended_with_sensor_.clear();
  auto now = pairs_.begin();
  auto last = last_pairs_.begin();
  const auto begin = [&] {
    began_.push_back(*now);
    began_with_sensor_.push_back(with_sensor_[static_cast<std::size_t>(now - pairs_.begin())]);
    ++now;
  };
  const auto end = [&] {
    ended_.push_back(*last);
    ended_with_sensor_.push_back(last_with_sensor_[static_cast<std::size_t>(last - last_pairs_.begin())]);
    ++last;
  };
  while (now != pairs_.end() && last != last_pairs_.end()) {
    if (SlotOrder()(*last, *now)) {
      end();
    } else if (*last != *now) {
      begin();
    } else {  // most persist, many in a row
      const auto [persisted_end, last_end] = std::mismatch(now, pairs_.end(), last, last_pairs_.end());
      persisted_.insert(persisted_.end(), now, persisted_end);
      now = persisted_end;
      last = last_end;
    }
  }
  while (now != pairs_.end()) begin();
  while (last != last_pairs_.end()) end();
}

}  // namespace abut::detail
