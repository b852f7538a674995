// XML as a plain tree of elements: what robot descriptions are made of. Text between elements is passed over.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace abut::detail {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;  ///< In their order; no name twice.
  std::vector<XmlElement> children;
  int line = 0;  ///< In the text it was read from, from 1 on.

  /// The value, or nullptr.
  [[nodiscard]] const std::string* find_attribute(std::string_view attribute) const;
};

/// @return The root element. @throws InvalidInput  naming the line: not XML, not one root, an attribute given twice,
///     elements nested more than about a hundred deep.
[[nodiscard]] XmlElement parse_xml(std::string_view text);

/// As a document with its declaration, an element a line, indented. parse_xml gives it back equal.
/// @throws InvalidInput  naming the element, on a zero byte in an attribute.
[[nodiscard]] std::string xml_text(const XmlElement& root);

}  // namespace abut::detail
