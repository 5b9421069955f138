#include "gumption/train/run_folder.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

fs::path record_in(const fs::path& folder) { return folder / "training" / "run.json"; }

/// Whether a folder holds nothing, or nothing but what a run has left that saved nothing: its model and its state would
/// be files of other names. A log without the record of a run is somebody else's.
bool is_unused(const fs::path& folder) {
  constexpr std::array<std::string_view, 4> kNames = {"training", "training/lock", "training/run.json", "log.jsonl"};
  std::error_code none;
  if (!fs::is_directory(folder, none)) return false;
  if (fs::exists(folder / "log.jsonl", none) && !fs::is_regular_file(record_in(folder), none)) return false;
  for (const auto& entry : fs::recursive_directory_iterator(folder, none)) {
    const std::string inside = entry.path().lexically_relative(folder).generic_string();
    if (std::find(kNames.begin(), kNames.end(), inside) == kNames.end()) return false;
  }
  return true;
}

nlohmann::ordered_json to_json(const std::vector<RunSetting>& settings) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const RunSetting& setting : settings) json[setting.name] = setting.value;
  return json;
}

/// UserError that names the first setting in which a run differs from the one that a folder belongs to.
void require_same(const nlohmann::ordered_json& before, const std::vector<RunSetting>& settings,
                  const std::string& file, bool unused) {
  for (const RunSetting& setting : settings) {
    const auto found = before.find(setting.name);
    const std::string was = found == before.end() || !found->is_string() ? "" : found->get<std::string>();
    if (was == setting.value) continue;
    throw UserError(Complaint{file, 0, fmt::format("{} = {}, as the run was begun with", setting.name, in_quotes(was)),
                              fmt::format("{} = {}", setting.name, in_quotes(setting.value)),
                              unused ? "Nothing was saved: leave --resume out to begin anew"
                                     : "Resume with the same settings, or train into another --out"});
  }
}

}  // namespace

void require_usable(const fs::path& folder, bool resume) {
  std::error_code none;
  if (!fs::exists(folder, none) || is_unused(folder)) return;
  const bool is_run = fs::is_regular_file(record_in(folder), none);
  if (is_run && !resume) {
    throw UserError(
        fmt::format("{}: a run is there already. Go on with it by --resume, or name another --out.", folder.string()));
  }
  if (!is_run) {
    throw UserError(Complaint{folder.string(), 0, resume ? "the folder of a run" : "a folder that isn't there yet",
                              "something else", "Name another --out"});
  }
}

RunFolder::RunFolder(fs::path folder, const std::vector<RunSetting>& settings, bool resume)
    : folder_(std::move(folder)) {
  require_usable(folder_, resume);
  std::error_code none;
  fs::create_directories(folder_ / "training", none);
  if (none) throw UserError(fmt::format("{}: can't make the folder: {}.", folder_.string(), none.message()));
  lock_ = std::make_unique<FileLock>(folder_ / "training" / "lock", folder_);
  if (fs::is_regular_file(record_in(folder_), none) && (resume || !is_unused(folder_))) {
    reopen(settings);
  } else {
    create(settings);
  }
}

void RunFolder::create(const std::vector<RunSetting>& settings) {
  nlohmann::ordered_json json;
  json["settings"] = to_json(settings);
  write_file(record_in(folder_), json.dump(2) + "\n");
}

void RunFolder::reopen(const std::vector<RunSetting>& settings) {
  const MappedFile file(record_in(folder_));
  const auto json = nlohmann::ordered_json::parse(file.bytes(), nullptr, false);
  if (json.is_discarded() || !json.contains("settings") || !json["settings"].is_object()) {
    throw UserError(
        Complaint{record_in(folder_).string(), 0, "the record of a run", "damaged JSON", "Train into another --out"});
  }
  require_same(json["settings"], settings, record_in(folder_).string(), is_unused(folder_));
  finished_ = json.contains("result");
  std::error_code none;
  if (finished_) fs::remove(state_file(), none);  // a kill may have come before that
}

bool RunFolder::has_state() const {
  std::error_code none;
  return fs::is_regular_file(state_file(), none);
}

void RunFolder::open_log(std::uint64_t step) {
  const fs::path path = folder_ / "log.jsonl";
  std::string kept;
  std::ifstream before(path);
  for (std::string line; std::getline(before, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.contains("step") || json["step"] > step) break;
    kept += line + "\n";
  }
  before.close();
  write_file(path, kept);
  log_.open(path, std::ios::app);
  if (!log_) throw UserError(fmt::format("{}: can't be written to.", path.string()));
}

void RunFolder::log(const std::string& line) { log_ << line << '\n'; }

void RunFolder::flush_log() {
  log_.flush();
  if (!log_) {
    throw UserError(
        fmt::format("{}: can't be written to. Is the disk full? --resume goes on from the last saved state.",
                    (folder_ / "log.jsonl").string()));
  }
}

void RunFolder::finish(const std::string& result_json) {
  const MappedFile file(record_in(folder_));
  auto json = nlohmann::ordered_json::parse(file.bytes());
  json["result"] = nlohmann::ordered_json::parse(result_json);
  write_file(record_in(folder_), json.dump(2) + "\n");
  finished_ = true;
  std::error_code none;
  fs::remove(state_file(), none);
}

}  // namespace gumption
