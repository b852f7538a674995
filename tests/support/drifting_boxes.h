// Scenes of moving boxes for the tests and benchmarks of the broad phase. Ids are in random spatial order, as they are
// in a scene that has lived for a while.
#pragma once

#include <abut/core/aabb.h>
#include <abut/core/collision_filter.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut::test {

using samples::Random;

/// Boxes that drift, each frame by a random step of at most a fraction of their size.
struct DriftingBoxes {
  std::vector<Aabb> boxes;
  std::vector<Motion> motions;
  std::vector<std::uint32_t> movers;  ///< Ids that move each frame; others may be moving bodies at rest.
  double step = 0.01;                 ///< Largest step along an axis over the box's size along it.
  Aabb room;                          ///< Movers stay inside.

  void advance(Random& random) {
    for (const std::uint32_t id : movers) {
      Aabb& box = boxes[id];
      for (int axis = 0; axis < 3; ++axis) {
        double shift = random.uniform(-step, step) * (box.upper[axis] - box.lower[axis]);
        if (box.lower[axis] + shift < room.lower[axis] || box.upper[axis] + shift > room.upper[axis]) shift = -shift;
        box.lower[axis] += shift;
        box.upper[axis] += shift;
      }
    }
  }
};

namespace detail {

inline Aabb box_at(const Vector3d& center, double size) {
  return Aabb::of_point(center).expanded(0.5 * size);
}

inline void shuffle(std::vector<Aabb>& boxes, Random& random) {
  for (std::size_t i = boxes.size(); i > 1; --i)
    std::swap(boxes[i - 1], boxes[random.below(static_cast<std::uint32_t>(i))]);
}

inline DriftingBoxes all_moving(std::vector<Aabb> boxes, const Aabb& room, double step) {
  DriftingBoxes scene;
  scene.motions.assign(boxes.size(), Motion::moving);
  for (std::uint32_t id = 0; id < boxes.size(); ++id) scene.movers.push_back(id);
  scene.boxes = std::move(boxes);
  scene.room = room;
  scene.step = step;
  return scene;
}

}  // namespace detail

/// Stresses the sweep itself: cubes of 1 m, uniform in a cube, on average three pairs a box.
/// @param step  0.01 for slow and 1.0 for fast motion.
inline DriftingBoxes uniform_cloud(std::size_t count, double step, std::uint64_t seed) {
  Random random(seed);
  // A box overlaps those whose centre lies within 1 m along each axis, a volume of 8; half of them, a pair being two's.
  const double side = std::cbrt(8.0 / 6.0 * static_cast<double>(count));
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < count; ++i) boxes.push_back(detail::box_at(random.vector(0.0, side), 1.0));
  const Aabb room{Vector3d::Constant(-1.0), Vector3d::Constant(side + 1.0)};
  return detail::all_moving(std::move(boxes), room, step);
}

/// Stresses one big box and resting ones: a layer of cubes on a fixed ground, one in twenty of them moving.
inline DriftingBoxes layer(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const double side = std::sqrt(4.0 / 6.0 * static_cast<double>(count));
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double x = random.uniform(0.0, side);
    boxes.push_back(detail::box_at({x, random.uniform(0.0, side), 0.5}, 1.0));
  }
  const Aabb ground{{-10.0, -10.0, -1.0}, {side + 10.0, side + 10.0, 0.1}};
  DriftingBoxes scene = detail::all_moving(std::move(boxes), {{-1.0, -1.0, -0.5}, {side + 1.0, side + 1.0, 1.5}}, 0.01);
  scene.movers.resize(std::max<std::size_t>(scene.movers.size() / 20, 1));
  scene.boxes.push_back(ground);
  scene.motions.push_back(Motion::fixed);
  return scene;
}

/// Stresses mixed sizes: log-uniform from 0.1 to 10 m, on average three pairs a box.
inline DriftingBoxes log_uniform_sizes(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  // E[(s + t)^3] = 2 E[s^3] + 6 E[s^2] E[s] for independent sizes, in cubic metres.
  const double log_ratio = std::log(100.0);
  const double mean = 9.9 / log_ratio;
  const double mean_sq = 99.99 / (2.0 * log_ratio);
  const double mean_cubed = 999.999 / (3.0 * log_ratio);
  const double side = std::cbrt((2.0 * mean_cubed + 6.0 * mean_sq * mean) / 6.0 * static_cast<double>(count));
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = 0.1 * std::exp(random.uniform(0.0, log_ratio));
    boxes.push_back(detail::box_at(random.vector(0.0, side), size));
  }
  return detail::all_moving(std::move(boxes), {Vector3d::Constant(-10.0), Vector3d::Constant(side + 10.0)}, 0.01);
}

/// Stresses fixed boxes: one in a hundred moves, by its whole size, among fixed ones.
inline DriftingBoxes movers_among_fixed(std::size_t count, std::uint64_t seed) {
  DriftingBoxes scene = uniform_cloud(count, 1.0, seed);
  scene.movers.resize(std::max<std::size_t>(count / 100, 1));
  for (std::size_t id = scene.movers.size(); id < count; ++id) scene.motions[id] = Motion::fixed;
  return scene;
}

/// Stresses touching stacks: towers of up to 100 cubes, jittering by a hundredth of their size.
inline DriftingBoxes towers(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  const std::size_t tower_count = (count + 99) / 100;
  const double side = 2.5 * std::sqrt(static_cast<double>(tower_count));
  std::vector<Aabb> boxes;
  Vector3d foot = Vector3d::Zero();
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 100 == 0) foot = {random.uniform(0.0, side), random.uniform(0.0, side), 0.5};
    boxes.push_back(detail::box_at(foot + Vector3d(0.0, 0.0, static_cast<double>(i % 100)), 1.01));
  }
  detail::shuffle(boxes, random);
  return detail::all_moving(std::move(boxes), {{-2.0, -2.0, -1.0}, {side + 2.0, side + 2.0, 102.0}}, 0.01);
}

}  // namespace abut::test
