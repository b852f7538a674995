// A tree of fixed boxes in the plane with eight children a node, their coordinates side by side in single precision.
// Source of the packing: Leutenegger, Lopez and Edgington, "STR: a simple and efficient algorithm for R-tree packing"
// (ICDE 1997): sorted by x into slabs, each slab sorted by y, then cut into runs of eight.
#pragma once

#include <abut/narrowphase/planar/planar_lanes.h>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace abut::planar::detail {

using Eigen::Vector2d;

/// Closed box, metres.
struct Box2 {
  Vector2d lower;
  Vector2d upper;
};

/// The same as seen from the tree's origin, rounded outwards.
struct FloatBox {
  std::array<float, 2> lower;
  std::array<float, 2> upper;
};

class PackedBoxTree {
 public:
  static constexpr std::size_t kFanout = 8;

  struct alignas(64) Node {
    std::array<float, kFanout> lower_x;
    std::array<float, kFanout> lower_y;
    std::array<float, kFanout> upper_x;
    std::array<float, kFanout> upper_y;
    std::uint32_t first = 0;  ///< Of the children: nodes, or of a leaf positions in items().
    std::uint32_t count = 0;
    bool is_leaf = true;
  };

  /// @param boxes  Not empty boxes; their coordinates may be infinite but not NaN.
  explicit PackedBoxTree(std::span<const Box2> boxes);

  /// The box numbers, in the order of the leaves.
  [[nodiscard]] std::span<const std::uint32_t> items() const { return items_; }

  /// A box of the same frame as those of the tree. Coordinates may be anything; NaN counts as touching everything.
  [[nodiscard]] FloatBox seen_from_origin(const Box2& box) const;

  /// Calls visit(position in items()) for all boxes that touch this one, in an order of the tree's own, until it
  /// returns true. @return Whether it did.
  template <class Visit>
  bool find_touching(const FloatBox& box, Visit&& visit) const;

  /// Calls visit(position in items()) for boxes in the order of a search for the nearest one. Boxes may be left out
  /// that are farther from this one than `limit()`, metres, which may sink from call to call; < 0 stands for 0.
  template <class Limit, class Visit>
  void find_near(const FloatBox& box, Limit&& limit, Visit&& visit) const;

 private:
  // 2^32 boxes have 11 levels, and of each level up to kFanout nodes wait.
  static constexpr std::size_t kMostWaiting = 12 * kFanout;

  [[nodiscard]] static std::uint32_t touching(const Node& node, const FloatBox& box);

  // Bit k is set where child k is not farther than that.
  [[nodiscard]] static std::uint32_t within(const Node& node, const FloatBox& box, float most_sq,
                                            std::array<float, kFanout>& distances_sq);

  static constexpr std::size_t kWidth = kFloatLanes < kFanout ? kFloatLanes : kFanout;

  std::vector<Node> nodes_;  // level by level, the root last; empty where there are no boxes
  std::vector<std::uint32_t> items_;
  Vector2d origin_ = Vector2d::Zero();
};

/// A float at least a rounding below the value, within the range of float. NaN stays NaN.
[[nodiscard]] inline float rounded_down(double value) {
  constexpr double kStep = 0x1p-23;  // between neighbouring floats, relative; twice the error of a conversion
  constexpr double kLargest = static_cast<double>(std::numeric_limits<float>::max());
  constexpr double kSmallest = static_cast<double>(std::numeric_limits<float>::min());
  const double below = value - (kStep * std::abs(value) + kSmallest);
  return static_cast<float>(std::max(std::min(below, kLargest), -kLargest));
}

inline FloatBox PackedBoxTree::seen_from_origin(const Box2& box) const {
  FloatBox seen;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto i = static_cast<Eigen::Index>(axis);
    seen.lower[axis] = rounded_down(box.lower[i] - origin_[i]);
    seen.upper[axis] = -rounded_down(origin_[i] - box.upper[i]);
  }
  return seen;
}

inline std::uint32_t PackedBoxTree::touching(const Node& node, const FloatBox& box) {
  using L = Lanes<kWidth>;
  std::uint32_t outside = 0;
  for (std::size_t i = 0; i < kFanout; i += kWidth) {
    const std::uint32_t bits = L::above(L::load(&node.lower_x[i]), L::broadcast(box.upper[0])) |
                               L::above(L::broadcast(box.lower[0]), L::load(&node.upper_x[i])) |
                               L::above(L::load(&node.lower_y[i]), L::broadcast(box.upper[1])) |
                               L::above(L::broadcast(box.lower[1]), L::load(&node.upper_y[i]));
    outside |= bits << i;
  }
  return ~outside & ((1u << node.count) - 1u);
}

inline std::uint32_t PackedBoxTree::within(const Node& node, const FloatBox& box, float most_sq,
                                           std::array<float, kFanout>& distances_sq) {
  using L = Lanes<kWidth>;
  const typename L::Floats zero{};
  std::uint32_t beyond = 0;
  for (std::size_t i = 0; i < kFanout; i += kWidth) {
    const auto x =
        L::larger(L::larger(L::load(&node.lower_x[i]) - box.upper[0], box.lower[0] - L::load(&node.upper_x[i])), zero);
    const auto y =
        L::larger(L::larger(L::load(&node.lower_y[i]) - box.upper[1], box.lower[1] - L::load(&node.upper_y[i])), zero);
    const auto distance_sq = x * x + y * y;
    std::memcpy(&distances_sq[i], &distance_sq, sizeof(distance_sq));
    beyond |= L::above(distance_sq, L::broadcast(most_sq)) << i;
  }
  return ~beyond & ((1u << node.count) - 1u);
}

template <class Visit>
bool PackedBoxTree::find_touching(const FloatBox& box, Visit&& visit) const {
  if (nodes_.empty()) return false;
  std::array<std::uint32_t, kMostWaiting> waiting;
  std::size_t size = 0;
  waiting[size++] = static_cast<std::uint32_t>(nodes_.size() - 1);
  while (size > 0) {
    const Node& node = nodes_[waiting[--size]];
    std::uint32_t bits = touching(node, box);
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t child = node.first + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (!node.is_leaf) {
        waiting[size++] = child;
      } else if (visit(child)) {
        return true;
      }
    }
  }
  return false;
}

template <class Limit, class Visit>
void PackedBoxTree::find_near(const FloatBox& box, Limit&& limit, Visit&& visit) const {
  if (nodes_.empty()) return;
  struct Waiting {
    float distance_sq;
    std::uint32_t node;
  };
  // Rounding of a squared distance.
  constexpr float kRounding = 1.0f + 0x1p-18f;
  // Where it overflows, nothing is left out.
  const auto limit_sq = [&limit] {
    const auto most = static_cast<float>(std::clamp(limit(), 0.0, 1e38));
    return kRounding * (most * most);
  };
  std::array<Waiting, kMostWaiting> waiting;
  std::size_t size = 0;
  waiting[size++] = {0.0f, static_cast<std::uint32_t>(nodes_.size() - 1)};
  float most_sq = limit_sq();
  while (size > 0) {
    const Waiting next = waiting[--size];
    if (next.distance_sq > most_sq) continue;
    const Node& node = nodes_[next.node];
    std::array<float, kFanout> distances_sq;
    std::uint32_t bits = within(node, box, most_sq, distances_sq);
    if (!node.is_leaf) {
      // The farthest first, for the last is taken first.
      const std::size_t bottom = size;
      for (; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(bits));
        std::size_t place = size++;
        for (; place > bottom && waiting[place - 1].distance_sq < distances_sq[i]; --place) {
          waiting[place] = waiting[place - 1];
        }
        waiting[place] = {distances_sq[i], node.first + i};
      }
      continue;
    }
    while (bits != 0) {
      auto nearest = static_cast<std::uint32_t>(std::countr_zero(bits));
      for (std::uint32_t rest = bits & (bits - 1); rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(std::countr_zero(rest));
        nearest = distances_sq[i] < distances_sq[nearest] ? i : nearest;
      }
      if (distances_sq[nearest] > most_sq) break;
      bits &= ~(1u << nearest);
      visit(node.first + nearest);
      most_sq = limit_sq();
    }
  }
}

}  // namespace abut::planar::detail
