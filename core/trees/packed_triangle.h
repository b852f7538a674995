// A triangle of a mesh as a leaf of its tree keeps it: three vertex indices in eight bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace abut {

/// So that a ray that comes to a leaf finds the corners one step sooner, and side by side.
struct PackedTriangle {
  static constexpr unsigned kVertexBits = 21;
  static constexpr std::size_t kMaxVertices = std::size_t{1} << kVertexBits;
  static constexpr std::uint64_t kLast = std::uint64_t{1} << 63;  ///< Marks the last triangle of a leaf.

  std::uint64_t bits;

  /// @param k  0, 1 or 2.
  [[gnu::always_inline]] [[nodiscard]] std::size_t vertex(unsigned k) const {
    return static_cast<std::size_t>(bits >> (kVertexBits * k)) & (kMaxVertices - 1);
  }
  [[gnu::always_inline]] [[nodiscard]] bool is_last() const { return (bits & kLast) != 0; }
};

}  // namespace abut
