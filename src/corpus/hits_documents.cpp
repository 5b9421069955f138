#include "gumption/corpus/hits_documents.h"

#include <algorithm>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/line_reader.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestDocument = std::size_t{1} << 30;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

void append_folder(const fs::path& folder, std::vector<fs::path>& files) {
  const std::size_t before = files.size();
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    if (is_hidden(entry->path())) {
      if (entry->is_directory()) entry.disable_recursion_pending();
      continue;
    }
    if (entry->is_regular_file()) files.push_back(entry->path());
  }
  if (files.size() == before) {
    throw UserError(Complaint{folder.string(), 0, "a folder with text files", "no file in it", "Check the name"});
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
}

void refuse_binary(const LineReader& reader, std::string_view line) {
  if (line.find('\0') == std::string_view::npos) return;
  throw UserError(Complaint{reader.source().name(), reader.line_number(), "text", "a zero byte, as binary files have",
                            "Leave this file out"});
}

void refuse_large(const LineReader& reader, std::size_t size) {
  if (size <= kLargestDocument) return;
  throw UserError(Complaint{reader.source().name(), reader.line_number(), "documents of at most 1 GiB", "a larger one",
                            "Try --documents blank-line or --documents line"});
}

}  // namespace

std::string_view to_text(HitDocuments documents) {
  switch (documents) {
    case HitDocuments::kFile:
      return "file";
    case HitDocuments::kBlankLine:
      return "blank-line";
    case HitDocuments::kLine:
      return "line";
  }
  throw InternalError("a way to end documents has a name");
}

std::vector<fs::path> text_files(std::span<const fs::path> inputs) {
  std::vector<fs::path> files;
  for (const fs::path& input : inputs) {
    if (input != "-" && !fs::exists(input)) {
      throw UserError(fmt::format("{}: there is no such file or folder. Check the name.", input.string()));
    }
    if (input != "-" && fs::is_directory(input)) {
      append_folder(input, files);
    } else {
      files.push_back(input);
    }
  }
  return files;
}

void for_each_document(const fs::path& file, HitDocuments documents,
                       const std::function<void(const HitDocument&)>& take) {
  LineReader reader(open_input(file));
  std::string document;
  const auto finish = [&] {
    if (!document.empty()) take({document, reader.source().raw_position()});
    document.clear();
  };
  std::string_view line;
  while (reader.next(line)) {
    refuse_binary(reader, line);
    const bool blank = trim(line).empty();
    if (documents == HitDocuments::kLine) {
      if (!blank) take({line, reader.source().raw_position()});
    } else if (!blank) {
      document.append(line).push_back('\n');
      refuse_large(reader, document.size());
    } else if (documents == HitDocuments::kBlankLine) {
      finish();
    }
  }
  finish();
}

}  // namespace gumption
