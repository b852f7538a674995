#include "results.h"

#include <iomanip>
#include <ostream>

namespace abut::study {
namespace {

/// Names, notes and paths: no control characters are among them.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

Row& Row::add(const std::string& prefix, const std::vector<double>& samples) {
  if (samples.empty()) return *this;
  const Summary summary = summary_of(samples);
  add(prefix + "_mean", summary.mean);
  add(prefix + "_deviation", summary.deviation);
  add(prefix + "_p05", summary.p05);
  add(prefix + "_p25", summary.p25);
  add(prefix + "_p50", summary.p50);
  add(prefix + "_p75", summary.p75);
  return add(prefix + "_p95", summary.p95);
}

Row& Row::add(const std::string& name_of_number, double value) {
  numbers[name_of_number] = value;
  return *this;
}

Row& Results::row(const std::string& name) {
  rows_.push_back({name, {}});
  return rows_.back();
}

void Results::write(std::ostream& out) const {
  out << std::setprecision(6) << "{\n  \"context\": {";
  const char* comma = "\n";
  for (const auto& [key, value] : context_) {
    out << comma << "    " << quoted(key) << ": " << quoted(value);
    comma = ",\n";
  }
  out << "\n  },\n  \"benchmarks\": [";
  comma = "\n";
  for (const Row& row : rows_) {
    out << comma << "    {\"name\": " << quoted(row.name);
    for (const auto& [name, value] : row.numbers) out << ", " << quoted(name) << ": " << value;
    out << "}";
    comma = ",\n";
  }
  out << "\n  ]\n}\n";
}

}  // namespace abut::study
