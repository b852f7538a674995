// What every broad phase offers. A concept and not a base class: the choice is made where the program is compiled, and
// no call goes through a table.
#pragma once

#include <abut/broadphase/proxy_pair.h>
#include <abut/core/aabb.h>
#include <abut/core/collision_filter.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut {

/// Boxes under small integer ids in, candidate pairs out.
///
/// `find_pairs(pairs)` replaces the contents of `pairs` by every pair of proxies whose boxes overlap once both are
/// widened by half the margin (touching counts), whose filters accept each other, and of which at least one is moving.
/// Each pair is there once, with a < b, sorted by (a, b). The list depends on the proxies alone: neither on their
/// history nor on the number of threads. Edge errors are InvalidInput; see ProxyTable for the rules.
template <class T>
concept BroadPhase = requires(T broad, const T& constant, std::uint32_t id, const Aabb& box,
                              const CollisionFilter& filter, Motion motion, double margin,
                              std::vector<ProxyPair>& pairs) {
  T(margin);
  broad.insert(id, box, filter, motion);
  broad.remove(id);
  broad.set_box(id, box);
  broad.set_filter(id, filter);
  broad.set_motion(id, motion);
  broad.set_margin(margin);
  broad.find_pairs(pairs);
  { constant.margin() } -> std::same_as<double>;
  { constant.contains(id) } -> std::same_as<bool>;
  { constant.size() } -> std::same_as<std::size_t>;
};

}  // namespace abut
