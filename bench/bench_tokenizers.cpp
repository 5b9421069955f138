// Encoding by kind of tokenizer, in bytes a second; run it in the repository's root. GUMPTION_BENCH_TEXT names a text
// file (default: the samples), GUMPTION_BENCH_VOCAB a folder with bert/, gpt1/ and gpt2/ (default: the tests' small
// vocabularies).

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "gumption/text/tokenizer_files.h"

namespace {

using namespace gumption;

std::vector<std::string> read_lines() {
  const char* named = std::getenv("GUMPTION_BENCH_TEXT");
  std::ifstream file(named != nullptr ? named : "samples/cosmos-qa-style.jsonl");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::unique_ptr<Tokenizer> load(const std::string& real, const std::string& small) {
  const char* named = std::getenv("GUMPTION_BENCH_VOCAB");
  if (named != nullptr) return load_tokenizer(std::filesystem::path(named) / real);
  return load_tokenizer("tests/text/fixtures/tokenizers/" + small);
}

void encode_lines(benchmark::State& state, const std::string& real, const std::string& small) {
  static const std::vector<std::string> lines = read_lines();
  const auto tokenizer = load(real, small);
  EncodeScratch scratch(*tokenizer);
  std::vector<TokenId> ids;
  std::int64_t bytes = 0;
  for ([[maybe_unused]] auto step : state) {
    for (const std::string& line : lines) {
      ids.clear();
      tokenizer->encode(line, scratch, ids);
      benchmark::DoNotOptimize(ids.data());
      bytes += static_cast<std::int64_t>(line.size()) + 1;
    }
  }
  state.SetBytesProcessed(bytes);
}

void encode_with_offsets(benchmark::State& state, const std::string& real, const std::string& small) {
  static const std::vector<std::string> lines = read_lines();
  const auto tokenizer = load(real, small);
  std::int64_t bytes = 0;
  for ([[maybe_unused]] auto step : state) {
    for (const std::string& line : lines) {
      benchmark::DoNotOptimize(tokenizer->encode_with_offsets(line));
      bytes += static_cast<std::int64_t>(line.size()) + 1;
    }
  }
  state.SetBytesProcessed(bytes);
}

BENCHMARK_CAPTURE(encode_lines, wordpiece, "bert", "uncased");
BENCHMARK_CAPTURE(encode_lines, byte_bpe, "gpt2", "bytes");
BENCHMARK_CAPTURE(encode_lines, gpt1_bpe, "gpt1", "gpt1");
BENCHMARK_CAPTURE(encode_with_offsets, wordpiece, "bert", "uncased");
BENCHMARK_CAPTURE(encode_with_offsets, byte_bpe, "gpt2", "bytes");
BENCHMARK_CAPTURE(encode_with_offsets, gpt1_bpe, "gpt1", "gpt1");

}  // namespace
