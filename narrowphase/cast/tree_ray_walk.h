// Rays through a wide tree of boxes, and on to the triangles of a mesh, for each instruction set that the processor may
// have.
//
// Interfaces are raw arrays and function pointers, since each set has a source file of its own.
#pragma once

#include <abut/core/trees/box_node.h>
#include <abut/core/trees/packed_triangle.h>
#include <abut/narrowphase/cast/sheared_ray.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace abut {
class BoxTree;
class TriangleMesh;
}  // namespace abut

namespace abut::detail {

/// A ray in the floats of a tree, with room for all that rounding may do: no box that is met is left out, from however
/// far the ray comes. Lengths and coordinates in units of the tree.
struct BoxTreeRay {
  const BoxNode* nodes;
  const std::uint32_t* items;
  float from[3];       ///< Where the ray enters the tree's bounds, or its origin.
  float along[3];      ///< Its largest component is one.
  float pad;           ///< What rounding may move a plane of a box.
  double start;        ///< From the origin to `from`, along `along`.
  double units_per_t;  ///< Of `along`, in one t of the caller.
  double lost;         ///< What is lost where a far start is carried near.
  double reach;
  bool is_oriented;  ///< Nodes have axes of their own.
  bool is_missed;    ///< Nothing of the tree is met.
};

/// @param tree       Not empty, its bounds finite.
/// @param origin     Three numbers, finite, in the frame of the tree.
/// @param direction  Likewise, not zero.
[[nodiscard]] BoxTreeRay box_tree_ray(const BoxTree& tree, const double* origin, const double* direction);

/// The triangles of a mesh, three numbers a vertex and three indices a triangle.
struct RayTriangles {
  const double* vertices;
  const std::uint32_t* corners;
  const PackedTriangle* packed;  ///< In the order of the tree's items; null where there are none.
};

[[nodiscard]] RayTriangles ray_triangles(const TriangleMesh& mesh);

/// What a ray meets first.
struct FirstTriangle {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  double t;
  std::uint32_t triangle;  ///< kNone: nothing.
};

/// Says where a triangle is met that the ray sees edge-on; NaN where it is not.
struct EdgeOnCall {
  double (*call)(void* user, std::uint32_t triangle) = nullptr;  ///< Null: TriangleMeeting::t counts.
  void* user = nullptr;
};

/// Shows an item; returns the t beyond which nothing matters any more, less than zero to end.
struct RayItemCall {
  double (*call)(void* user, std::uint32_t item);
  void* user;
};

/// One implementation. t is that of the caller; limits are not negative.
struct TreeRayWalks {
  const char* name;
  /// Shows the items whose boxes are met by the limit, about in the order in which they are entered.
  void (*items)(const BoxTreeRay& ray, double limit, RayItemCall call);
  /// The triangle of smallest t <= max_t; of equal ones that of the smallest index.
  FirstTriangle (*first)(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles, double max_t,
                         EdgeOnCall edge_on);
  /// Whether some triangle is met by max_t.
  bool (*any)(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles, double max_t,
              EdgeOnCall edge_on);
};

/// Those that this processor can run, the plain one first and the fastest last. All give the same answers.
[[nodiscard]] std::span<const TreeRayWalks* const> all_tree_ray_walks();
[[nodiscard]] const TreeRayWalks& best_tree_ray_walks();
[[nodiscard]] const TreeRayWalks& avx2_tree_ray_walks();

/// Calls visit(item) as TreeRayWalks::items.
template <class Visit>
void visit_ray_items(const BoxTreeRay& ray, double limit, const Visit& visit) {
  const auto call = [](void* user, std::uint32_t item) { return (*static_cast<const Visit*>(user))(item); };
  best_tree_ray_walks().items(ray, limit, {call, const_cast<Visit*>(&visit)});
}

/// A ray against one mesh, in its frame.
class MeshRay {
 public:
  /// @param origin, direction  As box_tree_ray() asks.
  MeshRay(const TriangleMesh& mesh, const double* origin, const double* direction);

  [[nodiscard]] FirstTriangle first(double max_t, EdgeOnCall edge_on = {}) const {
    return best_tree_ray_walks().first(boxes_, sheared_, triangles_, max_t, edge_on);
  }
  [[nodiscard]] bool meets_any(double max_t, EdgeOnCall edge_on = {}) const {
    return best_tree_ray_walks().any(boxes_, sheared_, triangles_, max_t, edge_on);
  }
  /// Calls visit(triangle, meeting) for every triangle whose box is met; visit() returns as RayItemCall does.
  template <class Visit>
  void visit(double max_t, const Visit& visit) const {
    visit_ray_items(boxes_, max_t, [&](std::uint32_t triangle) {
      const std::uint32_t* corners = triangles_.corners + 3 * std::size_t{triangle};
      const auto corner = [&](std::size_t k) { return triangles_.vertices + 3 * std::size_t{corners[k]}; };
      return visit(triangle, meet(sheared_, corner(0), corner(1), corner(2)));
    });
  }
  [[nodiscard]] const ShearedRay& sheared() const { return sheared_; }

 private:
  BoxTreeRay boxes_;
  ShearedRay sheared_;
  RayTriangles triangles_;
};

}  // namespace abut::detail
