#include <abut/apps/line_reader.h>

#include <abut/apps/output.h>
#include <abut/io/file_error.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace abut {
namespace {

constexpr std::size_t kReadSize = std::size_t{1} << 18;

}  // namespace

bool is_standard_input(const std::string& file) {
  return file.empty() || file == "-";
}

LineReader::LineReader(const std::string& file)
    : file_(is_standard_input(file) ? kStandardInput : file),
      name_(is_standard_input(file) ? kStandardInputName : file),
      descriptor_(is_standard_input(file) ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw FileError(name_, std::string("cannot be opened: ") + std::strerror(errno));
  // It can be opened, and only reading it fails: too late, when the output has been emptied.
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
    throw FileError(name_, "is a folder, not a file");
  }
}

LineReader::~LineReader() {
  if (descriptor_ != STDIN_FILENO) ::close(descriptor_);
}

bool LineReader::fill() {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kReadSize);
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, buffer_.data() + size, kReadSize);
  } while (count < 0 && errno == EINTR);
  const int error = errno;
  buffer_.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
  if (count < 0) throw FileError(name_, std::string("cannot be read: ") + std::strerror(error));
  return count > 0;
}

bool LineReader::read(std::vector<std::string>& lines, std::size_t limit) {
  lines.clear();
  while (lines.size() < limit) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      lines.emplace_back(buffer_, begin_, end - begin_);
      begin_ = scanned_ = end + 1;
      continue;
    }
    scanned_ = buffer_.size();
    if (!lines.empty()) return true;
    if (fill()) continue;
    if (begin_ == buffer_.size()) return false;
    lines.emplace_back(buffer_, begin_);
    begin_ = scanned_ = buffer_.size();
    return true;
  }
  return true;
}

std::string_view LineReader::read_ahead() {
  while (fill()) continue;
  return std::string_view(buffer_).substr(begin_);
}

}  // namespace abut
