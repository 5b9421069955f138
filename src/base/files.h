#pragma once

// Reading and writing files. Every failure is a UserError that names the file and the operating system's reason.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace gumption {

/// A stream of bytes. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Reads up to `size` bytes into `into`; 0 only at the end. `size` must not be 0.
  virtual std::size_t read(char* into, std::size_t size) = 0;

  /// What to call this source in messages.
  virtual const std::string& name() const = 0;

  /// Bytes to expect in all, before decompression, or 0 where that isn't known; for progress.
  virtual std::uint64_t raw_size() const = 0;

  /// Bytes taken from the file so far, before decompression; for progress.
  virtual std::uint64_t raw_position() const = 0;
};

/// The bytes of a file as they are. "-" is standard input. Directories are refused.
std::unique_ptr<ByteSource> open_plain(const std::filesystem::path& path);

/// The text of a file: a .gz, .xz, .zst, .bz2 or .lz4 stream is unpacked on the way, and so is the one file inside a
/// .zip or .tar (several: refused, with their names). Told by content, not by file name.
std::unique_ptr<ByteSource> open_input(const std::filesystem::path& path);

/// `start`, which was read from `rest` already, and then the rest.
std::unique_ptr<ByteSource> rewound(std::string start, std::unique_ptr<ByteSource> rest);

/// A source over bytes in memory; they must outlive it.
std::unique_ptr<ByteSource> open_memory(std::string_view bytes, std::string name);

/// Everything that is left in a source. UserError when it is more than `limit` bytes.
std::string read_all(ByteSource& source, std::uint64_t limit = std::uint64_t{1} << 32);

/// A read-only mapping of a whole file; the view lives as long as the object. Moving keeps the view valid.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes a file so that its name shows either the old bytes or all of the new ones: the bytes go to an unnamed
/// temporary beside it, and commit() syncs and renames. Destroyed without commit(), nothing has changed. A "-" writes
/// to standard output instead, without any of this. Not thread-safe.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// UserError when the disk is full.
  void write(std::string_view bytes);

  /// No write() may follow.
  void commit();

  const std::filesystem::path& path() const { return path_; }

 private:
  void flush();
  [[noreturn]] void fail(const char* what, int error_number) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty while the temporary has no name
  int descriptor_ = -1;
  bool to_stdout_ = false;
  std::string buffer_;
};

/// Writes a whole file through AtomicFile.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Waits until a file's bytes, or a folder's names, are on the disk. UserError where the disk refuses them.
void sync_to_disk(const std::filesystem::path& file_or_folder);

}  // namespace gumption
