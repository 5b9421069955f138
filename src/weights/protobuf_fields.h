#pragma once

// Protocol buffers' wire format, as far as reading a few fields of a message takes. LibTorch brings a protobuf library
// of its own, so a second one is better not linked.

#include <cstdint>
#include <optional>
#include <string_view>

namespace gumption {

struct ProtobufField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;  // of a variable-length or fixed-width field
  std::string_view bytes;   // of a field with a length
};

/// A base-128 number at the start of `bytes`, which is taken off; empty where there is none.
std::optional<std::uint64_t> take_varint(std::string_view& bytes);

/// Goes through the fields of a message. Not thread-safe.
class ProtobufReader {
 public:
  /// `message` must outlive the reader.
  explicit ProtobufReader(std::string_view message) : rest_(message) {}

  /// The next field; false at the end or where the message is damaged, which damaged() tells apart.
  bool next(ProtobufField& field);
  bool damaged() const { return damaged_; }

 private:
  std::string_view rest_;
  bool damaged_ = false;
};

}  // namespace gumption
