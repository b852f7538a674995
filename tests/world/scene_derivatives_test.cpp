// Derivatives of all contacts of a scene, and of chosen pairs.
#include <abut/core/error.h>
#include <abut/world/scene.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

void expect_same(const PoseDerivatives& one, const PoseDerivatives& other, double tolerance) {
  EXPECT_LE((one.distance - other.distance).lpNorm<Eigen::Infinity>(), tolerance);
  EXPECT_LE((one.point_a - other.point_a).lpNorm<Eigen::Infinity>(), tolerance);
  EXPECT_LE((one.point_b - other.point_b).lpNorm<Eigen::Infinity>(), tolerance);
  EXPECT_LE((one.normal - other.normal).lpNorm<Eigen::Infinity>(), tolerance);
}

template <class Ask>
std::string error_of(const Ask& ask) {
  try {
    ask();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(SceneDerivatives, OfContactsAreThoseOfTheirPairs) {
  const samples::MovingScene moving = samples::pile(200, /*seed=*/4);
  Scene scene({.contact_margin = 0.01});
  const std::vector<BodyId> ids = add_all(scene, moving.bodies);
  std::size_t compared = 0;
  for (std::size_t frame = 0; frame < 3; ++frame) {
    scene.set_poses(ids, moving.poses(frame, 60));
    scene.step();
    std::vector<SeparationDerivatives> found(scene.contacts().size());
    scene.contact_derivatives(found);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const Contact& contact = scene.contacts()[i];
      SCOPED_TRACE(testing::Message() << "frame " << frame << " contact " << i);
      // Its own answer is differentiated: the distance grows along the contact's normal.
      EXPECT_LT((found[i].by_b.distance.head<3>().transpose() - contact.normal).norm(), 1e-4);
      const Separation cold = scene.distance(contact.body_a, contact.body_b);
      const SeparationDerivatives expected = derivatives(scene.shape(contact.body_a), scene.pose(contact.body_a),
                                                         scene.shape(contact.body_b), scene.pose(contact.body_b), cold);
      // In deep overlap a warm and a cold start may end at different directions of the same depth.
      if (!expected.are_points_smooth || (cold.normal - contact.normal).norm() > 1e-4) continue;
      const double scale = 1.0 + expected.by_a.point_a.norm() + expected.by_b.point_b.norm();
      expect_same(found[i].by_a, expected.by_a, 1e-5 * scale * scale);
      expect_same(found[i].by_b, expected.by_b, 1e-5 * scale * scale);
      ++compared;
    }
  }
  EXPECT_GT(compared, 300u);
}

TEST(SceneDerivatives, OfChosenPairsAreThoseOfTheirDistances) {
  const samples::MovingScene moving = samples::pile(60, /*seed=*/5);
  Scene scene;
  const std::vector<BodyId> ids = add_all(scene, moving.bodies);
  std::vector<BodyPair> pairs;
  for (std::size_t i = 0; i + 7 < ids.size(); ++i) pairs.push_back({ids[i + 7], ids[i]});
  const std::vector<Separation> separations = scene.distances(pairs);
  std::vector<SeparationDerivatives> found(pairs.size());
  scene.distance_derivatives(pairs, separations, found);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    SCOPED_TRACE(i);
    const SeparationDerivatives expected = derivatives(scene.shape(pairs[i].a), scene.pose(pairs[i].a),
                                                       scene.shape(pairs[i].b), scene.pose(pairs[i].b), separations[i]);
    expect_same(found[i].by_a, expected.by_a, 0.0);
    expect_same(found[i].by_b, expected.by_b, 0.0);
    EXPECT_EQ(found[i].are_points_smooth, expected.are_points_smooth);
  }
}

TEST(SceneDerivatives, SizesThatDifferAndBodiesThatMovedAreErrors) {
  Scene scene;
  const BodyId a = scene.add({.shape = Sphere(1.0), .pose = Pose(), .motion = Motion::moving, .filter = {}});
  const BodyId b =
      scene.add({.shape = Sphere(1.0), .pose = Pose(Vector3d(1, 0, 0)), .motion = Motion::moving, .filter = {}});
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  std::vector<SeparationDerivatives> one(1);
  std::vector<SeparationDerivatives> two(2);
  scene.contact_derivatives(one);
  EXPECT_NEAR(one[0].by_b.distance[0], 1.0, 1e-12);
  EXPECT_EQ(error_of([&] { scene.contact_derivatives(two); }), "derivatives: must have 1 elements, got 2");

  const std::vector<BodyPair> pairs{{a, b}};
  const std::vector<Separation> separations = scene.distances(pairs);
  EXPECT_EQ(error_of([&] { scene.distance_derivatives(pairs, {}, one); }), "separations: must have 1 elements, got 0");
  EXPECT_EQ(error_of([&] { scene.distance_derivatives(pairs, separations, two); }),
            "derivatives: must have 1 elements, got 2");
  const std::vector<BodyPair> alone{{a, a}};
  EXPECT_EQ(error_of([&] { scene.distance_derivatives(alone, separations, one); }),
            "pairs[0].b: must be another body than a");

  scene.set_pose(b, Pose(Vector3d(1.5, 0, 0)));
  EXPECT_EQ(error_of([&] { scene.contact_derivatives(one); }),
            "contacts[0].body_b: has been moved or reshaped since the last step()");
  scene.step();
  scene.contact_derivatives(one);
  scene.remove(a);
  EXPECT_NE(error_of([&] { scene.contact_derivatives(one); }).find("contacts[0].body_a"), std::string::npos);
  scene.step();
  scene.contact_derivatives({});
}

}  // namespace
}  // namespace abut
