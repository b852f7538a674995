// CGAL's AABB_tree over triangles in doubles: rays, and distances of points.
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>

#include <cmath>
#include <limits>

#include "mesh_peer.h"

namespace abut::bench {
namespace {

using CgalKernel = CGAL::Simple_cartesian<double>;
using CgalTriangles = std::vector<CgalKernel::Triangle_3>;
using CgalPrimitive = CGAL::AABB_triangle_primitive<CgalKernel, CgalTriangles::const_iterator>;
using CgalTree = CGAL::AABB_tree<CGAL::AABB_traits<CgalKernel, CgalPrimitive>>;

CgalKernel::Point_3 cgal_point(const Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

class CgalMeshes : public MeshPeer {
 public:
  [[nodiscard]] std::string name() const override { return "CGAL"; }
  void add(const MeshData& mesh) override {
    auto entry = std::make_unique<Entry>();
    for (const auto& t : mesh.triangles) {
      entry->triangles.emplace_back(cgal_point(mesh.vertices[t[0]]), cgal_point(mesh.vertices[t[1]]),
                                    cgal_point(mesh.vertices[t[2]]));
    }
    entry->tree.insert(entry->triangles.begin(), entry->triangles.end());
    entry->tree.build();
    entry->tree.accelerate_distance_queries();
    meshes_.push_back(std::move(entry));
  }

  [[nodiscard]] bool has_rays() const override { return true; }
  double cast(std::size_t mesh, const Ray& ray) override {
    const CgalKernel::Point_3 origin = cgal_point(ray.origin);
    const CgalKernel::Vector_3 along(ray.direction.x(), ray.direction.y(), ray.direction.z());
    const auto hit = meshes_[mesh]->tree.first_intersection(CgalKernel::Ray_3(origin, along));
    if (!hit) return std::numeric_limits<double>::infinity();
    const auto* point = boost::get<CgalKernel::Point_3>(&hit->first);
    if (point == nullptr) return std::numeric_limits<double>::infinity();  // along an edge
    return ((*point - origin) * along) / along.squared_length();
  }

  [[nodiscard]] bool has_nearest() const override { return true; }
  double nearest(std::size_t mesh, const Vector3d& point) override {
    return std::sqrt(meshes_[mesh]->tree.squared_distance(cgal_point(point)));
  }

 private:
  struct Entry {
    CgalTriangles triangles;
    CgalTree tree;
  };
  std::vector<std::unique_ptr<Entry>> meshes_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_cgal() {
  return std::make_unique<CgalMeshes>();
}

}  // namespace abut::bench
