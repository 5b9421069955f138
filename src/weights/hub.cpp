#include "gumption/weights/hub.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/download.h"
#include "gumption/base/error.h"
#include "gumption/base/http_query.h"
#include "gumption/base/options.h"
#include "gumption/weights/package_client.h"

namespace gumption {

namespace fs = std::filesystem;

HubOptions hub_options() {
  HubOptions options;
  const char* endpoint = std::getenv("HF_ENDPOINT");
  if (endpoint != nullptr && *endpoint != '\0') options.endpoint = endpoint;
  while (options.endpoint.ends_with('/')) options.endpoint.pop_back();
  const char* token = std::getenv("HF_TOKEN");
  if (token != nullptr) options.token = token;
  // A line end would let a token write headers of its own; most often it is a slip of `export HF_TOKEN=$(cat …)`.
  const bool printable =
      std::all_of(options.token.begin(), options.token.end(), [](char c) { return c > ' ' && c < 127; });
  if (!printable) throw UserError("HF_TOKEN: expected one word without spaces, found something else. Set it again.");
  return options;
}

bool is_hub_name(std::string_view name) {
  const auto parts = split_text(name, '/');
  constexpr std::size_t kLongest = 96;
  if (parts.size() > 2 || name.size() > 2 * kLongest) return false;
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    if (part.empty() || part.size() > kLongest || part.front() == '.' || part.front() == '-') return false;
    if (part.back() == '.' || part.back() == '-' || part.find("..") != part.npos || part.find("--") != part.npos) {
      return false;
    }
    return std::all_of(part.begin(), part.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
             c == '.';
    });
  });
}

namespace {

using Json = nlohmann::json;

constexpr std::array kTokenizerFiles = {
    "tokenizer.json",          "tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt",
    "special_tokens_map.json", "generation_config.json"};

/// Weights in the order of preference; an index names the shards.
struct WeightsForm {
  const char* file;
  bool is_index;
};
constexpr std::array kWeights = {
    WeightsForm{"model.safetensors", false}, WeightsForm{"model.safetensors.index.json", true},
    WeightsForm{"pytorch_model.bin", false}, WeightsForm{"pytorch_model.bin.index.json", true}};

bool is_hexadecimal(std::string_view text, std::size_t length) {
  return text.size() == length && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Keeps a revision such as "refs/pr/1" one part of the path.
std::string escaped_revision(const std::string& revision) {
  std::string escaped;
  for (const char c : revision) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    escaped += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

/// One model at one revision, seen through the hub's addresses.
class HubSession {
 public:
  HubSession(const std::string& name, const std::string& revision, const HubOptions& options)
      : name_(name), revision_(revision), options_(options) {}

  HubModel find() {
    HubModel model;
    model.name = name_;
    model.revision = revision_;
    if (!ask_api(model)) listing_.reset();
    add_if_there("config.json", model);
    if (model.files.empty()) {
      throw UserError(
          fmt::format("{}: the hub has no config.json for it at revision {}. Only models of the "
                      "transformers kind are read.",
                      shown(), in_quotes(revision_)));
    }
    add_weights(model);
    for (const char* file : kTokenizerFiles) add_if_there(file, model);
    return model;
  }

 private:
  std::string shown() const { return fmt::format("{}/{}", without_user(options_.endpoint), name_); }

  HttpQuery query_for(const std::string& url) const {
    HttpQuery query;
    query.url = url;
    query.token = options_.token;
    query.connect_timeout_seconds = options_.connect_timeout_seconds;
    query.attempts = options_.attempts;
    query.first_wait_seconds = options_.first_wait_seconds;
    return query;
  }

  std::string address_of(const std::string& file, const std::string& revision) const {
    return fmt::format("{}/{}/resolve/{}/{}", options_.endpoint, name_, escaped_revision(revision), file);
  }

  HttpAnswer ask(const HttpQuery& query) const {
    try {
      return ask_http(query);
    } catch (const DownloadError& error) {
      throw SourceUnreached(error.what());
    }
  }

  /// UserError for what the hub says about a model as a whole.
  void refuse_if_told(const HttpAnswer& answer) const {
    const auto found = answer.headers.find("x-error-code");
    const std::string code = found == answer.headers.end() ? "" : found->second;
    const bool closed = answer.status == 401 || answer.status == 403;
    if (code == "RevisionNotFound") {
      throw UserError(
          fmt::format("{}: the hub has no revision {} of it. Leave --revision out, or name a branch, tag "
                      "or commit.",
                      shown(), in_quotes(revision_)));
    }
    if (code == "GatedRepo" || (answer.status == 403 && code.empty())) {
      throw UserError(fmt::format("{}: is gated: its owners ask for terms to be accepted. Accept them on its page, {}.",
                                  shown(),
                                  options_.token.empty() ? "make an access token there and set HF_TOKEN to it"
                                                         : "with the account whose token HF_TOKEN holds"));
    }
    if (code == "RepoNotFound" || closed) {
      throw UserError(fmt::format("{}: the hub has no such model, or it is private. Check the name{}.", shown(),
                                  options_.token.empty() ? ", or set HF_TOKEN to a token that may read it"
                                                         : " and what the token in HF_TOKEN may read"));
    }
  }

  /// Fills listing_ from the hub's API; false where this server has none.
  bool ask_api(HubModel& model) {
    const HttpAnswer answer = ask(query_for(
        fmt::format("{}/api/models/{}/revision/{}?blobs=true", options_.endpoint, name_, escaped_revision(revision_))));
    refuse_if_told(answer);
    if (answer.status != 200) return false;
    const Json json = Json::parse(answer.body, nullptr, false);
    if (!json.is_object() || !json.contains("siblings") || !json["siblings"].is_array()) return false;
    listing_.emplace();
    for (const Json& sibling : json["siblings"]) take_sibling(sibling);
    const auto sha = json.find("sha");
    if (sha != json.end() && sha->is_string() && is_hexadecimal(sha->get<std::string>(), 40)) {
      model.revision = revision_ = sha->get<std::string>();
    }
    const auto card = json.find("cardData");
    if (card != json.end() && card->is_object() && card->contains("license") && (*card)["license"].is_string()) {
      model.licence = (*card)["license"].get<std::string>();
    }
    return true;
  }

  void take_sibling(const Json& sibling) {
    if (!sibling.is_object() || !sibling.contains("rfilename") || !sibling["rfilename"].is_string()) return;
    HubFile file;
    file.name = sibling["rfilename"].get<std::string>();
    if (sibling.contains("size") && sibling["size"].is_number_unsigned()) file.size = sibling["size"];
    const auto lfs = sibling.find("lfs");
    if (lfs != sibling.end() && lfs->is_object()) {
      if (lfs->contains("sha256") && (*lfs)["sha256"].is_string()) file.sha256 = (*lfs)["sha256"];
      if (lfs->contains("size") && (*lfs)["size"].is_number_unsigned()) file.size = (*lfs)["size"];
      if (!is_hexadecimal(file.sha256, 64)) file.sha256.clear();
    } else if (sibling.contains("blobId") && sibling["blobId"].is_string()) {
      file.git_blob = sibling["blobId"];
      if (!is_hexadecimal(file.git_blob, 40)) file.git_blob.clear();
    }
    listing_->insert_or_assign(file.name, std::move(file));
  }

  bool add_if_there(const std::string& file, HubModel& model) {
    std::optional<HubFile> found;
    if (listing_) {
      const auto listed = listing_->find(file);
      if (listed != listing_->end()) found = listed->second;
    } else {
      found = ask_for_head(file, model);
    }
    if (!found) return false;
    model.files.push_back(*found);
    return true;
  }

  /// What a file's own address tells about it, at the hub and not where a redirect would lead: only the hub knows the
  /// sum. Empty where there is no such file.
  std::optional<HubFile> ask_for_head(const std::string& file, HubModel& model) {
    std::string url = address_of(file, revision_);
    constexpr int kMostMoves = 5;
    for (int moves = 0; moves < kMostMoves; ++moves) {
      HttpQuery query = query_for(url);
      query.head_only = true;
      query.follow_redirects = false;
      const HttpAnswer answer = ask(query);
      if (answer.status == 404 && answer.headers.count("x-error-code") == 0) return std::nullopt;
      const bool missing = answer.status == 404 && answer.headers.at("x-error-code") == "EntryNotFound";
      if (missing) return std::nullopt;
      refuse_if_told(answer);
      if (answer.status >= 400) {
        throw SourceUnreached(fmt::format("{}: the server answered {}.", without_user(url), answer.status));
      }
      const auto location = answer.headers.find("location");
      const bool moved = answer.status >= 300 && location != answer.headers.end() &&
                         location->second.starts_with("/") && answer.headers.count("x-linked-etag") == 0;
      if (!moved) return from_headers(file, answer, model);
      url = options_.endpoint + location->second;
    }
    throw SourceUnreached(fmt::format("{}: the server sends us round in a circle.", shown()));
  }

  HubFile from_headers(const std::string& name, const HttpAnswer& answer, HubModel& model) {
    const auto header = [&](const char* key) {
      const auto found = answer.headers.find(key);
      return found == answer.headers.end() ? std::string() : found->second;
    };
    const auto unquoted = [](std::string tag) {
      if (tag.starts_with("W/")) tag.erase(0, 2);
      std::erase(tag, '"');
      return tag;
    };
    HubFile file;
    file.name = name;
    const bool is_linked = answer.headers.count("x-linked-etag") != 0;
    const std::string tag = unquoted(header(is_linked ? "x-linked-etag" : "etag"));
    if (is_hexadecimal(tag, 64)) file.sha256 = tag;
    if (is_hexadecimal(tag, 40)) file.git_blob = tag;
    const auto size = parse_integer(header(is_linked ? "x-linked-size" : "content-length"));
    const bool is_the_files = is_linked || answer.status == 200;  // a redirect's length is its own
    if (size && *size > 0 && is_the_files) file.size = static_cast<std::uint64_t>(*size);
    const std::string commit = header("x-repo-commit");
    if (is_hexadecimal(commit, 40)) model.revision = revision_ = commit;
    return file;
  }

  void add_weights(HubModel& model) {
    for (const WeightsForm& form : kWeights) {
      if (!add_if_there(form.file, model)) continue;
      if (!form.is_index) return;
      for (const std::string& shard : shards_in(form.file)) {
        if (add_if_there(shard, model)) continue;
        throw UserError(fmt::format("{}: {} names {}, which the hub doesn't have.", shown(), form.file, shard));
      }
      return;
    }
    throw UserError(
        fmt::format("{}: the hub has neither model.safetensors nor pytorch_model.bin for it, whole or in "
                    "shards. Other forms of weights are not read.",
                    shown()));
  }

  std::set<std::string> shards_in(const std::string& index) {
    const HttpAnswer answer = ask(query_for(address_of(index, revision_)));
    if (answer.status != 200) {
      throw SourceUnreached(fmt::format("{}: the server answered {} for {}.", shown(), answer.status, index));
    }
    const Json json = Json::parse(answer.body, nullptr, false);
    std::set<std::string> shards;
    if (json.is_object() && json.contains("weight_map") && json["weight_map"].is_object()) {
      for (const auto& [tensor, file] : json["weight_map"].items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : "";
        const bool plain = name.find('/') == name.npos && is_hub_name(name) &&
                           (name.ends_with(".safetensors") || name.ends_with(".bin"));
        if (!plain) {
          throw UserError(fmt::format("{}: {} names {} as the file of {}, expected a plain file name.", shown(), index,
                                      in_quotes(name), in_quotes(tensor)));
        }
        shards.insert(name);
      }
    }
    if (shards.empty()) throw UserError(fmt::format("{}: {} names no weights.", shown(), index));
    return shards;
  }

  std::string name_;
  std::string revision_;
  const HubOptions& options_;
  std::optional<std::map<std::string, HubFile>> listing_;
};

}  // namespace

HubModel find_on_hub(const std::string& name, const std::string& revision, const HubOptions& options) {
  ensure(is_hub_name(name), "a name that may stand on the hub");
  return HubSession(name, revision, options).find();
}

namespace {

/// Whether an earlier attempt brought this very file. A wrong one is removed: where the hub names no commit, the model
/// may have changed since.
bool is_there(const DownloadRequest& request) {
  if (!fs::exists(request.to)) return false;
  try {
    check_download(request, request.to);
    return true;
  } catch (const UserError&) {
    fs::remove(request.to);
    return false;
  }
}

}  // namespace

void download_from_hub(const HubModel& model, const fs::path& folder, const HubOptions& options) {
  for (const HubFile& file : model.files) {
    DownloadRequest request;
    request.url =
        fmt::format("{}/{}/resolve/{}/{}", options.endpoint, model.name, escaped_revision(model.revision), file.name);
    request.to = folder / file.name;
    request.size = file.size;
    request.sha256 = file.sha256;
    request.git_blob = file.git_blob;
    request.token = options.token;
    request.connect_timeout_seconds = options.connect_timeout_seconds;
    request.attempts = options.attempts;
    request.first_wait_seconds = options.first_wait_seconds;
    try {
      if (!is_there(request)) download(request);
    } catch (const DownloadError& error) {
      throw SourceUnreached(error.what());
    }
  }
}

}  // namespace gumption
