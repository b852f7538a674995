#include "table.h"

#include <abut/core/assert.h>

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>

namespace abut::demo {

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string significant(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

Table::Table(std::ostream& stream, std::vector<Column> columns) : stream_(stream), columns_(std::move(columns)) {
  for (Column& column : columns_) column.width = std::max(column.width, column.title.size());
}

void Table::write_header() const {
  std::vector<std::string> titles;
  std::size_t width = 0;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    width += column.width + (width > 0 ? 2 : 0);
  }
  write_row(titles);
  stream_ << std::string(width, '-') << '\n';
}

void Table::write_row(const std::vector<std::string>& cells) const {
  ABUT_ASSERT(cells.size() == columns_.size());
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(columns_[i].width - std::min(columns_[i].width, cells[i].size()), ' ');
    if (i > 0) line += "  ";
    line += columns_[i].left ? cells[i] + padding : padding + cells[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  stream_ << line << '\n';
}

}  // namespace abut::demo
