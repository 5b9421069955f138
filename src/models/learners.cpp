#include "gumption/models/learners.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gumption {

namespace {

ParameterStore::Stretch head_bias(std::string_view head) { return {fmt::format("{}.bias", head), 0, 1}; }

}  // namespace

std::vector<ParameterStore::Stretch> BertLearner::without_effect() const {
  std::vector<ParameterStore::Stretch> all;
  for (std::int64_t i = 0; i < bert_.config().layers; ++i) {
    std::string name = fmt::format("bert.encoder.layer.{}.attention.self.key.bias", i);
    all.push_back({std::move(name), 0, bert_.config().hidden});
  }
  if (chooses_) all.push_back(head_bias("classifier"));
  return all;
}

std::vector<ParameterStore::Stretch> GptLearner::without_effect() const {
  std::vector<ParameterStore::Stretch> all;
  const std::int64_t hidden = gpt_.config().hidden;
  for (std::int64_t i = 0; i < gpt_.config().layers; ++i) {
    std::string name = fmt::format("transformer.h.{}.attn.c_attn.bias", i);
    all.push_back({std::move(name), hidden, hidden});  // the keys'
  }
  if (chooses_) all.push_back(head_bias("multiple_choice_head.summary"));
  return all;
}

}  // namespace gumption
