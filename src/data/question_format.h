#pragma once

// The formats that questions come in. Each is one file pair under formats/ and one line in question_format.cpp.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gumption/base/files.h"
#include "gumption/data/question_reader.h"
#include "gumption/data/question_writer.h"

namespace gumption {

/// The beginning of a file, by which its format is told.
struct FileStart {
  std::filesystem::path path;
  bool is_folder = false;
  std::string bytes;  // up to 64 KiB, unpacked, without a byte-order mark; the last line may be cut

  /// The n-th line from 0, without its end; empty where there is none.
  std::string_view line(std::size_t n) const;

  /// Whether the first line that isn't empty is a JSON object with this key.
  bool json_has(std::string_view key) const;
};

/// What a reader is opened on. `source` is null for a folder.
struct QuestionInput {
  std::filesystem::path path;
  std::unique_ptr<ByteSource> source;
};

struct QuestionFormat {
  std::string name;       // as for --format
  std::string about;      // one line
  std::string extension;  // of a file in this format
  int first_label = 0;    // what a label list calls the first choice
  bool (*recognises)(const FileStart& start) = nullptr;
  std::unique_ptr<QuestionReader> (*open)(QuestionInput input) = nullptr;
  std::unique_ptr<QuestionWriter> (*create)(const std::filesystem::path& path) = nullptr;
};

std::span<const QuestionFormat* const> question_formats();

/// The format of that name; UserError, with a suggestion, where there is none.
const QuestionFormat& question_format(std::string_view name);

/// An opened file: its first bytes have been looked at and will be read again.
struct StartedInput {
  FileStart start;
  std::unique_ptr<ByteSource> source;  // null for a folder
};
StartedInput start_input(const std::filesystem::path& path);

/// The first format that recognises the start, or nullptr.
const QuestionFormat* guess_question_format(const FileStart& start);

}  // namespace gumption
