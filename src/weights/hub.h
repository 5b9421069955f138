#pragma once

// The Hugging Face hub, or a server that speaks like it.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

struct HubOptions {
  std::string endpoint = "https://huggingface.co";
  std::string token;  // for gated and private models; never shown, and sent to the endpoint's own host only
  double connect_timeout_seconds = 8;
  unsigned attempts = 4;
  double first_wait_seconds = 1;
};

/// With the environment's HF_ENDPOINT and HF_TOKEN.
HubOptions hub_options();

/// Whether a name may stand on the hub: NAME or OWNER/NAME of letters, digits, "-", "_" and ".".
bool is_hub_name(std::string_view name);

struct HubFile {
  std::string name;
  std::uint64_t size = 0;  // 0: not known
  std::string sha256;      // of large files; empty: not known
  std::string git_blob;    // of small files; empty: not known
};

struct HubModel {
  std::string name;
  std::string revision;  // the commit where the hub tells it, else what was asked for
  std::string licence;   // empty: not known
  std::vector<HubFile> files;
};

/// The files of a model that gumption takes: config.json, the weights (safetensors before pytorch_model.bin, whole
/// before in shards) and the tokenizer's. SourceUnreached where nobody answers; UserError for a model or revision that
/// isn't there, that is gated, or that has no weights of these forms.
HubModel find_on_hub(const std::string& name, const std::string& revision, const HubOptions& options);

/// Fetches a model's files into a folder. Those that are there and right are kept, and parts are continued.
/// SourceUnreached where the server fails for good; UserError for a wrong size or sum.
void download_from_hub(const HubModel& model, const std::filesystem::path& folder, const HubOptions& options);

}  // namespace gumption
