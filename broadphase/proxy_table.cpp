// The proxies of a broad phase: boxes as structure-of-arrays floats rounded outwards, filters and motion, by id.
#include <abut/broadphase/detail/rounding.h>
#include <abut/broadphase/proxy_table.h>
#include <abut/core/error.h>

#include <cmath>
#include <limits>
#include <string>

namespace abut {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::string proxy_name(std::uint32_t id) {
  return "proxies[" + std::to_string(id) + "]";
}

void require_box(std::uint32_t id, const Aabb& box) {
  for (int axis = 0; axis < 3; ++axis) {
    const double lower = box.lower[axis];
    const double upper = box.upper[axis];
    if (lower <= upper) continue;
    const InvalidInput error =
        std::isnan(lower)   ? InvalidInput("box.lower", axis, "must not be NaN", lower)
        : std::isnan(upper) ? InvalidInput("box.upper", axis, "must not be NaN", upper)
                            : InvalidInput("box.upper", axis, "must be >= box.lower = " + std::to_string(lower), upper);
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
  if (id >= states_.size()) {
    boxes_.resize(id + 1, kInfinity, -kInfinity);
    widened_.resize(id + 1, kInfinity, -kInfinity);
    filters_.resize(id + 1);
    states_.resize(id + 1, 0);
  }
  filters_[id] = filter;
  states_[id] = kPresent | kChanged;
  if (motion == Motion::fixed) states_[id] |= kFixed;
  if (filter != CollisionFilter{}) states_[id] |= kFiltered;
  store_box(id, box);
  ++size_;
}

void ProxyTable::remove(std::uint32_t id) {
  require_present(id);
  for (BoxArrays* boxes : {&boxes_, &widened_}) {
    for (std::vector<float>& values : boxes->lower) values[id] = kInfinity;
    for (std::vector<float>& values : boxes->upper) values[id] = -kInfinity;
  }
  states_[id] = kChanged;
  --size_;
}

void ProxyTable::set_box(std::uint32_t id, const Aabb& box) {
  require_present(id);
  require_box(id, box);
  store_box(id, box);
}

void ProxyTable::set_filter(std::uint32_t id, const CollisionFilter& filter) {
  require_present(id);
  if (filters_[id] == filter) return;
  filters_[id] = filter;
  const int rest = states_[id] & ~kFiltered;
  states_[id] = static_cast<std::uint8_t>(rest | kChanged | (filter != CollisionFilter{} ? kFiltered : 0));
}

void ProxyTable::set_motion(std::uint32_t id, Motion motion) {
  require_present(id);
  const std::uint8_t fixed = motion == Motion::fixed ? kFixed : 0;
  if ((states_[id] & kFixed) == fixed) return;
  states_[id] = static_cast<std::uint8_t>((states_[id] ^ kFixed) | kChanged);
}

void ProxyTable::set_margin(double margin) {
  require_not_negative("margin", margin);
  if (margin == margin_) return;
  margin_ = margin;
  // Half of the smallest double is zero, hence the second bound.
  half_margin_ =
      margin == 0.0 ? 0.0F : std::max(detail::round_up(0.5 * margin), std::numeric_limits<float>::denorm_min());
  for (std::uint32_t id = 0; id < id_bound(); ++id) {
    if (!contains(id)) continue;
    widen(id);
    states_[id] |= kChanged;
  }
}

Aabb ProxyTable::widened_box(std::uint32_t id) const {
  Aabb box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.lower[static_cast<Eigen::Index>(axis)] = static_cast<double>(widened_.lower[axis][id]);
    box.upper[static_cast<Eigen::Index>(axis)] = static_cast<double>(widened_.upper[axis][id]);
  }
  return box;
}

void ProxyTable::clear_changed() {
  for (std::uint8_t& state : states_) state &= static_cast<std::uint8_t>(~kChanged);
}

void ProxyTable::require_present(std::uint32_t id) const {
  if (!contains(id)) throw InvalidInput(proxy_name(id), "is not in use");
}

void ProxyTable::store_box(std::uint32_t id, const Aabb& box) {
  bool changed = false;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float lower = detail::round_down(box.lower[static_cast<Eigen::Index>(axis)]);
    const float upper = detail::round_up(box.upper[static_cast<Eigen::Index>(axis)]);
    changed = changed || lower != boxes_.lower[axis][id] || upper != boxes_.upper[axis][id];
    boxes_.lower[axis][id] = lower;
    boxes_.upper[axis][id] = upper;
  }
  if (!changed) return;
  widen(id);
  states_[id] |= kChanged;
}

void ProxyTable::widen(std::uint32_t id) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float lower = boxes_.lower[axis][id];
    const float upper = boxes_.upper[axis][id];
    widened_.lower[axis][id] = half_margin_ > 0.0F ? detail::lowered(lower, half_margin_) : lower;
    widened_.upper[axis][id] = half_margin_ > 0.0F ? detail::raised(upper, half_margin_) : upper;
  }
}

}  // namespace abut
