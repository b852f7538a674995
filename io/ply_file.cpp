#include <abut/io/file_error.h>
#include <abut/io/ply_file.h>
#include <abut/io/read_file.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace abut::detail {
namespace {

enum class Kind : std::uint8_t { signed_integer, unsigned_integer, real };

struct Type {
  std::string_view name;
  std::string_view other_name;
  Kind kind;
  std::size_t size;  // bytes
};

constexpr std::array<Type, 8> kTypes = {{
    {"char", "int8", Kind::signed_integer, 1},
    {"uchar", "uint8", Kind::unsigned_integer, 1},
    {"short", "int16", Kind::signed_integer, 2},
    {"ushort", "uint16", Kind::unsigned_integer, 2},
    {"int", "int32", Kind::signed_integer, 4},
    {"uint", "uint32", Kind::unsigned_integer, 4},
    {"float", "float32", Kind::real, 4},
    {"double", "float64", Kind::real, 8},
}};

enum class Role : std::uint8_t { none, x, y, z, corners };

struct Property {
  const Type* type = nullptr;
  const Type* count_type = nullptr;  // of a list
  Role role = Role::none;
};

struct Element {
  std::string_view name;
  std::size_t line_number = 0;  // of the header
  std::size_t count = 0;
  std::vector<Property> properties;
};

enum class Form : std::uint8_t { ascii, little_endian, big_endian };

constexpr std::size_t kMaxQuoteLength = 40;

constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// A word of the header, whatever its bytes are, for a message.
std::string quoted(std::string_view word) {
  std::string quote(word.substr(0, kMaxQuoteLength));
  std::replace_if(
      quote.begin(), quote.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return '"' + quote + '"';
}

// The text of a file from front to back: words of the header, numbers of the body.
class Scanner {
 public:
  Scanner(const std::filesystem::path& file, std::string_view text) : file_(file), text_(text), rest_(text) {}

  [[noreturn]] void fail(const std::string& reason) const { throw FileError(file_, "is not a usable mesh: " + reason); }

  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }

  // Of the line that line() gave last, from 1.
  [[nodiscard]] std::size_t line_number() const { return line_number_; }

  // The words of the next line.
  std::vector<std::string_view> line() {
    if (rest_.empty()) fail("the header does not end");
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_number_;
    std::vector<std::string_view> words;
    while (true) {
      while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
      if (text.empty()) return words;
      const auto stop = std::find_if(text.begin(), text.end(), is_space);
      words.push_back(text.substr(0, static_cast<std::size_t>(stop - text.begin())));
      text.remove_prefix(words.back().size());
    }
  }

  // Only white space may follow; some programs end the binary forms too with a new line.
  void check_end(Form form) {
    skip_spaces();
    if (rest_.empty()) return;
    if (form != Form::ascii)
      fail(std::to_string(rest_.size()) + " bytes follow the elements that the header announces");
    const std::string_view before = text_.substr(0, text_.size() - rest_.size());
    fail("line " + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) +
         " follows the elements that the header announces");
  }

  double number(const Type& type, Form form) { return form == Form::ascii ? word() : binary(type, form); }

 private:
  void skip_spaces() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }

  double word() {
    skip_spaces();
    if (rest_.empty()) fail("it is cut short");
    if (rest_.front() == '+') rest_.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || (length < rest_.size() && !is_space(rest_[length]))) fail("a number is expected");
    rest_.remove_prefix(length);
    return value;
  }

  double binary(const Type& type, Form form) {
    if (rest_.size() < type.size) fail("it is cut short");
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < type.size; ++i) {
      const std::size_t at = form == Form::little_endian ? type.size - 1 - i : i;
      bits = (bits << 8) | static_cast<unsigned char>(rest_[at]);
    }
    rest_.remove_prefix(type.size);
    switch (type.kind) {
      case Kind::unsigned_integer:
        return static_cast<double>(bits);
      case Kind::real:
        return type.size == 8 ? std::bit_cast<double>(bits)
                              : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
      case Kind::signed_integer:
        break;
    }
    const std::size_t unused = 64 - 8 * type.size;
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
  }

  const std::filesystem::path& file_;
  std::string_view text_;
  std::string_view rest_;
  std::size_t line_number_ = 0;
};

const Type& type_named(const Scanner& scanner, std::string_view name) {
  for (const Type& type : kTypes) {
    if (name == type.name || name == type.other_name) return type;
  }
  scanner.fail("unknown number type in the header");
}

Role role_of(std::string_view element, std::string_view property, bool is_list) {
  if (element == "face" && is_list && (property == "vertex_indices" || property == "vertex_index"))
    return Role::corners;
  if (element != "vertex" || is_list) return Role::none;
  if (property == "x") return Role::x;
  if (property == "y") return Role::y;
  return property == "z" ? Role::z : Role::none;
}

Form read_form(const Scanner& scanner, std::string_view name) {
  if (name == "ascii") return Form::ascii;
  if (name == "binary_little_endian") return Form::little_endian;
  if (name == "binary_big_endian") return Form::big_endian;
  scanner.fail("unknown form in the header");
}

// A count too large for the type would be left at 0.
std::size_t read_count(const Scanner& scanner, std::string_view word, std::string_view element) {
  std::size_t count = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, count);
  if (error != std::errc() || stop != end) {
    scanner.fail("unreadable count " + quoted(word) + " of the element " + quoted(element) + " in line " +
                 std::to_string(scanner.line_number()) + " of the header");
  }
  return count;
}

// Coordinates that a vertex does not have would be read as 0.
void check_coordinates(const Scanner& scanner, const Element& element) {
  if (element.name != "vertex") return;
  for (const auto& [role, name] : {std::pair(Role::x, "x"), std::pair(Role::y, "y"), std::pair(Role::z, "z")}) {
    const auto has_role = [&, role = role](const Property& property) { return property.role == role; };
    if (std::none_of(element.properties.begin(), element.properties.end(), has_role)) {
      scanner.fail("the element \"vertex\" in line " + std::to_string(element.line_number) +
                   " of the header has no property \"" + name + "\"");
    }
  }
}

struct Header {
  Form form = Form::ascii;
  std::vector<Element> elements;
};

Header read_header(Scanner& scanner) {
  const std::vector<std::string_view> magic = scanner.line();
  if (magic.size() != 1 || magic[0] != "ply") scanner.fail("it does not begin with \"ply\"");
  std::optional<Form> form;
  std::vector<Element> elements;
  while (true) {
    const std::vector<std::string_view> words = scanner.line();
    if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
    if (words[0] == "end_header") break;
    if (words[0] == "format" && words.size() >= 2) {
      form = read_form(scanner, words[1]);
    } else if (words[0] == "element" && words.size() == 3) {
      Element& element = elements.emplace_back();
      element.name = words[1];
      element.line_number = scanner.line_number();
      element.count = read_count(scanner, words[2], element.name);
    } else if (words[0] == "property" && words.size() == 3 && !elements.empty()) {
      const Role role = role_of(elements.back().name, words[2], /*is_list=*/false);
      elements.back().properties.push_back({&type_named(scanner, words[1]), nullptr, role});
    } else if (words[0] == "property" && words.size() == 5 && words[1] == "list" && !elements.empty()) {
      const Role role = role_of(elements.back().name, words[4], /*is_list=*/true);
      elements.back().properties.push_back({&type_named(scanner, words[3]), &type_named(scanner, words[2]), role});
    } else {
      scanner.fail("a line of the header is not understood");
    }
  }
  if (!form) scanner.fail("the header names no format");
  for (const Element& element : elements) check_coordinates(scanner, element);
  return {*form, std::move(elements)};
}

std::uint32_t whole_number(const Scanner& scanner, double value, const char* what) {
  if (!(value >= 0.0 && value < 4294967296.0 && value == std::floor(value))) scanner.fail(std::string("bad ") + what);
  return static_cast<std::uint32_t>(value);
}

void read_element(Scanner& scanner, const Element& element, Form form, PolygonMesh& content) {
  Eigen::Vector3d vertex = Eigen::Vector3d::Zero();
  for (const Property& property : element.properties) {
    if (property.count_type == nullptr) {
      const double value = scanner.number(*property.type, form);
      if (property.role == Role::x) vertex.x() = value;
      if (property.role == Role::y) vertex.y() = value;
      if (property.role == Role::z) vertex.z() = value;
      continue;
    }
    const std::uint32_t length = whole_number(scanner, scanner.number(*property.count_type, form), "list length");
    for (std::uint32_t i = 0; i < length; ++i) {
      const double value = scanner.number(*property.type, form);
      if (property.role == Role::corners) content.corners.push_back(whole_number(scanner, value, "vertex index"));
    }
    if (property.role == Role::corners) content.polygon_end.push_back(content.corners.size());
  }
  if (element.name == "vertex") content.vertices.push_back(vertex);
}

}  // namespace

PolygonMesh read_ply_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  Scanner scanner(file, text);
  const Header header = read_header(scanner);
  PolygonMesh content;
  for (const Element& element : header.elements) {
    if (element.properties.empty()) continue;  // no bytes, whatever the count
    if (element.count > scanner.remaining()) {
      scanner.fail("it is cut short: the header announces " + std::to_string(element.count) + " of " +
                   std::string(element.name));
    }
    for (std::size_t i = 0; i < element.count; ++i) read_element(scanner, element, header.form, content);
  }
  scanner.check_end(header.form);
  for (const std::uint32_t corner : content.corners) {
    if (corner >= content.vertices.size()) {
      throw FileError(file, "a face refers to vertex " + std::to_string(corner) + ", but there are " +
                                std::to_string(content.vertices.size()));
    }
  }
  return content;
}

}  // namespace abut::detail
