// Reads the attributes and children of an XML element, with errors that say which element is meant and where it is.
#pragma once

#include <abut/core/pose.h>
#include <abut/planning/detail/xml.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace abut::detail {

/// An element and how errors call it: `joint "elbow", <limit> (line 7)`. Refers to the element. Every function throws
/// InvalidInput, with that as the field.
class XmlReader {
 public:
  /// @param owner  What the element belongs to, as in `joint "elbow"`; may be empty.
  XmlReader(const XmlElement& element, std::string owner) : element_(&element), owner_(std::move(owner)) {}

  [[nodiscard]] const std::string& name() const { return element_->name; }
  [[nodiscard]] const std::string& owner() const { return owner_; }
  /// How errors call the element.
  [[nodiscard]] std::string place() const;
  [[noreturn]] void fail(const std::string& rule) const;

  /// Names and values, in their order.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& attributes() const {
    return element_->attributes;
  }
  /// An attribute, or nullptr.
  [[nodiscard]] const std::string* find_text(std::string_view attribute) const;
  /// An attribute that must be there and not be empty.
  [[nodiscard]] const std::string& text(std::string_view attribute) const;
  /// One finite number.
  [[nodiscard]] double number(std::string_view attribute) const;
  [[nodiscard]] double number_or(std::string_view attribute, double missing) const;
  [[nodiscard]] double positive_number(std::string_view attribute) const;
  /// Finite numbers between blanks, any number of them.
  [[nodiscard]] std::vector<double> numbers(std::string_view attribute) const;
  /// Three finite numbers between blanks.
  [[nodiscard]] Vector3d vector(std::string_view attribute) const;
  [[nodiscard]] Vector3d vector_or(std::string_view attribute, const Vector3d& missing) const;

  /// All children, or those of a name; they belong to what this element belongs to.
  [[nodiscard]] std::vector<XmlReader> children() const;
  [[nodiscard]] std::vector<XmlReader> children(std::string_view child) const;
  /// The only child of a name, if there is one; two are an error.
  [[nodiscard]] std::optional<XmlReader> child(std::string_view child) const;
  /// The only child of a name.
  [[nodiscard]] XmlReader required_child(std::string_view child) const;

  /// The same element with another owner.
  [[nodiscard]] XmlReader owned_by(std::string owner) const { return {*element_, std::move(owner)}; }

 private:
  const XmlElement* element_;
  std::string owner_;
};

/// The text in double quotes, control characters replaced, long texts cut short.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string shortest_text(double value);

}  // namespace abut::detail
