// Coal's BVHModel with oriented boxes and rectangle swept spheres; with boxes along axes it copies the whole model at
// each question. One question a call, as its functions collide() and distance() are.
#include <coal/BVH/BVH_model.h>
#include <coal/collision.h>
#include <coal/distance.h>
#include <coal/shape/convex.h>
#include <coal/shape/geometric_shapes.h>

#include "mesh_peer.h"

namespace abut::bench {
namespace {

std::shared_ptr<coal::CollisionGeometry> geometry_of(const Shape& body) {
  if (const auto* sphere = body.get_if<Sphere>()) return std::make_shared<coal::Sphere>(sphere->radius());
  if (const auto* box = body.get_if<Box>()) return std::make_shared<coal::Box>(2.0 * box->half_extents());
  if (const auto* capsule = body.get_if<Capsule>()) {
    return std::make_shared<coal::Capsule>(capsule->radius(), 2.0 * capsule->half_length());
  }
  if (const auto* cylinder = body.get_if<Cylinder>()) {
    return std::make_shared<coal::Cylinder>(cylinder->radius(), 2.0 * cylinder->half_length());
  }
  const ConvexHull& hull = *body.get_if<ConvexHull>();
  auto vertices = std::make_shared<std::vector<coal::Vec3s>>();
  for (const Vector3d& vertex : hull.vertices()) vertices->push_back(vertex);
  auto faces = std::make_shared<std::vector<coal::Triangle>>();
  for (const auto& triangle : hull.triangles()) faces->emplace_back(triangle[0], triangle[1], triangle[2]);
  const auto vertex_count = static_cast<unsigned int>(vertices->size());
  const auto face_count = static_cast<unsigned int>(faces->size());
  return std::make_shared<coal::Convex<coal::Triangle>>(vertices, vertex_count, faces, face_count);
}

class CoalMeshes : public MeshPeer {
 public:
  using Model = coal::BVHModel<coal::OBBRSS>;

  [[nodiscard]] std::string name() const override { return "Coal OBBRSS"; }
  void add(const MeshData& mesh) override {
    auto model = std::make_shared<Model>();
    model->beginModel(static_cast<unsigned int>(mesh.triangles.size()),
                      static_cast<unsigned int>(mesh.vertices.size()));
    std::vector<coal::Triangle> triangles;
    for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    const std::vector<coal::Vec3s> vertices(mesh.vertices.begin(), mesh.vertices.end());
    model->addSubModel(vertices, triangles);
    model->endModel();
    models_.push_back(model);
  }
  [[nodiscard]] std::size_t tree_bytes(std::size_t mesh) const override {
    return models_[mesh]->getNumBVs() * sizeof(coal::BVNode<coal::OBBRSS>);
  }
  void set_body(const Shape& body) override { body_ = geometry_of(body); }

  [[nodiscard]] bool has_pairs() const override { return true; }
  bool collide(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    return collides(*models_[a], *models_[b], a_from_b);
  }
  [[nodiscard]] bool has_distance() const override { return true; }
  double distance(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    return distance_of(*models_[a], *models_[b], a_from_b);
  }
  [[nodiscard]] bool has_contacts() const override { return true; }
  std::size_t contacts(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    const coal::CollisionRequest request(coal::CONTACT, 1000000);
    coal::CollisionResult result;
    coal::collide(models_[a].get(), coal::Transform3s::Identity(), models_[b].get(), of(a_from_b), request, result);
    return result.numContacts();
  }
  [[nodiscard]] bool has_bodies() const override { return true; }
  bool collide_body(std::size_t mesh, const Pose& mesh_from_body) override {
    return collides(*models_[mesh], *body_, mesh_from_body);
  }
  [[nodiscard]] bool has_body_distances() const override { return true; }
  double distance_body(std::size_t mesh, const Pose& mesh_from_body) override {
    return distance_of(*models_[mesh], *body_, mesh_from_body);
  }
  [[nodiscard]] bool has_manifolds() const override { return true; }
  std::size_t manifold_body(std::size_t mesh, const Pose& mesh_from_body, double max_distance) override {
    coal::CollisionRequest request(coal::CONTACT, 1000000);
    request.security_margin = request.distance_upper_bound = max_distance;
    coal::CollisionResult result;
    coal::collide(models_[mesh].get(), coal::Transform3s::Identity(), body_.get(), of(mesh_from_body), request, result);
    return result.numContacts();
  }

 private:
  static coal::Transform3s of(const Pose& pose) { return {pose.rotation(), pose.translation()}; }

  static bool collides(const Model& mesh, const coal::CollisionGeometry& other, const Pose& mesh_from_other) {
    coal::CollisionRequest request(coal::NO_REQUEST, 1);
    request.distance_upper_bound = 0.0;
    coal::CollisionResult result;
    return coal::collide(&mesh, coal::Transform3s::Identity(), &other, of(mesh_from_other), request, result) > 0;
  }
  static double distance_of(const Model& mesh, const coal::CollisionGeometry& other, const Pose& mesh_from_other) {
    const coal::DistanceRequest request;
    coal::DistanceResult result;
    return coal::distance(&mesh, coal::Transform3s::Identity(), &other, of(mesh_from_other), request, result);
  }

  std::vector<std::shared_ptr<Model>> models_;
  std::shared_ptr<coal::CollisionGeometry> body_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_coal() {
  return std::make_unique<CoalMeshes>();
}

}  // namespace abut::bench
