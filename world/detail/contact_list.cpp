// Contacts written where they belong: the points of those that have moved are found, the others are copied.
#include <abut/core/shapes/hull_fetch.h>
#include <abut/world/detail/contact_list.h>

#include <algorithm>
#include <cstddef>

namespace abut::detail {
namespace {

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

/// Fetches what the contact patches will read around the vertices that carry the answers.
void fetch_surroundings(const BodyTable& bodies, const Candidates& candidates, std::size_t begin,
                        std::span<const std::uint8_t> places) {
  SurroundingsFetch fetch;
  for (const std::uint8_t i : places) {
    const CornerVertices& corners = candidates.caches[begin + i].corners;
    const Body& a = bodies[candidates.pairs[begin + i].a.slot];
    const Body& b = bodies[candidates.pairs[begin + i].b.slot];
    if (corners.count == 0) continue;
    if (a.has_large_hull) fetch.add(*a.shape.get_if<ConvexHull>(), corners.of_a[0]);
    if (b.has_large_hull) fetch.add(*b.shape.get_if<ConvexHull>(), corners.of_b[0]);
  }
  fetch.fetch();
}

}  // namespace

void ContactList::begin(bool keep_last) {
  if (keep_last) {
    contacts_.swap(last_contacts_);
    separations_.swap(last_separations_);
  }
  count_ = 0;
  unconverged_.clear();
}

void ContactList::make_room(std::size_t count) {
  if (count <= contacts_.size()) return;
  // Contacts are large: a list that grows has room for a quarter more, not for as much again.
  const std::size_t room = std::max(count, contacts_.size() + contacts_.size() / 4);
  contacts_.reserve(room);
  separations_.reserve(room);
  contacts_.resize(room);
  separations_.resize(room);
}

void ContactList::end(std::size_t count) {
  count_ = count;
  std::sort(unconverged_.begin(), unconverged_.end(),
            [](const Unconverged& left, const Unconverged& right) { return left.candidate < right.candidate; });
}

void ContactList::write(const BodyTable& bodies, const ManifoldLimits& limits, std::size_t begin,
                        std::span<const std::uint8_t> places, std::size_t first, Candidates& candidates,
                        const Solutions& solutions) {
  constexpr std::size_t kTogether = SurroundingsFetch::kCapacity / 2;
  std::size_t next = first;
  for (std::span<const std::uint8_t> rest = places; !rest.empty();) {
    const std::span<const std::uint8_t> some = rest.first(std::min(rest.size(), kTogether));
    rest = rest.subspan(some.size());
    if (limits.max_points > 1) fetch_surroundings(bodies, candidates, begin, some);
    for (const std::uint8_t i : some) {
      std::uint32_t& contact = candidates.histories[begin + i].contact;
      if (solutions.verdicts[i] == Verdict::still_contact) {
        copy_contact(last_contacts_[contact], contacts_[next]);
        separations_[next] = last_separations_[contact];
      } else {
        separations_[next] = solutions.separations[i];
        write_contact(bodies, limits, candidates.pairs[begin + i], separations_[next], contacts_[next]);
      }
      contact = static_cast<std::uint32_t>(next++);
    }
  }
}

}  // namespace abut::detail
