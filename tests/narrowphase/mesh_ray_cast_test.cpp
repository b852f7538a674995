// Ray casts on composites: every walk against brute force over the leaves, on rays that hit corners, edges and planes
// exactly, start on the surface, or end there.
#include <abut/core/infinity.h>
#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/cast/ray_cast.h>
#include <abut/narrowphase/cast/ray_mesh.h>
#include <abut/narrowphase/cast/scaled_ray.h>
#include <abut/narrowphase/cast/tree_ray_walk.h>
#include <abut/narrowphase/distance.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random_meshes.h>
#include <support/random_shapes.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace abut {
namespace {

using samples::Random;

/// Steps of whole numbers, so that rays along axes meet corners and edges exactly and lie within planes.
TriangleMesh stairs(int cells, TreeKind tree) {
  std::vector<Vector3d> vertices;
  for (int i = 0; i <= cells; ++i) {
    for (int j = 0; j <= cells; ++j) vertices.emplace_back(j, i, (i / 2 + j / 3) % 3);
  }
  const auto vertex = [&](int i, int j) { return static_cast<std::uint32_t>(i * (cells + 1) + j); };
  std::vector<TriangleMesh::Indices> triangles;
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
      triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i + 1, j)});
    }
  }
  return TriangleMesh(vertices, triangles, tree);
}

/// A point of the surface: a corner, a point of an edge, or one within a triangle.
Vector3d surface_point(const TriangleMesh& mesh, Random& random) {
  const auto corners = mesh.corners(random.below(static_cast<std::uint32_t>(mesh.triangles().size())));
  if (random.chance(0.4)) return corners[0];
  if (random.chance(0.5)) return 0.5 * (corners[0] + corners[1]);
  return 0.25 * corners[0] + 0.25 * corners[1] + 0.5 * corners[2];
}

Ray tricky_ray(const TriangleMesh& mesh, Random& random) {
  const double size = mesh.aabb().half_extents().maxCoeff();
  const Vector3d target = surface_point(mesh, random);
  Ray ray;
  ray.direction = random.direction();
  if (random.chance(0.4)) {
    ray.direction = (random.chance(0.5) ? 1.0 : -2.0) * Vector3d::Unit(static_cast<Eigen::Index>(random.below(3)));
  } else if (random.chance(0.3)) {
    ray.direction[static_cast<Eigen::Index>(random.below(3))] = 0.0;
  } else if (random.chance(0.2)) {
    ray.direction = surface_point(mesh, random) - target;  // may be zero: asks for the point alone
  }
  // From afar, from the other side, or from the point itself.
  const double back = random.chance(0.2) ? 0.0 : 4.0 * size;
  ray.origin = target - back * ray.direction;
  if (random.chance(0.3)) ray.max_t = back;  // ends where it hits
  if (random.chance(0.1)) ray.max_t = 0.5 * back;
  if (random.chance(0.1)) ray.origin += 1e-9 * size * random.direction();
  return ray;
}

std::optional<RayCastHit> brute_force(const Ray& ray, const TriangleMesh& mesh) {
  std::optional<RayCastHit> first;
  for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i) {
    std::optional<RayCastHit> hit = ray_cast(ray, Triangle(mesh.corners(i)), Pose());
    if (!hit || (first && !(hit->t < first->t))) continue;
    hit->leaf = i;
    first = hit;
  }
  return first;
}

TEST(MeshRayCast, AnswersAsBruteForceOnEveryKindOfRay) {
  constexpr int kRays = samples::kIsInstrumented ? 800 : 2500;
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    Random random(21);
    const std::vector<TriangleMesh> meshes = {stairs(8, tree), samples::bumpy_ball(7, 1.0, random, tree),
                                              samples::triangle_soup(150, 1.0, random, tree),
                                              TriangleMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}, tree)};
    for (std::size_t m = 0; m < meshes.size(); ++m) {
      const TriangleMesh& mesh = meshes[m];
      int hits = 0;
      int misses = 0;
      int inside = 0;
      for (int i = 0; i < kRays; ++i) {
        const Ray ray = tricky_ray(mesh, random);
        SCOPED_TRACE(testing::Message() << "mesh " << m << " ray " << i << ": " << ray.origin.transpose() << " along "
                                        << ray.direction.transpose() << " to " << ray.max_t);
        const std::optional<RayCastHit> expected = brute_force(ray, mesh);
        const std::optional<RayCastHit> hit = ray_cast(ray, mesh, Pose());
        ASSERT_EQ(hit.has_value(), expected.has_value());
        ASSERT_EQ(detail::meets_shape(detail::ScaledRay(ray), mesh, Pose(), {}), expected.has_value());
        if (!hit) {
          ++misses;
          continue;
        }
        ++hits;
        inside += hit->starts_inside ? 1 : 0;
        EXPECT_EQ(hit->t, expected->t);
        EXPECT_EQ(hit->leaf, expected->leaf);
        EXPECT_EQ(hit->normal, expected->normal);
        EXPECT_EQ(hit->starts_inside, expected->starts_inside);
        EXPECT_EQ(hit->status, expected->status);
      }
      EXPECT_GT(hits, kRays / 5);
      EXPECT_GT(misses, kRays / 80);
      EXPECT_GT(inside, kRays / 25);
    }
  }
}

TEST(MeshRayCast, AllInstructionSetsAnswerAlike) {
  ASSERT_FALSE(detail::all_tree_ray_walks().empty());
  const auto edge_on = [](void* user, std::uint32_t triangle) {
    ++*static_cast<int*>(user);
    return triangle % 2 == 0 ? 0.25 : std::numeric_limits<double>::quiet_NaN();
  };
  int hits = 0;
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    Random random(22);
    for (const TriangleMesh& mesh : {stairs(12, tree), samples::bumpy_ball(12, 1.0, random, tree)}) {
      const detail::RayTriangles packed = detail::ray_triangles(mesh);
      ASSERT_NE(packed.packed, nullptr);
      const detail::RayTriangles by_index{packed.vertices, packed.corners, nullptr};
      for (int i = 0; i < 2000; ++i) {
        const Ray ray = tricky_ray(mesh, random);
        if (ray.direction.isZero(0.0)) continue;
        const detail::BoxTreeRay boxes = detail::box_tree_ray(mesh.tree(), ray.origin.data(), ray.direction.data());
        const detail::MeshRay mesh_ray(mesh, ray.origin.data(), ray.direction.data());
        const detail::ShearedRay& sheared = mesh_ray.sheared();
        std::vector<std::uint32_t> expected_items;
        std::optional<detail::FirstTriangle> expected;
        bool expected_any = false;
        for (const detail::TreeRayWalks* walks : detail::all_tree_ray_walks()) {
          SCOPED_TRACE(testing::Message() << walks->name << " ray " << i);
          // Every other ray as in a mesh that is too large to be packed.
          const detail::RayTriangles& triangles = i % 2 == 0 ? packed : by_index;
          int asked = 0;
          const detail::FirstTriangle first = walks->first(boxes, sheared, triangles, ray.max_t, {edge_on, &asked});
          const bool any = walks->any(boxes, sheared, triangles, ray.max_t, {edge_on, &asked});
          std::vector<std::uint32_t> items;
          const auto collect = [](void* user, std::uint32_t item) {
            static_cast<std::vector<std::uint32_t>*>(user)->push_back(item);
            return kInfinity;
          };
          walks->items(boxes, ray.max_t, {collect, &items});
          if (!expected) {
            expected = first;
            expected_any = any;
            expected_items = items;
            hits += any ? 1 : 0;
          }
          EXPECT_EQ(first.t, expected->t);
          EXPECT_EQ(first.triangle, expected->triangle);
          EXPECT_EQ(any, expected_any);
          EXPECT_EQ(any, first.triangle != detail::FirstTriangle::kNone);
          EXPECT_EQ(items, expected_items);
        }
      }
    }
  }
  EXPECT_GT(hits, 2000);
}

std::array<Vector3d, 3> random_triangle(Random& random) {
  for (;;) {
    const std::array<Vector3d, 3> corners{random.vector(-1, 1), random.vector(-1, 1), random.vector(-1, 1)};
    if ((corners[1] - corners[0]).cross(corners[2] - corners[0]).norm() > 0.3) return corners;
  }
}

Vector3d random_point_of(const std::array<Vector3d, 3>& corners, Random& random) {
  const double p = random.uniform(0.0, 1.0);
  const double q = random.uniform(0.0, 1.0 - p);
  return corners[0] + p * (corners[1] - corners[0]) + q * (corners[2] - corners[0]);
}

double distance_to(const std::array<Vector3d, 3>& corners, const Vector3d& point) {
  return distance(Triangle(corners), Pose(), Sphere(1.0), Pose(point)).distance + 1.0;
}

constexpr double kPlaneRounding = 2e-14;  // of coordinates below 10

TEST(MeshRayCast, RaysInThePlaneOfATriangleMeetItWhereTheyEnterIt) {
  Random random(31);
  int rays = 0;
  int hits = 0;
  int entered = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::array<Vector3d, 3> corners = random_triangle(random);
    const Vector3d inside = random_point_of(corners, random);
    const Vector3d across = random_point_of(corners, random) - inside;
    if (across.norm() < 0.3) continue;  // rounding would turn the ray out of the plane
    const Vector3d direction = across.normalized();
    const Pose pose = random.chance(0.5) ? Pose() : random.pose(1.0);
    const Ray ray{pose * (inside - 5.0 * direction), pose.rotate(direction)};
    const TriangleMesh mesh({corners[0], corners[1], corners[2]}, {{0, 1, 2}});
    for (const Shape& shape : {Shape(Triangle(corners)), Shape(mesh)}) {
      SCOPED_TRACE(testing::Message() << shape.type_name() << ' ' << i);
      const std::optional<RayCastHit> hit = ray_cast(ray, shape, pose);
      ++rays;
      if (!hit) continue;  // passed by, but within rounding
      ++hits;
      EXPECT_EQ(hit->status, SolveStatus::converged);
      EXPECT_LE(hit->distance_error, kPlaneRounding);
      const Vector3d point = pose.inverse() * (ray.origin + hit->t * ray.direction);
      EXPECT_LE(distance_to(corners, point), kPlaneRounding);
      EXPECT_LE(hit->normal.dot(ray.direction), 0.0);
      EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-12);
      // Out of the triangle just before.
      entered += distance_to(corners, point - 1e-6 * direction) > 1e-9 ? 1 : 0;
    }
  }
  EXPECT_GT(hits, 0.999 * rays);
  EXPECT_GT(entered, 0.99 * hits);
}

TEST(MeshRayCast, RaysInThePlaneOfATriangleBesideItMissIt) {
  Random random(32);
  int beside = 0;
  while (beside < 20000) {
    const std::array<Vector3d, 3> corners = random_triangle(random);
    const auto in_plane = [&] {
      return Vector3d(corners[0] + random.uniform(-2.0, 3.0) * (corners[1] - corners[0]) +
                      random.uniform(-2.0, 3.0) * (corners[2] - corners[0]));
    };
    const Vector3d a = in_plane();
    const Vector3d direction = (in_plane() - a).normalized();
    const Ray ray{a - 5.0 * direction, direction, 20.0};
    const Triangle segment({ray.origin, ray.origin + 20.0 * direction, ray.origin});
    if (distance(segment, Pose(), Triangle(corners), Pose()).distance < 0.05) continue;
    ++beside;
    const std::optional<RayCastHit> hit = ray_cast(ray, Triangle(corners), Pose());
    ASSERT_FALSE(hit.has_value()) << beside << ": at " << hit->t;
  }
}

TEST(MeshRayCast, GrazingRaysMeetTheTriangleAlsoAtItsEdges) {
  Random random(33);
  for (double angle = 1e-16; angle < 1.0; angle *= 10.0) {
    int hits = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::array<Vector3d, 3> corners = random_triangle(random);
      const Vector3d normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
      const double along_edge = random.uniform(0.0, 1.0);
      const Vector3d target = corners[0] + along_edge * (corners[1] - corners[0]);
      Vector3d direction = (random_point_of(corners, random) - target).normalized();
      if (random.chance(0.5)) direction = -direction;
      direction = (direction + angle * normal).normalized();
      const Ray ray{target - 5.0 * direction, direction};
      const std::optional<RayCastHit> hit = ray_cast(ray, Triangle(corners), Pose());
      if (!hit) continue;  // of an edge that the ray passes by within rounding
      ++hits;
      ASSERT_LE(distance_to(corners, ray.origin + hit->t * direction), kPlaneRounding) << angle << ' ' << i;
    }
    EXPECT_GT(hits, 1000) << angle;
  }
}

TEST(MeshRayCast, RaysInTheFacesOfATurnedBoxMeetIt) {
  Random random(34);
  for (int i = 0; i < 3000; ++i) {
    const Vector3d half(random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(0.2, 1.0));
    const Pose turn = random.pose(0.0);
    std::vector<Vector3d> vertices;
    for (unsigned k = 0; k < 8; ++k) {
      const Vector3d signs((k & 1U) != 0 ? 1 : -1, (k & 2U) != 0 ? 1 : -1, (k & 4U) != 0 ? 1 : -1);
      vertices.push_back(turn.rotate(signs.cwiseProduct(half)));
    }
    const TriangleMesh box(vertices, {{0, 2, 1},
                                      {1, 2, 3},
                                      {4, 5, 6},
                                      {5, 7, 6},
                                      {0, 1, 4},
                                      {1, 5, 4},
                                      {2, 6, 3},
                                      {3, 6, 7},
                                      {0, 4, 2},
                                      {2, 4, 6},
                                      {1, 3, 5},
                                      {3, 7, 5}});
    const auto on_top = [&] {
      return Vector3d(random.uniform(-1.0, 1.0) * half.x(), random.uniform(-1.0, 1.0) * half.y(), half.z());
    };
    for (int k = 0; k < 10; ++k) {
      const Vector3d inside = on_top();
      const Vector3d direction = (on_top() - inside).normalized();
      const Ray ray{turn.rotate(inside - 5.0 * direction), turn.rotate(direction)};
      const std::optional<RayCastHit> hit = ray_cast(ray, box, Pose());
      ASSERT_EQ(detail::meets_shape(detail::ScaledRay(ray), box, Pose(), {}), hit.has_value());
      if (!hit) continue;
      const Vector3d point = ray.origin + hit->t * ray.direction;
      EXPECT_LE(distance_to(box.corners(hit->leaf), point), kPlaneRounding) << i << ' ' << k;
      const std::optional<MeshHit> of_mesh = first_hit(box, ray.origin, ray.direction);
      if (!of_mesh) continue;
      EXPECT_LE(distance_to(box.corners(of_mesh->triangle), ray.origin + of_mesh->t * ray.direction), kPlaneRounding);
    }
  }
}

TEST(MeshRayCast, AnInfiniteRayBesideATriangleInItsPlaneMeetsNothing) {
  const TriangleMesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  for (const double max_t : {1e300, kInfinity}) {
    const Ray ray{{2, -0.5, 0}, {-1, 1, 0}, max_t};
    EXPECT_FALSE(ray_cast(ray, mesh, Pose()).has_value());
    EXPECT_FALSE(detail::meets_shape(detail::ScaledRay(ray), mesh, Pose(), {}));
  }
}

TEST(MeshRayCast, HoldsAtAllSizesAndFromFarAway) {
  for (const double size : {1e-99, 1e-6, 1.0, 1e6, 1e99}) {
    for (const Vector3d& middle : {Vector3d(0, 0, 0), Vector3d(100.0 * size, -30.0 * size, 7.0 * size)}) {
      Random random(23);
      const TriangleMesh ball = samples::bumpy_ball(6, size, random);
      std::vector<Vector3d> vertices(ball.vertices().begin(), ball.vertices().end());
      for (Vector3d& vertex : vertices) vertex += middle;
      const TriangleMesh mesh = ball.with_vertices(vertices);
      for (int i = 0; i < 100; ++i) {
        const Vector3d target = middle + 0.2 * size * random.vector(-1.0, 1.0);
        const Vector3d direction = random.direction();
        for (const double far : {0.0, 3.0, 1e6}) {
          const Ray ray{target - far * size * direction, direction};
          const std::optional<RayCastHit> hit = ray_cast(ray, mesh, Pose());
          ASSERT_TRUE(hit.has_value()) << size << ' ' << i << ' ' << far;
          EXPECT_TRUE(std::isfinite(hit->t));
          EXPECT_NEAR(hit->normal.norm(), 1.0, 1e-9);
          EXPECT_LE(hit->normal.dot(direction), 1e-9);
          EXPECT_TRUE(detail::meets_shape(detail::ScaledRay(ray), mesh, Pose(), {}));
        }
        const Vector3d beside = middle + 3.0 * size * direction;
        EXPECT_FALSE(ray_cast({beside, direction}, mesh, Pose()).has_value());
        EXPECT_TRUE(ray_cast({beside, -direction}, mesh, Pose()).has_value());
      }
    }
  }
}

TEST(MeshRayCast, HeightFieldsAndCompoundsAnswerAsTheirLeaves) {
  Random random(24);
  const HeightField field = samples::hills(9, 0.25, 0.3, random);
  std::vector<CompoundChild> children;
  for (int i = 0; i < 40; ++i) {
    const auto kind = static_cast<samples::ShapeKind>(random.below(samples::kShapeKinds));
    children.push_back({samples::random_shape(kind, 0.3, random), random.pose(2.0)});
  }
  const Compound bounded(children);
  children.push_back({HalfSpace(Vector3d(0.1, 0.2, 1.0), -1.5), Pose()});
  const Compound unbounded(children);
  const std::vector<Shape> shapes = {field, bounded, unbounded};
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    std::vector<CompoundChild> leaves;
    if (s == 0) {
      for (std::uint32_t leaf = 0; leaf < field.prism_count(); ++leaf) {
        const HeightField::Prism prism = field.prism(leaf);
        leaves.push_back({ConvexHull::from_points(std::vector<Vector3d>(prism.begin(), prism.end())), Pose()});
      }
    } else {
      const auto& all = shapes[s].get_if<Compound>()->children();
      leaves.assign(all.begin(), all.end());
    }
    int hits = 0;
    int misses = 0;
    for (int i = 0; i < 1500; ++i) {
      const Vector3d from = random.vector(-3.0, 3.0);
      Ray ray{from, random.vector(-1.5, 1.5) - from, random.chance(0.5) ? kInfinity : random.uniform(0.0, 1.5)};
      if (i % 4 == 0) ray.direction = -2.0 * Vector3d::UnitZ();
      if (i % 31 == 0) ray.direction.setZero();
      SCOPED_TRACE(testing::Message() << "shape " << s << " ray " << i);
      std::optional<RayCastHit> expected;
      for (const CompoundChild& leaf : leaves) {
        const std::optional<RayCastHit> hit = ray_cast(ray, leaf.shape, leaf.pose);
        if (hit && (!expected || hit->t < expected->t)) expected = hit;
      }
      const std::optional<RayCastHit> hit = ray_cast(ray, shapes[s], Pose());
      ASSERT_EQ(hit.has_value(), expected.has_value());
      EXPECT_EQ(detail::meets_shape(detail::ScaledRay(ray), shapes[s], Pose(), {}), hit.has_value());
      (hit ? hits : misses) += 1;
      if (!hit) continue;
      EXPECT_NEAR(hit->t, expected->t, 1e-8);
    }
    EXPECT_GT(hits, 100) << s;
    EXPECT_GT(misses, 100) << s;
  }
}

/// A ground that rises by `slope` a metre along x, 12 cells of 0.1 m each way.
HeightField slope_field(double slope) {
  Eigen::MatrixXd heights(13, 13);
  for (int i = 0; i < 13; ++i) {
    for (int j = 0; j < 13; ++j) heights(i, j) = 0.1 * slope * j;
  }
  return HeightField(heights, Eigen::Vector2d(0.1, 0.1), -1.0);
}

TEST(MeshRayCast, ARayOntoTheGridOfAHeightFieldHasTheNormalOfTheGround) {
  Random random(31);
  for (const double slope : {0.0, 0.3}) {
    const HeightField field = slope_field(slope);
    const Vector3d normal = Vector3d(-slope, 0.0, 1.0).normalized();
    for (int i = 0; i < 1500; ++i) {
      // At a node, on a line of either direction, on a diagonal; exactly, or beside it by rounding and by little more.
      const double row = 1 + static_cast<double>(random.below(11));
      const double column = 1 + static_cast<double>(random.below(11));
      const double along = random.uniform(-0.9, 0.9);
      const Vector3d on_grid(0.1 * (column + (i % 4 == 1 || i % 4 == 3 ? along : 0.0)),
                             0.1 * (row + (i % 4 >= 2 ? along : 0.0)), 0.0);
      const std::array<double, 5> offsets = {0.0, 1e-17, 1e-15, 1e-12, 1e-9};
      Vector3d target = on_grid + offsets[random.below(5)] * random.direction();
      target.z() = slope * target.x();
      Vector3d direction = random.direction();
      direction.z() = -1.0 - std::abs(direction.z());
      if (i % 3 == 0) direction = -Vector3d::UnitZ();
      const Pose pose = i % 2 == 0 ? Pose() : random.pose(3.0);
      const Ray ray{pose * (target - 2.0 * direction), pose.rotate(direction)};
      SCOPED_TRACE(testing::Message() << "slope " << slope << " ray " << i << " onto " << target.transpose()
                                      << " along " << direction.transpose());
      const std::optional<RayCastHit> hit = ray_cast(ray, field, pose);
      ASSERT_TRUE(hit.has_value());
      EXPECT_NEAR(hit->t, 2.0, 1e-12);
      EXPECT_LT((hit->normal - pose.rotate(normal)).norm(), 1e-9) << hit->normal.transpose();
      EXPECT_EQ(hit->distance_error, 0.0);
    }
  }
}

// Where the ground comes down to the base the walls have no height; rays that graze the line that is left.
TEST(MeshRayCast, TheRimOfAHeightFieldThatComesDownToItsBaseHasTheNormalOfAFace) {
  Eigen::MatrixXd heights(2, 3);
  heights << 0.25, 0.0, 0.0, 0.25, 0.25, 0.25;
  const Shape field(HeightField(heights, {1.0, 1.0}, 0.0));
  const std::vector<Vector3d> faces = {Vector3d(0.25, 0.0, 1.0).normalized(), Vector3d(0.0, -0.25, 1.0).normalized(),
                                       -Vector3d::UnitY(), -Vector3d::UnitZ(), Vector3d::UnitX()};
  int hits = 0;
  for (int x = -4; x <= 4; ++x) {
    for (int y = -4; y <= 4; ++y) {
      for (int z = -4; z <= 4; ++z) {
        const Vector3d direction(x, y, z);
        for (const double along : {1.5, 2.0}) {
          const Vector3d rim(along, 0.0, 0.0);
          if (direction.isZero()) continue;
          const std::optional<RayCastHit> hit = ray_cast({rim - direction, direction}, field, Pose());
          if (!hit || hit->starts_inside || std::abs(hit->t - 1.0) > 1e-12) continue;
          ++hits;
          const bool is_of_a_face = std::any_of(
              faces.begin(), faces.end(), [&](const Vector3d& face) { return (hit->normal - face).norm() < 1e-12; });
          EXPECT_TRUE(is_of_a_face) << direction.transpose() << " at " << along << ": " << hit->normal.transpose();
        }
      }
    }
  }
  EXPECT_GT(hits, 500);
}

TEST(MeshRayCast, ARayDownOntoARimWithoutAWallHasTheNormalOfTheGroundHoweverTheFieldIsTurned) {
  Random random(77);
  Eigen::MatrixXd heights = Eigen::MatrixXd::Zero(4, 4);
  heights(1, 2) = 0.05;
  const HeightField field(heights, {0.25, 0.25}, 0.0);
  int hits = 0;
  for (int i = 0; i < 4000; ++i) {
    const Pose pose = random.pose(1.0);
    // A node of the rim and a direction that leads down on it.
    const double along = 0.25 * random.below(4) - 0.375;
    const double side = random.chance(0.5) ? 0.375 : -0.375;
    const Vector3d node = random.chance(0.5) ? Vector3d(along, side, 0.0) : Vector3d(side, along, 0.0);
    const Vector3d down = random.vector(-0.2, 0.2) - Vector3d::UnitZ();
    const auto hit = ray_cast({pose * Vector3d(node - down), pose.rotate(down)}, field, pose);
    if (!hit) continue;  // the solid is no more than this point there, which rounding may miss
    ++hits;
    // The ground beside a raised node has a slope of at most 0.3.
    EXPECT_GT(pose.unrotate(hit->normal).z(), 0.9) << i;
  }
  EXPECT_GT(hits, 600);
}

TEST(MeshRayCast, ALevelHeightFieldIsMetAsTheBoxThatItIs) {
  Random random(32);
  const HeightField field(Eigen::MatrixXd::Zero(5, 4), Eigen::Vector2d(0.5, 0.25), -0.5);
  const Shape box = Box({0.75, 0.5, 0.25});
  const Vector3d middle(0.75, 0.5, -0.25);
  int hits = 0;
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vector3d from = middle + (i % 8 == 0 ? 0.2 : 1.5) * random.vector(-1.0, 1.0);
    Ray ray{from, middle + random.vector(-0.9, 0.9) - from, random.chance(0.5) ? kInfinity : random.uniform(0.0, 1.5)};
    if (i % 5 == 0) ray.direction = Vector3d::Unit(i % 3) * (i % 2 == 0 ? 1.0 : -1.0);
    if (i % 31 == 0) ray.direction.setZero();
    const Pose pose = i % 4 == 0 ? random.pose(2.0) : Pose();
    ray.origin = pose * ray.origin;
    ray.direction = pose.rotate(ray.direction);
    SCOPED_TRACE(testing::Message() << "ray " << i << ": " << ray.origin.transpose() << " along "
                                    << ray.direction.transpose());
    const std::optional<RayCastHit> hit = ray_cast(ray, field, pose);
    const std::optional<RayCastHit> expected = ray_cast(ray, box, pose * Pose(middle));
    ASSERT_EQ(hit.has_value(), expected.has_value());
    EXPECT_EQ(detail::meets_shape(detail::ScaledRay(ray), field, pose, {}), hit.has_value());
    if (!hit) continue;
    ++hits;
    inside += hit->starts_inside ? 1 : 0;
    EXPECT_EQ(hit->starts_inside, expected->starts_inside);
    EXPECT_NEAR(hit->t, expected->t, 1e-12);
    EXPECT_LT((hit->normal - expected->normal).norm(), 1e-9);
  }
  EXPECT_GT(hits, 1000);
  EXPECT_GT(inside, 100);
}

TEST(MeshRayCast, ARayFromTheSurfaceOfAHeightFieldStartsInside) {
  Random random(33);
  const HeightField field = slope_field(0.3);
  for (int i = 0; i < 300; ++i) {
    Vector3d origin(random.uniform(0.0, 1.2), random.uniform(0.0, 1.2), 0.0);
    if (i % 3 == 0) origin.x() = 0.1 * static_cast<double>(random.below(13));
    origin.z() = 0.3 * origin.x();
    if (i % 4 == 1) origin = {origin.x(), origin.y(), -1.0};
    if (i % 4 == 2) origin = {0.0, origin.y(), random.uniform(-1.0, 0.0)};
    const Vector3d direction = random.direction();
    SCOPED_TRACE(testing::Message() << "ray " << i << ": " << origin.transpose() << " along " << direction.transpose());
    const std::optional<RayCastHit> hit = ray_cast({origin, direction}, field, Pose());
    ASSERT_TRUE(hit.has_value());
    EXPECT_TRUE(hit->starts_inside);
    EXPECT_EQ(hit->t, 0.0);
    EXPECT_EQ(hit->normal, -direction.normalized());
  }
}

}  // namespace
}  // namespace abut
