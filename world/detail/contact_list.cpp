// Two passes over each range: a short one in order that counts and says where each contact goes, and one that writes
// them in parallel.
#include <abut/world/detail/contact_list.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace abut::detail {
namespace {

/// Contacts that one task writes at least; a contact patch costs some hundred nanoseconds.
constexpr std::size_t kGrain = 32;

void write_contact(const BodyTable& bodies, const ManifoldLimits& limits, const BodyPair& pair,
                   const Separation& separation, Contact& contact) {
  contact.body_a = pair.a;
  contact.body_b = pair.b;
  contact.normal = separation.normal;
  contact.distance = separation.distance;
  contact.distance_error = separation.distance_error;
  contact.status = separation.status;
  const Body& a = bodies[pair.a.slot];
  const Body& b = bodies[pair.b.slot];
  contact.is_sensor = a.is_sensor || b.is_sensor;
  if (contact.is_sensor) {
    contact.point_storage[0] = {separation.point_a, separation.point_b, separation.distance, 0, separation.normal};
    contact.point_count = 1;
    return;
  }
  contact.point_count = contact_points(a.shape, a.pose, b.shape, b.pose, separation, limits, contact.point_storage);
}

// Without the room for points that it does not have. The binding names every member.
void copy_contact(const Contact& from, Contact& to) {
  const auto& [body_a, body_b, normal, distance, distance_error, status, is_sensor, point_storage, point_count] = from;
  to.body_a = body_a;
  to.body_b = body_b;
  to.normal = normal;
  to.distance = distance;
  to.distance_error = distance_error;
  to.status = status;
  to.is_sensor = is_sensor;
  std::copy_n(point_storage.begin(), point_count, to.point_storage.begin());
  to.point_count = point_count;
}

/// Contacts are large: a list that grows turn by turn has room for a quarter more, not for as much again.
template <class T>
void grow(std::vector<T>& list, std::size_t size) {
  if (list.capacity() < size) list.reserve(std::max(size, list.capacity() + list.capacity() / 4));
  list.resize(size);
}

}  // namespace

void ContactList::begin() {
  contacts_.swap(last_contacts_);
  separations_.swap(last_separations_);
  candidate_indices_.clear();
  unconverged_.clear();
}

void ContactList::end() {
  contacts_.resize(candidate_indices_.size());
  separations_.resize(candidate_indices_.size());
}

void ContactList::append(const BodyTable& bodies, const SceneSettings& settings, IndexRange range,
                         Candidates& candidates, const Solutions& solutions, StepStatistics& statistics) {
  const std::size_t first = candidate_indices_.size();
  statistics.candidate_pairs += range.end - range.begin;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Verdict verdict = solutions.verdicts[i - range.begin];
    statistics.still_apart_pairs += verdict == Verdict::still_apart ? 1 : 0;
    statistics.still_contacts += verdict == Verdict::still_contact ? 1 : 0;
    statistics.obb_rejected += verdict == Verdict::boxes_apart ? 1 : 0;
    if (verdict == Verdict::contact || verdict == Verdict::apart) {
      const Separation& separation = solutions.separations[i - range.begin];
      ++statistics.solved_pairs;
      statistics.iterations += static_cast<std::uint64_t>(separation.iterations);
      if (separation.status == SolveStatus::iteration_limit) {
        ++statistics.not_converged;
        unconverged_.push_back({static_cast<std::uint32_t>(i), separation});
      }
    }
    if (verdict == Verdict::contact || verdict == Verdict::still_contact) {
      candidate_indices_.push_back(static_cast<std::uint32_t>(i));
    } else {
      candidates.histories[i].contact = PairHistory::kNoContact;
    }
  }
  statistics.contacts = candidate_indices_.size();

  const ManifoldLimits limits({.max_points = Contact::kMaxPatchPoints, .max_distance = settings.contact_margin});
  if (contacts_.size() < candidate_indices_.size()) {
    grow(contacts_, candidate_indices_.size());
    grow(separations_, candidate_indices_.size());
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(first, candidate_indices_.size(), kGrain),
                    [&](const tbb::blocked_range<std::size_t>& part) {
                      for (std::size_t i = part.begin(); i != part.end(); ++i) {
                        const std::uint32_t candidate = candidate_indices_[i];
                        std::uint32_t& place = candidates.histories[candidate].contact;
                        if (solutions.verdicts[candidate - range.begin] == Verdict::still_contact) {
                          copy_contact(last_contacts_[place], contacts_[i]);
                          separations_[i] = last_separations_[place];
                        } else {
                          separations_[i] = solutions.separations[candidate - range.begin];
                          write_contact(bodies, limits, candidates.pairs[candidate], separations_[i], contacts_[i]);
                        }
                        place = static_cast<std::uint32_t>(i);
                      }
                    });
}

}  // namespace abut::detail
