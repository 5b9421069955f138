#pragma once

#include <filesystem>
#include <string>

namespace gumption {

/// SHA-256 of a file's bytes, in lower-case hexadecimal. UserError where the file can't be read or the build has no
/// checksums.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace gumption
