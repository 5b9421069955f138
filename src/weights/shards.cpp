#include "gumption/weights/shards.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/base/files.h"

namespace gumption {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// Tensor → file.
std::map<std::string, std::string> read_weight_map(const fs::path& index) {
  const MappedFile file(index);
  const json document = json::parse(file.bytes(), nullptr, false);
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw UserError(Complaint{index.string(), 0, expected, found, "Fetch the file again"});
  };
  if (!document.is_object() || !document.contains("weight_map") || !document["weight_map"].is_object()) {
    refuse("a JSON object with \"weight_map\"", in_quotes(file.bytes()));
  }
  std::map<std::string, std::string> files;
  for (const auto& [tensor, name] : document["weight_map"].items()) {
    // A path would let an index read anything on the machine.
    const bool plain = name.is_string() && !name.get_ref<const std::string&>().empty() &&
                       fs::path(name.get_ref<const std::string&>()).filename() == name.get_ref<const std::string&>();
    if (!plain || name == ".." || name == ".") {
      refuse(fmt::format("the name of a file beside it for tensor {}", in_quotes(tensor)),
             in_quotes(name.dump(-1, ' ', false, json::error_handler_t::replace)));
    }
    files[tensor] = name.get<std::string>();
  }
  return files;
}

}  // namespace

std::shared_ptr<const TensorStore> open_shards(
    const fs::path& index, const std::function<std::shared_ptr<const TensorStore>(const fs::path&)>& open) {
  const auto files = read_weight_map(index);
  std::map<std::string, std::shared_ptr<const TensorStore>> shards;
  std::map<std::string, std::string> holders;
  std::vector<StoredTensor> tensors;
  std::vector<std::shared_ptr<const void>> owners;
  for (const auto& [tensor, name] : files) {
    auto& shard = shards[name];
    if (shard == nullptr) {
      shard = open(index.parent_path() / name);
      owners.push_back(shard);
      for (const StoredTensor& stored : shard->tensors()) {
        const auto [holder, is_new] = holders.emplace(stored.name, name);
        if (!is_new) {
          throw UserError(fmt::format("{}: tensor {} stands in {} and in {}.", index.string(), in_quotes(stored.name),
                                      holder->second, name));
        }
        tensors.push_back(stored);
      }
    }
    if (shard->find(tensor) == nullptr) {
      throw UserError(Complaint{(index.parent_path() / name).string(), 0,
                                fmt::format("tensor {}, as {} says", in_quotes(tensor), index.filename().string()),
                                "no such tensor", "Fetch the files again"});
    }
  }
  return std::make_shared<TensorStore>(std::move(tensors), std::move(owners));
}

}  // namespace gumption
