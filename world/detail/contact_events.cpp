// A merge of two sorted lists. A slot pair that changed hands between the frames both ends and begins.
#include <abut/world/detail/contact_events.h>
#include <abut/world/detail/slot_order.h>

namespace abut::detail {

void ContactEvents::update(std::span<const Contact> contacts) {
  pairs_.swap(last_pairs_);
  pairs_.clear();
  for (const Contact& contact : contacts) pairs_.push_back({contact.body_a, contact.body_b});

  began_.clear();
  ended_.clear();
  auto last = last_pairs_.begin();
  for (const BodyPair& pair : pairs_) {
    for (; last != last_pairs_.end() && SlotOrder()(*last, pair); ++last) ended_.push_back(*last);
    if (last != last_pairs_.end() && *last == pair) {
      ++last;
    } else {
      began_.push_back(pair);
    }
  }
  ended_.insert(ended_.end(), last, last_pairs_.end());
}

}  // namespace abut::detail
