// From the solved candidates of a frame to one contiguous array of contacts, and the counts of the step.
#pragma once

#include <abut/world/contact.h>
#include <abut/world/detail/body_table.h>
#include <abut/world/detail/pair_solver.h>
#include <abut/world/scene.h>
#include <abut/world/step_statistics.h>

#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

class ContactList {
 public:
  /// Gathers the contacts of a solved frame, finds their points, and fills the counts of `statistics` that concern
  /// candidates and contacts.
  void update(const BodyTable& bodies, const SceneSettings& settings, const Candidates& candidates,
              const Solutions& solutions, StepStatistics& statistics);

  /// In the order of the candidates.
  [[nodiscard]] std::span<const Contact> contacts() const { return contacts_; }
  /// Which candidate each contact comes from.
  [[nodiscard]] std::span<const std::uint32_t> candidate_indices() const { return candidate_indices_; }

 private:
  std::vector<std::uint32_t> candidate_indices_;  // one a contact
  std::vector<Contact> contacts_;
};

}  // namespace abut::detail
