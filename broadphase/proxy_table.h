// The proxies of a broad phase: boxes as structure-of-arrays floats rounded outwards, filters and motion, by id.
#pragma once

#include <abut/broadphase/detail/rounding.h>
#include <abut/core/aabb.h>
#include <abut/core/collision_filter.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut {

/// Boxes as six arrays of floats, metres, indexed by proxy id.
struct BoxArrays {
  std::array<std::vector<float>, 3> lower;
  std::array<std::vector<float>, 3> upper;

  void resize(std::size_t count, float lower_value, float upper_value) {
    for (std::vector<float>& values : lower) values.resize(count, lower_value);
    for (std::vector<float>& values : upper) values.resize(count, upper_value);
  }
};

/// One box of a broad phase, metres.
struct FloatBox {
  std::array<float, 3> lower;
  std::array<float, 3> upper;
};

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
class ProxyTable {
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

  /// @throws InvalidInput  when `id` is not in use.
  void set_motion(std::uint32_t id, Motion motion);

  /// @throws InvalidInput  naming "margin" unless it is finite and >= 0 metres.
  void set_margin(double margin);
  [[nodiscard]] double margin() const { return margin_; }

  [[nodiscard]] bool contains(std::uint32_t id) const { return id < states_.size() && (states_[id] & kPresent) != 0; }
  /// Number of proxies.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Ids in use are below this. It falls again when the largest ids are removed, with the next search.
  [[nodiscard]] std::uint32_t id_bound() const { return static_cast<std::uint32_t>(states_.size()); }

  /// Half the margin, or the next float above it: what a search widens a box by on every side.
  [[nodiscard]] float half_margin() const { return half_margin_; }
  /// Box of a proxy as the search sees it: floats rounded outwards, widened by half the margin. `id` is in use.
  [[nodiscard]] Aabb widened_box(std::uint32_t id) const;

  /// Bytes held by the table.
  [[nodiscard]] std::size_t memory() const;

  // What the searches read.

  /// Bits of states().
  enum State : std::uint8_t {
    kPresent = 1,
    kFixed = 2,
    kFiltered = 4,  ///< The filter is not the default one, which accepts every other default.
    kChanged = 8,   ///< Inserted, removed, or changed in any way since clear_changed().
  };
  /// One byte an id, id_bound() of them.
  [[nodiscard]] std::span<const std::uint8_t> states() const { return states_; }
  /// Boxes, not widened; ids not in use hold [+infinity, -infinity], which overlaps nothing.
  [[nodiscard]] const BoxArrays& boxes() const { return boxes_; }
  /// Box of an id, widened as widened_box().
  [[nodiscard]] FloatBox search_box(std::uint32_t id) const {
    FloatBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lower[axis] = boxes_.lower[axis][id];
      box.upper[axis] = boxes_.upper[axis][id];
    }
    if (half_margin_ > 0.0F) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.lower[axis] = detail::lowered(box.lower[axis], half_margin_);
        box.upper[axis] = detail::raised(box.upper[axis], half_margin_);
      }
    }
    return box;
  }
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
  /// Whether any id has kChanged.
  [[nodiscard]] bool any_changed() const;

 private:
  void require_present(std::uint32_t id) const;
  void store_box(std::uint32_t id, const Aabb& box);
  void store_filter(std::uint32_t id, const CollisionFilter& filter);

  double margin_ = 0.0;
  float half_margin_ = 0.0F;  // at least margin_ / 2
  std::size_t size_ = 0;
  BoxArrays boxes_;
  std::vector<CollisionFilter> filters_;  // empty while all are the default
  std::vector<std::uint8_t> states_;
  ChangeFlag changes_;
};

}  // namespace abut
