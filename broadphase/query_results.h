// What queries of the broad phase answer with.
#pragma once

#include <abut/core/aabb.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut {

/// A box met by a ray.
struct RayHit {
  std::uint32_t id = 0;  ///< Of the proxy.
  double t = 0.0;        ///< Where the ray enters the box, in units of the ray's direction; 0 when it begins inside.

  friend bool operator==(const RayHit&, const RayHit&) = default;
};

/// A box near a box.
struct NearBox {
  std::uint32_t id = 0;      ///< Of the proxy.
  double distance_sq = 0.0;  ///< Square metres; 0 when the boxes overlap.

  friend bool operator==(const NearBox&, const NearBox&) = default;
};

/// A ray: origin + t direction for 0 <= t <= max_t.
struct BoxRay {
  Vector3d origin = Vector3d::Zero();     ///< Metres, finite.
  Vector3d direction = Vector3d::Zero();  ///< Any length, finite; zero asks at the origin alone.
  double max_t = 1.0;                     ///< >= 0, may be infinite.
};

/// The path of a box of half extents `half`, metres, >= 0, whose centre goes along the ray.
struct BoxPath {
  BoxRay ray;
  Vector3d half = Vector3d::Zero();
};

/// What lies within a distance of a box.
struct BoxReach {
  Aabb box;
  double max_distance = 0.0;  ///< Metres, not NaN; below zero: nothing.
};

/// The answers to a batch of queries, one list a query.
template <class T>
struct QueryLists {
  std::vector<std::size_t> begin = {0};  ///< Where each list begins in `items`, and the number of items.
  std::vector<T> items;

  /// Number of lists.
  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::span<const T> operator[](std::size_t query) const {
    return {items.data() + begin[query], begin[query + 1] - begin[query]};
  }
};

}  // namespace abut
