#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/files.h"

namespace gumption {

/// One element of an XML file that holds a question, with the texts of its parts. Paths name elements below it
/// ("text/txt1"); a part that isn't there is empty.
class XmlElement {
 public:
  std::string attribute(const char* name) const;
  bool has_attribute(const char* name) const;
  std::string text(const char* path) const;

  /// Texts of all elements at a path, in order.
  std::vector<std::string> texts(const char* path) const;
  bool has(const char* path) const;

  /// Line of the file on which the element starts.
  std::size_t line() const { return line_; }

 private:
  friend class XmlFile;
  const void* node_ = nullptr;
  std::size_t line_ = 0;
};

/// A parsed XML file and the elements of one name below its root, in order. Needs the feature `xml`. UserError, with
/// the line, for what isn't well-formed or has another root.
class XmlFile {
 public:
  XmlFile(ByteSource& source, std::string_view root, const char* row);
  XmlFile(const XmlFile&) = delete;
  XmlFile& operator=(const XmlFile&) = delete;
  ~XmlFile();

  /// The next row; valid as long as this object. False at the end.
  bool next(XmlElement& element);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// `text` with the characters that XML gives a meaning written as entities.
std::string xml_escaped(std::string_view text);

/// Whether XML can hold the text at all (it has no way to say most control characters).
bool fits_xml(std::string_view text);

}  // namespace gumption
