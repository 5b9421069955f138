#include "gumption/data/formats/cosmos_qa.h"

#include <array>

#include <nlohmann/json.hpp>

#include "gumption/base/options.h"
#include "gumption/data/format_kit.h"

namespace gumption {

namespace {

constexpr std::array<const char*, 4> kAnswers = {"answer0", "answer1", "answer2", "answer3"};

/// The id joins, by "##", two task numbers, the worker who wrote the question, the blog, and more.
void note_origin(Question& question) {
  const auto parts = split_text(question.id, '#');
  std::vector<std::string_view> fields;
  for (const auto part : parts) {
    if (!part.empty()) fields.push_back(part);
  }
  constexpr std::size_t kAuthor = 2;
  constexpr std::size_t kBlog = 3;
  if (fields.size() > kBlog && fields[kBlog].starts_with("Blog_")) {
    question.notes.author = fields[kAuthor];
    question.notes.other["blog"] = json_text_of(fields[kBlog]);
  }
}

class JsonReader final : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void fill(JsonValue row, Question& question) override {
    if (find(row, "id")) question.id = text(row, "id");
    question.context = text(row, "context");
    question.question = text(row, "question");
    for (const char* key : kAnswers) question.choices.emplace_back(text(row, key));
    question.label = label(row, "label", 0);
    note_origin(question);
  }
};

class CsvReader final : public TableQuestionReader {
 public:
  explicit CsvReader(std::unique_ptr<ByteSource> source)
      : TableQuestionReader(std::move(source), {}),
        id_(table().column("id")),
        context_(table().column("context")),
        question_(table().column("question")) {
    for (std::size_t i = 0; i < kAnswers.size(); ++i) answers_[i] = table().column(kAnswers[i]);
    if (table().has_column("label")) label_ = table().column("label");
  }

 private:
  std::size_t expected_fields() const override { return table().header().size(); }

  void fill(const std::vector<std::string>& fields, Question& question) override {
    question.id = fields[id_];
    question.context = fields[context_];
    question.question = fields[question_];
    for (const std::size_t answer : answers_) question.choices.push_back(fields[answer]);
    if (label_) question.label = label(fields[*label_]);
    note_origin(question);
  }

  std::size_t id_;
  std::size_t context_;
  std::size_t question_;
  std::array<std::size_t, kAnswers.size()> answers_{};
  std::optional<std::size_t> label_;
};

class JsonWriter final : public TextFileWriter {
 public:
  using TextFileWriter::TextFileWriter;

  void write(const Question& question) override {
    need_choices(question, kAnswers.size());
    nlohmann::ordered_json row;
    row["id"] = question.id;
    row["context"] = question.context;
    row["question"] = question.question;
    for (std::size_t i = 0; i < kAnswers.size(); ++i) row[kAnswers[i]] = question.choices[i];
    if (question.label) row["label"] = std::to_string(*question.label);
    append(row.dump() + "\n");
  }
};

class CsvWriter final : public TextFileWriter {
 public:
  explicit CsvWriter(const std::filesystem::path& path) : TextFileWriter(path) {
    append("id,context,question,answer0,answer1,answer2,answer3,label\n");
  }

  void write(const Question& question) override {
    need_choices(question, kAnswers.size());
    std::string record;
    append_record(record,
                  {question.id, question.context, question.question, question.choices[0], question.choices[1],
                   question.choices[2], question.choices[3], question.label ? std::to_string(*question.label) : ""},
                  ',');
    append(record);
  }
};

}  // namespace

const QuestionFormat& cosmos_csv_format() {
  static const QuestionFormat format{"cosmos-csv",
                                     "Cosmos QA as CSV",
                                     ".csv",
                                     0,
                                     [](const FileStart& start) {
                                       return start.line(0).starts_with("id,context,question,answer0") ||
                                              (start.line(0).find("context") != std::string_view::npos &&
                                               start.line(0).find(",answer3") != std::string_view::npos);
                                     },
                                     open_with<CsvReader>,
                                     create_with<CsvWriter>};
  return format;
}

const QuestionFormat& cosmos_jsonl_format() {
  static const QuestionFormat format{
      "cosmos-jsonl",
      "Cosmos QA as JSON Lines",
      ".jsonl",
      0,
      [](const FileStart& start) { return start.json_has("answer0") && start.json_has("context"); },
      open_with<JsonReader>,
      create_with<JsonWriter>};
  return format;
}

}  // namespace gumption
