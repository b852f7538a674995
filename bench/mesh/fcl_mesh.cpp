// FCL's BVHModel with oriented boxes and rectangle swept spheres, its fastest on these questions.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "mesh_peer.h"

namespace abut::bench {
namespace {

std::shared_ptr<fcl::CollisionGeometryd> geometry_of(const Shape& body) {
  if (const auto* sphere = body.get_if<Sphere>()) return std::make_shared<fcl::Sphered>(sphere->radius());
  if (const auto* box = body.get_if<Box>()) return std::make_shared<fcl::Boxd>(2.0 * box->half_extents());
  if (const auto* capsule = body.get_if<Capsule>()) {
    return std::make_shared<fcl::Capsuled>(capsule->radius(), 2.0 * capsule->half_length());
  }
  if (const auto* cylinder = body.get_if<Cylinder>()) {
    return std::make_shared<fcl::Cylinderd>(cylinder->radius(), 2.0 * cylinder->half_length());
  }
  const ConvexHull& hull = *body.get_if<ConvexHull>();
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (const Vector3d& vertex : hull.vertices()) vertices->push_back(vertex);
  auto faces = std::make_shared<std::vector<int>>();
  int count = 0;
  for (const auto& triangle : hull.triangles()) {
    faces->push_back(3);
    for (const auto index : triangle) faces->push_back(static_cast<int>(index));
    ++count;
  }
  return std::make_shared<fcl::Convexd>(vertices, count, faces);
}

class FclMeshes : public MeshPeer {
 public:
  using Model = fcl::BVHModel<fcl::OBBRSSd>;

  [[nodiscard]] std::string name() const override { return "FCL OBBRSS"; }
  void add(const MeshData& mesh) override {
    auto model = std::make_shared<Model>();
    model->beginModel(static_cast<int>(mesh.triangles.size()), static_cast<int>(mesh.vertices.size()));
    std::vector<fcl::Triangle> triangles;
    for (const auto& t : mesh.triangles) triangles.emplace_back(t[0], t[1], t[2]);
    model->addSubModel(mesh.vertices, triangles);
    model->endModel();
    models_.push_back(model);
  }
  [[nodiscard]] std::size_t tree_bytes(std::size_t mesh) const override {
    return static_cast<std::size_t>(models_[mesh]->getNumBVs()) * sizeof(fcl::BVNode<fcl::OBBRSSd>);
  }
  [[nodiscard]] bool has_refit() const override { return true; }
  void refit(std::size_t mesh, const std::vector<Vector3d>& vertices) override {
    models_[mesh]->beginReplaceModel();
    models_[mesh]->replaceSubModel(vertices);
    models_[mesh]->endReplaceModel(/*refit=*/true, /*bottomup=*/true);
  }
  void set_body(const Shape& body) override { body_ = geometry_of(body); }

  [[nodiscard]] bool has_pairs() const override { return true; }
  bool collide(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    return fcl::collide(models_[a].get(), fcl::Transform3d::Identity(), models_[b].get(), of(a_from_b), request,
                        result) > 0;
  }
  [[nodiscard]] bool has_distance() const override { return true; }
  double distance(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    return fcl::distance(models_[a].get(), fcl::Transform3d::Identity(), models_[b].get(), of(a_from_b), request,
                         result);
  }
  [[nodiscard]] bool has_contacts() const override { return true; }
  std::size_t contacts(std::size_t a, std::size_t b, const Pose& a_from_b) override {
    fcl::CollisionRequestd request(1000000, true);
    fcl::CollisionResultd result;
    fcl::collide(models_[a].get(), fcl::Transform3d::Identity(), models_[b].get(), of(a_from_b), request, result);
    return result.numContacts();
  }
  [[nodiscard]] bool has_bodies() const override { return true; }
  bool collide_body(std::size_t mesh, const Pose& mesh_from_body) override {
    fcl::CollisionRequestd request;
    request.gjk_solver_type = fcl::GST_INDEP;
    fcl::CollisionResultd result;
    return fcl::collide(models_[mesh].get(), fcl::Transform3d::Identity(), body_.get(), of(mesh_from_body), request,
                        result) > 0;
  }
  [[nodiscard]] bool has_body_distances() const override { return true; }
  double distance_body(std::size_t mesh, const Pose& mesh_from_body) override {
    fcl::DistanceRequestd request;
    request.gjk_solver_type = fcl::GST_INDEP;
    fcl::DistanceResultd result;
    return fcl::distance(models_[mesh].get(), fcl::Transform3d::Identity(), body_.get(), of(mesh_from_body), request,
                         result);
  }
  [[nodiscard]] bool has_manifolds() const override { return true; }
  std::size_t manifold_body(std::size_t mesh, const Pose& mesh_from_body, double /*max_distance*/) override {
    fcl::CollisionRequestd request(1000000, true);
    request.gjk_solver_type = fcl::GST_INDEP;
    fcl::CollisionResultd result;
    fcl::collide(models_[mesh].get(), fcl::Transform3d::Identity(), body_.get(), of(mesh_from_body), request, result);
    return result.numContacts();
  }

 private:
  static fcl::Transform3d of(const Pose& pose) {
    fcl::Transform3d result = fcl::Transform3d::Identity();
    result.linear() = pose.rotation();
    result.translation() = pose.translation();
    return result;
  }

  std::vector<std::shared_ptr<Model>> models_;
  std::shared_ptr<fcl::CollisionGeometryd> body_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_fcl() {
  return std::make_unique<FclMeshes>();
}

}  // namespace abut::bench
