// From the solved candidates of a frame to one contiguous array of contacts, and the counts of the step.
#pragma once

#include <abut/world/contact.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/pair_solver.h>
#include <abut/world/detail/vector_bytes.h>
#include <abut/world/scene.h>
#include <abut/world/step_statistics.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace abut::detail {

class ContactList {
 public:
  /// Begins the list of a frame.
  void begin();
  /// Gathers the contacts among solved candidates, which follow those of the last call, finds the points of those that
  /// have moved, says in the histories of the candidates which contact is theirs, and adds to the counts of
  /// `statistics` that concern candidates and contacts.
  void append(const BodyTable& bodies, const SceneSettings& settings, IndexRange range, Candidates& candidates,
              const Solutions& solutions, StepStatistics& statistics);
  /// Ends it.
  void end();

  /// In the order of the candidates.
  [[nodiscard]] std::span<const Contact> contacts() const { return contacts_; }
  /// The narrow phase's answer to each of them.
  [[nodiscard]] std::span<const Separation> separations() const { return separations_; }

  /// A solved candidate whose solver stopped at its iteration limit.
  struct Unconverged {
    std::uint32_t candidate;
    Separation separation;
  };
  /// In the order of the candidates; none in a list that was read back.
  [[nodiscard]] std::span<const Unconverged> unconverged() const { return unconverged_; }

  /// Takes up a list that was written and is read back.
  void restore(std::vector<Contact> contacts, std::vector<Separation> separations) {
    contacts_ = std::move(contacts);
    separations_ = std::move(separations);
  }

  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const {
    return vector_bytes(candidate_indices_, contacts_, separations_, last_contacts_, last_separations_, unconverged_);
  }

 private:
  std::vector<std::uint32_t> candidate_indices_;  // one a contact, of the contacts since begin()
  std::vector<Contact> contacts_;
  std::vector<Separation> separations_;  // one a contact
  std::vector<Contact> last_contacts_;
  std::vector<Separation> last_separations_;
  std::vector<Unconverged> unconverged_;
};

}  // namespace abut::detail
