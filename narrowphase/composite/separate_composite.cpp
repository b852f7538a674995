// Meshes, height fields and compounds against anything: the nearest or deepest pair of leaves, or whether one is near.
//
// Branch and bound by the walk over pairs of boxes, the best answer so far as the bound. Where leaves collide the
// deepest pair is kept; two boxes bound the depth of what they hold by how far they reach into each other.
#include <abut/narrowphase/composite/leaf_gap.h>
#include <abut/narrowphase/composite/leaf_pairs.h>
#include <abut/narrowphase/composite/remembered_leaves.h>
#include <abut/narrowphase/composite/single_part_memory.h>
#include <abut/narrowphase/separate.h>
#include <abut/narrowphase/separate_cores.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace abut::detail {
namespace {

bool are_meshes(const PairWalk& walk) {
  const auto is_mesh = [](const WalkSide& side) {
    return side.tree() != nullptr && side.part().shape()->get_if<TriangleMesh>() != nullptr;
  };
  return is_mesh(walk.side_a()) && is_mesh(walk.side_b());
}

/// The triangles of two leaves of meshes, in the frame of a.
struct TriangleLeaves {
  std::array<BallTriangle, BoxTree::kMaxLeafItems> a;
  std::array<BallTriangle, BoxTree::kMaxLeafItems> b;
  std::size_t count_a = 0;
  std::size_t count_b = 0;

  TriangleLeaves(const PairWalk& walk, const PairWalk::Entry& entry) {
    const auto& mesh_a = *walk.side_a().part().shape()->get_if<TriangleMesh>();
    const auto& mesh_b = *walk.side_b().part().shape()->get_if<TriangleMesh>();
    walk.side_a().tree()->visit_leaf(walk.side_a().child(entry.a), [&](std::uint32_t item) {
      a[count_a++] = BallTriangle(mesh_a.corners(item), item);
    });
    walk.side_b().tree()->visit_leaf(walk.side_b().child(entry.b), [&](std::uint32_t item) {
      b[count_b++] = BallTriangle(carried(walk.a_from_b(), mesh_b.corners(item)), item);
    });
  }

  /// Calls visit(triangle_a, triangle_b), which returns true to end. @return Whether it was ended.
  template <class Visit>
  bool for_each_pair(Visit&& visit) const {
    for (std::size_t j = 0; j < count_b; ++j) {
      for (std::size_t i = 0; i < count_a; ++i) {
        if (visit(a[i], b[j])) return true;
      }
    }
    return false;
  }
};

/// Where triangles lie along one direction.
struct Extents {
  std::array<double, BoxTree::kMaxLeafItems> lower;
  std::array<double, BoxTree::kMaxLeafItems> upper;

  Extents(const std::array<BallTriangle, BoxTree::kMaxLeafItems>& triangles, std::size_t count,
          const Vector3d& direction) {
    for (std::size_t i = 0; i < count; ++i) {
      const double s0 = direction.dot(triangles[i].corners[0]);
      const double s1 = direction.dot(triangles[i].corners[1]);
      const double s2 = direction.dot(triangles[i].corners[2]);
      lower[i] = std::min(s0, std::min(s1, s2));
      upper[i] = std::max(s0, std::max(s1, s2));
    }
  }
};

/// Whether leaves come within the limit: stops at the first that do, or that may.
class OverlapSearch {
 public:
  OverlapSearch(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query)
      : walk_(a, b, a_from_b),
        memory_(walk_),
        query_(query),
        rounding_(transform_rounding(walk_)),
        are_meshes_(are_meshes(walk_)) {}

  bool run(WalkRef start_a = {}, WalkRef start_b = {}) {
    return walk_.run</*kOverlaps=*/true>(*this, start_a, start_b);
  }

  /// Asks the leaves that came within the limit the last time, then all. @param cache  May be null.
  bool run(PairCache* cache) {
    bool is_near = false;
    if (const std::optional<LeafItems> leaves = remembered_leaves(walk_, query_, cache)) {
      visit_leaves(walk_, *leaves, [&](const Leaf& a, const Leaf& b) { is_near = do_collide(a, b); });
    }
    if (is_near) return true;
    near_.reset();
    is_near = run();
    if (cache == nullptr) return is_near;
    if (near_) {
      remember_leaves(*near_, *cache);
    } else if (!cache->has_solution) {
      cache->corners.count = 0;  // not to be asked again; nearest leaves are kept for distances
    }
    return is_near;
  }

  [[nodiscard]] double limit() const { return query_.options.max_distance; }
  [[nodiscard]] bool is_done() const { return is_done_; }

  bool opens(PairWalk::Entry& entry) {
    return solve_nested(walk_, entry, [&](bool is_a, const Leaf& leaf) {
      if (is_a) {
        const Pose leaf_from_b = leaf.body_from_leaf.inverse() * walk_.a_from_b();
        is_done_ = OverlapSearch(leaf.part, walk_.side_b().part(), leaf_from_b, query_).run({}, entry.b);
      } else {
        const Pose a_from_leaf = walk_.a_from_b() * leaf.body_from_leaf;
        is_done_ = OverlapSearch(walk_.side_a().part(), leaf.part, a_from_leaf, query_).run(entry.a, {});
      }
      return is_done_;
    });
  }

  bool visit(const PairWalk::Entry& entry) {
    if (are_meshes_) {
      const double limit = query_.options.max_distance + rounding_;
      const TriangleLeaves leaves(walk_, entry);
      return leaves.for_each_pair([&](const BallTriangle& a, const BallTriangle& b) {
        if (a.is_beyond(b, limit) || triangle_gap(a.corners, b.corners, limit) > limit) return false;
        const Triangle triangle_a(a.corners);
        const Triangle triangle_b(b.corners);
        if (!collide(Part(triangle_a), Part(triangle_b), Pose(), query_, nullptr)) return false;
        near_ = {a.item, b.item};
        return true;
      });
    }
    return for_each_leaf(walk_.side_a(), entry.a, entry.a_composites_done, [&](const Leaf& a) {
      return for_each_leaf(walk_.side_b(), entry.b, entry.b_composites_done, [&](const Leaf& b) {
        if (memory_.separates(a, b, query_.options.max_distance)) return false;
        if (do_collide(a, b)) {
          near_ = {a.item, b.item};
          return true;
        }
        memory_.learn();
        return false;
      });
    });
  }

 private:
  bool do_collide(const Leaf& a, const Leaf& b) {
    const Pose leaf_a_from_leaf_b = a.body_from_leaf.inverse() * walk_.a_from_b() * b.body_from_leaf;
    return collide(a.part, b.part, leaf_a_from_leaf_b, query_, memory_.cache());
  }

  PairWalk walk_;
  SinglePartMemory memory_;
  PairQuery query_;
  double rounding_;
  bool are_meshes_;
  bool is_done_ = false;
  std::optional<LeafItems> near_;  // leaves of this walk that came within the limit
};

/// The nearest or deepest pair of leaves.
class DistanceSearch {
 public:
  DistanceSearch(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query)
      : walk_(a, b, a_from_b),
        memory_(walk_),
        query_(query),
        rounding_(transform_rounding(walk_)),
        tie_(tie_of(walk_, query.options)),
        are_meshes_(are_meshes(walk_)) {
    best_.distance = std::max(query.options.max_distance, 0.0);
    best_.status = SolveStatus::beyond_limit;
  }

  /// @return Whether there is an answer within the limit.
  bool run(WalkRef start_a = {}, WalkRef start_b = {}) {
    walk_.run</*kOverlaps=*/false>(*this, start_a, start_b);
    return has_answer_;
  }

  [[nodiscard]] Separation result() const {
    Separation result = best_;
    if (!has_answer_) {  // every leaf pair is beyond the limit, or shallower than was asked for
      result.distance = std::min(query_.options.max_distance, least_skipped_);
      result.distance_error = std::numeric_limits<double>::infinity();
    }
    result.distance_error = std::max(result.distance_error, result.distance - least_skipped_);
    if (has_answer_ && least_unproven_ < best_.distance - best_.distance_error) {
      result.status = SolveStatus::iteration_limit;
    }
    result.iterations = iterations_;
    return result;
  }

  /// As run(), from the leaves that answered the last time. @param cache  May be null.
  bool run(PairCache* cache) {
    if (const std::optional<LeafItems> leaves = remembered_leaves(walk_, query_, cache)) {
      visit_leaves(walk_, *leaves, [&](const Leaf& a, const Leaf& b) {
        solve(a, b);
        known_ = leaves;
      });
    }
    if (!run()) return false;
    if (cache != nullptr) {
      remember(*cache, best_, /*cores_overlap=*/best_.distance < 0.0, 0.0, 0.0, walk_.a_from_b());
      cache->has_solution = query_.needs_depth || best_.distance > 0.0;
      remember_leaves(best_leaves_, *cache);
    }
    return true;
  }

  [[nodiscard]] double limit() const { return best_.distance; }
  [[nodiscard]] bool is_done() const { return false; }

  bool opens(PairWalk::Entry& entry) {
    return solve_nested(walk_, entry, [&](bool is_a, const Leaf& leaf) {
      if (is_a) {
        const Pose leaf_from_b = leaf.body_from_leaf.inverse() * walk_.a_from_b();
        DistanceSearch inner(leaf.part, walk_.side_b().part(), leaf_from_b, query_);
        adopt(inner, {}, entry.b, leaf, /*is_a=*/true);
      } else {
        DistanceSearch inner(walk_.side_a().part(), leaf.part, walk_.a_from_b() * leaf.body_from_leaf, query_);
        adopt(inner, entry.a, {}, leaf, /*is_a=*/false);
      }
      return false;
    });
  }

  bool visit(const PairWalk::Entry& entry) {
    if (are_meshes_) {
      visit_triangles(TriangleLeaves(walk_, entry));
      return false;
    }
    for_each_leaf(walk_.side_a(), entry.a, entry.a_composites_done, [&](const Leaf& a) {
      return for_each_leaf(walk_.side_b(), entry.b, entry.b_composites_done, [&](const Leaf& b) {
        if (known_ == LeafItems{a.item, b.item}) return false;
        if (best_.distance >= 0.0 ? memory_.separates(a, b, best_.distance) : is_shallower(a, b)) return false;
        solve(a, b);
        return false;
      });
    });
    return false;
  }

 private:
  void solve(const Leaf& a, const Leaf& b) {
    const Pose leaf_a_from_leaf_b = a.body_from_leaf.inverse() * walk_.a_from_b() * b.body_from_leaf;
    const Separation leaf = separate(a.part, b.part, leaf_a_from_leaf_b, leaf_query(), memory_.cache());
    const bool is_better = consider(leaf, a.body_from_leaf, {a.item, b.item});
    if (!(leaf.distance > 0.0)) {
      memory_.forget();
      if (is_better) walk_.clear_planes();
    } else if (is_better) {
      memory_.learn();
    }
  }

  [[nodiscard]] PairQuery leaf_query() const {
    PairQuery query = query_;
    query.is_boolean = false;
    query.options.max_distance = std::max(best_.distance, 0.0);
    query.far_enough = std::numeric_limits<double>::infinity();  // of the whole it says nothing
    if (has_answer_) query.least_depth = std::max(query.least_depth, tie_ - best_.distance);
    return query;
  }

  // Whether two leaves overlap by no more than others do, as far as a few directions tell.
  [[nodiscard]] bool is_shallower(const Leaf& a, const Leaf& b) {
    if (!a.part.is_convex() || !b.part.is_convex()) return false;
    const Pose a_from_leaf_b = walk_.a_from_b() * b.body_from_leaf;
    const LeafGap leaves(a.part, a.body_from_leaf, b.part, a_from_leaf_b);
    const double enough = best_.distance - tie_;
    double gap = leaves.along(best_.normal);
    if (!(gap > enough)) gap = leaves.along_faces(enough);
    if (!(gap > enough)) return false;
    least_skipped_ = std::min(least_skipped_, gap);
    return true;
  }

  void visit_triangles(const TriangleLeaves& leaves) {
    // Most pairs are apart along the best pair's normal by more than that pair is.
    const bool has_normal = has_answer_ && best_.distance > 0.0;
    const Vector3d normal = has_normal ? best_.normal : Vector3d::Zero();
    const Extents along_a(leaves.a, leaves.count_a, normal);
    const Extents along_b(leaves.b, leaves.count_b, normal);
    for (std::size_t j = 0; j < leaves.count_b; ++j) {
      for (std::size_t i = 0; i < leaves.count_a; ++i) {
        const BallTriangle& a = leaves.a[i];
        const BallTriangle& b = leaves.b[j];
        if (known_ == LeafItems{a.item, b.item}) continue;
        const double limit = best_.distance + rounding_;
        if (has_normal && along_b.lower[j] - along_a.upper[i] > limit + rounding_) continue;
        if (limit >= 0.0 && a.is_beyond(b, limit)) continue;
        const double gap = triangle_gap(a.corners, b.corners, limit);
        if (gap > limit || (gap > 0.0 && triangle_distance_bound(a.corners, b.corners) > limit)) continue;
        const Triangle triangle_a(a.corners);
        const Triangle triangle_b(b.corners);
        const Pose identity;
        consider(separate(Part(triangle_a), Part(triangle_b), identity, leaf_query(), nullptr), identity,
                 {a.item, b.item});
      }
    }
  }

  // @return Whether it is the best answer so far.
  bool consider(const Separation& leaf, const Pose& a_from_leaf_a, const LeafItems& leaves) {
    iterations_ += leaf.iterations;
    const bool is_beyond = leaf.status == SolveStatus::beyond_limit;
    if (is_beyond || (has_answer_ ? !(leaf.distance < best_.distance) : leaf.distance > best_.distance)) {
      leave_out(leaf, is_beyond ? leaf.distance : leaf.distance - leaf.distance_error);
      return false;
    }
    // What was the best may have been deeper than it seemed.
    if (has_answer_) leave_out(best_, best_.distance - best_.distance_error);
    best_ = leaf;
    transform(best_, a_from_leaf_a);
    has_answer_ = true;
    best_leaves_ = leaves;
    return true;
  }

  // @param least  Metres: its distance is no smaller.
  void leave_out(const Separation& leaf, double least) {
    least_skipped_ = std::min(least_skipped_, least);
    if (leaf.status == SolveStatus::iteration_limit) least_unproven_ = std::min(least_unproven_, least);
  }

  // Lets a search inside a composite leaf go on from the best answer so far.
  void adopt(DistanceSearch& inner, WalkRef start_a, WalkRef start_b, const Leaf& leaf, bool is_a) {
    inner.best_.distance = best_.distance;
    inner.best_.distance_error = best_.distance_error;
    inner.best_.status = best_.status;
    inner.best_.normal = is_a ? leaf.body_from_leaf.unrotate(best_.normal) : best_.normal;
    inner.has_answer_ = has_answer_;
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    inner.best_leaves_ = {kNone, kNone};
    inner.run(start_a, start_b);
    iterations_ += inner.iterations_;
    least_skipped_ = std::min(least_skipped_, inner.least_skipped_);
    least_unproven_ = std::min(least_unproven_, inner.least_unproven_);
    if (inner.best_leaves_.item_a == kNone) return;
    best_ = inner.best_;
    if (is_a) transform(best_, leaf.body_from_leaf);
    has_answer_ = true;
    best_leaves_ = inner.best_leaves_;
    (is_a ? best_leaves_.item_a : best_leaves_.item_b) = leaf.item;
  }

  PairWalk walk_;
  SinglePartMemory memory_;
  PairQuery query_;
  double rounding_;
  double tie_;
  bool are_meshes_;
  Separation best_;
  LeafItems best_leaves_{};
  std::optional<LeafItems> known_;                                   // solved before the walk
  double least_skipped_ = std::numeric_limits<double>::infinity();   // no leaf left out has a smaller distance, metres
  double least_unproven_ = std::numeric_limits<double>::infinity();  // the same of those at their iteration limit
  int iterations_ = 0;
  bool has_answer_ = false;
};

}  // namespace

Separation separate_composite(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query,
                              PairCache* cache) {
  DistanceSearch search(a, b, a_from_b, query);
  search.run(cache);
  return search.result();
}

bool collide_composite(const Part& a, const Part& b, const Pose& a_from_b, const PairQuery& query, PairCache* cache) {
  return OverlapSearch(a, b, a_from_b, query).run(cache);
}

}  // namespace abut::detail
