// A part: what the pair functions work on. A whole shape, or one leaf of a mesh, height field or compound.
#pragma once

#include <abut/core/shape.h>
#include <abut/narrowphase/convex_core.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

namespace abut::detail {

/// The alternatives of Geometry, then PointSet; a row and a column of the table of pair functions each.
inline constexpr std::size_t kPartKinds = std::variant_size_v<Geometry> + 1;

template <class G, std::size_t... kIndices>
constexpr std::size_t part_kind_of(std::index_sequence<kIndices...>) {
  std::size_t kind = sizeof...(kIndices);
  static_cast<void>(
      ((std::is_same_v<G, std::variant_alternative_t<kIndices, Geometry>> && (kind = kIndices, true)) || ...));
  return kind;
}

template <class G>
inline constexpr std::size_t kPartKind = part_kind_of<G>(std::make_index_sequence<std::variant_size_v<Geometry>>());

/// Refers to geometry that outlives it.
class Part {
 public:
  /// A whole shape.
  explicit Part(const Shape& shape)
      : geometry_(std::visit([](const auto& geometry) -> const void* { return &geometry; }, shape.geometry())),
        shape_(&shape),
        margin_(shape.margin()),
        kind_(static_cast<std::uint8_t>(shape.geometry().index())) {}
  /// A leaf.
  explicit Part(const Triangle& triangle) : Part(triangle, kPartKind<Triangle>) {}
  explicit Part(const PointSet& points) : Part(points, kPartKind<PointSet>) {}

  [[nodiscard]] std::size_t kind() const { return kind_; }
  /// @tparam G  The type that kind() tells.
  template <class G>
  [[nodiscard]] const G& as() const {
    return *static_cast<const G*>(geometry_);
  }
  [[nodiscard]] bool is_half_space() const { return kind_ == kPartKind<HalfSpace>; }
  [[nodiscard]] bool is_composite() const { return kind_ > kPartKind<HalfSpace> && kind_ < kPartKind<PointSet>; }
  [[nodiscard]] bool is_convex() const { return kind_ < kPartKind<HalfSpace> || kind_ == kPartKind<PointSet>; }

  /// Of a whole shape; null for a leaf.
  [[nodiscard]] const Shape* shape() const { return shape_; }
  /// Metres.
  [[nodiscard]] double margin() const { return margin_; }
  /// Of a convex part.
  [[nodiscard]] ConvexCore core() const;

 private:
  template <class G>
  Part(const G& geometry, std::size_t kind) : geometry_(&geometry), kind_(static_cast<std::uint8_t>(kind)) {}

  const void* geometry_;
  const Shape* shape_ = nullptr;
  double margin_ = 0.0;
  std::uint8_t kind_;
};

}  // namespace abut::detail
