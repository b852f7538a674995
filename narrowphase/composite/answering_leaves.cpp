// Which leaves have a separation that is known: a walk over all that are as near, or as deep.
#include <abut/narrowphase/composite/leaf_gap.h>
#include <abut/narrowphase/composite/leaf_pairs.h>
#include <abut/narrowphase/composite/remembered_leaves.h>
#include <abut/narrowphase/separate.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace abut::detail {
namespace {

/// The leaves that have a known separation.
class AnswerSearch {
 public:
  AnswerSearch(const Part& a, const Part& b, const Pose& a_from_b, const Separation& separation)
      : walk_(a, b, a_from_b), separation_(separation) {
    const double error = std::isfinite(separation.distance_error) ? separation.distance_error : 0.0;
    limit_ = separation.distance + 2.0 * (error + tie_of(walk_, {})) + 8.0 * transform_rounding(walk_);
  }

  /// @return Nothing where no leaves are as near as that.
  std::optional<LeafItems> run() {
    walk_.run</*kOverlaps=*/false>(*this);
    return leaves_;
  }

  [[nodiscard]] double limit() const { return limit_; }
  [[nodiscard]] bool is_done() const { return false; }
  // Composites within compounds are leaves here.
  bool opens(PairWalk::Entry&) { return true; }

  bool visit(const PairWalk::Entry& entry) {
    for_each_leaf(walk_.side_a(), entry.a, /*skips_composites=*/false, [&](const Leaf& a) {
      return for_each_leaf(walk_.side_b(), entry.b, /*skips_composites=*/false, [&](const Leaf& b) {
        solve(a, b);
        return false;
      });
    });
    return false;
  }

 private:
  void solve(const Leaf& a, const Leaf& b) {
    const Pose a_from_leaf_b = walk_.a_from_b() * b.body_from_leaf;
    if (a.part.is_convex() && b.part.is_convex()) {
      const LeafGap gap(a.part, a.body_from_leaf, b.part, a_from_leaf_b);
      if (gap.along(separation_.normal) > limit_ || gap.along_faces(limit_) > limit_) return;
    }
    PairQuery query;
    query.options.max_distance = std::max(limit_, 0.0);
    query.least_depth = -limit_;
    Separation leaf = separate(a.part, b.part, a.body_from_leaf.inverse() * a_from_leaf_b, query, nullptr);
    if (leaf.status == SolveStatus::beyond_limit || leaf.distance > limit_) return;
    transform(leaf, a.body_from_leaf);
    const double mismatch = (leaf.point_a - separation_.point_a).norm() + (leaf.point_b - separation_.point_b).norm();
    if (leaves_ && !(mismatch < mismatch_)) return;
    mismatch_ = mismatch;
    leaves_ = {a.item, b.item};
  }

  PairWalk walk_;
  Separation separation_;
  double limit_;
  double mismatch_ = 0.0;
  std::optional<LeafItems> leaves_;
};

}  // namespace

void visit_answering_leaves(const Part& a, const Part& b, const Pose& a_from_b, const Separation& separation,
                            LeafVisitor& visitor) {
  std::optional<LeafItems> leaves = AnswerSearch(a, b, a_from_b, separation).run();
  if (!leaves) {  // it is farther off than its error says
    leaves = AnswerSearch(a, b, a_from_b, separate_composite(a, b, a_from_b, {}, nullptr)).run();
  }
  if (!leaves) return;
  visit_leaf_of(WalkSide(a), leaves->item_a, [&](const Leaf& leaf_a) {
    visit_leaf_of(WalkSide(b), leaves->item_b, [&](const Leaf& leaf_b) {
      visitor.visit(leaf_a.part, leaf_a.body_from_leaf, leaf_b.part, leaf_b.body_from_leaf);
    });
  });
}

}  // namespace abut::detail
