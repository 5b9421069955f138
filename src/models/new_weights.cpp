#include "gumption/models/new_weights.h"

#include <cmath>
#include <cstring>
#include <numbers>

#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/weights/float_conversion.h"
#include "gumption/weights/parameters.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

using Numbers = std::vector<float>;

std::string_view bytes_of(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

/// Appends normally distributed numbers (Box and Muller's way).
void draw_normal(std::int64_t count, double deviation, RandomStream& random, Numbers& numbers) {
  for (std::int64_t i = 0; i < count; ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    numbers.push_back(static_cast<float>(deviation * radius * std::cos(2 * std::numbers::pi * random.uniform())));
  }
}

bool is_norm(const std::string& name) {
  return name.find("LayerNorm.") != std::string::npos || name.find(".ln_") != std::string::npos;
}

Numbers draw(const Parameter& parameter, const ModelConfig& config, std::uint64_t seed) {
  std::int64_t count = 1;
  for (const std::int64_t extent : parameter.shape) count *= extent;
  if (parameter.shape.size() < 2) {
    const bool is_scale = is_norm(parameter.name) && parameter.name.ends_with(".weight");
    return Numbers(static_cast<std::size_t>(count), is_scale ? 1.0F : 0.0F);
  }
  RandomStream random(seed, parameter.name);
  Numbers numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  draw_normal(count, config.initializer_range, random, numbers);
  return numbers;
}

/// The heads of other tasks are made where they are wanted.
bool is_wanted(Part part) { return part != Part::kNextSentence && part != Part::kMultipleChoice; }

}  // namespace

Checkpoint random_checkpoint(const fs::path& folder, std::uint64_t seed) {
  Checkpoint checkpoint;
  checkpoint.folder = folder;
  checkpoint.format = "random";
  checkpoint.config = read_config(folder / "config.json");
  std::vector<StoredTensor> tensors;
  std::vector<std::shared_ptr<const void>> owners;
  for (const Parameter& parameter : parameters_of(checkpoint.config)) {
    if (!is_wanted(parameter.part)) continue;
    const auto numbers = std::make_shared<const Numbers>(draw(parameter, checkpoint.config, seed));
    tensors.push_back({parameter.name, ElementType::kFloat32, parameter.shape, bytes_of(*numbers)});
    owners.push_back(numbers);
  }
  checkpoint.tensors = std::make_shared<const TensorStore>(std::move(tensors), std::move(owners));
  checkpoint.backbone_complete = true;
  return checkpoint;
}

Checkpoint with_vocabulary(Checkpoint checkpoint, std::int64_t rows, std::uint64_t seed) {
  if (rows <= checkpoint.config.vocabulary) return checkpoint;
  if (!checkpoint.config.tied) {
    throw UserError(Complaint{checkpoint.folder.string(), 0, "an output matrix that is the embedding, to add tokens to",
                              "one of its own", "Take a checkpoint with room for _start_, _delimiter_ and _classify_"});
  }
  const std::string name = tied_names_of(checkpoint.config.architecture).embedding;
  const StoredTensor* stored = checkpoint.tensors->find(name);
  ensure(stored != nullptr && stored->shape.size() == 2, "a GPT has an embedding");
  const std::int64_t width = stored->shape[1];
  auto numbers = std::make_shared<Numbers>(static_cast<std::size_t>(element_count(*stored)));
  char* to = reinterpret_cast<char*>(numbers->data());
  convert_elements(stored->bytes, stored->type, ElementType::kFloat32, [&](std::string_view piece) {
    std::memcpy(to, piece.data(), piece.size());
    to += piece.size();
  });
  RandomStream random(seed, "added tokens");
  draw_normal((rows - stored->shape[0]) * width, checkpoint.config.initializer_range, random, *numbers);

  std::vector<StoredTensor> tensors;
  for (const StoredTensor& tensor : checkpoint.tensors->tensors()) {
    if (tensor.name != name) tensors.push_back(tensor);
  }
  tensors.push_back({name, ElementType::kFloat32, {rows, width}, bytes_of(*numbers)});
  checkpoint.tensors = std::make_shared<const TensorStore>(
      std::move(tensors), std::vector<std::shared_ptr<const void>>{checkpoint.tensors, numbers});
  checkpoint.config.vocabulary = rows;
  return checkpoint;
}

}  // namespace gumption
