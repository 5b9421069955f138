#pragma once

// What formats are made of: the rules that every row keeps, and bases for readers and writers.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/base/files.h"
#include "gumption/base/line_reader.h"
#include "gumption/data/json_document.h"
#include "gumption/data/question_format.h"
#include "gumption/data/table_reader.h"

namespace gumption {

/// Throws BadRow unless the question has two or more choices, a label among them, and choice kinds for all or none.
void check_shape(const Question& question, const std::string& file, std::size_t line);

/// Throws BadRow unless its texts are UTF-8 without NUL bytes.
void check_texts(const Question& question, const std::string& file, std::size_t line);

/// Base for JSON Lines: a derived reader fills a question from one object. Empty lines are skipped.
class JsonLinesReader : public QuestionReader {
 public:
  explicit JsonLinesReader(std::unique_ptr<ByteSource> source) : lines_(std::move(source)) {}

  const std::string& file() const final { return lines_.source().name(); }
  std::size_t line() const final { return lines_.line_number(); }
  ReadPosition position() const final { return {lines_.source().raw_position(), lines_.source().raw_size()}; }

 protected:
  virtual void fill(JsonValue row, Question& question) = 0;

  bool read_row(Question& question) final;
  bool gives_clean_text() const final { return true; }

  /// The member of an object, or nothing.
  static std::optional<JsonValue> find(JsonValue object, std::string_view key);

  /// A member that must be there and be text.
  std::string_view text(JsonValue object, std::string_view key) const;

  /// A label member: a whole number from `first`, as number or as text; nothing where it is absent, null or "".
  std::optional<int> label(JsonValue object, std::string_view key, int first) const;

 private:
  LineReader lines_;
  JsonDocument document_;
};

/// Base for comma- and tab-separated tables: a derived reader fills a question from one record.
class TableQuestionReader : public QuestionReader {
 public:
  TableQuestionReader(std::unique_ptr<ByteSource> source, TableOptions options) : table_(std::move(source), options) {}

  const std::string& file() const final { return table_.name(); }
  std::size_t line() const final { return table_.line_number(); }
  ReadPosition position() const final { return {table_.source().raw_position(), table_.source().raw_size()}; }

 protected:
  virtual void fill(const std::vector<std::string>& fields, Question& question) = 0;

  /// Fields that a record must have; refused otherwise.
  virtual std::size_t expected_fields() const = 0;

  bool read_row(Question& question) final;
  bool gives_clean_text() const final { return true; }

  const TableReader& table() const { return table_; }

  /// A label written as a whole number from 0; nothing where the field is empty.
  std::optional<int> label(std::string_view field) const;

 private:
  TableReader table_;
  std::vector<std::string> fields_;
};

/// Base for writers of one text file.
class TextFileWriter : public QuestionWriter {
 public:
  explicit TextFileWriter(const std::filesystem::path& path) : file_(path) {}
  void commit() override { file_.commit(); }

 protected:
  void append(std::string_view text) { file_.write(text); }

  /// UserError that says why this question can't be written.
  [[noreturn]] void refuse(const Question& question, const std::string& why) const;

  /// Refuses a question unless it has as many choices as the format.
  void need_choices(const Question& question, std::size_t count) const;

 private:
  AtomicFile file_;
};

/// For QuestionFormat::open and ::create, where nothing but the source or path is needed.
template <class Reader>
std::unique_ptr<QuestionReader> open_with(QuestionInput input) {
  return std::make_unique<Reader>(std::move(input.source));
}
template <class Writer>
std::unique_ptr<QuestionWriter> create_with(const std::filesystem::path& path) {
  return std::make_unique<Writer>(path);
}

/// "A" → 0, "b" → 1, …; nothing for anything else.
std::optional<int> label_of_letter(std::string_view text);
std::string letter_of_label(int label);

/// A JSON text for a string, and the string of such a text (empty where it isn't one).
std::string json_text_of(std::string_view text);
std::string text_of_json(const std::string& json);

}  // namespace gumption
