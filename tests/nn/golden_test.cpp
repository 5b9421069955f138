// Forward values, gradients and continuations against Hugging Face's transformers.

#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include "gumption/nn/bert.h"
#include "gumption/nn/gpt.h"
#include "gumption/text/tokenizer_files.h"

#include "nn/nn_support.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::ids_of;
using test::read_json;

// The stored values have seven decimals; their logits are of the order of one.
constexpr double kLogitTolerance = 1e-5;
constexpr double kRelativeTolerance = 1e-4;

const auto kFloat = at::TensorOptions().dtype(at::kFloat);

/// Packs all choices of an item that holds "input_ids" and "token_type_ids".
PackedTokens packed_choices(const nlohmann::json& item) {
  PackedTokens tokens;
  for (std::size_t i = 0; i < item["input_ids"].size(); ++i) {
    tokens.add(ids_of(item["input_ids"][i]), ids_of(item["token_type_ids"][i]));
  }
  return tokens;
}

at::Tensor first_rows(const Layout& layout) {
  std::vector<std::int64_t> rows;
  for (const Segment& segment : layout.segments) rows.push_back(segment.begin);
  return to_device(rows, kFloat);
}

TEST(GoldenBert, MultipleChoiceLogits) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-multiple-choice");
  const auto expected = read_json(folder / "expected.json");
  const Checkpoint checkpoint = open_checkpoint(folder);
  ParameterSource source(checkpoint, kFloat);
  const Bert bert(checkpoint.config, source, {.pooler = true, .multiple_choice = true});
  for (const bool with_gradients : {false, true}) {  // the fused kernels and the plain ones
    const c10::AutoGradMode mode(with_gradients);
    for (const auto& item : expected["items"]) {
      const PackedTokens tokens = packed_choices(item);
      const at::Tensor states = bert.encode(bert.input(tokens));
      const at::Tensor logits = bert.choice_logits(bert.pool(states, first_rows(tokens.layout)));
      for (std::size_t i = 0; i < item["logits"].size(); ++i) {
        EXPECT_NEAR(logits[static_cast<std::int64_t>(i)].item<double>(), item["logits"][i].get<double>(),
                    kLogitTolerance);
      }
    }
  }
}

TEST(GoldenBert, GradientNormsOfABatch) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-multiple-choice");
  const auto expected = read_json(folder / "expected.json");
  const Checkpoint checkpoint = open_checkpoint(folder);
  ParameterSource source(checkpoint, kFloat, true);
  const Bert bert(checkpoint.config, source, {.pooler = true, .multiple_choice = true});
  for (const NamedTensor& parameter : source.taken()) parameter.tensor.requires_grad_(true);
  const auto count = expected["batch"]["first_questions"].get<std::size_t>();
  at::Tensor loss = at::zeros({}, kFloat);
  for (std::size_t q = 0; q < count; ++q) {
    const auto& item = expected["items"][q];
    const PackedTokens tokens = packed_choices(item);
    const at::Tensor logits = bert.choice_logits(bert.pool(bert.encode(bert.input(tokens)), first_rows(tokens.layout)));
    loss = loss - at::log_softmax(logits, 0)[item["question"]["label"].get<std::int64_t>()];
  }
  loss = loss / static_cast<double>(count);
  EXPECT_NEAR(loss.item<double>(), expected["batch"]["mean_loss"].get<double>(), 1e-5);
  loss.backward();
  std::size_t seen = 0;
  for (const NamedTensor& parameter : source.taken()) {
    const double norm = parameter.tensor.grad().norm().item<double>();
    const double wanted = expected["batch"]["grad_norms"].at(parameter.name).get<double>();
    EXPECT_NEAR(norm, wanted, std::max(1e-6, 1e-3 * wanted)) << parameter.name;
    ++seen;
  }
  EXPECT_EQ(seen, expected["batch"]["grad_norms"].size());
}

TEST(GoldenBert, NextSentenceLogits) {
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-next-sentence");
  const Checkpoint checkpoint = open_checkpoint(folder);
  ParameterSource source(checkpoint, kFloat);
  const Bert bert(checkpoint.config, source, {.pooler = true, .next_sentence = true});
  const c10::InferenceMode no_gradients;
  const auto items = read_json(folder / "expected.json")["items"];
  ASSERT_FALSE(items.empty());
  for (const auto& item : items) {
    PackedTokens tokens;
    tokens.add(ids_of(item["input_ids"]), ids_of(item["token_type_ids"]));
    const at::Tensor logits =
        bert.next_sentence_logits(bert.pool(bert.encode(bert.input(tokens)), first_rows(tokens.layout)));
    EXPECT_NEAR(logits[0][0].item<double>(), item["logits"][0].get<double>(), kLogitTolerance);
    EXPECT_NEAR(logits[0][1].item<double>(), item["logits"][1].get<double>(), kLogitTolerance);
  }
}

/// A GPT-1 item as a tree: the shared prefix and the rest of each choice.
struct Tree {
  PackedTokens tokens;
  std::vector<std::int64_t> last_rows;
};

Tree tree_of(const nlohmann::json& rows, std::int32_t delimiter) {
  Tree tree;
  std::int64_t parent = -1;
  for (const auto& row : rows) {
    const auto ids = ids_of(row);
    const auto split = std::find(ids.begin(), ids.end(), delimiter) + 1;
    if (parent < 0) parent = tree.tokens.add({ids.begin(), split});
    tree.tokens.add({split, ids.end()}, {}, parent);
    tree.last_rows.push_back(tree.tokens.layout.tokens() - 1);
  }
  return tree;
}

TEST(GoldenGpt1, ChoiceLogitsWithASharedPrefix) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt1-double-heads");
  const auto expected = read_json(folder / "expected.json");
  const Checkpoint checkpoint = open_checkpoint(folder);
  ParameterSource source(checkpoint, kFloat);
  const Gpt gpt(checkpoint.config, source, true);
  const c10::InferenceMode no_gradients;
  for (const auto& item : expected["items"]) {
    const Tree tree = tree_of(item["input_ids"], expected["delimiter"].get<std::int32_t>());
    const at::Tensor states = gpt.decode(gpt.input(tree.tokens));
    const at::Tensor logits = gpt.choice_logits(states.index_select(0, to_device(tree.last_rows, kFloat)));
    for (std::size_t i = 0; i < item["mc_logits"].size(); ++i) {
      EXPECT_NEAR(logits[static_cast<std::int64_t>(i)].item<double>(), item["mc_logits"][i].get<double>(),
                  kLogitTolerance);
    }
  }
}

TEST(GoldenGpt1, LanguageModelLosses) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt1-double-heads");
  const Checkpoint checkpoint = open_checkpoint(folder);
  ParameterSource source(checkpoint, kFloat);
  const Gpt gpt(checkpoint.config, source, true);
  const c10::InferenceMode no_gradients;
  const auto items = read_json(folder / "expected.json")["items"];
  ASSERT_FALSE(items.empty());
  for (const auto& item : items) {
    for (std::size_t i = 0; i < item["input_ids"].size(); ++i) {
      const auto ids = ids_of(item["input_ids"][i]);
      PackedTokens tokens;
      tokens.add(ids);
      const at::Tensor states = gpt.decode(gpt.input(tokens));
      const auto predicted = static_cast<std::int64_t>(ids.size()) - 1;
      const at::Tensor log_probabilities = at::log_softmax(gpt.token_logits(states.narrow(0, 0, predicted)), -1);
      const at::Tensor truth = to_device(tokens.ids, kFloat).narrow(0, 1, predicted);
      const double loss = -log_probabilities.gather(1, truth.unsqueeze(1)).mean().item<double>();
      const double wanted = item["lm_mean_nll_per_choice"][i].get<double>();
      EXPECT_NEAR(loss, wanted, kRelativeTolerance * wanted);
    }
  }
}

TEST(GoldenGpt2, GreedyContinuation) {
  GUMPTION_NEEDS_SHARED(folder, "golden/gpt2-lm");
  const Checkpoint checkpoint = open_checkpoint(folder);
  ParameterSource source(checkpoint, kFloat);
  const Gpt gpt(checkpoint.config, source, false);
  const auto items = read_json(folder / "expected.json")["items"];
  ASSERT_FALSE(items.empty());
  for (const auto& item : items) {
    EXPECT_EQ(continue_greedily(gpt, ids_of(item["prefix_ids"]), 16), ids_of(item["greedy16"]));
  }
}

TEST(GoldenBert, EveryLayersStates) {
  // BERTScore of two texts at each layer, which is made of all their states' cosines.
  GUMPTION_NEEDS_SHARED(folder, "golden/bert-next-sentence");
  GUMPTION_NEEDS_SHARED(texts, "golden/bert-next-sentence/bertscore.json");
  const Checkpoint checkpoint = open_checkpoint(folder);
  ParameterSource source(checkpoint, kFloat);
  const Bert bert(checkpoint.config, source, {});
  const auto tokenizer = load_tokenizer(folder);
  const c10::InferenceMode no_gradients;
  const auto unit_states = [&](const std::string& text, std::size_t layer) {
    auto ids = tokenizer->encode(text);
    ids.insert(ids.begin(), *tokenizer->vocabulary().id_of("[CLS]"));
    ids.push_back(*tokenizer->vocabulary().id_of("[SEP]"));
    PackedTokens tokens;
    tokens.add(ids, std::vector<std::int32_t>(ids.size(), 0));
    std::vector<at::Tensor> all;
    bert.encode(bert.input(tokens), {}, &all);
    return all[layer] / all[layer].norm(2, 1, true);
  };
  const auto items = read_json(texts)["items"];
  ASSERT_FALSE(items.empty());
  for (const auto& item : items) {
    const at::Tensor candidate = unit_states(item["candidate"], item["layer"].get<std::size_t>());
    const at::Tensor reference = unit_states(item["reference"], item["layer"].get<std::size_t>());
    const at::Tensor cosines = candidate.mm(reference.t());
    const at::Tensor precision = cosines.narrow(0, 1, candidate.size(0) - 2).amax(1).mean();
    const at::Tensor recall = cosines.narrow(1, 1, reference.size(0) - 2).amax(0).mean();
    EXPECT_NEAR(precision.item<double>(), item["precision"].get<double>(), 1e-5);
    EXPECT_NEAR(recall.item<double>(), item["recall"].get<double>(), 1e-5);
  }
}

}  // namespace
}  // namespace gumption
