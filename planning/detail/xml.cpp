#include <abut/core/error.h>
#include <abut/planning/detail/xml.h>
#include <tinyxml2.h>

namespace abut::detail {
namespace {

std::string line_field(int line) {
  return "line " + std::to_string(line);
}

const char* reason_of(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "holds no element";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "is not XML: an element is not closed, or closed by another name";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "is not XML: an attribute is broken or given twice";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "is not XML: a comment is not closed";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "nests elements too deeply";
    default:
      return "is not XML";
  }
}

// Recursion is safe: the parser limits the depth.
XmlElement copy_of(const tinyxml2::XMLElement& source) {
  XmlElement element;
  element.name = source.Name();
  element.line = source.GetLineNum();
  for (const tinyxml2::XMLAttribute* next = source.FirstAttribute(); next != nullptr; next = next->Next()) {
    element.attributes.emplace_back(next->Name(), next->Value());
  }
  for (const auto* child = source.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
    element.children.push_back(copy_of(*child));
  }
  return element;
}

/// A value between double quotes that every reader gives back as it is: by the rules of XML line ends become "\n" and
/// blanks spaces, unless they are written as numbers.
void append_value(std::string_view value, std::string& text) {
  for (const char c : value) {
    switch (c) {
      case '"':
        text += "&quot;";
        break;
      case '&':
        text += "&amp;";
        break;
      case '\'':
        text += "&apos;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '\t':
      case '\n':
      case '\r':
        ((text += "&#") += std::to_string(static_cast<int>(c))) += ';';
        break;
      default:
        text += c;
    }
  }
}

void append_element(const XmlElement& element, const std::string& indent, std::string& text) {
  ((text += indent) += '<') += element.name;
  for (const auto& [name, value] : element.attributes) {
    if (value.find('\0') != std::string::npos) {
      throw InvalidInput("<" + element.name + ">", name + " must not hold a zero byte");
    }
    ((text += ' ') += name) += "=\"";
    append_value(value, text);
    text += '"';
  }
  if (element.children.empty()) {
    text += "/>\n";
    return;
  }
  text += ">\n";
  for (const XmlElement& child : element.children) append_element(child, indent + "    ", text);
  (((text += indent) += "</") += element.name) += ">\n";
}

}  // namespace

const std::string* XmlElement::find_attribute(std::string_view attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return &value;
  }
  return nullptr;
}

XmlElement parse_xml(std::string_view text) {
  // The library would take it for the end.
  if (text.find('\0') != std::string_view::npos) throw InvalidInput("", "is not XML: it holds a zero byte");
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    throw InvalidInput(document.ErrorLineNum() > 0 ? line_field(document.ErrorLineNum()) : "",
                       reason_of(document.ErrorID()));
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr) throw InvalidInput("", reason_of(tinyxml2::XML_ERROR_EMPTY_DOCUMENT));
  if (const tinyxml2::XMLElement* second = root->NextSiblingElement()) {
    throw InvalidInput(line_field(second->GetLineNum()),
                       std::string("is not XML: <") + second->Name() + "> is a second root element");
  }
  return copy_of(*root);
}

std::string xml_text(const XmlElement& root) {
  std::string text = "<?xml version=\"1.0\"?>\n";
  append_element(root, "", text);
  return text;
}

}  // namespace abut::detail
