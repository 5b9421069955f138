#include "gumption/data/formats/event2mind.h"

#include <array>

namespace gumption {

namespace {

constexpr std::array<const char*, 3> kDimensions = {"Xintent", "Xemotion", "Otheremotion"};
constexpr std::array<const char*, 2> kSentiments = {"Xsent", "Osent"};

class Reader final : public TableEventReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source)
      : TableEventReader(std::move(source), {}), source_(table().column("Source")), event_(table().column("Event")) {
    for (std::size_t i = 0; i < kDimensions.size(); ++i) dimensions_[i] = table().column(kDimensions[i]);
    for (std::size_t i = 0; i < kSentiments.size(); ++i) sentiments_[i] = table().column(kSentiments[i]);
  }

 private:
  void fill(const std::vector<std::string>& fields, Event& event) override {
    event.source = fields[source_];
    event.text = fields[event_];
    for (std::size_t i = 0; i < kDimensions.size(); ++i) {
      event.inferences.push_back({kDimensions[i], list(fields[dimensions_[i]])});
    }
    for (std::size_t i = 0; i < kSentiments.size(); ++i) {
      const std::string& field = fields[sentiments_[i]];
      if (!field.empty()) event.other[kSentiments[i]] = field;
    }
  }

  std::size_t source_;
  std::size_t event_;
  std::array<std::size_t, kDimensions.size()> dimensions_{};
  std::array<std::size_t, kSentiments.size()> sentiments_{};
};

class Writer final : public TextEventWriter {
 public:
  explicit Writer(const std::filesystem::path& path) : TextEventWriter(path) {
    append("Source,Event,Xintent,Xemotion,Otheremotion,Xsent,Osent\n");
  }

  void write(const Event& event) override {
    std::vector<std::string> fields = {event.source, event.text};
    std::size_t known = 0;
    for (const char* dimension : kDimensions) {
      const auto* values = values_of(event, dimension);
      if (values != nullptr) ++known;
      fields.push_back(values == nullptr ? "[]" : json_list_of(*values));
    }
    if (known != event.inferences.size()) refuse(event, "it has a dimension that Event2Mind doesn't");
    for (const char* sentiment : kSentiments) {
      const auto found = event.other.find(sentiment);
      fields.push_back(found == event.other.end() ? "" : found->second);
    }
    std::string record;
    append_record(record, fields, ',');
    append(record);
  }
};

}  // namespace

const EventFormat& event2mind_format() {
  static const EventFormat format{
      "event2mind",
      "Event2Mind's CSV",
      ".csv",
      [](const FileStart& start) { return start.line(0).starts_with("Source,Event,Xintent"); },
      open_events_with<Reader>,
      create_events_with<Writer>};
  return format;
}

}  // namespace gumption
