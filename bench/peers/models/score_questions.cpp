// Scores questions with a multiple-choice BERT and says how fast: our side of run.py.
//
//   score_questions MODEL DATA LIMIT PRECISION THREADS REPEATS [plain]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gumption/data/dataset.h"
#include "gumption/models/bert_systems.h"
#include "gumption/nn/layers.h"

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  gumption::ReadOptions read;
  read.limit = std::stoull(arguments[2]);
  const auto questions = gumption::read_dataset(std::filesystem::path(arguments[1]), read).questions;
  gumption::BertOptions options;
  options.model.model = arguments[0];
  options.model.precision = arguments[3];
  options.model.threads = std::stoull(arguments[4]);
  options.form = "social-iqa";
  if (const char* tokens = std::getenv("BATCH_TOKENS")) options.model.batch_tokens = std::stoull(tokens);
  gumption::use_fused_kernels(arguments.size() < 7 || arguments[6] != "plain");
  gumption::BertSystem system(options);
  system.answer(std::span(questions).first(1));
  double best = 1e9;
  for (int i = 0; i < std::stoi(arguments[5]); ++i) {
    const auto start = std::chrono::steady_clock::now();
    system.answer(questions);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%.6f\n", best);
}
