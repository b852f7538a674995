// InvalidInput: how its message is put together, and the checks.
#include <abut/core/error.h>

#include <cmath>
#include <sstream>
#include <utility>

namespace abut {
namespace {

std::string with_value(std::string rule, double value) {
  std::ostringstream text;
  text.precision(9);
  text << std::move(rule) << ", got " << value;
  return text.str();
}

std::string with_index(std::string_view field, std::ptrdiff_t index) {
  std::string text(field);
  text += '[';
  text += std::to_string(index);
  text += ']';
  return text;
}

std::string sentence(const std::string& field, const std::string& rule) {
  return field.empty() ? rule : field + ": " + rule;
}

template <class Rule>
void require_each(std::string_view field, const Eigen::Vector3d& value, const char* text, Rule rule) {
  for (int i = 0; i < 3; ++i) {
    if (!rule(value[i])) throw InvalidInput(field, i, text, value[i]);
  }
}

bool is_finite(double value) {
  return std::isfinite(value);
}
bool is_positive(double value) {
  return value > 0.0 && std::isfinite(value);
}
bool is_not_negative(double value) {
  return value >= 0.0 && std::isfinite(value);
}

constexpr const char* kFinite = "must be finite";
constexpr const char* kPositive = "must be finite and > 0";
constexpr const char* kNotNegative = "must be finite and >= 0";

}  // namespace

InvalidInput::InvalidInput(std::string field, std::string rule)
    : std::invalid_argument(sentence(field, rule)), field_(std::move(field)), rule_(std::move(rule)) {}

InvalidInput::InvalidInput(std::string field, std::string rule, double value)
    : InvalidInput(std::move(field), with_value(std::move(rule), value)) {}

InvalidInput::InvalidInput(std::string_view field, std::ptrdiff_t index, std::string rule, double value)
    : InvalidInput(with_index(field, index), with_value(std::move(rule), value)) {}

InvalidInput InvalidInput::within(std::string_view outer) const {
  std::string path(outer);
  if (!field_.empty() && !path.empty() && field_.front() != '[') path += '.';
  path += field_;
  return InvalidInput(std::move(path), rule_);
}

void require_finite(std::string_view field, double value) {
  if (!is_finite(value)) throw InvalidInput(std::string(field), kFinite, value);
}

void require_finite(std::string_view field, const Eigen::Vector3d& value) {
  require_each(field, value, kFinite, is_finite);
}

void require_positive(std::string_view field, double value) {
  if (!is_positive(value)) throw InvalidInput(std::string(field), kPositive, value);
}

void require_positive(std::string_view field, const Eigen::Vector3d& value) {
  require_each(field, value, kPositive, is_positive);
}

void require_not_negative(std::string_view field, double value) {
  if (!is_not_negative(value)) throw InvalidInput(std::string(field), kNotNegative, value);
}

}  // namespace abut
