#include <abut/io/file_error.h>
#include <abut/io/read_file.h>

namespace abut {

std::ifstream open_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) throw FileError(file, "does not exist");
  if (std::filesystem::is_directory(status)) throw FileError(file, "is a folder, not a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw FileError(file, "cannot be opened for reading");
  return stream;
}

std::ofstream create_file(const std::filesystem::path& file) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  if (stream) return stream;
  std::error_code error;
  const std::filesystem::path folder = file.parent_path();
  const char* why = std::filesystem::is_directory(file, error)                         ? ": it is a folder"
                    : !folder.empty() && !std::filesystem::is_directory(folder, error) ? ": its folder does not exist"
                                                                                       : "";
  throw FileError(file, std::string("cannot be opened for writing") + why);
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream = open_file(file);
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::string text;
  while (stream) {  // not by the file's size, which a pipe does not have
    const std::size_t size = text.size();
    text.resize(size + kChunk);
    stream.read(text.data() + size, kChunk);
    text.resize(size + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw FileError(file, "cannot be read");
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace abut
