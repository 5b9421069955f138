#include "gumption/weights/model_record.h"

#include <ctime>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/weights/json_text.h"

namespace gumption {

namespace {

struct Field {
  const char* key;
  std::string ModelRecord::*value;
};

constexpr Field kFields[] = {
    {"name", &ModelRecord::name},       {"source", &ModelRecord::source},   {"package", &ModelRecord::package},
    {"version", &ModelRecord::version}, {"address", &ModelRecord::address}, {"sha256", &ModelRecord::sha256},
    {"licence", &ModelRecord::licence}, {"date", &ModelRecord::date},       {"input", &ModelRecord::input}};

}  // namespace

std::string to_json_text(const ModelRecord& record) {
  nlohmann::ordered_json json;
  for (const Field& field : kFields) {
    if (!(record.*field.value).empty()) json[field.key] = record.*field.value;
  }
  return json.dump(2) + "\n";
}

std::optional<ModelRecord> find_record(const std::filesystem::path& folder) {
  const auto path = folder / "gumption.json";
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 20;
  const auto json = parse_json(read_all(*open_plain(path), kLargest));
  if (!json.is_object()) return std::nullopt;
  ModelRecord record;
  for (const Field& field : kFields) {
    const auto found = json.find(field.key);
    if (found != json.end() && found->is_string()) record.*field.value = found->get<std::string>();
  }
  // What `model convert` made of a folder without a record.
  const auto source = json.find("source");
  if (source != json.end() && source->is_object()) record.source = "folder:" + source->value("folder", std::string());
  return record;
}

std::string date_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace gumption
