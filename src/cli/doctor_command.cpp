#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/build_info.h"
#include "gumption/base/thread_pool.h"
#include "gumption/data/catalogue.h"
#include "gumption/systems/model_systems.h"
#include "gumption/weights/model_store.h"

#include "cli/command.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

nlohmann::ordered_json engine_json() {
  if (model_factory() == nullptr) return nullptr;
  const EngineReport report = model_factory()->engine_report();
  nlohmann::ordered_json json;
  json["libtorch"] = report.libtorch;
  json["blas"] = report.blas;
  json["gpu"] = report.gpu;
  json["gpu_is_usable"] = report.gpu_is_usable;
  json["bfloat16_is_fast"] = report.bfloat16_is_fast;
  return json;
}

void print_engine(const nlohmann::ordered_json& engine) {
  if (engine.is_null()) return;
  fmt::print("LibTorch: {}, matrices by {}, bfloat16 {}\n", engine["libtorch"].get<std::string>(),
             engine["blas"].get<std::string>(),
             engine["bfloat16_is_fast"].get<bool>() ? "native" : "emulated: float32 is faster");
  fmt::print("GPU: {}\n", engine["gpu"].get<std::string>());
}

int run(const CommonOptions& common) {
  const BuildInfo& info = build_info();
  nlohmann::ordered_json json;
  json["version"] = info.version;
  json["build_type"] = info.build_type;
  json["compiler"] = info.compiler;
  for (const Feature& feature : info.features) json["features"][feature.name] = feature.built_in;
  json["cores"] = usable_cores();
  json["engine"] = engine_json();
  json["data_folders"] = nlohmann::ordered_json::array();
  for (const auto& folder : data_folders()) json["data_folders"].push_back(folder.string());
  json["benchmarks"] = nlohmann::ordered_json::object();
  for (const Benchmark& benchmark : benchmarks()) {
    for (const auto& folder : find_benchmark(benchmark.name))
      json["benchmarks"][benchmark.name].push_back(folder.string());
  }
  json["models"] = nlohmann::ordered_json::object();
  for (const StoredModel& model : list_models()) json["models"].emplace(model.name, model.folder.string());
  if (common.json) {
    print_json(json);
    return 0;
  }
  fmt::print("gumption {} ({}, {})\n", info.version, info.build_type, info.compiler);
  for (const Feature& feature : info.features) fmt::print("  {} {}\n", feature.built_in ? "✓" : "–", feature.what);
  fmt::print("cores: {}\n", usable_cores());
  print_engine(json["engine"]);
  for (const auto& folder : data_folders()) {
    fmt::print("data folder: {}{}\n", folder.string(), std::filesystem::exists(folder) ? "" : " (not there yet)");
  }
  for (const auto& [name, folders] : json["benchmarks"].items()) {
    fmt::print("  {}: {}\n", name, folders.front().get<std::string>());
  }
  if (json["benchmarks"].empty()) fmt::print("  no benchmark found; `gumption data pull NAME` fetches one\n");
  for (const auto& [name, folder] : json["models"].items()) {
    fmt::print("  model {}: {}\n", name, folder.get<std::string>());
  }
  if (json["models"].empty()) fmt::print("  no model found; `gumption model pull NAME` fetches one\n");
  return 0;
}

}  // namespace

Command doctor_command() {
  Command command;
  command.name = "doctor";
  command.about = "Say what is built in and what is found on this machine";
  command.examples = {"gumption doctor"};
  command.needs_engine = [] { return has_feature("libtorch"); };
  command.run = run;
  return command;
}

}  // namespace gumption::cli
