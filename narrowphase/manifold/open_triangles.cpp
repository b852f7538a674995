#include <abut/narrowphase/manifold/open_triangles.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

namespace abut::detail {

OpenTriangle::OpenTriangle(const TriangleMesh& mesh, std::uint32_t triangle) : item_(triangle) {
  const std::array<Vector3d, 3> corners = mesh.corners(triangle);
  box_.low = corners[0].cwiseMin(corners[1]).cwiseMin(corners[2]);
  box_.high = corners[0].cwiseMax(corners[1]).cwiseMax(corners[2]);
  range_ = box_;
}

void arrange(std::span<OpenTriangle> triangles) {
  if (triangles.size() <= kFewOpenTriangles) {
    std::sort(triangles.begin(), triangles.end(),
              [](const OpenTriangle& x, const OpenTriangle& y) { return x.item_ < y.item_; });
    return;
  }
  OpenTriangle::Box range = triangles.front().box_;
  for (const OpenTriangle& triangle : triangles.subspan(1)) {
    range.low = range.low.cwiseMin(triangle.box_.low);
    range.high = range.high.cwiseMax(triangle.box_.high);
  }
  Eigen::Index axis = 0;
  (range.high - range.low).maxCoeff(&axis);
  const auto is_before = [axis](const OpenTriangle& x, const OpenTriangle& y) {
    return std::tuple(x.box_.low[axis] + x.box_.high[axis], x.item_) <
           std::tuple(y.box_.low[axis] + y.box_.high[axis], y.item_);
  };
  const std::size_t middle = triangles.size() / 2;
  std::nth_element(triangles.begin(), triangles.begin() + static_cast<std::ptrdiff_t>(middle), triangles.end(),
                   is_before);
  triangles[middle].range_ = range;
  arrange(triangles.first(middle));
  arrange(triangles.subspan(middle + 1));
}

}  // namespace abut::detail
