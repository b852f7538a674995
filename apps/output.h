// Where a command writes its lines: a file or standard output.
#pragma once

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// The names of standard input and output among files, also where they have been redirected.
inline constexpr const char* kStandardInput = "/dev/stdin";
inline constexpr const char* kStandardOutput = "/dev/stdout";

/// The files that a command reads, those too that others name. Empty names are none.
using Inputs = std::vector<std::filesystem::path>;

/// @throws FileError  when `file` is one of `inputs`. Terminals and other devices may be both.
void refuse_to_overwrite(const std::string& file, const Inputs& inputs);

/// @throws FileError  when `file` is `other`, which `writer` writes, whether or not they are there yet. An empty name
///                    is none.
void refuse_to_share(const std::string& file, const std::string& other, std::string_view writer);

class Output {
 public:
  /// @param file    Created or emptied; when the name is empty, standard output.
  /// @param inputs  Writing over one of them is refused.
  /// @throws FileError
  explicit Output(const std::string& file, const Inputs& inputs = {});

  void write_line(std::string_view line);
  /// @throws FileError  when something could not be written, for example on a full disk.
  void flush();

 private:
  std::string name_;
  std::ofstream file_;
  std::ostream* stream_;
};

}  // namespace abut
