#include "gumption/data/event_format.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/base/progress.h"
#include "gumption/data/catalogue.h"
#include "gumption/data/formats/atomic_2020.h"
#include "gumption/data/formats/atomic_v4.h"
#include "gumption/data/formats/event2mind.h"
#include "gumption/data/formats/native_events.h"
#include "gumption/text/unicode.h"

namespace gumption {

std::span<const EventFormat* const> event_formats() {
  static const std::array formats = {&native_events_format(), &atomic_v4_format(), &atomic_2020_format(),
                                     &event2mind_format()};
  return formats;
}

const EventFormat* find_event_format(std::string_view name) {
  const auto formats = event_formats();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const EventFormat* format) { return format->name == name; });
  return found == formats.end() ? nullptr : *found;
}

const EventFormat* guess_event_format(const FileStart& start) {
  const auto formats = event_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const EventFormat* format) { return format->recognises(start); });
  return found == formats.end() ? nullptr : *found;
}

const EventFormat& for_each_event(const std::filesystem::path& path, std::string_view format_name,
                                  const std::function<void(const Event&)>& take, std::uint64_t limit) {
  StartedInput input = start_input(find_data_file(path));
  const EventFormat* format = format_name.empty() ? guess_event_format(input.start) : find_event_format(format_name);
  if (format == nullptr || input.start.is_folder) {
    throw UserError(
        Complaint{path.string(), 0, "events in a known format", "something else", "Say which with --format"});
  }
  const auto reader = format->open(std::move(input.source));
  Progress progress("reading " + path.filename().string(), "B", reader->position().total);
  Event event;
  for (std::uint64_t taken = 0; (limit == 0 || taken < limit) && reader->next(event); ++taken) {
    take(event);
    progress.set(reader->position().done);
  }
  return *format;
}

void EventReader::refuse(std::string expected, std::string found, std::string advice) const {
  throw BadRow({file(), line(), std::move(expected), std::move(found), std::move(advice)});
}

bool TableEventReader::next(Event& event) {
  event = {};
  if (!table_.next(fields_)) return false;
  if (!table_.header().empty() && fields_.size() != table_.header().size()) {
    refuse(fmt::format("{} fields", table_.header().size()), fmt::format("{}", fields_.size()));
  }
  for (const auto& field : fields_) {
    if (find_invalid_utf8(field)) refuse("UTF-8 text", in_quotes(field));
    if (field.find('\0') != std::string::npos) refuse("text", "a NUL byte");
  }
  fill(fields_, event);
  return true;
}

std::vector<std::string> TableEventReader::list(const std::string& field) const {
  const auto value = nlohmann::json::parse(field, nullptr, false);
  if (!value.is_array() ||
      !std::all_of(value.begin(), value.end(), [](const auto& item) { return item.is_string(); })) {
    refuse("a JSON list of texts", in_quotes(field));
  }
  return value.get<std::vector<std::string>>();
}

void TextEventWriter::refuse(const Event& event, const std::string& why) const {
  throw UserError(
      fmt::format("{}: the event {} can't be written in this format: {}. Write it as native-events instead.",
                  file_.path().string(), in_quotes(event.text), why));
}

const std::vector<std::string>* values_of(const Event& event, std::string_view dimension) {
  const auto found = std::find_if(event.inferences.begin(), event.inferences.end(),
                                  [&](const Inference& inference) { return inference.dimension == dimension; });
  return found == event.inferences.end() ? nullptr : &found->values;
}

std::string json_list_of(const std::vector<std::string>& values) { return nlohmann::json(values).dump(); }

}  // namespace gumption
