// Boxes, rays and nearest neighbours, answered by the columns of all levels.
#include <abut/broadphase/detail/box_queries.h>
#include <abut/broadphase/detail/rounding.h>
#include <abut/broadphase/detail/sweep_kernels.h>
#include <abut/core/infinity.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace abut::detail {
namespace {

/// The smallest box of floats around a box.
FloatBox rounded_outwards(const double* lower, const double* upper) {
  FloatBox box;
  float ends[6];
  round_outwards(lower, upper, ends);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.lower[axis] = ends[axis];
    box.upper[axis] = ends[3 + axis];
  }
  return box;
}

bool overlap(const FloatBox& a, const FloatBox& b) {
  bool overlap = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    overlap = overlap && a.lower[axis] <= b.upper[axis] && b.lower[axis] <= a.upper[axis];
  }
  return overlap;
}

/// Where a ray enters a box, or infinity when it does not by `t_end`.
double entry_of(const BoxRay& ray, const Aabb& box, double t_end) {
  double enter = 0.0;
  double leave = t_end;
  for (int axis = 0; axis < 3; ++axis) {
    const double origin = ray.origin[axis];
    const double direction = ray.direction[axis];
    if (direction == 0.0) {
      if (origin < box.lower[axis] || origin > box.upper[axis]) return kInfinity;
      continue;
    }
    const double t_lower = (box.lower[axis] - origin) / direction;
    const double t_upper = (box.upper[axis] - origin) / direction;
    enter = std::max(enter, std::min(t_lower, t_upper));
    leave = std::min(leave, std::max(t_lower, t_upper));
  }
  return enter <= leave ? enter : kInfinity;
}

/// Candidates of one scan, handed to a visitor of words.
template <class Visit>
struct VisitingHits : HitBuffer {
  const Visit* visit;

  explicit VisitingHits(const Visit& to) : visit(&to) {
    drain = [](HitBuffer& buffer) {
      auto& hits = static_cast<VisitingHits&>(buffer);
      for (std::size_t k = 0; k < hits.count; ++k) (*hits.visit)(hits.second[k]);
      hits.count = 0;
    };
  }
};

/// Calls visit(word) for the boxes of a run that overlap the only box of `query`.
template <class Visit>
void search_run(const ColumnBase& base, std::size_t column, std::size_t guests, const SweepArrays& query,
                const Visit& visit) {
  const RunRange run = base.run(column, guests);
  if (run.is_empty()) return;
  const SweepArrays arrays = base.arrays();
  const float reach = base.longest(column, guests);
  const float* const begin = arrays.lower[0] + run.begin;
  const float* const end = arrays.lower[0] + run.end;
  // As in SweepKernels::search(), but by halving: there is one box alone.
  const float* const start = std::lower_bound(begin, end, query.lower[0][0] - reach);
  if (start == end || *start > query.upper[0][0]) return;
  VisitingHits<Visit> hits(visit);
  best_sweep_kernels().search(query, {0, 1}, arrays, {static_cast<std::size_t>(start - arrays.lower[0]), run.end},
                              std::numeric_limits<float>::infinity(), hits);
  hits.drain(hits);
}

}  // namespace

/// Calls visit(id) for the boxes of a level, guests of it left out, that overlap `box`; each once.
template <class Visit>
void BoxQueries::visit_level(const Levels::Level& level, const FloatBox& box, const Visit& visit) const {
  const ColumnGrid& grid = level.grid;
  const std::array<std::size_t, 3> axes = {grid.sweep_axis, grid.u_axis, grid.v_axis};
  const std::uint32_t word = 0;
  SweepArrays query;
  for (std::size_t k = 0; k < 3; ++k) {
    query.lower[k] = &box.lower[axes[k]];
    query.upper[k] = &box.upper[axes[k]];
  }
  query.word = &word;
  const int first_u = grid.cell(box.lower[grid.u_axis], grid.origin_u);
  const int first_v = grid.cell(box.lower[grid.v_axis], grid.origin_v);
  const int last_u = grid.cell(box.upper[grid.u_axis], grid.origin_u);
  const int last_v = grid.cell(box.upper[grid.v_axis], grid.origin_v);
  const double cells = (static_cast<double>(last_u) - first_u + 1.0) * (static_cast<double>(last_v) - first_v + 1.0);
  for (const ColumnBase* base : {&level.base, &level.loose}) {
    if (base->is_empty()) continue;
    const auto is_current = [this, base, &level](std::uint32_t id) {
      return base == &level.loose || levels_.in_base().contains(id);
    };
    if (cells >= static_cast<double>(grid.columns)) {
      // Every column, and of the records of a box the one in its first column.
      for (std::size_t column = 0; column < grid.columns; ++column) {
        search_run(*base, column, 0, query, [&](std::uint32_t found) {
          const std::uint32_t id = found & SweepWord::kIdMask;
          if ((found & (SweepWord::kNotFirstU | SweepWord::kNotFirstV)) == 0 && is_current(id)) visit(id);
        });
      }
      continue;
    }
    for (int v = first_v; v <= last_v; ++v) {
      for (int u = first_u; u <= last_u; ++u) {
        search_run(*base, grid.column(u, v), 0, query, [&](std::uint32_t found) {
          const std::uint32_t id = found & SweepWord::kIdMask;
          if (!is_current(id)) return;
          // In the first cell that box and query share. Other cells may lie in the same column.
          const FloatBox other = table_.search_box(id);
          if (std::max(grid.cell(other.lower[grid.u_axis], grid.origin_u), first_u) == u &&
              std::max(grid.cell(other.lower[grid.v_axis], grid.origin_v), first_v) == v) {
            visit(id);
          }
        });
      }
    }
  }
}

template <class Visit>
void BoxQueries::visit_larger(const Visit& visit) const {
  for (const std::uint32_t id : levels_.larger()) visit(id);
}

/// Calls visit(id) for every box that overlaps `box`, each once.
template <class Visit>
void BoxQueries::visit_all(const FloatBox& box, const Visit& visit) const {
  for (const Levels::Level& level : levels_.levels()) visit_level(level, box, visit);
  visit_larger([this, &box, &visit](std::uint32_t id) {
    if (overlap(table_.search_box(id), box)) visit(id);
  });
}

void BoxQueries::find_overlaps(const Aabb& box, std::vector<std::uint32_t>& ids) const {
  const auto begin = static_cast<std::ptrdiff_t>(ids.size());
  visit_all(rounded_outwards(box.lower.data(), box.upper.data()), [this, &box, &ids](std::uint32_t id) {
    if (table_.widened_box(id).overlaps(box)) ids.push_back(id);
  });
  std::sort(ids.begin() + begin, ids.end());
}

/// Calls visit(id, t_begin) for every box of the levels that may be met, pieces of the ray in turn; a box may be
/// visited several times. visit() returns the t beyond which nothing matters any more.
template <class Visit>
void BoxQueries::walk_ray(const BoxRay& ray, double t_end, const Visit& visit) const {
  for (const Levels::Level& level : levels_.levels()) {
    const ColumnGrid& grid = level.grid;
    // The part of the ray within the bounds of the level.
    Aabb bounds = level.base.bounds();
    bounds.merge(level.loose.bounds());
    if (bounds.is_empty()) continue;
    double from = 0.0;
    double to = t_end;
    double size = 0.0;  // of all numbers that rounding may act on
    for (int axis = 0; axis < 3; ++axis) {
      size = std::max({size, std::abs(ray.origin[axis]), std::abs(bounds.lower[axis]), std::abs(bounds.upper[axis])});
      if (ray.direction[axis] == 0.0) {
        if (ray.origin[axis] < bounds.lower[axis] || ray.origin[axis] > bounds.upper[axis]) to = -1.0;
        continue;
      }
      const double t_lower = (bounds.lower[axis] - ray.origin[axis]) / ray.direction[axis];
      const double t_upper = (bounds.upper[axis] - ray.origin[axis]) / ray.direction[axis];
      from = std::max(from, std::min(t_lower, t_upper));
      to = std::min(to, std::max(t_lower, t_upper));
    }
    // Rounding keeps order, so a box that is met is met between these ends, computed the same way.
    if (from > to || !(from < kInfinity)) continue;
    // A direction of zero; one so short that the end of the bounds is beyond all numbers meets what lies before that.
    if (!(to < kInfinity)) to = ray.direction.isZero(0.0) ? from : std::numeric_limits<double>::max();
    // A point of the ray is off by a few units in the last place of the largest number.
    const double slack = 1e-14 * size;
    const auto u_axis = static_cast<int>(grid.u_axis);
    const auto v_axis = static_cast<int>(grid.v_axis);
    const double across = std::max(std::abs(ray.direction[u_axis]), std::abs(ray.direction[v_axis]));
    const double cells = (to - from) * across * static_cast<double>(grid.cells_per_metre);
    // Where the ray is longer than a walk is worth, one piece, whose box asks every column.
    const double most = 2.0 * static_cast<double>(grid.columns);
    const std::size_t pieces = grid.columns == 1 || !(cells < most) ? 1 : static_cast<std::size_t>(cells) + 1;
    double limit = to;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const auto count = static_cast<double>(pieces);
      const double begin = from + (to - from) * (static_cast<double>(piece) / count);
      const double end = piece + 1 == pieces ? to : from + (to - from) * (static_cast<double>(piece + 1) / count);
      if (begin > limit) break;
      double lower[3];
      double upper[3];
      for (int axis = 0; axis < 3; ++axis) {
        const double a = ray.origin[axis] + begin * ray.direction[axis];
        const double b = ray.origin[axis] + end * ray.direction[axis];
        lower[axis] = std::min(a, b) - slack;
        upper[axis] = std::max(a, b) + slack;
      }
      visit_level(level, rounded_outwards(lower, upper),
                  [&visit, &limit](std::uint32_t id) { limit = std::min(limit, visit(id)); });
    }
  }
}

void BoxQueries::find_hits(const BoxRay& ray, std::vector<RayHit>& hits) const {
  const std::size_t begin = hits.size();
  const auto add = [this, &ray, &hits](std::uint32_t id) {
    const double t = entry_of(ray, table_.widened_box(id), ray.max_t);
    if (t < kInfinity) hits.push_back({id, t});
    return kInfinity;
  };
  walk_ray(ray, ray.max_t, add);
  visit_larger(add);
  const auto first = hits.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, hits.end(),
            [](const RayHit& x, const RayHit& y) { return x.t < y.t || (x.t == y.t && x.id < y.id); });
  hits.erase(std::unique(first, hits.end()), hits.end());
}

std::optional<RayHit> BoxQueries::find_first_hit(const BoxRay& ray) const {
  RayHit best = {0, kInfinity};
  const auto improve = [this, &ray, &best](std::uint32_t id) {
    const double t = entry_of(ray, table_.widened_box(id), ray.max_t);
    if (t < best.t || (t == best.t && t < kInfinity && id < best.id)) best = {id, t};
    return best.t;
  };
  visit_larger(improve);
  walk_ray(ray, std::min(ray.max_t, best.t), improve);
  return best.t < kInfinity ? std::optional(best) : std::nullopt;
}

void BoxQueries::find_nearest(const Aabb& box, std::size_t count, std::vector<NearBox>& near) const {
  const std::size_t begin = near.size();
  const auto is_nearer = [](const NearBox& x, const NearBox& y) {
    return x.distance_sq < y.distance_sq || (x.distance_sq == y.distance_sq && x.id < y.id);
  };
  const std::size_t wanted = std::min(count, table_.size());
  if (wanted == 0 || levels_.levels().empty()) return;
  // All boxes nearer than a radius are known once it has been searched; it is doubled until they are enough.
  Aabb bounds;
  for (const Levels::Level& level : levels_.levels()) {
    bounds.merge(level.base.bounds());
    bounds.merge(level.loose.bounds());
  }
  double radius = 0.5 / static_cast<double>(levels_.levels().front().grid.cells_per_metre);
  if (!bounds.is_empty()) {
    const double gap = std::sqrt(bounds.distance_sq(box));
    radius = std::max(radius, gap + 0.01 * radius);
  }
  for (;; radius *= 2.0) {
    near.resize(begin);
    const Aabb reached = box.expanded(radius);
    visit_all(rounded_outwards(reached.lower.data(), reached.upper.data()), [this, &box, &near](std::uint32_t id) {
      near.push_back({id, table_.widened_box(id).distance_sq(box)});
    });
    const auto first = near.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::size_t found = near.size() - begin;
    if (found < wanted) continue;
    const auto last = first + static_cast<std::ptrdiff_t>(wanted);
    std::nth_element(first, last - 1, near.end(), is_nearer);
    // What has not been found is further away than the radius along some axis.
    const double size = std::max(box.lower.cwiseAbs().maxCoeff(), box.upper.cwiseAbs().maxCoeff()) + radius;
    if (found < table_.size() && !(std::sqrt((last - 1)->distance_sq) < radius - 1e-14 * size)) continue;
    std::sort(first, last, is_nearer);
    near.erase(last, near.end());
    return;
  }
}

}  // namespace abut::detail
