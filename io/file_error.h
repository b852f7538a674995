// The exception of everything that reads or writes files.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace abut {

/// A file that cannot be used. what() reads "file: reason".
class FileError : public std::runtime_error {
 public:
  FileError(const std::filesystem::path& file, const std::string& reason)
      : std::runtime_error(file.string() + ": " + reason) {}
};

}  // namespace abut
