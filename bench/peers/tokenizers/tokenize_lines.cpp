// tokenize_lines TOKENIZER LINES ROUNDS [THREADS]: seconds and number of ids for each round over the lines; as the
// peers' programs beside it print them.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gumption/text/tokenizer_files.h"

int main(int count, char** arguments) {
  using namespace gumption;
  if (count < 4) return 2;
  const auto tokenizer = load_tokenizer(arguments[1]);
  std::vector<std::string> lines;
  std::ifstream file(arguments[2]);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  const std::size_t threads = count > 4 ? static_cast<std::size_t>(std::atoi(arguments[4])) : 1;

  for (int round = std::atoi(arguments[3]); round > 0; --round) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::size_t> sums(threads, 0);
    std::vector<std::thread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        EncodeScratch scratch(*tokenizer);
        std::vector<TokenId> ids;
        std::size_t sum = 0;
        for (std::size_t i = lines.size() * worker / threads; i < lines.size() * (worker + 1) / threads; ++i) {
          ids.clear();
          tokenizer->encode(lines[i], scratch, ids);
          sum += ids.size();
        }
        sums[worker] = sum;
      });
    }
    for (auto& worker : workers) worker.join();
    std::size_t sum = 0;
    for (const std::size_t part : sums) sum += part;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    std::printf("%f %zu\n", passed.count(), sum);
  }
}
