// A merge of two sorted lists. A slot pair that changed hands between the frames both ends and begins.
#include <abut/world/detail/contact_events.h>
#include <abut/world/detail/slot_order.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace abut::detail {

void ContactEvents::take_pairs(std::span<const Contact> contacts) {
  pairs_.clear();
  with_sensor_.clear();
  for (const Contact& contact : contacts) {
    pairs_.push_back({contact.body_a, contact.body_b});
    with_sensor_.push_back(contact.is_sensor ? 1 : 0);
  }
}

void ContactEvents::restore(std::span<const Contact> contacts, Events events) {
  take_pairs(contacts);
  began_ = std::move(events.began);
  ended_ = std::move(events.ended);
  began_with_sensor_ = std::move(events.began_with_sensor);
  ended_with_sensor_ = std::move(events.ended_with_sensor);
  persisted_.clear();
  std::set_difference(pairs_.begin(), pairs_.end(), began_.begin(), began_.end(), std::back_inserter(persisted_),
                      SlotOrder());
}

void ContactEvents::update(std::span<const Contact> contacts) {
  pairs_.swap(last_pairs_);
  with_sensor_.swap(last_with_sensor_);
  take_pairs(contacts);

  began_.clear();
  ended_.clear();
  persisted_.clear();
  began_with_sensor_.clear();
  ended_with_sensor_.clear();
  std::size_t last = 0;
  const auto end_last = [&] {
    ended_.push_back(last_pairs_[last]);
    ended_with_sensor_.push_back(last_with_sensor_[last]);
    ++last;
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    while (last != last_pairs_.size() && SlotOrder()(last_pairs_[last], pairs_[i])) end_last();
    if (last != last_pairs_.size() && last_pairs_[last] == pairs_[i]) {
      persisted_.push_back(pairs_[i]);
      ++last;
    } else {
      began_.push_back(pairs_[i]);
      began_with_sensor_.push_back(with_sensor_[i]);
    }
  }
  while (last != last_pairs_.size()) end_last();
}

}  // namespace abut::detail
