// What all queries about a scene share: which bodies they see, one question, and batches of questions.
#pragma once

#include <abut/broadphase/query_results.h>
#include <abut/core/error.h>
#include <abut/narrowphase/separate.h>
#include <abut/world/detail/scene_state.h>
#include <abut/world/queries.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace abut::detail {

/// Questions of a batch that one task takes.
inline constexpr std::size_t kQueryBlock = 32;

/// @throws InvalidInput  naming "scene" unless it is prepared.
inline void require_prepared(const SceneState& state) {
  if (state.is_ready_for_queries()) return;
  throw InvalidInput("scene", "needs prepare_queries() after the last change of a body");
}

/// Whether a query sees the body in a used slot.
[[nodiscard]] inline bool sees(const SceneState& state, const QueryFilter& filter, std::uint32_t slot) {
  if (!filter.collision.accepts(state.bodies[slot].filter)) return false;
  if (filter.skip.empty() && !filter.predicate) return true;
  const BodyId id = state.bodies.id(slot);
  if (std::find(filter.skip.begin(), filter.skip.end(), id) != filter.skip.end()) return false;
  return !filter.predicate || filter.predicate(id);
}

/// A convex part, a composite or a half-space that asks.
struct Asker {
  Part part;
  Pose pose;  ///< world_from_part
  Aabb box;   ///< World frame, finite sides.
  bool is_bounded;

  Asker(const Shape& shape, const Pose& world_from_shape)
      : part(shape), pose(world_from_shape), box(world_box(shape, world_from_shape)), is_bounded(shape.is_bounded()) {}
  /// A point at the origin of the pose.
  Asker(const PointSet& origin, const Vector3d& point)
      : part(origin), pose(point), box(Aabb::of_point(point)), is_bounded(true) {}

  [[nodiscard]] bool has_distance(const Body& body) const { return is_bounded || body.bounded; }
  /// Of the asker from a body, world frame.
  [[nodiscard]] Separation distance(const Body& body, double tolerance, double max_distance) const {
    PairQuery query{DistanceOptions{.tolerance = tolerance, .max_distance = max_distance}, /*is_boolean=*/false};
    Separation result = separate(part, Part(body.shape), Pose::relative(pose, body.pose), query, nullptr);
    transform(result, pose);
    return result;
  }
  [[nodiscard]] bool collides(const Body& body, double tolerance, double margin) const {
    PairQuery query{DistanceOptions{.tolerance = tolerance, .max_distance = margin}, /*is_boolean=*/true};
    return collide(part, Part(body.shape), Pose::relative(pose, body.pose), query, nullptr);
  }
};

/// @throws InvalidInput  naming `field` unless it has one element for each question.
inline void require_answers(const char* field, std::size_t size, std::size_t questions) {
  if (size == questions) return;
  throw InvalidInput(field, "must have one element for each of the " + std::to_string(questions) + " queries, got " +
                                std::to_string(size));
}

/// Calls answer(i, context) for every question, with a fresh context for each block.
template <class Answer>
void answer_each(std::size_t count, const Answer& answer) {
  const std::size_t blocks = (count + kQueryBlock - 1) / kQueryBlock;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t block = range.begin(); block != range.end(); ++block) {
      QueryContext context;
      const std::size_t end = std::min(count, (block + 1) * kQueryBlock);
      for (std::size_t i = block * kQueryBlock; i < end; ++i) answer(i, context);
    }
  });
}

/// The same for answers that are lists: answer(i, context, items) appends. `found` is memory for the blocks.
template <class Item, class Answer>
void answer_lists(std::size_t count, std::vector<std::vector<Item>>& found, QueryLists<Item>& lists,
                  const Answer& answer) {
  const std::size_t blocks = (count + kQueryBlock - 1) / kQueryBlock;
  if (found.size() < blocks) found.resize(blocks);
  lists.begin.assign(count + 1, 0);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks), [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t block = range.begin(); block != range.end(); ++block) {
      QueryContext context;
      std::vector<Item>& items = found[block];
      items.clear();
      const std::size_t end = std::min(count, (block + 1) * kQueryBlock);
      for (std::size_t i = block * kQueryBlock; i < end; ++i) {
        const std::size_t before = items.size();
        answer(i, context, items);
        lists.begin[i + 1] = items.size() - before;
      }
    }
  });
  for (std::size_t i = 0; i < count; ++i) lists.begin[i + 1] += lists.begin[i];
  lists.items.clear();
  lists.items.reserve(lists.begin.back());
  for (std::size_t block = 0; block < blocks; ++block) {
    lists.items.insert(lists.items.end(), found[block].begin(), found[block].end());
  }
}

/// Runs a check of question i and names it in the error.
template <class Check>
void require_question(std::size_t i, const Check& check) {
  try {
    check();
  } catch (const InvalidInput& error) {
    throw error.within("queries[" + std::to_string(i) + "]");
  }
}

}  // namespace abut::detail
