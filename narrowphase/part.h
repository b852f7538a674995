// A part: what the pair functions work on. A whole shape, or one leaf of a mesh, height field or compound.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/convex_core.h>

#include <cstdint>
#include <span>

namespace abut::detail {

/// Refers to geometry that outlives it.
class Part {
 public:
  enum class Kind : std::uint8_t { convex, half_space, composite };

  static Part of(const Shape& shape);
  static Part of(const Triangle& triangle) { return Part(ConvexCore::of(triangle)); }
  static Part of(const std::span<const Vector3d>& points) { return Part(ConvexCore::of(points)); }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const ConvexCore& core() const { return core_; }
  [[nodiscard]] const HalfSpace& half_space() const { return *half_space_; }
  /// Of a composite: the mesh, height field or compound.
  [[nodiscard]] const Shape& composite() const { return *composite_; }
  /// Metres; of half-spaces only (the core's radius holds a convex shape's).
  [[nodiscard]] double margin() const { return margin_; }

 private:
  explicit Part(const ConvexCore& core) : core_(core) {}
  Part() = default;

  ConvexCore core_;
  Kind kind_ = Kind::convex;
  const HalfSpace* half_space_ = nullptr;
  const Shape* composite_ = nullptr;
  double margin_ = 0.0;
};

}  // namespace abut::detail
