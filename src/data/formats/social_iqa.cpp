#include "gumption/data/formats/social_iqa.h"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/data/format_kit.h"
#include "gumption/data/label_list.h"
#include "gumption/data/question_types.h"

namespace gumption {

namespace {

class Reader final : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void fill(JsonValue row, Question& question) override {
    question.context = text(row, "context");
    question.question = text(row, "question");
    for (const char* key : {"answerA", "answerB", "answerC"}) question.choices.emplace_back(text(row, key));
    if (const auto correct = find(row, "correct")) {
      question.label = correct->is_text() ? label_of_letter(correct->text()) : std::nullopt;
      if (!question.label) refuse("\"A\", \"B\" or \"C\" as \"correct\"", correct->to_json());
    }
    question.notes.question_type = social_question_type(question.question);
  }
};

/// Labels go to the list beside the file, as in the official release; into each row where there is no file beside.
class Writer final : public TextFileWriter {
 public:
  explicit Writer(const std::filesystem::path& path) : TextFileWriter(path), inline_labels_(path == "-") {
    if (!inline_labels_) labels_path_ = label_list_beside(path);
  }

  void write(const Question& question) override {
    need_choices(question, 3);
    nlohmann::ordered_json row;
    row["context"] = question.context;
    row["question"] = question.question;
    row["answerA"] = question.choices[0];
    row["answerB"] = question.choices[1];
    row["answerC"] = question.choices[2];
    if (question.label && inline_labels_) row["correct"] = letter_of_label(*question.label);
    if (!inline_labels_) add_label(question);
    append(row.dump() + "\n");
  }

  void commit() override {
    if (labels_.empty() && !inline_labels_ && std::filesystem::exists(labels_path_)) {
      throw UserError(
          fmt::format("{}: is there already, and the questions, which have no labels, would be read with it. "
                      "Remove it, or write to another name.",
                      labels_path_.string()));
    }
    if (!labels_.empty()) write_file(labels_path_, labels_);
    TextFileWriter::commit();
  }

 private:
  void add_label(const Question& question) {
    const bool labelled = question.label.has_value();
    if (rows_++ > 0 && labelled == labels_.empty()) {
      refuse(question, "some questions have labels and some have none, and a label list can't say so");
    }
    if (labelled) labels_ += std::to_string(*question.label + 1) + "\n";
  }

  bool inline_labels_;
  std::filesystem::path labels_path_;
  std::string labels_;
  std::size_t rows_ = 0;
};

}  // namespace

const QuestionFormat& social_iqa_format() {
  static const QuestionFormat format{
      "social-iqa",
      "Social IQA's JSON Lines, with a label list or \"correct\"",
      ".jsonl",
      1,
      [](const FileStart& start) { return start.json_has("answerA") && start.json_has("context"); },
      open_with<Reader>,
      create_with<Writer>};
  return format;
}

}  // namespace gumption
