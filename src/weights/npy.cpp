#include "gumption/weights/npy.h"

#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/weights/checked_shape.h"

namespace gumption {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// The header is the text of a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class DictReader {
 public:
  DictReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  struct Header {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
  };

  Header read() {
    Header header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        header.descr = quoted();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = truth();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = tuple();
      } else {
        refuse();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_descr || !has_order || !has_shape) refuse();
    return header;
  }

 private:
  [[noreturn]] void refuse() const {
    throw UserError(Complaint{name_, 0, "a header with 'descr', 'fortran_order' and 'shape'", in_quotes(text_), ""});
  }

  void skip_space() {
    while (place_ < text_.size() && (text_[place_] == ' ' || text_[place_] == '\n')) ++place_;
  }
  bool accept(char wanted) {
    skip_space();
    if (place_ >= text_.size() || text_[place_] != wanted) return false;
    ++place_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse();
  }

  std::string quoted() {
    skip_space();
    const char quote = place_ < text_.size() ? text_[place_] : '\0';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, place_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) refuse();
    const std::string value(text_.substr(place_ + 1, end - place_ - 1));
    place_ = end + 1;
    return value;
  }

  bool truth() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(place_).starts_with(word)) {
        place_ += word.size();
        return word == "True";
      }
    }
    refuse();
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::size_t end = place_;
      while (end < text_.size() && std::isdigit(static_cast<unsigned char>(text_[end])) != 0) ++end;
      const auto value = parse_integer(text_.substr(place_, end - place_));
      if (!value || values.size() > kMostDimensions) refuse();
      values.push_back(*value);
      place_ = end;
      if (place_ < text_.size() && text_[place_] == 'L') ++place_;  // Python 2's long numbers
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t place_ = 0;
};

std::optional<ElementType> type_of(const std::string& descr) {
  if (descr == "<f8") return ElementType::kFloat64;
  if (descr == "<f4") return ElementType::kFloat32;
  if (descr == "<f2") return ElementType::kFloat16;
  if (descr == "<i8") return ElementType::kInt64;
  if (descr == "<i4") return ElementType::kInt32;
  if (descr == "<i2") return ElementType::kInt16;
  if (descr == "|i1") return ElementType::kInt8;
  if (descr == "|u1") return ElementType::kUint8;
  if (descr == "|b1") return ElementType::kBool;
  return std::nullopt;
}

}  // namespace

StoredTensor parse_npy(std::string_view bytes, const std::string& name) {
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw UserError(Complaint{name, 0, expected, found, "Fetch the file again"});
  };
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
  if (!bytes.starts_with(kMagic) || bytes.size() < 12) refuse("a .npy file", in_quotes(bytes.substr(0, 12)));
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) refuse("a .npy file of version 1 to 3", fmt::format("version {}", version));
  const std::size_t start = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - start) {
    refuse(fmt::format("a header of {} bytes", length), fmt::format("{}: the file was cut off", bytes.size() - start));
  }
  const auto header = DictReader(bytes.substr(start, length), name).read();
  const auto type = type_of(header.descr);
  if (!type) refuse("little-endian numbers such as '<f4'", in_quotes(header.descr));
  if (header.fortran_order && header.shape.size() > 1) refuse("values in C order", "Fortran order");

  StoredTensor tensor;
  tensor.type = *type;
  tensor.shape = header.shape;
  tensor.bytes = bytes.substr(start + length);
  const auto needed = checked_bytes(tensor.shape, tensor.type);
  if (!needed || *needed != tensor.bytes.size()) {
    refuse(fmt::format("the data of shape {}", to_text(tensor.shape)),
           fmt::format("{} bytes of {}", tensor.bytes.size(), name_of(tensor.type)));
  }
  return tensor;
}

}  // namespace gumption
