// Values as bytes and back: the checks of the reader.
#include <abut/core/byte_stream.h>
#include <abut/core/error.h>

#include <string>

namespace abut {

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

void ByteWriter::write_text(std::string_view text) {
  write_count(text.size());
  write_bytes(std::as_bytes(std::span(text)));
}

std::span<const std::byte> ByteReader::read_bytes(std::size_t count) {
  if (count > left()) {
    throw InvalidInput("", "ends too early: " + std::to_string(count) + " bytes are needed after byte " +
                               std::to_string(position_) + ", and " + std::to_string(left()) + " are left");
  }
  const std::span<const std::byte> result = bytes_.subspan(position_, count);
  position_ += count;
  return result;
}

std::size_t ByteReader::read_count(std::string_view field, std::size_t bytes_each) {
  const auto count = read<std::uint64_t>();
  if (count > left() / bytes_each) {
    throw InvalidInput(std::string(field), "says that it has " + std::to_string(count) + " elements of " +
                                               std::to_string(bytes_each) + " bytes or more, and " +
                                               std::to_string(left()) + " bytes are left");
  }
  return static_cast<std::size_t>(count);
}

std::string_view ByteReader::read_text(std::string_view field) {
  const std::span<const std::byte> bytes = read_bytes(read_count(field, 1));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ByteReader::refuse_number(std::string_view field, std::uint64_t value, std::uint64_t last) {
  throw InvalidInput(std::string(field), "must be at most " + std::to_string(last) + ", got " + std::to_string(value));
}

}  // namespace abut
