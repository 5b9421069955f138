#include "gumption/data/formats/commonsense_qa.h"

#include <nlohmann/json.hpp>

#include "gumption/data/format_kit.h"

namespace gumption {

namespace {

constexpr const char* kConcept = "question_concept";

class Reader final : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void fill(JsonValue row, Question& question) override {
    if (find(row, "id")) question.id = text(row, "id");
    const auto body = find(row, "question");
    if (!body || !body->is_object())
      refuse("an object as \"question\"", body ? std::string(body->kind_name()) : "none");
    question.question = text(*body, "stem");
    std::vector<std::string> letters;
    const auto choices = find(*body, "choices");
    if (!choices || !choices->is_array())
      refuse("a list as \"choices\"", choices ? std::string(choices->kind_name()) : "none");
    for (const JsonValue choice : *choices) {
      if (!choice.is_object()) refuse("objects in \"choices\"", std::string(choice.kind_name()));
      question.choices.emplace_back(text(choice, "text"));
      letters.emplace_back(text(choice, "label"));
    }
    if (find(*body, kConcept)) question.notes.other[kConcept] = json_text_of(text(*body, kConcept));
    if (find(row, "answerKey")) question.label = index_of(letters, text(row, "answerKey"));
  }

  std::optional<int> index_of(const std::vector<std::string>& letters, std::string_view key) const {
    if (key.empty()) return std::nullopt;
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == key) return static_cast<int>(i);
    }
    refuse("the label of a choice as \"answerKey\"", json_text_of(key));
  }
};

class Writer final : public TextFileWriter {
 public:
  using TextFileWriter::TextFileWriter;

  void write(const Question& question) override {
    constexpr std::size_t kLetters = 26;
    if (question.choices.size() > kLetters) refuse(question, "it has more choices than there are letters");
    if (!question.context.empty()) refuse(question, "it has a context");
    nlohmann::ordered_json row;
    if (question.label) row["answerKey"] = letter_of_label(*question.label);
    row["id"] = question.id;
    const auto found = question.notes.other.find(kConcept);
    if (found != question.notes.other.end()) row["question"][kConcept] = text_of_json(found->second);
    row["question"]["choices"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      nlohmann::ordered_json choice;
      choice["label"] = letter_of_label(static_cast<int>(i));
      choice["text"] = question.choices[i];
      row["question"]["choices"].push_back(std::move(choice));
    }
    row["question"]["stem"] = question.question;
    append(row.dump() + "\n");
  }
};

}  // namespace

const QuestionFormat& commonsense_qa_format() {
  static const QuestionFormat format{"commonsense-qa",
                                     "CommonsenseQA's JSON Lines",
                                     ".jsonl",
                                     0,
                                     [](const FileStart& start) { return start.json_has("stem"); },
                                     open_with<Reader>,
                                     create_with<Writer>};
  return format;
}

}  // namespace gumption
