// Enumerations that came out of a cast, as from a file or another language.
#pragma once

#include <abut/core/error.h>

#include <string>
#include <type_traits>

namespace abut::detail {

/// A number that was cast to the type may name none of its values.
/// @throws InvalidInput  naming `field` when the value is beyond `last`.
template <class Value>
requires std::is_enum_v<Value>
void require_enum(const char* field, Value value, Value last) {
  if (value <= last) return;
  throw InvalidInput(field, "must be at most " + std::to_string(static_cast<unsigned>(last)),
                     static_cast<unsigned>(value));
}

}  // namespace abut::detail
