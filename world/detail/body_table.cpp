// Slots and generations of a scene's bodies.
#include <abut/core/assert.h>
#include <abut/core/error.h>
#include <abut/core/shapes/hull_fetch.h>
#include <abut/world/detail/body_table.h>

#include <algorithm>
#include <functional>
#include <string>

namespace abut::detail {

namespace {

Body body_of(const BodyDescription& description) {
  const Obb box = obb(description.shape);
  return {.shape = description.shape,
          .pose = description.pose,
          .motion = description.motion,
          .filter = description.filter,
          .is_sensor = description.is_sensor,
          .obb = box,
          .size = size_of(box),
          .bounded = description.shape.is_bounded(),
          .has_large_hull = has_large_hull(description.shape)};
}

}  // namespace

double size_of(const Obb& obb) {
  return obb.half_extents.lpNorm<1>() + obb.center.lpNorm<1>();
}

bool has_large_hull(const Shape& shape) {
  const ConvexHull* hull = shape.get_if<ConvexHull>();
  return hull != nullptr && hull->vertices().size() >= kFetchedVertices;
}

void BodyTable::make_room_for_one() {
  const auto grow = [](auto& list, std::size_t count) {
    if (list.capacity() < count) list.reserve(std::max(count, 2 * list.capacity()));
  };
  const std::size_t count = bodies_.size() + 1;
  grow(bodies_, count);
  grow(motions_, count);
  grow(generations_, count);
  grow(used_, count);
  grow(traits_, count);
  grow(free_slots_, count);
}

BodyId BodyTable::insert(const BodyDescription& description) {
  Body body = body_of(description);
  if (free_slots_.empty()) {
    make_room_for_one();
    bodies_.emplace_back(std::move(body));
    motions_.emplace_back();
    generations_.push_back(1);
    used_.push_back(1);
    traits_.push_back(0);
    update_traits(slot_count() - 1);
    return id(slot_count() - 1);
  }
  std::pop_heap(free_slots_.begin(), free_slots_.end(), std::greater<>());
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  bodies_[slot].emplace(std::move(body));
  used_[slot] = generations_[slot];
  motions_[slot].last_travel = 0.0;
  motions_[slot].drop_unbounded();
  update_traits(slot);
  return id(slot);
}

void BodyTable::remove(std::uint32_t slot) {
  ABUT_ASSERT(is_used(slot));
  bodies_[slot].reset();
  used_[slot] = 0;
  ++generations_[slot];
  if (generations_[slot] == 0) {  // a wrapped generation would make ancient handles valid again
    ++retired_slots_;
    return;
  }
  free_slots_.push_back(slot);
  std::push_heap(free_slots_.begin(), free_slots_.end(), std::greater<>());
}

void BodyTable::append(std::uint32_t generation, const BodyMotion& motion, const BodyDescription* body) {
  const std::uint32_t slot = slot_count();
  make_room_for_one();
  bodies_.push_back(body == nullptr ? std::nullopt : std::optional(body_of(*body)));
  motions_.push_back(motion);
  generations_.push_back(generation);
  used_.push_back(body == nullptr ? 0 : generation);
  traits_.push_back(0);
  if (body != nullptr) return update_traits(slot);
  if (generation == 0) {
    ++retired_slots_;
    return;
  }
  free_slots_.push_back(slot);
  std::push_heap(free_slots_.begin(), free_slots_.end(), std::greater<>());
}

void BodyTable::set_sensor(std::uint32_t slot, bool is_sensor) {
  bodies_[slot]->is_sensor = is_sensor;
  update_traits(slot);
}

void BodyTable::set_shape(std::uint32_t slot, const Shape& shape) {
  Body& body = *bodies_[slot];
  body.obb = obb(shape);
  body.size = size_of(body.obb);
  body.bounded = shape.is_bounded();
  body.has_large_hull = has_large_hull(shape);
  body.shape = shape;
  motions_[slot].drop_unbounded();
  update_traits(slot);
}

void BodyTable::update_traits(std::uint32_t slot) {
  const Body& body = *bodies_[slot];
  traits_[slot] = static_cast<std::uint8_t>((body.is_sensor ? kSensor : 0) | (body.bounded ? 0 : kUnbounded));
}

void BodyTable::throw_unknown(BodyId id, std::string_view field) {
  throw InvalidInput(std::string(field), "slot " + std::to_string(id.slot) + " with generation " +
                                             std::to_string(id.generation) + " names no body of this scene");
}

}  // namespace abut::detail
