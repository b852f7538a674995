#include <abut/core/convex_polygon.h>
#include <abut/core/error.h>
#include <abut/narrowphase/planar/planar_shape.h>

#include <array>
#include <vector>

namespace abut::planar {
namespace {

const std::array kOrigin = {Vector2d(0.0, 0.0)};

std::shared_ptr<const detail::Outline> outline_of(std::span<const Vector2d> corners) {
  return std::make_shared<const detail::Outline>(corners);
}

}  // namespace

Shape Shape::circle(double radius, double margin) {
  require_positive("radius", radius);
  require_not_negative("margin", margin);
  return Shape(outline_of(kOrigin), radius + margin);
}

Shape Shape::capsule(double radius, double half_length, double margin) {
  require_positive("radius", radius);
  require_not_negative("half_length", half_length);
  require_not_negative("margin", margin);
  if (half_length == 0.0) return Shape(outline_of(kOrigin), radius + margin);
  const std::array ends = {Vector2d(-half_length, 0.0), Vector2d(half_length, 0.0)};
  return Shape(outline_of(ends), radius + margin);
}

Shape Shape::polygon(std::span<const Vector2d> points, double margin) {
  require_not_negative("margin", margin);
  return Shape(outline_of(convex_polygon(points)), margin);
}

Shape Shape::hull(std::span<const Vector2d> points, double margin) {
  require_not_negative("margin", margin);
  return Shape(outline_of(convex_hull_polygon(points)), margin);
}

}  // namespace abut::planar
