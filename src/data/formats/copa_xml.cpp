#include "gumption/data/formats/copa_xml.h"

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/data/format_kit.h"
#include "gumption/data/xml_file.h"

namespace gumption {

namespace {

class Reader final : public QuestionReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source)
      : name_(source->name()), size_(source->raw_size()), file_(*source, "copa-corpus", "item") {}

  const std::string& file() const override { return name_; }
  std::size_t line() const override { return item_.line(); }
  ReadPosition position() const override { return {size_, size_}; }

 private:
  bool read_row(Question& question) override {
    if (!file_.next(item_)) return false;
    need_text(item_.attribute("id"), "id");
    for (const char* part : {"p", "a1", "a2"}) {
      if (!item_.has(part)) refuse(fmt::format("an element <{}> in the item", part), "none");
    }
    question.id = item_.attribute("id");
    question.context = item_.text("p");
    question.choices = {item_.text("a1"), item_.text("a2")};
    question.notes.asks_for = asks_for_of(item_.attribute("asks-for"));
    if (!question.notes.asks_for) refuse("asks-for=\"cause\" or \"effect\"", in_quotes(item_.attribute("asks-for")));
    if (item_.has_attribute(kLabel)) {
      const auto label = parse_integer(item_.attribute(kLabel));
      if (!label || *label < 1 || *label > 2)
        refuse(fmt::format("{}=\"1\" or \"2\"", kLabel), in_quotes(item_.attribute(kLabel)));
      question.label = static_cast<int>(*label) - 1;
    }
    return true;
  }

  static constexpr const char* kLabel = "most-plausible-alternative";
  std::string name_;
  std::uint64_t size_;
  XmlFile file_;
  XmlElement item_;
};

class Writer final : public TextFileWriter {
 public:
  explicit Writer(const std::filesystem::path& path) : TextFileWriter(path) {
    append(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE copa-corpus SYSTEM \"copa.dtd\">\n"
        "<copa-corpus version=\"1.0\">\n");
  }

  void write(const Question& question) override {
    need_choices(question, 2);
    if (!question.question.empty()) refuse(question, "it has a question beside its context");
    if (!question.notes.asks_for) refuse(question, "it has no note asks_for (cause or effect)");
    for (const auto& text : {question.id, question.context, question.choices[0], question.choices[1]}) {
      if (!fits_xml(text)) refuse(question, "XML can't hold its control characters");
    }
    std::string label;
    if (question.label) label = fmt::format(" most-plausible-alternative=\"{}\"", *question.label + 1);
    append(fmt::format(
        "\n  <item id=\"{}\" asks-for=\"{}\"{}>\n    <p>{}</p>\n    <a1>{}</a1>\n    <a2>{}</a2>\n  </item>\n",
        xml_escaped(question.id), to_text(*question.notes.asks_for), label, xml_escaped(question.context),
        xml_escaped(question.choices[0]), xml_escaped(question.choices[1])));
  }

  void commit() override {
    append("\n</copa-corpus>\n");
    TextFileWriter::commit();
  }
};

}  // namespace

const QuestionFormat& copa_xml_format() {
  static const QuestionFormat format{
      "copa-xml",
      "COPA's XML",
      ".xml",
      0,
      [](const FileStart& start) { return start.bytes.find("<copa-corpus") != std::string::npos; },
      open_with<Reader>,
      create_with<Writer>};
  return format;
}

}  // namespace gumption
