// The trees that queries walk: one over the bodies that may move, made anew with every change, and one over the fixed
// ones, made anew only when one of those has changed. A million fixed bodies then cost nothing from frame to frame.
#pragma once

#include <abut/broadphase/proxy_tree.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace abut::detail {

/// Walks as ProxyTree does, over both; the boxes of each come in order, those of the moving ones first.
class QueryTrees {
 public:
  /// A fixed body was added, removed, reshaped or put elsewhere, or became one, or is one no longer. Several threads
  /// may say so at once.
  void fixed_changed() { fixed_changed_.set(); }

  /// Takes the boxes as they are, each wider by so much on every side. Runs in the caller's TBB arena.
  /// @param widths  By id, metres.
  void build(const ProxyTable& table, std::span<const double> widths) {
    moving_.build(table, ProxyTree::Proxies::moving, widths);
    if (!fixed_changed_.is_set()) return;
    fixed_.build(table, ProxyTree::Proxies::fixed, widths);
    fixed_changed_.clear();
  }

  /// As of ProxyTree.
  void set_records(const void* first, std::size_t stride) {
    moving_.set_records(first, stride);
    fixed_.set_records(first, stride);
  }
  [[nodiscard]] std::size_t memory() const { return moving_.memory() + fixed_.memory(); }

  template <class Visit>
  void visit_ray(const BoxRay& ray, const Vector3d& half, const Visit& visit) const {
    double limit = ray.max_t;
    const auto within = [&](std::uint32_t id) { return limit = std::min(limit, visit(id)); };
    moving_.visit_ray(ray, half, within);
    if (limit >= 0.0) fixed_.visit_ray({ray.origin, ray.direction, limit}, half, within);
  }

  /// `path_of` is called for each tree: the second time for what is left of the path.
  template <class PathOf, class Visit>
  void visit_paths(std::size_t count, const PathOf& path_of, const Visit& visit) const {
    moving_.visit_paths(count, path_of, visit);
    fixed_.visit_paths(count, path_of, visit);
  }

  /// `reach_of` likewise.
  template <class ReachOf, class Visit>
  void visit_reaches(std::size_t count, const ReachOf& reach_of, const Visit& visit) const {
    moving_.visit_reaches(count, reach_of, visit);
    fixed_.visit_reaches(count, reach_of, visit);
  }

  template <class Visit>
  void visit_nearest(const Aabb& box, double max_distance, const Visit& visit) const {
    double limit = max_distance;
    const auto within = [&](std::uint32_t id) { return limit = std::min(limit, visit(id)); };
    moving_.visit_nearest(box, max_distance, within);
    if (limit >= 0.0) fixed_.visit_nearest(box, limit, within);
  }

  template <class Visit>
  void visit_overlaps(const Aabb& box, const Visit& visit) const {
    visit_nearest(box, 0.0, [&visit](std::uint32_t id) { return visit(id) ? 0.0 : -1.0; });
  }

 private:
  ProxyTree moving_;
  ProxyTree fixed_;
  ChangeFlag fixed_changed_;  // set at first
};

}  // namespace abut::detail
