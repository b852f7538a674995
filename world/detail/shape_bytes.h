// Shapes as bytes: every kind with all its data, and what shapes share written once.
#pragma once

#include <abut/core/byte_stream.h>
#include <abut/core/shape.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace abut::detail {

/// Bounds of what is written and read, so that few bytes cannot stand for a shape that takes for ever to build:
/// compounds inside compounds, and leaves of all compounds together, each counted wherever it is shared.
inline constexpr std::size_t kMaxShapeDepth = Compound::kMaxDepth;
inline constexpr std::size_t kMaxShapeLeaves = std::size_t{1} << 26;

void write_pose(ByteWriter& out, const Pose& pose);
/// @throws InvalidInput  naming "translation" or "rotation".
[[nodiscard]] Pose read_pose(ByteReader& in);

/// A shape is a record that holds its numbers or, where copies of the shape share data, a place in a table. The table
/// must lie before the records that refer to it.
class ShapeWriter {
 public:
  /// Appends a record. @throws InvalidInput  when compounds exceed the bounds above.
  void write(ByteWriter& out, const Shape& shape);
  void write_table(ByteWriter& out) const;

 private:
  struct Entry {
    std::size_t depth = 0;
    std::size_t leaves = 1;
  };
  void write_geometry(ByteWriter& out, const Geometry& geometry);
  std::uint32_t entry_of(const Geometry& geometry, const void* data);

  ByteWriter table_;
  std::vector<Entry> entries_;
  std::map<std::pair<const void*, std::size_t>, std::uint32_t> entry_of_data_;  // by address and kind
  std::size_t leaves_ = 0;
};

class ShapeReader {
 public:
  /// @throws InvalidInput  naming shapes[i] and the field in it.
  void read_table(ByteReader& in);
  /// @throws InvalidInput  naming the field.
  [[nodiscard]] Shape read(ByteReader& in) const;

 private:
  struct Entry {
    Geometry geometry;
    std::size_t depth = 0;
    std::size_t leaves = 1;
  };
  [[nodiscard]] Entry read_entry(ByteReader& in) const;
  [[nodiscard]] Entry read_compound(ByteReader& in) const;
  /// @param shared  Set to the shape's entry where it has one.
  [[nodiscard]] Shape read(ByteReader& in, const Entry** shared) const;

  std::vector<Entry> entries_;
};

}  // namespace abut::detail
