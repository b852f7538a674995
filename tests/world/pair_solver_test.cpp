// What a solved pair leaves in its memory, and what a pair in a reused slot starts from.
#include <abut/world/detail/pair_solver.h>
#include <abut/world/scene.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "scene_checks.h"

namespace abut {
namespace {

using detail::BodyTable;
using detail::Candidates;
using detail::PairMemory;
using detail::Solutions;
using detail::UnconvergedCandidates;
using detail::Verdict;

TEST(PairSolver, ASolvedPairLeavesItsSolutionInTheCache) {
  BodyTable bodies;
  const auto cylinder_at = [](double x) {
    return BodyDescription{
        .shape = Cylinder(1, 1), .pose = Pose(Vector3d(x, 0, 0)), .motion = Motion::moving, .filter = {}};
  };
  const BodyId a = bodies.insert(cylinder_at(0));
  const BodyId b = bodies.insert(cylinder_at(1.5));
  Candidates candidates{.pairs = {{a, b}}, .places = {}};
  PairMemory memory;
  Candidates none;
  memory.update(none, candidates);
  UnconvergedCandidates unconverged;
  Solutions solutions;
  detail::solve_pairs(bodies, SceneSettings(), /*step=*/1, candidates, {0, 1}, memory, unconverged, solutions);
  EXPECT_EQ(solutions.verdicts[0], Verdict::contact);
  EXPECT_TRUE(memory.cache(candidates.places[0]).has_solution);
}

TEST(PairSolver, ABodyInAReusedSlotStartsAsColdAsInANewScene) {
  // Apart, but within the margin, and of kinds that take several iterations from a cold start.
  samples::Random random(12);
  std::vector<BodyDescription> bodies;
  for (int i = 0; i < 27; ++i) {
    const Shape shape = i % 2 == 0 ? samples::random_shape(samples::ShapeKind::ellipsoid, 1.0, random)
                                   : Shape(samples::random_hull(60, 1.0, random));
    const Vector3d place(i % 3, i / 3 % 3, i / 9);
    bodies.push_back({.shape = shape,
                      .pose = Pose(2.3 * place + random.vector(-0.1, 0.1), random.rotation()),
                      .motion = Motion::moving,
                      .filter = {}});
  }
  Scene scene({.contact_margin = 2.0});
  const std::vector<BodyId> ids = add_all(scene, bodies);
  scene.step();
  const std::uint64_t cold = scene.statistics().iterations;
  const std::vector<Contact> cold_contacts(scene.contacts().begin(), scene.contacts().end());
  ASSERT_GT(cold_contacts.size(), 50u);
  scene.step();
  scene.step();
  ASSERT_LT(scene.statistics().iterations, cold);  // warm starts do show in the count
  for (const BodyId id : ids) scene.remove(id);
  add_all(scene, bodies);
  scene.step();
  EXPECT_EQ(scene.statistics().iterations, cold);
  ASSERT_EQ(scene.contacts().size(), cold_contacts.size());
  for (std::size_t i = 0; i < cold_contacts.size(); ++i) {
    EXPECT_EQ(scene.contacts()[i].distance, cold_contacts[i].distance);
    EXPECT_EQ(scene.contacts()[i].normal, cold_contacts[i].normal);
  }
}

}  // namespace
}  // namespace abut
