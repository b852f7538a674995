#include <abut/io/file_error.h>
#include <abut/io/read_file.h>
#include <abut/io/stl_file.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace abut::detail {
namespace {

constexpr std::size_t kLongestQuote = 40;
constexpr std::size_t kCountPlace = 80;  // of the number of facets, after a header of any content
constexpr std::size_t kHeaderSize = 84;
constexpr std::size_t kFacetSize = 50;

// Of the binary form; `header` has kHeaderSize bytes, the number lowest byte first.
std::uint64_t announced_facets(std::string_view header) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    count |= std::uint64_t{static_cast<unsigned char>(header[kCountPlace + i])} << (8 * i);
  }
  return count;
}

constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

class AsciiStlReader {
 public:
  AsciiStlReader(const std::filesystem::path& file, std::string_view text)
      : file_(file), rest_(without_byte_order_mark(text)) {}

  PolygonMesh read() {
    constexpr std::size_t kUsualBytes = 60;  // of the text, by vertex; memory that is not used costs nothing
    const std::string_view text = rest_;
    mesh_.vertices.reserve(text.size() / kUsualBytes);
    mesh_.corners.reserve(text.size() / kUsualBytes);
    take_word();
    if (!is("solid") || text.substr(0, kHeaderSize).find('\0') != std::string_view::npos) fail_as_binary(text);
    do {
      if (!is("solid")) fail_expecting("\"solid\"");
      skip_line();  // its name
      read_solid();
      take_word();
    } while (!word_.empty());
    return std::move(mesh_);
  }

 private:
  void read_solid() {
    while (true) {
      take_word();
      if (is("facet")) {
        read_facet();
      } else if (is("color")) {
        skip_line();
      } else if (is("endsolid")) {
        return skip_line();
      } else {
        fail_expecting("\"facet\" or \"endsolid\"");
      }
    }
  }

  void read_facet() {
    take("normal");
    for (int i = 0; i < 3; ++i) {
      if (!take_number()) fail_expecting("a number of the normal");
    }
    take("outer");
    take("loop");
    for (int i = 0; i < 3; ++i) read_vertex();
    take("endloop");
    take("endfacet");
    mesh_.polygon_end.push_back(mesh_.corners.size());
  }

  void read_vertex() {
    take("vertex");
    Eigen::Vector3d vertex;
    for (double& coordinate : vertex) {
      const std::optional<double> value = take_number();
      if (!value || !std::isfinite(*value)) fail_expecting("a finite coordinate of the vertex");
      coordinate = *value;
    }
    mesh_.corners.push_back(static_cast<std::uint32_t>(mesh_.vertices.size()));
    mesh_.vertices.push_back(vertex);
  }

  void take(const char* keyword) {
    take_word();
    if (!is(keyword)) fail_expecting('"' + std::string(keyword) + '"');
  }

  // The whole word as a number. The standard reads no sign +.
  std::optional<double> take_number() {
    take_word();
    std::string_view word = word_;
    if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
    double value = 0.0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
  }

  // Empty at the end of the file. A line ends in \n, \r\n or \r.
  void take_word() {
    const char* begin = rest_.data();
    const char* const end = begin + rest_.size();
    for (; begin != end && is_space(*begin); ++begin) {
      if (*begin == '\n' || (*begin == '\r' && (begin + 1 == end || begin[1] != '\n'))) ++line_;
    }
    const char* stop = begin;
    while (stop != end && !is_space(*stop)) ++stop;
    word_ = std::string_view(begin, static_cast<std::size_t>(stop - begin));
    rest_ = std::string_view(stop, static_cast<std::size_t>(end - stop));
  }

  void skip_line() { rest_.remove_prefix(std::min(rest_.find_first_of("\r\n"), rest_.size())); }

  // Whether the word is the keyword, in any case.
  [[nodiscard]] bool is(std::string_view keyword) const {
    if (word_ == keyword) return true;
    return std::equal(word_.begin(), word_.end(), keyword.begin(), keyword.end(),
                      [](unsigned char c, char k) { return std::tolower(c) == k; });
  }

  [[noreturn]] void fail_expecting(const std::string& what) const {
    const std::string reason = "line " + std::to_string(line_) + ": " + what + " is expected, ";
    if (word_.empty()) throw FileError(file_, reason + "but the file ends");
    std::string quote(word_.substr(0, kLongestQuote));
    std::replace_if(
        quote.begin(), quote.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    throw FileError(file_, reason + "got \"" + quote + "\"");
  }

  [[noreturn]] void fail_as_binary(std::string_view text) const {
    const std::string reason = "is not a usable mesh: it is neither text that begins with \"solid\", nor ";
    if (text.size() < kHeaderSize) throw FileError(file_, reason + "long enough for the binary form");
    const std::uint64_t count = announced_facets(text);
    throw FileError(file_, reason + "of the binary form, in which " + std::to_string(count) + " facets would take " +
                               std::to_string(kHeaderSize + kFacetSize * count) + " bytes, not " +
                               std::to_string(text.size()));
  }

  const std::filesystem::path& file_;
  std::string_view rest_;
  std::string_view word_;
  std::size_t line_ = 1;  // of word_
  PolygonMesh mesh_;
};

}  // namespace

bool is_binary_stl_file(const std::filesystem::path& file) {
  std::string header(kHeaderSize, '\0');
  if (!open_file(file).read(header.data(), static_cast<std::streamsize>(header.size()))) return false;
  return std::filesystem::file_size(file) == kHeaderSize + kFacetSize * announced_facets(header);
}

PolygonMesh read_ascii_stl_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  return AsciiStlReader(file, text).read();
}

}  // namespace abut::detail
