// The proxies of a broad phase: boxes as floats rounded outwards, filters and motion, by id.
#pragma once

#include <abut/broadphase/box_table.h>
#include <abut/core/aabb.h>
#include <abut/core/collision_filter.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace abut {

/// Whether anything has changed. Several threads may say so at once.
class ChangeFlag {
 public:
  ChangeFlag() = default;
  ChangeFlag(const ChangeFlag& other) : is_set_(other.is_set()) {}
  ChangeFlag& operator=(const ChangeFlag& other) {
    is_set_.store(other.is_set(), std::memory_order_relaxed);
    return *this;
  }

  void set() {
    if (!is_set()) is_set_.store(true, std::memory_order_relaxed);
  }
  void clear() { is_set_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool is_set() const { return is_set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_ = true;
};

/// Proxies under ids that the caller chooses. Memory grows with the largest id, so ids should be dense; an id may be
/// used again after remove().
///
/// Boxes are kept as floats that contain the box given (lower rounded down, upper rounded up); the searches widen them
/// by half the margin on every side. Coordinates beyond the range of float become the largest finite float of their
/// sign. That keeps the order of all coordinates, so boxes that overlap still do.
///
/// Changing calls exclude all others, except set_box() for different ids.
class ProxyTable : public BoxTable {
 public:
  /// Ids are below this.
  static constexpr std::uint32_t kMaxProxies = std::uint32_t{1} << 27;

  /// @param margin  Gap up to which two boxes count as overlapping, metres, finite, >= 0.
  /// @throws InvalidInput  naming "margin".
  explicit ProxyTable(double margin = 0.0);

  /// @param id   Not in use, < kMaxProxies.
  /// @param box  Not empty, finite.
  /// @throws InvalidInput  naming "proxies[id]" and the field; the table is unchanged then.
  void insert(std::uint32_t id, const Aabb& box, const CollisionFilter& filter = {}, Motion motion = Motion::moving);

  /// @throws InvalidInput  when `id` is not in use.
  void remove(std::uint32_t id);

  /// Moves a box. Several threads may call this at once for different ids.
  /// @throws InvalidInput  when `id` is not in use, the box is empty or not finite; the box is unchanged then.
  void set_box(std::uint32_t id, const Aabb& box);

  /// @throws InvalidInput  when `id` is not in use.
  void set_filter(std::uint32_t id, const CollisionFilter& filter);

  /// @throws InvalidInput  when `id` is not in use, or naming "proxies[id].motion" when it is none.
  void set_motion(std::uint32_t id, Motion motion);

  /// @throws InvalidInput  naming "margin" unless it is finite and >= 0 metres.
  void set_margin(double margin);
  [[nodiscard]] double margin() const { return margin_; }

  /// Box of a proxy as the search sees it: floats rounded outwards, widened by half the margin. `id` is in use.
  [[nodiscard]] Aabb widened_box(std::uint32_t id) const;

  /// Bytes held by the table.
  [[nodiscard]] std::size_t memory() const;

  /// Whether the filters of two proxies accept each other and one of them moves.
  [[nodiscard]] bool may_pair(std::uint32_t a, std::uint32_t b) const {
    if ((states_[a] & states_[b] & kFixed) != 0) return false;
    return ((states_[a] | states_[b]) & kFiltered) == 0 || filters_[a].accepts(filters_[b]);
  }

 protected:
  /// Starts a new period for kChanged, and forgets the largest ids where they are not in use.
  void clear_changed();
  /// Set by every change.
  [[nodiscard]] ChangeFlag& changes() { return changes_; }
  [[nodiscard]] const ChangeFlag& changes() const { return changes_; }

 private:
  void require_present(std::uint32_t id) const;
  void store_box(std::uint32_t id, const Aabb& box);
  void store_filter(std::uint32_t id, const CollisionFilter& filter);

  double margin_ = 0.0;
  std::vector<CollisionFilter> filters_;  // empty while all are the default
  ChangeFlag changes_;
};

}  // namespace abut
