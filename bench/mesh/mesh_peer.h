// What bench_mesh asks of a library: the same questions about the same meshes and poses.
#pragma once

#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/core/shapes/triangle_mesh.h>

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace abut::bench {

struct MeshData {
  std::string name;
  std::vector<Vector3d> vertices;
  std::vector<TriangleMesh::Indices> triangles;
};

struct Ray {
  Vector3d origin;
  Vector3d direction;
};

/// One library with its own copies of the geometry. Meshes are known by their place among those given.
class MeshPeer {
 public:
  virtual ~MeshPeer() = default;
  [[nodiscard]] virtual std::string name() const = 0;

  /// Adds a mesh; the time of this call is the time of the build.
  virtual void add(const MeshData& mesh) = 0;
  /// Bytes of the tree of a mesh and of what it knows of neighbours, 0 where that is not known.
  [[nodiscard]] virtual std::size_t tree_bytes(std::size_t /*mesh*/) const { return 0; }
  /// Makes this the body of later questions: a sphere, capsule, box, cylinder or convex hull.
  virtual void set_body(const Shape& /*body*/) {}

  // Questions; a library that has no answer to one says so.
  [[nodiscard]] virtual bool has_pairs() const { return false; }
  virtual bool collide(std::size_t /*a*/, std::size_t /*b*/, const Pose& /*a_from_b*/) { return false; }
  [[nodiscard]] virtual bool has_distance() const { return false; }
  virtual double distance(std::size_t /*a*/, std::size_t /*b*/, const Pose& /*a_from_b*/) { return 0.0; }
  [[nodiscard]] virtual bool has_contacts() const { return false; }
  virtual std::size_t contacts(std::size_t /*a*/, std::size_t /*b*/, const Pose& /*a_from_b*/) { return 0; }
  [[nodiscard]] virtual bool has_bodies() const { return false; }
  virtual bool collide_body(std::size_t /*mesh*/, const Pose& /*mesh_from_body*/) { return false; }
  [[nodiscard]] virtual bool has_body_distances() const { return false; }
  /// The distance of the body from a mesh; below 0, or 0 in some libraries, where they overlap.
  virtual double distance_body(std::size_t /*mesh*/, const Pose& /*mesh_from_body*/) { return 0.0; }
  [[nodiscard]] virtual bool has_manifolds() const { return false; }
  /// How many points the contact of the body and a mesh has, metres apart at most where the library knows of a margin.
  virtual std::size_t manifold_body(std::size_t /*mesh*/, const Pose& /*mesh_from_body*/, double /*max_distance*/) {
    return 0;
  }
  [[nodiscard]] virtual bool has_rays() const { return false; }
  /// The parameter of the nearest hit; infinite where there is none.
  virtual double cast(std::size_t /*mesh*/, const Ray& /*ray*/) { return 0.0; }
  /// Whether there is a hit.
  virtual bool meets(std::size_t mesh, const Ray& ray) { return std::isfinite(cast(mesh, ray)); }
  [[nodiscard]] virtual bool has_nearest() const { return false; }
  /// The distance of a point from the surface.
  virtual double nearest(std::size_t /*mesh*/, const Vector3d& /*point*/) { return 0.0; }
  [[nodiscard]] virtual bool has_refit() const { return false; }
  /// Gives a mesh other vertices and keeps the structure of its tree.
  virtual void refit(std::size_t /*mesh*/, const std::vector<Vector3d>& /*vertices*/) {}
};

std::unique_ptr<MeshPeer> make_abut(TreeKind tree);
std::unique_ptr<MeshPeer> make_fcl();
std::unique_ptr<MeshPeer> make_coal();
/// @param threads  For builds.
std::unique_ptr<MeshPeer> make_embree(int threads);
std::unique_ptr<MeshPeer> make_bullet();
std::unique_ptr<MeshPeer> make_cgal();

}  // namespace abut::bench
