#include <abut/core/assert.h>
#include <abut/io/json_text.h>

#include <charconv>
#include <cmath>

namespace abut::json {
namespace {

template <class Value>
void append_digits(std::string& line, Value value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  line.append(digits, end);
}

}  // namespace

void append(std::string& line, double value) {
  ABUT_ASSERT(std::isfinite(value));
  if (value == 0.0 && std::signbit(value)) {
    line += "-0.0";  // readers take "-0" for the integer, which has no sign
  } else if (std::isfinite(value)) {
    append_digits(line, value);
  } else {
    line += "null";
  }
}

void append(std::string& line, std::size_t value) {
  append_digits(line, value);
}

void append(std::string& line, int value) {
  append_digits(line, value);
}

void append(std::string& line, std::span<const double> values) {
  char separator = '[';
  for (const double value : values) {
    line += separator;
    append(line, value);
    separator = ',';
  }
  line += ']';
}

void append(std::string& line, const Eigen::Vector2d& vector) {
  append(line, std::span<const double>(vector.data(), 2));
}

void append(std::string& line, const Eigen::Vector3d& vector) {
  append(line, std::span<const double>(vector.data(), 3));
}

}  // namespace abut::json
