// Meshes against meshes, convex shapes and themselves at other poses: trees of both kinds find what trying every pair
// of triangles finds, near and deep, at all scales.
#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/composite/triangle_pair.h>
#include <abut/narrowphase/composite_contacts.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random_meshes.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace abut {
namespace {

using samples::error_text;
using samples::Random;

struct Found {
  std::uint32_t a;
  std::uint32_t b;
  double distance;
};

// Every pair of triangles within `limit`.
std::vector<Found> brute_force(const TriangleMesh& a, const Pose& pose_a, const TriangleMesh& b, const Pose& pose_b,
                               double limit) {
  std::vector<Found> result;
  DistanceOptions options;
  options.max_distance = std::max(limit, 0.0) + 1e-3;
  for (std::uint32_t i = 0; i < a.triangles().size(); ++i) {
    const Shape x{Triangle(a.corners(i))};
    const Aabb box = aabb(x, pose_a).expanded(std::max(limit, 0.0) + 1e-6);
    for (std::uint32_t j = 0; j < b.triangles().size(); ++j) {
      const Shape y{Triangle(b.corners(j))};
      if (!box.overlaps(aabb(y, pose_b))) continue;
      const Separation s = distance(x, pose_a, y, pose_b, options);
      if (s.status != SolveStatus::beyond_limit && s.distance <= limit) result.push_back({i, j, s.distance});
    }
  }
  return result;
}

TEST(MeshPairs, AllContactsAreThoseOfBruteForce) {
  std::size_t contacts_in_all = 0;
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << (tree == TreeKind::obb ? ", obb" : ", aabb"));
      Random random(seed);
      const bool is_soup = seed % 2 == 0;
      const TriangleMesh a =
          is_soup ? samples::triangle_soup(150, 1.0, random, tree) : samples::bumpy_ball(8, 1.0, random, tree);
      const TriangleMesh b =
          is_soup ? samples::triangle_soup(150, 0.8, random, tree) : samples::bumpy_ball(7, 0.7, random, tree);
      const Pose pose_a = random.pose(1.0);
      const Pose pose_b = pose_a * random.pose(0.6);
      for (const double limit : {0.0, 0.03, -0.01}) {
        const std::vector<Found> expected = brute_force(a, pose_a, b, pose_b, limit);
        std::vector<CompositeContact> contacts;
        all_contacts(a, pose_a, b, pose_b, limit, contacts);
        // A pair at the very limit may be in either list.
        const auto is_clear = [&](double d) { return std::abs(d - limit) > 1e-9; };
        std::size_t next = 0;
        for (const Found& one : expected) {
          while (next < contacts.size() &&
                 std::pair(contacts[next].item_a, contacts[next].item_b) < std::pair(one.a, one.b)) {
            EXPECT_FALSE(is_clear(contacts[next].separation.distance));
            ++next;
          }
          const bool is_found =
              next < contacts.size() && contacts[next].item_a == one.a && contacts[next].item_b == one.b;
          EXPECT_TRUE(is_found || !is_clear(one.distance)) << one.a << " " << one.b << " at " << one.distance;
          if (!is_found) continue;
          const Separation& s = contacts[next++].separation;
          EXPECT_NEAR(s.distance, one.distance, 1e-9 + 2.0 * s.distance_error);
          EXPECT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, 1e-9);
        }
        EXPECT_EQ(next, contacts.size());
        contacts_in_all += contacts.size();

        std::vector<CompositeContact> visited;
        EXPECT_TRUE(visit_contacts(a, pose_a, b, pose_b, limit, [&](const CompositeContact& contact) {
          visited.push_back(contact);
          return true;
        }));
        EXPECT_EQ(visited.size(), contacts.size());
        if (contacts.size() > 1) {
          int visits = 0;
          EXPECT_FALSE(
              visit_contacts(a, pose_a, b, pose_b, limit, [&](const CompositeContact&) { return ++visits < 2; }));
          EXPECT_EQ(visits, 2);
        }
        std::vector<CompositeContact> deepest;
        deepest_contacts(a, pose_a, b, pose_b, 5, limit, deepest);
        std::vector<double> depths;
        for (const CompositeContact& contact : contacts) depths.push_back(contact.separation.distance);
        std::sort(depths.begin(), depths.end());
        ASSERT_EQ(deepest.size(), std::min<std::size_t>(5, depths.size()));
        for (std::size_t i = 0; i < deepest.size(); ++i) {
          EXPECT_NEAR(deepest[i].separation.distance, depths[i], 1e-9);
        }
      }
    }
  }
  EXPECT_GT(contacts_in_all, 500u);
}

// A ball over the line between two triangles is as far from both, and may meet the second first.
TEST(MeshPairs, EquallyDeepContactsAreOrderedByItemsWhereTheCountCutsThem) {
  Random random(5);
  int ties = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    Eigen::MatrixXd heights(2, 2);
    for (Eigen::Index i = 0; i < heights.size(); ++i) heights(i) = random.uniform(0.0, 0.5);
    const HeightField field(heights, {0.5, 0.5}, -0.5);
    const Pose ball(random.vector(0.0, 0.5) + Vector3d(0, 0, 0.6));
    std::vector<CompositeContact> one;
    std::vector<CompositeContact> two;
    deepest_contacts(field, Pose(), Sphere(0.2), ball, 1, 1.0, one);
    deepest_contacts(field, Pose(), Sphere(0.2), ball, 2, 1.0, two);
    ASSERT_EQ(one.size(), 1u);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(one[0].item_a, two[0].item_a);
    ties += two[0].separation.distance == two[1].separation.distance;
  }
  EXPECT_GT(ties, 40);
}

TEST(MeshPairs, DistanceAndCollisionAreThoseOfBruteForce) {
  int apart = 0;
  int colliding = 0;
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << (tree == TreeKind::obb ? ", obb" : ", aabb"));
      Random random(seed);
      const TriangleMesh a =
          seed % 3 == 0 ? samples::triangle_soup(60, 0.5, random, tree) : samples::bumpy_ball(6, 1.0, random, tree);
      const TriangleMesh b = samples::bumpy_ball(5, 0.5, random, tree);
      const Pose pose_a = random.pose(2.0);
      const Pose pose_b = pose_a * Pose(random.uniform(0.2, 1.6) * random.direction(), random.rotation());
      double expected = std::numeric_limits<double>::infinity();
      for (const Found& one : brute_force(a, pose_a, b, pose_b, 10.0)) expected = std::min(expected, one.distance);
      const Separation s = distance(a, pose_a, b, pose_b);
      EXPECT_NEAR(s.distance, expected, 1e-9 + 2.0 * s.distance_error);
      EXPECT_NEAR(distance(b, pose_b, a, pose_a).distance, expected, 1e-9 + 2.0 * s.distance_error);
      EXPECT_EQ(collides(a, pose_a, b, pose_b), expected <= 0.0);
      EXPECT_TRUE(collides(a, pose_a, b, pose_b, std::abs(expected) + 1e-6));
      if (expected > 1e-6) {
        EXPECT_FALSE(collides(a, pose_a, b, pose_b, 0.999 * expected));
      }
      (expected > 0.0 ? apart : colliding) += 1;
    }
  }
  EXPECT_GT(apart, 4);
  EXPECT_GT(colliding, 4);
}

TEST(MeshPairs, AnswersScaleWithTheMeshes) {
  for (const double scale : {1e-60, 1e-8, 1e8, 1e60}) {
    SCOPED_TRACE(testing::Message() << "scale " << scale);
    Random random(17);
    const auto scaled = [&](const TriangleMesh& mesh) {
      std::vector<Vector3d> vertices(mesh.vertices().begin(), mesh.vertices().end());
      for (Vector3d& vertex : vertices) vertex *= scale;
      return mesh.with_vertices(vertices);
    };
    const TriangleMesh a = samples::bumpy_ball(8, 1.0, random);
    const TriangleMesh b = samples::bumpy_ball(8, 1.0, random);
    for (const double at : {1.0, 2.5}) {
      const Quaterniond rotation = random.rotation();
      const double unit = distance(a, Pose(), b, Pose(Vector3d(at, 0, 0), rotation)).distance;
      const Pose pose(Vector3d(scale * at, 0, 0), rotation);
      const Separation s = distance(scaled(a), Pose(), scaled(b), pose);
      EXPECT_NEAR(s.distance / scale, unit, 1e-7 * std::abs(unit));
      EXPECT_EQ(collides(scaled(a), Pose(), scaled(b), pose), unit <= 0.0);
    }
  }
}

TEST(MeshPairs, ATinyMeshMeetsAHugeOne) {
  Random random(18);
  const TriangleMesh huge({{-1e9, -1e9, 0}, {1e9, -1e9, 0}, {0, 2e9, 0}}, {{0, 1, 2}});
  const TriangleMesh tiny = samples::bumpy_ball(6, 1e-3, random);
  const double lowest = tiny.aabb().lower.z();
  EXPECT_FALSE(collides(huge, Pose(), tiny, Pose(Vector3d(5, 7, 1e-3 - lowest))));
  EXPECT_TRUE(collides(huge, Pose(), tiny, Pose(Vector3d(5, 7, -1e-5 - lowest))));
  const Separation s = distance(huge, Pose(), tiny, Pose(Vector3d(5, 7, 0.25 - lowest)));
  EXPECT_NEAR(s.distance, 0.25, 1e-9 + s.distance_error);
}

TEST(MeshPairs, OneMeshAtTwoPosesSharesItsData) {
  Random random(19);
  const TriangleMesh mesh = samples::bumpy_ball(10, 1.0, random);
  const Shape a(mesh);
  const Shape b(mesh);
  EXPECT_EQ(a.get_if<TriangleMesh>()->tree().nodes().data(), b.get_if<TriangleMesh>()->tree().nodes().data());
  EXPECT_TRUE(collides(a, Pose(), b, Pose()));
  EXPECT_FALSE(collides(a, Pose(), b, Pose(Vector3d(2.1, 0, 0))));
}

TEST(MeshPairs, ConvexBodiesOnTerrainAgreeWithBruteForce) {
  Random random(20);
  const HeightField field = samples::hills(12, 0.3, 0.6, random);
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < field.prism_count(); ++i) {
    const HeightField::Prism prism = field.prism(i);
    const auto first = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), prism.begin(), prism.begin() + 3);
    triangles.push_back({first, first + 1, first + 2});
  }
  int colliding = 0;
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    const TriangleMesh terrain(vertices, triangles, tree);
    for (std::uint32_t kind = 0; kind < samples::kShapeKinds - 3; ++kind) {
      for (int i = 0; i < 4; ++i) {
        const Shape body = samples::random_shape(static_cast<samples::ShapeKind>(kind), 0.3, random);
        const Pose pose(Vector3d(random.uniform(0.5, 3.0), random.uniform(0.5, 3.0), random.uniform(-0.4, 1.0)),
                        random.rotation());
        SCOPED_TRACE(testing::Message() << body.type_name() << " " << i);
        double expected = std::numeric_limits<double>::infinity();
        for (std::uint32_t t = 0; t < triangles.size(); ++t) {
          expected = std::min(expected, distance(Triangle(terrain.corners(t)), Pose(), body, pose).distance);
        }
        EXPECT_EQ(collides(terrain, Pose(), body, pose), expected <= 0.0);
        EXPECT_EQ(collides(body, pose, terrain, Pose()), expected <= 0.0);
        const Separation s = distance(terrain, Pose(), body, pose);
        EXPECT_NEAR(s.distance, expected, 1e-8 + 2.0 * s.distance_error);
        if (expected > 1e-6) {
          EXPECT_FALSE(collides(terrain, Pose(), body, pose, 0.999 * expected));
        }
        colliding += expected <= 0.0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(colliding, 20);
}

TEST(MeshPairs, CompoundsOfMeshesGiveAContactForEachPairOfTheirLeaves) {
  Random random(21);
  const TriangleMesh ball = samples::bumpy_ball(6, 1.0, random);
  const TriangleMesh other = samples::bumpy_ball(6, 0.8, random);
  const Pose left(Vector3d(-3, 0, 0));
  const Pose right(Vector3d(3, 0, 0));
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    const Compound pair({{ball, left}, {Sphere(0.5), Pose()}, {ball, right}}, tree);
    const Pose pose(Vector3d(3.9, 0.1, 0.0), random.rotation());
    std::vector<CompositeContact> contacts;
    all_contacts(pair, Pose(), other, pose, 0.0, contacts);
    std::vector<CompositeContact> direct;
    all_contacts(ball, right, other, pose, 0.0, direct);
    ASSERT_FALSE(direct.empty());
    ASSERT_EQ(contacts.size(), direct.size());
    for (const CompositeContact& contact : contacts) EXPECT_EQ(contact.item_a, 2u);
    all_contacts(other, pose, pair, Pose(), 0.0, contacts);
    EXPECT_EQ(contacts.size(), direct.size());
    EXPECT_NEAR(distance(pair, Pose(), other, pose).distance, distance(ball, right, other, pose).distance, 1e-9);
    EXPECT_TRUE(collides(other, pose, pair, Pose()));
  }
}

TEST(MeshPairs, TrianglesWithMarginsAreAsNearAsTheirDistancesSay) {
  Random random(22);
  std::vector<CompositeContact> contacts;
  for (int trial = 0; trial < 300; ++trial) {
    const TriangleMesh mesh = samples::bumpy_ball(3, 1.0, random);
    const Shape padded(Triangle({random.vector(-0.5, 0.5), random.vector(-0.5, 0.5), random.vector(-0.5, 0.5)}),
                       random.uniform(0.0, 0.2));
    const Pose pose(1.3 * random.direction(), random.rotation());
    const double limit = trial % 3 == 0 ? 0.0 : random.uniform(0.0, 0.2);
    std::size_t expected = 0;
    for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i) {
      expected += distance(Triangle(mesh.corners(i)), Pose(), padded, pose).distance <= limit ? 1 : 0;
    }
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", limit " << limit);
    all_contacts(mesh, Pose(), padded, pose, limit, contacts);
    EXPECT_EQ(contacts.size(), expected);
    all_contacts(padded, pose, mesh, Pose(), limit, contacts);
    EXPECT_EQ(contacts.size(), expected);
    deepest_contacts(mesh, Pose(), padded, pose, 2, limit, contacts);
    EXPECT_EQ(contacts.size(), std::min<std::size_t>(expected, 2));
    all_contacts(mesh, Pose(), Compound({{padded, Pose()}, {padded, Pose(Vector3d(9, 0, 0))}}), pose, limit, contacts);
    EXPECT_EQ(contacts.size(), expected);
  }
}

TEST(MeshPairs, ContactsOfConvexShapesAreTheOneOfTheirDistance) {
  std::vector<CompositeContact> contacts(3);
  all_contacts(Sphere(1.0), Pose(), Sphere(1.0), Pose(Vector3d(1.5, 0, 0)), 0.0, contacts);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_NEAR(contacts[0].separation.distance, -0.5, 1e-12);
  all_contacts(Sphere(1.0), Pose(), Sphere(1.0), Pose(Vector3d(2.5, 0, 0)), 0.0, contacts);
  EXPECT_TRUE(contacts.empty());
}

TEST(MeshPairs, RefuseLimitsThatAreNoNumbers) {
  std::vector<CompositeContact> contacts;
  const Shape ball(Sphere(1.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { all_contacts(ball, Pose(), ball, Pose(), nan, contacts); }),
            "max_distance: must be finite, got nan");
  EXPECT_EQ(error_text([&] { deepest_contacts(ball, Pose(), ball, Pose(), 3, nan, contacts); }),
            "max_distance: must not be NaN, got nan");
  const Shape ground(HalfSpace(Vector3d::UnitZ(), 0.0));
  EXPECT_NE(error_text([&] { all_contacts(ground, Pose(), ground, Pose(), 0.0, contacts); }), "");
}

TEST(TrianglePairs, BoundsNeverExceedTheDistance) {
  Random random(22);
  int tight = 0;
  for (int i = 0; i < 4000; ++i) {
    const TriangleMesh soup = samples::triangle_soup(2, 0.3, random);
    const auto a = soup.corners(0);
    const auto b = soup.corners(1);
    const double exact = distance(Triangle(a), Pose(), Triangle(b), Pose()).distance;
    const double gap = detail::triangle_gap(a, b, std::numeric_limits<double>::infinity());
    EXPECT_LE(gap, exact + 1e-12) << i;
    if (exact <= 0.0) continue;
    const double bound = detail::triangle_distance_bound(a, b);
    EXPECT_LE(bound, exact + 1e-12) << i;
    tight += bound > exact - 2e-7 ? 1 : 0;
  }
  EXPECT_GT(tight, 3900);
}

// Ground of squares with hills, seen askew, so that the boxes of the two sides overlap wherever one lies over the
// other.
TriangleMesh hilly_ground(std::uint32_t squares, double hills, const Pose& askew, Random& random, TreeKind tree) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i <= squares; ++i) {
    for (std::uint32_t j = 0; j <= squares; ++j) {
      vertices.push_back(askew * Vector3d(i / static_cast<double>(squares), j / static_cast<double>(squares),
                                          hills * random.uniform(0.0, 1.0)));
    }
  }
  const auto vertex = [&](std::uint32_t i, std::uint32_t j) { return i * (squares + 1) + j; };
  for (std::uint32_t i = 0; i < squares; ++i) {
    for (std::uint32_t j = 0; j < squares; ++j) {
      triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles), tree);
}

TEST(MeshPairs, DistanceIsRightWhereMorePairsOfBoxesAreInDoubtThanTheSearchKeeps) {
  constexpr std::uint32_t kSquares = 90;  // more than 4 000 leaves a side, each over some of the other: 1 024 are kept
  constexpr double kHills = 1e-3;
  constexpr double kHeight = 2e-3;
  Random random(5);
  const Pose askew(Vector3d::Zero(), random.rotation());
  const TriangleMesh flat = hilly_ground(kSquares, 0.0, askew, random, TreeKind::aabb);
  const TriangleMesh hilly = hilly_ground(kSquares, kHills, askew, random, TreeKind::aabb);
  double highest = 0.0;
  for (const Vector3d& vertex : hilly.vertices()) highest = std::max(highest, askew.unrotate(vertex).z());
  const Pose above(kHeight * askew.rotation().col(2));
  const Separation separation = distance(Shape(hilly), Pose(), Shape(flat), above);
  EXPECT_NEAR(separation.distance, kHeight - highest, 1e-12);
  EXPECT_NEAR((separation.normal - askew.rotation().col(2)).norm(), 0.0, 1e-9);
  EXPECT_NEAR(askew.unrotate(separation.point_a).z(), highest, 1e-12);
}

}  // namespace
}  // namespace abut
