// Values as bytes and back: little-endian on every machine, doubles by their bits, and a checksum.
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace abut {

/// FNV-1a, 64 bits (Fowler, Noll, Vo). Every change of a single byte changes it.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes);

class ByteWriter {
 public:
  template <class Value>
  requires std::integral<Value> || std::floating_point<Value>
  void write(Value value) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(Value)>>(value);
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    write_bytes(bytes);
  }
  template <class Value>
  requires std::is_enum_v<Value>
  void write(Value value) { write(static_cast<std::underlying_type_t<Value>>(value)); }
  void write(bool value) { write(static_cast<std::uint8_t>(value ? 1 : 0)); }
  /// Column by column.
  template <int Rows, int Columns>
  void write(const Eigen::Matrix<double, Rows, Columns>& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) write(matrix.data()[i]);
  }
  /// A number of elements, 64 bits.
  void write_count(std::size_t count) { write(static_cast<std::uint64_t>(count)); }
  void write_bytes(std::span<const std::byte> bytes) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.data() + end);
  }
  /// Its length, then its bytes.
  void write_text(std::string_view text);

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote. Nothing that the bytes say is trusted: what is wrong is an InvalidInput, and no count
/// makes it reserve more memory than the bytes that are left can fill.
class ByteReader {
 public:
  /// @param bytes  Kept as a reference.
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// @throws InvalidInput  when the bytes end before the value does; so do all others.
  template <class Value>
  requires(std::integral<Value> || std::floating_point<Value>) && (!std::same_as<Value, bool>) [[nodiscard]] Value
      read() {
    const std::span<const std::byte> source = read_bytes(sizeof(Value));
    std::array<std::byte, sizeof(Value)> native;
    for (std::size_t i = 0; i < sizeof(Value); ++i) {
      native[std::endian::native == std::endian::little ? i : sizeof(Value) - 1 - i] = source[i];
    }
    return std::bit_cast<Value>(native);
  }
  /// @throws InvalidInput  naming the field when the value is beyond `last`.
  template <class Value>
  requires std::is_enum_v<Value>
  [[nodiscard]] Value read_enum(std::string_view field, Value last) {
    using Number = std::underlying_type_t<Value>;
    return static_cast<Value>(read_at_most(field, static_cast<Number>(last)));
  }
  /// @throws InvalidInput  naming the field when it is neither 0 nor 1.
  [[nodiscard]] bool read_bool(std::string_view field) { return read_at_most(field, std::uint8_t{1}) != 0; }
  template <int Rows, int Columns = 1>
  [[nodiscard]] Eigen::Matrix<double, Rows, Columns> read_matrix() {
    Eigen::Matrix<double, Rows, Columns> matrix;
    for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = read<double>();
    return matrix;
  }
  /// A number of elements. @param bytes_each  Of one element, at least.
  /// @throws InvalidInput  naming the field when the bytes that are left cannot hold so many.
  [[nodiscard]] std::size_t read_count(std::string_view field, std::size_t bytes_each);
  [[nodiscard]] std::span<const std::byte> read_bytes(std::size_t count);
  [[nodiscard]] std::string_view read_text(std::string_view field);

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

 private:
  template <class Number>
  Number read_at_most(std::string_view field, Number last) {
    const auto value = read<Number>();
    if (value > last) refuse_number(field, value, last);
    return value;
  }
  [[noreturn]] static void refuse_number(std::string_view field, std::uint64_t value, std::uint64_t last);

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace abut
