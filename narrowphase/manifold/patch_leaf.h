// Leaves and pairs of leaves as the manifold of a composite keeps them, when the search that found them is over.
#pragma once

#include <abut/core/mixed_hash.h>
#include <abut/core/pose.h>
#include <abut/core/shape.h>
#include <abut/narrowphase/composite/leaf_search.h>
#include <abut/narrowphase/composite/leaves.h>
#include <abut/narrowphase/manifold/support_feature.h>
#include <abut/narrowphase/manifold/surface_normals.h>
#include <abut/narrowphase/separation.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>

namespace abut::detail {

enum class LeafKind : std::uint8_t { convex, half_space, triangle, prism };

/// A leaf that outlasts the search.
struct PatchLeaf {
  LeafKind kind = LeafKind::convex;
  const Shape* shape = nullptr;  ///< The leaf; of a triangle or prism, its mesh or height field.
  std::uint32_t item = 0;
  std::uint32_t outer_item = 0;
  std::uint64_t owner_path = 0;
  Pose a_from_leaf;

  PatchLeaf() = default;
  /// A triangle of a mesh, or prism of a height field, that is the whole shape.
  PatchLeaf(const Shape& surface, std::uint32_t index, const Pose& a_from_surface)
      : kind(surface.get_if<TriangleMesh>() != nullptr ? LeafKind::triangle : LeafKind::prism),
        shape(&surface),
        item(index),
        outer_item(index),
        a_from_leaf(a_from_surface) {}
  explicit PatchLeaf(const FoundLeaf& found)
      : shape(found.part.shape() != nullptr ? found.part.shape() : found.owner),
        item(found.item),
        outer_item(found.outer_item),
        owner_path(found.owner_path),
        a_from_leaf(found.root_from_leaf) {
    if (found.part.shape() == nullptr) {
      kind = found.part.kind() == kPartKind<Triangle> ? LeafKind::triangle : LeafKind::prism;
    } else if (found.part.is_half_space()) {
      kind = LeafKind::half_space;
    }
  }

  [[nodiscard]] auto order() const { return std::tie(outer_item, owner_path, item); }
  [[nodiscard]] std::uint64_t id() const { return mixed_hash(mixed_hash(outer_item, owner_path), item); }

  [[nodiscard]] bool has_surface() const { return kind >= LeafKind::triangle; }
  [[nodiscard]] SurfaceLeaf surface() const {
    return kind == LeafKind::triangle ? SurfaceLeaf(*shape->get_if<TriangleMesh>(), item)
                                      : SurfaceLeaf(*shape->get_if<HeightField>(), item);
  }

  /// Of a triangle, or of the upper side of a prism; frame of a. Only where has_surface().
  [[nodiscard]] std::array<Vector3d, 3> corners() const {
    std::array<Vector3d, 3> corners;
    if (kind == LeafKind::triangle) {
      corners = shape->get_if<TriangleMesh>()->corners(item);
    } else {
      const HeightField::Prism prism = shape->get_if<HeightField>()->prism(item);
      std::copy_n(prism.begin(), 3, corners.begin());
    }
    for (Vector3d& corner : corners) corner = a_from_leaf * corner;
    return corners;
  }

  /// How far its corners lie from center() at most, metres. Only where has_surface().
  [[nodiscard]] double radius() const {
    double radius_sq = 0.0;
    const Vector3d middle = a_from_leaf.inverse() * center();
    const auto add = [&](const Vector3d& corner) { radius_sq = std::max(radius_sq, (corner - middle).squaredNorm()); };
    if (kind == LeafKind::triangle) {
      for (const Vector3d& corner : shape->get_if<TriangleMesh>()->corners(item)) add(corner);
    } else {
      for (const Vector3d& corner : shape->get_if<HeightField>()->prism(item)) add(corner);
    }
    return std::sqrt(radius_sq);
  }

  /// Calls visit(part) with the leaf in its frame.
  template <class Visit>
  void as_part(Visit&& visit) const {
    if (has_surface()) {
      visit_item(*shape, item, [&](const Part& part, const Pose&) { visit(part); });
    } else {
      visit(Part(*shape));
    }
  }

  /// A point in its middle, frame of a.
  [[nodiscard]] Vector3d center() const {
    Vector3d center = Vector3d::Zero();
    as_part([&](const Part& part) {
      if (part.is_convex()) center = part.core().center();
    });
    return a_from_leaf * center;
  }

  /// Its farthest point along a direction, frame of a; of a convex leaf.
  [[nodiscard]] Vector3d support(const Vector3d& direction) const {
    Vector3d point = Vector3d::Zero();
    as_part([&](const Part& part) {
      const Vector3d direction_leaf = a_from_leaf.unrotate(direction);
      const ConvexCore core = part.core();
      point = a_from_leaf * (core.support(direction_leaf) + core.radius() * direction_leaf);
    });
    return point;
  }

  /// @param side  See FeatureView.
  void find_feature(const ContactFrame& frame, double side, const FeatureQuery& query, SupportFeature& feature) const {
    const FeatureView view(a_from_leaf, frame, side);
    if (kind == LeafKind::triangle) {
      find_support_feature(Shape(Triangle(shape->get_if<TriangleMesh>()->corners(item))), view, query, feature);
    } else if (kind == LeafKind::prism) {
      find_support_feature(shape->get_if<HeightField>()->prism(item), view, query, feature);
    } else {
      find_support_feature(*shape, view, query, feature);
      find_pending_corners(*shape, view, query, feature);
      find_nearly_level(*shape, view, query, ContactRectangle(), feature);
    }
  }
};

/// What the normal of a pair's contact comes from.
enum class NormalSource : std::uint8_t {
  separation,  ///< It is the separation's.
  surface,     ///< The separation's, led back to one that the surfaces have.
  passed,  ///< The two have passed through each other, one of them the outside of a solid: against the separation's.
};

/// How sure the normal of a pair of surfaces is.
struct NormalChoice {
  bool is_led = false;   ///< Another pair's normal may decide between the two surfaces.
  bool is_clear = true;  ///< Something but nearness has decided it: it may decide for others.
};

struct PatchPair {
  PatchLeaf a;
  PatchLeaf b;
  Separation separation;                    // frame of a
  std::array<std::uint32_t, 2> met{};       // of each triangle: its place among those of its side
  std::array<NormalsOfSides, 2> nearest{};  // each surface's to the separation's normal, out of it, frame of the leaf
  std::array<double, 2> seen{};  // each triangle by the separation's normal: 1 from the front, -1 from behind, 0: open
  std::array<bool, 2> is_legal{};                 // each surface has that normal, or nearly
  std::optional<Vector3d> normal = std::nullopt;  // of the contact, frame of a
  NormalSource source = NormalSource::surface;    // of that normal
  NormalChoice choice = {};                       // of that normal

  /// Leaves the surface of one of the leaves the normals that it has where the other has met it.
  void limit_to_separation(std::size_t side, SurfaceLeaf& surface) const {
    if ((side == 0 ? b : a).kind == LeafKind::half_space) return;
    const Vector3d& point = side == 0 ? separation.point_a : separation.point_b;
    const double length = (surface.corners()[1] - surface.corners()[0]).norm();
    surface.meet_within((side == 0 ? a : b).a_from_leaf.inverse() * point,
                        1.5 * std::abs(separation.distance) + 1e-6 * length);
  }
  /// The same where the other, which has a surface as well, may have met it along another normal.
  void limit_to_reach(std::size_t side, SurfaceLeaf& surface) const {
    const PatchLeaf& other = side == 0 ? b : a;
    surface.meet_within((side == 0 ? a : b).a_from_leaf.inverse() * other.center(),
                        (1.0 + 1e-6) * (other.radius() + std::abs(separation.distance)));
  }
};

}  // namespace abut::detail
