// Rays against meshes: brute force over triangles, watertight edges and corners, closed meshes as solids.
#include <abut/core/infinity.h>
#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/cast/ray_mesh.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/mesh_solid.h>
#include <gtest/gtest.h>
#include <support/error_text.h>
#include <support/random_meshes.h>
#include <support/random_shapes.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace abut {
namespace {

using samples::error_text;
using samples::Random;

// Of a triangle that the ray crosses clearly; nothing where it misses clearly, NaN where that is close.
std::optional<double> crossing(const std::array<Vector3d, 3>& t, const Vector3d& origin, const Vector3d& direction) {
  Matrix3d m;
  m << t[1] - t[0], t[2] - t[0], -direction;
  if (std::abs(m.determinant()) < 1e-14) return std::numeric_limits<double>::quiet_NaN();
  const Vector3d x = m.inverse() * (origin - t[0]);
  const double inside = std::min({x[0], x[1], 1.0 - x[0] - x[1], x[2]});
  if (std::abs(inside) < 1e-7) return std::numeric_limits<double>::quiet_NaN();
  return inside > 0.0 ? std::optional<double>(x[2]) : std::nullopt;
}

// By the solid angles of all triangles (van Oosterom and Strackee 1983).
double winding_number(const TriangleMesh& mesh, const Vector3d& point) {
  double sum = 0.0;
  for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i) {
    const auto t = mesh.corners(i);
    const Vector3d a = t[0] - point;
    const Vector3d b = t[1] - point;
    const Vector3d c = t[2] - point;
    const double d = a.norm() * b.norm() * c.norm() + a.dot(b) * c.norm() + b.dot(c) * a.norm() + c.dot(a) * b.norm();
    sum += 2.0 * std::atan2(a.dot(b.cross(c)), d);
  }
  return sum / (4.0 * std::numbers::pi);
}

TEST(MeshRays, FindTheHitsOfBruteForce) {
  int hits_in_all = 0;
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      Random random(seed);
      const TriangleMesh mesh =
          seed == 3 ? samples::triangle_soup(400, 1.0, random, tree) : samples::bumpy_ball(12, 1.0, random, tree);
      for (int i = 0; i < 300; ++i) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", ray " << i);
        const Vector3d origin = random.vector(-2.0, 2.0);
        Vector3d direction = 3.0 * random.vector(-0.5, 0.5) - origin;
        if (i % 5 == 0) direction = (i % 2 == 0 ? 1.0 : -2.5) * Vector3d::Unit(i % 3);
        const double max_t = i % 4 == 0 ? 0.5 : kInfinity;
        std::vector<MeshHit> hits;
        all_hits(mesh, origin, direction, max_t, hits);
        std::vector<double> found(mesh.triangles().size(), -1.0);
        for (std::size_t k = 0; k < hits.size(); ++k) {
          found[hits[k].triangle] = hits[k].t;
          if (k > 0) {
            EXPECT_LE(hits[k - 1].t, hits[k].t);
          }
        }
        for (std::uint32_t t = 0; t < found.size(); ++t) {
          const std::optional<double> expected = crossing(mesh.corners(t), origin, direction);
          if (expected && std::isnan(*expected)) continue;
          if (expected && std::abs(*expected - max_t) < 1e-7) continue;
          if (expected && *expected <= max_t) {
            EXPECT_NEAR(found[t], *expected, 1e-7) << "triangle " << t;
            ++hits_in_all;
          } else {
            EXPECT_EQ(found[t], -1.0) << "triangle " << t;
          }
        }
        const std::optional<MeshHit> first = first_hit(mesh, origin, direction, max_t);
        ASSERT_EQ(first.has_value(), !hits.empty());
        EXPECT_EQ(any_hit(mesh, origin, direction, max_t), !hits.empty());
        if (first) {
          EXPECT_EQ(first->t, hits[0].t);
          EXPECT_EQ(first->triangle, hits[0].triangle);
        }
      }
    }
  }
  EXPECT_GT(hits_in_all, 500);
}

TEST(MeshRays, NeverPassBetweenTriangles) {
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    Random random(5);
    const TriangleMesh mesh = samples::bumpy_ball(10, 1.0, random, tree);
    for (const Vector3d& origin : {Vector3d(0, 0, 0), Vector3d(0.01, -0.02, 0.03)}) {
      for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i) {
        const auto corners = mesh.corners(i);
        for (int k = 0; k < 20; ++k) {  // through corners and points of edges, as exactly as doubles can
          const double s = k == 0 ? 0.0 : random.uniform(0.0, 1.0);
          const Vector3d target = (1.0 - s) * corners[0] + s * corners[1];
          ASSERT_TRUE(first_hit(mesh, origin, target - origin).has_value()) << i << " " << k;
          ASSERT_TRUE(first_hit(mesh, origin, 1e-9 * (target - origin)).has_value()) << i << " " << k;
        }
      }
    }
  }
}

TEST(MeshRays, KeepTheirExactnessFromFarAway) {
  const TriangleMesh square({{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{0, 1, 2}, {0, 2, 3}});
  for (const double far : {1e3, 1e9, 1e15}) {
    const std::optional<MeshHit> hit = first_hit(square, Vector3d(0.5, 0.25, far), Vector3d(0, 0, -1));
    ASSERT_TRUE(hit.has_value()) << far;
    EXPECT_NEAR(hit->t, far, 1e-12 * far);
    EXPECT_EQ(hit->triangle, 0u);
    EXPECT_FALSE(any_hit(square, Vector3d(1.5, 0.25, far), Vector3d(0, 0, -1)));
    EXPECT_FALSE(any_hit(square, Vector3d(0.5, 0.25, far), Vector3d(0, 0, 1)));
  }
  EXPECT_FALSE(any_hit(square, Vector3d(-5, 0, 0), Vector3d(1, 0, 0)));  // within the plane
}

TEST(MeshRays, RefuseBadInput) {
  const TriangleMesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  EXPECT_EQ(error_text([&] { static_cast<void>(any_hit(mesh, Vector3d::Zero(), Vector3d::Zero())); }),
            "direction: must not be zero");
  EXPECT_EQ(error_text([&] { static_cast<void>(first_hit(mesh, Vector3d::Zero(), Vector3d::UnitX(), -1.0)); }),
            "max_t: must be >= 0, got -1");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { static_cast<void>(any_hit(mesh, Vector3d(0, nan, 0), Vector3d::UnitX())); }),
            "origin[1]: must be finite, got nan");
}

TEST(MeshSolids, TellClosedMeshesFromOpenOnes) {
  Random random(6);
  const TriangleMesh ball = samples::bumpy_ball(6, 1.0, random);
  EXPECT_TRUE(ball.is_closed());
  EXPECT_TRUE(samples::l_mesh(1.0).is_closed());
  std::vector<TriangleMesh::Indices> triangles(ball.triangles().begin(), ball.triangles().end());
  const std::vector<Vector3d> vertices(ball.vertices().begin(), ball.vertices().end());
  const TriangleMesh::Indices last = triangles.back();
  triangles.pop_back();
  EXPECT_FALSE(TriangleMesh(vertices, triangles).is_closed());
  triangles.push_back({last[0], last[2], last[1]});  // turned over
  EXPECT_FALSE(TriangleMesh(vertices, triangles).is_closed());
  triangles.back() = last;
  triangles.push_back({0, 0, 1});  // names a vertex twice: does not count
  EXPECT_TRUE(TriangleMesh(vertices, triangles).is_closed());
  triangles.push_back(last);
  EXPECT_FALSE(TriangleMesh(vertices, triangles).is_closed());
  const TriangleMesh open({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
  EXPECT_EQ(error_text([&] { static_cast<void>(contains(open, Vector3d::Zero())); }),
            "mesh: must be closed: every edge between two triangles");
}

TEST(MeshSolids, SignedDistanceIsThatOfBruteForceWithTheSignOfTheWindingNumber) {
  int inside = 0;
  int outside = 0;
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    Random random(7);
    const TriangleMesh ball = samples::bumpy_ball(10, 1.0, random, tree);
    for (int i = 0; i < 400; ++i) {
      // Also far along rays through corners, where an edge or a corner is nearest.
      const Vector3d corner = ball.vertices()[static_cast<std::size_t>(i) % ball.vertices().size()];
      const Vector3d point = i % 2 == 0 ? random.vector(-1.2, 1.2) : Vector3d(random.uniform(0.5, 1.5) * corner);
      double expected = kInfinity;
      for (std::uint32_t t = 0; t < ball.triangles().size(); ++t) {
        const double to_ball = distance(Triangle(ball.corners(t)), Pose(), Sphere(0.25), Pose(point)).distance;
        expected = std::min(expected, to_ball + 0.25);
      }
      if (expected < 1e-9) continue;
      const bool is_inside = std::lround(winding_number(ball, point)) != 0;
      EXPECT_EQ(contains(ball, point), is_inside) << point.transpose();
      EXPECT_NEAR(signed_distance(ball, point), is_inside ? -expected : expected, 1e-12) << point.transpose();
      (is_inside ? inside : outside) += 1;
    }
    for (const Vector3d& vertex : ball.vertices()) EXPECT_TRUE(contains(ball, vertex));
  }
  EXPECT_GT(inside, 50);
  EXPECT_GT(outside, 50);
}

// Points on the surface, as near as rounding allows, and points that are clearly off it.
void expect_surface_contained(const TriangleMesh& mesh, double size, Random& random) {
  for (std::uint32_t i = 0; i < mesh.triangles().size(); ++i) {
    const auto corners = mesh.corners(i);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vector3d middle = 0.5 * (corners[k] + corners[(k + 1) % 3]);
      EXPECT_TRUE(contains(mesh, middle)) << "triangle " << i << ", edge " << k;
      EXPECT_LE(signed_distance(mesh, middle), 0.0) << "triangle " << i << ", edge " << k;
    }
  }
  const Vector3d center = mesh.aabb().center();
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE(i);
    const Vector3d point = center + size * random.vector(-1.5, 1.5);
    const NearestOnMesh nearest = *nearest_on_mesh(mesh, point);
    EXPECT_TRUE(contains(mesh, nearest.point));
    const double to_surface = signed_distance(mesh, nearest.point);
    EXPECT_LE(to_surface, 0.0);
    EXPECT_FALSE(to_surface == 0.0 && std::signbit(to_surface));
    if (contains(mesh, point)) continue;
    const Vector3d outside = nearest.point + 1e-9 * size * (point - nearest.point).normalized();
    EXPECT_FALSE(contains(mesh, outside));
    EXPECT_NEAR(signed_distance(mesh, outside), 1e-9 * size, 1e-12 * size);
  }
}

TEST(MeshSolids, ContainTheirSurfaceToRounding) {
  for (const TreeKind tree : {TreeKind::aabb, TreeKind::obb}) {
    Random random(10);
    const TriangleMesh ball = samples::bumpy_ball(8, 1.0, random, tree);
    expect_surface_contained(ball, 1.0, random);
    for (const double size : {1e-3, 1.0, 1e5}) {
      SCOPED_TRACE(size);
      std::vector<Vector3d> vertices;
      for (int corner = 0; corner < 8; ++corner) {
        const Vector3d sign((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
        vertices.push_back(size * (Quaterniond(1.0, 0.3, 0.2, 0.5).normalized() * sign + Vector3d(3, -2, 1)));
      }
      const TriangleMesh box(vertices, samples::box_triangles(), tree);
      expect_surface_contained(box, size, random);
    }
  }
}

TEST(MeshSolids, TrianglesWithoutAreaChangeNothing) {
  Random random(14);
  const TriangleMesh ball = samples::bumpy_ball(8, 1.0, random);
  std::vector<Vector3d> vertices(ball.vertices().begin(), ball.vertices().end());
  std::vector<TriangleMesh::Indices> triangles(ball.triangles().begin(), ball.triangles().end());
  const auto count = static_cast<std::uint32_t>(vertices.size());
  for (std::uint32_t i = 0; i < count; ++i) triangles.push_back({i, i, i});
  // A corner halfway along the first edge of some triangles, and a sliver that closes the gap towards the neighbour.
  for (std::uint32_t t = 0; t < 20; ++t) {
    const TriangleMesh::Indices whole = triangles[t];
    const auto middle = static_cast<std::uint32_t>(vertices.size());
    vertices.push_back(0.5 * (vertices[whole[0]] + vertices[whole[1]]));
    triangles[t] = {whole[0], middle, whole[2]};
    triangles.push_back({middle, whole[1], whole[2]});
    triangles.push_back({whole[0], whole[1], middle});
  }
  const TriangleMesh mesh(vertices, triangles);
  ASSERT_TRUE(mesh.is_closed());
  int inside = 0;
  for (int i = 0; i < 5000; ++i) {
    const Vector3d point = random.vector(-0.8, 0.8);
    const bool expected = contains(ball, point);
    inside += expected ? 1 : 0;
    EXPECT_EQ(contains(mesh, point), expected) << i;
    EXPECT_NEAR(signed_distance(mesh, point), signed_distance(ball, point), 1e-15) << i;
  }
  EXPECT_GT(inside, 500);
  EXPECT_TRUE(lies_inside(mesh, Pose(), Sphere(0.1), Pose()));
}

TEST(MeshSolids, NearestPointsOfSliversAreOnThem) {
  Random random(15);
  for (const double height : {0.0, 1e-15, 1e-14, 1e-12, 1e-10, 1e-8, 1e-3}) {
    for (int i = 0; i < 2000; ++i) {
      const Vector3d a = random.direction();
      const Vector3d b = random.direction();
      const Vector3d up = (b - a).cross(random.direction()).normalized();
      const Vector3d c = a + random.uniform(0.0, 1.0) * (b - a) + height * up;
      const TriangleMesh mesh({a, b, c}, {{0, 1, 2}});
      const Vector3d point = random.chance(0.5) ? Vector3d(a + random.uniform(0.0, 1.0) * (b - a))
                                                : Vector3d(random.uniform(0.0, 2.0) * random.direction());
      const std::optional<NearestOnMesh> nearest = nearest_on_mesh(mesh, point);
      ASSERT_TRUE(nearest.has_value());
      const double expected = distance(Sphere(1.0), Pose(point), Triangle({a, b, c}), Pose()).distance + 1.0;
      EXPECT_NEAR(nearest->distance, expected, 2e-14) << height << ' ' << i;
      EXPECT_NEAR((nearest->point - point).norm(), nearest->distance, 1e-15);
    }
  }
}

TEST(MeshSolids, KnowInsideFromOutsideAtTheEndOfTheRangeOfDouble) {
  // The sum of the coordinates would be infinite, and with it what counts as rounding.
  const TriangleMesh small = samples::l_mesh(1.0);
  std::vector<Vector3d> vertices;
  for (const Vector3d& vertex : small.vertices()) vertices.push_back(1e308 * vertex);
  const TriangleMesh hall = small.with_vertices(vertices);
  EXPECT_FALSE(contains(hall, 1e308 * Vector3d(0.5, 0.5, 0.0)));
  EXPECT_FALSE(contains(hall, 1e308 * Vector3d(1.5, 1.5, 1.5)));
}

TEST(MeshSolids, NearestPointsStopAtTheLimit) {
  Random random(8);
  const TriangleMesh ball = samples::bumpy_ball(8, 1.0, random);
  const Vector3d point(0.0, 0.0, 3.0);
  const std::optional<NearestOnMesh> nearest = nearest_on_mesh(ball, point);
  ASSERT_TRUE(nearest.has_value());
  EXPECT_NEAR((nearest->point - point).norm(), nearest->distance, 1e-12);
  EXPECT_FALSE(nearest_on_mesh(ball, point, 0.99 * nearest->distance).has_value());
  EXPECT_TRUE(nearest_on_mesh(ball, point, 1.01 * nearest->distance).has_value());
  EXPECT_EQ(error_text([&] { static_cast<void>(nearest_on_mesh(ball, point, -1.0)); }),
            "max_distance: must be >= 0, got -1");
}

TEST(MeshSolids, KnowBodiesThatLieWhollyInside) {
  const TriangleMesh hall = samples::l_mesh(1.0);  // legs from -1 to -0.2 in x or y
  const Pose world = Pose(Vector3d(3, 4, 5), Quaterniond(0.5, 0.5, 0.5, 0.5));
  EXPECT_TRUE(lies_inside(hall, world, Sphere(0.2), world * Pose(Vector3d(-0.6, 0.5, 0.0))));
  EXPECT_FALSE(lies_inside(hall, world, Sphere(0.2), world * Pose(Vector3d(0.5, 0.5, 0.0))));  // in the corner of the L
  EXPECT_FALSE(lies_inside(hall, world, Sphere(0.2), world * Pose(Vector3d(-0.9, 0.5, 0.0))));  // through the wall
  EXPECT_FALSE(collides(hall, world, Sphere(0.2), world * Pose(Vector3d(-0.6, 0.5, 0.0))));
  const Compound two({{Sphere(0.1), Pose(Vector3d(-0.6, 0.5, 0.0))}, {Sphere(0.1), Pose(Vector3d(0.5, 0.5, 0.0))}});
  EXPECT_FALSE(lies_inside(hall, world, two, world));
  EXPECT_TRUE(lies_inside(hall, world, samples::l_mesh(0.01), world * Pose(Vector3d(-0.6, 0.5, 0.0))));
}

TEST(MeshSolids, KnowASmoothBodyInsideWhoseBoxHasItsMiddleOutside) {
  const Shape body = SmoothHull({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 20.0);
  const std::vector<Vector3d> corners = {{-0.2, -0.2, -0.2}, {1.6, -0.2, -0.2}, {-0.2, 1.6, -0.2}, {-0.2, -0.2, 1.6}};
  const TriangleMesh room(corners, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
  EXPECT_TRUE(lies_inside(room, Pose(), body, Pose()));
  Random random(10);
  const TriangleMesh beside = samples::bumpy_ball(6, 0.05, random);
  EXPECT_FALSE(lies_inside(beside, Pose(Vector3d(0.5, 0.5, 0.5)), body, Pose()));
}

TEST(MeshSolids, MovedVerticesMoveTheAnswers) {
  Random random(9);
  const TriangleMesh ball = samples::bumpy_ball(8, 1.0, random);
  std::vector<Vector3d> vertices(ball.vertices().begin(), ball.vertices().end());
  for (Vector3d& vertex : vertices) vertex = 2.0 * vertex + Vector3d(10, 0, 0);
  const TriangleMesh moved = ball.with_vertices(vertices);
  EXPECT_EQ(moved.triangles().data(), ball.triangles().data());
  for (int i = 0; i < 50; ++i) {
    const Vector3d point = random.vector(-1.0, 1.0);
    EXPECT_NEAR(signed_distance(moved, 2.0 * point + Vector3d(10, 0, 0)), 2.0 * signed_distance(ball, point), 1e-12);
  }
  EXPECT_NE(error_text([&] { static_cast<void>(ball.with_vertices({})); }), "");
  vertices[3].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { static_cast<void>(ball.with_vertices(vertices)); }),
            "vertices[3][1]: must be finite, got nan");
}

}  // namespace
}  // namespace abut
