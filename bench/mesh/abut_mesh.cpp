// abut as one of the libraries that bench_mesh measures.
#include <abut/core/shapes/mesh_adjacency.h>
#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/cast/ray_mesh.h>
#include <abut/narrowphase/composite_contacts.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/manifold/contact_manifold.h>
#include <abut/narrowphase/mesh_solid.h>

#include <limits>
#include <optional>

#include "mesh_peer.h"

namespace abut::bench {
namespace {

class AbutMeshes : public MeshPeer {
 public:
  explicit AbutMeshes(TreeKind tree) : tree_(tree) {}

  [[nodiscard]] std::string name() const override { return tree_ == TreeKind::obb ? "abut obb" : "abut aabb"; }
  void add(const MeshData& mesh) override { shapes_.emplace_back(TriangleMesh(mesh.vertices, mesh.triangles, tree_)); }
  [[nodiscard]] std::size_t tree_bytes(std::size_t mesh) const override {
    return mesh_of(mesh).tree().memory() + mesh_of(mesh).adjacency().memory();
  }
  void set_body(const Shape& body) override { body_ = body; }

  [[nodiscard]] bool has_pairs() const override { return true; }
  bool collide(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    return collides(shapes_[a], Pose(), shapes_[b], a_from_b);
  }
  [[nodiscard]] bool has_distance() const override { return true; }
  double distance(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    return abut::distance(shapes_[a], Pose(), shapes_[b], a_from_b).distance;
  }
  [[nodiscard]] bool has_contacts() const override { return true; }
  std::size_t contacts(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    all_contacts(shapes_[a], Pose(), shapes_[b], a_from_b, 0.0, contacts_);
    return contacts_.size();
  }
  [[nodiscard]] bool has_bodies() const override { return true; }
  bool collide_body(std::size_t mesh, const Pose& mesh_from_body) override {
    return collides(shapes_[mesh], Pose(), *body_, mesh_from_body);
  }
  [[nodiscard]] bool has_body_distances() const override { return true; }
  double distance_body(std::size_t mesh, const Pose& mesh_from_body) override {
    return abut::distance(shapes_[mesh], Pose(), *body_, mesh_from_body).distance;
  }
  [[nodiscard]] bool has_manifolds() const override { return true; }
  std::size_t manifold_body(std::size_t mesh, const Pose& mesh_from_body, double max_distance) override {
    const Separation separation = abut::distance(shapes_[mesh], Pose(), *body_, mesh_from_body);
    return contact_manifold(shapes_[mesh], Pose(), *body_, mesh_from_body, separation, {.max_distance = max_distance})
        .points()
        .size();
  }
  [[nodiscard]] bool has_rays() const override { return true; }
  double cast(std::size_t mesh, const Ray& ray) override {
    const std::optional<MeshHit> hit = first_hit(mesh_of(mesh), ray.origin, ray.direction);
    return hit ? hit->t : std::numeric_limits<double>::infinity();
  }
  bool meets(std::size_t mesh, const Ray& ray) override { return any_hit(mesh_of(mesh), ray.origin, ray.direction); }
  [[nodiscard]] bool has_nearest() const override { return true; }
  double nearest(std::size_t mesh, const Vector3d& point) override {
    const std::optional<NearestOnMesh> found = nearest_on_mesh(mesh_of(mesh), point);
    return found ? found->distance : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] bool has_refit() const override { return true; }
  void refit(std::size_t mesh, const std::vector<Vector3d>& vertices) override {
    shapes_[mesh] = Shape(mesh_of(mesh).with_vertices(vertices));
  }

 private:
  [[nodiscard]] const TriangleMesh& mesh_of(std::size_t mesh) const { return *shapes_[mesh].get_if<TriangleMesh>(); }

  TreeKind tree_;
  std::vector<Shape> shapes_;
  std::optional<Shape> body_;
  std::vector<CompositeContact> contacts_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_abut(TreeKind tree) {
  return std::make_unique<AbutMeshes>(tree);
}

}  // namespace abut::bench
