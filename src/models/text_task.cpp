#include "gumption/models/text_task.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <c10/core/GradMode.h>

#include "gumption/base/error.h"
#include "gumption/base/files.h"
#include "gumption/base/line_reader.h"
#include "gumption/base/progress.h"
#include "gumption/base/random.h"
#include "gumption/models/batching.h"

namespace gumption {

namespace {

std::vector<TokenId> read_tokens(const std::string& file, const Tokenizer& tokenizer) {
  LineReader lines(open_input(file));
  Progress progress("reading " + file, "B", lines.source().raw_size());
  TextEncoder encode(tokenizer);
  std::vector<TokenId> tokens;
  for (std::string_view line; lines.next(line);) {
    const std::vector<TokenId> own = encode(std::string(line) + "\n");
    tokens.insert(tokens.end(), own.begin(), own.end());
    progress.set(lines.source().raw_position());
  }
  return tokens;
}

void cut_into(const std::vector<TokenId>& tokens, std::int64_t length, TokenBlocks& blocks) {
  const auto step = static_cast<std::size_t>(length);
  for (std::size_t at = 0; at < tokens.size(); at += step) {
    const std::size_t count = std::min(step, tokens.size() - at);
    if (count < static_cast<std::size_t>(kShortestBlock)) return;
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    blocks.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
}

}  // namespace

TokenBlocks read_blocks(const std::vector<std::string>& files, const Tokenizer& tokenizer, std::int64_t length,
                        TokenId between) {
  TokenBlocks blocks;
  std::vector<TokenId> tokens;
  for (const std::string& file : files) {
    const std::vector<TokenId> own = read_tokens(file, tokenizer);
    if (between >= 0 && !tokens.empty()) tokens.push_back(between);
    tokens.insert(tokens.end(), own.begin(), own.end());
  }
  cut_into(tokens, length, blocks);
  return blocks;
}

TextTask::TextTask(TokenBlocks train, TokenBlocks dev, const TextTaskOptions& options, const Learner& learner,
                   ProcessGroup& group)
    : train_(std::move(train)), dev_(std::move(dev)), options_(options), learner_(learner), group_(group) {}

std::int64_t TextTask::tokens_of(std::size_t example) const {
  return static_cast<std::int64_t>(train_[example].size()) + (options_.masked ? 2 : 0);
}

void TextTask::add(std::size_t example, const ExampleDraw& draw, TrainingBatch& batch) const {
  add_block(train_[example], draw, batch);
}

void TextTask::add_block(const std::vector<TokenId>& block, const ExampleDraw& draw, TrainingBatch& batch) const {
  if (options_.masked) {
    add_masked(block, draw, batch);
  } else {
    add_causal(block, draw, batch);
  }
}

void TextTask::add_masked(const std::vector<TokenId>& block, const ExampleDraw& draw, TrainingBatch& batch) const {
  RandomStream random(draw.key, "masks");
  std::vector<std::size_t> order(block.size());
  std::iota(order.begin(), order.end(), std::size_t{1});  // behind [CLS]
  shuffle(order, random);
  const auto share = options_.mask_share * static_cast<double>(block.size());
  order.resize(std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(share)), 1, block.size()));

  std::vector<TokenId> ids = {options_.special.cls};
  ids.insert(ids.end(), block.begin(), block.end());
  ids.push_back(options_.special.sep);
  const std::int64_t begin = batch.tokens.layout.tokens();
  const float weight = draw.weight / static_cast<float>(order.size());
  for (const std::size_t place : order) {
    batch.word_rows.push_back(begin + static_cast<std::int64_t>(place));
    batch.words.push_back(ids[place]);
    batch.word_weights.push_back(weight);
    // As the original has it: mostly a mask, sometimes another word, sometimes the word itself.
    const std::uint64_t kind = random.below(10);
    if (kind < 8) {
      ids[place] = options_.special.mask;
    } else if (kind == 8) {
      ids[place] = static_cast<TokenId>(random.below(static_cast<std::uint64_t>(options_.vocabulary)));
    }
  }
  batch.add(ids, std::vector<TokenId>(ids.size(), 0), -1, draw.key);
}

void TextTask::add_causal(const std::vector<TokenId>& block, const ExampleDraw& draw, TrainingBatch& batch) const {
  const std::int64_t begin = batch.tokens.layout.tokens();
  const float weight = draw.weight / static_cast<float>(block.size() - 1);
  for (std::size_t i = 1; i < block.size(); ++i) {
    batch.word_rows.push_back(begin + static_cast<std::int64_t>(i) - 1);
    batch.words.push_back(block[i]);
    batch.word_weights.push_back(weight);
  }
  batch.add(block, {}, -1, draw.key);
}

std::optional<double> TextTask::evaluate() {
  if (dev_.empty()) return std::nullopt;
  const c10::NoGradGuard no_gradients;
  const std::size_t begin = dev_.size() * group_.rank() / group_.size();
  const std::size_t end = dev_.size() * (group_.rank() + 1) / group_.size();
  std::vector<std::int64_t> lengths;
  for (std::size_t i = begin; i < end; ++i) lengths.push_back(static_cast<std::int64_t>(dev_[i].size()) + 2);
  std::array<double, 1> loss = {0};
  run_in_batches(lengths, options_.batch_tokens, [&](Items items) {
    TrainingBatch batch;
    for (const std::size_t item : items) add_block(dev_[begin + item], {1, begin + item}, batch);
    const TrainingInput input = to_device(batch, learner_.sight(), learner_.options());
    loss.front() += loss_of(learner_, input, {}).item<double>();
  });
  group_.all_reduce_sum(std::span<double>(loss));
  return loss.front() / static_cast<double>(dev_.size());
}

}  // namespace gumption
