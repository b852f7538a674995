// The walk's visitor. Inside a composite leaf a search of its own goes on, which knows what the leaf was an item of.
#include <abut/narrowphase/composite/leaf_gap.h>
#include <abut/narrowphase/composite/leaf_pairs.h>
#include <abut/narrowphase/composite/leaf_search.h>
#include <abut/narrowphase/composite/single_part_memory.h>
#include <abut/narrowphase/separate.h>

#include <algorithm>

namespace abut::detail {
namespace {

/// How the part that is one side of a walk was reached.
struct SideFrame {
  Pose root_from_part;
  const Shape* owner = nullptr;
  std::uint32_t item = 0;
  std::uint32_t outer_item = 0;
  std::uint64_t owner_path = 0;

  /// Of a leaf of this side; where the side is a single part, that part.
  [[nodiscard]] SideFrame of_leaf(const WalkSide& side, const Leaf& leaf) const {
    if (side.tree() == nullptr) return *this;
    SideFrame frame;
    frame.root_from_part = root_from_part * leaf.body_from_leaf;
    frame.owner = side.part().shape();
    frame.item = leaf.item;
    frame.outer_item = owner == nullptr ? leaf.item : outer_item;
    if (owner != nullptr) {
      frame.owner_path = (owner_path ^ (std::uint64_t{item} + 1)) * 0x9e3779b97f4a7c15u;
      frame.owner_path ^= frame.owner_path >> 29;
    }
    return frame;
  }
};

class LeafSearch {
 public:
  LeafSearch(const Part& a, const SideFrame& frame_a, const Part& b, const SideFrame& frame_b, const Pose& a_from_b,
             const DistanceOptions& options, LeafSink& sink)
      : walk_(a, b, a_from_b),
        memory_(walk_),
        frame_a_(frame_a),
        frame_b_(frame_b),
        options_(options),
        sink_(sink),
        rounding_(transform_rounding(walk_)) {}

  /// @return Whether all was visited.
  template <bool kOverlaps>
  bool run(WalkRef start_a = {}, WalkRef start_b = {}) {
    walk_.run<kOverlaps>(*this, start_a, start_b);
    return !is_done_;
  }

  [[nodiscard]] double limit() const { return sink_.limit(); }
  [[nodiscard]] bool is_done() const { return is_done_; }

  bool opens(PairWalk::Entry& entry) {
    return solve_nested(walk_, entry, [&](bool is_a, const Leaf& leaf) {
      if (is_a) {
        return nested(leaf.part, frame_a_.of_leaf(walk_.side_a(), leaf), walk_.side_b().part(), frame_b_,
                      leaf.body_from_leaf.inverse() * walk_.a_from_b(), {}, entry.b);
      }
      return nested(walk_.side_a().part(), frame_a_, leaf.part, frame_b_.of_leaf(walk_.side_b(), leaf),
                    walk_.a_from_b() * leaf.body_from_leaf, entry.a, {});
    });
  }

  bool visit(const PairWalk::Entry& entry) {
    for_each_leaf(walk_.side_a(), entry.a, entry.a_composites_done, [&](const Leaf& a) {
      return for_each_leaf(walk_.side_b(), entry.b, entry.b_composites_done, [&](const Leaf& b) {
        if (!a.part.is_composite() && !b.part.is_composite()) return solve(a, b);
        return nested(a.part, frame_a_.of_leaf(walk_.side_a(), a), b.part, frame_b_.of_leaf(walk_.side_b(), b),
                      a.body_from_leaf.inverse() * walk_.a_from_b() * b.body_from_leaf, {}, {});
      });
    });
    return is_done_;
  }

 private:
  bool solve(const Leaf& a, const Leaf& b) {
    const double limit = sink_.limit();
    const Pose a_from_leaf_b = walk_.a_from_b() * b.body_from_leaf;
    if (a.part.kind() == kPartKind<Triangle> && b.part.kind() == kPartKind<Triangle>) {
      const TriangleCorners corners_a = carried(a.body_from_leaf, a.part.as<Triangle>().points());
      const TriangleCorners corners_b = carried(a_from_leaf_b, b.part.as<Triangle>().points());
      // Of the triangles without their margins.
      const double gap = limit + a.part.margin() + b.part.margin() + rounding_;
      if (triangle_gap(corners_a, corners_b, gap) > gap) return false;
    } else if (memory_.separates(a, b, limit) || (is_beyond_ && is_beyond_faces(a, b, a_from_leaf_b, limit))) {
      return false;
    }
    PairQuery query{options_, /*is_boolean=*/false};
    query.options.max_distance = std::max(limit, 0.0);
    const Pose leaf_a_from_leaf_b = a.body_from_leaf.inverse() * a_from_leaf_b;
    Separation separation = separate(a.part, b.part, leaf_a_from_leaf_b, query, memory_.cache());
    if (!(separation.distance > 0.0)) memory_.forget();
    is_beyond_ = separation.status == SolveStatus::beyond_limit || separation.distance > limit;
    if (is_beyond_) {
      memory_.learn();
      return false;
    }
    const SideFrame found_a = frame_a_.of_leaf(walk_.side_a(), a);
    const SideFrame found_b = frame_b_.of_leaf(walk_.side_b(), b);
    transform(separation, found_a.root_from_part);
    is_done_ = !sink_.take(
        {a.part, found_a.owner, found_a.item, found_a.outer_item, found_a.owner_path, found_a.root_from_part},
        {b.part, found_b.owner, found_b.item, found_b.outer_item, found_b.owner_path, found_b.root_from_part},
        separation);
    return is_done_;
  }

  // Of spheres and capsules the closed form tells it as fast.
  static bool is_beyond_faces(const Leaf& a, const Leaf& b, const Pose& a_from_leaf_b, double limit) {
    const auto is_worth_it = [](const Part& part) {
      return part.is_convex() && part.kind() != kPartKind<Sphere> && part.kind() != kPartKind<Capsule>;
    };
    if (!is_worth_it(a.part) || !is_worth_it(b.part)) return false;
    return LeafGap(a.part, a.body_from_leaf, b.part, a_from_leaf_b).along_faces(limit) > limit;
  }

  bool nested(const Part& a, const SideFrame& frame_a, const Part& b, const SideFrame& frame_b, const Pose& a_from_b,
              WalkRef start_a, WalkRef start_b) {
    is_done_ = !LeafSearch(a, frame_a, b, frame_b, a_from_b, options_, sink_).run<false>(start_a, start_b);
    return is_done_;
  }

  PairWalk walk_;
  SinglePartMemory memory_;
  SideFrame frame_a_;
  SideFrame frame_b_;
  const DistanceOptions& options_;
  LeafSink& sink_;
  double rounding_;
  bool is_beyond_ = true;  // the last leaves that were solved; where those are near, the next ones mostly are
  bool is_done_ = false;
};

}  // namespace

bool search_leaves(const Shape& a, const Shape& b, const Pose& a_from_b, const Pose& root_from_a,
                   const DistanceOptions& options, bool overlaps, LeafSink& sink) {
  SideFrame frame_a;
  SideFrame frame_b;
  frame_a.root_from_part = root_from_a;
  frame_b.root_from_part = root_from_a * a_from_b;
  LeafSearch search(Part(a), frame_a, Part(b), frame_b, a_from_b, options, sink);
  return overlaps ? search.run<true>() : search.run<false>();
}

}  // namespace abut::detail
