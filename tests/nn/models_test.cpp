// What the models promise whatever their weights: packing, sharing a prefix and recording change nothing.

#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "gumption/nn/batch_graphs.h"
#include "gumption/nn/bert.h"
#include "gumption/nn/filled_batch.h"
#include "gumption/nn/gpt.h"

#include "nn/nn_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::test_options;
using Ids = std::vector<std::int32_t>;

/// A few sequences of different lengths within a vocabulary.
std::vector<Ids> some_sequences(std::int32_t vocabulary) {
  std::vector<Ids> all;
  for (const std::int32_t length : {7, 3, 12, 3, 1, 20}) {
    Ids ids;
    for (std::int32_t i = 0; i < length; ++i) ids.push_back((31 * length + 17 * i) % vocabulary);
    all.push_back(std::move(ids));
  }
  return all;
}

Ids types_of(const Ids& ids) {
  Ids types(ids.size(), 0);
  for (std::size_t i = ids.size() / 2; i < ids.size(); ++i) types[i] = 1;
  return types;
}

TEST(Bert, PackedEqualsOneByOneAndPlainEqualsFused) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-multiple-choice");
  const Checkpoint checkpoint = open_checkpoint(folder);
  const auto options = test_options(at::kFloat);
  ParameterSource source(checkpoint, options);
  const Bert bert(checkpoint.config, source, {});
  PackedTokens packed;
  const auto sequences = some_sequences(1000);
  for (const Ids& ids : sequences) packed.add(ids, types_of(ids));
  for (const bool fused : {true, false}) {
    use_fused_kernels(fused);
    const c10::NoGradGuard none;
    const at::Tensor together = bert.encode(bert.input(packed));
    std::int64_t row = 0;
    for (const Ids& ids : sequences) {
      PackedTokens single;
      single.add(ids, types_of(ids));
      use_fused_kernels(false);
      const at::Tensor alone = bert.encode(bert.input(single));
      use_fused_kernels(fused);
      EXPECT_LT(test::distance(together.narrow(0, row, alone.size(0)), alone), 1e-5);
      row += alone.size(0);
    }
  }
  use_fused_kernels(true);
}

/// Sums of a GPT's states at the ends of branches, and the gradient of all parameters.
struct Outcome {
  at::Tensor ends;
  std::vector<at::Tensor> gradients;
};

Outcome run_gpt(const Checkpoint& checkpoint, bool shared) {
  ParameterSource source(checkpoint, test_options(at::kDouble), true);
  const Gpt gpt(checkpoint.config, source, false);
  for (const NamedTensor& parameter : source.taken()) parameter.tensor.requires_grad_(true);
  const Ids prefix = {5, 9, 200, 31, 7};
  const std::vector<Ids> branches = {{4, 8}, {100, 3, 77, 2}, {6}};
  PackedTokens tokens;
  std::vector<std::int64_t> ends;
  const std::int64_t parent = shared ? tokens.add(prefix) : -1;
  for (const Ids& branch : branches) {
    Ids ids = shared ? Ids{} : prefix;
    ids.insert(ids.end(), branch.begin(), branch.end());
    tokens.add(ids, {}, parent);
    ends.push_back(tokens.layout.tokens() - 1);
  }
  Outcome outcome;
  outcome.ends = gpt.decode(gpt.input(tokens)).index_select(0, to_device(ends, gpt.options()));
  (outcome.ends * at::arange(outcome.ends.numel(), gpt.options()).view_as(outcome.ends).sin()).sum().backward();
  for (const NamedTensor& parameter : source.taken()) {
    const at::Tensor& gradient = parameter.tensor.grad();
    outcome.gradients.push_back(gradient.defined() ? gradient : at::zeros_like(parameter.tensor));
  }
  return outcome;
}

TEST(Gpt, SharedPrefixEqualsSeparateSequencesForwardAndBackward) {
  for (const char* name : {"golden/gpt1-double-heads", "golden/gpt2-lm"}) {
    GUMPTION_NEEDS_SHARED(folder, name);
    const Checkpoint checkpoint = open_checkpoint(folder);
    const Outcome shared = run_gpt(checkpoint, true);
    const Outcome separate = run_gpt(checkpoint, false);
    EXPECT_LT(test::distance(shared.ends, separate.ends), 1e-10);
    for (std::size_t i = 0; i < shared.gradients.size(); ++i) {
      EXPECT_LT(test::distance(shared.gradients[i], separate.gradients[i]), 1e-9) << name << " parameter " << i;
    }
  }
}

TEST(FilledBatch, KeepsTheTokensAndAddsSegmentsThatNobodySees) {
  PackedTokens tokens;
  const auto parent = tokens.add(Ids(40, 3));
  tokens.add(Ids(5, 4), {}, parent);
  tokens.add(Ids(6, 5), {}, parent);
  const BatchSize size = filled_size(tokens, 2);
  EXPECT_EQ(size.tokens, 64);         // 51, filled up to a multiple of 64
  EXPECT_EQ(size.longest_query, 48);  // 40
  EXPECT_EQ(size.longest_key, 48);    // 46
  EXPECT_EQ(size.keys, 192);          // 40 + 45 + 46 and 13 that fill up: 144
  const auto numbers = fill(tokens, {44, 50}, size);
  ASSERT_EQ(static_cast<std::int64_t>(numbers.size()), size.numbers());
  const auto at = [&](std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; };
  EXPECT_EQ(at(0), 3);
  EXPECT_EQ(at(40), 4);
  EXPECT_EQ(at(51), 0);
  const std::int64_t offsets = 3 * size.tokens;
  EXPECT_EQ(at(offsets + 1), 40);
  EXPECT_EQ(at(offsets + 3), 51);
  EXPECT_EQ(at(offsets + 4), 64);
  EXPECT_EQ(at(offsets + size.segments), 64);
  const std::int64_t key_offsets = offsets + size.segments + 1;
  EXPECT_EQ(at(key_offsets + 1), 40);
  EXPECT_EQ(at(key_offsets + 2), 85);
  EXPECT_EQ(at(key_offsets + 3), 131);
  EXPECT_EQ(at(key_offsets + 4), 144);
  EXPECT_EQ(at(key_offsets + size.segments), 144);
  // The question's tree, the segment that fills up, and nothing.
  const std::int64_t tiles = key_offsets + size.segments + 1 + size.keys;
  const std::vector<std::int32_t> expected = {0, 0, 3, 51, 3, 4, 0, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(at(tiles + static_cast<std::int64_t>(i)), expected[i]) << i;
  }
  EXPECT_EQ(numbers[numbers.size() - static_cast<std::size_t>(size.rows)], 44);
}

TEST(BatchGraphs, GivesWhatThePlainPathGives) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt1-double-heads");
  const Checkpoint checkpoint = open_checkpoint(folder);
  // Recordings exist for bfloat16 on a GPU; elsewhere the two paths are one.
  const auto options = test_options(at::kBFloat16);
  ParameterSource source(checkpoint, options);
  const Gpt gpt(checkpoint.config, source, true);
  BatchGraphs graphs([&](const BatchInput& input,
                         const at::Tensor& rows) { return gpt.choice_logits(gpt.decode(input).index_select(0, rows)); },
                     Sight::kCausal, options);
  for (int round = 0; round < 3; ++round) {
    PackedTokens tokens;
    std::vector<std::int64_t> ends;
    for (std::int32_t q = 0; q < 5; ++q) {
      const auto parent = tokens.add(Ids(static_cast<std::size_t>(9 + 7 * q + round), 20 + q));
      for (std::int32_t k = 1; k < 4; ++k) {
        tokens.add(Ids(static_cast<std::size_t>(k + q), 300 + k), {}, parent);
        ends.push_back(tokens.layout.tokens() - 1);
      }
    }
    const at::Tensor recorded = graphs.run(tokens, ends);
    const c10::NoGradGuard none;
    const at::Tensor plain = gpt.choice_logits(gpt.decode(gpt.input(tokens)).index_select(0, to_device(ends, options)));
    EXPECT_LT(test::distance(recorded, plain), 0.05);  // values of order one, of numbers with eight bits
  }
}

}  // namespace
}  // namespace gumption
