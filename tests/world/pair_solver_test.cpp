// Warm-start memory: which candidate inherits from which, and what a reused slot gets.
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
using detail::Solutions;
using detail::Verdict;

BodyDescription box_at(double x) {
  return {.shape = Box({1, 1, 1}), .pose = Pose(Vector3d(x, 0, 0)), .motion = Motion::moving, .filter = {}};
}

/// A cache that no solver writes, so that it can be recognised.
PairCache marked(double mark) {
  PairCache cache;
  cache.has_solution = true;
  cache.normal_a = Vector3d::UnitZ();
  cache.point_a = Vector3d::Constant(mark);
  return cache;
}

TEST(PairSolver, APairKeepsItsCacheWhileTheListAroundItChanges) {
  BodyTable bodies;
  std::vector<BodyId> ids;
  for (int i = 0; i < 40; ++i)
    ids.push_back(bodies.insert(box_at(100.0 * i)));  // all boxes apart: caches stay as they are
  samples::Random random(3);
  const auto random_pairs = [&] {
    std::vector<BodyPair> pairs;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      for (std::size_t j = i + 1; j < ids.size(); ++j) {
        if (random.chance(0.5)) pairs.push_back({ids[i], ids[j]});
      }
    }
    return pairs;
  };
  const auto mark_of = [](const BodyPair& pair) { return 1.0 + 100.0 * pair.a.slot + pair.b.slot; };

  Candidates last{.pairs = random_pairs(), .caches = {}, .histories = {}};
  for (const BodyPair& pair : last.pairs) last.caches.push_back(marked(mark_of(pair)));
  Candidates next{.pairs = random_pairs(), .caches = {}, .histories = {}};
  const std::size_t count = next.pairs.size();
  last.histories.resize(last.pairs.size());
  next.caches.resize(count);
  next.histories.resize(count);
  std::vector<Verdict> verdicts;
  for (std::size_t begin = 0; begin < count; begin += detail::kPairsTogether) {
    const std::size_t end = std::min(begin + detail::kPairsTogether, count);
    Solutions solutions;
    detail::solve_pairs(bodies, SceneSettings(), /*step=*/1, last, {begin, end}, next, solutions);
    verdicts.insert(verdicts.end(), solutions.verdicts.begin(), solutions.verdicts.begin() + (end - begin));
  }

  std::size_t inherited = 0;
  std::size_t cold = 0;
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(verdicts[i], Verdict::boxes_apart);
    const bool known = std::find(last.pairs.begin(), last.pairs.end(), next.pairs[i]) != last.pairs.end();
    (known ? inherited : cold) += 1;
    EXPECT_EQ(next.caches[i].has_solution, known);
    if (known) {
      EXPECT_EQ(next.caches[i].point_a.x(), mark_of(next.pairs[i]));
    }
  }
  EXPECT_GT(inherited, 100u);
  EXPECT_GT(cold, 100u);
}

TEST(PairSolver, AnotherGenerationDoesNotInherit) {
  BodyTable bodies;
  const BodyId a = bodies.insert(box_at(0));
  const BodyId b = bodies.insert(box_at(100));
  const Candidates last{.pairs = {{a, b}}, .caches = {marked(7.0)}, .histories = {{}}};
  bodies.remove(b.slot);
  const BodyId successor = bodies.insert(box_at(100));
  ASSERT_EQ(successor.slot, b.slot);
  Candidates next{.pairs = {{a, successor}}, .caches = {{}}, .histories = {{}}};
  Solutions solutions;
  detail::solve_pairs(bodies, SceneSettings(), /*step=*/1, last, {0, 1}, next, solutions);
  EXPECT_FALSE(next.caches[0].has_solution);
}

TEST(PairSolver, ASolvedPairLeavesItsSolutionInTheCache) {
  BodyTable bodies;
  const auto cylinder_at = [](double x) {
    return BodyDescription{
        .shape = Cylinder(1, 1), .pose = Pose(Vector3d(x, 0, 0)), .motion = Motion::moving, .filter = {}};
  };
  const BodyId a = bodies.insert(cylinder_at(0));
  const BodyId b = bodies.insert(cylinder_at(1.5));
  Candidates candidates{.pairs = {{a, b}}, .caches = {{}}, .histories = {{}}};
  Solutions solutions;
  detail::solve_pairs(bodies, SceneSettings(), /*step=*/1, Candidates(), {0, 1}, candidates, solutions);
  EXPECT_EQ(solutions.verdicts[0], Verdict::contact);
  EXPECT_TRUE(candidates.caches[0].has_solution);
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
