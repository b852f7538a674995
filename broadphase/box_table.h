// Boxes by id as the sweeps read them: structure-of-arrays floats, and a byte that says what has become of each.
#pragma once

#include <abut/broadphase/detail/rounding.h>

#include <array>
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

/// What is swept: the boxes of a ProxyTable, or larger ones in their place. Who fills it derives from it.
class BoxTable {
 public:
  [[nodiscard]] bool contains(std::uint32_t id) const { return id < states_.size() && (states_[id] & kPresent) != 0; }
  /// Number of boxes.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Ids in use are below this. It falls again when the largest ids are removed, with the next search.
  [[nodiscard]] std::uint32_t id_bound() const { return static_cast<std::uint32_t>(states_.size()); }
  /// What a search widens a box by on every side, metres.
  [[nodiscard]] float half_margin() const { return half_margin_; }

  /// Bits of states().
  enum State : std::uint8_t {
    kPresent = 1,
    kFixed = 2,
    kFiltered = 4,  ///< The filter is not the default one, which accepts every other default.
    kChanged = 8,   ///< Inserted, removed, or changed in any way since clear_changed().
    kRenewed = 16,  ///< The same, but not by set_box() alone.
  };
  /// One byte an id, id_bound() of them.
  [[nodiscard]] std::span<const std::uint8_t> states() const { return states_; }
  /// Whether any id has kChanged.
  [[nodiscard]] bool any_changed() const;
  /// Boxes, not widened; ids not in use hold [+infinity, -infinity], which overlaps nothing.
  [[nodiscard]] const BoxArrays& boxes() const { return boxes_; }
  /// Box of an id, widened by half_margin().
  [[nodiscard]] FloatBox search_box(std::uint32_t id) const {
    FloatBox box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.lower[axis] = boxes_.lower[axis][id];
      box.upper[axis] = boxes_.upper[axis][id];
    }
    if (half_margin_ > 0.0F) detail::widen(box.lower.data(), box.upper.data(), half_margin_);
    return box;
  }

 protected:
  BoxTable() = default;
  ~BoxTable() = default;
  BoxTable(const BoxTable&) = default;
  BoxTable(BoxTable&&) = default;
  BoxTable& operator=(const BoxTable&) = default;
  BoxTable& operator=(BoxTable&&) = default;

  /// Makes room for ids below `bound`; new ones are not in use.
  void extend(std::size_t bound);
  /// Starts a new period for kChanged, and forgets the largest ids where they are not in use.
  void clear_changed();
  void store(std::uint32_t id, const FloatBox& box) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      boxes_.lower[axis][id] = box.lower[axis];
      boxes_.upper[axis][id] = box.upper[axis];
    }
  }
  /// Leaves a box that overlaps nothing.
  void erase(std::uint32_t id);
  /// Bytes held.
  [[nodiscard]] std::size_t memory() const;

  float half_margin_ = 0.0F;
  std::size_t size_ = 0;
  BoxArrays boxes_;
  std::vector<std::uint8_t> states_;
};

}  // namespace abut
