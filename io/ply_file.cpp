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
  std::string_view name;
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

std::string shown(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

// The text of a file from front to back: words of the header, numbers of the body.
class Scanner {
 public:
  Scanner(const std::filesystem::path& file, std::string_view text)
      : file_(file), text_(text), rest_(without_byte_order_mark(text)) {}

  [[noreturn]] void fail(const std::string& reason) const { throw FileError(file_, "is not a usable mesh: " + reason); }

  // Of the line that line() gave last.
  [[noreturn]] void fail_in_header(const std::string& reason) const {
    fail(reason + " in line " + std::to_string(line_number_) + " of the header");
  }

  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }

  // How many bytes have been read.
  [[nodiscard]] std::size_t position() const { return text_.size() - rest_.size(); }

  // Of the line that line() gave last, from 1.
  [[nodiscard]] std::size_t line_number() const { return line_number_; }

  // Of a byte, from 1.
  [[nodiscard]] std::size_t line_of(std::size_t position) const {
    const std::string_view before = text_.substr(0, position);
    return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  }

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
    fail("line " + std::to_string(line_of(position())) + " follows the elements that the header announces");
  }

  // Of text: an element has a line.
  void check_end_of_line() {
    while (!rest_.empty() && rest_.front() != '\n' && is_space(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() == '\n') return;
    fail("line " + std::to_string(line_of(position())) + " holds more than the header announces for it");
  }

  double number(const Type& type, Form form) { return form == Form::ascii ? word() : binary(type, form); }

 private:
  void skip_spaces() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }

  double word() {
    skip_spaces();
    if (rest_.empty()) fail("it is cut short");
    const char* const begin = rest_.data() + (rest_.front() == '+' ? 1 : 0);
    double value = 0.0;
    const auto [end, error] = std::from_chars(begin, rest_.data() + rest_.size(), value);
    const auto length = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || (length < rest_.size() && !is_space(rest_[length]))) {
      const auto stop = std::find_if(rest_.begin(), rest_.end(), is_space);
      fail("line " + std::to_string(line_of(position())) + ": a number in the range of double is expected, got " +
           quoted(rest_.substr(0, static_cast<std::size_t>(stop - rest_.begin()))));
    }
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
  scanner.fail_in_header("unknown number type " + quoted(name));
}

Role role_of(std::string_view element, std::string_view property, bool is_list) {
  if (element == "face" && is_list && (property == "vertex_indices" || property == "vertex_index"))
    return Role::corners;
  if (element != "vertex" || is_list) return Role::none;
  if (property == "x") return Role::x;
  if (property == "y") return Role::y;
  return property == "z" ? Role::z : Role::none;
}

Form read_form(const Scanner& scanner, std::string_view name, std::string_view version) {
  if (version != "1.0") scanner.fail_in_header("unknown version " + quoted(version) + " of the format");
  if (name == "ascii") return Form::ascii;
  if (name == "binary_little_endian") return Form::little_endian;
  if (name == "binary_big_endian") return Form::big_endian;
  scanner.fail_in_header("unknown form " + quoted(name));
}

// A count too large for the type would be left at 0.
std::size_t read_count(const Scanner& scanner, std::string_view word, std::string_view element) {
  std::size_t count = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, count);
  if (error != std::errc() || stop != end) {
    scanner.fail_in_header("unreadable count " + quoted(word) + " of the element " + quoted(element));
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
  std::optional<Form> form;
  std::vector<Element> elements;
};

void add_element(const Scanner& scanner, Header& header, std::string_view name, std::string_view count) {
  const auto has_name = [name](const Element& element) { return element.name == name; };
  if (std::any_of(header.elements.begin(), header.elements.end(), has_name)) {
    scanner.fail_in_header("a second element " + quoted(name));
  }
  Element& element = header.elements.emplace_back();
  element.name = name;
  element.line_number = scanner.line_number();
  element.count = read_count(scanner, count, name);
}

// Of two of one name, or of two lists of a face's corners, one would be lost in the other.
void add_property(const Scanner& scanner, Element& element, const Property& property) {
  for (const Property& other : element.properties) {
    if (other.name == property.name) {
      scanner.fail_in_header("a second property " + quoted(property.name) + " of the element " + quoted(element.name));
    }
    if (other.role == Role::corners && property.role == Role::corners) {
      scanner.fail_in_header("the property " + quoted(property.name) + " besides " + quoted(other.name) +
                             " of the element " + quoted(element.name));
    }
  }
  element.properties.push_back(property);
}

void read_header_line(const Scanner& scanner, const std::vector<std::string_view>& words, Header& header) {
  const bool has_element = !header.elements.empty();
  if (words[0] == "format" && words.size() == 3) {
    if (header.form) scanner.fail_in_header("a second format");
    header.form = read_form(scanner, words[1], words[2]);
  } else if (words[0] == "element" && words.size() == 3) {
    add_element(scanner, header, words[1], words[2]);
  } else if (words[0] == "property" && words.size() == 3 && has_element) {
    Element& element = header.elements.back();
    const Role role = role_of(element.name, words[2], /*is_list=*/false);
    add_property(scanner, element, {words[2], &type_named(scanner, words[1]), nullptr, role});
  } else if (words[0] == "property" && words.size() == 5 && words[1] == "list" && has_element) {
    Element& element = header.elements.back();
    const Role role = role_of(element.name, words[4], /*is_list=*/true);
    add_property(scanner, element, {words[4], &type_named(scanner, words[3]), &type_named(scanner, words[2]), role});
  } else {
    scanner.fail_in_header(quoted(words[0]) + " is not understood");
  }
}

Header read_header(Scanner& scanner) {
  const std::vector<std::string_view> magic = scanner.line();
  if (magic.size() != 1 || magic[0] != "ply") scanner.fail("it does not begin with \"ply\"");
  Header header;
  while (true) {
    const std::vector<std::string_view> words = scanner.line();
    if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
    if (words[0] == "end_header") break;
    read_header_line(scanner, words, header);
  }
  if (!header.form) scanner.fail("the header names no format");
  for (const Element& element : header.elements) check_coordinates(scanner, element);
  return header;
}

// Reads what follows the header.
class BodyReader {
 public:
  BodyReader(Scanner& scanner, Form form) : scanner_(scanner), form_(form) {}

  void read(const Element& element) {
    if (element.properties.empty()) return;  // no bytes, whatever the count
    if (element.count > scanner_.remaining()) {
      scanner_.fail("it is cut short: the header announces " + std::to_string(element.count) + " of " +
                    std::string(element.name));
    }
    for (index_ = 0; index_ < element.count; ++index_) read_one(element);
  }

  PolygonMesh finish() {
    scanner_.check_end(form_);
    check_corners();
    return std::move(content_);
  }

 private:
  void read_one(const Element& element) {
    Eigen::Vector3d vertex = Eigen::Vector3d::Zero();
    for (const Property& property : element.properties) {
      if (property.count_type != nullptr) {
        read_list(element, property);
        continue;
      }
      const double value = scanner_.number(*property.type, form_);
      if (property.role == Role::x) vertex.x() = value;
      if (property.role == Role::y) vertex.y() = value;
      if (property.role == Role::z) vertex.z() = value;
    }
    if (form_ == Form::ascii) scanner_.check_end_of_line();
    if (element.name == "vertex") content_.vertices.push_back(vertex);
  }

  void read_list(const Element& element, const Property& property) {
    const double count = scanner_.number(*property.count_type, form_);
    const std::uint32_t length = whole_number(count, "the length of a list", element);
    const bool has_corners = property.role == Role::corners;
    for (std::uint32_t i = 0; i < length; ++i) {
      const double value = scanner_.number(*property.type, form_);
      if (has_corners) content_.corners.push_back(whole_number(value, "a vertex index", element));
    }
    if (!has_corners) return;
    content_.polygon_end.push_back(content_.corners.size());
    polygon_position_.push_back(scanner_.position());
  }

  // The value that was read last.
  [[nodiscard]] std::uint32_t whole_number(double value, const char* what, const Element& element) const {
    if (!(value >= 0.0 && value < 4294967296.0 && value == std::floor(value))) {
      scanner_.fail(place(scanner_.position(), element.name, index_) + what +
                    " must be an integer from 0 to 4294967295, got " + shown(value));
    }
    return static_cast<std::uint32_t>(value);
  }

  // A binary form has no lines.
  [[nodiscard]] std::string place(std::size_t position, std::string_view element, std::size_t index) const {
    if (form_ == Form::ascii) return "line " + std::to_string(scanner_.line_of(position)) + ": ";
    return "element " + std::to_string(index) + " of " + quoted(element) + ", counted from 0: ";
  }

  // At the end, as faces may come before their vertices.
  void check_corners() const {
    for (std::size_t i = 0; i < content_.polygon_end.size(); ++i) {
      for (const std::uint32_t corner : content_.polygon(i)) {
        if (corner < content_.vertices.size()) continue;
        scanner_.fail(place(polygon_position_[i], "face", i) + "a face refers to vertex " + std::to_string(corner) +
                      ", but there are " + std::to_string(content_.vertices.size()));
      }
    }
  }

  Scanner& scanner_;
  Form form_;
  PolygonMesh content_;
  std::size_t index_ = 0;                      // of the element that is read
  std::vector<std::size_t> polygon_position_;  // where the corners of each polygon end in the file
};

}  // namespace

PolygonMesh read_ply_file(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  Scanner scanner(file, text);
  const Header header = read_header(scanner);
  BodyReader body(scanner, *header.form);
  for (const Element& element : header.elements) body.read(element);
  PolygonMesh mesh = body.finish();
  const auto is_strips = [](const Element& element) { return element.name == "tristrips" && element.count > 0; };
  mesh.has_strips = std::any_of(header.elements.begin(), header.elements.end(), is_strips);
  return mesh;
}

}  // namespace abut::detail
