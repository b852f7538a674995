#include "path_check.h"

#include <abut/narrowphase/planar/planar_distance.h>

#include <algorithm>
#include <chrono>

namespace abut::driving {
namespace {

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Halves the stretch between a free pose and one that hits until doubles are as good as the same.
double first_hit_between(const ObstacleIndex& index, const Shape& footprint, const Path& path, double free, double hit,
                         double margin) {
  constexpr int kHalvings = 50;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (free + hit);
    (index.collides(footprint, path.at(middle), margin) ? hit : free) = middle;
  }
  return hit;
}

Contact contact_at(const ObstacleIndex& index, std::span<const planar::Obstacle> obstacles, const Shape& footprint,
                   const Path& path, double place) {
  Contact contact;
  contact.place = place;
  contact.pose = path.at(place);
  contact.obstacle = index.clearance(footprint, contact.pose).obstacle;
  const planar::Obstacle& obstacle = obstacles[contact.obstacle];
  const planar::Separation found =
      planar::separation(footprint, contact.pose, obstacle.shape, obstacle.world_from_obstacle);
  contact.distance = found.distance;
  contact.point = 0.5 * (found.point_a + found.point_b);
  contact.normal = found.normal;
  return contact;
}

}  // namespace

PathCheck check_path(const ObstacleIndex& index, std::span<const planar::Obstacle> obstacles, const Shape& footprint,
                     const Path& path, double step, double margin) {
  PathCheck check;
  check.poses = path.poses(step);
  const std::size_t count = check.poses.size();
  check.hits.resize(count);
  check.clearances.resize(count);
  check.collides_seconds = seconds_of([&] { index.collides(footprint, check.poses, check.hits, margin); });
  check.clearance_seconds = seconds_of([&] { index.clearances(footprint, check.poses, check.clearances); });

  check.hit_count = static_cast<std::size_t>(std::count(check.hits.begin(), check.hits.end(), 1));
  const auto is_nearer = [](const Clearance& a, const Clearance& b) { return a.distance < b.distance; };
  check.nearest_pose = static_cast<std::size_t>(
      std::min_element(check.clearances.begin(), check.clearances.end(), is_nearer) - check.clearances.begin());

  double reach = 0.0;
  for (const Vector2d& corner : footprint.corners()) reach = std::max(reach, corner.norm() + footprint.radius());
  check.is_free_throughout = check.hit_count == 0;
  for (std::size_t i = 1; i < count; ++i) {
    const double way = path.place(i, count) - path.place(i - 1, count);
    // The origin's way, and what turning adds at the farthest corner.
    const double motion = way * (1.0 + reach * path.largest_curvature());
    check.largest_motion = std::max(check.largest_motion, motion);
    // What lies between is near one of the two: at most half of the motion, on average of both, is used up.
    const double least = 0.5 * (check.clearances[i - 1].distance + check.clearances[i].distance - motion);
    check.is_free_throughout = check.is_free_throughout && least > margin;
  }

  const auto first = std::find(check.hits.begin(), check.hits.end(), std::uint8_t{1});
  if (first != check.hits.end()) {
    const auto i = static_cast<std::size_t>(first - check.hits.begin());
    const double hit = path.place(i, count);
    const double place =
        i == 0 ? hit : first_hit_between(index, footprint, path, path.place(i - 1, count), hit, margin);
    check.first_contact = contact_at(index, obstacles, footprint, path, place);
  }
  return check;
}

}  // namespace abut::driving
