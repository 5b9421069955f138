#include "gumption/data/format_kit.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

void check_text(std::string_view text, std::string_view what, const std::string& file, std::size_t line) {
  if (const auto at = find_invalid_utf8(text)) {
    throw BadRow(
        {file, line, "UTF-8 text",
         fmt::format("the byte 0x{:02X} at position {} of the {}", static_cast<unsigned char>(text[*at]), *at, what),
         "Convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8"});
  }
  if (text.find('\0') != std::string_view::npos) {
    throw BadRow({file, line, "text", fmt::format("a NUL byte in the {}", what), "Is this a text file?"});
  }
}

}  // namespace

void check_texts(const Question& question, const std::string& file, std::size_t line) {
  check_text(question.id, "id", file, line);
  check_text(question.context, "context", file, line);
  check_text(question.question, "question", file, line);
  for (const auto& choice : question.choices) check_text(choice, "choice", file, line);
}

void check_shape(const Question& question, const std::string& file, std::size_t line) {
  const std::size_t count = question.choices.size();
  if (count < 2) {
    throw BadRow({file, line, "two or more choices", count == 0 ? "none" : "one", ""});
  }
  if (question.label && (*question.label < 0 || static_cast<std::size_t>(*question.label) >= count)) {
    throw BadRow({file, line, fmt::format("a label that names one of {} choices", count),
                  fmt::format("choice {} (counted from 0)", *question.label), ""});
  }
  const std::size_t kinds = question.notes.choice_kinds.size();
  if (kinds != 0 && kinds != count) {
    throw BadRow(
        {file, line, fmt::format("{} choice_kinds, one for each choice", count), fmt::format("{}", kinds), ""});
  }
}

void QuestionReader::need_text(std::string_view text, std::string_view what) const {
  check_text(text, what, file(), line());
}

void QuestionReader::refuse(std::string expected, std::string found, std::string advice) const {
  throw BadRow({file(), line(), std::move(expected), std::move(found), std::move(advice)});
}

namespace {

void clear(Question& question) {
  question.id.clear();
  question.context.clear();
  question.question.clear();
  question.choices.clear();
  question.label.reset();
  question.notes = {};
}

}  // namespace

bool QuestionReader::next(Question& question) {
  clear(question);
  try {
    if (!read_row(question)) return false;
  } catch (const BadRow&) {
    ++rows_;
    throw;
  }
  ++rows_;
  if (question.id.empty()) question.id = std::to_string(rows_);
  if (!gives_clean_text()) check_texts(question, file(), line());
  check_shape(question, file(), line());
  return true;
}

bool JsonLinesReader::read_row(Question& question) {
  std::string_view text;
  do {
    if (!lines_.next(text)) return false;
  } while (text.find_first_not_of(" \t") == std::string_view::npos);
  // The parser makes sure of UTF-8; a NUL can come from its escape only.
  if (text.find('\\') != std::string_view::npos && text.find("\\u0000") != std::string_view::npos) {
    refuse("text", "a NUL (\\u0000)", "Is this text?");
  }
  std::string error;
  if (!document_.parse(text, error)) {
    refuse("one JSON object", fmt::format("{} ({})", in_quotes(text, 40), error),
           "Each line must hold one whole object");
  }
  if (!document_.root().is_object()) {
    refuse("a JSON object", std::string(document_.root().kind_name()));
  }
  fill(document_.root(), question);
  return true;
}

std::optional<JsonValue> JsonLinesReader::find(JsonValue object, std::string_view key) {
  for (const JsonValue member : object) {
    if (member.key() == key) return member;
  }
  return std::nullopt;
}

std::string_view JsonLinesReader::text(JsonValue object, std::string_view key) const {
  const auto member = find(object, key);
  if (!member) refuse(fmt::format("a member {}", in_quotes(key)), "none");
  if (!member->is_text()) refuse(fmt::format("text as {}", in_quotes(key)), std::string(member->kind_name()));
  return member->text();
}

std::optional<int> JsonLinesReader::label(JsonValue object, std::string_view key, int first) const {
  const auto member = find(object, key);
  if (!member || member->kind() == JsonValue::Kind::kNull) return std::nullopt;
  std::optional<std::int64_t> number;
  if (member->kind() == JsonValue::Kind::kInteger) number = member->integer();
  if (member->is_text()) {
    if (member->text().empty()) return std::nullopt;
    number = parse_integer(member->text());
  }
  constexpr std::int64_t kMany = 1'000'000;
  if (!number || *number < first || *number > kMany) {
    refuse(fmt::format("a whole number from {} as {}", first, in_quotes(key)), member->to_json());
  }
  return static_cast<int>(*number) - first;
}

bool TableQuestionReader::read_row(Question& question) {
  if (!table_.next(fields_)) return false;
  if (fields_.size() != expected_fields()) {
    refuse(fmt::format("{} fields", expected_fields()), fmt::format("{}", fields_.size()));
  }
  for (const auto& field : fields_) need_text(field, "field");
  fill(fields_, question);
  return true;
}

std::optional<int> TableQuestionReader::label(std::string_view field) const {
  field = trim(field);
  if (field.empty()) return std::nullopt;
  const auto number = parse_integer(field);
  constexpr std::int64_t kMany = 1'000'000;
  if (!number || *number < 0 || *number > kMany) refuse("a whole number from 0 as label", in_quotes(field));
  return static_cast<int>(*number);
}

void TextFileWriter::refuse(const Question& question, const std::string& why) const {
  throw UserError(fmt::format("{}: question {} can't be written in this format: {}. Write it as native instead.",
                              file_.path().string(), in_quotes(question.id), why));
}

void TextFileWriter::need_choices(const Question& question, std::size_t count) const {
  if (question.choices.size() == count) return;
  refuse(question, fmt::format("it has {} choices, and the format has {}", question.choices.size(), count));
}

std::optional<int> label_of_letter(std::string_view text) {
  text = trim(text);
  if (text.size() != 1) return std::nullopt;
  if (text[0] >= 'A' && text[0] <= 'Z') return text[0] - 'A';
  if (text[0] >= 'a' && text[0] <= 'z') return text[0] - 'a';
  return std::nullopt;
}

std::string letter_of_label(int label) { return std::string(1, static_cast<char>('A' + label)); }

std::string json_text_of(std::string_view text) { return nlohmann::json(text).dump(); }

std::string text_of_json(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace gumption
