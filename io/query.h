// Queries as JSON Lines: one question about two shapes in, one answer out.
#pragma once

#include <abut/io/shape_files.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace abut {

/// One line of output, without its line end.
struct QueryAnswer {
  std::string line;
  bool is_error = false;  ///< The line is {"id": ..., "status": "error", "error": ...}.
};

/// What a line that cannot be answered gets.
/// @param id           Of the line; null where it has none.
/// @param line_number  In its file, from 1: told where there is no id to know the line by. 0: not known.
[[nodiscard]] QueryAnswer error_answer(const std::string* id, std::string_view what, std::size_t line_number = 0);

/// The mesh files that a query line names, as it spells them; none of a line that is not JSON.
[[nodiscard]] std::set<std::string> named_files(std::string_view line);

/// Answers query lines. Thread-safe; equal lines get equal answers.
class QueryAnswerer {
 public:
  /// @param folder  What the mesh files that queries name are relative to; empty: the current folder. Files are read
  ///                once and kept.
  /// @param output  The file that answers are written to: a query that names it as its mesh is an error. Empty: none.
  explicit QueryAnswerer(std::filesystem::path folder = {}, std::filesystem::path output = {});

  /// @param line         A JSON object: id, query, a, b and the optional fields of the query format.
  /// @param line_number  As error_answer() takes it.
  /// @return A result object; an error object where the query cannot be answered, whatever the reason. Does not throw.
  [[nodiscard]] QueryAnswer answer(std::string_view line, std::size_t line_number = 0) noexcept;

 private:
  ShapeFiles files_;
};

}  // namespace abut
