// Scores questions of drawn lengths with random weights on a GPU: our side of gpu_scoring.py.
//
//   gpu_scoring MODEL LENGTHS QUESTIONS_A_BATCH REPEATS
//
// LENGTHS: see drawn_questions.h.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gumption/nn/batch_graphs.h"
#include "gumption/nn/bert.h"
#include "gumption/nn/engine.h"
#include "gumption/nn/gpt.h"

#include "../drawn_questions.h"

namespace {

using namespace gumption;

/// One batch, and the rows that are read.
struct Batch {
  PackedTokens tokens;
  std::vector<std::int64_t> rows;
};

Batch pack(std::span<const DrawnQuestion> questions, bool is_bert) {
  Batch batch;
  for (const DrawnQuestion& question : questions) {
    const std::int64_t parent = is_bert ? -1 : batch.tokens.add(drawn_ids(question.shared, 5));
    for (const std::int64_t length : question.choices) {
      if (is_bert) {
        batch.rows.push_back(batch.tokens.layout.tokens());
        const auto ids = drawn_ids(question.shared + length, 9);
        std::vector<std::int32_t> types(ids.size(), 0);
        std::fill(types.begin() + question.shared, types.end(), 1);
        batch.tokens.add(ids, types);
      } else {
        batch.tokens.add(drawn_ids(length, 9), {}, parent);
        batch.rows.push_back(batch.tokens.layout.tokens() - 1);
      }
    }
  }
  return batch;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto questions = read_drawn_questions(argv[2]);
  const auto per_batch = static_cast<std::size_t>(std::stoul(argv[3]));
  EngineOptions engine{Device::kCuda, Precision::kBfloat16, 0};
  const at::TensorOptions options = start_engine(engine);
  const Checkpoint checkpoint = open_checkpoint(argv[1]);
  const bool is_bert = checkpoint.config.architecture == Architecture::kBert;
  ParameterSource source(checkpoint, options);
  std::unique_ptr<Bert> bert;
  std::unique_ptr<Gpt> gpt;
  if (is_bert) {
    bert = std::make_unique<Bert>(checkpoint.config, source, BertHeads{.pooler = true, .multiple_choice = true});
  } else {
    gpt = std::make_unique<Gpt>(checkpoint.config, source, true);
  }
  BatchGraphs graphs(
      [&](const BatchInput& input, const at::Tensor& rows) {
        return is_bert ? bert->choice_logits(bert->pool(bert->encode(input), rows))
                       : gpt->choice_logits(gpt->decode(input).index_select(0, rows));
      },
      is_bert ? Sight::kBothWays : Sight::kCausal, options);
  double best = 1e9;
  double sum = 0;
  std::int64_t tokens = 0;
  for (int repeat = 0; repeat <= std::stoi(argv[4]); ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<at::Tensor> parts;
    tokens = 0;
    for (std::size_t at = 0; at < questions.size(); at += per_batch) {
      const Batch batch = pack(std::span(questions).subspan(at, std::min(per_batch, questions.size() - at)), is_bert);
      parts.push_back(graphs.run(batch.tokens, batch.rows));
      tokens += batch.tokens.layout.tokens();
    }
    sum = at::cat(parts).sum().item<double>();  // waits for the device
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (repeat > 0) best = std::min(best, seconds);  // the first records
  }
  std::printf("%.1f questions/s  %lld tokens  checksum %.4f\n", static_cast<double>(questions.size()) / best,
              static_cast<long long>(tokens), sum);
}
