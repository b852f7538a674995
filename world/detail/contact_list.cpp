// Contacts written where they belong: the points of those that have moved are found, the others are copied.
#include <abut/core/prefetch.h>
#include <abut/core/shapes/hull_fetch.h>
#include <abut/narrowphase/manifold/support_feature.h>
#include <abut/world/detail/contact_list.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace abut::detail {
namespace {

void write_contact(const BodyTable& bodies, const ManifoldLimits& limits, const BodyPair& pair,
                   const Separation& separation, const TopPair& tops, Contact& contact) {
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
  contact.point_count = static_cast<std::uint32_t>(
      contact_points(a.shape, a.pose, b.shape, b.pose, separation, limits, contact.point_storage, tops));
}

// Without the room for points that it does not have. The binding names every member.
void copy_contact(const Contact& from, Contact& to) {
  const auto& [body_a, body_b, normal, distance, distance_error, status, is_sensor, point_count, point_storage] = from;
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

static_assert(offsetof(Contact, point_storage) == alignof(Contact), "all before the points is one line of the cache");

/// Fetches where contacts will be written, so far as a patch of one normal reaches.
void fetch_places(const GrowingArray<Contact>& contacts, std::size_t begin, std::size_t count) {
  constexpr std::size_t kWritten = offsetof(Contact, point_storage) + Contact::kMaxPatchPoints * sizeof(ContactPoint);
  for (std::size_t i = begin; i != begin + count; ++i) {
    const auto* const first = static_cast<const char*>(contacts.address(i));
    for (std::size_t done = 0; done < kWritten; done += alignof(Contact)) prefetch<true>(first + done);
  }
}

/// Of contacts that are written together.
using TopPairs = std::array<TopPair, HullTops::kCapacity / 2>;

/// Finds the tops of large hulls along the contacts' normals, and fetches what the contact patches will read there.
/// @param places  Of the candidates from `begin` on; no more than there is room for.
void find_tops(const BodyTable& bodies, const ManifoldLimits& limits, const Candidates& candidates,
               const Solutions& solutions, std::size_t begin, std::span<const std::uint8_t> places, TopPairs& tops) {
  HullTops search;
  for (std::size_t k = 0; k < places.size(); ++k) {
    tops[k] = {};
    if (solutions.verdicts[places[k]] == Verdict::still_contact) continue;
    const Body& a = bodies[candidates.pairs[begin + places[k]].a.slot];
    const Body& b = bodies[candidates.pairs[begin + places[k]].b.slot];
    const auto add = [&](const Body& body, const Body& other, double side, HullTop& top) {
      if (!body.has_large_hull || body.is_sensor || other.is_sensor || other.shape.is_composite()) return;
      const Vector3d& normal = solutions.separations[places[k]].normal;
      search.add(*body.shape.get_if<ConvexHull>(), feature_direction(body.pose, normal, side), top);
    };
    add(a, b, 1.0, tops[k].of_a);
    add(b, a, -1.0, tops[k].of_b);
  }
  search.find(limits.cos_tilt);
}

}  // namespace

void ContactList::begin(bool keep_last) {
  if (keep_last) {
    contacts_.swap(last_contacts_);
    separations_.swap(last_separations_);
  }
  count_ = 0;
}

void ContactList::make_room(std::size_t count, std::size_t written) {
  contacts_.make_room(count, written);
  separations_.make_room(count, written);
  pairs_.make_room(count, written);
  with_sensor_.make_room(count, written);
}

void ContactList::end(std::size_t count) {
  make_room(count, count);
  count_ = count;
}

void ContactList::restore(std::span<const Contact> contacts, std::span<const Separation> separations) {
  make_room(contacts.size(), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    contacts_.write(i) = contacts[i];
    separations_.write(i) = separations[i];
    list_pair(i, contacts[i]);
  }
  end(contacts.size());
}

void ContactList::write(const BodyTable& bodies, const ManifoldLimits& limits, std::size_t begin,
                        std::span<const std::uint8_t> places, std::size_t first, const Candidates& candidates,
                        const Solutions& solutions, PairMemory& memory) {
  TopPairs tops;
  std::size_t next = first;
  for (std::span<const std::uint8_t> rest = places; !rest.empty();) {
    const std::span<const std::uint8_t> some = rest.first(std::min(rest.size(), tops.size()));
    rest = rest.subspan(some.size());
    fetch_places(contacts_, next, some.size());
    if (limits.max_points > 1) find_tops(bodies, limits, candidates, solutions, begin, some, tops);
    for (std::size_t k = 0; k < some.size(); ++k) {
      const std::uint8_t i = some[k];
      std::uint32_t& place = memory.history(candidates.places[begin + i]).contact;
      Contact& contact = contacts_.write(next);
      Separation& separation = separations_.write(next);
      if (solutions.verdicts[i] == Verdict::still_contact) {
        copy_contact(last_contacts_[place], contact);
        separation = last_separations_[place];
      } else {
        separation = solutions.separations[i];
        write_contact(bodies, limits, candidates.pairs[begin + i], separation, tops[k], contact);
      }
      list_pair(next, contact);
      place = static_cast<std::uint32_t>(next++);
    }
  }
}

}  // namespace abut::detail
