#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "gumption/base/files.h"
#include "gumption/weights/convert.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

using Json = nlohmann::ordered_json;

Json provenance_of(const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto path = folder / "gumption.json";
  if (!std::filesystem::is_regular_file(path, ignored)) return nullptr;
  const MappedFile file(path);
  return Json::parse(file.bytes(), nullptr, false);
}

Json heads_of(const Checkpoint& checkpoint) {
  const HeadsFound& heads = checkpoint.heads;
  if (checkpoint.config.architecture != Architecture::kBert) {
    return {{"language_model", heads.language_model}, {"multiple_choice", heads.multiple_choice}};
  }
  return {{"pooler", heads.pooler},
          {"masked_lm", heads.masked_lm},
          {"next_sentence", heads.next_sentence},
          {"multiple_choice", heads.multiple_choice}};
}

Json tokenizer_of(const TokenizerFit& fit) {
  if (!fit.found) return nullptr;
  Json json;
  json["kind"] = fit.kind;
  json["entries"] = fit.entries;
  json["fits"] = fit.fits;
  if (!fit.problem.empty()) json["problem"] = fit.problem;
  return json;
}

Json described(const Checkpoint& checkpoint, const TokenizerFit& fit) {
  const ModelConfig& config = checkpoint.config;
  Json json;
  json["folder"] = checkpoint.folder.string();
  json["architecture"] = name_of(config.architecture);
  json["format"] = checkpoint.format;
  json["precision"] = name_of(precision_of(checkpoint));
  json["layers"] = config.layers;
  json["hidden"] = config.hidden;
  json["heads_per_layer"] = config.heads;
  json["inner"] = config.inner;
  json["vocabulary"] = config.vocabulary;
  json["positions"] = config.positions;
  if (config.architecture == Architecture::kBert) json["token_types"] = config.token_types;
  json["activation"] = name_of(config.activation);
  std::int64_t total = 0;
  for (const PartSize& part : count_parameters(checkpoint)) {
    json["parts"][part.part] = part.parameters;
    total += part.parameters;
  }
  json["parameters"] = total;
  json["heads"] = heads_of(checkpoint);
  json["missing"] = checkpoint.missing;
  json["left_over"] = checkpoint.left_over;
  json["notes"] = checkpoint.notes;
  json["tokenizer"] = tokenizer_of(fit);
  json["provenance"] = provenance_of(checkpoint.folder);
  return json;
}

std::string names_where(const Json& heads, bool present) {
  std::string names;
  for (const auto& [name, found] : heads.items()) {
    if (found.get<bool>() == present) names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "none" : names;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  if (names.empty()) return "nothing";
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > kShown ? fmt::format(" and {} more (--json has all)", names.size() - kShown) : "");
}

std::string tokenizer_line(const TokenizerFit& fit, const ModelConfig& config) {
  if (!fit.found) return "none in the folder";
  if (!fit.problem.empty()) return fit.problem;
  const auto rows = static_cast<std::size_t>(config.vocabulary);
  const std::string agreement = fit.entries == rows
                                    ? "as many as the model has rows"
                                    : fmt::format("the model has {} rows more", with_commas(rows - fit.entries));
  return fmt::format("{}, {} entries, {}", fit.kind, with_commas(fit.entries), agreement);
}

void print(const Checkpoint& checkpoint, const TokenizerFit& fit, const Json& json) {
  const ModelConfig& config = checkpoint.config;
  Table table({});
  table.left_aligned();
  table.add({"model", fmt::format("{}, {} layers of {}, {} heads", name_of(config.architecture), config.layers,
                                  config.hidden, config.heads)});
  table.add({"stored as", fmt::format("{}, {}", checkpoint.format, name_of(precision_of(checkpoint)))});
  table.add({"vocabulary", with_commas(static_cast<std::size_t>(config.vocabulary))});
  table.add({"positions", with_commas(static_cast<std::size_t>(config.positions))});
  table.add({"parameters", with_commas(json["parameters"].get<std::size_t>())});
  for (const PartSize& part : count_parameters(checkpoint)) {
    table.add({"  " + part.part, with_commas(static_cast<std::size_t>(part.parameters))});
  }
  table.add({"heads there", names_where(json["heads"], true)});
  table.add({"heads absent", names_where(json["heads"], false)});
  table.add({"missing", listed(checkpoint.missing)});
  table.add({"left over", listed(checkpoint.left_over)});
  table.add({"tokenizer", tokenizer_line(fit, config)});
  if (json["provenance"].is_object()) {
    for (const auto& [key, value] : json["provenance"].items()) {
      table.add({key, value.is_string() ? value.get<std::string>()
                                        : value.dump(-1, ' ', false, Json::error_handler_t::replace)});
    }
  }
  table.print();
}

int run(const std::string& folder, const CommonOptions& common) {
  const Checkpoint checkpoint = open_checkpoint(folder);
  const TokenizerFit fit = check_tokenizer(checkpoint);
  const Json json = described(checkpoint, fit);
  if (common.json) {
    print_json(json);
    return 0;
  }
  print(checkpoint, fit, json);
  for (const std::string& note : checkpoint.notes) print_note(common, note);
  return 0;
}

}  // namespace

Command model_info_command() {
  auto folders = std::make_shared<std::vector<std::string>>();
  Command command;
  command.name = "info";
  command.about = "Say what a model is, which parts it has, and what is missing or left over";
  command.examples = {"gumption model info bert-base-uncased/", "gumption model info bert-base-uncased/ --json"};
  command.operands = {{"DIR", "The folder of a model", folders.get()}};
  command.run = [folders](const CommonOptions& common) { return run(folders->front(), common); };
  return command;
}

}  // namespace gumption::cli
