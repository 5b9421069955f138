#include "gumption/data/formats/wsc_xml.h"

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/data/format_kit.h"
#include "gumption/data/pronoun_question.h"
#include "gumption/data/xml_file.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

class Reader final : public QuestionReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source)
      : name_(source->name()), size_(source->raw_size()), file_(*source, "collection", "schema") {}

  const std::string& file() const override { return name_; }
  std::size_t line() const override { return schema_.line(); }
  ReadPosition position() const override { return {size_, size_}; }

 private:
  bool read_row(Question& question) override {
    if (!file_.next(schema_)) return false;
    for (const char* part : {"text/txt1", "text/pron", "text/txt2", "answers/answer"}) {
      if (!schema_.has(part)) refuse(fmt::format("an element <{}> in the schema", part), "none");
      for (const auto& text : schema_.texts(part)) need_text(text, part);
    }
    need_text(schema_.text("source"), "source");
    const std::string before = schema_.text("text/txt1");
    const std::string pronoun(trim(schema_.text("text/pron")));
    // The file keeps its texts apart by lines, not by spaces: only punctuation joins on without a gap.
    const std::string after(trim(schema_.text("text/txt2")));
    const bool joins = !after.empty() && (after[0] == '\'' || after[0] == ',' || after[0] == '.' || after[0] == '?' ||
                                          after[0] == '!' || after[0] == ';' || after[0] == ':');
    const std::string sentence = before + " " + pronoun + (joins ? "" : " ") + after;
    std::vector<std::string> candidates;
    for (const auto& answer : schema_.texts("answers/answer")) candidates.push_back(squeeze_white_space(answer));
    fill_pronoun_question(cut_at_pronoun(sentence, before.size() + 1, pronoun), candidates, question);
    if (schema_.has("correctAnswer")) {
      std::string letter(trim(schema_.text("correctAnswer")));
      if (letter.ends_with('.')) letter.pop_back();
      question.label = label_of_letter(letter);
      if (!question.label) refuse("a letter as <correctAnswer>", in_quotes(letter));
    }
    if (const std::string source = squeeze_white_space(schema_.text("source")); !source.empty()) {
      question.notes.other["source"] = json_text_of(source);
    }
    return true;
  }

  std::string name_;
  std::uint64_t size_;
  XmlFile file_;
  XmlElement schema_;
};

class Writer final : public TextFileWriter {
 public:
  explicit Writer(const std::filesystem::path& path) : TextFileWriter(path) {
    append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<collection>\n");
  }

  void write(const Question& question) override {
    const auto parts = pronoun_parts(question);
    if (!parts) refuse(question, "it has no notes pronoun and candidates that fit its choices");
    constexpr std::size_t kLetters = 26;
    if (parts->candidates.size() > kLetters) refuse(question, "it has more candidates than there are letters");
    std::string schema = fmt::format(
        "  <schema>\n    <text>\n      <txt1>{}</txt1>\n      <pron>{}</pron>\n      <txt2>{}</txt2>\n    </text>\n    "
        "<answers>\n",
        xml_escaped(parts->text.before), xml_escaped(parts->text.pronoun), xml_escaped(parts->text.after));
    for (const auto& candidate : parts->candidates) {
      schema += fmt::format("      <answer>{}</answer>\n", xml_escaped(candidate));
    }
    schema += "    </answers>\n";
    if (question.label)
      schema += fmt::format("    <correctAnswer>{}</correctAnswer>\n", letter_of_label(*question.label));
    if (const auto found = question.notes.other.find("source"); found != question.notes.other.end()) {
      schema += fmt::format("    <source>{}</source>\n", xml_escaped(text_of_json(found->second)));
    }
    if (!fits_xml(schema)) refuse(question, "XML can't hold its control characters");
    append(schema + "  </schema>\n");
  }

  void commit() override {
    append("</collection>\n");
    TextFileWriter::commit();
  }
};

}  // namespace

const QuestionFormat& wsc_xml_format() {
  static const QuestionFormat format{"wsc-xml",
                                     "Winograd schemas as WSCollection.xml",
                                     ".xml",
                                     0,
                                     [](const FileStart& start) {
                                       return start.bytes.find("<collection") != std::string::npos &&
                                              start.bytes.find("<schema") != std::string::npos;
                                     },
                                     open_with<Reader>,
                                     create_with<Writer>};
  return format;
}

}  // namespace gumption
