#include "gumption/data/check.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "gumption/base/distributions.h"
#include "gumption/base/effect_size.h"
#include "gumption/base/error.h"
#include "gumption/base/progress.h"
#include "gumption/base/random.h"
#include "gumption/data/near_duplicates.h"
#include "gumption/text/unicode.h"
#include "gumption/text/words.h"

namespace gumption {

namespace fs = std::filesystem;

const std::vector<std::string>& finding_kinds() {
  static const std::vector<std::string> kinds = {
      "bad-row",         "duplicate",  "near-duplicate", "shared-context",    "shared-event",
      "repeated-choice", "label-bias", "length-bias",    "none-of-the-above", "odd-characters"};
  return kinds;
}

OptionSet describe(CheckOptions& options) {
  OptionSet set;
  set.add("no_near_duplicates", options.no_near_duplicates, "Leave out the search for near-duplicates");
  set.add("similarity", options.similarity,
          "Share of common word trigrams from which two questions are near-duplicates", {0.05, 1});
  set.add("most_findings", options.most_findings, "List at most N findings of a kind (all are counted)");
  set.add("ignore", options.ignore, "A kind of finding to leave out");
  return set;
}

namespace {

struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

/// Collects findings, keeping a bounded number of each kind.
class Findings {
 public:
  Findings(const CheckOptions& options, CheckReport& report)
      : most_(options.most_findings), ignored_(options.ignore.begin(), options.ignore.end()), report_(report) {
    for (const auto& kind : ignored_) {
      const auto& kinds = finding_kinds();
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
        throw UsageError(fmt::format("There is no kind of finding {}. {}", in_quotes(kind), suggest(kind, kinds)));
      }
    }
  }

  void add(const char* kind, const std::string& file, std::size_t line, std::string message) {
    if (ignored_.contains(kind)) return;
    if (++report_.summary[kind] <= most_) report_.findings.push_back({kind, file, line, std::move(message)});
  }

 private:
  std::uint64_t most_;
  std::set<std::string> ignored_;
  CheckReport& report_;
};

/// The same for questions that differ only in case, white space and the order of their choices.
std::uint64_t question_hash(const Question& question) {
  std::vector<std::uint64_t> choices;
  for (const auto& choice : question.choices) choices.push_back(stable_hash(comparable(choice)));
  std::sort(choices.begin(), choices.end());
  std::uint64_t hash = stable_hash(comparable(question.context));
  hash = stable_hash(comparable(question.question), hash);
  if (question.notes.asks_for) hash = stable_hash(to_text(*question.notes.asks_for), hash);
  for (const std::uint64_t choice : choices) {
    hash ^= choice;
    hash = split_mix(hash);
  }
  return hash;
}

/// What is counted over one file for its file-wide findings.
struct FileTally {
  std::map<std::size_t, std::vector<std::size_t>> labels;  // by number of choices: how often each is right
  Moments correct_length;
  Moments wrong_length;
  std::size_t questions = 0;
  std::size_t with_none_of_the_above = 0;
  std::size_t none_is_right = 0;
  std::size_t labelled_with_none = 0;

  void add(const Question& question) {
    ++questions;
    bool has_none = false;
    bool none_right = false;
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      const bool right = question.label && static_cast<std::size_t>(*question.label) == i;
      const bool none = is_none_of_the_above(question.choices[i]);
      has_none |= none;
      none_right |= none && right;
      if (!question.label || none) continue;
      (right ? correct_length : wrong_length).add(static_cast<double>(count_tokens(question.choices[i])));
    }
    if (has_none) ++with_none_of_the_above;
    if (has_none && question.label) ++labelled_with_none;
    if (none_right) ++none_is_right;
    if (!question.label) return;
    auto& counts = labels[question.choices.size()];
    counts.resize(question.choices.size());
    ++counts[static_cast<std::size_t>(*question.label)];
  }
};

void report_label_bias(const FileTally& tally, const std::string& file, Findings& findings) {
  constexpr double kSuspicious = 0.01;
  for (const auto& [choices, counts] : tally.labels) {
    double total = 0;
    for (const std::size_t count : counts) total += static_cast<double>(count);
    const double expected = total / static_cast<double>(choices);
    constexpr double kEnoughForChiSquare = 5;
    if (expected < kEnoughForChiSquare) continue;
    double chi_square = 0;
    for (const std::size_t count : counts) {
      chi_square += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected) / expected;
    }
    const double p = chi_square_upper_tail(chi_square, static_cast<int>(choices) - 1);
    if (p >= kSuspicious) continue;
    std::string shares;
    for (const std::size_t count : counts) {
      shares += fmt::format("{}{:.1f}%", shares.empty() ? "" : ", ", 100 * static_cast<double>(count) / total);
    }
    findings.add("label-bias", file, 0,
                 fmt::format("the right answer's position is uneven: {} over {} choices (chi-square {:.1f}, p {})",
                             shares, choices, chi_square, p < 1e-4 ? "< .0001" : fmt::format("= {:.4f}", p)));
  }
}

void report_length_bias(const FileTally& tally, const std::string& file, Findings& findings) {
  const Moments& a = tally.correct_length;
  const Moments& b = tally.wrong_length;
  const auto effect = cohens_d(a, b);
  constexpr double kSmallEffect = 0.2;
  if (!effect || std::abs(effect->d) < kSmallEffect) return;
  const auto& [low, high] = effect->interval;
  if (low < 0 && high > 0) return;
  findings.add(
      "length-bias", file, 0,
      fmt::format("right answers are {} than wrong ones: {:.2f} against {:.2f} tokens (Cohen's d {:.2f}, 95% {:.2f} "
                  "to {:.2f})",
                  effect->d > 0 ? "longer" : "shorter", a.mean, b.mean, effect->d, low, high));
}

void report_none_of_the_above(const FileTally& tally, const std::string& file, Findings& findings) {
  if (tally.with_none_of_the_above == 0) return;
  const auto share = [](std::size_t part, std::size_t whole) {
    return 100 * static_cast<double>(part) / static_cast<double>(whole);
  };
  std::string message =
      fmt::format("\"none of the above\" is a choice of {} of {} questions ({:.1f}%)", tally.with_none_of_the_above,
                  tally.questions, share(tally.with_none_of_the_above, tally.questions));
  if (tally.labelled_with_none > 0) {
    message += fmt::format(" and the right one of {} of these ({:.1f}%)", tally.none_is_right,
                           share(tally.none_is_right, tally.labelled_with_none));
  }
  findings.add("none-of-the-above", file, 0, std::move(message));
}

void report_repeated_choices(const Question& question, const Place& place, const std::string& file,
                             Findings& findings) {
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    for (std::size_t j = i + 1; j < question.choices.size(); ++j) {
      const bool may_be_same = question.choices[i].size() == question.choices[j].size() ||
                               question.choices[i].find("  ") != std::string::npos ||
                               question.choices[j].find("  ") != std::string::npos ||
                               trim(question.choices[i]).size() == trim(question.choices[j]).size();
      if (may_be_same && comparable(question.choices[i]) == comparable(question.choices[j])) {
        findings.add("repeated-choice", file, place.line,
                     fmt::format("choices {} and {} are the same: {}", i, j, in_quotes(question.choices[i])));
        return;
      }
    }
  }
}

/// What is odd about a text, or an empty string. UTF-8 read as Windows-1252 shows as these pairs.
std::string odd_character_in(std::string_view text) {
  std::size_t at = 0;
  char32_t previous = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80 && text[at] >= 0x20 && text[at] != 0x7F) {
      previous = static_cast<char32_t>(text[at++]);
      continue;
    }
    const DecodedPoint point = decode_point(text.substr(at));
    if (const char* oddness = oddness_of(point.value)) {
      return fmt::format("{} U+{:04X}", oddness, static_cast<std::uint32_t>(point.value));
    }
    const bool mojibake = (previous == U'Ã' && point.value >= 0x80 && point.value <= 0xBF) ||
                          (previous == U'â' && (point.value == U'€' || point.value == 0x80)) ||
                          (previous == U'Â' && point.value >= 0xA0 && point.value <= 0xBF);
    if (mojibake) return "text that was decoded wrongly (such as \"â€™\" for an apostrophe)";
    previous = point.value;
    at += point.length;
  }
  return {};
}

void report_odd_characters(const Question& question, const Place& place, const std::string& file, Findings& findings) {
  const auto look = [&](const std::string& text, const std::string& part) {
    const std::string odd = odd_character_in(text);
    if (odd.empty()) return false;
    findings.add("odd-characters", file, place.line, fmt::format("{} in the {}", odd, part));
    return true;
  };
  if (look(question.context, "context") || look(question.question, "question")) return;
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    if (look(question.choices[i], fmt::format("choice {}", i))) return;
  }
}

/// Texts (contexts, events) that must stay in one split.
class SharedTexts {
 public:
  void add(std::string_view text, std::uint32_t split, const Place& place) {
    if (!text.empty()) entries_.push_back({stable_hash(comparable(text)), split, place});
  }

  /// One finding for each text and each further split in which it stands.
  template <class Report>
  void report(Report&& report) {
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
    for (std::size_t begin = 0; begin < entries_.size();) {
      std::size_t end = begin;
      std::set<std::uint32_t> splits = {entries_[begin].split};
      for (; end < entries_.size() && entries_[end].hash == entries_[begin].hash; ++end) {
        if (splits.insert(entries_[end].split).second) report(entries_[begin], entries_[end]);
      }
      begin = end;
    }
  }

  struct Entry {
    std::uint64_t hash;
    std::uint32_t split;
    Place place;
  };

 private:
  std::deque<Entry> entries_;  // grows without copying
};

class Checker {
 public:
  Checker(std::span<const fs::path> paths, const ReadOptions& read, const CheckOptions& options)
      : paths_(paths), read_(read), options_(options), findings_(options, report_) {}

  CheckReport run(ThreadPool& pool) {
    for (std::uint32_t file = 0; file < paths_.size(); ++file) read_once(file);
    std::sort(hashes_.begin(), hashes_.end());
    for (std::size_t i = 1; i < hashes_.size(); ++i) {
      if (hashes_[i] == hashes_[i - 1]) repeated_.insert(hashes_[i]);
    }
    hashes_.clear();
    hashes_.shrink_to_fit();
    if (!repeated_.empty() || splits_.size() > 1) {
      for (std::uint32_t file = 0; file < paths_.size(); ++file) read_again(file);
      report_shared("shared-context", "context", contexts_);
      report_shared("shared-event", "source event", events_);
    }
    if (!options_.no_near_duplicates) report_near_duplicates(pool);
    std::stable_sort(report_.findings.begin(), report_.findings.end(), [&](const Finding& a, const Finding& b) {
      return std::tuple(order_of(a.kind), file_order_[a.file], a.line) <
             std::tuple(order_of(b.kind), file_order_[b.file], b.line);
    });
    return std::move(report_);
  }

 private:
  static std::size_t order_of(const std::string& kind) {
    const auto& kinds = finding_kinds();
    return static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
  }

  /// Calls take(question, place) for each good row of a file; a bad row goes to bad(complaint).
  template <class Take, class Bad>
  SourceFile walk(std::uint32_t file, const char* what, Take&& take, Bad&& bad) {
    OpenedQuestions opened = open_questions(paths_[file], read_);
    Progress progress(fmt::format("{} {}", what, paths_[file].filename().string()), "B",
                      opened.reader->position().total);
    SourceFile source{paths_[file], opened.format->name, opened.labels, opened.labels_were_found, 0};
    Question question;
    while (read_.limit == 0 || opened.reader->rows() < read_.limit) {
      try {
        if (!opened.reader->next(question)) break;
        take(question, Place{file, static_cast<std::uint32_t>(opened.reader->line())});
        ++source.questions;
      } catch (const BadRow& row) {
        bad(row.complaint());
      }
      progress.set(opened.reader->position().done);
    }
    return source;
  }

  void read_once(std::uint32_t file) {
    const std::string name = paths_[file].string();
    file_order_.emplace(name, file);
    FileTally tally;
    report_.sources.push_back(walk(
        file, "checking",
        [&](const Question& question, const Place& place) {
          tally.add(question);
          report_repeated_choices(question, place, name, findings_);
          report_odd_characters(question, place, name, findings_);
          hashes_.push_back(question_hash(question));
          split_number(question, file);
          if (options_.no_near_duplicates) return;
          near_.add(question);
          places_.push_back(place);
        },
        [&](Complaint complaint) {
          const std::size_t line = complaint.line;
          const bool same_file = complaint.file == name;
          complaint.file = same_file ? "" : complaint.file;
          complaint.line = same_file ? 0 : line;
          findings_.add("bad-row", name, line, to_message(complaint));
        }));
    report_.questions += report_.sources.back().questions;
    report_label_bias(tally, name, findings_);
    report_length_bias(tally, name, findings_);
    report_none_of_the_above(tally, name, findings_);
  }

  void read_again(std::uint32_t file) {
    walk(
        file, "comparing",
        [&](const Question& question, const Place& place) {
          const std::uint64_t hash = question_hash(question);
          if (repeated_.contains(hash)) {
            const auto [first, is_new] = first_places_.emplace(hash, place);
            if (!is_new) {
              findings_.add("duplicate", paths_[file].string(), place.line,
                            fmt::format("the same question as {}", text_of(first->second)));
              duplicates_.insert(key_of(place));
            }
          }
          if (splits_.size() > 1) {
            const std::uint32_t split = split_number(question, file);
            contexts_.add(question.context, split, place);
            events_.add(question.notes.source_event, split, place);
          }
        },
        [](const Complaint&) {});
  }

  void report_shared(const char* kind, const char* what, SharedTexts& texts) {
    texts.report([&](const SharedTexts::Entry& first, const SharedTexts::Entry& other) {
      findings_.add(kind, paths_[other.place.file].string(), other.place.line,
                    fmt::format("its {} stands in the split {} too, at {}", what, in_quotes(split_names_[first.split]),
                                text_of(first.place)));
    });
  }

  void report_near_duplicates(ThreadPool& pool) {
    for (const SimilarPair& pair : near_.find(options_.similarity, pool)) {
      const Place& place = places_[pair.second];
      if (duplicates_.contains(key_of(place))) continue;
      findings_.add("near-duplicate", paths_[place.file].string(), place.line,
                    fmt::format("shares {:.0f}% of its word trigrams with {}", 100 * pair.similarity,
                                text_of(places_[pair.first])));
    }
  }

  std::uint32_t split_number(const Question& question, std::uint32_t file) {
    const std::string& name = question.notes.split.empty() ? paths_[file].string() : question.notes.split;
    const auto [found, is_new] = splits_.emplace(name, static_cast<std::uint32_t>(splits_.size()));
    if (is_new) split_names_.push_back(name);
    return found->second;
  }

  std::string text_of(const Place& place) const {
    return fmt::format("{}:{}", paths_[place.file].string(), place.line);
  }
  static std::uint64_t key_of(const Place& place) { return (std::uint64_t{place.file} << 32) | place.line; }

  std::span<const fs::path> paths_;
  const ReadOptions& read_;
  const CheckOptions& options_;
  CheckReport report_;
  Findings findings_;
  std::map<std::string, std::uint32_t> file_order_;
  std::map<std::string, std::uint32_t> splits_;
  std::vector<std::string> split_names_;
  std::deque<std::uint64_t> hashes_;  // of all questions; grows without copying
  std::unordered_set<std::uint64_t> repeated_;
  std::unordered_map<std::uint64_t, Place> first_places_;
  std::unordered_set<std::uint64_t> duplicates_;
  SharedTexts contexts_;
  SharedTexts events_;
  NearDuplicateFinder near_;
  std::vector<Place> places_;
};

}  // namespace

CheckReport check_files(std::span<const fs::path> paths, const ReadOptions& read, const CheckOptions& options,
                        ThreadPool& pool) {
  for (const auto& path : paths) {
    if (path == "-") throw UserError("data check reads its files twice: standard input won't do. Name a file.");
  }
  return Checker(paths, read, options).run(pool);
}

}  // namespace gumption
