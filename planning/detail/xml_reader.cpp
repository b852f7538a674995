#include <abut/core/error.h>
#include <abut/planning/detail/xml_reader.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace abut::detail {
namespace {

constexpr std::size_t kMaxQuotedLength = 80;
constexpr std::string_view kBlanks = " \t\r\n";

// A word of digits, as std::from_chars reads it, also with a plus sign.
std::optional<double> finite_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0.0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t length = std::min(text.find_first_of(kBlanks), text.size());
    words.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

}  // namespace

std::string XmlReader::place() const {
  std::string text = owner_;
  if (!text.empty()) text += ", ";
  ((text += '<') += element_->name) += '>';
  if (element_->line > 0) (text += " (line ") += std::to_string(element_->line) + ")";
  return text;
}

void XmlReader::fail(const std::string& rule) const {
  throw InvalidInput(place(), rule);
}

const std::string* XmlReader::find_text(std::string_view attribute) const {
  return element_->find_attribute(attribute);
}

const std::string& XmlReader::text(std::string_view attribute) const {
  const std::string* found = find_text(attribute);
  if (found == nullptr) fail("must have the attribute " + std::string(attribute));
  if (found->empty()) fail(std::string(attribute) + " must not be empty");
  return *found;
}

std::vector<double> XmlReader::numbers(std::string_view attribute) const {
  const std::string& found = text(attribute);
  std::vector<double> values;
  for (const std::string_view word : words_of(found)) {
    const std::optional<double> value = finite_number(word);
    if (!value) fail(std::string(attribute) + " must be of finite numbers, got " + in_quotes(found));
    values.push_back(*value);
  }
  return values;
}

double XmlReader::number(std::string_view attribute) const {
  const std::string& found = text(attribute);
  const std::vector<std::string_view> words = words_of(found);
  const std::optional<double> value = words.size() == 1 ? finite_number(words[0]) : std::nullopt;
  if (!value) fail(std::string(attribute) + " must be a finite number, got " + in_quotes(found));
  return *value;
}

double XmlReader::number_or(std::string_view attribute, double missing) const {
  return find_text(attribute) != nullptr ? number(attribute) : missing;
}

double XmlReader::positive_number(std::string_view attribute) const {
  const double value = number(attribute);
  if (!(value > 0.0)) fail(std::string(attribute) + " must be > 0, got " + in_quotes(text(attribute)));
  return value;
}

Vector3d XmlReader::vector(std::string_view attribute) const {
  const std::string& found = text(attribute);
  const std::vector<std::string_view> words = words_of(found);
  Vector3d result;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<double> value = words.size() == 3 ? finite_number(words[i]) : std::nullopt;
    if (!value) fail(std::string(attribute) + " must be three finite numbers, got " + in_quotes(found));
    result[static_cast<Eigen::Index>(i)] = *value;
  }
  return result;
}

Vector3d XmlReader::vector_or(std::string_view attribute, const Vector3d& missing) const {
  return find_text(attribute) != nullptr ? vector(attribute) : missing;
}

std::vector<XmlReader> XmlReader::children() const {
  std::vector<XmlReader> result;
  for (const XmlElement& child : element_->children) result.emplace_back(child, owner_);
  return result;
}

std::vector<XmlReader> XmlReader::children(std::string_view child) const {
  std::vector<XmlReader> result;
  for (const XmlElement& candidate : element_->children) {
    if (candidate.name == child) result.emplace_back(candidate, owner_);
  }
  return result;
}

std::optional<XmlReader> XmlReader::child(std::string_view child) const {
  const std::vector<XmlReader> found = children(child);
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) found[1].fail("is given twice");
  return found[0];
}

XmlReader XmlReader::required_child(std::string_view child) const {
  const std::optional<XmlReader> found = this->child(child);
  if (!found) fail("must hold a <" + std::string(child) + ">");
  return *found;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, kMaxQuotedLength)) result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  if (text.size() > kMaxQuotedLength) result += "...";
  return result + '"';
}

std::string shortest_text(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace abut::detail
