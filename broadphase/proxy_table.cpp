// The proxies of a broad phase: boxes as floats rounded outwards, filters and motion, by id.
#include <abut/broadphase/proxy_table.h>
#include <abut/core/error.h>
#include <abut/core/infinity.h>
#include <abut/core/require_enum.h>

#include <cmath>
#include <limits>
#include <string>

namespace abut {
namespace {

std::string proxy_name(std::uint32_t id) {
  return "proxies[" + std::to_string(id) + "]";
}

bool is_valid(const Aabb& box) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const double* const lower = box.lower.data();
  const double* const upper = box.upper.data();
  unsigned failures = 0;
  for (int axis = 0; axis < 3; ++axis) {
    // NaN fails as well. Without branches: nearly all boxes are valid, and all of them are tested.
    failures |= static_cast<unsigned>(!(lower[axis] <= upper[axis]));
    failures |= static_cast<unsigned>(!(lower[axis] >= -kLargest));
    failures |= static_cast<unsigned>(!(upper[axis] <= kLargest));
  }
  return failures == 0;
}

void require_box(std::uint32_t id, const Aabb& box) {
  if (is_valid(box)) return;
  for (int axis = 0; axis < 3; ++axis) {
    const double lower = box.lower[axis];
    const double upper = box.upper[axis];
    if (lower <= upper && std::isfinite(lower) && std::isfinite(upper)) continue;
    const InvalidInput error =
        std::isnan(lower)   ? InvalidInput("box.lower", axis, "must not be NaN", lower)
        : std::isnan(upper) ? InvalidInput("box.upper", axis, "must not be NaN", upper)
        : lower > upper     ? InvalidInput("box.upper", axis, "must be >= box.lower = " + std::to_string(lower), upper)
        : std::isinf(lower) ? InvalidInput("box.lower", axis, "must be finite", lower)
                            : InvalidInput("box.upper", axis, "must be finite", upper);
    throw error.within(proxy_name(id));
  }
}

void require_motion(std::uint32_t id, Motion motion) {
  try {
    detail::require_enum("motion", motion, Motion::moving);
  } catch (const InvalidInput& error) {
    throw error.within(proxy_name(id));
  }
}

}  // namespace

ProxyTable::ProxyTable(double margin) {
  set_margin(margin);
}

void ProxyTable::insert(std::uint32_t id, const Aabb& box, const CollisionFilter& filter, Motion motion) {
  if (id >= kMaxProxies) throw InvalidInput(proxy_name(id), "id must be < " + std::to_string(kMaxProxies));
  if (contains(id)) throw InvalidInput(proxy_name(id), "is in use already");
  require_box(id, box);
  require_motion(id, motion);
  extend(std::size_t{id} + 1);
  store_filter(id, filter);
  states_[id] = kPresent | kChanged | kRenewed;
  if (motion == Motion::fixed) states_[id] |= kFixed;
  if (filter != CollisionFilter{}) states_[id] |= kFiltered;
  store_box(id, box);
  changes_.set();
  ++size_;
}

void ProxyTable::remove(std::uint32_t id) {
  require_present(id);
  erase(id);
  states_[id] = kChanged | kRenewed;
  --size_;
  changes_.set();
}

void ProxyTable::set_box(std::uint32_t id, const Aabb& box) {
  require_present(id);
  require_box(id, box);
  store_box(id, box);
}

void ProxyTable::set_filter(std::uint32_t id, const CollisionFilter& filter) {
  require_present(id);
  if (filters_.empty() ? filter == CollisionFilter{} : filters_[id] == filter) return;
  store_filter(id, filter);
  const int rest = states_[id] & ~kFiltered;
  states_[id] = static_cast<std::uint8_t>(rest | kChanged | kRenewed | (filter != CollisionFilter{} ? kFiltered : 0));
}

void ProxyTable::set_motion(std::uint32_t id, Motion motion) {
  require_present(id);
  require_motion(id, motion);
  const std::uint8_t fixed = motion == Motion::fixed ? kFixed : 0;
  if ((states_[id] & kFixed) == fixed) return;
  states_[id] = static_cast<std::uint8_t>((states_[id] ^ kFixed) | kChanged | kRenewed);
}

void ProxyTable::set_margin(double margin) {
  require_not_negative("margin", margin);
  if (margin == margin_) return;
  margin_ = margin;
  // Half of the smallest double is zero, hence the second bound.
  half_margin_ =
      margin == 0.0 ? 0.0F : std::max(detail::round_up(0.5 * margin), std::numeric_limits<float>::denorm_min());
  changes_.set();
  for (std::uint8_t& state : states_) {
    state = static_cast<std::uint8_t>(state | ((state & kPresent) != 0 ? kChanged | kRenewed : 0));
  }
}

Aabb ProxyTable::widened_box(std::uint32_t id) const {
  const FloatBox widened = search_box(id);
  Aabb box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.lower[static_cast<Eigen::Index>(axis)] = static_cast<double>(widened.lower[axis]);
    box.upper[static_cast<Eigen::Index>(axis)] = static_cast<double>(widened.upper[axis]);
  }
  return box;
}

std::size_t ProxyTable::memory() const {
  return BoxTable::memory() + filters_.capacity() * sizeof(CollisionFilter);
}

void ProxyTable::clear_changed() {
  BoxTable::clear_changed();
  if (filters_.size() <= states_.size()) return;
  filters_.resize(states_.size());
  if (filters_.capacity() > 4 * filters_.size() + 1024) filters_.shrink_to_fit();
}

void ProxyTable::require_present(std::uint32_t id) const {
  if (!contains(id)) throw InvalidInput(proxy_name(id), "is not in use");
}

void ProxyTable::store_filter(std::uint32_t id, const CollisionFilter& filter) {
  if (filters_.empty() && filter == CollisionFilter{}) return;
  if (filters_.size() < states_.size()) filters_.resize(states_.size());
  filters_[id] = filter;
}

void ProxyTable::store_box(std::uint32_t id, const Aabb& box) {
  float ends[6];
  detail::round_outwards(box.lower.data(), box.upper.data(), ends);
  unsigned changed = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float lower = ends[axis];
    const float upper = ends[3 + axis];
    changed |= static_cast<unsigned>(lower != boxes_.lower[axis][id]);
    changed |= static_cast<unsigned>(upper != boxes_.upper[axis][id]);
    boxes_.lower[axis][id] = lower;
    boxes_.upper[axis][id] = upper;
  }
  if (changed == 0) return;
  states_[id] |= kChanged;
  changes_.set();
}

}  // namespace abut
