// Files opened, and a whole one as text.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace abut {

/// Opens a file for reading, as bytes. @throws FileError  when it does not exist, is a folder or cannot be opened.
[[nodiscard]] std::ifstream open_file(const std::filesystem::path& file);

/// Opens a file for writing, as bytes; created or emptied. @throws FileError  saying why it cannot be.
[[nodiscard]] std::ofstream create_file(const std::filesystem::path& file);

/// @throws FileError  also when reading fails.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// A text without the three bytes by which some programs mark it as UTF-8.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

}  // namespace abut
