// From the solved candidates of a frame to one contiguous array of contacts.
#pragma once

#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/world/contact.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/growing_array.h>
#include <abut/world/detail/pair_solver.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace abut::detail {

class ContactList {
 public:
  /// Begins the list of a frame. @param keep_last  That of the last one is kept beside it, for contacts that have not
  /// moved; else it is written over, which takes half as much of the caches.
  void begin(bool keep_last);
  /// Makes room for `count` contacts, of which the first `written` have been written and stay.
  void make_room(std::size_t count, std::size_t written);
  /// Writes the contacts among candidates that were solved together, finds the points of those that have moved, and
  /// says in the histories of the pairs which contact is theirs. Several threads may each write theirs.
  /// @param begin   The first of the candidates.
  /// @param places  Of the contacts among them, ascending.
  /// @param first   Where the first one goes; there is room for all of them.
  void write(const BodyTable& bodies, const ManifoldLimits& limits, std::size_t begin,
             std::span<const std::uint8_t> places, std::size_t first, const Candidates& candidates,
             const Solutions& solutions, PairMemory& memory);

  /// Ends the list: so many have been written.
  void end(std::size_t count);

  /// In the order of the candidates.
  [[nodiscard]] std::span<const Contact> contacts() const { return contacts_.first(count_); }
  /// The narrow phase's answer to each of them.
  [[nodiscard]] std::span<const Separation> separations() const { return separations_.first(count_); }
  /// The bodies of each, and Contact::is_sensor: for events, which would else read a line of the cache for each
  /// contact.
  [[nodiscard]] std::span<const BodyPair> pairs() const { return pairs_.first(count_); }
  [[nodiscard]] std::span<const std::uint8_t> with_sensor() const { return with_sensor_.first(count_); }

  /// Makes the list empty: of a frame that did not come to its end.
  void forget() { count_ = 0; }

  /// Takes up a list that was written and is read back.
  void restore(std::span<const Contact> contacts, std::span<const Separation> separations);

  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const {
    return contacts_.bytes() + separations_.bytes() + pairs_.bytes() + with_sensor_.bytes() + last_contacts_.bytes() +
           last_separations_.bytes();
  }

 private:
  /// Of a contact that is written.
  void list_pair(std::size_t place, const Contact& contact) {
    pairs_.write(place) = {contact.body_a, contact.body_b};
    with_sensor_.write(place) = contact.is_sensor ? 1 : 0;
  }

  GrowingArray<Contact> contacts_;
  GrowingArray<Separation> separations_;  // one a contact, like the two below
  GrowingArray<BodyPair> pairs_;
  GrowingArray<std::uint8_t> with_sensor_;
  std::size_t count_ = 0;
  GrowingArray<Contact> last_contacts_;
  GrowingArray<Separation> last_separations_;
};

}  // namespace abut::detail
