#include "gumption/corpus/vocabulary_pass.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/text/stop_words.h"

namespace gumption {

namespace {

/// Counts the words of blocks on one thread, and numbers them for `kept` as long as that goes on.
class WordTallier {
 public:
  WordTallier(DocumentEnd documents, KeptText& kept, std::size_t numbering) : scanner_(documents), kept_(kept) {
    numbered_.numbering = numbering;
  }

  void count(const TextBlock& block) {
    keeping_ = kept_.goes_on();
    numbered_.number = block.number();
    numbered_.tokens.clear();
    document_has_words_ = false;
    in_overlap_ = true;
    scanner_.scan(block.overlap(), block.text(), *this);
    in_overlap_ = false;
    numbered_.own_begin = numbered_.tokens.size();
    scanner_.scan(block.own(), block.text(), *this);
    totals_.bytes += block.own().size();
    if (keeping_) kept_.add(numbered_);
  }

  void word(const ScannedWord& word) {
    if (!in_overlap_) {
      if (!document_has_words_) ++totals_.documents;
      ++totals_.words;
      const std::uint32_t number = number_of(word);
      ++counts_[number];
      if (keeping_) numbered_.tokens.push_back(number);
    } else if (keeping_) {
      numbered_.tokens.push_back(number_of(word));
    }
    document_has_words_ = true;
  }

  void document_end() {
    document_has_words_ = false;
    if (keeping_) numbered_.tokens.push_back(kDocumentEnd);
  }

  const TextTotals& totals() const { return totals_; }

  /// By their numbers.
  std::vector<std::string> spellings() const {
    std::vector<std::string> all(counts_.size());
    table_.for_each([&](std::string_view word, std::uint32_t number) { all[number] = word; });
    return all;
  }

  /// In the order of their bytes.
  std::vector<CountedWord> counted() const {
    std::vector<CountedWord> words;
    words.reserve(counts_.size());
    table_.for_each([&](std::string_view word, std::uint32_t number) {
      // A word may stand only in the overlap where that belongs to another process's part of the file.
      if (counts_[number] > 0) words.push_back({std::string(word), counts_[number]});
    });
    std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.word < b.word; });
    return words;
  }

 private:
  std::uint32_t number_of(const ScannedWord& word) {
    const std::uint32_t number = table_.find(word);
    if (number != WordTable::kAbsent) return number;
    const auto added = static_cast<std::uint32_t>(counts_.size());
    table_.add(word, added);
    counts_.push_back(0);
    return added;
  }

  WordScanner scanner_;
  KeptText& kept_;
  bool keeping_ = false;
  NumberedBlock numbered_;
  WordTable table_;
  std::vector<std::uint64_t> counts_;
  TextTotals totals_;
  bool in_overlap_ = false;
  bool document_has_words_ = false;
};

/// The words of both, each in the order of their bytes, with the sums of their counts.
std::vector<CountedWord> merged(std::vector<CountedWord> first, std::vector<CountedWord> second) {
  if (first.empty()) return second;
  std::vector<CountedWord> all;
  all.reserve(first.size() + second.size());
  auto a = first.begin();
  auto b = second.begin();
  while (a != first.end() && b != second.end()) {
    const int order = a->word.compare(b->word);
    if (order == 0) a->count += b++->count;
    all.push_back(std::move(order <= 0 ? *a++ : *b++));
  }
  std::move(a, first.end(), std::back_inserter(all));
  std::move(b, second.end(), std::back_inserter(all));
  return all;
}

}  // namespace

TextVocabulary count_words(const std::vector<TextFile>& files, const TextOptions& options, ThreadPool& pool,
                           KeptText& kept) {
  TextBlockReader reader(files, options, kept.reach(), "counting words");
  struct Part {
    TextTotals totals;
    std::vector<CountedWord> words;
    std::vector<std::string> spellings;
  };
  std::vector<Part> parts(pool.size());
  pool.parallel_for(parts.size(), [&](std::size_t i) {
    WordTallier tallier(options.documents, kept, i);
    TextBlock block;
    while (reader.next(block)) tallier.count(block);
    parts[i] = {tallier.totals(), tallier.counted(), {}};
    if (kept.goes_on()) parts[i].spellings = tallier.spellings();
  });
  TextVocabulary vocabulary;
  std::vector<std::vector<std::string>> spellings;
  for (Part& part : parts) {
    vocabulary.words = merged(std::move(vocabulary.words), std::move(part.words));
    vocabulary.totals.words += part.totals.words;
    vocabulary.totals.documents += part.totals.documents;
    vocabulary.totals.bytes += part.totals.bytes;
    spellings.push_back(std::move(part.spellings));
  }
  kept.finish(std::move(spellings));
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

namespace {

/// The forms of a text's words.
struct CountedForms {
  std::vector<CountedWord> forms;       // as they are met
  std::vector<std::uint32_t> of_words;  // for each spelling its form's place, or kNotCounted
};
constexpr std::uint32_t kNotCounted = WordTable::kAbsent;

CountedForms forms_of(const std::vector<CountedWord>& words, const WordOptions& options) {
  CountedForms counted;
  WordFormer former(options.form);
  WordTable places;
  for (const auto& [word, count] : words) {
    counted.of_words.push_back(kNotCounted);
    if (options.drop_stop_words && is_stop_word(word)) continue;
    std::string form = former.form_of(word);
    std::uint32_t place = places.find(form);
    if (place == WordTable::kAbsent) {
      place = static_cast<std::uint32_t>(counted.forms.size());
      places.add(form, place);
      counted.forms.push_back({std::move(form), 0});
    }
    counted.forms[place].count += count;
    counted.of_words.back() = place;
  }
  return counted;
}

/// The places of forms that are common enough, commonest first, equally common ones by their bytes.
std::vector<std::uint32_t> common_forms(const std::vector<CountedWord>& forms, std::uint64_t min_count) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < forms.size(); ++place) {
    if (forms[place].count >= min_count) places.push_back(place);
  }
  std::sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    return forms[a].count != forms[b].count ? forms[a].count > forms[b].count : forms[a].word < forms[b].word;
  });
  return places;
}

}  // namespace

IndexVocabulary choose_words(const TextVocabulary& vocabulary, const WordOptions& options) {
  CountedForms counted = forms_of(vocabulary.words, options);
  IndexVocabulary chosen;
  std::vector<std::uint32_t> numbers(counted.forms.size(), kNotCounted);
  for (const std::uint32_t place : common_forms(counted.forms, options.min_count)) {
    numbers[place] = static_cast<std::uint32_t>(chosen.words.size());
    chosen.words.push_back(std::move(counted.forms[place]));
  }
  ensure(chosen.words.size() < WordTable::kAbsent - 1, "words can be numbered");
  for (std::size_t i = 0; i < counted.of_words.size(); ++i) {
    const std::uint32_t place = counted.of_words[i];
    if (place == kNotCounted || numbers[place] == kNotCounted) continue;
    chosen.numbers.add(vocabulary.words[i].word, numbers[place]);
  }
  return chosen;
}

}  // namespace gumption
