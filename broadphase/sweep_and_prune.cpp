// Sweep-and-prune inside columns: the course of one call. The parts are in detail/, from column_grid.h on.
#include <abut/broadphase/detail/levels.h>
#include <abut/broadphase/detail/pair_list.h>
#include <abut/broadphase/detail/pair_pool.h>
#include <abut/broadphase/sweep_and_prune.h>

#include <algorithm>
#include <span>

namespace abut {

struct SweepAndPrune::Workspace {
  detail::Levels levels;
  detail::PairPool found;  // pairs with a changed proxy
  detail::PairList list;
};

SweepAndPrune::SweepAndPrune(double margin) : ProxyTable(margin), workspace_(std::make_unique<Workspace>()) {}
SweepAndPrune::~SweepAndPrune() = default;
SweepAndPrune::SweepAndPrune(SweepAndPrune&&) noexcept = default;
SweepAndPrune& SweepAndPrune::operator=(SweepAndPrune&&) noexcept = default;

void SweepAndPrune::find_pairs(std::vector<ProxyPair>& pairs) {
  const bool changed =
      std::any_of(states().begin(), states().end(), [](std::uint8_t state) { return (state & kChanged) != 0; });
  if (changed) {
    Workspace& work = *workspace_;
    work.levels.update(*this);
    do {
      work.found.clear();
      work.levels.find_pairs(*this, work.found);
    } while (!work.found.complete_or_grow());
    work.list.update(work.found.pairs(), *this);
    clear_changed();
  }
  const std::span<const ProxyPair> list = workspace_->list.pairs();
  pairs.assign(list.begin(), list.end());
}

}  // namespace abut
