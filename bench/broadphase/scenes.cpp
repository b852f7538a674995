// The scenes of the broad-phase benchmark, frame by frame.
#include "scenes.h"

#include <support/drifting_boxes.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace abut::bench {
namespace {

using test::DriftingBoxes;
using test::Random;

constexpr std::uint64_t kSeed = 1;

/// Clusters of a thousand boxes each, far apart, and one box further away than all else by a factor of a thousand.
DriftingBoxes clusters_with_outlier(std::size_t count) {
  constexpr std::size_t kClusterSize = 1000;
  Random random(kSeed);
  const std::size_t clusters = (count + kClusterSize - 1) / kClusterSize;
  const double side = std::cbrt(8.0 / 6.0 * static_cast<double>(kClusterSize));
  const double spread = 100.0 * std::cbrt(static_cast<double>(clusters));
  std::vector<Vector3d> corners;
  for (std::size_t k = 0; k < clusters; ++k) corners.push_back(random.vector(0.0, spread));
  std::vector<Aabb> boxes;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    boxes.push_back(test::detail::box_at(corners[i % clusters] + random.vector(0.0, side), 1.0));
  }
  boxes.push_back(test::detail::box_at(Vector3d::Constant(1000.0 * spread), 1.0));
  Aabb room{Vector3d::Constant(-1e9), Vector3d::Constant(1e9)};
  return test::detail::all_moving(std::move(boxes), room, 0.01);
}

/// Interleaves the bits of three numbers of ten bits.
std::uint32_t interleave(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  std::uint32_t code = 0;
  for (unsigned bit = 0; bit < 10; ++bit) {
    code |= (x >> bit & 1U) << (3 * bit) | (y >> bit & 1U) << (3 * bit + 1) | (z >> bit & 1U) << (3 * bit + 2);
  }
  return code;
}

/// Gives the ids along a space-filling curve.
void make_coherent(DriftingBoxes& scene) {
  Aabb all;
  for (const Aabb& box : scene.boxes) all.merge(box.center());
  const Vector3d scale = (all.upper - all.lower).cwiseMax(1e-9).cwiseInverse() * 1023.0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  for (std::uint32_t id = 0; id < scene.boxes.size(); ++id) {
    const Vector3d place = (scene.boxes[id].center() - all.lower).cwiseProduct(scale);
    order.emplace_back(interleave(static_cast<std::uint32_t>(place.x()), static_cast<std::uint32_t>(place.y()),
                                  static_cast<std::uint32_t>(place.z())),
                       id);
  }
  std::sort(order.begin(), order.end());
  DriftingBoxes sorted = scene;
  std::vector<std::uint32_t> new_id(order.size());
  for (std::uint32_t id = 0; id < order.size(); ++id) {
    new_id[order[id].second] = id;
    sorted.boxes[id] = scene.boxes[order[id].second];
    sorted.motions[id] = scene.motions[order[id].second];
  }
  for (std::uint32_t& id : sorted.movers) id = new_id[id];
  std::sort(sorted.movers.begin(), sorted.movers.end());
  scene = std::move(sorted);
}

DriftingBoxes drifting_scene(const std::string& name, std::size_t count) {
  if (name == "cloud_slow") return test::uniform_cloud(count, 0.01, kSeed);
  if (name == "cloud_fast") return test::uniform_cloud(count, 1.0, kSeed);
  if (name == "layer") return test::layer(count, kSeed);
  if (name == "sizes") return test::log_uniform_sizes(count, kSeed);
  if (name == "planner") return test::movers_among_fixed(count, kSeed);
  if (name == "towers") return test::towers(count, kSeed);
  return clusters_with_outlier(count);
}

}  // namespace

const std::vector<std::string>& scene_names() {
  static const std::vector<std::string> names = {"cloud_slow", "cloud_fast", "layer",   "sizes",
                                                 "planner",    "towers",     "clusters"};
  return names;
}

MovingScene make_scene(const std::string& name, std::size_t count, IdOrder order) {
  DriftingBoxes drifting = drifting_scene(name, count);
  if (order == IdOrder::coherent) make_coherent(drifting);
  MovingScene scene;
  scene.name = name;
  scene.boxes = drifting.boxes;
  scene.motions = drifting.motions;
  scene.movers = drifting.movers;
  // Fewer where a frame is large, to keep the frames' own memory moderate.
  const std::size_t frames = scene.movers.size() > 200000 ? 4 : 8;
  Random random(kSeed + 1);
  for (std::size_t k = 0; k < frames; ++k) {
    drifting.advance(random);
    std::vector<Aabb>& frame = scene.frames.emplace_back();
    for (const std::uint32_t id : scene.movers) frame.push_back(drifting.boxes[id]);
  }
  return scene;
}

}  // namespace abut::bench
