// First steps: a table, a mug as the convex hull of its points, and what touches when the mug is set down.
#include <abut/world/scene.h>

#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

// Two rings of 24 points: a mug 10 cm high and 8 cm wide, its bottom at z = 0 in its own frame.
std::vector<abut::Vector3d> mug_points() {
  std::vector<abut::Vector3d> points;
  for (int i = 0; i < 24; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 24;
    for (const double z : {0.0, 0.1}) points.emplace_back(0.04 * std::cos(angle), 0.04 * std::sin(angle), z);
  }
  return points;
}

int main() {
  abut::Scene scene;
  scene.add({.shape = abut::Box({0.6, 0.4, 0.02}), .motion = abut::Motion::fixed});
  const abut::BodyId mug = scene.add({.shape = abut::ConvexHull::from_points(mug_points())});
  for (const double height : {0.05, 0.019}) {
    scene.set_pose(mug, abut::Pose({0.1, 0.0, height}));
    scene.step();
    std::cout << "mug at " << height << " m: " << scene.contacts().size() << " contacts\n";
    for (const abut::Contact& contact : scene.contacts()) {
      std::cout << "  distance " << contact.distance << " m, normal " << contact.normal.transpose() << '\n';
      for (const abut::ContactPoint& point : contact.points())
        std::cout << "  at " << point.point_a.transpose() << '\n';
    }
  }
}
