// A whole file as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace abut {

/// Opens a file for reading, as bytes. @throws FileError  when it does not exist, is a folder or cannot be opened.
[[nodiscard]] std::ifstream open_file(const std::filesystem::path& file);

/// @throws FileError  also when reading fails.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

}  // namespace abut
