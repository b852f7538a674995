#include <abut/apps/output.h>

#include <abut/io/file_error.h>

#include <iostream>
#include <system_error>

namespace abut {

namespace {

// Where a file is or would be.
std::filesystem::path place_of(const std::string& file, std::error_code& error) {
  const std::filesystem::path path = std::filesystem::absolute(file, error);
  return error ? path : std::filesystem::weakly_canonical(path, error);
}

bool are_same(const std::string& file, const std::string& other) {
  if (file.empty() || other.empty()) return false;
  std::error_code error;  // a missing file is equivalent to none
  if (std::filesystem::equivalent(file, other, error)) return true;
  const std::filesystem::path path = place_of(file, error);
  return !error && path == place_of(other, error) && !error;
}

}  // namespace

void refuse_to_overwrite(const std::string& file, std::initializer_list<std::string> inputs) {
  for (const std::string& input : inputs) {
    if (are_same(file, input)) throw FileError(file, "is read from; cannot write to it");
  }
}

void refuse_to_share(const std::string& file, const std::string& other, std::string_view option) {
  if (are_same(file, other)) throw FileError(file, "is written to by " + std::string(option) + " as well");
}

Output::Output(const std::string& file, std::initializer_list<std::string> inputs)
    : name_(file.empty() ? "standard output" : file), stream_(&std::cout) {
  if (file.empty()) return;
  refuse_to_overwrite(file, inputs);
  file_.open(file, std::ios::binary);
  if (!file_) throw FileError(file, "cannot be opened for writing");
  stream_ = &file_;
}

void Output::write_line(std::string_view line) {
  (*stream_ << line) << '\n';
}

void Output::flush() {
  stream_->flush();
  if (!*stream_) throw FileError(name_, "cannot be written");
}

}  // namespace abut
