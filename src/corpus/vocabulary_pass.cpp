#include "gumption/corpus/vocabulary_pass.h"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/thread_pool.h"
#include "gumption/text/stop_words.h"

namespace gumption {

namespace {

/// Counts the words of blocks on one thread.
class WordTallier {
 public:
  explicit WordTallier(DocumentEnd documents) : scanner_(documents) {}

  void count(const TextBlock& block) {
    document_has_words_ = false;
    in_overlap_ = true;
    scanner_.scan(block.overlap(), block.text(), *this);
    in_overlap_ = false;
    scanner_.scan(block.own(), block.text(), *this);
    totals_.bytes += block.own().size();
  }

  void word(const ScannedWord& word) {
    if (!in_overlap_) {
      if (!document_has_words_) ++totals_.documents;
      ++totals_.words;
      tally(word);
    }
    document_has_words_ = true;
  }

  void document_end() { document_has_words_ = false; }

  void add_to(std::map<std::string, std::uint64_t, std::less<>>& all, TextTotals& totals) const {
    table_.for_each([&](std::string_view word, std::uint32_t number) { all[std::string(word)] += counts_[number]; });
    totals.words += totals_.words;
    totals.documents += totals_.documents;
    totals.bytes += totals_.bytes;
  }

 private:
  void tally(const ScannedWord& word) {
    const std::uint32_t number = table_.find(word);
    if (number != WordTable::kAbsent) {
      ++counts_[number];
      return;
    }
    table_.add(word, static_cast<std::uint32_t>(counts_.size()));
    counts_.push_back(1);
  }

  WordScanner scanner_;
  WordTable table_;
  std::vector<std::uint64_t> counts_;
  TextTotals totals_;
  bool in_overlap_ = false;
  bool document_has_words_ = false;
};

}  // namespace

TextVocabulary count_words(const std::vector<TextFile>& files, const TextOptions& options, std::size_t threads,
                           std::size_t block_bytes) {
  TextBlockReader reader(files, options, 1, "counting words", block_bytes);
  ThreadPool pool(threads);
  std::vector<std::unique_ptr<WordTallier>> talliers(pool.size());
  pool.parallel_for(talliers.size(), [&](std::size_t i) {
    talliers[i] = std::make_unique<WordTallier>(options.documents);
    TextBlock block;
    while (reader.next(block)) talliers[i]->count(block);
  });
  std::map<std::string, std::uint64_t, std::less<>> all;
  TextVocabulary vocabulary;
  for (const auto& tallier : talliers) tallier->add_to(all, vocabulary.totals);
  for (const auto& [word, count] : all) vocabulary.words.push_back({word, count});
  return vocabulary;
}

std::string to_text(const TextVocabulary& vocabulary) {
  const TextTotals& totals = vocabulary.totals;
  std::string text = fmt::format("{} {} {}\n", totals.words, totals.documents, totals.bytes);
  for (const auto& [word, count] : vocabulary.words) fmt::format_to(std::back_inserter(text), "{} {}\n", word, count);
  return text;
}

TextVocabulary vocabulary_from(std::string_view text, const std::string& name) {
  const auto bad = [&](std::string_view line) {
    return UserError(Complaint{name, 0, "words and their counts", in_quotes(line), "Remove it and build again"});
  };
  const auto number_in = [&](std::string_view field, std::string_view line) {
    const auto value = parse_integer(field);
    if (!value || *value < 0) throw bad(line);
    return static_cast<std::uint64_t>(*value);
  };
  TextVocabulary vocabulary;
  bool first = true;
  for (const std::string_view line : split_text(text, '\n')) {
    if (line.empty()) continue;
    const auto fields = split_text(line, ' ');
    if (fields.size() != (first ? 3 : 2)) throw bad(line);
    if (first) {
      vocabulary.totals = {number_in(fields[0], line), number_in(fields[1], line), number_in(fields[2], line)};
    } else {
      vocabulary.words.push_back({std::string(fields[0]), number_in(fields[1], line)});
    }
    first = false;
  }
  return vocabulary;
}

IndexVocabulary choose_words(const TextVocabulary& vocabulary, const WordOptions& options) {
  WordFormer former(options.form);
  std::map<std::string, std::uint64_t> counts;
  std::vector<std::string> forms;  // of each spelling; empty: not counted
  for (const auto& [word, count] : vocabulary.words) {
    const bool dropped = options.drop_stop_words && is_stop_word(word);
    forms.push_back(dropped ? "" : former.form_of(word));
    if (!dropped) counts[forms.back()] += count;
  }
  IndexVocabulary chosen;
  for (const auto& [form, count] : counts) {
    if (count >= options.min_count) chosen.words.push_back({form, count});
  }
  std::stable_sort(chosen.words.begin(), chosen.words.end(),
                   [](const CountedWord& a, const CountedWord& b) { return a.count > b.count; });
  ensure(chosen.words.size() < WordTable::kAbsent - 1, "words can be numbered");
  std::map<std::string_view, std::uint32_t> numbers;
  for (std::size_t i = 0; i < chosen.words.size(); ++i) numbers[chosen.words[i].word] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto found = numbers.find(forms[i]);
    if (found != numbers.end()) chosen.numbers.add(vocabulary.words[i].word, found->second);
  }
  return chosen;
}

}  // namespace gumption
