// Sweep-and-prune inside columns: the course of one call. The parts are in detail/, from column_grid.h on.
#include <abut/broadphase/detail/box_queries.h>
#include <abut/broadphase/detail/fat_boxes.h>
#include <abut/broadphase/detail/levels.h>
#include <abut/broadphase/detail/pair_changes.h>
#include <abut/broadphase/detail/pair_list.h>
#include <abut/broadphase/detail/pair_selection.h>
#include <abut/broadphase/detail/parallel_each.h>
#include <abut/broadphase/detail/workers.h>
#include <abut/broadphase/sweep_and_prune.h>
#include <abut/core/error.h>

#include <algorithm>
#include <string>

namespace abut {
namespace {

// Memory that was needed once and is not any more goes back now and then.
constexpr unsigned kCallsPerTrim = 64;

constexpr std::size_t kCopyBlock = 65536;  // pairs
constexpr std::size_t kQueriesPerTask = 64;

void require_query(const Aabb& box) {
  require_finite("box.lower", box.lower);
  require_finite("box.upper", box.upper);
  for (int axis = 0; axis < 3; ++axis) {
    if (box.lower[axis] > box.upper[axis])
      throw InvalidInput("box.upper", axis, "must be >= box.lower", box.upper[axis]);
  }
}

void require_query(const BoxRay& ray) {
  require_finite("ray.origin", ray.origin);
  require_finite("ray.direction", ray.direction);
  if (!(ray.max_t >= 0.0)) throw InvalidInput("ray.max_t", "must be >= 0", ray.max_t);
}

/// Answers a batch: answer(query, items) appends. Blocks of queries are answered by one task each and put together.
template <class Query, class Item, class Answer>
void answer_all(std::span<const Query> queries, QueryLists<Item>& lists, const Answer& answer) {
  for (std::size_t k = 0; k < queries.size(); ++k) {
    try {
      require_query(queries[k]);
    } catch (const InvalidInput& error) {
      throw error.within("queries[" + std::to_string(k) + "]");
    }
  }
  const std::size_t blocks = (queries.size() + kQueriesPerTask - 1) / kQueriesPerTask;
  std::vector<std::vector<Item>> found(blocks);
  lists.begin.assign(queries.size() + 1, 0);
  detail::parallel_each(blocks, [&](std::size_t block) {
    const std::size_t end = std::min(queries.size(), (block + 1) * kQueriesPerTask);
    for (std::size_t k = block * kQueriesPerTask; k < end; ++k) {
      const std::size_t before = found[block].size();
      answer(queries[k], found[block]);
      lists.begin[k + 1] = found[block].size() - before;
    }
  });
  for (std::size_t k = 0; k < queries.size(); ++k) lists.begin[k + 1] += lists.begin[k];
  lists.items.clear();
  lists.items.reserve(lists.begin.back());
  for (const std::vector<Item>& items : found) lists.items.insert(lists.items.end(), items.begin(), items.end());
}

}  // namespace

struct SweepAndPrune::Workspace {
  detail::Levels levels;
  detail::Workers workers;
  detail::PairChunkPool chunks;
  detail::PairList list;
  detail::FatBoxes fat;
  detail::PairSelection selection;       // of the list, where its pairs are those of fat boxes
  detail::PairSelection last_selection;  // scratch where changes are asked for
  detail::PairChanges changes;
  bool is_selected = false;  // whether the pairs are the selection or all of the list
  bool is_indexed = false;
  unsigned calls = 0;

  [[nodiscard]] std::span<const ProxyPair> pairs() const { return is_selected ? selection.pairs() : list.pairs(); }
};

SweepAndPrune::SweepAndPrune(double margin) : ProxyTable(margin), workspace_(std::make_unique<Workspace>()) {}
SweepAndPrune::~SweepAndPrune() = default;
SweepAndPrune::SweepAndPrune(SweepAndPrune&&) noexcept = default;
SweepAndPrune& SweepAndPrune::operator=(SweepAndPrune&&) noexcept = default;

void SweepAndPrune::update(std::vector<ProxyPair>* began, std::vector<ProxyPair>* ended) {
  Workspace& work = *workspace_;
  if (!any_changed()) {
    if (began != nullptr) began->clear();
    if (ended != nullptr) ended->clear();
    return;
  }
  work.is_indexed = false;
  work.fat.update(*this);
  const bool is_selected = work.fat.is_on();
  // The list compares with the one before where both have all the pairs there are.
  const bool compares = began != nullptr && (work.is_selected || is_selected);
  if (compares) {
    if (work.is_selected) {
      std::swap(work.selection, work.last_selection);
    } else {
      work.last_selection.assign(work.list.pairs());
    }
  }
  if (work.is_selected && !is_selected) mark_changed_fat_boxes();
  const BoxTable& boxes = is_selected ? static_cast<const BoxTable&>(work.fat) : *this;
  if (boxes.any_changed()) sweep(boxes, compares ? nullptr : began, compares ? nullptr : ended);
  if (is_selected) {
    work.selection.select(work.fat, work.list.pairs());
    work.fat.clear_changed();
  }
  work.is_selected = is_selected;
  if (compares) work.changes.find(work.last_selection.pairs(), work.pairs(), *began, *ended);
  clear_changed();
  if (++work.calls % kCallsPerTrim == 0) {
    work.levels.trim(*this, is_selected ? size() : 0);  // all may leave their fat boxes at once
    work.list.trim();
    work.chunks.trim(work.list.pairs().size());
    work.selection.trim();
    work.last_selection.trim();
  }
}

/// Brings the list up to date with what has changed in the boxes that are swept.
void SweepAndPrune::sweep(const BoxTable& boxes, std::vector<ProxyPair>* began, std::vector<ProxyPair>* ended) {
  Workspace& work = *workspace_;
  const detail::SweepContext context = {this, &boxes, &work.levels.in_base(), &work.chunks};
  work.list.prepare(context, id_bound(), work.workers);
  work.chunks.reset(work.list.slab_bound(work.workers));
  work.levels.update(boxes, work.workers);
  work.levels.find_pairs(context, work.workers);
  work.list.update(work.levels.in_base(), work.levels.base_count() != 0, work.workers, began, ended);
  work.workers.match_room();  // the next sweep may be many calls away, when all have settled
}

/// Where fat boxes were swept, and are not any more: the list has been told of others than there are.
void SweepAndPrune::mark_changed_fat_boxes() {
  for (std::uint32_t id = 0; id < id_bound(); ++id) {
    if (workspace_->fat.has_room(*this, id)) states_[id] |= kChanged;
  }
}

void SweepAndPrune::update() {
  update(nullptr, nullptr);
}

void SweepAndPrune::update(std::vector<ProxyPair>& began, std::vector<ProxyPair>& ended) {
  update(&began, &ended);
}

std::span<const ProxyPair> SweepAndPrune::pairs() const {
  return workspace_->pairs();
}

void SweepAndPrune::find_pairs(std::vector<ProxyPair>& pairs) {
  update(nullptr, nullptr);
  const std::span<const ProxyPair> list = workspace_->pairs();
  pairs.resize(list.size());
  detail::parallel_each((list.size() + kCopyBlock - 1) / kCopyBlock, [&pairs, list](std::size_t block) {
    const std::span<const ProxyPair> part =
        list.subspan(block * kCopyBlock, std::min(kCopyBlock, list.size() - block * kCopyBlock));
    std::copy(part.begin(), part.end(), pairs.data() + block * kCopyBlock);
  });
}

void SweepAndPrune::index() {
  if (is_indexed()) return;
  Workspace& work = *workspace_;
  work.fat.suspend();
  if (work.is_selected) mark_changed_fat_boxes();
  const detail::SweepContext context = {this, this, &work.levels.in_base(), &work.chunks};
  work.workers.reset(context, 0, 0);
  work.levels.index(*this, work.workers);
  work.is_indexed = true;
  changes().clear();
}

bool SweepAndPrune::is_indexed() const {
  return workspace_->is_indexed && !changes().is_set();
}

void SweepAndPrune::require_indexed() const {
  if (!is_indexed()) throw InvalidInput("query", "needs index() after the last change of a proxy");
}

void SweepAndPrune::find_overlaps(const Aabb& box, std::vector<std::uint32_t>& ids) const {
  require_indexed();
  require_query(box);
  ids.clear();
  detail::BoxQueries(*this, workspace_->levels).find_overlaps(box, ids);
}

void SweepAndPrune::find_overlaps(std::span<const Aabb> boxes, QueryLists<std::uint32_t>& ids) const {
  require_indexed();
  const detail::BoxQueries queries(*this, workspace_->levels);
  answer_all(boxes, ids, [&queries](const Aabb& box, auto& items) { queries.find_overlaps(box, items); });
}

void SweepAndPrune::find_hits(const BoxRay& ray, std::vector<RayHit>& hits) const {
  require_indexed();
  require_query(ray);
  hits.clear();
  detail::BoxQueries(*this, workspace_->levels).find_hits(ray, hits);
}

void SweepAndPrune::find_hits(std::span<const BoxRay> rays, QueryLists<RayHit>& hits) const {
  require_indexed();
  const detail::BoxQueries queries(*this, workspace_->levels);
  answer_all(rays, hits, [&queries](const BoxRay& ray, auto& items) { queries.find_hits(ray, items); });
}

std::optional<RayHit> SweepAndPrune::find_first_hit(const BoxRay& ray) const {
  require_indexed();
  require_query(ray);
  return detail::BoxQueries(*this, workspace_->levels).find_first_hit(ray);
}

void SweepAndPrune::find_first_hits(std::span<const BoxRay> rays, std::vector<std::optional<RayHit>>& hits) const {
  require_indexed();
  for (std::size_t k = 0; k < rays.size(); ++k) {
    try {
      require_query(rays[k]);
    } catch (const InvalidInput& error) {
      throw error.within("queries[" + std::to_string(k) + "]");
    }
  }
  hits.assign(rays.size(), std::nullopt);
  const detail::BoxQueries queries(*this, workspace_->levels);
  detail::parallel_each((rays.size() + kQueriesPerTask - 1) / kQueriesPerTask, [&](std::size_t block) {
    const std::size_t end = std::min(rays.size(), (block + 1) * kQueriesPerTask);
    for (std::size_t k = block * kQueriesPerTask; k < end; ++k) hits[k] = queries.find_first_hit(rays[k]);
  });
}

void SweepAndPrune::find_nearest(const Aabb& box, std::size_t count, std::vector<NearBox>& near) const {
  require_indexed();
  require_query(box);
  near.clear();
  detail::BoxQueries(*this, workspace_->levels).find_nearest(box, count, near);
}

void SweepAndPrune::find_nearest(std::span<const Aabb> boxes, std::size_t count, QueryLists<NearBox>& near) const {
  require_indexed();
  const detail::BoxQueries queries(*this, workspace_->levels);
  answer_all(boxes, near, [&queries, count](const Aabb& box, auto& items) { queries.find_nearest(box, count, items); });
}

std::size_t SweepAndPrune::memory() const {
  const Workspace& work = *workspace_;
  std::size_t bytes = ProxyTable::memory() + sizeof(*this) + sizeof(Workspace);
  bytes += work.levels.memory() + work.chunks.memory() + work.list.memory();
  bytes += work.fat.memory() + work.selection.memory() + work.last_selection.memory() + work.changes.memory();
  for (const std::unique_ptr<detail::Worker>& worker : work.workers.all()) bytes += worker->memory();
  return bytes;
}

}  // namespace abut
