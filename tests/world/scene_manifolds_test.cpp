// The points of a scene's contacts: whole patches, within the margin, that keep their ids while bodies slide.
#include <abut/world/scene.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <utility>
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

/// A flat square of cells x cells about the origin, z = 0.
TriangleMesh flat_ground(int cells, double spacing) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  const auto vertex = [&](int i, int j) { return static_cast<std::uint32_t>(i * (cells + 1) + j); };
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) vertices.emplace_back(spacing * (j - 0.5 * cells), spacing * (i - 0.5 * cells), 0);
  }
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
      triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i + 1, j)});
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

TEST(SceneManifolds, ABoxThatSlidesOnAMeshSeesItsNormalOnly) {
  Scene scene({.contact_margin = 1e-3});
  const Shape ground(flat_ground(40, 0.15));
  scene.add(body(ground, {0, 0, 0}, Motion::fixed));
  const BodyId box = scene.add(body(Box({0.1, 0.2, 0.3}), {0, 0, 0.3}));
  for (int frame = 0; frame < 200; ++frame) {
    const Quaterniond turn(Eigen::AngleAxisd(0.01 * frame, Vector3d::UnitZ()));
    const double shake = 1e-4 * ((frame % 7) - 3);
    scene.set_pose(box, Pose(Vector3d(0.01 * frame - 1.0, 0.7 - 0.005 * frame, 0.2995 + shake),
                             Quaterniond(Eigen::AngleAxisd(shake, Vector3d(0.6, 0.8, 0))) * turn));
    scene.step();
    ASSERT_EQ(scene.contacts().size(), 1u) << "frame " << frame;
    const Contact& contact = scene.contacts()[0];
    ASSERT_EQ(contact.points().size(), 4u) << "frame " << frame;
    ASSERT_EQ(ids_of(contact).size(), 4u);
    for (const ContactPoint& point : contact.points()) {
      ASSERT_LT((point.normal - Vector3d::UnitZ()).norm(), 1e-12);
      Aabb around;
      for (const Vector3d& corner : ground.get_if<TriangleMesh>()->corners(point.leaf_a)) around.merge(corner);
      ASSERT_TRUE((point.point_a.array() >= around.lower.array() - 1e-6).all());
      ASSERT_TRUE((point.point_a.array() <= around.upper.array() + 1e-6).all());
    }
  }
  // At rest the points are kept as they are.
  const Contact last = scene.contacts()[0];
  scene.step();
  EXPECT_EQ(scene.statistics().still_contacts, 1u);
  const Contact& kept = scene.contacts()[0];
  ASSERT_EQ(kept.points().size(), last.points().size());
  for (std::size_t i = 0; i < last.points().size(); ++i) {
    EXPECT_EQ(kept.points()[i].point_a, last.points()[i].point_a);
    EXPECT_EQ(kept.points()[i].point_b, last.points()[i].point_b);
    EXPECT_EQ(kept.points()[i].normal, last.points()[i].normal);
    EXPECT_EQ(kept.points()[i].feature_id, last.points()[i].feature_id);
    EXPECT_EQ(kept.points()[i].leaf_a, last.points()[i].leaf_a);
  }
}

TEST(SceneManifolds, ABoxInACornerOfWallsHasAPatchOnEach) {
  // Floor and two walls of one mesh, the corner at the origin.
  const TriangleMesh walls({{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {2, 2, 0}, {2, 0, 2}, {0, 2, 2}},
                           {{0, 1, 4}, {0, 4, 2}, {0, 2, 6}, {0, 6, 3}, {0, 3, 5}, {0, 5, 1}});
  Scene scene({.contact_margin = 1e-3});
  scene.add(body(walls, {0, 0, 0}, Motion::fixed));
  scene.add(body(Box({0.2, 0.3, 0.4}), {0.1999, 0.2998, 0.3997}));
  scene.step();
  ASSERT_EQ(scene.contacts().size(), 1u);
  const Contact& contact = scene.contacts()[0];
  ASSERT_EQ(contact.points().size(), 12u);
  EXPECT_EQ(ids_of(contact).size(), 12u);
  std::array<int, 3> counts{};
  for (const ContactPoint& point : contact.points()) {
    Eigen::Index axis = 0;
    EXPECT_NEAR(point.normal.maxCoeff(&axis), 1.0, 1e-9);
    ++counts[static_cast<std::size_t>(axis)];
    EXPECT_NEAR(point.distance, axis == 0 ? -1e-4 : axis == 1 ? -2e-4 : -3e-4, 1e-9);
  }
  EXPECT_EQ(counts, (std::array<int, 3>{4, 4, 4}));
}

}  // namespace
}  // namespace abut
