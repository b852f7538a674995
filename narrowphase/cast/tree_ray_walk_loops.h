// The walks of tree_ray_walk.h over a type Lanes that tests the eight children of a node and the triangles of a leaf.
// Included by one source file for each instruction set, in which Lanes is local.
//
// Sources: Wald, Benthin, Boulos, "Getting Rid of Packets" (2008), for single rays in wide trees; Ize, "Robust BVH Ray
// Traversal" (JCGT 2013), for slabs that leave room for rounding.
#pragma once

#include <abut/core/prefetch.h>
#include <abut/narrowphase/cast/tree_ray_walk.h>

namespace abut::detail {

/// Levels of nodes that a tree has at most.
inline constexpr std::size_t kRayTreeLevels = 32;
/// Marks the last item of a leaf.
inline constexpr std::uint32_t kLastOfLeaf = std::uint32_t{1} << 31;
inline constexpr std::size_t kMaxRayLeafItems = 4;

/// A ray for the slabs of boxes. The near side is met at (side - near_origin) * inverse, too early if at all wrong, the
/// far side likewise, too late.
struct RaySlabs {
  float near_origin[3];
  float far_origin[3];
  float inverse[3];
  std::size_t near_row[3];  ///< Where the near sides of a node's boxes begin, counted in floats.
  std::size_t far_row[3];
};

/// Where the triangles of a leaf are met.
struct LeafMeetings {
  unsigned met;        ///< Bit i: lane i is met at t[i], 0 <= t[i] <= the limit.
  unsigned uncertain;  ///< Bit i: meet_carefully() has to look at lane i, which is not among those met.
  double t[kMaxRayLeafItems];
  std::uint32_t position[kMaxRayLeafItems];  ///< In the tree's items.
};

struct LeafTriangle {
  const double* corner[3];
  bool is_last;  ///< Of its leaf.
};

/// @param position  In the tree's items.
[[gnu::always_inline]] inline LeafTriangle leaf_triangle(const BoxTreeRay& ray, const RayTriangles& triangles,
                                                         std::size_t position) {
  LeafTriangle result;
  if (triangles.packed != nullptr) {
    const PackedTriangle packed = triangles.packed[position];
    for (unsigned k = 0; k < 3; ++k) result.corner[k] = triangles.vertices + 3 * packed.vertex(k);
    result.is_last = packed.is_last();
  } else {
    const std::uint32_t item = ray.items[position];
    const std::uint32_t* corners = triangles.corners + 3 * std::size_t{item & ~kLastOfLeaf};
    for (unsigned k = 0; k < 3; ++k) result.corner[k] = triangles.vertices + 3 * std::size_t{corners[k]};
    result.is_last = (item & kLastOfLeaf) != 0;
  }
  return result;
}

/// Lanes has
///   Slabs                              made from RaySlabs
///   boxes(node, slabs, end, entries)   a bit for each child that is met by `end`, and where, not below +0
///   triangles(ray, sheared, triangles, first, limit)   LeafMeetings of the leaf at items[first]; a leaf of fewer items
///                                      than lanes may have its last one more than once
template <class Lanes>
struct TreeRayLoops {
  static RaySlabs slabs(const float* from, const float* along, float pad) {
    constexpr float kHuge = 0x1p100F;
    RaySlabs result;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool is_forward = along[k] >= 0.0F;
      const float inverse = 1.0F / along[k];
      const float bounded = is_forward ? kHuge : -kHuge;
      result.inverse[k] = inverse < kHuge && inverse > -kHuge ? inverse : bounded;
      const float shift = is_forward ? pad : -pad;
      result.near_origin[k] = from[k] + shift;
      result.far_origin[k] = from[k] - shift;
      result.near_row[k] = BoxNode::kWidth * (is_forward ? k : 3 + k);
      result.far_row[k] = BoxNode::kWidth * (is_forward ? 3 + k : k);
    }
    return result;
  }

  /// The ray in the axes of a node.
  static RaySlabs turned_slabs(const BoxTreeRay& ray, const BoxNode& node) {
    const float x = node.rotation[0];
    const float y = node.rotation[1];
    const float z = node.rotation[2];
    const float w = node.rotation[3];
    const float tree_from_node[3][3] = {
        {1.0F - 2.0F * (y * y + z * z), 2.0F * (x * y - w * z), 2.0F * (x * z + w * y)},
        {2.0F * (x * y + w * z), 1.0F - 2.0F * (x * x + z * z), 2.0F * (y * z - w * x)},
        {2.0F * (x * z - w * y), 2.0F * (y * z + w * x), 1.0F - 2.0F * (x * x + y * y)}};
    float from[3];
    float along[3];
    for (std::size_t k = 0; k < 3; ++k) {
      from[k] = 0.0F;
      along[k] = 0.0F;
      for (std::size_t i = 0; i < 3; ++i) {
        from[k] += tree_from_node[i][k] * ray.from[i];
        along[k] += tree_from_node[i][k] * ray.along[i];
      }
    }
    return slabs(from, along, ray.pad);
  }

  /// Past the end of the interval, measured from where the ray starts in the tree.
  static float end_in_units(const BoxTreeRay& ray, double t) {
    const double units = t * ray.units_per_t - ray.start;
    const double size = units < 0.0 ? -units : units;
    return static_cast<float>(units + 0x1p-22 * (size + ray.reach) + 4.0 * ray.lost + 0x1p-50 * ray.start);
  }

  // A child that waits: where it is entered above, which one it is below; so the nearer is the smaller number.
  static std::uint64_t entry(float at, std::uint32_t reference) {
    return std::uint64_t{__builtin_bit_cast(std::uint32_t, at)} << 32 | reference;
  }
  static float entered_at(std::uint64_t entry) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(entry >> 32));
  }

  /// What the leaves of a tree read, in the order of its items; fetched as soon as a node above them is met.
  struct LeafRecords {
    const char* first;
    std::size_t size;  // of one, bytes
  };
  static LeafRecords records_of(const BoxTreeRay& ray, const RayTriangles& triangles) {
    if (triangles.packed != nullptr) {
      return {reinterpret_cast<const char*>(triangles.packed), sizeof(PackedTriangle)};
    }
    return {reinterpret_cast<const char*>(ray.items), sizeof(std::uint32_t)};
  }
  static constexpr std::size_t kLine = 64;  // of the cache, bytes
  static void fetch_leaves(const LeafRecords& records, const BoxNode& node) {
    constexpr std::size_t kLines = BoxNode::kWidth * kMaxRayLeafItems * sizeof(PackedTriangle) / kLine;
    const char* first = records.first + node.first * records.size;
    for (std::size_t i = 0; i < kLines; ++i) prefetch(first + i * kLine);
  }

  static void fetch_node(const BoxNode& node) {
    const char* const first = reinterpret_cast<const char*>(&node);
    for (std::size_t at = 0; at < sizeof(BoxNode); at += kLine) prefetch(first + at);
  }

  /// @param leaf  leaf(first, limit): looks at the items from `first` on, may lower the limit; true ends.
  template <bool kIsOriented, class Leaf>
  static void walk(const BoxTreeRay& ray, const LeafRecords& records, double limit, const Leaf& leaf) {
    std::uint64_t stack[(BoxNode::kWidth - 1) * kRayTreeLevels + BoxNode::kWidth];
    std::size_t size = 0;
    alignas(32) float entries[BoxNode::kWidth];
    const typename Lanes::Slabs tree_slabs(slabs(ray.from, ray.along, ray.pad));
    float end = end_in_units(ray, limit);
    std::uint32_t reference = 0;
    for (;;) {
      if ((reference & BoxNode::kLeaf) != 0) {
        const double before = limit;
        if (leaf(reference & ~BoxNode::kLeaf, limit)) return;
        if (limit < before) end = end_in_units(ray, limit);
      } else {
        const BoxNode& node = ray.nodes[reference];
        fetch_leaves(records, node);
        unsigned met = kIsOriented && node.is_turned != 0
                           ? Lanes::boxes(node, typename Lanes::Slabs(turned_slabs(ray, node)), end, entries)
                           : Lanes::boxes(node, tree_slabs, end, entries);
        if (met != 0) {
          // The nearest goes on at once, the others wait, the nearer on top.
          const auto take = [&] {
            const auto slot = static_cast<std::size_t>(__builtin_ctz(met));
            met &= met - 1;
            const std::uint32_t child = node.child[slot];
            if ((child & BoxNode::kLeaf) == 0) fetch_node(ray.nodes[child]);
            return entry(entries[slot], child);
          };
          std::uint64_t nearest = take();
          const std::size_t first = size;
          while (met != 0) {
            std::uint64_t next = take();
            if (next < nearest) {
              const std::uint64_t other = nearest;
              nearest = next;
              next = other;
            }
            std::size_t at = size++;
            for (; at > first && stack[at - 1] < next; --at) stack[at] = stack[at - 1];
            stack[at] = next;
          }
          reference = static_cast<std::uint32_t>(nearest);
          continue;
        }
      }
      do {
        if (size == 0) return;
        --size;
      } while (entered_at(stack[size]) > end);
      reference = static_cast<std::uint32_t>(stack[size]);
    }
  }

  template <class Leaf>
  static void walk(const BoxTreeRay& ray, const LeafRecords& records, double limit, const Leaf& leaf) {
    if (ray.is_missed) return;
    if (ray.is_oriented) {
      walk<true>(ray, records, limit, leaf);
    } else {
      walk<false>(ray, records, limit, leaf);
    }
  }

  static std::uint32_t item_at(const BoxTreeRay& ray, std::uint32_t position) {
    return ray.items[position] & ~kLastOfLeaf;
  }

  static void items(const BoxTreeRay& ray, double limit, RayItemCall call) {
    const LeafRecords records{reinterpret_cast<const char*>(ray.items), sizeof(std::uint32_t)};
    walk(ray, records, limit, [&](std::uint32_t first, double& current) {
      for (const std::uint32_t* item = ray.items + first;; ++item) {
        const double t = call.call(call.user, *item & ~kLastOfLeaf);
        if (t < 0.0) return true;
        current = t < current ? t : current;
        if ((*item & kLastOfLeaf) != 0) return false;
      }
    });
  }

  /// Where the triangle of an uncertain lane is met; NaN where it is not. May be less than zero.
  static double careful_t(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles,
                          std::uint32_t position, EdgeOnCall edge_on) {
    const LeafTriangle triangle = leaf_triangle(ray, triangles, position);
    const TriangleMeeting meeting = meet_carefully(sheared, triangle.corner[0], triangle.corner[1], triangle.corner[2]);
    if (!meeting.is_edge_on || edge_on.call == nullptr) return meeting.t;
    return edge_on.call(edge_on.user, item_at(ray, position));
  }

  static FirstTriangle first(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles,
                             double max_t, EdgeOnCall edge_on) {
    FirstTriangle best{max_t, FirstTriangle::kNone};
    const auto improve = [&](double t, std::uint32_t triangle) {
      if (t < best.t || (t == best.t && triangle < best.triangle)) best = {t, triangle};
    };
    walk(ray, records_of(ray, triangles), max_t, [&](std::uint32_t first, double& limit) {
      const LeafMeetings meetings = Lanes::triangles(ray, sheared, triangles, first, best.t);
      for (unsigned met = meetings.met; met != 0; met &= met - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(met));
        improve(meetings.t[lane], item_at(ray, meetings.position[lane]));
      }
      for (unsigned lanes = meetings.uncertain; lanes != 0; lanes &= lanes - 1) {
        const std::uint32_t position = meetings.position[__builtin_ctz(lanes)];
        const double t = careful_t(ray, sheared, triangles, position, edge_on);
        if (t >= 0.0) improve(t, item_at(ray, position));
      }
      limit = best.t;
      return false;
    });
    return best;
  }

  static bool any(const BoxTreeRay& ray, const ShearedRay& sheared, const RayTriangles& triangles, double max_t,
                  EdgeOnCall edge_on) {
    bool is_met = false;
    walk(ray, records_of(ray, triangles), max_t, [&](std::uint32_t first, double&) {
      const LeafMeetings meetings = Lanes::triangles(ray, sheared, triangles, first, max_t);
      is_met = meetings.met != 0;
      for (unsigned lanes = meetings.uncertain; lanes != 0 && !is_met; lanes &= lanes - 1) {
        const double t = careful_t(ray, sheared, triangles, meetings.position[__builtin_ctz(lanes)], edge_on);
        is_met = t >= 0.0 && t <= max_t;
      }
      return is_met;
    });
    return is_met;
  }

  static constexpr TreeRayWalks walks(const char* name) { return {name, &items, &first, &any}; }
};

}  // namespace abut::detail
