// Times of many rounds in which checkers take turns, and the tables made of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace abut::bench {

/// Of this process, all its threads.
[[nodiscard]] double cpu_seconds();
[[nodiscard]] double wall_seconds();

/// The middle one of sorted samples; NaN where there are none.
[[nodiscard]] double median(std::vector<double> samples);

/// Microseconds an item, of rows (checkers) and columns (questions), summed over problems.
class Measured {
 public:
  Measured(std::size_t rows, std::size_t columns) : columns_(columns), cells_(rows * columns) {}

  struct Work {
    std::size_t row = 0;
    std::size_t column = 0;
    std::size_t items = 0;
    std::function<void(std::size_t)> ask;  ///< One item.
  };

  /// All of one problem's work, `rounds` times in turn; every piece's median counts.
  void run(const std::vector<Work>& work, int rounds, double (*seconds)() = &cpu_seconds);

  /// NaN where there was no item.
  [[nodiscard]] double microseconds(std::size_t row, std::size_t column) const;

 private:
  struct Cell {
    double seconds = 0.0;
    std::size_t items = 0;
  };
  std::size_t columns_;
  std::vector<Cell> cells_;
};

/// A table in Markdown.
class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  void print() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Three digits; nothing for NaN.
[[nodiscard]] std::string number_text(double value);
/// The value and how many times `bar` it is.
[[nodiscard]] std::string compared_text(double value, double bar);

}  // namespace abut::bench
