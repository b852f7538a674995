// The leaves of composites that gave a pair's last answer: asked first, they bound the next one.
#pragma once

#include <abut/narrowphase/composite/leaf_pairs.h>
#include <abut/narrowphase/separate.h>

#include <cstdint>
#include <optional>

namespace abut::detail {

/// Items of both sides; 0 of a side that is a single part.
struct LeafItems {
  std::uint32_t item_a;
  std::uint32_t item_b;

  friend bool operator==(const LeafItems&, const LeafItems&) = default;
};

/// The leaves that a pair remembers. @return Nothing where it remembers none, is not to make use of them, or has
/// others.
[[nodiscard]] inline std::optional<LeafItems> remembered_leaves(const PairWalk& walk, const PairQuery& query,
                                                                const PairCache* cache) {
  const WarmStart start = query.options.warm_start;
  const bool has_memory = start == WarmStart::previous || start == WarmStart::transformed_previous;
  if (cache == nullptr || !has_memory || cache->corners.count != 1) return std::nullopt;
  const auto exists = [](const WalkSide& side, std::uint32_t item) {
    return side.tree() == nullptr ? item == 0 : item < side.tree()->items().size();
  };
  const LeafItems leaves{cache->corners.of_a[0], cache->corners.of_b[0]};
  if (!exists(walk.side_a(), leaves.item_a) || !exists(walk.side_b(), leaves.item_b)) return std::nullopt;
  return leaves;
}

inline void remember_leaves(const LeafItems& leaves, PairCache& cache) {
  cache.corners.count = 1;
  cache.corners.of_a[0] = leaves.item_a;
  cache.corners.of_b[0] = leaves.item_b;
}

/// Calls visit(leaf) for one item of a side.
template <class Visit>
void visit_leaf_of(const WalkSide& side, std::uint32_t item, const Visit& visit) {
  if (side.tree() == nullptr) {
    visit(Leaf{side.part(), Pose(), item});
  } else {
    visit_item(*side.part().shape(), item, [&](const Part& part, const Pose& body_from_leaf) {
      visit(Leaf{part, body_from_leaf, item});
    });
  }
}

/// Calls visit(leaf_a, leaf_b) unless one of them is a composite itself.
template <class Visit>
void visit_leaves(const PairWalk& walk, const LeafItems& leaves, const Visit& visit) {
  visit_leaf_of(walk.side_a(), leaves.item_a, [&](const Leaf& a) {
    visit_leaf_of(walk.side_b(), leaves.item_b, [&](const Leaf& b) {
      if (!a.part.is_composite() && !b.part.is_composite()) visit(a, b);
    });
  });
}

}  // namespace abut::detail
