// Binary files for the tests of readers.
#pragma once

#include <array>
#include <bit>
#include <string>

namespace abut::test {

/// The bytes of a number as this machine holds them.
template <class Value>
void append_bytes(std::string& text, Value value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(Value)>>(value);
  text.append(bytes.data(), bytes.size());
}

}  // namespace abut::test
