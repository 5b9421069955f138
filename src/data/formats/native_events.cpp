#include "gumption/data/formats/native_events.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/line_reader.h"
#include "gumption/data/json_document.h"

namespace gumption {

namespace {

class Reader final : public EventReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source) : lines_(std::move(source)) {}

  const std::string& file() const override { return lines_.source().name(); }
  std::size_t line() const override { return lines_.line_number(); }
  ReadPosition position() const override { return {lines_.source().raw_position(), lines_.source().raw_size()}; }

  bool next(Event& event) override {
    event = {};
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (line.find_first_not_of(" \t") == std::string_view::npos);
    std::string error;
    if (!document_.parse(line, error)) refuse("one JSON object", fmt::format("{} ({})", in_quotes(line, 40), error));
    if (!document_.root().is_object()) refuse("a JSON object", std::string(document_.root().kind_name()));
    fill(document_.root(), event);
    return true;
  }

 private:
  std::string text(JsonValue value) const {
    if (!value.is_text()) refuse(fmt::format("text as {}", in_quotes(value.key())), std::string(value.kind_name()));
    return std::string(value.text());
  }

  void fill(JsonValue row, Event& event) const {
    bool has_event = false;
    for (const JsonValue member : row) {
      const auto key = member.key();
      if (key == "event") {
        event.text = text(member);
        has_event = true;
      } else if (key == "source") {
        event.source = text(member);
      } else if (key == "split") {
        event.split = text(member);
      } else if (key == "inferences") {
        if (!member.is_object()) refuse("an object as \"inferences\"", std::string(member.kind_name()));
        for (const JsonValue list : member) event.inferences.push_back(inference(list));
      } else if (key == "notes") {
        if (!member.is_object()) refuse("an object as \"notes\"", std::string(member.kind_name()));
        for (const JsonValue note : member) event.other[std::string(note.key())] = text(note);
      } else {
        refuse("the members event, source, split, inferences and notes", in_quotes(key));
      }
    }
    if (!has_event) refuse("a member \"event\"", "none");
  }

  Inference inference(JsonValue list) const {
    Inference inference{std::string(list.key()), {}};
    if (!list.is_array()) refuse("a list for each dimension", std::string(list.kind_name()));
    for (const JsonValue value : list) inference.values.push_back(text(value));
    return inference;
  }

  LineReader lines_;
  JsonDocument document_;
};

class Writer final : public TextEventWriter {
 public:
  using TextEventWriter::TextEventWriter;

  void write(const Event& event) override {
    nlohmann::ordered_json row;
    row["event"] = event.text;
    if (!event.source.empty()) row["source"] = event.source;
    if (!event.split.empty()) row["split"] = event.split;
    row["inferences"] = nlohmann::ordered_json::object();
    for (const auto& inference : event.inferences) {
      if (row["inferences"].contains(inference.dimension)) refuse(event, "it has a dimension twice");
      row["inferences"][inference.dimension] = inference.values;
    }
    if (!event.other.empty()) row["notes"] = event.other;
    append(row.dump() + "\n");
  }
};

}  // namespace

const EventFormat& native_events_format() {
  static const EventFormat format{
      "native-events",
      "gumption's own JSON Lines of events",
      ".jsonl",
      [](const FileStart& start) { return start.json_has("event") && start.json_has("inferences"); },
      open_events_with<Reader>,
      create_events_with<Writer>};
  return format;
}

}  // namespace gumption
