// A grid or a packed tree of boxes finds the candidates, the filter of cores settles most of them, the exact answer the
// rest.
//
// Measured (bench_planar_batch: a car at 10 000 poses among 300 obstacles spread evenly, a quarter of the poses hit):
// 75 ns a pose with the tree alone, about 40 with the grid, 1600 and more as a loop over all. The grid wins where it
// can be used, and the tree answers for crowds, for footprints over many cells and for the nearest obstacle, about 250
// ns along a path and 550 at random poses, most of them the one or two exact distances that are left.
#include <abut/core/error.h>
#include <abut/narrowphase/planar/box_grid.h>
#include <abut/narrowphase/planar/core_filter.h>
#include <abut/narrowphase/planar/obstacle_index.h>
#include <abut/narrowphase/planar/packed_box_tree.h>
#include <abut/narrowphase/planar/planar_distance.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace abut::planar {
namespace {

using detail::Box2;
using detail::FixedCore;
using detail::FloatBox;
using detail::Verdict;

Box2 box_of(const Obstacle& obstacle, const FixedCore& core) {
  const Shape& shape = obstacle.shape;
  Box2 box{core.center, core.center};
  for (const Vector2d& corner : shape.corners()) {
    const Vector2d place = core.center + obstacle.world_from_obstacle.rotate(corner - shape.outline().center());
    box.lower = box.lower.cwiseMin(place);
    box.upper = box.upper.cwiseMax(place);
  }
  const Vector2d border = Vector2d::Constant(shape.radius() + static_cast<double>(core.slack));
  return {box.lower - border, box.upper + border};
}

void require_margin(double security_margin) {
  require_not_negative("security_margin", security_margin);
}

void require_bound(double upper_bound) {
  if (std::isnan(upper_bound)) throw InvalidInput("upper_bound", "must not be NaN", upper_bound);
}

void require_one_a_pose(std::string_view field, std::size_t size, std::size_t poses) {
  if (size != poses) {
    throw InvalidInput(std::string(field), "must have one element a pose, " + std::to_string(poses),
                       static_cast<double>(size));
  }
}

}  // namespace

// All in the order of the tree's leaves.
struct ObstacleIndex::Table {
  explicit Table(std::span<const Obstacle> all) : Table(all, boxes_of(all)) {}

  Table(std::span<const Obstacle> all, std::span<const Box2> boxes) : tree(boxes) {
    std::vector<FloatBox> seen;
    for (const std::uint32_t number : tree.items()) {
      obstacles.push_back(all[number]);
      cores.push_back(detail::fixed_core(all[number].shape, all[number].world_from_obstacle, blocks));
      seen.push_back(tree.seen_from_origin(boxes[number]));
    }
    grid = detail::BoxGrid(seen);
  }

  static std::vector<Box2> boxes_of(std::span<const Obstacle> all) {
    if (all.size() >= kNoObstacle) {
      throw InvalidInput("obstacles", "must be fewer than 2^32 - 1", static_cast<double>(all.size()));
    }
    detail::SideBlocks blocks;
    std::vector<Box2> boxes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Obstacle& obstacle = all[i];
      const Pose& pose = obstacle.world_from_obstacle;
      if (!(pose.translation.allFinite() && std::isfinite(pose.cos) && std::isfinite(pose.sin))) {
        throw InvalidInput("obstacles[" + std::to_string(i) + "].world_from_obstacle", "must be finite");
      }
      boxes.push_back(box_of(obstacle, detail::fixed_core(obstacle.shape, obstacle.world_from_obstacle, blocks)));
    }
    return boxes;
  }

  detail::PackedBoxTree tree;
  detail::BoxGrid grid;
  std::vector<Obstacle> obstacles;
  std::vector<FixedCore> cores;
  std::vector<detail::SideBlock> blocks;
};

// What a footprint asks at its poses.
class ObstacleIndex::Query {
 public:
  Query(const Table& table, const Shape& footprint) : table_(table), footprint_(footprint), moving_(footprint) {}

  [[nodiscard]] bool collides(const Pose& pose, double security_margin) const {
    Placed placed(moving_, pose);
    return find_touching(box_of(placed, security_margin),
                         [&](std::uint32_t position) { return hits(position, placed, security_margin); });
  }

  [[nodiscard]] std::uint32_t first_hit(const Pose& pose, double security_margin) const {
    Placed placed(moving_, pose);
    const std::span<const std::uint32_t> numbers = table_.tree.items();
    std::uint32_t first = kNoObstacle;
    find_touching(box_of(placed, security_margin), [&](std::uint32_t position) {
      if (numbers[position] < first && hits(position, placed, security_margin)) first = numbers[position];
      return false;
    });
    return first;
  }

  /// Where the pose is near that of the last call, the nearest obstacle of then is tried first: it bounds the search.
  [[nodiscard]] Clearance clearance(const Pose& pose, double upper_bound) {
    Placed placed(moving_, pose);
    const Vector2d step = placed.discs.center - last_center_;
    const auto reach = static_cast<double>(placed.discs.reach);
    const std::uint32_t tried = step.squaredNorm() <= reach * reach ? nearest_ : kNoObstacle;
    last_center_ = placed.discs.center;
    Clearance best{upper_bound, kNoObstacle};
    if (tried != kNoObstacle) improve(best, tried, placed);
    table_.tree.find_near(
        box_of(placed, 0.0), [&best] { return best.distance; },
        [&](std::uint32_t position) {
          if (position != tried) improve(best, position, placed);
        });
    return best;
  }

 private:
  // The sides are placed where some obstacle's discs ask for them.
  struct Placed {
    Placed(const detail::MovingCore& moving, const Pose& world_from_shape)
        : core(moving), pose(world_from_shape), discs(moving.discs_at(world_from_shape)) {}

    template <bool kProvesOverlap>
    Verdict filter(const Table& table, const FixedCore& fixed, double limit) {
      const float most = detail::filter_limit(limit);
      const Verdict verdict = detail::filter_discs(discs, fixed, most);
      if (verdict != Verdict::unsure) return verdict;
      if (!has_sides) sides = core.sides_at(pose);
      has_sides = true;
      return detail::filter_sides<kProvesOverlap>(discs, sides, fixed, table.blocks.data(), most);
    }

    const detail::MovingCore& core;
    const Pose& pose;
    detail::PlacedDiscs discs;
    bool has_sides = false;
    detail::PlacedSides sides;
  };

  template <class Visit>
  bool find_touching(const FloatBox& box, Visit&& visit) const {
    return table_.grid.is_for(box) ? table_.grid.find_touching(box, visit) : table_.tree.find_touching(box, visit);
  }

  [[nodiscard]] FloatBox box_of(const Placed& placed, double security_margin) const {
    const double border =
        (footprint_.radius() + security_margin) * (1.0 + 0x1p-50) + static_cast<double>(placed.discs.slack);
    const Vector2d half = moving_.half_extents_at(placed.pose);
    // One number at a time: they were just stored so, and a load of both would wait for the two stores.
    const double x = placed.discs.center.x();
    const double y = placed.discs.center.y();
    const double half_x = half.x() + border;
    const double half_y = half.y() + border;
    return table_.tree.seen_from_origin({{x - half_x, y - half_y}, {x + half_x, y + half_y}});
  }

  [[nodiscard]] bool hits(std::uint32_t position, Placed& placed, double security_margin) const {
    const FixedCore& core = table_.cores[position];
    const Verdict verdict = placed.filter<true>(table_, core, footprint_.radius() + core.radius + security_margin);
    if (verdict != Verdict::unsure) return verdict == Verdict::overlapping;
    const Obstacle& obstacle = table_.obstacles[position];
    return planar::collides(footprint_, placed.pose, obstacle.shape, obstacle.world_from_obstacle, security_margin);
  }

  void improve(Clearance& best, std::uint32_t position, Placed& placed) {
    const FixedCore& core = table_.cores[position];
    const double limit = std::max(best.distance, 0.0) + (footprint_.radius() + core.radius);
    if (placed.filter<false>(table_, core, limit) == Verdict::apart) return;
    const Obstacle& obstacle = table_.obstacles[position];
    const double found = distance(footprint_, placed.pose, obstacle.shape, obstacle.world_from_obstacle);
    const std::uint32_t number = table_.tree.items()[position];
    if (found > best.distance || (found == best.distance && number >= best.obstacle)) return;
    best = {found, number};
    nearest_ = position;
  }

  const Table& table_;
  const Shape& footprint_;
  detail::MovingCore moving_;
  std::uint32_t nearest_ = kNoObstacle;  // a position
  Vector2d last_center_ = Vector2d::Zero();
};

ObstacleIndex::ObstacleIndex(std::span<const Obstacle> obstacles) : table_(std::make_shared<const Table>(obstacles)) {}

std::size_t ObstacleIndex::size() const {
  return table_->obstacles.size();
}

bool ObstacleIndex::collides(const Shape& footprint, const Pose& world_from_footprint, double security_margin) const {
  require_margin(security_margin);
  return Query(*table_, footprint).collides(world_from_footprint, security_margin);
}

std::uint32_t ObstacleIndex::first_hit(const Shape& footprint, const Pose& world_from_footprint,
                                       double security_margin) const {
  require_margin(security_margin);
  return Query(*table_, footprint).first_hit(world_from_footprint, security_margin);
}

Clearance ObstacleIndex::clearance(const Shape& footprint, const Pose& world_from_footprint, double upper_bound) const {
  require_bound(upper_bound);
  return Query(*table_, footprint).clearance(world_from_footprint, upper_bound);
}

void ObstacleIndex::collides(const Shape& footprint, std::span<const Pose> world_from_footprint,
                             std::span<std::uint8_t> answers, double security_margin) const {
  require_margin(security_margin);
  require_one_a_pose("answers", answers.size(), world_from_footprint.size());
  const Query query(*table_, footprint);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i] = query.collides(world_from_footprint[i], security_margin) ? 1 : 0;
  }
}

void ObstacleIndex::first_hits(const Shape& footprint, std::span<const Pose> world_from_footprint,
                               std::span<std::uint32_t> hits, double security_margin) const {
  require_margin(security_margin);
  require_one_a_pose("hits", hits.size(), world_from_footprint.size());
  const Query query(*table_, footprint);
  for (std::size_t i = 0; i < hits.size(); ++i) hits[i] = query.first_hit(world_from_footprint[i], security_margin);
}

void ObstacleIndex::clearances(const Shape& footprint, std::span<const Pose> world_from_footprint,
                               std::span<Clearance> clearances, double upper_bound) const {
  require_bound(upper_bound);
  require_one_a_pose("clearances", clearances.size(), world_from_footprint.size());
  Query query(*table_, footprint);
  for (std::size_t i = 0; i < clearances.size(); ++i) {
    clearances[i] = query.clearance(world_from_footprint[i], upper_bound);
  }
}

}  // namespace abut::planar
