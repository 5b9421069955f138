#pragma once

// Checkpoints with weights that no file has.

#include <cstdint>
#include <filesystem>

#include "gumption/weights/checkpoint.h"

namespace gumption {

/// A model of the shape that a folder's config.json gives, with weights drawn as the originals draw them. UserError
/// without such a file.
Checkpoint random_checkpoint(const std::filesystem::path& folder, std::uint64_t seed);

/// The checkpoint of a GPT with an embedding of at least `rows` tokens: new ones are drawn.
Checkpoint with_vocabulary(Checkpoint checkpoint, std::int64_t rows, std::uint64_t seed);

}  // namespace gumption
