// Lines from a file or a pipe, handed out as soon as they have arrived.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// Whether a file on the command line is standard input: none, or "-".
[[nodiscard]] bool is_standard_input(const std::string& file);

/// How messages name it.
inline constexpr const char* kStandardInputName = "standard input";

/// Reads a file descriptor without waiting for more than it must: a person who types a query gets the answer at once, a
/// large file comes in large pieces.
class LineReader {
 public:
  /// @param file  To open; empty or "-": standard input. @throws FileError  also for a folder.
  explicit LineReader(const std::string& file);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Replaces `lines` by the lines that have arrived, at most `limit`, without their line ends; waits for the first
  /// one. A last line needs no line end. @return False at the end of the input. @throws FileError
  bool read(std::vector<std::string>& lines, std::size_t limit);

  /// Waits for all of the input. read() hands it out all the same.
  /// @return What has not been handed out; until read() is called. @throws FileError
  std::string_view read_ahead();

  /// The name of what is read, as Output takes it.
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  bool fill();  // false at the end of the input

  std::string file_;
  std::string name_;  // for messages
  int descriptor_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the text that has not been handed out
  std::size_t scanned_ = 0;  // no line end lies in [begin_, scanned_)
};

}  // namespace abut
