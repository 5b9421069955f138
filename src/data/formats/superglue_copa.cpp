#include "gumption/data/formats/superglue_copa.h"

#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/data/format_kit.h"

namespace gumption {

namespace {

class Reader final : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void fill(JsonValue row, Question& question) override {
    question.context = text(row, "premise");
    question.choices.emplace_back(text(row, "choice1"));
    question.choices.emplace_back(text(row, "choice2"));
    question.notes.asks_for = asks_for_of(text(row, "question"));
    if (!question.notes.asks_for) refuse("\"cause\" or \"effect\" as \"question\"", in_quotes(text(row, "question")));
    question.label = label(row, "label", 0);
    if (const auto idx = find(row, "idx")) question.id = idx->is_text() ? std::string(idx->text()) : idx->to_json();
  }
};

class Writer final : public TextFileWriter {
 public:
  using TextFileWriter::TextFileWriter;

  void write(const Question& question) override {
    need_choices(question, 2);
    if (!question.notes.asks_for) refuse(question, "it has no note asks_for (cause or effect)");
    nlohmann::ordered_json row;
    row["premise"] = question.context;
    row["choice1"] = question.choices[0];
    row["choice2"] = question.choices[1];
    row["question"] = to_text(*question.notes.asks_for);
    if (question.label) row["label"] = *question.label;
    if (const auto number = parse_integer(question.id)) {
      row["idx"] = *number;
    } else {
      row["idx"] = question.id;
    }
    append(row.dump() + "\n");
  }
};

}  // namespace

const QuestionFormat& superglue_copa_format() {
  static const QuestionFormat format{
      "superglue-copa",
      "COPA in SuperGLUE's JSON Lines",
      ".jsonl",
      0,
      [](const FileStart& start) { return start.json_has("premise") && start.json_has("choice1"); },
      open_with<Reader>,
      create_with<Writer>};
  return format;
}

}  // namespace gumption
