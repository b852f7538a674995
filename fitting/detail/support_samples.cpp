#include <abut/fitting/detail/support_samples.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace abut::detail {
namespace {

// Normals closer than about two degrees tell a fit nothing new.
constexpr double kSameNormalCosine = 0.9994;

}  // namespace

Vector3d even_direction(int index, int count) {
  const double golden_angle = std::numbers::pi * (3.0 - std::sqrt(5.0));
  const double z = 1.0 - (2.0 * index + 1.0) / count;
  const double radius = std::sqrt(1.0 - z * z);
  return {radius * std::cos(golden_angle * index), radius * std::sin(golden_angle * index), z};
}

std::vector<FaceNormal> main_face_normals(const ConvexHull& hull, std::size_t limit) {
  const auto vertices = hull.vertices();
  std::vector<FaceNormal> triangles;
  for (const auto& triangle : hull.triangles()) {
    const Vector3d& a = vertices[triangle[0]];
    const Vector3d cross = (vertices[triangle[1]] - a).cross(vertices[triangle[2]] - a);
    const double length = cross.norm();
    if (length > 0.0) triangles.push_back({cross / length, 0.5 * length});
  }
  const auto larger = [](const FaceNormal& a, const FaceNormal& b) { return a.area > b.area; };
  std::stable_sort(triangles.begin(), triangles.end(), larger);
  std::vector<FaceNormal> faces;
  for (const FaceNormal& triangle : triangles) {
    const auto same = std::find_if(faces.begin(), faces.end(), [&](const FaceNormal& face) {
      return face.normal.dot(triangle.normal) > kSameNormalCosine;
    });
    if (same != faces.end()) {
      same->area += triangle.area;
    } else if (faces.size() < limit) {
      faces.push_back(triangle);
    }
  }
  std::stable_sort(faces.begin(), faces.end(), larger);
  return faces;
}

SupportSamples sample_support(const ConvexHull& hull, const Vector3d& center, double size, int directions) {
  SupportSamples samples;
  for (int i = 0; i < directions; ++i) {
    samples.directions.push_back(even_direction(i, directions));
    samples.weights.push_back(std::sqrt(1.0 / directions));
  }
  const std::vector<FaceNormal> faces = main_face_normals(hull, static_cast<std::size_t>(directions));
  double area = 0.0;
  for (const FaceNormal& face : faces) area += face.area;
  for (const FaceNormal& face : faces) {
    samples.directions.push_back(face.normal);
    samples.weights.push_back(std::sqrt(kFaceWeight * face.area / area));
  }
  for (const Vector3d& direction : samples.directions) {
    samples.values.push_back((hull.core_support(direction) - center).dot(direction) / size);
  }
  return samples;
}

}  // namespace abut::detail
