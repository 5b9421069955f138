#include "gumption/weights/protobuf_fields.h"

#include <cstring>

namespace gumption {

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << (7 * i);
    if ((byte & 0x80U) == 0) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

bool ProtobufReader::next(ProtobufField& field) {
  if (damaged_ || rest_.empty()) return false;
  damaged_ = true;  // until the field is whole
  const auto tag = take_varint(rest_);
  if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0) return false;
  field = {static_cast<std::uint32_t>(*tag >> 3), 0, {}};
  const auto kind = static_cast<unsigned>(*tag & 7U);
  if (kind == 0) {
    const auto value = take_varint(rest_);
    if (!value) return false;
    field.value = *value;
  } else if (kind == 1 || kind == 5) {
    const std::size_t width = kind == 1 ? 8 : 4;
    if (rest_.size() < width) return false;
    std::memcpy(&field.value, rest_.data(), width);
    rest_.remove_prefix(width);
  } else if (kind == 2) {
    const auto length = take_varint(rest_);
    if (!length || *length > rest_.size()) return false;
    field.bytes = rest_.substr(0, *length);
    rest_.remove_prefix(*length);
  } else {
    return false;
  }
  damaged_ = false;
  return true;
}

}  // namespace gumption
