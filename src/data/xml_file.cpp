#include "gumption/data/xml_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"

#if GUMPTION_WITH_XML
#include <pugixml.hpp>
#endif

namespace gumption {

#if GUMPTION_WITH_XML

namespace {

pugi::xml_node node_of(const void* pointer) {
  return pugi::xml_node(static_cast<pugi::xml_node_struct*>(const_cast<void*>(pointer)));
}

std::string text_in(pugi::xml_node node) {
  std::string text;
  for (const auto child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
  }
  return text;
}

}  // namespace

struct XmlFile::Impl {
  std::string bytes;
  pugi::xml_document document;
  pugi::xml_node row;
  std::string row_name;
  std::size_t counted_to = 0;  // lines are counted up to this byte
  std::size_t line = 1;

  std::size_t line_at(std::size_t offset) {
    offset = std::min(offset, bytes.size());
    line += static_cast<std::size_t>(
        std::count(bytes.begin() + static_cast<std::ptrdiff_t>(counted_to),
                   bytes.begin() + static_cast<std::ptrdiff_t>(std::max(offset, counted_to)), '\n'));
    counted_to = std::max(offset, counted_to);
    return line;
  }
};

XmlFile::XmlFile(ByteSource& source, std::string_view root, const char* row) : impl_(std::make_unique<Impl>()) {
  impl_->bytes = read_all(source, std::uint64_t{1} << 30);
  const auto result =
      impl_->document.load_buffer(impl_->bytes.data(), impl_->bytes.size(),
                                  pugi::parse_default | pugi::parse_ws_pcdata_single, pugi::encoding_utf8);
  if (!result) {
    throw UserError(Complaint{source.name(), impl_->line_at(static_cast<std::size_t>(result.offset)), "well-formed XML",
                              result.description(), "Is the file complete?"});
  }
  const auto top = impl_->document.document_element();
  if (top.name() != root) {
    throw UserError(
        Complaint{source.name(), 0, fmt::format("the root element <{}>", root), fmt::format("<{}>", top.name()), ""});
  }
  impl_->row_name = row;
  impl_->row = top.child(row);
}

XmlFile::~XmlFile() = default;

bool XmlFile::next(XmlElement& element) {
  if (!impl_->row) return false;
  element.node_ = impl_->row.internal_object();
  element.line_ = impl_->line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, impl_->row.offset_debug())));
  impl_->row = impl_->row.next_sibling(impl_->row_name.c_str());
  return true;
}

std::string XmlElement::attribute(const char* name) const { return node_of(node_).attribute(name).value(); }
bool XmlElement::has_attribute(const char* name) const { return !node_of(node_).attribute(name).empty(); }
bool XmlElement::has(const char* path) const { return !node_of(node_).first_element_by_path(path).empty(); }
std::string XmlElement::text(const char* path) const { return text_in(node_of(node_).first_element_by_path(path)); }

std::vector<std::string> XmlElement::texts(const char* path) const {
  std::vector<std::string> texts;
  const auto first = node_of(node_).first_element_by_path(path);
  for (auto node = first; node; node = node.next_sibling(first.name())) texts.push_back(text_in(node));
  return texts;
}

#else

struct XmlFile::Impl {};
XmlFile::XmlFile(ByteSource&, std::string_view, const char*) { require_feature("xml"); }
XmlFile::~XmlFile() = default;
bool XmlFile::next(XmlElement&) { return false; }
std::string XmlElement::attribute(const char*) const { return {}; }
bool XmlElement::has_attribute(const char*) const { return false; }
bool XmlElement::has(const char*) const { return false; }
std::string XmlElement::text(const char*) const { return {}; }
std::vector<std::string> XmlElement::texts(const char*) const { return {}; }

#endif

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\r':
        escaped += "&#13;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      case '\t':
        escaped += "&#9;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

bool fits_xml(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

}  // namespace gumption
