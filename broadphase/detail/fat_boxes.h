// Larger boxes, swept in the place of those of slow proxies: while a box stays within its fat one, the pairs of the fat
// boxes stay as they are, and those of the boxes themselves are chosen from them.
//
// Sources: Verlet, "Computer Experiments on Classical Fluids I" (1967), for lists of neighbours that hold for some
// steps; Catto, "Dynamic Bounding Volume Hierarchies" (GDC 2019), for boxes with room to move. Departures: how much
// room a box has follows from the sizes around it, since that decides what the room costs, and from how soon it has
// left the last one; and where most boxes leave theirs at once, they have none.
#pragma once

#include <abut/broadphase/box_table.h>
#include <abut/broadphase/detail/id_bits.h>
#include <abut/broadphase/proxy_pair.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace abut::detail {

/// The fat boxes of a table while they pay, which a sample of the boxes that move tells beforehand, and how many leave
/// theirs afterwards. A box that rests or is fixed is its own fat box.
class FatBoxes : public BoxTable {
 public:
  /// Takes up what has changed in the table since the last call, and switches fat boxes on or off. Changed are then the
  /// boxes that have left theirs, and those that were inserted, removed or given another filter, motion or margin.
  void update(const BoxTable& table);
  /// Whether the fat boxes are to be swept. Where update() has switched them off, has_room() says which boxes the last
  /// sweep has seen larger than they are.
  [[nodiscard]] bool is_on() const { return is_on_; }
  /// Whether a box of the table is not the fat one of the last update().
  [[nodiscard]] bool has_room(const BoxTable& table, std::uint32_t id) const;
  /// Switches them off, and keeps them off for some calls.
  void suspend();

  /// Whether most boxes are their own fat ones, since they rest or are fixed: their pairs need no look.
  [[nodiscard]] bool do_most_rest() const { return 4 * roomy_count_ < size(); }
  /// Whether one of a pair has room: else their own boxes overlap where the fat ones do.
  [[nodiscard]] bool has_room(const ProxyPair& pair) const {
    return roomy_.contains(pair.a) || roomy_.contains(pair.b);
  }
  /// Whether the boxes of a pair of the table overlap, both widened by its margin. Only while they are on.
  [[nodiscard]] bool do_own_overlap(const ProxyPair& pair) const {
    const OwnBox& a = own_[pair.a];
    const OwnBox& b = own_[pair.b];
#if defined(__SSE2__)
    const __m128 begins = _mm_cmple_ps(_mm_load_ps(a.lower.data()), _mm_load_ps(b.upper.data()));
    const __m128 ends = _mm_cmple_ps(_mm_load_ps(b.lower.data()), _mm_load_ps(a.upper.data()));
    return _mm_movemask_ps(_mm_and_ps(begins, ends)) == 15;
#else
    bool overlap = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      overlap &= a.lower[axis] <= b.upper[axis] && b.lower[axis] <= a.upper[axis];
    }
    return overlap;
#endif
  }

  /// After a sweep.
  void clear_changed() {
    BoxTable::clear_changed();
  }
  [[nodiscard]] std::size_t memory() const;

 private:
  /// A box of the table, widened by its margin, as two registers. Along the fourth axis, all zero, any two overlap.
  struct alignas(32) OwnBox {
    std::array<float, 4> lower;
    std::array<float, 4> upper;
  };
  /// How long a box has stayed within its fat one, and what that says of the room that it needs. Calls are counted
  /// modulo 2^16: a box that has stayed for so long may pass for one that has left soon.
  struct Stay {
    std::uint16_t since = 0;    ///< The call in which the fat box was made.
    std::uint8_t more = 0;      ///< Times that the room of others is added to its own.
    std::uint8_t patience = 0;  ///< Times that the calls double after which room is taken back.
    bool has_less = false;      ///< Whether the fat box was made to take room back.

    /// Calls since the fat box was made.
    [[nodiscard]] std::uint16_t age(std::uint16_t call) const { return static_cast<std::uint16_t>(call - since); }
  };
  struct Counts {
    std::size_t moved = 0;
    std::size_t left = 0;  ///< Of those that moved: beyond their fat boxes.
  };
  /// Some proxies that may move, evenly spread over the ids, and where they were.
  struct Sample {
    static constexpr std::size_t kSize = 256;
    std::array<std::uint32_t, kSize> ids;
    std::array<FloatBox, kSize> boxes;
    std::size_t count = 0;

    void take(const BoxTable& table);
  };

  /// @param times  How many times the room of a box that stays.
  [[nodiscard]] float room_of(const FloatBox& box, float times = 1.0F) const;
  [[nodiscard]] bool are_slow(const BoxTable& table);
  void measure_common_size(const BoxTable& table);
  void switch_on(const BoxTable& table);
  /// Of a box that has changed. @return Whether its fat box is larger; as does set_fat_box().
  [[nodiscard]] bool take_up(const BoxTable& table, std::uint32_t id, bool had_room, Counts& counts);
  void set_own_box(std::uint32_t id, const FloatBox& box);
  [[nodiscard]] bool set_fat_box(std::uint32_t id, const FloatBox& box, std::uint8_t state);
  void take_room_back(const BoxTable& table);
  void count_roomy();

  bool is_on_ = false;
  std::vector<OwnBox> own_;        // by id, of those in use, while they are on
  std::vector<Stay> stays_;        // as own_
  std::uint16_t call_number_ = 0;  // modulo 2^16
  bool do_few_leave_ = false;      // of late
  IdBits roomy_;                   // whose fat box is larger
  std::size_t roomy_count_ = 0;
  std::vector<Counts> counts_;  // scratch, by block
  Sample sample_;
  bool is_sampled_ = false;   // in the last call
  std::size_t calls_ = 0;     // until the next one
  Counts recent_;             // of the last calls, while they are on
  float common_size_ = 0.0F;  // metres
};

}  // namespace abut::detail
