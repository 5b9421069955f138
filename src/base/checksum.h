#pragma once

#include <filesystem>
#include <string>

namespace gumption {

/// SHA-256 of a file's bytes, in lower-case hexadecimal. UserError where the file can't be read or the build has no
/// checksums.
std::string sha256_of_file(const std::filesystem::path& path);

/// The id that git gives a file's bytes (SHA-1 over "blob SIZE\0" and them), in lower-case hexadecimal: it tells
/// damaged files, not forged ones. UserError where the file can't be read.
std::string git_blob_of_file(const std::filesystem::path& path);

}  // namespace gumption
