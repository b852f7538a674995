// A sample in full, to the last bit, for a report that somebody can build the failure from.
#pragma once

#include <fuzz/pair_sample.h>

#include <cstdio>
#include <string>
#include <type_traits>
#include <variant>

namespace abut::fuzz {
namespace detail {

class HexText {
 public:
  HexText& operator<<(const char* word) {
    text_ += word;
    return *this;
  }
  HexText& operator<<(double value) {
    char digits[40];
    std::snprintf(digits, sizeof(digits), " %a", value);
    text_ += digits;
    return *this;
  }
  template <class Derived>
  HexText& operator<<(const Eigen::MatrixBase<Derived>& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) *this << values(i);
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline void write_numbers(HexText& out, const Geometry& geometry) {
  std::visit(
      [&out](const auto& shape) {
        using G = std::remove_cvref_t<decltype(shape)>;
        if constexpr (std::is_same_v<G, Sphere>) {
          out << shape.radius();
        } else if constexpr (std::is_same_v<G, Box>) {
          out << shape.half_extents();
        } else if constexpr (std::is_same_v<G, Ellipsoid>) {
          out << shape.radii();
        } else if constexpr (std::is_same_v<G, Superquadric>) {
          out << shape.radii() << shape.exponents();
        } else if constexpr (std::is_same_v<G, Capsule> || std::is_same_v<G, Cylinder> || std::is_same_v<G, Cone>) {
          out << shape.radius() << shape.half_length();
        } else if constexpr (std::is_same_v<G, ConvexHull>) {
          for (const Vector3d& vertex : shape.vertices()) out << vertex << ",";
        } else if constexpr (std::is_same_v<G, Triangle>) {
          for (const Vector3d& corner : shape.points()) out << corner << ",";
        } else if constexpr (std::is_same_v<G, PaddedPolygon>) {
          for (const Eigen::Vector2d& corner : shape.points()) out << corner << ",";
          out << shape.radius();
        } else if constexpr (std::is_same_v<G, SmoothHull>) {
          for (const Vector3d& point : shape.points()) out << point << ",";
          out << shape.sharpness();
        } else if constexpr (std::is_same_v<G, SmoothRevolution>) {
          for (const Eigen::Vector2d& point : shape.profile()) out << point << ",";
          out << shape.sharpness() << shape.flatness();
        }
      },
      geometry);
}

}  // namespace detail

/// Shapes with their lengths and margins, the answer, poses as translation and rotation matrix by columns, in
/// hexadecimal.
inline std::string description(const PairSample& sample, const Separation& answer) {
  detail::HexText out;
  const auto body = [&out](const char* name, const Shape& shape, const Pose& pose) {
    out << name << std::string(shape.type_name()).c_str();
    detail::write_numbers(out, shape.geometry());
    out << " margin" << shape.margin() << "\n  at" << pose.translation() << "\n  axes" << pose.rotation().reshaped()
        << "\n";
  };
  body("a: ", sample.a, sample.world_from_a);
  body("b: ", sample.b, sample.world_from_b);
  out << "solver" << static_cast<double>(sample.options.solver) << " warm start"
      << static_cast<double>(sample.options.warm_start) << " tolerance" << sample.options.tolerance << " max_distance"
      << sample.options.max_distance << "\n";
  out << "answer: distance" << answer.distance << " error" << answer.distance_error << " status"
      << static_cast<double>(answer.status) << " iterations" << static_cast<double>(answer.iterations) << "\n  normal"
      << answer.normal << "\n  points" << answer.point_a << "," << answer.point_b << "\n";
  return out.text();
}

}  // namespace abut::fuzz
