#include "gumption/data/formats/swag.h"

#include <array>

#include "gumption/data/format_kit.h"

namespace gumption {

namespace {

constexpr std::array<const char*, 4> kEndings = {"ending0", "ending1", "ending2", "ending3"};
constexpr std::array<const char*, 3> kKept = {"video-id", "fold-ind", "gold-source"};

std::string joined(const std::string& start, const std::string& ending) {
  return start.empty() ? ending : start + " " + ending;
}

class Reader final : public TableQuestionReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source)
      : TableQuestionReader(std::move(source), {}), sent1_(table().column("sent1")), sent2_(table().column("sent2")) {
    for (std::size_t i = 0; i < kEndings.size(); ++i) endings_[i] = table().column(kEndings[i]);
    if (table().has_column("label")) label_ = table().column("label");
    if (table().has_column("")) number_ = table().column("");
  }

 private:
  std::size_t expected_fields() const override { return table().header().size(); }

  void fill(const std::vector<std::string>& fields, Question& question) override {
    if (number_) question.id = fields[*number_];
    question.context = fields[sent1_];
    for (const std::size_t ending : endings_) question.choices.push_back(joined(fields[sent2_], fields[ending]));
    if (label_) question.label = label(fields[*label_]);
    if (!fields[sent2_].empty()) question.notes.other["sent2"] = json_text_of(fields[sent2_]);
    for (const char* name : kKept) {
      if (!table().has_column(name)) continue;
      const std::string& field = fields[table().column(name)];
      if (!field.empty()) question.notes.other[name] = json_text_of(field);
    }
  }

  std::size_t sent1_;
  std::size_t sent2_;
  std::array<std::size_t, kEndings.size()> endings_{};
  std::optional<std::size_t> label_;
  std::optional<std::size_t> number_;
};

std::string note(const Question& question, const char* name) {
  const auto found = question.notes.other.find(name);
  return found == question.notes.other.end() ? std::string() : text_of_json(found->second);
}

class Writer final : public TextFileWriter {
 public:
  explicit Writer(const std::filesystem::path& path) : TextFileWriter(path) {
    append(",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n");
  }

  void write(const Question& question) override {
    need_choices(question, kEndings.size());
    if (!question.question.empty()) refuse(question, "it has a question beside its context");
    const std::string sent2 = note(question, "sent2");
    std::vector<std::string> fields = {question.id,
                                       note(question, "video-id"),
                                       note(question, "fold-ind"),
                                       joined(question.context, sent2),
                                       question.context,
                                       sent2,
                                       note(question, "gold-source")};
    for (const auto& choice : question.choices) {
      const std::string start = sent2.empty() ? "" : sent2 + " ";
      if (!choice.starts_with(start)) refuse(question, "a choice doesn't start with its note sent2");
      fields.push_back(choice.substr(start.size()));
    }
    fields.push_back(question.label ? std::to_string(*question.label) : "");
    std::string record;
    append_record(record, fields, ',');
    append(record);
  }
};

}  // namespace

const QuestionFormat& swag_format() {
  static const QuestionFormat format{"swag",
                                     "SWAG's CSV",
                                     ".csv",
                                     0,
                                     [](const FileStart& start) {
                                       return start.line(0).find("sent2") != std::string_view::npos &&
                                              start.line(0).find("ending3") != std::string_view::npos;
                                     },
                                     open_with<Reader>,
                                     create_with<Writer>};
  return format;
}

}  // namespace gumption
