#include "gumption/data/formats/native.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/data/format_kit.h"

namespace gumption {

namespace {

class Reader final : public JsonLinesReader {
 public:
  using JsonLinesReader::JsonLinesReader;

 private:
  void fill(JsonValue row, Question& question) override {
    for (const JsonValue member : row) {
      const std::string_view key = member.key();
      if (key == "id") {
        question.id = member.kind() == JsonValue::Kind::kInteger ? member.to_json() : std::string(text(row, "id"));
      } else if (key == "context") {
        question.context = text(row, "context");
      } else if (key == "question") {
        question.question = text(row, "question");
      } else if (key == "choices") {
        fill_texts(member, "choices", question.choices);
      } else if (key == "label") {
        question.label = label(row, "label", 0);
      } else if (key == "notes") {
        fill_notes(member, question.notes);
      } else {
        question.notes.other.emplace(key, member.to_json());
      }
    }
    if (question.choices.empty()) refuse("a list of two or more \"choices\"", "none");
  }

  void fill_texts(JsonValue list, const char* what, std::vector<std::string>& texts) const {
    if (!list.is_array()) refuse(fmt::format("a list as \"{}\"", what), std::string(list.kind_name()));
    for (const JsonValue member : list) {
      if (!member.is_text()) refuse(fmt::format("texts in \"{}\"", what), std::string(member.kind_name()));
      texts.emplace_back(member.text());
    }
  }

  void fill_notes(JsonValue notes, Notes& into) const {
    if (notes.kind() == JsonValue::Kind::kNull) return;
    if (!notes.is_object()) refuse("an object as \"notes\"", std::string(notes.kind_name()));
    for (const JsonValue member : notes) {
      const std::string_view key = member.key();
      if (std::string* known = text_note(into, key)) {
        *known = text(notes, key);
      } else if (key == "asks_for") {
        into.asks_for = asks_for_of(text(notes, key));
        if (!into.asks_for) refuse("\"cause\" or \"effect\" as \"asks_for\"", member.to_json());
      } else if (key == "choice_kinds") {
        fill_texts(member, "choice_kinds", into.choice_kinds);
      } else {
        into.other.emplace(key, member.to_json());
      }
    }
  }

  static std::string* text_note(Notes& notes, std::string_view key) {
    if (key == "category") return &notes.category;
    if (key == "question_type") return &notes.question_type;
    if (key == "split") return &notes.split;
    if (key == "author") return &notes.author;
    if (key == "source_event") return &notes.source_event;
    return nullptr;
  }
};

nlohmann::ordered_json notes_object(const Notes& notes) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) object[key] = value;
  };
  add("category", notes.category);
  add("question_type", notes.question_type);
  if (notes.asks_for) object["asks_for"] = to_text(*notes.asks_for);
  add("split", notes.split);
  add("author", notes.author);
  add("source_event", notes.source_event);
  if (!notes.choice_kinds.empty()) object["choice_kinds"] = notes.choice_kinds;
  for (const auto& [key, json] : notes.other) object[key] = nlohmann::ordered_json::parse(json);
  return object;
}

class Writer final : public TextFileWriter {
 public:
  using TextFileWriter::TextFileWriter;

  void write(const Question& question) override {
    nlohmann::ordered_json row;
    row["id"] = question.id;
    row["context"] = question.context;
    row["question"] = question.question;
    row["choices"] = question.choices;
    if (question.label) row["label"] = *question.label;
    auto notes = notes_object(question.notes);
    if (!notes.empty()) row["notes"] = std::move(notes);
    append(row.dump() + "\n");
  }
};

}  // namespace

const QuestionFormat& native_format() {
  static const QuestionFormat format{
      "native",
      "gumption's own JSON Lines",
      ".jsonl",
      0,
      [](const FileStart& start) { return start.json_has("choices") && !start.json_has("stem"); },
      open_with<Reader>,
      create_with<Writer>};
  return format;
}

}  // namespace gumption
