// Strict reading of JSON: every error says where (a path such as "a.shape.points[2]") and what was expected.
#pragma once

#include <abut/core/error.h>
#include <Eigen/Core>

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace abut {

using Json = nlohmann::json;

namespace json {

/// Objects and arrays inside each other beyond this are refused, so that reading them cannot exhaust the stack.
inline constexpr int kMaxDepth = 256;

/// Parses one JSON value that takes up all of the text.
/// @throws InvalidInput  naming the path of a number out of range, or of a field that an object has twice; without a
///                       field: not JSON (with line and column), also where a byte 0 is in it, or nested deeper than
///                       kMaxDepth.
/// @param first_line  The number that the text's first line has in its file, for messages.
[[nodiscard]] Json parse(std::string_view text, std::size_t first_line = 1);

/// The same; what answers a text can name it also when it is refused.
/// @param id  The string that the outermost object has as "id", before or after what is wrong. Empty where it has none
///            or has it twice (which of the two is meant nobody knows), and where the text as a whole is not JSON.
[[nodiscard]] Json parse(std::string_view text, std::optional<std::string>& id, std::size_t first_line = 1);

/// What a value is, for messages: "a string", "an array of 2", "null", ...
[[nodiscard]] std::string describe(const Json& value);

/// `text` in double quotes, escaped as JSON.
[[nodiscard]] std::string quoted(std::string_view text);

/// "points[3]"
[[nodiscard]] std::string element(std::string_view name, std::size_t index);

/// The path of a field whose name a file chooses: under "shapes" it is "shapes.mug", or "shapes[\"blue mug\"]" where a
/// dot would mislead.
[[nodiscard]] std::string member_path(std::string_view object, std::string_view name);

/// Runs `read`, which throws InvalidInput with paths of its own, and puts `path` in front of them.
template <class Read>
decltype(auto) within(std::string_view path, Read&& read) {
  try {
    return std::forward<Read>(read)();
  } catch (const InvalidInput& error) {
    throw error.within(path);
  }
}

// Types. Each throws InvalidInput with an empty field, or with "[i]" for an element.
void require_object(const Json& value);
void require_array(const Json& value);
[[nodiscard]] double number(const Json& value);
[[nodiscard]] const std::string& string(const Json& value);
[[nodiscard]] bool boolean(const Json& value);
/// An integer in [0, 2^32), also when it is written as 2.0.
[[nodiscard]] std::uint32_t index(const Json& value);
/// `size` numbers into `values`.
void numbers(const Json& value, double* values, std::size_t size);
template <int Size>
[[nodiscard]] Eigen::Matrix<double, Size, 1> vector(const Json& value) {
  Eigen::Matrix<double, Size, 1> result;
  numbers(value, result.data(), static_cast<std::size_t>(Size));
  return result;
}
/// An array of vectors.
template <int Size>
[[nodiscard]] std::vector<Eigen::Matrix<double, Size, 1>> vectors(const Json& value) {
  require_array(value);
  std::vector<Eigen::Matrix<double, Size, 1>> result;
  result.reserve(value.size());
  try {
    for (const Json& item : value) result.push_back(vector<Size>(item));
  } catch (const InvalidInput& error) {
    throw error.within(element("", result.size()));
  }
  return result;
}

// Fields of objects. `object` must be one.
/// nullptr where the field is missing.
[[nodiscard]] const Json* find(const Json& object, const char* name);
/// @throws InvalidInput  naming the field when it is missing.
[[nodiscard]] const Json& member(const Json& object, const char* name);
/// Reads a required field with one of the functions above: json::field(shape, "radius", json::number).
template <class Read>
decltype(auto) field(const Json& object, const char* name, Read&& read) {
  const Json& value = member(object, name);
  return within(name, [&]() -> decltype(auto) { return read(value); });
}
/// @throws InvalidInput  naming the first field that is not in `known` (where empty names stand for nothing).
void refuse_unknown_fields(const Json& object, std::initializer_list<std::string_view> known);

}  // namespace json
}  // namespace abut
