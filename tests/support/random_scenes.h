// Scenes of mixed bodies on closed paths, for tests, benches and demos: the same seed gives the same scene.
#pragma once

#include <abut/world/body.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace abut::samples {

/// A closed path around a start: an oscillation along each axis and whole turns about one axis.
struct Path {
  Pose start;
  Vector3d amplitude = Vector3d::Zero();  ///< Metres.
  Vector3d offset = Vector3d::Zero();     ///< Of each oscillation, as a fraction of the period.
  Vector3d axis = Vector3d::UnitZ();      ///< Unit, world.
  int turns = 0;                          ///< In one period.

  /// @param phase  Fraction of the period; whole numbers give the same pose up to rounding.
  [[nodiscard]] Pose at(double phase) const {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    Vector3d shift;
    for (int i = 0; i < 3; ++i) {
      shift[i] = amplitude[i] * (std::sin(kTurn * (phase + offset[i])) - std::sin(kTurn * offset[i]));
    }
    const Quaterniond turn(Eigen::AngleAxisd(kTurn * turns * phase, axis));
    return Pose(start.translation() + shift, turn * start.quaternion());
  }
};

struct MovingScene {
  std::vector<BodyDescription> bodies;
  std::vector<Path> paths;  ///< One a body; a fixed body's path stands still.

  /// Poses of all bodies at frame `frame` of a period of `period` frames.
  [[nodiscard]] std::vector<Pose> poses(std::size_t frame, std::size_t period) const {
    const double phase = static_cast<double>(frame % period) / static_cast<double>(period);
    std::vector<Pose> result;
    result.reserve(paths.size());
    for (const Path& path : paths) result.push_back(path.at(phase));
    return result;
  }
};

struct MixedSceneOptions {
  int count = 100;              ///< Bodies on the lattice, of every kind in turn.
  double size = 0.1;            ///< Roughly the radius of a body, metres.
  double spacing = 0.2;         ///< Of the lattice on which they start, metres.
  double wander = 0.02;         ///< Largest amplitude of their paths, metres.
  double fixed_fraction = 0.1;  ///< So many of them do not move.
  int shapes_per_kind = 4;      ///< Bodies share shapes, as in most programs.
  bool with_ground = true;      ///< Adds a fixed half-space and a fixed height field below.
  std::uint64_t seed = 1;
};

/// Bodies of all kinds on a cubic lattice above z = 0, each wandering about its place.
inline MovingScene mixed_scene(const MixedSceneOptions& options) {
  Random random(options.seed);
  std::vector<Shape> shapes;
  for (int i = 0; i < options.shapes_per_kind; ++i) {
    for (std::uint32_t kind = 0; kind < kShapeKinds; ++kind) {
      shapes.push_back(random_shape(static_cast<ShapeKind>(kind), options.size, random));
    }
  }

  MovingScene scene;
  const int side = static_cast<int>(std::ceil(std::cbrt(options.count)));
  const double half_side = 0.5 * options.spacing * side;
  for (int i = 0; i < options.count; ++i) {
    const Vector3d place(i % side, i / side % side, i / (side * side));
    const Vector3d corner(-half_side, -half_side, 0.0);
    const Vector3d jitter = random.vector(-0.2 * options.spacing, 0.2 * options.spacing);
    Path path;
    path.start = Pose(corner + options.spacing * place + jitter, random.rotation());
    const bool fixed = random.chance(options.fixed_fraction);
    if (!fixed) {
      path.amplitude = random.vector(-options.wander, options.wander);
      path.offset = random.vector(0.0, 1.0);
      path.axis = random.direction();
      path.turns = static_cast<int>(random.below(3)) - 1;
    }
    scene.bodies.push_back({.shape = shapes[static_cast<std::size_t>(i) % shapes.size()],
                            .pose = path.start,
                            .motion = fixed ? Motion::fixed : Motion::moving,
                            .filter = {}});
    scene.paths.push_back(path);
  }
  if (options.with_ground) {
    const int cells = 2 * side;
    const Pose field_pose(Vector3d(-half_side, -half_side, -0.5 * options.size));
    const std::vector<BodyDescription> ground{
        {.shape = HalfSpace(Vector3d::UnitZ(), -options.size), .pose = Pose(), .motion = Motion::fixed, .filter = {}},
        {.shape = hills(cells, 0.5 * options.spacing, 0.3 * options.size, random),
         .pose = field_pose,
         .motion = Motion::fixed,
         .filter = {}}};
    for (const BodyDescription& body : ground) {
      scene.bodies.push_back(body);
      scene.paths.push_back({.start = body.pose});
    }
  }
  return scene;
}

/// Bodies packed so densely that most touch a few others and stay in touch: a pile that is being shaken.
inline MovingScene pile(int count, std::uint64_t seed = 1) {
  return mixed_scene({.count = count, .size = 0.1, .spacing = 0.14, .wander = 0.01, .seed = seed});
}

/// Bodies far enough apart that most are alone, moving through each other's places.
inline MovingScene drift(int count, std::uint64_t seed = 1) {
  return mixed_scene({.count = count, .size = 0.1, .spacing = 0.3, .wander = 0.3, .seed = seed});
}

}  // namespace abut::samples
