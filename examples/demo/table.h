// Text tables: columns of fixed width under a header, and numbers as text.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace abut::demo {

/// A number with so many digits after the point.
[[nodiscard]] std::string fixed(double value, int digits);
/// A number with so many significant digits, in the shorter of the plain and the exponent form.
[[nodiscard]] std::string significant(double value, int digits);

class Table {
 public:
  struct Column {
    std::string title;
    std::size_t width = 0;  ///< Characters, at least the title's; a longer cell shifts the rest of its row.
    bool left = false;      ///< Aligned to the left, as names are; otherwise to the right.
  };

  Table(std::ostream& stream, std::vector<Column> columns);

  void write_header() const;
  /// @param cells  One a column.
  void write_row(const std::vector<std::string>& cells) const;

 private:
  std::ostream& stream_;
  std::vector<Column> columns_;
};

}  // namespace abut::demo
