#pragma once

// Text files as a stream of documents.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

/// Where a document ends besides the end of its file.
enum class HitDocuments { kFile, kBlankLine, kLine };

std::string_view to_text(HitDocuments documents);

/// The files that are meant: each file itself, and all files below each folder, in order of their names. Hidden ones
/// in folders are left out. "-" is standard input. UserError for a name that doesn't exist and for a folder without
/// files.
std::vector<std::filesystem::path> text_files(std::span<const std::filesystem::path> inputs);

/// A document on its way by.
struct HitDocument {
  std::string_view text;           // valid during the call only
  std::uint64_t raw_position = 0;  // bytes of the file that were read so far, before unpacking; for progress
};

/// Calls `take` with each document that is not blank. Packed files are unpacked on the way. UserError for binary files
/// and for a document of more than 1 GiB.
void for_each_document(const std::filesystem::path& file, HitDocuments documents,
                       const std::function<void(const HitDocument&)>& take);

}  // namespace gumption
