#include "mesh_scene.h"

#include <abut/io/file_error.h>
#include <abut/io/mesh_file.h>
#include <support/random.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "container.h"
#include "table.h"

namespace abut::demo {
namespace {

constexpr double kRoomPerMesh = 8.0;       // cubes of half the mesh's longest side
constexpr double kMeshHeightToSide = 1.2;  // of the container
constexpr double kMarginFraction = 0.005;  // contact margin over half the mesh's longest side
constexpr double kFramesPerFall = 80.0;    // from the container's height; sets the time step, for meshes of any size

std::string size_text(const Vector3d& size) {
  return significant(size.x(), 3) + " x " + significant(size.y(), 3) + " x " + significant(size.z(), 3) + " m";
}

std::vector<std::string> introduction(const MeshSceneOptions& options, const MeshFile& mesh, const ConvexHull& hull,
                                      const Container& container) {
  const char* dimensions[] = {"a point", "a segment", "flat", "solid"};
  const Vector3d inside(2.0 * container.half_side, 2.0 * container.half_side, container.height);
  return {options.file.string() + ": " + std::to_string(mesh.vertices.size()) + " vertices, " +
              std::to_string(mesh.triangles.size()) + " triangles",
          "its convex hull: " + std::to_string(hull.vertices().size()) + " vertices, " +
              std::to_string(hull.triangles().size()) + " triangles, size " +
              size_text(2.0 * hull.aabb().half_extents()) + ", " + dimensions[hull.dimension()],
          std::string("dropped as ") + (options.surface ? "triangle surfaces" : "convex hulls") + " with seed " +
              std::to_string(options.seed) + ", in a container of " + size_text(inside)};
}

}  // namespace

DemoScene drop_mesh(const MeshSceneOptions& options) {
  MeshFile mesh = read_mesh_file(options.file, options.surface ? MeshContent::triangles : MeshContent::vertices);
  const ConvexHull hull = ConvexHull::from_points(mesh.vertices);
  const double half_size = obb(hull).half_extents.maxCoeff();
  if (!(half_size > 0.0)) throw FileError(options.file, "all its vertices are one point; there is nothing to drop");

  const double side = half_size * std::max(std::cbrt(kRoomPerMesh * static_cast<double>(options.copies)), 6.0);
  const Container container{.half_side = 0.5 * side, .height = kMeshHeightToSide * side};
  DemoScene scene;
  scene.introduction = introduction(options, mesh, hull, container);
  scene.description.settings.contact_margin = kMarginFraction * half_size;
  scene.description.time_step = container.fall_time() / kFramesPerFall;
  scene.frame_count = options.frames;
  add_floor_and_walls(container, scene.description);

  const Shape shape =
      options.surface ? Shape(TriangleMesh(std::move(mesh.vertices), std::move(mesh.triangles))) : Shape(hull);
  const std::string name = options.file.stem().string();
  const std::size_t first_body = scene.description.bodies.size();
  samples::Random random(options.seed);
  std::vector<BouncingPath> paths;
  for (std::size_t i = 0; i < options.copies; ++i) {
    paths.emplace_back(shape, container, random);
    SceneBody body{.name = name + " " + std::to_string(i + 1),
                   .body = {.shape = shape, .pose = paths.back().at(0.0), .motion = Motion::moving, .filter = {}}};
    scene.description.bodies.push_back(std::move(body));
  }
  scene.motion = along_paths(std::move(paths), first_body, scene.description.time_step);
  return scene;
}

}  // namespace abut::demo
