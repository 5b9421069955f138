#pragma once

#include <filesystem>
#include <fstream>

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include "gumption/nn/parameter_source.h"
#include "gumption/weights/checkpoint.h"

namespace gumption::test {

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

inline std::vector<std::int32_t> ids_of(const nlohmann::json& list) { return list.get<std::vector<std::int32_t>>(); }

/// The largest difference between two tensors.
inline double distance(const at::Tensor& a, const at::Tensor& b) { return (a - b).abs().max().item<double>(); }

}  // namespace gumption::test
