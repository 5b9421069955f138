#include "gumption/weights/zip_directory.h"

#include <cstring>

#include <fmt/format.h>

#include "gumption/base/error.h"

namespace gumption {

namespace {

constexpr std::uint32_t kEndMagic = 0x06054b50;
constexpr std::uint32_t kEnd64Magic = 0x06064b50;
constexpr std::uint32_t kLocatorMagic = 0x07064b50;
constexpr std::uint32_t kEntryMagic = 0x02014b50;
constexpr std::uint32_t kLocalMagic = 0x04034b50;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kLocalSize = 30;
constexpr std::uint32_t kSeeZip64 = 0xFFFFFFFF;

class ZipReader {
 public:
  ZipReader(std::string_view archive, const std::string& name) : archive_(archive), name_(name) {}

  std::map<std::string, std::string_view> read() {
    const Directory directory = find_directory();
    std::map<std::string, std::string_view> members;
    std::uint64_t place = directory.offset;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
      const Entry entry = entry_at(place);
      if (!members.emplace(entry.name, data_of(entry)).second) {
        refuse("each member once", fmt::format("{} twice", in_quotes(entry.name)));
      }
      place = entry.next;
    }
    return members;
  }

 private:
  struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t entries = 0;
  };
  struct Entry {
    std::string name;
    std::uint64_t size = 0;
    std::uint64_t local = 0;  // where the member's own header stands
    std::uint64_t next = 0;   // where the next entry stands
  };

  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const {
    throw UserError(Complaint{name_, 0, expected, found, "Fetch or save the file again"});
  }

  /// A little-endian number; UserError beyond the end.
  template <class Number>
  Number at(std::uint64_t place) const {
    if (place > archive_.size() || archive_.size() - place < sizeof(Number)) {
      refuse("a whole zip archive", "one that was cut off or damaged");
    }
    Number value;
    std::memcpy(&value, archive_.data() + place, sizeof value);
    return value;
  }

  std::string_view part(std::uint64_t place, std::uint64_t size) const {
    if (place > archive_.size() || archive_.size() - place < size) {
      refuse("a whole zip archive", "one that was cut off or damaged");
    }
    return archive_.substr(place, size);
  }

  Directory find_directory() const {
    if (archive_.size() < kEndSize) refuse("a zip archive", "too few bytes");
    // A comment of up to 65,535 bytes may follow the end record.
    const std::uint64_t last = archive_.size() - kEndSize;
    std::uint64_t end = last;
    while (at<std::uint32_t>(end) != kEndMagic) {
      if (end == 0 || last - end >= 0xFFFF) refuse("a zip archive with its directory", "none: it was cut off");
      --end;
    }
    Directory directory{at<std::uint32_t>(end + 16), at<std::uint16_t>(end + 10)};
    if (end >= kLocatorSize && at<std::uint32_t>(end - kLocatorSize) == kLocatorMagic) {
      const auto end64 = at<std::uint64_t>(end - kLocatorSize + 8);
      part(end64, kEnd64Size);
      if (at<std::uint32_t>(end64) != kEnd64Magic) refuse("a zip64 directory", "other bytes");
      directory = {at<std::uint64_t>(end64 + 48), at<std::uint64_t>(end64 + 32)};
    }
    // Each entry takes at least so much: a count beyond it would only keep us busy.
    if (directory.offset > archive_.size() || directory.entries > (archive_.size() - directory.offset) / kEntrySize) {
      refuse("a directory inside the archive", "one beyond its end");
    }
    return directory;
  }

  Entry entry_at(std::uint64_t place) const {
    part(place, kEntrySize);
    if (at<std::uint32_t>(place) != kEntryMagic) refuse("an entry of the zip directory", "other bytes");
    const auto flags = at<std::uint16_t>(place + 8);
    const auto method = at<std::uint16_t>(place + 10);
    const std::uint64_t packed = at<std::uint32_t>(place + 20);
    const auto name_length = at<std::uint16_t>(place + 28);
    const auto extra_length = at<std::uint16_t>(place + 30);
    const auto comment_length = at<std::uint16_t>(place + 32);
    Entry entry;
    entry.size = at<std::uint32_t>(place + 24);
    entry.local = at<std::uint32_t>(place + 42);
    entry.name = part(place + kEntrySize, name_length);
    if ((flags & 1U) != 0) refuse("plain members", fmt::format("{} encrypted", in_quotes(entry.name)));
    if (method != 0) {
      refuse("members stored as they are, as torch.save does",
             fmt::format("{} compressed (method {})", in_quotes(entry.name), method));
    }
    const bool both = packed == kSeeZip64;
    if (entry.size == kSeeZip64 || both || entry.local == kSeeZip64) {
      read_zip64(part(place + kEntrySize + name_length, extra_length), both, entry);
    }
    entry.next = place + kEntrySize + name_length + extra_length + comment_length;
    return entry;
  }

  /// The extra field with wide numbers, which has only those that didn't fit, in this order.
  void read_zip64(std::string_view extra, bool has_packed, Entry& entry) const {
    while (extra.size() >= 4) {
      std::uint16_t kind = 0;
      std::uint16_t length = 0;
      std::memcpy(&kind, extra.data(), 2);
      std::memcpy(&length, extra.data() + 2, 2);
      extra.remove_prefix(4);
      if (length > extra.size()) break;
      if (kind == 1) {
        std::string_view field = extra.substr(0, length);
        if (entry.size == kSeeZip64) entry.size = wide(field);
        if (has_packed) wide(field);
        if (entry.local == kSeeZip64) entry.local = wide(field);
        return;
      }
      extra.remove_prefix(length);
    }
    refuse("a zip64 field", fmt::format("none for {}", in_quotes(entry.name)));
  }

  std::uint64_t wide(std::string_view& field) const {
    if (field.size() < 8) refuse("a zip64 field", "a shorter one");
    std::uint64_t value = 0;
    std::memcpy(&value, field.data(), 8);
    field.remove_prefix(8);
    return value;
  }

  std::string_view data_of(const Entry& entry) const {
    part(entry.local, kLocalSize);
    if (at<std::uint32_t>(entry.local) != kLocalMagic) {
      refuse(fmt::format("the header of {}", in_quotes(entry.name)), "other bytes");
    }
    const auto name_length = at<std::uint16_t>(entry.local + 26);
    const auto extra_length = at<std::uint16_t>(entry.local + 28);
    return part(entry.local + kLocalSize + name_length + extra_length, entry.size);
  }

  std::string_view archive_;
  const std::string& name_;
};

}  // namespace

std::map<std::string, std::string_view> stored_members(std::string_view archive, const std::string& name) {
  return ZipReader(archive, name).read();
}

}  // namespace gumption
