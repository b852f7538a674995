// Rays prepared for trees, and which walks this processor can run; the plain ones and those of SSE2, which every x86-64
// has.
#include <abut/core/shapes/triangle_mesh.h>
#include <abut/core/trees/box_tree.h>
#include <abut/narrowphase/cast/tree_ray_walk_loops.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {
namespace {

static_assert(kRayTreeLevels == BoxTree::kMaxDepth);
static_assert(kLastOfLeaf == BoxTree::kLast && kMaxRayLeafItems == BoxTree::kMaxLeafItems);
static_assert(sizeof(Vector3d) == 3 * sizeof(double) && sizeof(TriangleMesh::Indices) == 3 * sizeof(std::uint32_t));

// What rounding to floats may move a plane of a box, in parts of the size of the tree: that of the origin, the
// direction, the differences and products, 13 x 2^-24 in all; with node rotations, as many again for each of three
// axes.
constexpr float kRayRounding = 0x1p-19F;
constexpr float kRayRoundingOriented = 0x1p-17F;

/// The triangles of a leaf one after another.
LeafMeetings leaf_meetings(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles,
                           std::uint32_t first, double limit) {
  LeafMeetings result{};
  bool is_last = false;
  for (std::size_t lane = 0; !is_last; ++lane) {
    const LeafTriangle triangle = leaf_triangle(ray, triangles, first + lane);
    is_last = triangle.is_last;
    const ShearedCorners corners = sheared_corners(sheared, triangle.corner[0], triangle.corner[1], triangle.corner[2]);
    const EdgeProducts edges = edge_products(corners);
    const EdgeSigns signs = edge_signs(corners, edges, sheared.in_plane);
    result.position[lane] = first + static_cast<std::uint32_t>(lane);
    result.uncertain |= (signs.is_uncertain ? 1U : 0U) << lane;
    if (signs.is_missed || signs.is_uncertain) continue;
    result.t[lane] = meeting_at(corners, edges).t;
    result.met |= (result.t[lane] >= 0.0 && result.t[lane] <= limit ? 1U : 0U) << lane;
  }
  return result;
}

/// The reference of the others.
struct PlainRayLanes {
  using Slabs = RaySlabs;

  static unsigned boxes(const BoxNode& node, const RaySlabs& slabs, float end, float* entries) {
    // The second where one is NaN.
    const auto larger = [](float x, float y) { return x > y ? x : y; };
    const auto smaller = [](float x, float y) { return x < y ? x : y; };
    const float* sides = reinterpret_cast<const float*>(&node);
    unsigned mask = 0;
    for (std::size_t i = 0; i < node.count; ++i) {
      float near[3];
      float far[3];
      for (std::size_t k = 0; k < 3; ++k) {
        near[k] = (sides[slabs.near_row[k] + i] - slabs.near_origin[k]) * slabs.inverse[k];
        far[k] = (sides[slabs.far_row[k] + i] - slabs.far_origin[k]) * slabs.inverse[k];
      }
      entries[i] = larger(larger(near[0], near[1]), larger(near[2], 0.0F));
      const float leave = smaller(smaller(far[0], far[1]), smaller(far[2], end));
      mask |= (entries[i] > leave ? 0U : 1U) << i;
    }
    return mask;
  }
  static LeafMeetings triangles(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles,
                                std::uint32_t first, double limit) {
    return leaf_meetings(ray, sheared, triangles, first, limit);
  }
};

constexpr TreeRayWalks kPlainRayWalks = TreeRayLoops<PlainRayLanes>::walks("plain");

#if defined(__SSE2__)

struct Sse2RayLanes {
  using Slabs = RaySlabs;

  static unsigned boxes(const BoxNode& node, const RaySlabs& slabs, float end, float* entries) {
    const float* sides = reinterpret_cast<const float*>(&node);
    unsigned missed = 0;
    for (std::size_t half = 0; half < BoxNode::kWidth; half += 4) {
      __m128 near[3];
      __m128 far[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const __m128 inverse = _mm_set1_ps(slabs.inverse[k]);
        const auto crossing = [&](std::size_t row, float origin) {
          return _mm_mul_ps(_mm_sub_ps(_mm_load_ps(sides + row + half), _mm_set1_ps(origin)), inverse);
        };
        near[k] = crossing(slabs.near_row[k], slabs.near_origin[k]);
        far[k] = crossing(slabs.far_row[k], slabs.far_origin[k]);
      }
      const __m128 enter = _mm_max_ps(_mm_max_ps(near[0], near[1]), _mm_max_ps(near[2], _mm_setzero_ps()));
      const __m128 leave = _mm_min_ps(_mm_min_ps(far[0], far[1]), _mm_min_ps(far[2], _mm_set1_ps(end)));
      _mm_store_ps(entries + half, enter);
      missed |= static_cast<unsigned>(_mm_movemask_ps(_mm_cmpgt_ps(enter, leave))) << half;
    }
    return ((1U << node.count) - 1U) & ~missed;
  }
  static LeafMeetings triangles(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles,
                                std::uint32_t first, double limit) {
    return leaf_meetings(ray, sheared, triangles, first, limit);
  }
};

constexpr TreeRayWalks kSse2RayWalks = TreeRayLoops<Sse2RayLanes>::walks("SSE2");

#endif

/// Filled once, when first asked for.
struct RunnableRayWalks {
  std::array<const TreeRayWalks*, 3> walks = {};
  std::size_t count = 0;

  RunnableRayWalks() {
    walks[count++] = &kPlainRayWalks;
#if defined(__SSE2__)
    walks[count++] = &kSse2RayWalks;
#endif
#if defined(ABUT_NARROWPHASE_WIDE_KERNELS)
    if (__builtin_cpu_supports("avx2")) walks[count++] = &avx2_tree_ray_walks();
#endif
  }
};

const RunnableRayWalks& runnable_ray_walks() {
  static const RunnableRayWalks runnable;
  return runnable;
}

}  // namespace

std::span<const TreeRayWalks* const> all_tree_ray_walks() {
  return {runnable_ray_walks().walks.data(), runnable_ray_walks().count};
}

const TreeRayWalks& best_tree_ray_walks() {
  return *runnable_ray_walks().walks[runnable_ray_walks().count - 1];
}

BoxTreeRay box_tree_ray(const BoxTree& tree, const double* origin, const double* direction) {
  BoxTreeRay ray;
  ray.nodes = tree.nodes().data();
  ray.items = tree.items().data();
  ray.is_oriented = tree.is_oriented();
  ray.is_missed = false;
  const Eigen::Map<const Vector3d> origin_in(origin);
  const Eigen::Map<const Vector3d> direction_in(direction);
  const double largest = direction_in.cwiseAbs().maxCoeff();
  const Vector3d along = direction_in / largest;
  const double per_unit = 1.0 / tree.unit();  // a power of two
  const Vector3d from_origin = (origin_in - tree.origin()) * per_unit;
  ray.units_per_t = largest * per_unit;
  // From where the ray enters the bounds, so that floats are fine also for one that comes from far.
  ray.reach = static_cast<double>(tree.reach());
  const double reach = ray.reach * (1.0 + 0x1p-10);
  ray.start = 0.0;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double size = std::abs(from_origin[k]);
    if (!(size > reach)) continue;
    if (!(from_origin[k] * along[k] < 0.0)) {
      ray.is_missed = true;
    } else {
      ray.start = std::max(ray.start, (size - reach) / std::abs(along[k]));
    }
  }
  const Vector3d from = from_origin + ray.start * along;
  ray.lost = 8.0 * std::numeric_limits<double>::epsilon() *
             (from_origin.cwiseAbs().maxCoeff() + tree.origin().cwiseAbs().maxCoeff() * per_unit + ray.start);
  if (!((from.cwiseAbs().array() <= reach * (1.0 + 0x1p-10) + 2.0 * ray.lost).all())) ray.is_missed = true;
  for (std::size_t k = 0; k < 3; ++k) {
    ray.from[k] = static_cast<float>(from[static_cast<Eigen::Index>(k)]);
    ray.along[k] = static_cast<float>(along[static_cast<Eigen::Index>(k)]);
  }
  ray.pad = (ray.is_oriented ? kRayRoundingOriented : kRayRounding) * tree.reach() +
            static_cast<float>(2.0 * ray.lost) + std::numeric_limits<float>::min();
  return ray;
}

RayTriangles ray_triangles(const TriangleMesh& mesh) {
  const std::span<const PackedTriangle> packed = mesh.tree().packed_triangles();
  return {mesh.vertices()[0].data(), mesh.triangles()[0].data(), packed.empty() ? nullptr : packed.data()};
}

MeshRay::MeshRay(const TriangleMesh& mesh, const double* origin, const double* direction)
    : boxes_(box_tree_ray(mesh.tree(), origin, direction)),
      sheared_(
          sheared_ray(origin, direction, in_plane_bound(mesh.aabb().lower.data(), mesh.aabb().upper.data(), origin))),
      triangles_(ray_triangles(mesh)) {}

}  // namespace abut::detail
