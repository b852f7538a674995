// The bodies of a scene in numbered slots, with generations that make handles of removed bodies stale.
#pragma once

#include <abut/core/large_arrays.h>
#include <abut/core/obb.h>
#include <abut/core/prefetch.h>
#include <abut/world/body.h>
#include <abut/world/detail/body_motion.h>
#include <abut/world/detail/vector_bytes.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace abut::detail {

/// What a scene knows of one body.
struct Body {
  Shape shape;
  Pose pose;  ///< world_from_body
  Motion motion;
  CollisionFilter filter;
  bool is_sensor;
  Obb obb;              ///< Body frame, margin included.
  double size;          ///< Of the box the half extents and the centre's distances along the axes, together, metres.
  bool bounded;         ///< Has a finite box.
  bool has_large_hull;  ///< Is a hull whose data is worth fetching ahead.
};

/// See Body.
[[nodiscard]] double size_of(const Obb& obb);
[[nodiscard]] bool has_large_hull(const Shape& shape);

class BodyTable {
 public:
  /// Takes the lowest free slot.
  BodyId insert(const BodyDescription& description);
  /// Frees the slot; every handle given out for it is stale from now on.
  void remove(std::uint32_t slot);

  [[nodiscard]] bool contains(BodyId id) const {
    return id.slot < used_.size() && used_[id.slot] == id.generation && id.generation != 0;
  }
  /// @param field  What the error calls the handle. @throws InvalidInput  unless it names a body of this table.
  void require(BodyId id, std::string_view field) const {
    if (!contains(id)) throw_unknown(id, field);
  }
  /// The slot of a body of this table; throws as require() does.
  [[nodiscard]] std::uint32_t slot_of(BodyId id, std::string_view field = "body") const {
    require(id, field);
    return id.slot;
  }

  [[nodiscard]] std::size_t body_count() const { return bodies_.size() - free_slots_.size() - retired_slots_; }
  /// One more than the highest slot that was ever used.
  [[nodiscard]] std::uint32_t slot_count() const { return static_cast<std::uint32_t>(bodies_.size()); }
  [[nodiscard]] bool is_used(std::uint32_t slot) const { return used_[slot] != 0; }
  /// Handle of the body in a used slot.
  [[nodiscard]] BodyId id(std::uint32_t slot) const { return {slot, generations_[slot]}; }
  /// Asks memory for what id() reads.
  void fetch_id(std::uint32_t slot) const { prefetch(&generations_[slot]); }

  /// The slots' memory, one after another; for prefetching.
  [[nodiscard]] std::span<const std::optional<Body>> memory() const { return bodies_; }
  /// Bytes held.
  [[nodiscard]] std::size_t bytes() const {
    return vector_bytes(bodies_, motions_, generations_, used_, traits_, free_slots_);
  }

  /// @param slot  A used one.
  [[nodiscard]] Body& operator[](std::uint32_t slot) { return *bodies_[slot]; }
  [[nodiscard]] const Body& operator[](std::uint32_t slot) const { return *bodies_[slot]; }
  /// Fetches a body ahead of its use: it was moved by one thread, and is read by others.
  void fetch(std::uint32_t slot) const {
    constexpr std::size_t kLine = 64;  // bytes of a line of the cache
    const auto* const first = reinterpret_cast<const char*>(&bodies_[slot]);
    for (std::size_t done = 0; done < sizeof(bodies_[slot]); done += kLine) prefetch(first + done);
  }

  /// Whether two bodies may be a pair: not two sensors, and not two unbounded ones, which have no distance.
  [[nodiscard]] bool may_pair(std::uint32_t slot, std::uint32_t other) const {
    return (traits_[slot] & traits_[other]) == 0;
  }
  void set_sensor(std::uint32_t slot, bool is_sensor);
  void set_shape(std::uint32_t slot, const Shape& shape);

  /// It is kept when the slot changes hands, so that sums never fall but from those of an unbounded body.
  [[nodiscard]] BodyMotion& motion(std::uint32_t slot) { return motions_[slot]; }
  [[nodiscard]] const BodyMotion& motion(std::uint32_t slot) const { return motions_[slot]; }

  // For a table that is read back.

  /// Of the body in the slot or, in a free slot, of the next one; 0: the slot is used up.
  [[nodiscard]] std::uint32_t generation(std::uint32_t slot) const { return generations_[slot]; }
  /// Adds a slot at the end. @param body  Null in a free slot; else the generation is not 0.
  void append(std::uint32_t generation, const BodyMotion& motion, const BodyDescription* body);

 private:
  enum Trait : std::uint8_t { kSensor = 1, kUnbounded = 2 };

  /// So that nothing fails for want of memory once a slot has begun, nor when it is freed.
  void make_room_for_one();
  void update_traits(std::uint32_t slot);
  [[noreturn]] static void throw_unknown(BodyId id, std::string_view field);

  LargeVector<std::optional<Body>> bodies_;
  std::vector<BodyMotion> motions_;
  std::vector<std::uint32_t> generations_;  // of the body in the slot or, in a free slot, of the next one
  std::vector<std::uint32_t> used_;         // of the body in the slot; 0: none. Handles are asked without the bodies.
  std::vector<std::uint8_t> traits_;        // of the body in the slot: what the other of a pair must not be as well
  std::vector<std::uint32_t> free_slots_;   // a heap, lowest slot on top
  std::size_t retired_slots_ = 0;           // whose generations are used up
};

}  // namespace abut::detail
