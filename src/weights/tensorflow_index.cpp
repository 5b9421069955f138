#include "gumption/weights/tensorflow_index.h"

#include <fmt/format.h>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/weights/checked_shape.h"
#include "gumption/weights/protobuf_fields.h"

#if GUMPTION_WITH_TENSORFLOW
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#endif

namespace gumption {

#if GUMPTION_WITH_TENSORFLOW

namespace {

constexpr std::size_t kFooterSize = 48;
constexpr std::size_t kTrailerSize = 5;  // a block's kind of compression and its sum
constexpr std::string_view kTableMagic = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
constexpr std::size_t kLargestIndex = std::size_t{1} << 30;

[[noreturn]] void refuse(const std::string& name, const std::string& expected, const std::string& found) {
  throw UserError(Complaint{name, 0, expected, found, "Fetch the file again"});
}

/// Checks that every block that the table's index names lies inside the file and is stored plainly.
class TableCheck {
 public:
  TableCheck(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  void run() const {
    if (bytes_.size() < kFooterSize || bytes_.size() > kLargestIndex || !bytes_.ends_with(kTableMagic)) {
      refuse(name_, "a TensorFlow index (a sorted table)", "another file, or one that was cut off");
    }
    std::string_view footer = bytes_.substr(bytes_.size() - kFooterSize);
    block_at(footer);  // of the table's own notes
    check_index(block_at(footer));
  }

 private:
  /// Takes a block's place and size off `handle`, and gives its bytes.
  std::string_view block_at(std::string_view& handle) const {
    const auto offset = take_varint(handle);
    const auto size = take_varint(handle);
    const std::size_t limit = bytes_.size() - kFooterSize;
    if (!offset || !size || *offset > limit || *size > limit - *offset || limit - *offset - *size < kTrailerSize) {
      refuse(name_, "blocks inside the index", "one beyond its end");
    }
    if (bytes_[*offset + *size] != 0) refuse(name_, "an index without compression", "a compressed block");
    return bytes_.substr(*offset, *size);
  }

  /// Entries of shared, unshared and value lengths, then the end of the key and the value; then the restart points.
  void check_index(std::string_view block) const {
    const auto damaged = [&] { refuse(name_, "a table of blocks", "a damaged one"); };
    if (block.size() < 4) damaged();
    const auto byte = [&](std::size_t at) { return static_cast<std::uint64_t>(static_cast<unsigned char>(block[at])); };
    const std::size_t end = block.size() - 4;
    const std::uint64_t restarts = byte(end) | byte(end + 1) << 8 | byte(end + 2) << 16 | byte(end + 3) << 24;
    if (restarts > end / 4) damaged();
    std::string_view entries = block.substr(0, end - restarts * 4);
    while (!entries.empty()) {
      const auto shared = take_varint(entries);
      const auto unshared = take_varint(entries);
      const auto length = take_varint(entries);
      if (!shared || !unshared || !length || *unshared > entries.size() || *length > entries.size() - *unshared) {
        damaged();
      }
      std::string_view handle = entries.substr(*unshared, *length);
      block_at(handle);
      entries.remove_prefix(*unshared + *length);
    }
  }

  std::string_view bytes_;
  const std::string& name_;
};

/// LevelDB's view of bytes in memory.
class MemoryFile : public leveldb::RandomAccessFile {
 public:
  explicit MemoryFile(std::string_view bytes) : bytes_(bytes) {}

  leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result, char*) const override {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      return leveldb::Status::Corruption("a block beyond the end");
    }
    *result = leveldb::Slice(bytes_.data() + offset, size);
    return leveldb::Status::OK();
  }

 private:
  std::string_view bytes_;
};

std::optional<ElementType> type_of(std::uint64_t number) {
  switch (number) {  // types.proto
    case 1:
      return ElementType::kFloat32;
    case 2:
      return ElementType::kFloat64;
    case 3:
      return ElementType::kInt32;
    case 4:
      return ElementType::kUint8;
    case 5:
      return ElementType::kInt16;
    case 6:
      return ElementType::kInt8;
    case 9:
      return ElementType::kInt64;
    case 10:
      return ElementType::kBool;
    case 14:
      return ElementType::kBfloat16;
    case 19:
      return ElementType::kFloat16;
    default:
      return std::nullopt;
  }
}

/// TensorShapeProto: field 2, once for each dimension, has its extent as field 1.
bool read_shape(std::string_view message, std::vector<std::int64_t>& shape) {
  ProtobufReader reader(message);
  ProtobufField field;
  while (reader.next(field)) {
    if (field.number != 2) continue;
    std::int64_t extent = 0;
    ProtobufReader dimension(field.bytes);
    ProtobufField part;
    while (dimension.next(part)) {
      if (part.number == 1) extent = static_cast<std::int64_t>(part.value);
    }
    if (dimension.damaged() || shape.size() >= kMostDimensions) return false;
    shape.push_back(extent);
  }
  return !reader.damaged();
}

BundleEntry entry_of(std::string_view key, std::string_view message, const std::string& name) {
  BundleEntry entry;
  entry.name = key;
  ProtobufReader reader(message);
  ProtobufField field;
  bool whole = true;
  while (whole && reader.next(field)) {
    switch (field.number) {
      case 1:
        entry.type = type_of(field.value);
        break;
      case 2:
        whole = read_shape(field.bytes, entry.shape);
        break;
      case 3:
        entry.shard = field.value;
        break;
      case 4:
        entry.offset = field.value;
        break;
      case 5:
        entry.size = field.value;
        break;
      case 6:
        entry.sum = static_cast<std::uint32_t>(field.value);
        break;
      case 7:
        entry.sliced = true;
        break;
      default:
        break;
    }
  }
  if (!whole || reader.damaged()) refuse(name, fmt::format("where {} lies", in_quotes(key)), "a damaged entry");
  return entry;
}

/// The header stands under the empty key.
std::uint64_t shards_in(std::string_view message, const std::string& name) {
  std::uint64_t shards = 1;
  ProtobufReader reader(message);
  ProtobufField field;
  while (reader.next(field)) {
    if (field.number == 1) shards = field.value;
    if (field.number == 2 && field.value != 0) refuse(name, "little-endian numbers", "big-endian ones");
  }
  if (reader.damaged() || shards == 0 || shards > 99'999) refuse(name, "a number of data files", "a damaged header");
  return shards;
}

}  // namespace

BundleIndex parse_bundle_index(std::string_view bytes, const std::string& name) {
  TableCheck(bytes, name).run();
  leveldb::Options options;
  options.paranoid_checks = true;
  const MemoryFile file(bytes);
  leveldb::Table* opened = nullptr;
  const auto status = leveldb::Table::Open(options, const_cast<MemoryFile*>(&file), bytes.size(), &opened);
  const std::unique_ptr<leveldb::Table> table(opened);
  if (!status.ok()) refuse(name, "a TensorFlow index", status.ToString());

  leveldb::ReadOptions reading;
  reading.verify_checksums = true;
  BundleIndex index;
  std::string last;
  const std::unique_ptr<leveldb::Iterator> place(table->NewIterator(reading));
  for (place->SeekToFirst(); place->Valid(); place->Next()) {
    const std::string_view key(place->key().data(), place->key().size());
    const std::string_view value(place->value().data(), place->value().size());
    if (key.empty() && index.shards == 0) {
      index.shards = shards_in(value, name);
      continue;
    }
    if (index.shards == 0) refuse(name, "a header before the variables", "none");
    if (key <= last) refuse(name, "variables in order, each once", in_quotes(key));
    last = key;
    index.entries.push_back(entry_of(key, value, name));
  }
  if (!place->status().ok()) refuse(name, "a TensorFlow index", place->status().ToString());
  if (index.shards == 0) refuse(name, "a header before the variables", "none");
  return index;
}

#else

BundleIndex parse_bundle_index(std::string_view, const std::string&) {
  require_feature("tensorflow");
  throw InternalError("a feature that is off was found to be on");
}

#endif

}  // namespace gumption
