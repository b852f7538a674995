// Which triangle of a mesh lies beyond which edge: what tells an edge inside a surface from a corner of it.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace abut {

/// Immutable. Six bytes a triangle below 2^14 triangles, nine below 2^22, else twelve; no angles, so that it holds for
/// other positions of the same vertices as well. Edge k of a triangle runs from its corner k to its corner k + 1 (mod
/// 3).
class MeshAdjacency {
 public:
  using Indices = std::array<std::uint32_t, 3>;

  /// What an edge of a triangle leads to.
  class Link {
   public:
    /// One other triangle has this edge, or copies of it and of this one, wound either way. Links lead there and back,
    /// but for second copies: those lead where the first does.
    [[nodiscard]] bool is_joined() const { return bits_ < kCovered; }
    /// The triangle names a place twice, and another triangle covers the line or point that it is: it adds nothing.
    [[nodiscard]] bool is_covered() const { return bits_ == kCovered; }
    /// Of a joined edge: the other triangle, and which of its edges this one is.
    [[nodiscard]] std::uint32_t triangle() const { return bits_ >> 2; }
    [[nodiscard]] std::size_t edge() const { return bits_ & 3u; }

   private:
    friend class MeshAdjacency;
    explicit Link(std::uint32_t bits) : bits_(bits) {}

    static constexpr std::uint32_t kCovered = ~std::uint32_t{1};
    static constexpr std::uint32_t kOpen = ~std::uint32_t{0};

    std::uint32_t bits_;
  };

  /// Vertices at equal coordinates count as one, so that surfaces whose triangles have corners of their own are joined
  /// too. Edges of one triangle, or of three and more, are joined where the indices of their vertices tell which two
  /// belong together, as they do in a surface that is folded up or drawn together into a point. Triangles that are
  /// given twice, or once each way round as those of two-sided surfaces, are joined to what lies beyond them, but not
  /// to each other. The other edges are open. Time and memory grow with the number of triangles.
  /// @param triangles  Indices into vertices; those from 2^30 on stay unjoined.
  MeshAdjacency(std::span<const Eigen::Vector3d> vertices, std::span<const Indices> triangles);

  [[nodiscard]] Link link(std::uint32_t triangle, std::size_t edge) const {
    const std::uint8_t* bytes = bytes_.data() + width_ * (3 * std::size_t{triangle} + edge);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < width_; ++k) bits |= std::uint32_t{bytes[k]} << (8 * k);
    const std::uint32_t largest = ~std::uint32_t{0} >> (8 * (4 - width_));
    return Link(bits >= largest - 1 ? bits | ~largest : bits);  // covered and open are the largest two
  }
  /// None of its edges is open.
  [[nodiscard]] bool is_joined_all_round(std::uint32_t triangle) const {
    const auto leads_on = [&](std::size_t edge) {
      const Link found = link(triangle, edge);
      return found.is_joined() || found.is_covered();
    };
    return leads_on(0) && leads_on(1) && leads_on(2);
  }
  /// Three triangles or more have two vertices in common, by their indices.
  [[nodiscard]] bool has_crowded_edges() const { return has_crowded_edges_; }
  /// Some triangle is given twice or more, wound either way.
  [[nodiscard]] bool has_copies() const { return has_copies_; }
  /// Bytes.
  [[nodiscard]] std::size_t memory() const { return bytes_.capacity(); }

 private:
  std::size_t width_;                ///< Bytes a link.
  std::vector<std::uint8_t> bytes_;  ///< The lowest first.
  bool has_crowded_edges_ = false;
  bool has_copies_ = false;
};

}  // namespace abut
