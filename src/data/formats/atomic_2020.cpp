#include "gumption/data/formats/atomic_2020.h"

#include <fmt/format.h>

#include "gumption/base/options.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

constexpr std::string_view kMark = " @@ ";

class Reader final : public TableEventReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source)
      : TableEventReader(std::move(source), {.separator = '\t', .has_header = false}) {}

 private:
  void fill(const std::vector<std::string>& fields, Event& event) override {
    constexpr std::size_t kPlainColumns = 3;
    if (fields.size() == kPlainColumns) {
      event.text = fields[0];
      event.inferences.push_back({fields[1], {fields[2]}});
      return;
    }
    if (fields.size() != 2) refuse("two or three columns with tabs between them", fmt::format("{}", fields.size()));
    const std::size_t mark = fields[0].rfind(kMark);
    if (mark == std::string::npos) refuse("\"event @@ relation\" in the first column", fields[0]);
    event.text = fields[0].substr(0, mark);
    Inference inference{fields[0].substr(mark + kMark.size()), {}};
    if (!fields[1].empty()) {
      for (const auto part : split_text(fields[1], '|')) inference.values.emplace_back(trim(part));
    }
    event.inferences.push_back(std::move(inference));
  }
};

class Writer final : public TextEventWriter {
 public:
  using TextEventWriter::TextEventWriter;

  void write(const Event& event) override {
    for (const auto& inference : event.inferences) {
      std::string values;
      for (const auto& value : inference.values) {
        if (value.find('|') != std::string::npos) refuse(event, "an inference has a | in it");
        values += (values.empty() ? "" : "| ") + value;
      }
      std::string record;
      append_record(record, {fmt::format("{}{}{}", event.text, kMark, inference.dimension), values}, '\t');
      append(record);
    }
  }
};

bool recognises(const FileStart& start) {
  const auto fields = split_text(start.line(0), '\t');
  if (fields.size() == 2) return fields[0].find(kMark) != std::string_view::npos;
  return fields.size() == 3 &&
         (fields[0].find("Person") != std::string_view::npos ||
          (fields[1].size() > 1 && fields[1].find(' ') == std::string_view::npos && !parse_integer(fields[2])));
}

}  // namespace

const EventFormat& atomic_2020_format() {
  static const EventFormat format{"atomic-2020",
                                  "ATOMIC-2020's tab-separated table",
                                  ".tsv",
                                  recognises,
                                  open_events_with<Reader>,
                                  create_events_with<Writer>};
  return format;
}

}  // namespace gumption
