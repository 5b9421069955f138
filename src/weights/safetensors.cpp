#include "gumption/weights/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/weights/checked_shape.h"
#include "gumption/weights/float_conversion.h"
#include "gumption/weights/shards.h"

namespace gumption {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian and mapped as they are");

namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit

struct TypeName {
  const char* name;
  ElementType type;
};
constexpr TypeName kTypeNames[] = {{"F64", ElementType::kFloat64}, {"F32", ElementType::kFloat32},
                                   {"F16", ElementType::kFloat16}, {"BF16", ElementType::kBfloat16},
                                   {"I64", ElementType::kInt64},   {"I32", ElementType::kInt32},
                                   {"I16", ElementType::kInt16},   {"I8", ElementType::kInt8},
                                   {"U8", ElementType::kUint8},    {"BOOL", ElementType::kBool}};

/// The part of the file that a tensor takes.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string tensor;
};

class HeaderReader {
 public:
  HeaderReader(std::string_view bytes, const std::string& name) : name_(name) {
    if (bytes.size() < kLengthBytes) refuse("a safetensors file", "a file of fewer than 8 bytes");
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), kLengthBytes);
    const std::uint64_t rest = bytes.size() - kLengthBytes;
    if (length > rest || length > kLongestHeader) {
      refuse(fmt::format("a header of at most {} bytes", std::min(rest, kLongestHeader)),
             fmt::format("one of {}, so this is not a safetensors file or it was cut off", length));
    }
    header_ = bytes.substr(kLengthBytes, length);
    data_ = bytes.substr(kLengthBytes + length);
  }

  std::vector<StoredTensor> read() {
    const json header = parsed_header();
    std::vector<StoredTensor> tensors;
    for (const auto& [key, value] : header.items()) {
      if (key != "__metadata__") tensors.push_back(tensor_of(key, value));
    }
    check_extents();
    return tensors;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw UserError(Complaint{name_, 0, expected, found, "Fetch or save the file again"});
  }

  json parsed_header() const {
    // The document keeps the last of two equal names, so they are looked for on the way.
    std::set<std::string> names;
    const auto watch = [&](int depth, json::parse_event_t event, json& value) {
      if (depth > 4) refuse("a header of tensors", "JSON that is nested deeper");
      if (event == json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second) {
        refuse("each tensor once", fmt::format("{} twice", in_quotes(value.get<std::string>())));
      }
      return true;
    };
    json header;
    try {
      header = json::parse(header_, watch);
    } catch (const json::exception&) {
      refuse("a header in JSON", in_quotes(header_));
    }
    if (!header.is_object()) refuse("a JSON object as header", in_quotes(header_));
    return header;
  }

  StoredTensor tensor_of(const std::string& key, const json& value) {
    const auto whole = [](const json& number) { return number.is_number_unsigned(); };
    const bool well_formed = value.is_object() && value.contains("dtype") && value["dtype"].is_string() &&
                             value.contains("shape") && value["shape"].is_array() && value.contains("data_offsets") &&
                             value["data_offsets"].is_array() && value["data_offsets"].size() == 2 &&
                             std::all_of(value["shape"].begin(), value["shape"].end(), whole) &&
                             std::all_of(value["data_offsets"].begin(), value["data_offsets"].end(), whole);
    if (!well_formed) {
      refuse(fmt::format("dtype, shape and two data_offsets for tensor {}", in_quotes(key)), in_quotes(dumped(value)));
    }
    StoredTensor tensor;
    tensor.name = key;
    tensor.type = type_of(value["dtype"].get_ref<const std::string&>(), key);
    for (const json& extent : value["shape"]) tensor.shape.push_back(extent.get<std::int64_t>());
    const auto begin = value["data_offsets"][0].get<std::uint64_t>();
    const auto end = value["data_offsets"][1].get<std::uint64_t>();
    const auto needed = checked_bytes(tensor.shape, tensor.type);
    if (!needed) {
      refuse(fmt::format("a shape that fits in memory for tensor {}", in_quotes(key)), to_text(tensor.shape));
    }
    if (begin > end || end - begin != *needed) {
      refuse(fmt::format("{} bytes for tensor {} of shape {}", *needed, in_quotes(key), to_text(tensor.shape)),
             fmt::format("offsets {} to {}", begin, end));
    }
    if (end > data_.size()) {
      refuse(fmt::format("{} bytes of data for tensor {}", end, in_quotes(key)),
             fmt::format("{}: the file was cut off", data_.size()));
    }
    tensor.bytes = data_.substr(begin, end - begin);
    extents_.push_back({begin, end, key});
    return tensor;
  }

  static std::string dumped(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

  ElementType type_of(const std::string& type, const std::string& tensor) const {
    for (const TypeName& known : kTypeNames) {
      if (type == known.name) return known.type;
    }
    refuse(fmt::format("an element type such as F32, F16 or BF16 for tensor {}", in_quotes(tensor)), in_quotes(type));
  }

  void check_extents() {
    std::sort(extents_.begin(), extents_.end(),
              [](const Extent& a, const Extent& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    std::uint64_t place = 0;
    for (const Extent& extent : extents_) {
      if (extent.begin != place) {
        refuse(fmt::format("tensor {} at offset {}", in_quotes(extent.tensor), place),
               fmt::format("it at {}: tensors overlap or leave a gap", extent.begin));
      }
      place = extent.end;
    }
    if (place != data_.size()) {
      refuse(fmt::format("{} bytes of data", place), fmt::format("{}", data_.size()));
    }
  }

  const std::string& name_;
  std::string_view header_;
  std::string_view data_;
  std::vector<Extent> extents_;
};

const char* safetensors_name(ElementType type) {
  for (const TypeName& known : kTypeNames) {
    if (type == known.type) return known.name;
  }
  throw InternalError("an element type that safetensors doesn't have");
}

}  // namespace

std::shared_ptr<const TensorStore> parse_safetensors(std::string_view bytes, std::shared_ptr<const void> owner,
                                                     const std::string& name) {
  std::vector<std::shared_ptr<const void>> owners;
  owners.push_back(std::move(owner));
  return std::make_shared<TensorStore>(HeaderReader(bytes, name).read(), std::move(owners));
}

std::shared_ptr<const TensorStore> open_safetensors(const std::filesystem::path& path) {
  const auto file = std::make_shared<MappedFile>(path);
  return parse_safetensors(file->bytes(), file, path.string());
}

std::shared_ptr<const TensorStore> open_sharded_safetensors(const std::filesystem::path& index) {
  return open_shards(index, open_safetensors);
}

void write_safetensors(const std::filesystem::path& path, std::span<const StoredTensor> tensors,
                       std::optional<ElementType> precision) {
  const auto written_type = [&](const StoredTensor& tensor) {
    return precision && is_floating(tensor.type) ? *precision : tensor.type;
  };
  std::vector<const StoredTensor*> order;
  for (const StoredTensor& tensor : tensors) order.push_back(&tensor);
  // Wide elements first, so that every tensor is aligned to its elements.
  std::sort(order.begin(), order.end(), [&](const StoredTensor* a, const StoredTensor* b) {
    const auto width_a = size_of(written_type(*a));
    const auto width_b = size_of(written_type(*b));
    return width_a != width_b ? width_a > width_b : a->name < b->name;
  });

  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};
  std::uint64_t place = 0;
  for (const StoredTensor* tensor : order) {
    const std::uint64_t size = static_cast<std::uint64_t>(element_count(*tensor)) * size_of(written_type(*tensor));
    ensure(!header.contains(tensor->name), "names of tensors to write differ");
    header[tensor->name] = {{"dtype", safetensors_name(written_type(*tensor))},
                            {"shape", tensor->shape},
                            {"data_offsets", {place, place + size}}};
    place += size;
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  const std::uint64_t length = text.size();

  AtomicFile file(path);
  file.write({reinterpret_cast<const char*>(&length), kLengthBytes});
  file.write(text);
  for (const StoredTensor* tensor : order) {
    convert_elements(tensor->bytes, tensor->type, written_type(*tensor),
                     [&](std::string_view bytes) { file.write(bytes); });
  }
  file.commit();
}

}  // namespace gumption
