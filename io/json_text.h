// Writing JSON: the few forms that results need, appended to a line.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

namespace abut::json {

/// Appends the shortest decimal that reads back as the same double. JSON has no other numbers: NaN and infinities,
/// which no result holds, are asserted against and written as null.
void append(std::string& line, double value);
void append(std::string& line, std::size_t value);
void append(std::string& line, int value);
/// "[x,y,z]"
void append(std::string& line, std::span<const double> values);
void append(std::string& line, const Eigen::Vector2d& vector);
void append(std::string& line, const Eigen::Vector3d& vector);

/// Appends ,"name":value; `name` needs no escaping.
template <class Value>
void append_field(std::string& line, const char* name, const Value& value) {
  line += ",\"";
  line += name;
  line += "\":";
  append(line, value);
}

}  // namespace abut::json
