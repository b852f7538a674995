#include <abut/apps/output.h>

#include <abut/io/file_error.h>

#include <iostream>
#include <system_error>

namespace abut {

void refuse_to_overwrite(const std::string& file, std::initializer_list<std::string> inputs) {
  for (const std::string& input : inputs) {
    std::error_code error;  // a missing file is equivalent to none
    if (std::filesystem::equivalent(file, input, error)) throw FileError(file, "is read from; cannot write to it");
  }
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
