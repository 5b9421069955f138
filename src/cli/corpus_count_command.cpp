#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/error.h"
#include "gumption/corpus/open_counts.h"
#include "gumption/text/words.h"

#include "cli/command.h"
#include "cli/engine.h"
#include "cli/output.h"

namespace gumption::cli {

namespace {

struct State {
  std::vector<std::string> corpus;
  std::vector<std::string> first;
  std::vector<std::string> second;
  std::string windows = "5,25,50";
  CountOptions counting;
};

std::string one_word(const std::string& text) {
  auto words = words_of(text);
  if (words.size() != 1) throw UserError(fmt::format("Expected one word, found {}.", in_quotes(text)));
  return std::move(words.front());
}

int run(State& state, const CommonOptions& common) {
  const std::string x = one_word(state.first.front());
  const std::string y = one_word(state.second.front());
  state.counting.windows = parse_windows(state.windows);
  state.counting.threads = common.threads;
  const auto counts = open_counts(state.corpus, {{x, y}}, state.counting);
  const auto pairs = counts->count_of(x, y);
  if (common.json) {
    nlohmann::ordered_json json;
    json["x"] = x;
    json["y"] = y;
    for (std::size_t i = 0; i < pairs.size(); ++i) json[std::to_string(counts->windows()[i])] = pairs[i];
    json["count_x"] = counts->count_of(x);
    json["count_y"] = counts->count_of(y);
    json["total_words"] = counts->totals().words;
    print_json(json);
    return 0;
  }
  Table table({"", "count"});
  table.add({x, with_commas(counts->count_of(x))});
  table.add({y, with_commas(counts->count_of(y))});
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    table.add({fmt::format("{} … {} within {}", x, y, counts->windows()[i]), with_commas(pairs[i])});
  }
  table.add({"all words", with_commas(counts->totals().words)});
  table.print();
  return 0;
}

}  // namespace

Command corpus_count_command() {
  auto state = std::make_shared<State>();
  Command command;
  command.name = "count";
  command.about = "Say how often one word stands before another, in an index or a text";
  command.examples = {"gumption corpus count books.counts ice melted",
                      "gumption corpus count books/ ice melted --json"};
  command.operands = {
      {"F", "A count index, or text: a file, folder, pattern or archive; - is standard input", &state->corpus},
      {"X", "The first word", &state->first, true, false, false},
      {"Y", "The second word", &state->second, true, false, false}};
  command.options.add("windows", state->windows, "For text: window sizes in words, with commas between");
  command.options.add_all(describe(state->counting.text));
  command.options.add_all(describe(state->counting.words));
  command.needs_engine = is_one_of_several;
  command.run = [state](const CommonOptions& common) { return run(*state, common); };
  return command;
}

}  // namespace gumption::cli
