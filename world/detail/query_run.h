// What all queries about a scene share: which bodies they see, what asks, and how batches of questions are shared out.
#pragma once

#include <abut/broadphase/query_results.h>
#include <abut/narrowphase/separate.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/queries.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut::detail {

/// Questions of a batch that one task takes.
inline constexpr std::size_t kQueryBlock = 32;

/// The way into a context.
struct QueryMemory {
  static std::uint32_t& last_hit(QueryContext& context) { return context.last_hit_; }
  static std::uint32_t& last_nearest(QueryContext& context) { return context.last_nearest_; }
  /// Slots.
  static std::vector<std::uint32_t>& asked_without_limit(QueryContext& context) { return context.asked_without_limit_; }
  static std::vector<Aabb>* boxes(QueryContext& context) { return context.boxes_; }
  static auto& blocks(QueryContext& context, const QueryLists<BodyRayHit>&) { return context.hit_blocks_; }
  static auto& blocks(QueryContext& context, const QueryLists<BodyId>&) { return context.body_blocks_; }
  static auto& blocks(QueryContext& context, const QueryLists<BodySeparation>&) { return context.separation_blocks_; }
};

/// Whether a query sees the body in a used slot.
[[nodiscard]] inline bool sees(const SceneState& state, const QueryFilter& filter, std::uint32_t slot) {
  if (!filter.collision.accepts(state.bodies[slot].filter)) return false;
  if (filter.skip.empty() && !filter.predicate) return true;
  const BodyId id = state.bodies.id(slot);
  if (std::find(filter.skip.begin(), filter.skip.end(), id) != filter.skip.end()) return false;
  return !filter.predicate || filter.predicate(id);
}

/// In which order lists are.
[[nodiscard]] inline bool is_before(const BodyRayHit& p, const BodyRayHit& q) {
  return p.hit.t < q.hit.t || (p.hit.t == q.hit.t && p.body.slot < q.body.slot);
}
[[nodiscard]] inline bool is_before(BodyId p, BodyId q) {
  return p < q;
}

/// A convex part, a composite or a half-space that asks.
struct Asker {
  Part part;
  Pose pose;  ///< world_from_part
  Aabb box;   ///< World frame, finite sides.
  bool is_bounded;
  double size;  ///< Largest coordinate of the box, metres; 0 of an unbounded one.

  /// Amply more than a distance can differ by rounding, over the distance and the sizes of the coordinates together.
  static constexpr double kRounding = 2e-12;

  Asker(const Shape& shape, const Pose& world_from_shape)
      : part(shape),
        pose(world_from_shape),
        box(world_box(shape, world_from_shape)),
        is_bounded(shape.is_bounded()),
        size(is_bounded ? box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).maxCoeff() : 0.0) {}
  /// A point at the origin of the pose.
  Asker(const PointSet& origin, const Vector3d& point)
      : part(origin), pose(point), box(Aabb::of_point(point)), is_bounded(true), size(point.cwiseAbs().maxCoeff()) {}

  [[nodiscard]] bool has_distance(const Body& body) const { return is_bounded || body.bounded; }
  /// Of the asker from a body, world frame. Of distances beyond max_distance those that differ by rounding are answered
  /// too, so that bodies in equal places are told apart by their slots alone.
  [[nodiscard]] Separation distance(const Body& body, double tolerance, double max_distance) const {
    const double reach = max_distance + kRounding * (max_distance + size);
    PairQuery query{DistanceOptions{.tolerance = tolerance, .max_distance = reach}, /*is_boolean=*/false};
    Separation result = separate(part, Part(body.shape), Pose::relative(pose, body.pose), query, nullptr);
    transform(result, pose);
    return result;
  }
  /// Of composites the answer depends on the limit, within its error bound.
  [[nodiscard]] bool answers_by_limit(const Body& body) const {
    return part.is_composite() || body.shape.is_composite();
  }
  /// Whether the distance from a body is at most `margin`.
  [[nodiscard]] bool is_close(const Body& body, double tolerance, double margin) const {
    if (!has_distance(body)) return false;
    PairQuery query{DistanceOptions{.tolerance = tolerance, .max_distance = margin}, /*is_boolean=*/true};
    return collide(part, Part(body.shape), Pose::relative(pose, body.pose), query, nullptr);
  }
};

/// Neither is nearer as far as their bounds tell: then they are to be asked for without a limit, so that bodies in
/// equal places have equal answers.
[[nodiscard]] inline bool are_as_near(const Separation& p, const Separation& q) {
  return !(std::abs(p.distance - q.distance) > p.distance_error + q.distance_error);
}

/// A point as a part.
inline PointSet origin() {
  const Vector3d zero = Vector3d::Zero();
  return PointSet(std::span<const Vector3d>(&zero, 1));
}

/// Calls answer(begin, end) for blocks of the questions, in parallel.
template <class Answer>
void answer_blocks(std::size_t count, const Answer& answer) {
  const std::size_t blocks = (count + kQueryBlock - 1) / kQueryBlock;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t block = range.begin(); block != range.end(); ++block) {
      answer(block * kQueryBlock, std::min(count, (block + 1) * kQueryBlock));
    }
  });
}

/// Calls fill(), which fills the lists; if that throws, as a predicate may, they are left empty.
template <class Item, class Fill>
void fill_or_clear(QueryLists<Item>& lists, const Fill& fill) {
  try {
    fill();
  } catch (...) {
    lists.begin.resize(1);
    lists.begin.front() = 0;
    lists.items.clear();
    throw;
  }
}

/// Makes the begin of each list from the lengths that were put at [list + 1].
template <class Item>
void add_up(QueryLists<Item>& lists) {
  for (std::size_t i = 1; i < lists.begin.size(); ++i) lists.begin[i] += lists.begin[i - 1];
}

/// Answers that are lists, one question after another: answer(i, context, items) appends, with a fresh context for each
/// block. `found` is memory for the blocks.
template <class Item, class Answer>
void answer_lists(std::size_t count, std::vector<std::vector<Item>>& found, QueryLists<Item>& lists,
                  const Answer& answer) {
  const std::size_t blocks = (count + kQueryBlock - 1) / kQueryBlock;
  if (found.size() < blocks) found.resize(blocks);
  lists.begin.assign(count + 1, 0);
  fill_or_clear(lists, [&] {
    answer_blocks(count, [&](std::size_t begin, std::size_t end) {
      QueryContext context;
      std::vector<Item>& items = found[begin / kQueryBlock];
      items.clear();
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t before = items.size();
        answer(i, context, items);
        lists.begin[i + 1] = items.size() - before;
      }
    });
  });
  add_up(lists);
  lists.items.clear();
  lists.items.reserve(lists.begin.back());
  for (std::size_t block = 0; block < blocks; ++block) {
    lists.items.insert(lists.items.end(), found[block].begin(), found[block].end());
  }
}

/// Answers that are lists, the questions of a block all at once: collect(begin, end, items) appends in any order. The
/// lists come sorted by is_before(). `found` as above.
template <class Item, class Collect>
void collect_lists(std::size_t count, std::vector<std::vector<OfQuestion<Item>>>& found, QueryLists<Item>& lists,
                   const Collect& collect) {
  const std::size_t blocks = (count + kQueryBlock - 1) / kQueryBlock;
  if (found.size() < blocks) found.resize(blocks);
  lists.begin.assign(count + 1, 0);
  fill_or_clear(lists, [&] {
    answer_blocks(count, [&](std::size_t begin, std::size_t end) {
      std::vector<OfQuestion<Item>>& items = found[begin / kQueryBlock];
      items.clear();
      collect(begin, end, items);
      for (const OfQuestion<Item>& item : items) ++lists.begin[item.question + 1];
    });
  });
  add_up(lists);
  lists.items.resize(lists.begin.back());
  answer_blocks(count, [&](std::size_t begin, std::size_t end) {
    std::array<std::size_t, kQueryBlock> next;
    std::copy(lists.begin.begin() + static_cast<std::ptrdiff_t>(begin),
              lists.begin.begin() + static_cast<std::ptrdiff_t>(end), next.begin());
    for (const OfQuestion<Item>& item : found[begin / kQueryBlock]) {
      lists.items[next[item.question - begin]++] = item.item;
    }
    for (std::size_t i = begin; i < end; ++i) {
      std::sort(lists.items.begin() + static_cast<std::ptrdiff_t>(lists.begin[i]),
                lists.items.begin() + static_cast<std::ptrdiff_t>(lists.begin[i + 1]),
                [](const Item& p, const Item& q) { return is_before(p, q); });
    }
  });
}

}  // namespace abut::detail
