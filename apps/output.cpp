#include <abut/apps/output.h>

#include <abut/io/file_error.h>
#include <abut/io/read_file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <system_error>

namespace abut {

namespace {

// Where a file is or would be.
std::filesystem::path place_of(const std::string& file, std::error_code& error) {
  const std::filesystem::path path = std::filesystem::absolute(file, error);
  return error ? path : std::filesystem::weakly_canonical(path, error);
}

// Whether there is such a file. Standard input and output are known by their descriptors, whatever they are named.
bool find_status(const std::string& file, struct stat& status) {
  if (file == kStandardInput) return ::fstat(STDIN_FILENO, &status) == 0;
  if (file == kStandardOutput) return ::fstat(STDOUT_FILENO, &status) == 0;
  return ::stat(file.c_str(), &status) == 0;
}

// Whether what is written to one is read from, or mixed with, the other. Not so of devices and sockets.
bool are_same(const std::string& file, const std::string& other) {
  if (file.empty() || other.empty()) return false;
  struct stat one {};
  struct stat two {};
  const bool is_there = find_status(file, one);
  if (find_status(other, two) != is_there) return false;
  if (is_there) {
    return one.st_dev == two.st_dev && one.st_ino == two.st_ino && (S_ISREG(one.st_mode) || S_ISFIFO(one.st_mode));
  }
  std::error_code error;
  const std::filesystem::path path = place_of(file, error);
  return !error && path == place_of(other, error) && !error;
}

std::string shown(const std::string& file) {
  return file == kStandardOutput ? "standard output" : file;
}

}  // namespace

void refuse_to_overwrite(const std::string& file, const Inputs& inputs) {
  for (const std::filesystem::path& input : inputs) {
    if (are_same(file, input.string())) throw FileError(shown(file), "is read from; cannot write to it");
  }
}

void refuse_to_share(const std::string& file, const std::string& other, std::string_view writer) {
  if (are_same(file, other)) throw FileError(file, "is written to by " + std::string(writer) + " as well");
}

Output::Output(const std::string& file, const Inputs& inputs)
    : name_(file.empty() ? "standard output" : file), stream_(&std::cout) {
  refuse_to_overwrite(file.empty() ? kStandardOutput : file, inputs);
  if (file.empty()) return;
  file_ = create_file(file);
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
