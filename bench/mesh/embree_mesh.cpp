// Embree's rays, one at a time, in its robust mode (watertight as abut's are).
#include <embree3/rtcore.h>

#include <limits>
#include <string>

#include "mesh_peer.h"

namespace abut::bench {
namespace {

class EmbreeMeshes : public MeshPeer {
 public:
  explicit EmbreeMeshes(int threads) : device_(rtcNewDevice(("threads=" + std::to_string(threads)).c_str())) {}
  ~EmbreeMeshes() override {
    for (RTCScene scene : scenes_) rtcReleaseScene(scene);
    rtcReleaseDevice(device_);
  }
  EmbreeMeshes(const EmbreeMeshes&) = delete;
  EmbreeMeshes& operator=(const EmbreeMeshes&) = delete;

  [[nodiscard]] std::string name() const override { return "Embree"; }
  void add(const MeshData& mesh) override {
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                                 3 * sizeof(float), mesh.vertices.size()));
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        vertices[3 * i + k] = static_cast<float>(mesh.vertices[i][static_cast<Eigen::Index>(k)]);
      }
    }
    auto* indices = static_cast<unsigned*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                                   3 * sizeof(unsigned), mesh.triangles.size()));
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) indices[3 * i + k] = mesh.triangles[i][k];
    }
    rtcCommitGeometry(geometry);
    RTCScene scene = rtcNewScene(device_);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    scenes_.push_back(scene);
  }

  [[nodiscard]] bool has_rays() const override { return true; }
  double cast(std::size_t mesh, const Ray& ray) override {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit query{};
    query.ray = embree_ray(ray);
    query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scenes_[mesh], &context, &query);
    return query.hit.geomID == RTC_INVALID_GEOMETRY_ID ? std::numeric_limits<double>::infinity()
                                                       : static_cast<double>(query.ray.tfar);
  }
  bool meets(std::size_t mesh, const Ray& ray) override {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay query = embree_ray(ray);
    rtcOccluded1(scenes_[mesh], &context, &query);
    return query.tfar < 0.0F;
  }

 private:
  static RTCRay embree_ray(const Ray& ray) {
    RTCRay result{};
    result.org_x = static_cast<float>(ray.origin.x());
    result.org_y = static_cast<float>(ray.origin.y());
    result.org_z = static_cast<float>(ray.origin.z());
    result.dir_x = static_cast<float>(ray.direction.x());
    result.dir_y = static_cast<float>(ray.direction.y());
    result.dir_z = static_cast<float>(ray.direction.z());
    result.tnear = 0.0F;
    result.tfar = std::numeric_limits<float>::infinity();
    result.mask = ~0U;
    return result;
  }

  RTCDevice device_;
  std::vector<RTCScene> scenes_;
};

}  // namespace

std::unique_ptr<MeshPeer> make_embree(int threads) {
  return std::make_unique<EmbreeMeshes>(threads);
}

}  // namespace abut::bench
