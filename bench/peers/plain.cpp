#include "plain.h"

#include <abut/core/error.h>

#include <cstddef>
#include <map>
#include <memory>

namespace abut::peers {
namespace {

void support_of_abut(const void* abut_shape, const double direction[3], double point[3]) {
  const Vector3d found = support(*static_cast<const Shape*>(abut_shape), {direction[0], direction[1], direction[2]});
  for (int i = 0; i < 3; ++i) point[i] = found[i];
}

void set_size(PlainShape& shape, Kind kind, double x, double y = 0.0, double z = 0.0) {
  shape.kind = kind;
  shape.size[0] = x;
  shape.size[1] = y;
  shape.size[2] = z;
}

void set_size(PlainShape& shape, Kind kind, const Vector3d& size) {
  set_size(shape, kind, size.x(), size.y(), size.z());
}

std::shared_ptr<const PlainHull> plain(const ConvexHull& hull) {
  auto result = std::make_shared<PlainHull>();
  for (const Vector3d& vertex : hull.vertices()) {
    result->points.insert(result->points.end(), vertex.begin(), vertex.end());
  }
  for (const auto& triangle : hull.triangles()) {
    for (const std::uint32_t index : triangle) result->triangles.push_back(static_cast<int>(index));
  }
  return result;
}

}  // namespace

PlainShape plain(const Shape& shape) {
  PlainShape result;
  result.support = support_of_abut;
  result.abut_shape = &shape;
  if (shape.margin() != 0.0) throw InvalidInput("margin", "must be 0 for a comparison", shape.margin());
  if (const auto* sphere = shape.get_if<Sphere>()) {
    set_size(result, Kind::sphere, sphere->radius());
  } else if (const auto* box = shape.get_if<Box>()) {
    set_size(result, Kind::box, box->half_extents());
  } else if (const auto* capsule = shape.get_if<Capsule>()) {
    set_size(result, Kind::capsule, capsule->radius(), capsule->half_length());
  } else if (const auto* cylinder = shape.get_if<Cylinder>()) {
    set_size(result, Kind::cylinder, cylinder->radius(), cylinder->half_length());
  } else if (const auto* cone = shape.get_if<Cone>()) {
    set_size(result, Kind::cone, cone->radius(), cone->half_length());
  } else if (const auto* ellipsoid = shape.get_if<Ellipsoid>()) {
    set_size(result, Kind::ellipsoid, ellipsoid->radii());
  } else if (const auto* hull = shape.get_if<ConvexHull>()) {
    result.kind = Kind::hull;
    result.hull = plain(*hull);
  } else {
    throw InvalidInput("shape", "no other library has a " + std::string(shape.type_name()));
  }
  return result;
}

std::vector<PlainShape> plain(std::span<const Shape> shapes) {
  std::vector<PlainShape> result;
  std::map<const Vector3d*, std::shared_ptr<const PlainHull>> known;  // by the first vertex
  for (const Shape& shape : shapes) {
    result.push_back(plain(shape));
    if (const auto* hull = shape.get_if<ConvexHull>()) {
      result.back().hull = known.emplace(hull->vertices().data(), result.back().hull).first->second;
    }
  }
  return result;
}

PlainPose plain(const Pose& world_from_body) {
  PlainPose result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.rotation[3 * i + j] = world_from_body.rotation()(i, j);
    result.translation[i] = world_from_body.translation()[i];
  }
  return result;
}

PlainPair plain(const bench::PosedPair& pair) {
  return {pair.a, pair.b, plain(pair.world_from_a), plain(pair.world_from_b)};
}

Pose pose_of(const PlainPose& world_from_body) {
  const double* t = world_from_body.translation;
  return Pose::from_matrix({t[0], t[1], t[2]},
                           Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(world_from_body.rotation));
}

}  // namespace abut::peers
