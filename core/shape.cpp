// Shape: its checks, names, support function and boxes.
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/core/shape.h>
#include <abut/core/trees/box_tree.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace abut {
namespace {

// Directions shorter or longer than this are rescaled before use: their squares would vanish or overflow.
constexpr double kTiny = 1e-100;
constexpr double kHuge = 1e100;

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// Shapes that are their own mirror image in the three coordinate planes of the body.
template <class T>
concept SymmetricGeometry = std::same_as<T, Sphere> || std::same_as<T, Ellipsoid> || std::same_as<T, Box> ||
    std::same_as<T, Capsule> || std::same_as<T, Cylinder> || std::same_as<T, Superquadric>;

std::string_view name_of(const Geometry& geometry) {
  constexpr std::array<std::string_view, std::variant_size_v<Geometry>> kNames = {
      "sphere",       "ellipsoid",      "box",          "capsule",     "cylinder",          "cone",      "convex",
      "triangle",     "padded_polygon", "superquadric", "smooth_hull", "smooth_revolution", "halfspace", "mesh",
      "height_field", "compound"};
  return kNames[geometry.index()];
}

bool is_unbounded(const Aabb& box) {
  return !box.lower.allFinite() || !box.upper.allFinite();
}

// The core's box under a pose, without margins.
template <ConvexGeometry G>
Aabb core_aabb(const G& shape, const Pose& world_from_body) {
  Vector3d lower;
  Vector3d upper;
  for (int i = 0; i < 3; ++i) {
    const Vector3d axis_body = world_from_body.rotation().row(i);
    upper[i] = axis_body.dot(shape.core_support(axis_body));
    lower[i] = SymmetricGeometry<G> ? -upper[i] : axis_body.dot(shape.core_support(-axis_body));
  }
  return {world_from_body.translation() + lower, world_from_body.translation() + upper};
}

Aabb core_aabb(const ConvexHull& shape, const Pose& world_from_body) {
  const Aabb turned = shape.bounds(world_from_body.rotation());
  return {world_from_body.translation() + turned.lower, world_from_body.translation() + turned.upper};
}

Aabb core_aabb(const Sphere& /*shape*/, const Pose& world_from_body) {
  return Aabb::of_point(world_from_body.translation());
}

Aabb core_aabb(const Box& shape, const Pose& world_from_body) {
  const Vector3d reach = world_from_body.rotation().cwiseAbs() * shape.half_extents();
  return {world_from_body.translation() - reach, world_from_body.translation() + reach};
}

// Largest value of axis·p over the corners of all leaves: a walk down the tree, the best child first, that skips every
// box whose own bound is no better.
template <class LeafCorners>
double highest(const BoxTree& tree, const Vector3d& axis, const LeafCorners& leaf_corners) {
  struct Entry {
    double bound;
    std::uint32_t reference;
  };
  std::array<Entry, (BoxTree::kWidth - 1) * BoxTree::kMaxDepth + BoxTree::kWidth> stack;
  std::size_t size = 0;
  stack[size++] = {kInfinity, 0};
  double best = -kInfinity;
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.bound <= best) continue;
    if ((entry.reference & BoxTree::kLeaf) != 0) {
      tree.visit_leaf(entry.reference, [&](std::uint32_t item) {
        for (const Vector3d& corner : leaf_corners(item)) best = std::max(best, axis.dot(corner));
      });
      continue;
    }
    const BoxTree::Node& node = tree.nodes()[entry.reference];
    const std::size_t first = size;
    for (std::size_t slot = 0; slot < node.count; ++slot) {
      const Aabb box = tree.child_box(node, slot);
      double bound = 0.0;
      for (int i = 0; i < 3; ++i) bound += axis[i] * (axis[i] < 0.0 ? box.lower[i] : box.upper[i]);
      if (!(bound > best)) continue;
      std::size_t at = size++;
      for (; at > first && stack[at - 1].bound > bound; --at) stack[at] = stack[at - 1];
      stack[at] = {bound, node.child[slot]};
    }
  }
  return best;
}

template <class LeafCorners>
Aabb tree_aabb(const BoxTree& tree, const Pose& world_from_body, const LeafCorners& leaf_corners) {
  Vector3d lower;
  Vector3d upper;
  for (int i = 0; i < 3; ++i) {
    const Vector3d axis_body = world_from_body.rotation().row(i);
    upper[i] = highest(tree, axis_body, leaf_corners);
    lower[i] = -highest(tree, -axis_body, leaf_corners);
  }
  return {world_from_body.translation() + lower, world_from_body.translation() + upper};
}

// Only a plane across a coordinate axis bounds anything.
Aabb half_space_aabb(const HalfSpace& shape, double margin, const Pose& world_from_body) {
  Aabb box{Vector3d::Constant(-kInfinity), Vector3d::Constant(kInfinity)};
  const Vector3d normal = world_from_body.rotate(shape.normal());
  const double offset = shape.offset() + margin + normal.dot(world_from_body.translation());
  for (int i = 0; i < 3; ++i) {
    if (normal[(i + 1) % 3] != 0.0 || normal[(i + 2) % 3] != 0.0) continue;
    if (normal[i] > 0.0) {
      box.upper[i] = offset;
    } else {
      box.lower[i] = -offset;
    }
  }
  return box;
}

Obb grown(Obb box, double margin) {
  box.half_extents.array() += margin;
  return box;
}

Obb unbounded_obb(const Vector3d& center) {
  return {center, Matrix3d::Identity(), Vector3d::Constant(kInfinity)};
}

double half_area(const Obb& box) {
  const Vector3d& half = box.half_extents;
  return half.x() * half.y() + half.y() * half.z() + half.z() * half.x();
}

// The box of the children's boxes: axis-aligned, or around the corners of their oriented boxes where that is smaller.
Obb compound_obb(const Compound& shape) {
  const Aabb& bounds = shape.tree().bounds();
  if (is_unbounded(bounds)) return unbounded_obb(center(Shape(shape)));
  Eigen::Matrix3Xd corners(3, static_cast<Eigen::Index>(8 * shape.children().size()));
  Eigen::Index column = 0;
  for (const CompoundChild& child : shape.children()) {
    const Obb box = child.pose * obb(child.shape);
    for (int i = 0; i < 8; ++i) {
      const Vector3d signs(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
      corners.col(column++) = box.center + box.axes * signs.cwiseProduct(box.half_extents);
    }
  }
  const Obb aligned = Obb::from_aabb(bounds);
  const Obb oriented = bounding_obb(corners);
  return half_area(oriented) < half_area(aligned) ? oriented : aligned;
}

Obb polygon_obb(std::span<const Eigen::Vector2d> points) {
  Eigen::Matrix3Xd corners = Eigen::Matrix3Xd::Zero(3, static_cast<Eigen::Index>(points.size()));
  for (Eigen::Index i = 0; i < corners.cols(); ++i) corners.col(i).head<2>() = points[static_cast<std::size_t>(i)];
  return bounding_obb(corners);
}

Obb triangle_obb(const std::array<Vector3d, 3>& points) {
  Eigen::Matrix3Xd corners(3, 3);
  corners << points[0], points[1], points[2];
  return bounding_obb(corners);
}

Vector3d compound_center(const Compound& shape) {
  const Aabb& bounds = shape.tree().bounds();
  if (!is_unbounded(bounds)) return bounds.center();
  Vector3d mean = Vector3d::Zero();
  for (const CompoundChild& child : shape.children()) {
    mean += child.pose * center(child.shape) / static_cast<double>(shape.children().size());
  }
  return mean;
}

}  // namespace

Shape::Shape(Geometry geometry, double margin) : geometry_(std::move(geometry)), margin_(margin) {
  require_not_negative("margin", margin);
  if (margin > 0.0 && is_composite()) {
    throw InvalidInput("margin", "must be 0: a " + std::string(type_name()) + " takes none", margin);
  }
  std::visit(
      [margin]<class G>(const G& shape) {
        if constexpr (ConvexGeometry<G>) {
          if (!std::isfinite(shape.sweep_radius() + margin)) {
            throw InvalidInput("margin", "must be finite together with the radius", shape.sweep_radius() + margin);
          }
        }
      },
      geometry_);
}

std::string_view Shape::type_name() const {
  return name_of(geometry_);
}

bool Shape::is_convex() const {
  return std::visit([]<class G>(const G&) { return ConvexGeometry<G>; }, geometry_);
}

bool Shape::is_composite() const {
  return std::visit([]<class G>(const G&) { return CompositeGeometry<G>; }, geometry_);
}

bool Shape::is_bounded() const {
  if (const auto* compound = get_if<Compound>()) {
    return std::all_of(compound->children().begin(), compound->children().end(),
                       [](const CompoundChild& child) { return child.shape.is_bounded(); });
  }
  return get_if<HalfSpace>() == nullptr;
}

Vector3d support(const Shape& shape, const Vector3d& direction) {
  const double largest = direction.cwiseAbs().maxCoeff();
  if (!direction.allFinite()) require_finite("direction", direction);
  if (!(largest > 0.0)) throw InvalidInput("direction", "must not be zero");
  const bool in_range = kTiny < largest && largest < kHuge;
  const Vector3d scaled = in_range ? direction : Vector3d(direction / largest);
  return std::visit(
      [&]<class G>(const G& geometry) -> Vector3d {
        if constexpr (ConvexGeometry<G>) {
          return geometry.core_support(scaled) + (geometry.sweep_radius() + shape.margin()) * scaled.normalized();
        } else {
          throw InvalidInput(
              "shape", "must be bounded and convex to have a support point, got a " + std::string(shape.type_name()));
        }
      },
      shape.geometry());
}

Vector3d center(const Shape& shape) {
  return std::visit(Overloaded{
                        [](const ConvexGeometry auto& geometry) -> Vector3d { return geometry.center(); },
                        [](const HalfSpace& geometry) -> Vector3d { return geometry.offset() * geometry.normal(); },
                        [](const Compound& geometry) -> Vector3d { return compound_center(geometry); },
                        [](const CompositeGeometry auto& geometry) -> Vector3d { return geometry.aabb().center(); },
                    },
                    shape.geometry());
}

Aabb aabb(const Shape& shape, const Pose& world_from_body) {
  return std::visit(
      Overloaded{
          [&](const ConvexGeometry auto& geometry) {
            return core_aabb(geometry, world_from_body).expanded(geometry.sweep_radius() + shape.margin());
          },
          [&](const HalfSpace& geometry) { return half_space_aabb(geometry, shape.margin(), world_from_body); },
          [&](const TriangleMesh& geometry) {
            return tree_aabb(geometry.tree(), world_from_body, [&](std::uint32_t i) { return geometry.corners(i); });
          },
          [&](const HeightField& geometry) {
            return tree_aabb(geometry.tree(), world_from_body, [&](std::uint32_t i) { return geometry.prism(i); });
          },
          [&](const Compound& geometry) {
            Aabb box;
            for (const CompoundChild& child : geometry.children()) {
              box.merge(aabb(child.shape, world_from_body * child.pose));
            }
            return box;
          },
      },
      shape.geometry());
}

Obb obb(const Shape& shape) {
  return std::visit(
      Overloaded{
          [&](const ConvexHull& geometry) { return grown(geometry.obb(), shape.margin()); },
          [&](const Triangle& geometry) { return grown(triangle_obb(geometry.points()), shape.margin()); },
          [&](const PaddedPolygon& geometry) {
            return grown(polygon_obb(geometry.points()), geometry.radius() + shape.margin());
          },
          [&](const ConvexGeometry auto& geometry) {
            const double radius = geometry.sweep_radius() + shape.margin();
            return grown(Obb::from_aabb(core_aabb(geometry, Pose())), radius);
          },
          [&](const HalfSpace& geometry) { return unbounded_obb(geometry.offset() * geometry.normal()); },
          [&](const TriangleMesh& geometry) { return geometry.obb(); },
          [&](const HeightField& geometry) { return Obb::from_aabb(geometry.aabb()); },
          [&](const Compound& geometry) { return compound_obb(geometry); },
      },
      shape.geometry());
}

}  // namespace abut
