#include "gumption/base/archive.h"

#include <array>
#include <fstream>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/atomic_folder.h"
#include "gumption/base/build_info.h"
#include "gumption/base/error.h"

#if GUMPTION_WITH_ARCHIVES
#include <archive.h>
#include <archive_entry.h>
#endif

namespace gumption {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

bool looks_packed(std::string_view start) {
  constexpr std::array kMagic = {"\x1F\x8B"sv,
                                 "\xFD"
                                 "7zXZ\0"sv,
                                 "\x28\xB5\x2F\xFD"sv,
                                 "BZh"sv,
                                 "\x04\x22\x4D\x18"sv,
                                 "PK\x03\x04"sv,
                                 "7z\xBC\xAF\x27\x1C"sv};
  for (const std::string_view magic : kMagic) {
    if (start.starts_with(magic)) return true;
  }
  constexpr std::size_t kTarMagicAt = 257;
  return start.size() > kTarMagicAt + 5 && start.substr(kTarMagicAt, 5) == "ustar";
}

#if GUMPTION_WITH_ARCHIVES

namespace {

/// One pass over an archive; throws UserErrors that name the file.
class ArchiveReader {
 public:
  explicit ArchiveReader(const fs::path& path) : name_(path.string()), archive_(archive_read_new()) {
    archive_read_support_filter_all(archive_);
    archive_read_support_format_zip(archive_);
    archive_read_support_format_tar(archive_);
    archive_read_support_format_7zip(archive_);
    archive_read_support_format_raw(archive_);
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    if (archive_read_open_filename(archive_, path.c_str(), kBlock) != ARCHIVE_OK) {
      const std::string reason = reason_text();
      archive_read_free(archive_);
      throw UserError(fmt::format("{}: can't be unpacked: {}.", name_, reason));
    }
  }
  ArchiveReader(const ArchiveReader&) = delete;
  ArchiveReader& operator=(const ArchiveReader&) = delete;
  ~ArchiveReader() { archive_read_free(archive_); }

  /// Goes to the next regular file that is not a desktop's leftover; false at the end.
  bool next_file(std::string& member) {
    archive_entry* entry = nullptr;
    while (true) {
      const int result = archive_read_next_header(archive_, &entry);
      if (result == ARCHIVE_EOF) return false;
      if (result < ARCHIVE_WARN) fail();
      if (archive_entry_filetype(entry) != AE_IFREG) continue;
      const char* path = archive_entry_pathname(entry);
      member = path == nullptr ? "" : path;
      if (member.starts_with("__MACOSX/") || fs::path(member).filename().string().starts_with("._")) continue;
      return true;
    }
  }

  std::size_t read(char* into, std::size_t size) {
    const la_ssize_t got = archive_read_data(archive_, into, size);
    if (got < 0) fail();
    return static_cast<std::size_t>(got);
  }

  bool is_single_stream() const { return archive_format(archive_) == ARCHIVE_FORMAT_RAW; }
  std::uint64_t raw_position() const { return static_cast<std::uint64_t>(archive_filter_bytes(archive_, -1)); }
  const std::string& name() const { return name_; }

 private:
  std::string reason_text() const {
    const char* text = archive_error_string(archive_);
    return text == nullptr ? "it is damaged" : text;
  }

  [[noreturn]] void fail() const {
    throw UserError(
        fmt::format("{}: can't be unpacked: {}. Is the file complete? Fetch or pack it again.", name_, reason_text()));
  }

  std::string name_;
  archive* archive_;
};

class PackedSource final : public ByteSource {
 public:
  explicit PackedSource(const fs::path& path) : reader_(path), size_(fs::file_size(path)) {
    std::string member;
    if (!reader_.next_file(member)) throw UserError(fmt::format("{}: holds no file.", reader_.name()));
    if (!reader_.is_single_stream()) refuse_several(path);
  }

  std::size_t read(char* into, std::size_t size) override { return reader_.read(into, size); }
  const std::string& name() const override { return reader_.name(); }
  std::uint64_t raw_size() const override { return size_; }
  std::uint64_t raw_position() const override { return reader_.raw_position(); }

 private:
  static void refuse_several(const fs::path& path) {
    ArchiveReader listing(path);
    std::string first;
    std::string second;
    listing.next_file(first);
    if (listing.next_file(second)) {
      throw UserError(
          fmt::format("{}: expected an archive of one file, found several ({}, {}, …). Unpack it and name one.",
                      path.string(), first, second));
    }
  }

  ArchiveReader reader_;
  std::uint64_t size_;
};

}  // namespace

std::unique_ptr<ByteSource> open_packed(const fs::path& path) { return std::make_unique<PackedSource>(path); }

struct PackedFiles::Reader {
  explicit Reader(const fs::path& path) : archive(path) {}
  ArchiveReader archive;
};

PackedFiles::PackedFiles(const fs::path& path) : reader_(std::make_unique<Reader>(path)) {}
bool PackedFiles::next(std::string& member) { return reader_->archive.next_file(member); }
std::size_t PackedFiles::read(char* into, std::size_t size) { return reader_->archive.read(into, size); }
std::uint64_t PackedFiles::raw_position() const { return reader_->archive.raw_position(); }

namespace {

void save_entry(ArchiveReader& reader, const fs::path& to) {
  AtomicFile file(to);
  std::vector<char> buffer(1 << 16);
  while (const std::size_t got = reader.read(buffer.data(), buffer.size())) file.write({buffer.data(), got});
  file.commit();
}

}  // namespace

void extract_member(const fs::path& archive, const std::string& member, const fs::path& to) {
  ArchiveReader reader(archive);
  std::string name;
  while (reader.next_file(name)) {
    if (name == member || name.ends_with("/" + member)) return save_entry(reader, to);
  }
  throw UserError(fmt::format("{}: expected a file {} in it, found none.", archive.string(), member));
}

void extract_tree(const fs::path& archive, const fs::path& to) {
  AtomicFolder folder(to);
  const fs::path& filling = folder.filling();
  ArchiveReader reader(archive);
  std::vector<char> buffer(1 << 16);
  std::string name;
  while (reader.next_file(name)) {
    const fs::path inside = fs::path(name).lexically_normal();
    if (inside.is_absolute() || inside.empty() || *inside.begin() == "..") {
      throw UserError(fmt::format("{}: holds {}, which would land outside its folder. Don't trust this archive.",
                                  archive.string(), in_quotes(name)));
    }
    fs::create_directories((filling / inside).parent_path());
    // No need to sync each of thousands of files: only the folder's last rename makes them count.
    std::ofstream file(filling / inside, std::ios::binary);
    while (const std::size_t got = reader.read(buffer.data(), buffer.size())) {
      file.write(buffer.data(), static_cast<std::streamsize>(got));
    }
    file.close();
    if (!file) throw UserError(fmt::format("{}: can't write it. Is the disk full?", (filling / inside).string()));
  }
  folder.commit();
}

#else

std::unique_ptr<ByteSource> open_packed(const fs::path&) {
  require_feature("archives");
  return nullptr;
}

struct PackedFiles::Reader {};
PackedFiles::PackedFiles(const fs::path&) { require_feature("archives"); }
bool PackedFiles::next(std::string&) { return false; }
std::size_t PackedFiles::read(char*, std::size_t) { return 0; }
std::uint64_t PackedFiles::raw_position() const { return 0; }

void extract_member(const fs::path&, const std::string&, const fs::path&) { require_feature("archives"); }
void extract_tree(const fs::path&, const fs::path&) { require_feature("archives"); }

#endif

PackedFiles::PackedFiles(PackedFiles&&) noexcept = default;
PackedFiles& PackedFiles::operator=(PackedFiles&&) noexcept = default;
PackedFiles::~PackedFiles() = default;

}  // namespace gumption
