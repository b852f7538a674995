// A small snapshot to be altered, and the checksum that makes altered bytes pass as whole.
#pragma once

#include <abut/core/byte_stream.h>
#include <abut/world/snapshot.h>
#include <support/random.h>
#include <support/random_shapes.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::fuzz {

using Bytes = std::vector<std::byte>;

/// A small scene with something in every part of a snapshot.
inline Bytes small_snapshot() {
  samples::Random random(9);
  Scene scene({.contact_margin = 0.1});
  const BodyId a = scene.add({.shape = Shape(samples::random_hull(12, 0.5, random), 0.01)});
  const TriangleMesh mesh = samples::l_mesh(0.5);
  std::vector<Vector3d> deformed(mesh.vertices().begin(), mesh.vertices().end());
  for (Vector3d& vertex : deformed) vertex.z() += 0.1 * vertex.x();
  const BodyId b = scene.add({.shape = mesh.with_vertices(deformed)});
  const BodyId c = scene.add({.shape = Compound({{Cylinder(0.4, 0.5), Pose(Vector3d(0.1, 0, 0))}})});
  const BodyId d = scene.add({.shape = samples::hills(2, 0.5, 0.1, random)});
  scene.add({.shape = SmoothHull({{0.5, 0, 0}, {0, 0.5, 0}, {-0.5, -0.5, 0.5}, {0, 0, -0.5}}, 10.0)});
  scene.add({.shape = HalfSpace({0, 1, 1}, -0.5), .motion = Motion::fixed, .is_sensor = true});
  scene.remove(scene.add({.shape = Sphere(1.0)}));
  scene.ignore_pair(a, b);
  scene.step();
  scene.set_shape(c, Cone(0.5, 0.5));
  scene.remove(d);
  return save(scene);
}

/// Of bodies in touch that have rested for a step, but for one.
inline Bytes resting_snapshot() {
  Scene scene({.contact_margin = 0.01});
  for (int i = 0; i < 4; ++i) {
    scene.add({.shape = i == 2 ? Shape(Sphere(0.5)) : Shape(Box({0.5, 0.5, 0.5})), .pose = Pose(Vector3d(i, 0, 0))});
  }
  scene.step();
  scene.step();
  scene.set_pose(scene.bodies()[3], Pose(Vector3d(2.99, 0, 0)));
  return save(scene);
}

/// With a checksum that fits, so that the checks behind it are met.
inline Bytes signed_again(const Bytes& bytes) {
  const std::size_t end = bytes.size() - sizeof(std::uint64_t);
  ByteWriter out;
  out.write_bytes(std::span(bytes).first(end));
  out.write(checksum(out.bytes()));
  return out.take();
}

}  // namespace abut::fuzz
