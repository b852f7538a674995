#include <abut/io/json.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace abut::json {
namespace {

// A message may quote the text that was read last, which can be as long as the line.
constexpr std::size_t kMaxMessageLength = 300;

// Without the library's "[json.exception.parse_error.101] ".
std::string message_of(const Json::exception& error) {
  std::string_view text = error.what();
  if (const std::size_t end = text.find("] "); end != std::string_view::npos) text.remove_prefix(end + 2);
  std::string message(text.substr(0, kMaxMessageLength));
  if (text.size() > kMaxMessageLength) message += " ...";
  return message;
}

/// @param read  How many bytes of the text had been read. @param first_line  Its first line's number in its file.
[[noreturn]] void refuse_at(std::string_view text, std::size_t read, std::size_t first_line,
                            const std::string& reason) {
  const std::string_view before = text.substr(0, read);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  throw InvalidInput("", "is not JSON: parse error at line " + std::to_string(first_line + lines) + ", column " +
                             std::to_string(read - line_begin) + ": " + reason);
}

// The parser takes the byte 0 for the end of the text, whatever follows.
constexpr const char* kNulReason = "the byte 0 (NUL) is no part of JSON";

[[noreturn]] void wrong_type(const char* expected, const Json& value) {
  throw InvalidInput("", std::string("must be ") + expected + ", got " + describe(value));
}

/// Where the parser is, and which fields it has met on the way.
class Place {
 public:
  void begin(bool is_object) { open_.push_back({.is_object = is_object}); }
  /// Of an object or an array.
  void end() {
    open_.pop_back();
    end_value();
  }
  void end_value() {
    if (!open_.empty()) ++open_.back().elements;
  }
  /// @return Whether the object that is open has it for the first time.
  [[nodiscard]] bool begin_field(const std::string& name) {
    Scope& scope = open_.back();
    scope.field = name;
    return scope.fields.insert(name).second;
  }
  /// Of the value that is read, from the outermost one.
  [[nodiscard]] std::string path() const {
    std::string path;
    for (const Scope& scope : open_) {
      path = scope.is_object ? member_path(path, scope.field) : element(path, scope.elements);
    }
    if (path.starts_with('.')) path.erase(0, 1);
    return path;
  }

 private:
  struct Scope {
    bool is_object = false;
    std::size_t elements = 0;  // that have ended
    std::string field = {};    // the last one
    std::set<std::string> fields = {};
  };
  std::vector<Scope> open_;  // the outermost first
};

/// The number that a message says could not be read, in quotes there.
std::string number_in(const std::string& message) {
  const std::size_t begin = message.find('\'') + 1;  // 0 where there is none
  return message.substr(begin, message.find('\'', begin) - begin);
}

/// `text` without the digits that follow two others outside of strings: JSON where `text` is and nowhere else, with the
/// same fields and strings, and with no number out of range.
std::string with_short_numbers(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool in_string = false;
  std::size_t digits = 0;  // in a row
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    digits = !in_string && c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 2) continue;
    result += c;
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\' && i + 1 < text.size()) result += text[++i];
  }
  return result;
}

/// Takes the "id" of the outermost object from what the parser meets, and keeps nothing else.
class IdReader final : public nlohmann::json_sax<Json> {
 public:
  /// Of JSON without numbers out of range; none for anything else.
  [[nodiscard]] static std::optional<std::string> read(const std::string& text) {
    if (text.find('\0') != std::string::npos) return std::nullopt;  // the parser would end there
    IdReader reader;
    if (!Json::sax_parse(text, &reader) || reader.ids_ != 1) return std::nullopt;
    return std::move(reader.id_);
  }

  bool key(std::string& name) override {
    if (depth_ == 1) {
      is_id_ = name == "id";
      if (is_id_) ++ids_;
    }
    return true;
  }
  bool string(std::string& value) override {
    if (depth_ == 1 && is_id_) id_ = value;
    return true;
  }
  bool start_object(std::size_t /*elements*/) override { return begin(); }
  bool start_array(std::size_t /*elements*/) override { return begin(); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return true; }
  bool binary(Json::binary_t& /*value*/) override { return true; }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& /*error*/) override {
    return false;
  }

 private:
  bool begin() {
    ++depth_;
    return true;
  }
  bool end() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;  // objects and arrays that are open
  bool is_id_ = false;     // the outermost object's last field
  std::size_t ids_ = 0;
  std::optional<std::string> id_;
};

}  // namespace

Json parse(std::string_view text, std::size_t first_line) {
  Place place;
  const auto check = [&place](int depth, Json::parse_event_t event, Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        if (depth >= kMaxDepth)
          throw InvalidInput("", "is nested deeper than " + std::to_string(kMaxDepth) + " levels");
        place.begin(event == Json::parse_event_t::object_start);
        break;
      case Json::parse_event_t::key:
        if (!place.begin_field(parsed.get_ref<const std::string&>())) {
          throw InvalidInput(place.path(), "must not be given twice");
        }
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        place.end();
        break;
      case Json::parse_event_t::value:
        place.end_value();
        break;
    }
    return true;
  };
  const std::size_t nul = text.find('\0');
  try {
    Json value = Json::parse(text.begin(), text.end(), check);
    if (nul != std::string_view::npos) refuse_at(text, nul + 1, first_line, kNulReason);
    return value;
  } catch (const Json::out_of_range& error) {
    throw InvalidInput(place.path(), "must be in the range of double, got " + number_in(message_of(error)));
  } catch (const Json::parse_error& error) {
    if (error.byte > nul) refuse_at(text, nul + 1, first_line, kNulReason);
    const std::string message = message_of(error);  // "parse error at line 1, column 2: reason"
    refuse_at(text, error.byte, first_line, message.substr(message.find(": ") + 2));
  } catch (const Json::exception& error) {
    throw InvalidInput("", "is not JSON: " + message_of(error));
  }
}

Json parse(std::string_view text, std::optional<std::string>& id, std::size_t first_line) {
  id.reset();
  try {
    Json value = parse(text, first_line);
    const Json* const found = value.is_object() ? find(value, "id") : nullptr;
    if (found != nullptr && found->is_string()) id = found->get_ref<const std::string&>();
    return value;
  } catch (const InvalidInput&) {
    // What is wrong ended the reading, and the id may come after it.
    id = IdReader::read(with_short_numbers(text));
    throw;
  }
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return "an array of " + std::to_string(value.size());
    case Json::value_t::object:
      return "an object";
    default:
      return value.dump();
  }
}

std::string quoted(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string element(std::string_view name, std::size_t index) {
  std::string text(name);
  text += '[';
  text += std::to_string(index);
  text += ']';
  return text;
}

std::string member_path(std::string_view object, std::string_view name) {
  const bool is_plain = !name.empty() && name.find_first_of(" .[]\"\\\n\t") == std::string_view::npos;
  std::string path(object);
  if (is_plain) {
    (path += '.') += name;
  } else {
    ((path += '[') += quoted(name)) += ']';
  }
  return path;
}

void require_object(const Json& value) {
  if (!value.is_object()) wrong_type("an object", value);
}

void require_array(const Json& value) {
  if (!value.is_array()) wrong_type("an array", value);
}

double number(const Json& value) {
  if (!value.is_number()) wrong_type("a number", value);
  const double result = value.get<double>();
  require_finite("", result);
  return result;
}

const std::string& string(const Json& value) {
  if (!value.is_string()) wrong_type("a string", value);
  return value.get_ref<const std::string&>();
}

bool boolean(const Json& value) {
  if (!value.is_boolean()) wrong_type("true or false", value);
  return value.get<bool>();
}

std::uint32_t index(const Json& value) {
  constexpr double kMax = std::numeric_limits<std::uint32_t>::max();
  const double real = value.is_number() ? value.get<double>() : -1.0;
  if (!(real >= 0.0 && real == std::floor(real))) wrong_type("an integer >= 0", value);
  if (real > kMax) wrong_type("<= 4294967295", value);
  return static_cast<std::uint32_t>(real);
}

void numbers(const Json& value, double* values, std::size_t size) {
  if (!value.is_array() || value.size() != size) {
    wrong_type(("an array of " + std::to_string(size) + " numbers").c_str(), value);
  }
  for (std::size_t i = 0; i < size; ++i) {
    try {
      values[i] = number(value[i]);
    } catch (const InvalidInput& error) {
      throw error.within(element("", i));
    }
  }
}

const Json* find(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

const Json& member(const Json& object, const char* name) {
  const Json* found = find(object, name);
  if (found == nullptr) throw InvalidInput(name, "is required");
  return *found;
}

void refuse_unknown_fields(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& item : object.items()) {
    const bool is_known = std::find(known.begin(), known.end(), item.key()) != known.end();
    if (is_known && !item.key().empty()) continue;
    std::string allowed;
    for (const std::string_view name : known) {
      if (!name.empty()) (allowed += allowed.empty() ? "" : ", ") += name;
    }
    throw InvalidInput(item.key(), "is not a field of this object; it takes " + allowed);
  }
}

}  // namespace abut::json
