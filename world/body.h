// Bodies as the scene's users see them: handles, descriptions, pairs.
#pragma once

#include <abut/core/collision_filter.h>
#include <abut/core/mixed_hash.h>
#include <abut/core/pose.h>
#include <abut/core/shape.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace abut {

/// Handle of a body. It carries a generation: after the body is removed the handle is stale for good, also when its
/// slot is used again.
struct BodyId {
  std::uint32_t slot = ~std::uint32_t{0};
  std::uint32_t generation = 0;

  friend auto operator<=>(const BodyId&, const BodyId&) = default;
};

/// Two bodies; a scene reports them with a.slot < b.slot.
struct BodyPair {
  BodyId a;
  BodyId b;

  friend auto operator<=>(const BodyPair&, const BodyPair&) = default;
};

/// Whether a pair is to be tested: see Scene::set_pair_filter.
using PairFilter = std::function<bool(const BodyPair& pair)>;

/// What Scene::add needs.
struct BodyDescription {
  Shape shape;
  Pose pose{};  ///< world_from_body
  Motion motion = Motion::moving;
  CollisionFilter filter{};
  /// A sensor tells what touches it and stands in nobody's way: its contacts are marked, and have one point. Two
  /// sensors are never tested against each other.
  bool is_sensor = false;
};

}  // namespace abut

/// So that handles and pairs may be keys of unordered containers.
template <>
struct std::hash<abut::BodyId> {
  std::size_t operator()(const abut::BodyId& id) const noexcept {
    return std::hash<std::uint64_t>()(abut::detail::mixed_hash(id.generation, id.slot));
  }
};
template <>
struct std::hash<abut::BodyPair> {
  std::size_t operator()(const abut::BodyPair& pair) const noexcept {
    const std::hash<abut::BodyId> of_body;
    return std::hash<std::uint64_t>()(abut::detail::mixed_hash(of_body(pair.a), of_body(pair.b)));
  }
};
