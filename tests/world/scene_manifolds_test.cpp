// The points of a scene's contacts: whole patches, within the margin, that keep their ids while bodies slide.
#include <abut/world/scene.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace abut {
namespace {

BodyDescription body(const Shape& shape, const Vector3d& place, Motion motion = Motion::moving) {
  return {.shape = shape, .pose = Pose(place), .motion = motion, .filter = {}};
}

std::set<std::uint64_t> ids_of(const Contact& contact) {
  std::set<std::uint64_t> ids;
  for (const ContactPoint& point : contact.points()) ids.insert(point.feature_id);
  return ids;
}

TEST(SceneManifolds, BodiesOnATableTouchItInPatches) {
  Scene scene({.contact_margin = 1e-3});
  scene.add(body(Box({5, 5, 0.5}), {0, 0, -0.5}, Motion::fixed));
  scene.add(body(Box({0.1, 0.2, 0.3}), {0, 0, 0.3}));
  scene.add(body(Cylinder(0.1, 0.2), {1, 0, 0.2}));
  scene.add(body(Cone(0.1, 0.2), {2, 0, 0.2}));
  scene.add(body(Sphere(0.1), {3, 0, 0.1}));
  scene.add(
      body(ConvexHull::from_points(std::vector<Vector3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), {0, 2, 0}));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 5u);
  const std::vector<std::size_t> expected = {4, 4, 4, 1, 3};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(scene.contacts()[i].points().size(), expected[i]) << "body " << i + 1;
    EXPECT_EQ(ids_of(scene.contacts()[i]).size(), expected[i]);
    for (const ContactPoint& point : scene.contacts()[i].points()) EXPECT_NEAR(point.distance, 0.0, 1e-9);
  }
}

TEST(SceneManifolds, PointsBeyondTheMarginAreNoContact) {
  const Pose tilted(Vector3d(0, 0, 0.5), Quaterniond(Eigen::AngleAxisd(0.01, Vector3d::UnitY())));
  for (const double margin : {0.0, 0.004, 0.006}) {  // the far edge lies 5 mm above the table
    Scene scene({.contact_margin = margin});
    scene.add(body(Box({5, 5, 0.5}), {0, 0, -0.5}, Motion::fixed));
    const BodyId box = scene.add(body(Box({0.5, 0.5, 0.5}), {0, 0, 0}));
    scene.set_pose(box, tilted);
    scene.step();
    ASSERT_EQ(scene.contacts().size(), 1u);
    EXPECT_EQ(scene.contacts()[0].points().size(), margin > 0.005 ? 4u : 2u) << "margin " << margin;
  }
}

TEST(SceneManifolds, IdsStayWhileABoxSlidesOnATable) {
  Scene scene({.contact_margin = 1e-3});
  scene.add(body(Box({5, 5, 0.5}), {0, 0, -0.5}, Motion::fixed));
  const BodyId box = scene.add(body(Box({0.1, 0.2, 0.3}), {0, 0, 0.3}));
  std::set<std::uint64_t> first;
  for (int frame = 0; frame < 200; ++frame) {
    const Quaterniond turn(Eigen::AngleAxisd(0.01 * frame, Vector3d::UnitZ()));
    const double shake = 1e-5 * ((frame % 7) - 3);
    scene.set_pose(box, Pose(Vector3d(0.01 * frame, -0.005 * frame, 0.3 + shake),
                             Quaterniond(Eigen::AngleAxisd(shake, Vector3d(0.6, 0.8, 0))) * turn));
    scene.step();
    ASSERT_EQ(scene.contacts().size(), 1u) << "frame " << frame;
    const std::set<std::uint64_t> ids = ids_of(scene.contacts()[0]);
    ASSERT_EQ(ids.size(), 4u);
    if (frame == 0) first = ids;
    ASSERT_EQ(ids, first) << "frame " << frame;
  }
}

}  // namespace
}  // namespace abut
