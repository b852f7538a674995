// The exception of every checked constructor, parser and world function, and the checks that raise it.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace abut {

/// Input from outside that breaks a documented rule. what() reads "field: rule, got value".
class InvalidInput : public std::invalid_argument {
 public:
  /// @param field  Name of the field as the formats spell it, for example "half_extents[1]"; may be empty.
  /// @param rule   What the field must be, for example "must be finite and > 0 metres".
  InvalidInput(std::string field, std::string rule);
  InvalidInput(std::string field, std::string rule, double value);
  InvalidInput(std::string_view field, std::ptrdiff_t index, std::string rule, double value);

  /// The same error with a path in front of the field: "a.shape" and "radius" give "a.shape.radius".
  [[nodiscard]] InvalidInput within(std::string_view outer) const;

  [[nodiscard]] const std::string& field() const { return field_; }
  [[nodiscard]] const std::string& rule() const { return rule_; }

 private:
  std::string field_;
  std::string rule_;  // with ", got value" where a value was given
};

// Checks; each throws InvalidInput naming the field. Written so that NaN is refused.
void require_finite(std::string_view field, double value);
void require_finite(std::string_view field, const Eigen::Vector3d& value);
void require_positive(std::string_view field, double value);
void require_positive(std::string_view field, const Eigen::Vector3d& value);
void require_not_negative(std::string_view field, double value);

}  // namespace abut
