#pragma once

// Compressed streams and archives, through libarchive. Without the feature `archives`, only looks_packed() may be used.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "gumption/base/files.h"

namespace gumption {

/// Whether a file that starts with `start` (512 bytes are enough) is a compressed stream or an archive.
bool looks_packed(std::string_view start);

/// The text in a compressed file, or in the one file that an archive holds. UserError when it holds several.
std::unique_ptr<ByteSource> open_packed(const std::filesystem::path& path);

/// The files of an archive, or the one in a compressed stream, one after another. UserErrors name the archive. Not
/// thread-safe.
class PackedFiles {
 public:
  explicit PackedFiles(const std::filesystem::path& path);
  PackedFiles(PackedFiles&&) noexcept;
  PackedFiles& operator=(PackedFiles&&) noexcept;
  ~PackedFiles();

  /// Goes to the next file, in the archive's order, and gives its name there; false behind the last.
  bool next(std::string& member);

  /// Reads from the current file; 0 only at its end. `size` must not be 0.
  std::size_t read(char* into, std::size_t size);

  /// Bytes taken from the archive so far, before decompression; for progress.
  std::uint64_t raw_position() const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

/// Writes the member of `archive` whose path is `member` or ends in "/" + `member` to the file `to`. UserError when the
/// archive is broken or has no such member; `to` is then as it was.
void extract_member(const std::filesystem::path& archive, const std::string& member, const std::filesystem::path& to);

/// Unpacks everything into the new folder `to`, which appears whole or not at all. UserError for members that would
/// land outside it.
void extract_tree(const std::filesystem::path& archive, const std::filesystem::path& to);

}  // namespace gumption
