// What the tests of the scene share: contacts by brute force, contacts checked by themselves, scenes filled and moved.
#pragma once

#include <abut/narrowphase/distance.h>
#include <abut/world/scene.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <support/random_scenes.h>

namespace abut {

using Pairs = std::vector<BodyPair>;

inline Pairs copy(std::span<const BodyPair> pairs) {
  return {pairs.begin(), pairs.end()};
}

inline std::vector<BodyId> add_all(Scene& scene, std::span<const BodyDescription> bodies) {
  std::vector<BodyId> ids;
  for (const BodyDescription& body : bodies) ids.push_back(scene.add(body));
  return ids;
}

/// A pair that may collide, and its distance from a cold start without any limit.
struct PairDistance {
  BodyPair pair;
  Separation separation;
};

/// All pairs that motion, filters, ignored pairs and shapes allow, in slot order, with no broad phase and no boxes.
inline std::vector<PairDistance> all_distances(const Scene& scene) {
  DistanceOptions options{.tolerance = scene.settings().tolerance};
  const std::vector<BodyId> ids = scene.bodies();
  std::vector<PairDistance> result;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = i + 1; j < ids.size(); ++j) {
      const BodyId a = ids[i];
      const BodyId b = ids[j];
      if (scene.motion(a) == Motion::fixed && scene.motion(b) == Motion::fixed) continue;
      if (!scene.filter(a).accepts(scene.filter(b)) || scene.is_ignored(a, b)) continue;
      if (!scene.shape(a).is_bounded() && !scene.shape(b).is_bounded()) continue;
      options.solver = solver_or_automatic(scene.settings().solver, scene.shape(a), scene.shape(b));
      result.push_back({{a, b}, distance(scene.shape(a), scene.pose(a), scene.shape(b), scene.pose(b), options)});
    }
  }
  return result;
}

/// Two answers about one pair may differ by their error bounds and by rounding, metres. Both solvers run to the default
/// tolerance, 1e-9 of bodies smaller than 10 m.
inline double allowed_difference(double error, double other_error) {
  return error + other_error + 1e-9;
}

/// Checks the contacts of the last step against all pairs, and each contact by itself.
/// @return The number of contacts.
inline std::size_t expect_contacts_of_all_pairs(const Scene& scene) {
  const double margin = scene.settings().contact_margin;
  const std::span<const Contact> contacts = scene.contacts();
  std::size_t next = 0;
  for (const PairDistance& expected : all_distances(scene)) {
    const bool reported =
        next < contacts.size() && contacts[next].body_a == expected.pair.a && contacts[next].body_b == expected.pair.b;
    const double distance = expected.separation.distance;
    SCOPED_TRACE(testing::Message() << "slots " << expected.pair.a.slot << " and " << expected.pair.b.slot << ": "
                                    << scene.shape(expected.pair.a).type_name() << " against "
                                    << scene.shape(expected.pair.b).type_name() << ", distance " << distance);
    if (!reported) {
      EXPECT_GT(distance, margin - allowed_difference(expected.separation.distance_error, 0.0)) << "missing";
      continue;
    }
    const Contact& contact = contacts[next++];
    EXPECT_LE(contact.distance, margin);
    EXPECT_NEAR(contact.distance, distance,
                allowed_difference(expected.separation.distance_error, contact.distance_error));
    EXPECT_NEAR(contact.normal.norm(), 1.0, 1e-12);
    EXPECT_GE(contact.points().size(), 1u);
    EXPECT_LE(contact.points().size(), Contact::kMaxPoints);
    // A corner of the patch stands for the witness points where it is as deep, which is to say within a micrometre for
    // bodies smaller than a metre. Leaves of composites that overlap have depths of their own.
    const bool has_leaves = scene.shape(expected.pair.a).is_composite() || scene.shape(expected.pair.b).is_composite();
    const bool has_own_depths = has_leaves && contact.distance <= 0.0;
    if (!has_own_depths) {
      EXPECT_NEAR(contact.points().front().distance, contact.distance, contact.distance_error + 2e-6);
    }
    for (const ContactPoint& point : contact.points()) {
      EXPECT_LE(point.distance, std::max(margin, contact.distance + 2e-6));
      if (!has_own_depths) {
        EXPECT_GE(point.distance, contact.distance - allowed_difference(contact.distance_error, 0.0));
      }
      EXPECT_TRUE(has_leaves || point.normal == contact.normal);
      EXPECT_NEAR(point.normal.norm(), 1.0, 1e-9);
      EXPECT_NEAR((point.point_b - point.point_a).dot(point.normal), point.distance,
                  allowed_difference(contact.distance_error, 0.0));
    }
  }
  EXPECT_EQ(next, contacts.size()) << "a contact is out of order, or of a pair that may not collide";
  return contacts.size();
}

}  // namespace abut
