// The nearest triangle by branch and bound; inside or outside by the winding number.
// Source of the nearest point of a triangle: Ericson, Real-Time Collision Detection (2005), section 5.1.5; slivers as
// in triangle_face.h.
#include <abut/core/error.h>
#include <abut/core/trees/box_tree.h>
#include <abut/core/trees/node_kernels.h>
#include <abut/core/trees/rotation.h>
#include <abut/narrowphase/cast/ray_crossings.h>
#include <abut/narrowphase/closed/triangle_face.h>
#include <abut/narrowphase/distance.h>
#include <abut/narrowphase/mesh_solid.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

namespace abut {
namespace {

// Directions that are asked for the winding number one after the other, until the ray meets no edge.
constexpr int kDirections = 32;

void check_point(const Vector3d& point) {
  if (!point.allFinite()) require_finite("point", point);
}

void check_closed(const TriangleMesh& mesh) {
  if (!mesh.is_closed()) throw InvalidInput("mesh", "must be closed: every edge between two triangles");
}

Vector3d nearest_on_segment(const Vector3d& p, const Vector3d& a, const Vector3d& b) {
  const Vector3d edge = b - a;
  const double length_sq = edge.squaredNorm();
  if (!(length_sq > 0.0)) return a;
  return a + std::clamp((p - a).dot(edge) / length_sq, 0.0, 1.0) * edge;
}

Vector3d nearest_on_triangle(const Vector3d& p, const std::array<Vector3d, 3>& corners) {
  const Vector3d& a = corners[0];
  const Vector3d ab = corners[1] - a;
  const Vector3d ac = corners[2] - a;
  const Vector3d normal = ab.cross(ac);
  const double area_sq = normal.squaredNorm();
  // Below, rounding turns the normal and moves the coordinates by more than 1e-15.
  constexpr double kLeastSineSq = 1e-2;
  if (!(area_sq > kLeastSineSq * (ab.squaredNorm() * ac.squaredNorm()))) {
    const detail::TriangleFace face(corners);
    if (face.is_over(p)) return p - face.height(p) * face.normal;
  } else {
    const Vector3d ap = p - a;
    const double v = normal.dot(ap.cross(ac)) / area_sq;
    const double w = normal.dot(ab.cross(ap)) / area_sq;
    if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) return a + v * ab + w * ac;
  }
  Vector3d best = nearest_on_segment(p, corners[0], corners[1]);
  for (std::size_t i = 1; i < 3; ++i) {
    const Vector3d candidate = nearest_on_segment(p, corners[i], corners[(i + 1) % 3]);
    if ((candidate - p).squaredNorm() < (best - p).squaredNorm()) best = candidate;
  }
  return best;
}

/// A point as a box without size, in the frame of a node.
detail::TurnedBox box_of(const std::array<float, 3>& point, const BoxTree::Node& node, float pad) {
  detail::TurnedBox box{};
  box.pad = pad;
  for (std::size_t k = 0; k < 3; ++k) {
    box.center[k] = point[k];
    box.axes[k][k] = 1.0F;
  }
  if (node.is_turned != 0) {
    const auto rotation = detail::rotation_matrix<float>(node.rotation);
    for (std::size_t k = 0; k < 3; ++k) {
      box.center[k] = rotation[0][k] * point[0] + rotation[1][k] * point[1] + rotation[2][k] * point[2];
    }
  }
  return box;
}

/// What a ray tells: on the surface the answer depends on whether the ray meets the triangles there.
bool is_wound_around(const TriangleMesh& mesh, const Vector3d& point) {
  if (!mesh.aabb().contains(point)) return false;
  for (int i = 0; i < kDirections; ++i) {
    // No multiple of one of these is a simple ratio of another.
    const Vector3d direction(1.0, 0.3819660112501051 + 0.0117 * i, 0.6180339887498949 - 0.0234 * i);
    const std::optional<detail::RayCrossings> crossings = detail::ray_crossings(mesh, point, direction);
    if (crossings) return crossings->is_on_surface || crossings->winding != 0;
  }
  return false;
}

/// Whether a point lies on the surface to rounding. The box keeps points that are far from it cheap.
bool is_on_surface(const TriangleMesh& mesh, const Vector3d& point) {
  const double rounding = detail::surface_rounding(mesh, point);
  return mesh.aabb().expanded(rounding).contains(point) && nearest_on_mesh(mesh, point, rounding).has_value();
}

}  // namespace

std::optional<NearestOnMesh> nearest_on_mesh(const TriangleMesh& mesh, const Vector3d& point, double max_distance) {
  check_point(point);
  if (!(max_distance >= 0.0)) throw InvalidInput("max_distance", "must be >= 0", max_distance);
  const BoxTree& tree = mesh.tree();
  const detail::NodeKernels& kernels = detail::best_node_kernels();
  const Vector3d in_units = (point - tree.origin()) / tree.unit();
  // Squares of larger gaps would overflow. The boxes are in the cube of this reach, and to a point of it that is
  // nearest to one outside they are no farther away.
  constexpr double kFarthest = 0x1p60;
  std::array<float, 3> where;
  for (std::size_t k = 0; k < 3; ++k) {
    where[k] = static_cast<float>(std::clamp(in_units[static_cast<Eigen::Index>(k)], -kFarthest, kFarthest));
  }
  const float largest = std::max({std::abs(where[0]), std::abs(where[1]), std::abs(where[2])});
  const float pad = 0x1p-17F * (tree.reach() + largest);

  struct Entry {
    float bound;
    std::uint32_t reference;
  };
  std::array<Entry, (BoxTree::kWidth - 1) * BoxTree::kMaxDepth + BoxTree::kWidth> stack;
  std::size_t size = 0;
  stack[size++] = {0.0F, 0};
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  NearestOnMesh best{max_distance, point, kNone};
  const auto limit = [&] { return static_cast<float>(best.distance / tree.unit() * (1.0 + 0x1p-20)); };
  alignas(32) std::array<float, BoxTree::kWidth> bounds;
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.bound > limit()) continue;
    if ((entry.reference & BoxTree::kLeaf) != 0) {
      tree.visit_leaf(entry.reference, [&](std::uint32_t triangle) {
        const Vector3d nearest = nearest_on_triangle(point, mesh.corners(triangle));
        const double distance = (nearest - point).norm();
        if (distance < best.distance || (distance == best.distance && triangle < best.triangle)) {
          best = {distance, nearest, triangle};
        }
      });
      continue;
    }
    const BoxTree::Node& node = tree.nodes()[entry.reference];
    unsigned near = kernels.distances(node, box_of(where, node, pad), limit(), bounds.data());
    const std::size_t first = size;
    for (; near != 0; near &= near - 1) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(near));
      std::size_t at = size++;
      for (; at > first && stack[at - 1].bound < bounds[slot]; --at) stack[at] = stack[at - 1];
      stack[at] = {bounds[slot], node.child[slot]};
    }
  }
  if (best.triangle == kNone) return std::nullopt;
  return best;
}

bool contains(const TriangleMesh& mesh, const Vector3d& point) {
  check_point(point);
  check_closed(mesh);
  return is_wound_around(mesh, point) || is_on_surface(mesh, point);
}

double signed_distance(const TriangleMesh& mesh, const Vector3d& point) {
  check_point(point);
  check_closed(mesh);
  const std::optional<NearestOnMesh> nearest = nearest_on_mesh(mesh, point);
  const double distance = nearest ? nearest->distance : std::numeric_limits<double>::infinity();
  const bool is_inside = distance <= detail::surface_rounding(mesh, point) || is_wound_around(mesh, point);
  return is_inside ? 0.0 - distance : distance;  // on the surface 0, not -0
}

bool lies_inside(const TriangleMesh& mesh, const Pose& world_from_mesh, const Shape& body,
                 const Pose& world_from_body) {
  check_closed(mesh);
  if (!body.is_bounded()) throw InvalidInput("body", "must be bounded, got a " + std::string(body.type_name()));
  if (const auto* compound = body.get_if<Compound>()) {
    return std::all_of(compound->children().begin(), compound->children().end(), [&](const CompoundChild& child) {
      return lies_inside(mesh, world_from_mesh, child.shape, world_from_body * child.pose);
    });
  }
  Vector3d some_point = Vector3d::Zero();
  if (body.is_convex()) some_point = support(body, Vector3d::UnitX());
  if (const auto* surface = body.get_if<TriangleMesh>()) some_point = surface->corners(0)[0];
  if (const auto* field = body.get_if<HeightField>()) some_point = field->prism(0)[0];
  const Pose mesh_from_body = Pose::relative(world_from_mesh, world_from_body);
  // Not where the point lies on the surface but outside: of a body that does not touch it, all of it is outside then.
  return is_wound_around(mesh, mesh_from_body * some_point) && !collides(mesh, world_from_mesh, body, world_from_body);
}

}  // namespace abut
