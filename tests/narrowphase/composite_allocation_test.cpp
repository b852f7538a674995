// Queries of meshes, height fields and compounds allocate nothing; contacts only what their vector lacks.
#include <abut/narrowphase/cast/ray_mesh.h>
#include <abut/narrowphase/composite_contacts.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/narrowphase/mesh_solid.h>
#include <gtest/gtest.h>
#include <support/count_allocations.h>
#include <support/random_meshes.h>
#include <support/random_shapes.h>

#include <vector>

namespace abut {
namespace {

using samples::Random;

TEST(CompositeAllocation, QueriesOfTreesAllocateNothing) {
  Random random(1);
  const TriangleMesh ball = samples::bumpy_ball(20, 1.0, random);
  const Shape mesh(ball);
  const Shape turned(samples::bumpy_ball(20, 1.0, random, TreeKind::obb));
  const Shape field(samples::hills(10, 0.3, 0.5, random));
  const Shape compound(Compound({{mesh, Pose(Vector3d(0, 0, 3))}, {Box(Vector3d(1, 1, 1)), Pose()}}));
  const Shape hull(samples::random_hull(40, 0.5, random));
  std::vector<CompositeContact> contacts;
  std::vector<MeshHit> hits;
  double sum = ball.is_closed() ? 1.0 : 0.0;
  const auto ask = [&] {
    for (const Shape* a : {&mesh, &turned, &field, &compound}) {
      for (const Shape* b : {&mesh, &turned, &field, &compound, &hull}) {
        for (const double at : {0.5, 4.0}) {
          const Pose pose(Vector3d(at, 0.3, 0.2));
          sum += distance(*a, Pose(), *b, pose).distance;
          sum += collides(*a, Pose(), *b, pose) ? 1.0 : 0.0;
          all_contacts(*a, Pose(), *b, pose, 0.01, contacts);
          const Separation separation = distance(*a, Pose(), *b, pose);
          sum += contact_manifold(*a, Pose(), *b, pose, separation, {.max_distance = 0.01}).points()[0].distance;
        }
      }
    }
    sum += first_hit(ball, Vector3d(3, 0, 0), Vector3d(-1, 0.01, 0.02))->t;
    all_hits(ball, Vector3d(3, 0, 0), Vector3d(-1, 0.01, 0.02), 10.0, hits);
    sum += signed_distance(ball, Vector3d(0.1, 0.2, 0.3));
  };
  ask();  // grows the vectors
  const std::size_t before = samples::allocation_count();
  ask();
  EXPECT_EQ(samples::allocation_count(), before);
  EXPECT_NE(sum, 0.0);
}

}  // namespace
}  // namespace abut
