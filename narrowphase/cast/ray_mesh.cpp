// Rays against triangle meshes, by the mesh's tree.
// Source: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection" (JCGT 2013): the triangle is sheared so that the
// ray runs along z; the signs of its edges about the origin then come from the same products for both triangles of an
// edge. Products must not be fused into sums here (see CMakeLists.txt), or the two would round differently. Departure:
// all is in doubles, so that no second try in higher precision is needed.
#include <abut/narrowphase/cast/ray_crossings.h>
#include <abut/narrowphase/cast/ray_mesh.h>

#include <abut/core/error.h>
#include <abut/core/trees/box_tree.h>
#include <abut/core/trees/node_kernels.h>
#include <abut/core/trees/rotation.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace abut {
namespace {

// What rounding to floats may move a plane of a box, in parts of the size of the tree; with node rotations.
constexpr float kRounding = 0x1p-20F;
constexpr float kRoundingOriented = 0x1p-17F;

void check(const Vector3d& origin, const Vector3d& direction, double max_t) {
  if (!origin.allFinite()) require_finite("origin", origin);
  if (!direction.allFinite()) require_finite("direction", direction);
  if (!(direction.cwiseAbs().maxCoeff() > 0.0)) throw InvalidInput("direction", "must not be zero");
  if (!(max_t >= 0.0)) throw InvalidInput("max_t", "must be >= 0", max_t);
}

/// The ray along z: the permutation and shear of coordinates that make it so.
struct ShearedRay {
  Vector3d origin;
  Eigen::Index kx, ky, kz;
  double sx, sy, sz;

  ShearedRay(const Vector3d& from, const Vector3d& direction) : origin(from) {
    direction.cwiseAbs().maxCoeff(&kz);
    kx = (kz + 1) % 3;
    ky = (kx + 1) % 3;
    sx = direction[kx] / direction[kz];
    sy = direction[ky] / direction[kz];
    sz = 1.0 / direction[kz];
  }

  struct Meeting {
    double t;       ///< NaN: it does not meet the triangle.
    double facing;  ///< Its sign: that of the triangle's normal along the sheared ray.
    bool is_on_edge;
  };

  [[nodiscard]] Meeting meet(const Vector3d& p, const Vector3d& q, const Vector3d& r) const {
    const Vector3d a = p - origin;
    const Vector3d b = q - origin;
    const Vector3d c = r - origin;
    const double ax = a[kx] - sx * a[kz];
    const double ay = a[ky] - sy * a[kz];
    const double bx = b[kx] - sx * b[kz];
    const double by = b[ky] - sy * b[kz];
    const double cx = c[kx] - sx * c[kz];
    const double cy = c[ky] - sy * c[kz];
    const double u = cx * by - cy * bx;
    const double v = ax * cy - ay * cx;
    const double w = bx * ay - by * ax;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0)) return {kNone, 0.0, false};
    const double sum = u + v + w;
    const bool is_on_edge = u == 0.0 || v == 0.0 || w == 0.0;
    if (sum == 0.0) return {kNone, 0.0, is_on_edge};
    return {(u * a[kz] + v * b[kz] + w * c[kz]) / sum * sz, sum, is_on_edge};
  }
};

/// Walks the boxes that a ray meets, the nearest first.
class RayWalk {
 public:
  RayWalk(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction)
      : mesh_(mesh), tree_(mesh.tree()), kernels_(detail::best_node_kernels()), sheared_(origin, direction) {
    // In the tree's units, the largest component of the direction being one.
    const double largest = direction.cwiseAbs().maxCoeff();
    direction_ = direction / largest;
    units_per_t_ = largest / tree_.unit();
    origin_ = (origin - tree_.origin()) / tree_.unit();
    // From where the ray enters the bounds, so that floats are fine also for one that comes from far.
    const double reach = static_cast<double>(tree_.reach()) * (1.0 + 0x1p-10);
    start_ = 0.0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      const double to_near = (std::abs(origin_[k]) - reach) / std::abs(direction_[k]);
      const bool is_outside = std::abs(origin_[k]) > reach;
      if (!is_outside) continue;
      if (!(origin_[k] * direction_[k] < 0.0)) {
        is_missed_ = true;
      } else {
        start_ = std::max(start_, to_near);
      }
    }
    const Vector3d from = origin_ + start_ * direction_;
    // What is lost where a far start is carried near.
    lost_ = 8.0 * std::numeric_limits<double>::epsilon() *
            (origin_.cwiseAbs().maxCoeff() + tree_.origin().cwiseAbs().maxCoeff() / tree_.unit() + start_);
    if (!((from.cwiseAbs().array() <= reach * (1.0 + 0x1p-10) + 2.0 * lost_).all())) is_missed_ = true;
    for (std::size_t k = 0; k < 3; ++k) {
      from_[k] = static_cast<float>(from[static_cast<Eigen::Index>(k)]);
      along_[k] = static_cast<float>(direction_[static_cast<Eigen::Index>(k)]);
    }
    pad_ = (tree_.is_oriented() ? kRoundingOriented : kRounding) * tree_.reach() + static_cast<float>(2.0 * lost_) +
           std::numeric_limits<float>::min();
    root_ray_ = ray_along(from_, along_);
  }

  /// @param limit  Current largest t of interest.
  /// @param visit  visit(triangle, meeting) for every triangle of which the box is met before limit(); true ends.
  template <class Limit, class Visit>
  void run(const Limit& limit, const Visit& visit) {
    if (is_missed_) return;
    struct Entry {
      float at;
      std::uint32_t reference;
    };
    std::array<Entry, (BoxTree::kWidth - 1) * BoxTree::kMaxDepth + BoxTree::kWidth> stack;
    std::size_t size = 0;
    std::uint32_t reference = 0;
    alignas(32) std::array<float, BoxTree::kWidth> entries;
    float furthest = in_units(limit());
    for (;;) {
      if ((reference & BoxTree::kLeaf) != 0) {
        bool is_done = false;
        tree_.visit_leaf(reference, [&](std::uint32_t triangle) {
          if (is_done) return;
          const TriangleMesh::Indices& t = mesh_.triangles()[triangle];
          is_done =
              visit(triangle, sheared_.meet(mesh_.vertices()[t[0]], mesh_.vertices()[t[1]], mesh_.vertices()[t[2]]));
        });
        if (is_done) return;
        furthest = in_units(limit());
      } else {
        const BoxTree::Node& node = tree_.nodes()[reference];
        unsigned hit = 0;
        if (tree_.is_oriented()) {
          detail::TurnedRay ray = turned(node);
          ray.max_t = furthest;
          hit = kernels_.ray(node, ray, entries.data());
        } else {
          root_ray_.max_t = furthest;
          hit = kernels_.ray(node, root_ray_, entries.data());
        }
        if (hit != 0) {
          // The nearest goes on at once, the others wait, the nearer on top.
          const std::size_t first = size;
          for (; hit != 0; hit &= hit - 1) {
            const auto slot = static_cast<std::size_t>(std::countr_zero(hit));
            const Entry entry{entries[slot], node.child[slot]};
            std::size_t at = size++;
            for (; at > first && stack[at - 1].at < entry.at; --at) stack[at] = stack[at - 1];
            stack[at] = entry;
          }
          reference = stack[--size].reference;
          continue;
        }
      }
      do {
        if (size == 0) return;
        --size;
      } while (stack[size].at > furthest);
      reference = stack[size].reference;
    }
  }

 private:
  // Past the end of the interval, measured from the start.
  [[nodiscard]] float in_units(double t) const {
    const double units = t * units_per_t_ - start_;
    const double room =
        0x1p-22 * (std::abs(units) + static_cast<double>(tree_.reach())) + 4.0 * lost_ + 0x1p-50 * start_;
    return static_cast<float>(units + room);
  }

  [[nodiscard]] detail::TurnedRay ray_along(const std::array<float, 3>& from, const std::array<float, 3>& along) const {
    constexpr float kHuge = 0x1p100F;
    detail::TurnedRay ray;
    for (std::size_t k = 0; k < 3; ++k) {
      ray.origin[k] = from[k];
      const float inverse = 1.0F / along[k];
      ray.inverse[k] = std::abs(inverse) < kHuge ? inverse : std::copysign(kHuge, along[k]);
      ray.pad[k] = pad_ * std::abs(ray.inverse[k]);
    }
    return ray;
  }

  [[nodiscard]] detail::TurnedRay turned(const BoxTree::Node& node) const {
    const auto tree_from_node = detail::rotation_matrix<float>(node.rotation);
    std::array<float, 3> from;
    std::array<float, 3> along;
    for (std::size_t k = 0; k < 3; ++k) {
      from[k] = tree_from_node[0][k] * from_[0] + tree_from_node[1][k] * from_[1] + tree_from_node[2][k] * from_[2];
      along[k] = tree_from_node[0][k] * along_[0] + tree_from_node[1][k] * along_[1] + tree_from_node[2][k] * along_[2];
    }
    return ray_along(from, along);
  }

  const TriangleMesh& mesh_;
  const BoxTree& tree_;
  const detail::NodeKernels& kernels_;
  ShearedRay sheared_;
  Vector3d direction_;
  Vector3d origin_;
  double units_per_t_ = 0.0;
  double start_ = 0.0;  // units along direction_
  double lost_ = 0.0;
  float pad_ = 0.0F;
  std::array<float, 3> from_{};
  std::array<float, 3> along_{};
  detail::TurnedRay root_ray_{};
  bool is_missed_ = false;
};

}  // namespace

std::optional<MeshHit> first_hit(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction,
                                 double max_t) {
  check(origin, direction, max_t);
  MeshHit best{max_t, std::numeric_limits<std::uint32_t>::max()};
  RayWalk(mesh, origin, direction)
      .run([&] { return best.t; },
           [&](std::uint32_t triangle, const ShearedRay::Meeting& meeting) {
             const double t = meeting.t;
             if (t >= 0.0 && (t < best.t || (t == best.t && triangle < best.triangle))) best = {t, triangle};
             return false;
           });
  if (best.triangle == std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return best;
}

bool any_hit(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction, double max_t) {
  check(origin, direction, max_t);
  bool is_hit = false;
  RayWalk(mesh, origin, direction)
      .run([&] { return max_t; },
           [&](std::uint32_t, const ShearedRay::Meeting& meeting) {
             is_hit = meeting.t >= 0.0 && meeting.t <= max_t;
             return is_hit;
           });
  return is_hit;
}

void all_hits(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction, double max_t,
              std::vector<MeshHit>& hits) {
  check(origin, direction, max_t);
  hits.clear();
  RayWalk(mesh, origin, direction)
      .run([&] { return max_t; },
           [&](std::uint32_t triangle, const ShearedRay::Meeting& meeting) {
             if (meeting.t >= 0.0 && meeting.t <= max_t) hits.push_back({meeting.t, triangle});
             return false;
           });
  std::sort(hits.begin(), hits.end(),
            [](const MeshHit& x, const MeshHit& y) { return x.t != y.t ? x.t < y.t : x.triangle < y.triangle; });
}

namespace detail {

std::optional<RayCrossings> ray_crossings(const TriangleMesh& mesh, const Vector3d& origin, const Vector3d& direction) {
  RayCrossings result;
  bool is_doubtful = false;
  const double largest = direction.cwiseAbs().maxCoeff();
  const double coordinates =
      origin.cwiseAbs().maxCoeff() + mesh.aabb().lower.cwiseAbs().maxCoeff() + mesh.aabb().upper.cwiseAbs().maxCoeff();
  const double on_surface = 16.0 * std::numeric_limits<double>::epsilon() * coordinates / largest;
  Eigen::Index axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  // Where the ray runs up its axis, a triangle whose normal does so as well has negative products; the shear mirrors
  // the others.
  const double outward = direction[axis] > 0.0 ? -1.0 : 1.0;
  RayWalk(mesh, origin, direction)
      .run([] { return std::numeric_limits<double>::infinity(); },
           [&](std::uint32_t, const ShearedRay::Meeting& meeting) {
             if (std::abs(meeting.t) <= on_surface) {
               result.is_on_surface = true;
               return true;
             }
             is_doubtful = is_doubtful || meeting.is_on_edge;
             if (meeting.t > 0.0) result.winding += meeting.facing * outward > 0.0 ? 1 : -1;
             return false;
           });
  if (is_doubtful && !result.is_on_surface) return std::nullopt;
  return result;
}

}  // namespace detail
}  // namespace abut
