// A tree over the boxes of a broad phase, for questions about single boxes: which does a ray meet first, which is
// nearest, which overlap.
//
// Columns (SweepAndPrune) are made to find all pairs. A question that begins at one place and wants the nearest answer
// is better served by a hierarchy, which is walked nearest first. Source: Dammertz, Hanika, Keller, "Shallow Bounding
// Volume Hierarchies for Fast SIMD Ray Tracing of Incoherent Rays" (2008), for the wide nodes.
#pragma once

#include <abut/broadphase/detail/proxy_tree_build.h>
#include <abut/broadphase/detail/proxy_tree_walk.h>
#include <abut/broadphase/proxy_table.h>
#include <abut/broadphase/query_results.h>
#include <abut/core/aabb.h>
#include <abut/core/large_arrays.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace abut {

/// Eight children a node, their boxes as floats rounded outwards and tested together. Const functions may run from
/// several threads at once and allocate nothing.
class ProxyTree {
 public:
  /// Boxes that reach farther than this from the origin, metres, are in no node: every walk shows them first.
  static constexpr float kReach = 1e12F;

  /// Which proxies of a table are taken.
  enum class Proxies : std::uint8_t { all, moving, fixed };

  /// Takes boxes of a table, not widened by its margin. Runs in the caller's TBB arena; the same tree for any number of
  /// threads. Allocates where the tree or a part of it is larger than any before, and for threads that join in.
  /// @param widths  Added to each box on every side, by id, metres, >= 0; empty: nothing is.
  void build(const ProxyTable& table, Proxies proxies = Proxies::all, std::span<const double> widths = {});

  /// What visitors read of each box, in one array by id: the first 256 bytes are fetched before they are called.
  /// @param first   Null: nothing is fetched.
  /// @param stride  Bytes from one to the next.
  void set_records(const void* first, std::size_t stride) {
    records_ = static_cast<const char*>(first);
    record_stride_ = stride;
  }

  /// Boxes taken.
  [[nodiscard]] std::size_t size() const { return items_.size() + far_.size(); }
  /// Bytes held.
  [[nodiscard]] std::size_t memory() const;

  /// Calls visit(id) for every box that the ray meets, about in the order in which it enters them; visit() returns the
  /// t beyond which nothing matters any more. Boxes that the ray misses by little may be shown as well.
  /// @param ray   Finite, max_t >= 0.
  /// @param half  Metres, >= 0: a box of these half extents around the point on the ray is meant instead of the point.
  template <class Visit>
  void visit_ray(const BoxRay& ray, const Vector3d& half, const Visit& visit) const {
    if (is_empty()) return;
    detail::TreeRay query = prepared(ray, half);
    query.records = records();
    double end = ray.max_t;
    const auto call = [&visit, &query, &end](std::uint32_t id) {
      const double t = visit(id);
      if (t < end) {  // seldom
        end = t;
        query.limit = limit_of(query, t);
      }
      return query.limit;
    };
    for (const std::uint32_t id : far_) {
      if (query.limit >= 0.0F) call(id);
    }
    if (!nodes_.empty()) walk(nodes_.data(), query, &forward<decltype(call)>, user(call));
  }

  /// The same for the paths of `count` boxes. In a tree that is larger than a cache they take turns: while what one
  /// needs next comes from memory, the others go on. Each is shown the boxes that visit_ray() shows it, in that order,
  /// but for some beyond what matters by roundings.
  /// @param path_of  path_of(index): the BoxPath, asked for once, before the first box is shown to it; max_t < 0: none.
  /// @param visit    visit(index, id): as of visit_ray().
  template <class PathOf, class Visit>
  void visit_paths(std::size_t count, const PathOf& path_of, const Visit& visit) const {
    const auto make = [&path_of](std::size_t index, detail::TreeRay& query) {
      const BoxPath path = path_of(index);
      if (path.ray.max_t >= 0.0) {
        query = prepared(path.ray, path.half);
      } else {
        query = {};
        query.limit = -1.0F;
      }
      return &query.limit;
    };
    const auto show = [&visit](std::size_t index, const detail::TreeRay& query, std::uint32_t id) {
      return limit_of(query, visit(index, id));
    };
    answer<detail::TreeRay>(count, make, show);
  }

  /// Calls visit(id) for every box within a distance of `box`, about the nearest first; visit() returns the distance
  /// beyond which nothing matters any more, metres; below zero ends the walk. Others that are near may be shown as
  /// well.
  /// @param max_distance  Metres, not NaN.
  template <class Visit>
  void visit_nearest(const Aabb& box, double max_distance, const Visit& visit) const {
    if (is_empty()) return;
    detail::TreeBox query = prepared(box, max_distance);
    query.records = records();
    const auto call = [&visit](std::uint32_t id) { return limit_of(visit(id)); };
    for (const std::uint32_t id : far_) {
      if (query.limit_sq >= 0.0F) lower(query.limit_sq, call(id));
    }
    if (!nodes_.empty()) walk(nodes_.data(), query, &forward<decltype(call)>, user(call));
  }

  /// The same for `count` boxes, as visit_paths().
  /// @param reach_of  reach_of(index): the BoxReach.
  template <class ReachOf, class Visit>
  void visit_reaches(std::size_t count, const ReachOf& reach_of, const Visit& visit) const {
    const auto make = [&reach_of](std::size_t index, detail::TreeBox& query) {
      const BoxReach reach = reach_of(index);
      query = prepared(reach.box, reach.max_distance);
      return &query.limit_sq;
    };
    const auto show = [&visit](std::size_t index, const detail::TreeBox&, std::uint32_t id) {
      return limit_of(visit(index, id));
    };
    answer<detail::TreeBox>(count, make, show);
  }

  /// Calls visit(id) for every box that overlaps `box`, until it returns false.
  template <class Visit>
  void visit_overlaps(const Aabb& box, const Visit& visit) const {
    visit_nearest(box, 0.0, [&visit](std::uint32_t id) { return visit(id) ? 0.0 : -1.0; });
  }

 private:
  /// From here on, about a megabyte, walks do other things while memory is slow: several take turns, one alone looks at
  /// nodes before a box. In smaller trees they would take up to a tenth longer.
  static constexpr std::size_t kLargeTree = 4096;
  /// More takes longer where few boxes are met.
  static constexpr std::size_t kPatience = 2;
  /// Questions: fewer leave too much of the waiting to each.
  static constexpr std::size_t kFewestTurns = 4;

  [[nodiscard]] static detail::TreeRay prepared(const BoxRay& ray, const Vector3d& half);
  [[nodiscard]] static detail::TreeBox prepared(const Aabb& box, double max_distance);
  [[nodiscard]] static float limit_of(const detail::TreeRay& query, double t);
  [[nodiscard]] static float limit_of(double distance);
  [[nodiscard]] bool is_large() const { return nodes_.size() >= kLargeTree; }
  [[nodiscard]] bool is_empty() const { return nodes_.empty() && far_.empty(); }
  [[nodiscard]] detail::TreeRecords records() const {
    if (records_ == nullptr) return {reinterpret_cast<const char*>(nodes_.data()), 0, 0};
    return {records_, record_stride_, is_large() ? kPatience : 0};
  }
  static void lower(float& limit, float value) { limit = value < limit ? value : limit; }
  template <class Call>
  static float forward(void* call, std::uint32_t id) {
    return (*static_cast<const Call*>(call))(id);
  }
  template <class Call>
  static void* user(const Call& call) {
    return const_cast<Call*>(&call);
  }

  static void walk(const detail::TreeNode* nodes, const detail::TreeRay& ray, detail::TreeCall call, void* user) {
    detail::best_tree_walks().ray(nodes, ray, call, user);
  }
  static void walk(const detail::TreeNode* nodes, const detail::TreeBox& box, detail::TreeCall call, void* user) {
    detail::best_tree_walks().nearest(nodes, box, call, user);
  }
  static void walk(const detail::TreeNode* nodes, const detail::TreeQuestions<detail::TreeRay>& rays) {
    detail::best_tree_walks().rays(nodes, rays);
  }
  static void walk(const detail::TreeNode* nodes, const detail::TreeQuestions<detail::TreeBox>& boxes) {
    detail::best_tree_walks().nearest_of_each(nodes, boxes);
  }

  /// make(index, query) makes a question and returns where its limit is, show(index, query, id) its new one.
  template <class Question, class Make, class Show>
  void answer(std::size_t count, const Make& make, const Show& show) const {
    if (is_empty()) return;
    const auto begin = [&](std::size_t index, Question& query) {
      float& limit = *make(index, query);
      query.records = records();
      for (const std::uint32_t id : far_) {
        if (limit >= 0.0F) lower(limit, show(index, query, id));
      }
    };
    if (!is_large() || count < kFewestTurns) {
      for (std::size_t index = 0; index < count; ++index) {
        Question query{};
        begin(index, query);
        const auto call = [&](std::uint32_t id) { return show(index, query, id); };
        if (!nodes_.empty()) walk(nodes_.data(), query, &forward<decltype(call)>, user(call));
      }
      return;
    }
    const std::pair calls(&begin, &show);
    using Calls = decltype(calls);
    const detail::TreeQuestions<Question> questions{
        count,
        [](void* user, std::size_t index, Question& query) { (*static_cast<Calls*>(user)->first)(index, query); },
        [](void* user, std::size_t index, const Question& query, std::uint32_t id) {
          return (*static_cast<Calls*>(user)->second)(index, query, id);
        },
        user(calls)};
    walk(nodes_.data(), questions);
  }

  LargeVector<detail::TreeNode> nodes_;  // the first is the root
  std::vector<std::uint32_t> far_;       // ascending
  const char* records_ = nullptr;
  std::size_t record_stride_ = 0;
  // Scratch of build().
  detail::TreeItems items_;
  detail::ProxyTreeBuild build_;
};

}  // namespace abut
