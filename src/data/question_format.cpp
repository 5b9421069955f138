#include "gumption/data/question_format.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/data/formats/codah.h"
#include "gumption/data/formats/commonsense_qa.h"
#include "gumption/data/formats/copa_xml.h"
#include "gumption/data/formats/cosmos_qa.h"
#include "gumption/data/formats/native.h"
#include "gumption/data/formats/pronouns.h"
#include "gumption/data/formats/race.h"
#include "gumption/data/formats/social_iqa.h"
#include "gumption/data/formats/superglue_copa.h"
#include "gumption/data/formats/swag.h"
#include "gumption/data/formats/wsc_xml.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace fs = std::filesystem;

std::span<const QuestionFormat* const> question_formats() {
  // In the order in which they are asked whether they recognise a file.
  static const std::array formats = {
      &native_format(),       &copa_xml_format(), &superglue_copa_format(), &social_iqa_format(), &cosmos_csv_format(),
      &cosmos_jsonl_format(), &codah_format(),    &swag_format(),           &race_format(),       &wsc_xml_format(),
      &wsc_text_format(),     &dpr_format(),      &commonsense_qa_format(),
  };
  return formats;
}

const QuestionFormat& question_format(std::string_view name) {
  std::vector<std::string> known;
  for (const QuestionFormat* format : question_formats()) {
    if (format->name == name) return *format;
    known.push_back(format->name);
  }
  throw UserError(fmt::format("There is no question format {}. {}", in_quotes(name), suggest(name, known)));
}

std::string_view FileStart::line(std::size_t n) const {
  std::string_view rest = bytes;
  for (; n > 0; --n) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

bool FileStart::json_has(std::string_view key) const {
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || bytes[begin] != '{') return false;
  const std::string_view first = std::string_view(bytes).substr(begin, bytes.find('\n', begin) - begin);
  const std::string name = fmt::format("\"{}\"", key);
  for (std::size_t at = first.find(name); at != std::string_view::npos; at = first.find(name, at + 1)) {
    const std::size_t after = first.find_first_not_of(" \t", at + name.size());
    if (after != std::string_view::npos && first[after] == ':') return true;
  }
  return false;
}

namespace {

constexpr std::size_t kStartSize = std::size_t{1} << 16;

}  // namespace

StartedInput start_input(const fs::path& path) {
  StartedInput input;
  input.start.path = path;
  input.start.is_folder = fs::is_directory(path);
  if (input.start.is_folder) return input;
  auto source = open_input(path);
  std::string bytes(kStartSize, '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const std::size_t got = source->read(bytes.data() + filled, bytes.size() - filled);
    if (got == 0) break;
    filled += got;
  }
  bytes.resize(filled);
  input.start.bytes = bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
  input.source = rewound(std::move(bytes), std::move(source));
  return input;
}

const QuestionFormat* guess_question_format(const FileStart& start) {
  for (const QuestionFormat* format : question_formats()) {
    if (format->recognises(start)) return format;
  }
  return nullptr;
}

}  // namespace gumption
