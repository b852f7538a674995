// Meshes, height fields and compounds against every other shape: the trees find what trying every leaf finds.
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/random_meshes.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace abut {
namespace {

using samples::Random;
using samples::ShapeKind;

struct Leaf {
  Shape shape;
  Pose body_from_leaf;
};

// The convex pieces of any shape, with their poses in its body.
std::vector<Leaf> leaves(const Shape& shape) {
  std::vector<Leaf> result;
  if (const auto* mesh = shape.get_if<TriangleMesh>()) {
    for (std::uint32_t i = 0; i < mesh->triangles().size(); ++i) result.push_back({Triangle(mesh->corners(i)), Pose()});
  } else if (const auto* field = shape.get_if<HeightField>()) {
    for (std::uint32_t i = 0; i < field->prism_count(); ++i) {
      result.push_back({ConvexHull::from_points(field->prism(i)), Pose()});
    }
  } else if (const auto* compound = shape.get_if<Compound>()) {
    for (const CompoundChild& child : compound->children()) {
      for (const Leaf& inner : leaves(child.shape)) {
        result.push_back({inner.shape, child.pose * inner.body_from_leaf});
      }
    }
  } else {
    result.push_back({shape, Pose()});
  }
  return result;
}

double brute_force(const Shape& a, const Pose& pose_a, const Shape& b, const Pose& pose_b) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Leaf& x : leaves(a)) {
    for (const Leaf& y : leaves(b)) {
      smallest =
          std::min(smallest, distance(x.shape, pose_a * x.body_from_leaf, y.shape, pose_b * y.body_from_leaf).distance);
    }
  }
  return smallest;
}

TEST(Composites, FindTheNearestOrDeepestOfAllLeafPairs) {
  int apart = 0;
  int colliding = 0;
  for (const ShapeKind composite : {ShapeKind::mesh, ShapeKind::height_field, ShapeKind::compound}) {
    for (std::uint32_t other = 0; other < samples::kShapeKinds; ++other) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        Random random(1000 * seed + other);
        const Shape a = samples::random_shape(composite, 1.0, random);
        const Shape b = samples::random_shape(static_cast<ShapeKind>(other), 0.7, random);
        SCOPED_TRACE(testing::Message() << a.type_name() << " against " << b.type_name() << ", seed " << seed);
        const Pose pose_a = random.pose(1.0);
        const Pose pose_b = random.pose(1.5);
        const double expected = brute_force(a, pose_a, b, pose_b);
        const Separation s = distance(a, pose_a, b, pose_b);
        const double tolerance = 1e-9 + 2.0 * s.distance_error;
        EXPECT_NEAR(s.distance, expected, tolerance);
        EXPECT_NEAR((s.point_b - s.point_a).dot(s.normal), s.distance, tolerance);
        EXPECT_NEAR(s.normal.norm(), 1.0, 1e-12);
        const Separation swapped = distance(b, pose_b, a, pose_a);
        EXPECT_NEAR(swapped.distance, expected, 1e-9 + 2.0 * swapped.distance_error);
        EXPECT_EQ(collides(a, pose_a, b, pose_b), expected <= 0.0);
        EXPECT_TRUE(collides(a, pose_a, b, pose_b, std::abs(expected) + 1e-6));
        if (expected > 1e-6) {
          EXPECT_FALSE(collides(a, pose_a, b, pose_b, 0.999 * expected));
        }
        (expected > 0.0 ? apart : colliding) += 1;
      }
    }
  }
  EXPECT_GT(apart, 30);
  EXPECT_GT(colliding, 30);
}

TEST(Composites, StopEarlyBeyondMaxDistance) {
  Random random(5);
  const Shape mesh(samples::l_mesh(1.0));
  DistanceOptions options;
  options.max_distance = 0.5;
  const Separation far = distance(mesh, Pose(), mesh, Pose(Vector3d(9, 0, 0)), options);
  EXPECT_EQ(far.status, SolveStatus::beyond_limit);
  EXPECT_GE(far.distance, 0.5);
  const Separation near = distance(mesh, Pose(), mesh, Pose(Vector3d(2.25, 0, 0)), options);
  EXPECT_EQ(near.status, SolveStatus::converged);
  EXPECT_NEAR(near.distance, 0.25, 1e-12);
}

TEST(Composites, ABodyInsideAClosedMeshIsApartFromItsSurface) {
  std::vector<Vector3d> vertices;
  for (int i = 0; i < 8; ++i) vertices.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  const TriangleMesh cube(vertices, samples::box_triangles());
  const Separation s = distance(cube, Pose(), Sphere(0.25), Pose(Vector3d(0.5, 0, 0)));
  EXPECT_NEAR(s.distance, 0.25, 1e-13);
  EXPECT_FALSE(collides(cube, Pose(), Sphere(0.25), Pose()));
}

TEST(Composites, ABodyUnderTheSurfaceOfAHeightFieldCollides) {
  const HeightField ground(Eigen::MatrixXd::Constant(3, 3, 1.0), Eigen::Vector2d(1, 1), 0.0);
  EXPECT_TRUE(collides(ground, Pose(), Sphere(0.1), Pose(Vector3d(1.0, 0.9, 0.5))));
  EXPECT_FALSE(collides(ground, Pose(), Sphere(0.1), Pose(Vector3d(1.0, 0.9, 1.2))));
  EXPECT_NEAR(distance(ground, Pose(), Sphere(0.1), Pose(Vector3d(1.0, 0.9, 1.2))).distance, 0.1, 1e-13);
  EXPECT_NEAR(distance(ground, Pose(), Sphere(0.1), Pose(Vector3d(1.0, 0.9, -0.5))).distance, 0.4, 1e-13);
}

TEST(Composites, CompoundsMayHoldMeshesCompoundsAndHalfSpaces) {
  const Compound inner({{samples::l_mesh(1.0), Pose(Vector3d(0, 0, 1))}, {Sphere(0.5), Pose(Vector3d(5, 0, 0))}});
  const Compound outer({{inner, Pose(Vector3d(1, 0, 0))}, {HalfSpace(Vector3d::UnitZ(), -3.0), Pose()}});
  const Shape probe(Sphere(0.25));
  EXPECT_NEAR(distance(outer, Pose(), probe, Pose(Vector3d(6, 0, 2))).distance, 1.25, 1e-13);
  EXPECT_NEAR(distance(outer, Pose(), probe, Pose(Vector3d(30, 0, -1))).distance, 1.75, 1e-13);
  EXPECT_NEAR(distance(probe, Pose(Vector3d(30, 0, -4)), outer, Pose()).distance, -1.25, 1e-13);
}

TEST(Composites, AreNotSaidToBeProvenWhereALeafIsNot) {
  // Deep in a large round body, where the search of the shallower of two triangles ends at its limit: it may be the
  // deeper one, by its error.
  const TriangleMesh mesh({{0.538, 0.446, -0.040},
                           {0.458, -0.183, 0.497},
                           {-0.137, -0.335, 0.599},
                           {0.516, 0.349, -0.045},
                           {0.428, -0.250, 0.429},
                           {-0.203, -0.299, 0.665}},
                          {{0, 1, 2}, {3, 4, 5}});
  const Shape cylinder(Cylinder(16.0, 26.0), 2.0);
  const Pose pose(Vector3d::Zero(), Quaterniond(Eigen::AngleAxisd(1.0, Vector3d(1.0, 2.0, 2.0) / 3.0)));
  DistanceOptions options;
  options.solver = Solver::gjk;  // what is automatic knows cylinders better
  options.max_iterations = 50;
  const Separation whole = distance(mesh, Pose(), cylinder, pose, options);
  const Separation left_out = distance(Triangle(mesh.corners(0)), Pose(), cylinder, pose, options);
  const Separation deepest = distance(Triangle(mesh.corners(1)), Pose(), cylinder, pose, options);
  ASSERT_EQ(deepest.status, SolveStatus::converged);
  ASSERT_EQ(left_out.status, SolveStatus::iteration_limit) << "another pair is needed";
  EXPECT_EQ(whole.distance, deepest.distance);
  EXPECT_LE(whole.distance - whole.distance_error, left_out.distance - left_out.distance_error);
  EXPECT_EQ(whole.status, SolveStatus::iteration_limit);
}

}  // namespace
}  // namespace abut
