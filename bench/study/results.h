// The rows of a study and their file: JSON in the layout of Google Benchmark, a list of named rows of numbers.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "statistics.h"

namespace abut::study {

/// One line of the result: its name, parts joined by '/', and its numbers by their names.
struct Row {
  std::string name;
  std::map<std::string, double> numbers;

  /// Adds prefix_mean, prefix_deviation, prefix_p05 … prefix_p95. Nothing for no samples.
  Row& add(const std::string& prefix, const std::vector<double>& samples);
  Row& add(const std::string& name_of_number, double value);
};

class Results {
 public:
  /// Notes about the run: machine, data, options. They go into "context".
  void note(const std::string& key, const std::string& value) { context_[key] = value; }
  /// A new row; the reference holds until the next one is added.
  Row& row(const std::string& name);

  void write(std::ostream& out) const;

 private:
  std::map<std::string, std::string> context_;
  std::vector<Row> rows_;
};

}  // namespace abut::study
