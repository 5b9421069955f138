#include "gumption/data/formats/codah.h"

#include <algorithm>
#include <array>

#include "gumption/base/options.h"
#include "gumption/data/format_kit.h"

namespace gumption {

namespace {

struct Category {
  char letter;
  std::string_view name;
};
constexpr std::array<Category, 6> kCategories = {
    {{'i', "idioms"}, {'r', "reference"}, {'p', "polysemy"}, {'n', "negation"}, {'q', "quantitative"}, {'o', "other"}}};

constexpr std::size_t kFields = 7;
constexpr std::size_t kEndings = 4;
constexpr char kJoint = '+';

/// "in" → "idioms+negation"; letters that the paper doesn't have stay as they are.
std::string category_of(std::string_view letters) {
  std::string names;
  for (const char letter : letters) {
    const auto found = std::find_if(kCategories.begin(), kCategories.end(),
                                    [&](const Category& category) { return category.letter == letter; });
    if (found == kCategories.end()) return std::string(letters);
    if (!names.empty()) names += kJoint;
    names += found->name;
  }
  return names;
}

std::string letters_of(const std::string& category) {
  std::string letters;
  for (const auto name : split_text(category, kJoint)) {
    const auto found =
        std::find_if(kCategories.begin(), kCategories.end(), [&](const Category& known) { return known.name == name; });
    if (found == kCategories.end()) return category;
    letters += found->letter;
  }
  return letters;
}

class Reader final : public TableQuestionReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source)
      : TableQuestionReader(std::move(source), {.separator = '\t', .has_header = false}) {}

 private:
  std::size_t expected_fields() const override { return kFields; }

  void fill(const std::vector<std::string>& fields, Question& question) override {
    question.notes.category = category_of(fields[0]);
    question.context = fields[1];
    for (std::size_t i = 0; i < kEndings; ++i) question.choices.push_back(fields[2 + i]);
    question.label = label(fields[kFields - 1]);
  }
};

class Writer final : public TextFileWriter {
 public:
  using TextFileWriter::TextFileWriter;

  void write(const Question& question) override {
    need_choices(question, kEndings);
    if (!question.question.empty()) refuse(question, "it has a question beside its context");
    std::vector<std::string> fields = {letters_of(question.notes.category), question.context};
    fields.insert(fields.end(), question.choices.begin(), question.choices.end());
    fields.push_back(question.label ? std::to_string(*question.label) : "");
    std::string record;
    append_record(record, fields, '\t');
    append(record);
  }
};

bool recognises(const FileStart& start) {
  const auto fields = split_text(start.line(0), '\t');
  if (fields.size() != kFields || fields[0].size() > kCategories.size()) return false;
  const auto label = parse_integer(fields[kFields - 1]);
  return fields[kFields - 1].empty() || (label && *label >= 0 && *label < static_cast<std::int64_t>(kEndings));
}

}  // namespace

const QuestionFormat& codah_format() {
  static const QuestionFormat format{
      "codah", "CODAH's tab-separated table", ".tsv", 0, recognises, open_with<Reader>, create_with<Writer>};
  return format;
}

}  // namespace gumption
