// The proxies of a broad phase: boxes as structure-of-arrays floats rounded outwards, filters and motion, by id.
#include <abut/broadphase/proxy_table.h>
#include <abut/core/error.h>
#include <abut/core/infinity.h>

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

}  // namespace

ProxyTable::ProxyTable(double margin) {
  set_margin(margin);
}

void ProxyTable::insert(std::uint32_t id, const Aabb& box, const CollisionFilter& filter, Motion motion) {
  if (id >= kMaxProxies) throw InvalidInput(proxy_name(id), "id must be < " + std::to_string(kMaxProxies));
  if (contains(id)) throw InvalidInput(proxy_name(id), "is in use already");
  require_box(id, box);
  if (id >= states_.size()) {
    boxes_.resize(id + 1, kFloatInfinity, -kFloatInfinity);
    states_.resize(id + 1, 0);
  }
  store_filter(id, filter);
  states_[id] = kPresent | kChanged;
  if (motion == Motion::fixed) states_[id] |= kFixed;
  if (filter != CollisionFilter{}) states_[id] |= kFiltered;
  store_box(id, box);
  changes_.set();
  ++size_;
}

void ProxyTable::remove(std::uint32_t id) {
  require_present(id);
  for (std::vector<float>& values : boxes_.lower) values[id] = kFloatInfinity;
  for (std::vector<float>& values : boxes_.upper) values[id] = -kFloatInfinity;
  states_[id] = kChanged;
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
  changes_.set();
  for (std::uint8_t& state : states_) {
    state = static_cast<std::uint8_t>(state | ((state & kPresent) != 0 ? kChanged : 0));
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
  std::size_t bytes = states_.capacity() + filters_.capacity() * sizeof(CollisionFilter);
  for (const std::vector<float>& values : boxes_.lower) bytes += values.capacity() * sizeof(float);
  for (const std::vector<float>& values : boxes_.upper) bytes += values.capacity() * sizeof(float);
  return bytes;
}

void ProxyTable::clear_changed() {
  for (std::uint8_t& state : states_) state &= static_cast<std::uint8_t>(~kChanged);
  std::size_t bound = states_.size();
  while (bound != 0 && states_[bound - 1] == 0) --bound;
  if (bound == states_.size()) return;
  const auto resize = [bound](auto& values) {
    values.resize(bound);
    if (values.capacity() > 4 * bound + 1024) values.shrink_to_fit();
  };
  for (std::vector<float>& values : boxes_.lower) resize(values);
  for (std::vector<float>& values : boxes_.upper) resize(values);
  if (!filters_.empty()) resize(filters_);
  resize(states_);
}

bool ProxyTable::any_changed() const {
  std::uint8_t all = 0;
  for (const std::uint8_t state : states_) all |= state;
  return (all & kChanged) != 0;
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
