// Closed meshes that reach into other meshes, deeper than what is called near: they are solids, pushed out on the side
// they came from, by their depth. The reference is the same body as a convex hull.
#include <abut/core/shape.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <gtest/gtest.h>
#include <support/instrumented.h>
#include <support/random.h>
#include <support/random_meshes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "composite_manifold_checks.h"

namespace abut {
namespace {

using samples::composite_manifold;
using samples::flat_mesh;
using samples::normals_of;
using samples::Random;

const ManifoldOptions kMargin{.max_distance = 0.002};

std::vector<Vector3d> vertices_of(const TriangleMesh& mesh) {
  return {mesh.vertices().begin(), mesh.vertices().end()};
}

/// The same surface, each vertex once.
TriangleMesh welded(const TriangleMesh& mesh) {
  std::map<std::array<double, 3>, std::uint32_t> known;
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (TriangleMesh::Indices t : mesh.triangles()) {
    for (std::uint32_t& index : t) {
      const Vector3d& v = mesh.vertices()[index];
      const auto [at, is_new] = known.try_emplace({v.x(), v.y(), v.z()}, static_cast<std::uint32_t>(vertices.size()));
      if (is_new) vertices.push_back(v);
      index = at->second;
    }
    triangles.push_back(t);
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

TriangleMesh turned_inside_out(const TriangleMesh& mesh) {
  std::vector<TriangleMesh::Indices> triangles(mesh.triangles().begin(), mesh.triangles().end());
  for (TriangleMesh::Indices& t : triangles) std::swap(t[1], t[2]);
  return TriangleMesh(vertices_of(mesh), std::move(triangles));
}

/// An octahedron whose triangles are cut in four again and again.
TriangleMesh ball_mesh(double radius, int cuts) {
  std::vector<Vector3d> v = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<TriangleMesh::Indices> triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                                  {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int cut = 0; cut < cuts; ++cut) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle = [&](std::uint32_t i, std::uint32_t j) {
      const auto [at, is_new] = middles.try_emplace(std::minmax(i, j), static_cast<std::uint32_t>(v.size()));
      if (is_new) v.push_back((v[i] + v[j]).normalized());
      return at->second;
    };
    std::vector<TriangleMesh::Indices> finer;
    for (const auto& [i, j, k] : triangles) {
      const std::uint32_t ij = middle(i, j);
      const std::uint32_t jk = middle(j, k);
      const std::uint32_t ki = middle(k, i);
      finer.insert(finer.end(), {{i, ij, ki}, {ij, j, jk}, {ki, jk, k}, {ij, jk, ki}});
    }
    triangles = std::move(finer);
  }
  for (Vector3d& vertex : v) vertex *= radius;
  return TriangleMesh(std::move(v), std::move(triangles));
}

/// A ring about the z axis, square in section.
TriangleMesh ring_mesh(double inner, double outer, double half_height, std::uint32_t around) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < around; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / around;
    for (const auto& [radius, z] : {std::pair(inner, -half_height), std::pair(outer, -half_height),
                                    std::pair(outer, half_height), std::pair(inner, half_height)}) {
      vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t next = (i + 1) % around;
      const std::uint32_t other = (k + 1) % 4;
      triangles.push_back({4 * i + k, 4 * next + k, 4 * next + other});
      triangles.push_back({4 * i + k, 4 * next + other, 4 * i + other});
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

/// A square frame about the z axis, of half sides `inner` and `outer`; `around` a multiple of 4.
TriangleMesh frame_mesh(double inner, double outer, double half_height, std::uint32_t around) {
  const TriangleMesh ring = ring_mesh(inner, outer, half_height, around);
  std::vector<Vector3d> vertices = vertices_of(ring);
  const Quaterniond corners_first(Eigen::AngleAxisd(0.25 * std::numbers::pi, Vector3d::UnitZ()));
  for (Vector3d& v : vertices) {
    v = corners_first * v;
    v.head<2>() *= v.head<2>().norm() / v.head<2>().lpNorm<Eigen::Infinity>();
  }
  return ring.with_vertices(std::move(vertices));
}

/// The same box, but seven tenths of its layers lie in the lowest part of it, `low` metres high.
TriangleMesh fine_at_the_bottom(const TriangleMesh& box, double low) {
  constexpr double kShare = 0.7;
  std::vector<Vector3d> vertices = vertices_of(box);
  const double half = box.aabb().upper.z();
  const double low_part = low / (2.0 * half);
  for (Vector3d& v : vertices) {
    const double t = (v.z() + half) / (2.0 * half);
    const double moved =
        t < kShare ? t / kShare * low_part : low_part + (t - kShare) / (1.0 - kShare) * (1.0 - low_part);
    v.z() = half * (2.0 * moved - 1.0);
  }
  return box.with_vertices(std::move(vertices));
}

/// A pose with this rotation and place in the plane, so that the mesh's lowest point is `depth` below z = 0.
Pose sunk(const TriangleMesh& mesh, const Quaterniond& rotation, double x, double y, double depth) {
  double lowest = 0.0;
  for (const Vector3d& v : mesh.vertices()) lowest = std::min(lowest, (rotation * v).z());
  return Pose(Vector3d(x, y, -lowest - depth), rotation);
}

void expect_pushed(const ContactManifold& manifold, const Vector3d& normal, double depth) {
  ASSERT_FALSE(manifold.points().empty());
  EXPECT_NEAR(manifold.points()[0].distance, -depth, 1e-9);
  for (const ContactPoint& point : manifold.points()) {
    EXPECT_LT((point.normal - normal).norm(), 1e-6) << point.normal.transpose();
  }
}

/// Two bent surfaces have more normals than one: that of either may be taken, the further from each other the deeper.
void expect_pushed_about(const ContactManifold& manifold, const Vector3d& normal, double depth) {
  ASSERT_FALSE(manifold.points().empty());
  EXPECT_GE(manifold.points()[0].distance, -1.25 * depth);
  EXPECT_LE(manifold.points()[0].distance, -0.75 * depth);
  EXPECT_GT(manifold.points()[0].normal.dot(normal), depth < 0.01 ? 0.98 : 0.65);
  for (const ContactPoint& point : manifold.points()) {
    EXPECT_GT(point.normal.dot(normal), 0.5) << point.normal.transpose() << ": " << point.distance;
  }
}

TEST(CrossingMeshes, ABallSunkIntoAFloorIsPushedUpByItsDepth) {
  Random random(1);
  const TriangleMesh floor = flat_mesh(20, 0.1, 0.24, random);
  for (int cuts = 1; cuts <= 5; ++cuts) {  // up to 8 192 triangles
    const TriangleMesh ball = ball_mesh(0.1, cuts);
    ASSERT_TRUE(ball.is_closed());
    for (const double depth : {-0.001, 0.0001, 0.0005, 0.0008, 0.001, 0.0015, 0.003, 0.01, 0.02, 0.05}) {
      for (int i = 0; i < (cuts > 3 ? 1 : 3); ++i) {
        SCOPED_TRACE(testing::Message() << cuts << " cuts, depth " << depth << ", " << i);
        const Pose pose = sunk(ball, random.rotation(), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), depth);
        // Neither the order nor either winding matters.
        expect_pushed(composite_manifold(floor, Pose(), ball, pose, kMargin), Vector3d::UnitZ(), depth);
        expect_pushed(composite_manifold(ball, pose, floor, Pose(), kMargin), -Vector3d::UnitZ(), depth);
        const TriangleMesh reversed = turned_inside_out(ball);
        EXPECT_LT(reversed.volume(), 0.0);
        expect_pushed(composite_manifold(floor, Pose(), reversed, pose, kMargin), Vector3d::UnitZ(), depth);
        expect_pushed(composite_manifold(turned_inside_out(floor), Pose(), ball, pose, kMargin), Vector3d::UnitZ(),
                      depth);
      }
    }
  }
}

TEST(CrossingMeshes, ABallThatReachesIntoASurfaceFromBehindIsPushedBackThere) {
  Random random(2);
  const TriangleMesh ball = ball_mesh(0.1, 3);
  const TriangleMesh ceiling = flat_mesh(20, 0.1, 0.24, random);
  const Pose world_from_ceiling(Vector3d::Zero(), Quaterniond(0, 1, 0, 0));  // upside down
  for (const double depth : {0.0005, 0.0008, 0.003, 0.02}) {
    SCOPED_TRACE(depth);
    const Pose pose = sunk(ball, random.rotation(), 0.03, 0.02, depth);
    expect_pushed(composite_manifold(ceiling, world_from_ceiling, ball, pose, kMargin), Vector3d::UnitZ(), depth);
  }
}

TEST(CrossingMeshes, ABallSunkIntoAHeightFieldIsPushedUpByItsDepth) {
  Random random(9);
  const HeightField field(Eigen::MatrixXd::Zero(21, 25), {0.2, 0.23}, -1.0);
  const Pose world_from_field(Vector3d(-2.4, -2.3, 0.0));
  for (const int cuts : {2, 3}) {
    const TriangleMesh ball = ball_mesh(0.1, cuts);
    for (const double depth : {-0.001, 0.0005, 0.0008, 0.003, 0.02}) {
      SCOPED_TRACE(testing::Message() << cuts << " cuts, depth " << depth);
      const Pose pose = sunk(ball, random.rotation(), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), depth);
      expect_pushed(composite_manifold(field, world_from_field, ball, pose, kMargin), Vector3d::UnitZ(), depth);
      expect_pushed(composite_manifold(ball, pose, field, world_from_field, kMargin), -Vector3d::UnitZ(), depth);
    }
  }
}

TEST(CrossingMeshes, ABallThatSlidesOverAFloorSeesItsNormalAndDepthInEveryFrame) {
  Random random(3);
  const TriangleMesh floor = flat_mesh(20, 0.1, 0.24, random);
  const TriangleMesh ball = ball_mesh(0.1, 3);
  for (int frame = 0; frame < 200; ++frame) {
    SCOPED_TRACE(frame);
    const double depth = 0.004 * (1.0 + std::sin(0.1 * frame));
    const Quaterniond rotation(Eigen::AngleAxisd(0.05 * frame, Vector3d(0.2, 1.0, 0.1).normalized()));
    const Pose pose = sunk(ball, rotation, -0.5 + 0.005 * frame, 0.013, depth);
    expect_pushed(composite_manifold(floor, Pose(), ball, pose, kMargin), Vector3d::UnitZ(), depth);
  }
}

TEST(CrossingMeshes, BodiesInClosedSlabsArePushedUpAsTheirHullsAre) {
  Random random(4);
  const Pose world_from_slab(Vector3d(0, 0, -0.1));
  for (const int cells : {1, 10}) {
    const TriangleMesh slab = welded(samples::box_mesh({1, 1, 0.1}, cells));
    ASSERT_TRUE(slab.is_closed());
    for (const TriangleMesh& body :
         {ball_mesh(0.1, 2), ball_mesh(0.1, 3), welded(samples::box_mesh({0.1, 0.08, 0.05}, 1)),
          welded(samples::box_mesh({0.1, 0.08, 0.05}, 4)), ring_mesh(0.05, 0.08, 0.02, 24)}) {
      for (const double depth : {0.0005, 0.0008, 0.003, 0.02}) {
        for (int i = 0; i < 4; ++i) {
          SCOPED_TRACE(testing::Message()
                       << cells << " cells, " << body.triangles().size() << " triangles, depth " << depth << ", " << i);
          const Pose pose = sunk(body, random.rotation(), random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), depth);
          expect_pushed_about(composite_manifold(slab, world_from_slab, body, pose, kMargin), Vector3d::UnitZ(), depth);
          expect_pushed_about(composite_manifold(body, pose, slab, world_from_slab, kMargin), -Vector3d::UnitZ(),
                              depth);
        }
      }
    }
  }
}

TEST(CrossingMeshes, BallsThatReachIntoEachOtherArePushedApartAlongTheirCentres) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const TriangleMesh large = ball_mesh(0.1, 3);
    const TriangleMesh small = ball_mesh(0.06, 2 + i % 2);
    const double depth = std::pow(10.0, random.uniform(-4.0, -1.7));
    SCOPED_TRACE(testing::Message() << i << ", depth " << depth);
    const Vector3d way = random.direction();
    const Pose pose_large(Vector3d(1, 2, 3), random.rotation());
    const Pose pose_small(pose_large.translation() + (0.16 - depth) * way, random.rotation());
    const Separation hulls = distance(ConvexHull::from_points(vertices_of(large)), pose_large,
                                      ConvexHull::from_points(vertices_of(small)), pose_small);
    const ContactManifold manifold = composite_manifold(large, pose_large, small, pose_small, kMargin);
    EXPECT_GT(manifold.points()[0].normal.dot(way), 0.9);
    for (const ContactPoint& point : manifold.points()) EXPECT_GT(point.normal.dot(way), 0.6);
    // No way out is shorter than that of the hulls, but edges that are deeper than the vertices are not looked for.
    EXPECT_LE(manifold.points()[0].distance, (hulls.distance < 0.0 ? 0.95 : 1.0) * hulls.distance + 1e-9);
    EXPECT_GE(manifold.points()[0].distance, 1.5 * std::min(hulls.distance, 0.0) - 1e-3);
  }
}

TEST(CrossingMeshes, WhatIsInARoomIsPushedInwards) {
  Random random(6);
  const TriangleMesh outwards = welded(samples::box_mesh({1, 1, 1}, 8));
  const Pose world_from_room(Vector3d(0, 0, 1));
  for (const TriangleMesh& room : {outwards, turned_inside_out(outwards)}) {
    ASSERT_TRUE(room.is_closed());
    for (const double depth : {0.0005, 0.0008, 0.003, 0.02}) {
      SCOPED_TRACE(depth);
      const TriangleMesh ball = ball_mesh(0.1, 3);
      expect_pushed(
          composite_manifold(room, world_from_room, ball, sunk(ball, random.rotation(), 0.03, 0.02, depth), kMargin),
          Vector3d::UnitZ(), depth);
      const TriangleMesh box = welded(samples::box_mesh({0.2, 0.1, 0.1}, 1));
      const ContactManifold stands = composite_manifold(room, world_from_room, box,
                                                        sunk(box, Quaterniond::Identity(), 0.03, 0.02, depth), kMargin);
      expect_pushed(stands, Vector3d::UnitZ(), depth);
      EXPECT_EQ(stands.points().size(), 4u);
    }
  }
}

TEST(CrossingMeshes, ARingOnAPegIsPushedOffItsSide) {
  const TriangleMesh peg = welded(samples::box_mesh({0.03, 0.03, 0.5}, 3));
  const TriangleMesh ring = ring_mesh(0.05, 0.08, 0.01, 32);  // its middle is within the peg
  for (const double depth : {-0.001, 0.0003, 0.0008, 0.003, 0.008}) {
    SCOPED_TRACE(depth);
    // From inside, the ring's corners lie on a circle, of which the peg's edges reach most.
    const double reach = std::sqrt(0.05 * 0.05 - 0.03 * 0.03);
    const ContactManifold manifold =
        composite_manifold(peg, Pose(), ring, Pose(Vector3d(-(reach - 0.03 + depth), 0, 0.1)), kMargin);
    double along = 0.0;
    for (const ContactPoint& point : manifold.points()) {
      EXPECT_GT(point.normal.x(), -1e-9) << point.normal.transpose() << " "
                                         << point.distance;  // or off the peg's edges
      along = std::max(along, point.normal.x());
    }
    EXPECT_GT(along, 0.5);
  }
}

TEST(CrossingMeshes, ExchangingTheBodiesTurnsTheDeepestPoint) {
  Random random(7);
  const TriangleMesh box = welded(samples::box_mesh({0.1, 0.08, 0.05}, 2));
  const TriangleMesh ball = ball_mesh(0.07, 2);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Pose pose_box = random.pose(0.1);
    const Pose pose_ball = random.pose(0.1);
    // Half as deep as the bodies are thick, there are several ways out.
    const Separation hulls = distance(ConvexHull::from_points(vertices_of(box)), pose_box,
                                      ConvexHull::from_points(vertices_of(ball)), pose_ball);
    if (hulls.distance < -0.03) continue;
    ++compared;
    const ContactManifold there = composite_manifold(box, pose_box, ball, pose_ball, kMargin);
    const ContactManifold back = composite_manifold(ball, pose_ball, box, pose_box, kMargin);
    EXPECT_NEAR(there.points()[0].distance, back.points()[0].distance, 1e-9);
    EXPECT_LT((there.points()[0].normal + back.points()[0].normal).norm(), 1e-6);
  }
  EXPECT_GT(compared, 50);
}

TEST(CrossingMeshes, ABodyBesideTheBorderOfASheetIsPushedAwayFromIt) {
  Random random(11);
  const TriangleMesh sheet = flat_mesh(10, 0.1, 0.0, random);  // to x = 0.5
  for (const int cells : {1, 3, 8}) {
    const TriangleMesh box = welded(samples::box_mesh({0.1, 0.1, 0.2}, cells));
    for (const double overlap : {0.0005, 0.003}) {
      SCOPED_TRACE(testing::Message() << cells << " cells, overlap " << overlap);
      const Pose pose(Vector3d(0.6 - overlap, 0, 0.013));
      expect_pushed(composite_manifold(sheet, Pose(), box, pose, kMargin), Vector3d::UnitX(), overlap);
    }
  }
}

TEST(CrossingMeshes, ABoxAtTheTipOfARampIsPushedUpItWhateverTheOrderOfTriangles) {
  for (const double angle : {0.26, 0.52}) {
    const double rise = std::tan(angle);
    const std::vector<Vector3d> vertices = {{0, -0.5, 0}, {0, 0.5, 0},     {1, -0.5, 0},
                                            {1, 0.5, 0},  {1, -0.5, rise}, {1, 0.5, rise}};
    std::vector<TriangleMesh::Indices> triangles = {{0, 1, 3}, {0, 3, 2}, {0, 5, 1}, {0, 4, 5},
                                                    {0, 2, 4}, {1, 5, 3}, {2, 3, 5}, {2, 5, 4}};
    for (const bool is_reversed : {false, true}) {
      if (is_reversed) std::reverse(triangles.begin(), triangles.end());
      const TriangleMesh ramp(vertices, triangles);
      ASSERT_TRUE(ramp.is_closed());
      const TriangleMesh box = welded(samples::box_mesh({0.05, 0.05, 0.05}));
      for (const double reach : {0.005, 0.02}) {
        SCOPED_TRACE(testing::Message() << angle << " radians, " << is_reversed << ", " << reach);
        const Pose pose(Vector3d(reach - 0.05, 0, 0.05 + 0.0005));
        const Separation hulls =
            distance(ConvexHull::from_points(vertices), Pose(), ConvexHull::from_points(vertices_of(box)), pose);
        expect_pushed(composite_manifold(ramp, Pose(), box, pose, kMargin), hulls.normal, -hulls.distance);
      }
    }
  }
}

TEST(CrossingMeshes, BodiesSunkIntoAnOpenFloorArePushedUpWhereverTheirTrianglesLie) {
  Random random(12);
  const TriangleMesh floor = flat_mesh(20, 0.1, 0.24, random);
  const TriangleMesh fine_floor = flat_mesh(60, 0.02, 0.24, random);
  const Vector3d half(0.1, 0.08, 0.05);
  struct Sunk {
    TriangleMesh body;
    double thickness;
  };
  std::vector<Sunk> bodies;
  for (const int cells : {2, 4, 8}) {
    const TriangleMesh box = welded(samples::box_mesh(half, cells));
    bodies.push_back({box, 0.1});
    bodies.push_back({fine_at_the_bottom(box, 0.004), 0.1});
    bodies.push_back({welded(samples::box_mesh({0.2, 0.2, 0.005}, cells)), 0.01});
  }
  for (const Sunk& sunk_body : bodies) {
    for (const double depth : {0.0005, 0.002, 0.003, 0.004, 0.006, 0.015}) {
      if (depth > 0.3 * sunk_body.thickness) continue;
      for (int i = 0; i < (samples::kIsInstrumented ? 2 : 20); ++i) {
        SCOPED_TRACE(testing::Message() << sunk_body.body.triangles().size() << " triangles, " << sunk_body.thickness
                                        << " thick, depth " << depth << ", " << i);
        // Nearly flat on the floor, so that only side walls and the bottom are near it.
        const Quaterniond turned(Eigen::AngleAxisd(random.uniform(0.0, 6.0), Vector3d::UnitZ()));
        const Quaterniond tilted(Eigen::AngleAxisd(random.uniform(0.0, 0.01), random.direction()));
        const Pose pose =
            sunk(sunk_body.body, tilted * turned, random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), depth);
        const TriangleMesh& below = i % 2 == 0 ? floor : fine_floor;
        const ContactManifold manifold = composite_manifold(below, Pose(), sunk_body.body, pose, kMargin);
        for (const ContactPoint& point : manifold.points()) EXPECT_GT(point.normal.z(), 0.9);
        EXPECT_NEAR(manifold.points()[0].distance, -depth, 0.25 * depth);
        const ContactManifold back = composite_manifold(sunk_body.body, pose, below, Pose(), kMargin);
        EXPECT_NEAR(back.points()[0].distance, manifold.points()[0].distance, 1e-9);
        EXPECT_LT(back.points()[0].normal.z(), -0.9);
      }
    }
  }
}

/// Level squares of a grid around the z axis at some heights, cut in two, as many a side as cells.
TriangleMesh sheets(const std::vector<double>& heights, double half_size, std::uint32_t cells) {
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (const double z : heights) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    for (std::uint32_t i = 0; i <= cells; ++i) {
      for (std::uint32_t j = 0; j <= cells; ++j) {
        vertices.emplace_back((2.0 * i / cells - 1.0) * half_size, (2.0 * j / cells - 1.0) * half_size, z);
      }
    }
    for (std::uint32_t i = 0; i < cells; ++i) {
      for (std::uint32_t j = 0; j < cells; ++j) {
        const std::uint32_t at = first + i * (cells + 1) + j;
        triangles.push_back({at, at + cells + 1, at + 1});
        triangles.push_back({at + 1, at + cells + 1, at + cells + 2});
      }
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

/// With some triangles wound the other way.
TriangleMesh partly_flipped(const TriangleMesh& mesh, double share, Random& random) {
  std::vector<TriangleMesh::Indices> triangles(mesh.triangles().begin(), mesh.triangles().end());
  for (TriangleMesh::Indices& t : triangles) {
    if (random.uniform(0.0, 1.0) < share) std::swap(t[1], t[2]);
  }
  return TriangleMesh(vertices_of(mesh), std::move(triangles));
}

TEST(CrossingMeshes, WhatSinksIntoAnOpenFloorIsPushedUpHoweverItsTrianglesAreWoundAndWhateverIsAbove) {
  const TriangleMesh spike({{-0.1, -0.1, -0.1}, {0.3, -0.1, -0.1}, {-0.1, 0.3, -0.1}, {-0.1, -0.1, 0.3}},
                           {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}});
  Random random(29);
  int manifolds = 0;
  int tilted = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 200 : 2000); ++i) {
    SCOPED_TRACE(i);
    const TriangleMesh body = i % 2 == 0 ? spike : welded(samples::box_mesh(random.vector(0.1, 0.3), 1 + i % 3));
    const Quaterniond turned = random.rotation();
    double height = 0.0;
    double lowest = 0.0;
    for (const Vector3d& vertex : body.vertices()) {
      height = std::max(height, (turned * vertex).z());
      lowest = std::min(lowest, (turned * vertex).z());
    }
    height -= lowest;
    const double depth = random.uniform(0.005, 0.05) * height;
    const double x = random.uniform(-0.1, 0.1);
    const double y = random.uniform(-0.1, 0.1);
    const Pose pose = sunk(body, turned, x, y, depth);
    const bool has_shelf = i % 4 >= 2;
    const std::uint32_t cells = i % 8 == 0 ? 1 : 3;
    const TriangleMesh level =
        has_shelf ? sheets({0.0, height * random.uniform(1.01, 1.5)}, 0.8, cells) : sheets({0.0}, 0.8, cells);
    const TriangleMesh floor = has_shelf ? level : partly_flipped(level, 0.2, random);
    // A steep tip beside an edge of the floor may have one point alone, as the deepest triangles are let out sideways.
    const auto expect_upwards = [&](const ContactManifold& manifold, double sign) {
      ASSERT_FALSE(manifold.points().empty());
      for (const ContactPoint& point : manifold.points()) {
        EXPECT_GT(sign * point.normal.z(), manifold.points().size() > 1 ? 0.9 : 0.0);
        EXPECT_GE(point.distance, -1.001 * depth);
      }
      ++manifolds;
      tilted += sign * manifold.points()[0].normal.z() < 0.9 ? 1 : 0;
    };
    expect_upwards(composite_manifold(floor, Pose(), body, pose, kMargin), 1.0);
    expect_upwards(composite_manifold(body, pose, floor, Pose(), kMargin), -1.0);
  }
  EXPECT_LE(tilted, manifolds / 200);
}

TEST(CrossingMeshes, CopiesOfTrianglesPassThroughNothingThatIsApart) {
  const TriangleMesh::Indices one = {0, 1, 2};
  const std::vector<Vector3d> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  for (const TriangleMesh::Indices& copy : {one, TriangleMesh::Indices{0, 2, 1}}) {
    const TriangleMesh twice(corners, {one, copy});
    const ContactManifold near =
        composite_manifold(twice, Pose(), twice, Pose(Vector3d(0.1, 0.1, 0.001)), {.max_distance = 0.002});
    ASSERT_GE(near.points().size(), 3u);
    for (const ContactPoint& point : near.points()) {
      EXPECT_NEAR(point.distance, 0.001, 1e-12);
      EXPECT_NEAR(point.normal.z(), 1.0, 1e-12);
    }
  }
  Random random(31);
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const auto with_copies = [&](const TriangleMesh& mesh) {
      std::vector<TriangleMesh::Indices> triangles(mesh.triangles().begin(), mesh.triangles().end());
      for (int k = 0; k < 3; ++k) triangles.push_back(triangles[static_cast<std::size_t>(random.below(18))]);
      return TriangleMesh(vertices_of(mesh), std::move(triangles));
    };
    const TriangleMesh below = with_copies(sheets({0.0}, 0.5, 3));
    const TriangleMesh above = with_copies(sheets({0.0}, 0.5, 3));
    const Quaterniond turned(Eigen::AngleAxisd(random.uniform(0.0, 6.0), Vector3d::UnitZ()));
    const double x = random.uniform(-0.3, 0.3);
    const Pose pose(Vector3d(x, 0.1, 0.001), turned);
    const ContactManifold near = composite_manifold(below, Pose(), above, pose, kMargin);
    ASSERT_GE(near.points().size(), 3u);
    for (const ContactPoint& point : near.points()) {
      EXPECT_GE(point.distance, 0.001 - 1e-9);
      EXPECT_NEAR(point.normal.z(), 1.0, 1e-9);
    }
  }
}

/// Rings of quads between two poles on the z axis, each quad two triangles in one plane.
TriangleMesh ball_of_quads(double radius, std::uint32_t rings) {
  std::vector<Vector3d> vertices = {{0, 0, -radius}, {0, 0, radius}};
  std::vector<TriangleMesh::Indices> triangles;
  const std::uint32_t around = 2 * rings;
  const auto vertex = [&](std::uint32_t ring, std::uint32_t k) { return 2 + (ring - 1) * around + k % around; };
  for (std::uint32_t ring = 1; ring < rings; ++ring) {
    const double down = std::numbers::pi * ring / rings;
    for (std::uint32_t k = 0; k < around; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / around;
      vertices.emplace_back(radius * std::sin(down) * std::cos(angle), radius * std::sin(down) * std::sin(angle),
                            -radius * std::cos(down));
    }
  }
  for (std::uint32_t k = 0; k < around; ++k) {
    triangles.push_back({0, vertex(1, k + 1), vertex(1, k)});
    triangles.push_back({1, vertex(rings - 1, k), vertex(rings - 1, k + 1)});
    for (std::uint32_t ring = 1; ring + 1 < rings; ++ring) {
      triangles.push_back({vertex(ring, k), vertex(ring, k + 1), vertex(ring + 1, k + 1)});
      triangles.push_back({vertex(ring, k), vertex(ring + 1, k + 1), vertex(ring + 1, k)});
    }
  }
  return TriangleMesh(std::move(vertices), std::move(triangles));
}

// A facet of two triangles is flat across its diagonal alone: the ground is the flatter of the two.
TEST(CrossingMeshes, BodiesOfQuadsTouchGentleHillsAlongTheNormalsOfTheHills) {
  Random random(43);
  const auto height = [](double x, double y) { return 0.05 * std::sin(1.3 * x) * std::cos(1.1 * y); };
  const TriangleMesh hills = samples::grid_mesh(40, 0.1, 0.2, random, height);
  const TriangleMesh body = ball_of_quads(0.07, 10);
  ASSERT_TRUE(body.is_closed());
  int touching = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 50 : 500); ++i) {
    SCOPED_TRACE(i);
    const double x = random.uniform(-1.0, 1.0);
    const double y = random.uniform(-1.0, 1.0);
    Pose pose(Vector3d(x, y, 0.3), random.rotation());
    for (int step = 0; step < 3; ++step) {
      const Separation s = distance(hills, Pose(), body, pose);
      pose = Pose(pose.translation() - (s.distance + 5e-4) * Vector3d::UnitZ(), Quaterniond(pose.rotation()));
    }
    const ContactManifold manifold =
        contact_manifold(hills, Pose(), body, pose, distance(hills, Pose(), body, pose), kMargin);
    for (const ContactPoint& point : manifold.points()) {
      if (point.distance > 0.0) continue;
      ++touching;
      // Neighbours are bent by a hundredth of a radian.
      const std::array<Vector3d, 3> face = hills.corners(point.leaf_a);
      const Vector3d normal = (face[1] - face[0]).cross(face[2] - face[0]).normalized();
      EXPECT_LT((point.normal - normal).norm(), 0.03);
    }
  }
  EXPECT_GT(touching, samples::kIsInstrumented ? 40 : 400);
}

// Front and back of each triangle in any order: what is above either copy has not passed.
TEST(CrossingMeshes, BodiesOnTwoSidedGroundArePushedUp) {
  Random random(41);
  const TriangleMesh ground = samples::two_sided(flat_mesh(12, 0.1, 0.0, random), random);
  const TriangleMesh body = welded(samples::box_mesh({0.3, 0.2, 0.1}));
  ASSERT_TRUE(body.is_closed());
  for (int i = 0; i < (samples::kIsInstrumented ? 100 : 1000); ++i) {
    SCOPED_TRACE(i);
    const Quaterniond rotation = random.rotation();
    const double x = random.uniform(-0.1, 0.1);
    const double y = random.uniform(-0.1, 0.1);
    const double depth = random.uniform(1e-4, 1e-2);
    const Pose pose = sunk(body, rotation, x, y, depth);
    const ContactManifold manifold =
        contact_manifold(ground, Pose(), body, pose, distance(ground, Pose(), body, pose), {.max_distance = 0.01});
    ASSERT_FALSE(manifold.points().empty());
    for (const ContactPoint& point : manifold.points()) ASSERT_GT(point.normal.z(), 0.0);
    ASSERT_NEAR(manifold.points().front().distance, -depth, 1e-6);
  }
}

TEST(CrossingMeshes, TheOnlyPointOfMeshesThatTouchLiesOnTheLeavesThatItNames) {
  const TriangleMesh grid = sheets({0.0}, 1.0, 4);
  const TriangleMesh box = samples::box_mesh({0.5, 0.5, 0.5}, 2);
  const auto distance_to = [](const TriangleMesh& mesh, std::uint32_t leaf, const Pose& pose, const Vector3d& point) {
    return distance(Triangle(mesh.corners(leaf)), pose, Sphere(0.01), Pose(point)).distance + 0.01;
  };
  Random random(37);
  int lone = 0;
  for (int i = 0; i < (samples::kIsInstrumented ? 400 : 2000); ++i) {
    SCOPED_TRACE(i);
    const auto step = [&] { return 0.5 * (static_cast<double>(random.below(5)) - 2.0); };
    const double x = step();
    const double y = step();
    const double z = step();
    const Vector3d axis = Vector3d::Unit(random.below(3));
    const Quaterniond turned(Eigen::AngleAxisd(std::numbers::pi / 2 * random.below(4), axis));
    const Quaterniond leaning(Eigen::AngleAxisd(std::numbers::pi / 4, Vector3d::UnitX()));
    const Pose pose(Vector3d(x, y, z), i % 2 == 0 ? turned : leaning * turned);
    const ContactManifold manifold = composite_manifold(grid, Pose(), box, pose, kMargin);
    if (manifold.points().size() != 1) continue;
    ++lone;
    const ContactPoint& point = manifold.points()[0];
    const double depth = std::max(-point.distance, 0.0);
    EXPECT_LE(distance_to(grid, point.leaf_a, Pose(), point.point_a), 1e-9 + depth);
    EXPECT_LE(distance_to(box, point.leaf_b, pose, point.point_b), 1e-9 + depth);
  }
  EXPECT_GT(lone, 50);
}

// The middle of the link is below the strip that it hangs on.
TEST(CrossingMeshes, ALinkThatHangsOnAStripIsPushedUp) {
  Random random(13);
  for (const int cells : {1, 8}) {
    std::vector<Vector3d> vertices = vertices_of(flat_mesh(cells, 1.0 / cells, 0.2, random));
    for (Vector3d& v : vertices) v.y() *= 0.05;
    const TriangleMesh strip = flat_mesh(cells, 1.0, 0.0, random).with_vertices(std::move(vertices));
    for (const std::uint32_t around : {16u, 48u}) {
      const TriangleMesh link = frame_mesh(0.035, 0.055, 0.02, around);
      ASSERT_TRUE(link.is_closed());
      for (const double depth : {0.0003, 0.0015, 0.003, 0.006, 0.009}) {
        for (int i = 0; i < 10; ++i) {
          SCOPED_TRACE(testing::Message() << cells << " cells, " << around << " around, depth " << depth << ", " << i);
          const Quaterniond turned(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitY()));
          const Quaterniond tilted(Eigen::AngleAxisd(random.uniform(0.0, 0.01), random.direction()));
          const Pose pose(Vector3d(random.uniform(-0.3, 0.3), random.uniform(-0.005, 0.005), -0.035 - depth),
                          tilted * turned);
          const ContactManifold manifold = composite_manifold(strip, Pose(), link, pose, kMargin);
          EXPECT_GT(manifold.points()[0].normal.z(), 0.98);
          EXPECT_NEAR(manifold.points()[0].distance, -depth, 0.001);
        }
      }
    }
  }
}

// A vertex that has passed, and a pair of features of the same triangles.
TEST(CrossingMeshes, PointsOfJaggedBodiesHaveIdsOfTheirOwn) {
  for (const std::uint64_t seed : {109u, 148u, 270u, 280u, 283u}) {
    Random random(seed);
    const auto jagged = [&random] {
      const TriangleMesh ball = samples::bumpy_ball(2 + static_cast<int>(random.below(3)), 0.1, random);
      std::vector<Vector3d> vertices = vertices_of(ball);
      for (Vector3d& v : vertices) v += 0.06 * random.vector(-1.0, 1.0);
      return ball.with_vertices(std::move(vertices));
    };
    for (int i = 0; i < 10; ++i) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << i);
      const TriangleMesh a = jagged();
      const TriangleMesh b = jagged();
      const Pose pose_a = random.pose(0.05);
      const Pose pose_b = random.pose(0.05);
      static_cast<void>(composite_manifold(a, pose_a, b, pose_b, {.max_distance = 0.0}));  // checks the ids
    }
  }
}

}  // namespace
}  // namespace abut
