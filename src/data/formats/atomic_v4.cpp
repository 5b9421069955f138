#include "gumption/data/formats/atomic_v4.h"

#include <array>

namespace gumption {

namespace {

constexpr std::array<const char*, 9> kDimensions = {"oEffect", "oReact", "oWant",  "xAttr", "xEffect",
                                                    "xIntent", "xNeed",  "xReact", "xWant"};

class Reader final : public TableEventReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source)
      : TableEventReader(std::move(source), {}),
        event_(table().column("event")),
        prefix_(table().column("prefix")),
        split_(table().column("split")) {
    for (std::size_t i = 0; i < kDimensions.size(); ++i) dimensions_[i] = table().column(kDimensions[i]);
  }

 private:
  void fill(const std::vector<std::string>& fields, Event& event) override {
    event.text = fields[event_];
    event.split = fields[split_];
    for (std::size_t i = 0; i < kDimensions.size(); ++i) {
      event.inferences.push_back({kDimensions[i], list(fields[dimensions_[i]])});
    }
    if (!fields[prefix_].empty()) event.other["prefix"] = fields[prefix_];
  }

  std::size_t event_;
  std::size_t prefix_;
  std::size_t split_;
  std::array<std::size_t, kDimensions.size()> dimensions_{};
};

class Writer final : public TextEventWriter {
 public:
  explicit Writer(const std::filesystem::path& path) : TextEventWriter(path) {
    append("event,oEffect,oReact,oWant,xAttr,xEffect,xIntent,xNeed,xReact,xWant,prefix,split\n");
  }

  void write(const Event& event) override {
    std::vector<std::string> fields = {event.text};
    std::size_t known = 0;
    for (const char* dimension : kDimensions) {
      const auto* values = values_of(event, dimension);
      if (values != nullptr) ++known;
      fields.push_back(values == nullptr ? "[]" : json_list_of(*values));
    }
    if (known != event.inferences.size()) refuse(event, "it has a dimension that ATOMIC v4 doesn't");
    const auto prefix = event.other.find("prefix");
    fields.push_back(prefix == event.other.end() ? "" : prefix->second);
    fields.push_back(event.split);
    std::string record;
    append_record(record, fields, ',');
    append(record);
  }
};

}  // namespace

const EventFormat& atomic_v4_format() {
  static const EventFormat format{"atomic-v4",
                                  "ATOMIC v4's CSV",
                                  ".csv",
                                  [](const FileStart& start) {
                                    return start.line(0).starts_with("event,") &&
                                           start.line(0).find("xIntent") != std::string_view::npos;
                                  },
                                  open_events_with<Reader>,
                                  create_events_with<Writer>};
  return format;
}

}  // namespace gumption
