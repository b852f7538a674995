#include "generated_scene.h"

#include <support/random.h>
#include <support/random_shapes.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "container.h"
#include "table.h"

namespace abut::demo {
namespace {

using samples::Random;
using samples::ShapeKind;

constexpr double kBodySize = 0.15;        // roughly the radius of a body, metres
constexpr double kRoomPerBody = 0.03;     // cubic metres; less makes the bodies touch more
constexpr double kHeightToSide = 1.2;     // of the container
constexpr double kTimeStep = 0.01;        // seconds
constexpr double kContactMargin = 0.001;  // metres
constexpr int kHillCells = 12;            // along each side of the container

Shape dumbbell(double size) {
  std::vector<CompoundChild> children{{Capsule(0.15 * size, 0.6 * size), Pose()}};
  for (const double end : {-0.7, 0.7}) children.push_back({Sphere(0.35 * size), Pose(Vector3d(0.0, 0.0, end * size))});
  return Compound(std::move(children));
}

// A top with a leg below each corner; it stands on z = 0.
Shape table(double half_side, double height) {
  const double leg = 0.08 * half_side;
  const double half_length = 0.5 * height;
  std::vector<CompoundChild> children{
      {Box(Vector3d(half_side, half_side, leg)), Pose(Vector3d(0.0, 0.0, height - leg))}};
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) {
      const Vector3d place(x * (half_side - leg), y * (half_side - leg), half_length);
      children.push_back({Cylinder(leg, half_length), Pose(place)});
    }
  }
  return Compound(std::move(children));
}

struct Kind {
  const char* name;
  Shape (*make)(Random& random);
};

template <ShapeKind kind>
Shape random_of(Random& random) {
  return samples::random_shape(kind, kBodySize, random);
}

constexpr std::array<Kind, 14> kKinds{{
    {"sphere", random_of<ShapeKind::sphere>},
    {"box", random_of<ShapeKind::box>},
    {"capsule", random_of<ShapeKind::capsule>},
    {"hull", random_of<ShapeKind::convex_hull>},
    {"cylinder", random_of<ShapeKind::cylinder>},
    {"cone", random_of<ShapeKind::cone>},
    {"ellipsoid", random_of<ShapeKind::ellipsoid>},
    {"superquadric", random_of<ShapeKind::superquadric>},
    {"plate", random_of<ShapeKind::padded_polygon>},
    {"smooth hull", random_of<ShapeKind::smooth_hull>},
    {"spool", random_of<ShapeKind::smooth_revolution>},
    {"L mesh", random_of<ShapeKind::mesh>},
    {"dumbbell", [](Random& random) { return dumbbell(kBodySize * random.uniform(0.6, 1.0)); }},
    {"stool", [](Random& random) { return table(0.5 * kBodySize, kBodySize * random.uniform(0.7, 1.3)); }},
}};

Container container_for(std::size_t bodies) {
  const double side = std::cbrt(kRoomPerBody * static_cast<double>(bodies) / kHeightToSide);
  const double least = 8.0 * kBodySize;  // a few bodies should have room for turning, and the table for standing
  const double used = std::max(side, least);
  return {.half_side = 0.5 * used, .height = kHeightToSide * used};
}

void add_furniture(const Container& container, Random& random, SceneDescription& description) {
  const auto add = [&](const char* name, const Shape& shape, const Vector3d& place) {
    SceneBody body{.name = name, .body = {.shape = shape, .pose = Pose(place), .motion = Motion::fixed, .filter = {}}};
    description.bodies.push_back(std::move(body));
  };
  const double spacing = 2.0 * container.half_side / kHillCells;
  add("ground", samples::hills(kHillCells, spacing, 0.5 * kBodySize, random),
      Vector3d(-container.half_side, -container.half_side, 0.0));
  add("table", table(0.3 * container.half_side, 0.3 * container.height), Vector3d::Zero());
}

}  // namespace

DemoScene generate_scene(const GeneratedSceneOptions& options) {
  Random random(options.seed);
  const Container container = container_for(options.bodies);
  DemoScene scene;
  scene.description.settings.contact_margin = kContactMargin;
  scene.description.time_step = kTimeStep;
  scene.frame_count = options.frames;
  add_floor_and_walls(container, scene.description);
  add_furniture(container, random, scene.description);

  const std::size_t first_body = scene.description.bodies.size();
  std::vector<BouncingPath> paths;
  for (std::size_t i = 0; i < options.bodies; ++i) {
    const Kind& kind = kKinds[i % kKinds.size()];
    const Shape shape = kind.make(random);
    paths.emplace_back(shape, container, random);
    SceneBody body{.name = std::string(kind.name) + ' ' + std::to_string(i / kKinds.size() + 1),
                   .body = {.shape = shape, .pose = paths.back().at(0.0), .motion = Motion::moving, .filter = {}}};
    scene.description.bodies.push_back(std::move(body));
  }
  scene.motion = along_paths(std::move(paths), first_body, kTimeStep);

  const std::string side = significant(2.0 * container.half_side, 3);
  scene.introduction.push_back("generated with seed " + std::to_string(options.seed) + ", in a container of " + side +
                               " x " + side + " x " + significant(container.height, 3) + " m");
  return scene;
}

}  // namespace abut::demo
