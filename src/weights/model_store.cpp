#include "gumption/weights/model_store.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/base/files.h"
#include "gumption/base/options.h"
#include "gumption/data/catalogue.h"
#include "gumption/weights/checkpoint.h"
#include "gumption/weights/hub.h"
#include "gumption/weights/model_record.h"
#include "gumption/weights/model_sources.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

/// The folders in `folder` that aren't hidden, sorted.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::end(entry); entry.increment(error)) {
    std::error_code ignored;
    const bool hidden = entry->path().filename().string().starts_with(".");
    if (!hidden && entry->is_directory(ignored)) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool has_any(const fs::path& folder, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) {
    std::error_code ignored;
    return fs::exists(folder / name, ignored);
  });
}

std::string architecture_of(const fs::path& folder) {
  const fs::path path = folder / "config.json";
  if (!fs::is_regular_file(path)) return {};
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 24;
  const auto json = nlohmann::json::parse(read_all(*open_plain(path), kLargest), nullptr, false);
  if (!json.is_object()) return {};
  const auto classes = json.find("architectures");
  if (classes != json.end() && classes->is_array() && !classes->empty() && classes->front().is_string()) {
    return classes->front().get<std::string>();
  }
  const auto type = json.find("model_type");
  return type != json.end() && type->is_string() ? type->get<std::string>() : std::string();
}

std::optional<std::int64_t> parameters_of(const fs::path& folder) {
  try {
    std::int64_t sum = 0;
    for (const PartSize& part : count_parameters(open_checkpoint(folder))) sum += part.parameters;
    return sum;
  } catch (const UserError&) {
    return std::nullopt;  // a list is to show what is there, readable or not; `model info` says what is wrong
  }
}

std::uint64_t bytes_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

StoredModel describe_model(const std::string& name, const fs::path& folder) {
  StoredModel model;
  model.name = name;
  model.folder = folder;
  model.architecture = architecture_of(folder);
  model.parameters = parameters_of(folder);
  model.bytes = bytes_of(folder);
  if (const auto record = find_record(folder)) model.source = record->source;
  return model;
}

/// Names of everything stored, and of what can be pulled without the hub.
std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const fs::path& models : model_folders()) {
    for (const fs::path& folder : folders_in(models)) {
      const std::string name = folder.filename().string();
      if (is_model_folder(folder)) {
        names.push_back(name);
        continue;
      }
      for (const fs::path& inner : folders_in(folder)) names.push_back(name + "/" + inner.filename().string());
    }
  }
  for (const ModelPackage& package : model_packages()) {
    if (std::find(names.begin(), names.end(), package.name) == names.end()) names.push_back(package.name);
  }
  return names;
}

/// Something like a/../b must not lead out of the models' folder.
bool is_stored_name(const std::string& name) { return is_hub_name(name); }

}  // namespace

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders = data_folders();
  for (fs::path& folder : folders) folder /= "models";
  return folders;
}

bool is_model_folder(const fs::path& folder) {
  if (!has_any(folder, {"config.json"})) return false;
  return has_any(folder, {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                          "pytorch_model.bin.index.json"});
}

std::optional<fs::path> find_stored_model(const std::string& name) {
  if (!is_stored_name(name)) return std::nullopt;
  for (const fs::path& models : model_folders()) {
    if (is_model_folder(models / stored_name(name))) return models / stored_name(name);
  }
  return std::nullopt;
}

fs::path find_model(const std::string& folder_or_name) {
  std::error_code ignored;
  if (fs::is_directory(folder_or_name, ignored)) return folder_or_name;
  if (fs::exists(folder_or_name, ignored)) {
    throw UserError(
        fmt::format("{}: expected a model's folder, found a file. Name the folder that it lies in.", folder_or_name));
  }
  if (const auto stored = find_stored_model(folder_or_name)) return *stored;
  std::string looked_in;
  for (const fs::path& models : model_folders()) looked_in += (looked_in.empty() ? "" : ", ") + models.string();
  std::string advice;
  if (find_package(folder_or_name) == nullptr) advice = " " + suggest(folder_or_name, known_names());
  if (is_hub_name(folder_or_name)) advice += fmt::format(" `gumption model pull {}` fetches it.", folder_or_name);
  throw UserError(fmt::format("There is no folder and no model {} (looked in {}).{}", in_quotes(folder_or_name),
                              looked_in.empty() ? "no data folder" : looked_in, advice));
}

std::vector<StoredModel> list_models() {
  std::vector<StoredModel> all;
  for (const fs::path& models : model_folders()) {
    for (const fs::path& folder : folders_in(models)) {
      const std::string name = folder.filename().string();
      if (is_model_folder(folder)) {
        all.push_back(describe_model(name, folder));
        continue;
      }
      for (const fs::path& inner : folders_in(folder)) {
        if (is_model_folder(inner)) all.push_back(describe_model(name + "/" + inner.filename().string(), inner));
      }
    }
  }
  return all;
}

Workplace workplace_of(const fs::path& models, const std::string& name) {
  std::string flat = name;
  for (std::size_t at = 0; (at = flat.find('/', at)) != std::string::npos;) flat.replace(at, 1, "--");
  const fs::path hidden = models / ".pulling";
  return {hidden / flat, hidden / (flat + ".lock")};
}

fs::path remove_model(const std::string& name) {
  const std::string stored = stored_name(name);
  for (const fs::path& models : model_folders()) {
    const fs::path folder = models / stored;
    std::error_code ignored;
    if (!is_stored_name(name) || !fs::exists(folder, ignored)) continue;
    if (!is_model_folder(folder)) {
      throw UserError(
          fmt::format("{}: expected a model's folder (config.json and weights), found none. Nothing was "
                      "removed; remove it by hand.",
                      folder.string()));
    }
    const Workplace work = workplace_of(models, stored);
    fs::create_directories(work.folder);
    const FileLock lock(work.lock, folder);
    const fs::path away = work.folder / "removed";
    fs::remove_all(away);
    fs::rename(folder, away);
    // A link is removed, not what it leads to.
    fs::remove_all(work.folder);
    if (folder.parent_path() != models) fs::remove(folder.parent_path(), ignored);  // the owner's, where it is empty
    return folder;
  }
  std::vector<std::string> names;
  for (const StoredModel& model : list_models()) names.push_back(model.name);
  const std::string advice = names.empty() ? "None is stored." : suggest(name, names);
  throw UserError(fmt::format("There is no stored model {}. {}", in_quotes(name), advice));
}

void put_in_place(const fs::path& made, const fs::path& place) {
  for (const auto& entry : fs::recursive_directory_iterator(made)) sync_to_disk(entry.path());
  sync_to_disk(made);
  fs::create_directories(place.parent_path());
  if (!fs::exists(place)) {
    fs::rename(made, place);
  } else if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) != 0) {
    // Not every file system can exchange names: then there is a moment without the model, but never half of one.
    if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) {
      throw UserError(fmt::format("{}: can't be replaced: {}.", place.string(), system_message(errno)));
    }
    const fs::path old = made.string() + ".old";
    fs::rename(place, old);
    fs::rename(made, place);
    fs::rename(old, made);
  }
  sync_to_disk(place.parent_path());
}

}  // namespace gumption
