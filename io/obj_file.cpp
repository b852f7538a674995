#include <abut/io/file_error.h>
#include <abut/io/obj_file.h>
#include <abut/io/read_file.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace abut::detail {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";
constexpr std::size_t kLongestQuote = 80;
constexpr std::size_t kMaxNumbers = 7;  // of a vertex: x y z r g b a

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Takes the next word off the text; empty at its end.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

// The whole word as a number. The standard reads no sign +.
template <class Number>
std::optional<Number> number(std::string_view word) {
  if (word.starts_with('+')) {
    word.remove_prefix(1);
    if (word.starts_with('-')) return std::nullopt;
  }
  Number value{};
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// The lines of a file, those that a backslash continues put together.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(without_byte_order_mark(text)) {}

  // False at the end of the file.
  bool next() {
    if (rest_.empty()) return false;
    first_ = next_;
    line_ = physical_line();
    if (!is_continued(line_)) return true;
    joined_.clear();
    while (is_continued(line_)) {
      joined_ += line_.substr(0, line_.size() - 1);
      joined_ += ' ';
      line_ = rest_.empty() ? std::string_view() : physical_line();
    }
    line_ = joined_ += line_;
    return true;
  }

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return first_; }  // of the first one that is continued

 private:
  // A comment that ends in a backslash, as a folder's name may, does not swallow the line after it.
  static bool is_continued(std::string_view line) {
    return line.ends_with('\\') && line.find('#') == std::string_view::npos;
  }

  std::string_view physical_line() {
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end);
    rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : std::min<std::size_t>(rest_.size(), 1));
    ++next_;
    return line;
  }

  std::string_view rest_;
  std::string_view line_;
  std::string joined_;
  std::size_t next_ = 1;
  std::size_t first_ = 0;
};

class ObjReader {
 public:
  ObjReader(const std::filesystem::path& file, std::string_view text) : file_(file), lines_(text) {}

  ObjFile read() {
    while (lines_.next()) read_line();
    check_corners();
    std::vector<ObjBody>& named = objects_.empty() ? groups_ : objects_;
    named.insert(named.begin(), ObjBody{});
    return {std::move(mesh_), std::move(named)};
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& reason) const {
    throw FileError(file_, "line " + std::to_string(line) + ": " + reason);
  }

  [[noreturn]] void fail_at_line(const std::string& reason) const {
    std::string quote(without_blanks(lines_.line()).substr(0, kLongestQuote));
    std::replace_if(
        quote.begin(), quote.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    fail(lines_.number(), reason + ", got \"" + quote + "\"");
  }

  void read_line() {
    std::string_view rest = lines_.line();
    const std::string_view keyword = take_word(rest);
    if (keyword == "v") {
      read_vertex(without_comment(rest));
    } else if (keyword == "f") {
      read_face(without_comment(rest));
    } else if ((keyword == "o" || keyword == "g") && !rest.empty()) {
      auto& bodies = keyword == "o" ? objects_ : groups_;
      bodies.push_back({std::string(without_blanks(rest)), mesh_.polygon_end.size()});
    }
  }

  static std::string_view without_comment(std::string_view text) { return text.substr(0, text.find('#')); }

  void read_vertex(std::string_view text) {
    std::array<double, kMaxNumbers> values{};
    std::size_t count = 0;
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text), ++count) {
      const std::optional<double> value = number<double>(word);
      if (count == kMaxNumbers || !value || !std::isfinite(*value)) fail_at_vertex();
      values[count] = *value;
    }
    const bool is_known_count = count == 3 || count == 4 || count == 6 || count == 7;
    if (!is_known_count) fail_at_vertex();
    mesh_.vertices.emplace_back(values[0], values[1], values[2]);
  }

  [[noreturn]] void fail_at_vertex() const {
    fail_at_line("a vertex must be 3 finite numbers, or 4 with a weight, or 6 or 7 with a colour");
  }

  void read_face(std::string_view text) {
    const std::size_t begin = mesh_.corners.size();
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
      mesh_.corners.push_back(read_corner(word));
    }
    // Fewer have no surface: most likely the line, or the file, is cut short.
    if (mesh_.corners.size() < begin + 3) fail_at_line("a face must have 3 corners or more");
    mesh_.polygon_end.push_back(mesh_.corners.size());
    line_of_polygon_.push_back(lines_.number());
  }

  // What stands after the slashes must be whole numbers too, or nothing.
  std::uint32_t read_corner(std::string_view word) const {
    std::optional<std::int64_t> vertex;
    for (int part = 0;; ++part) {
      const std::size_t slash = std::min(word.find('/'), word.size());
      const std::optional<std::int64_t> index = number<std::int64_t>(word.substr(0, slash));
      const bool may_be_empty = part > 0;
      if (part == 3 || (!index && !(may_be_empty && slash == 0))) {
        fail_at_line("the corners of a face must be v, v/vt, v//vn or v/vt/vn");
      }
      if (part == 0) vertex = index;
      if (slash == word.size()) break;
      word.remove_prefix(slash + 1);
    }
    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    const std::int64_t zero_based = *vertex < 0 ? count + *vertex : *vertex - 1;
    if (zero_based < 0 || zero_based > UINT32_MAX) fail_at_index(lines_.number(), *vertex);
    return static_cast<std::uint32_t>(zero_based);
  }

  [[noreturn]] void fail_at_index(std::size_t line, std::int64_t vertex) const {
    fail(line, "a face refers to vertex " + std::to_string(vertex) + ", but there are " +
                   std::to_string(mesh_.vertices.size()) + (vertex < 0 ? " before it" : ""));
  }

  // At the end, as a face may come before its vertices.
  void check_corners() const {
    for (std::size_t i = 0; i < mesh_.polygon_end.size(); ++i) {
      for (const std::uint32_t corner : mesh_.polygon(i)) {
        if (corner >= mesh_.vertices.size()) fail_at_index(line_of_polygon_[i], std::int64_t{corner} + 1);
      }
    }
  }

  const std::filesystem::path& file_;
  Lines lines_;
  PolygonMesh mesh_;
  std::vector<std::size_t> line_of_polygon_;
  std::vector<ObjBody> objects_;
  std::vector<ObjBody> groups_;
};

}  // namespace

ObjFile read_obj_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  return ObjReader(file, text).read();
}

}  // namespace abut::detail
