#include "gumption/text/lexicon.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/line_reader.h"
#include "gumption/base/options.h"
#include "gumption/text/unicode.h"
#include "gumption/text/words.h"

namespace gumption {

namespace {

/// Where a lexicon's lines keep what, and between which values.
struct Layout {
  char separator = '\t';
  std::size_t fields = 4;
  std::size_t word = 0;
  std::array<std::size_t, 3> values = {1, 2, 3};
  double low = 0;
  double high = 1;
  bool header = false;
};

struct Row {
  std::string word;  // as the file spells it
  Affect affect;
};

/// The fields of one line. Quotes around a comma-separated field are taken off; none of these files has a quote inside.
std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  if (separator == '\t') {
    fields = split_text(line, separator);
  } else {
    std::size_t begin = 0;
    bool inside = false;
    for (std::size_t i = 0; i <= line.size(); ++i) {
      if (i < line.size() && line[i] == '"') inside = !inside;
      if (i < line.size() && (inside || line[i] != separator)) continue;
      fields.push_back(line.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  for (auto& field : fields) {
    field = trim(field);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
  }
  return fields;
}

std::optional<Layout> layout_of_header(std::string_view line) {
  Layout layout;
  if (line.find('\t') != std::string_view::npos) {
    const auto fields = fields_of(line, '\t');
    if (fields.size() != layout.fields) return std::nullopt;
    layout.header = to_lower(fields[1]) == "valence";
    if (layout.header && (to_lower(fields[2]) != "arousal" || to_lower(fields[3]) != "dominance")) return std::nullopt;
    return layout;
  }
  layout = {.separator = ',', .low = 1, .high = 9, .header = true};
  const auto fields = fields_of(line, ',');
  layout.fields = fields.size();
  const auto place = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(fields.begin(), fields.end(), name) - fields.begin());
  };
  layout.word = place("Word");
  layout.values = {place("V.Mean.Sum"), place("A.Mean.Sum"), place("D.Mean.Sum")};
  const bool complete = std::max({layout.word, layout.values[0], layout.values[1], layout.values[2]}) < layout.fields;
  return complete ? std::optional(layout) : std::nullopt;
}

/// A row, or a BadRow for what is wrong with it.
Row parse_row(const Layout& layout, const LineReader& reader, std::string_view line) {
  Complaint complaint{reader.source().name(), reader.line_number(), {}, {}, {}};
  const auto refuse = [&](std::string expected, std::string found) {
    complaint.expected = std::move(expected);
    complaint.found = std::move(found);
    throw BadRow(complaint);
  };
  const auto fields = fields_of(line, layout.separator);
  if (fields.size() != layout.fields) {
    refuse(fmt::format("{} {}-separated fields", layout.fields, layout.separator == '\t' ? "tab" : "comma"),
           fmt::format("{}", fields.size()));
  }
  if (fields[layout.word].empty()) refuse("a word", "an empty field");
  std::array<double, 3> values{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view text = fields[layout.values[i]];
    const double value = parse_number(text).value_or(layout.low - 1);
    if (!(value >= layout.low && value <= layout.high)) {
      refuse(fmt::format("a number from {} to {}", layout.low, layout.high), in_quotes(text));
    }
    values[i] = (value - layout.low) / (layout.high - layout.low);
  }
  return {std::string(fields[layout.word]), {values[0], values[1], values[2]}};
}

bool same(const Affect& a, const Affect& b) {
  return a.valence == b.valence && a.arousal == b.arousal && a.dominance == b.dominance;
}

}  // namespace

AffectLexicon AffectLexicon::load(const std::filesystem::path& path) { return read(open_input(path)); }

AffectLexicon AffectLexicon::read(std::unique_ptr<ByteSource> source) {
  LineReader reader(std::move(source));
  AffectLexicon lexicon;
  std::unordered_map<std::string, std::string> spellings;  // of each entry, as the file has it
  std::optional<Layout> layout;
  std::string_view line;
  while (reader.next(line)) {
    if (trim(line).empty()) continue;
    if (!layout) {
      layout = layout_of_header(line);
      if (!layout) {
        throw UserError(Complaint{reader.source().name(), reader.line_number(),
                                  "Word<tab>Valence<tab>Arousal<tab>Dominance (NRC) or a comma-separated header with "
                                  "Word, V.Mean.Sum, A.Mean.Sum and D.Mean.Sum (Warriner)",
                                  in_quotes(line), "Other columns or separators have to be converted first"});
      }
      if (layout->header) continue;
    }
    Row row = parse_row(*layout, reader, line);
    const std::string word = to_lower(row.word);
    const auto [known, is_new] = spellings.try_emplace(word, row.word);
    if (!is_new && known->second == row.word && !same(lexicon.entries_[word], row.affect)) {
      throw BadRow(Complaint{reader.source().name(), reader.line_number(), "each word once",
                             fmt::format("{} again with other values", in_quotes(std::string_view(row.word))),
                             "Keep one of the rows"});
    }
    if (is_new || row.word == word) {
      lexicon.entries_[word] = row.affect;
      known->second = std::move(row.word);
    }
  }
  if (lexicon.entries_.empty()) {
    throw UserError(Complaint{reader.source().name(), 0, "a lexicon of words with their values", "no row at all", {}});
  }
  return lexicon;
}

const Affect* AffectLexicon::find(std::string_view word) const {
  const auto found = entries_.find(word);
  return found == entries_.end() ? nullptr : &found->second;
}

AffectMean AffectLexicon::mean_of(std::string_view text) const {
  AffectMean result;
  for_each_word(text, [&](std::string_view word) {
    ++result.words;
    const Affect* affect = find(word);
    if (affect == nullptr) return;
    ++result.known;
    result.mean.valence += affect->valence;
    result.mean.arousal += affect->arousal;
    result.mean.dominance += affect->dominance;
  });
  if (result.known > 0) {
    const auto known = static_cast<double>(result.known);
    result.mean = {result.mean.valence / known, result.mean.arousal / known, result.mean.dominance / known};
  }
  return result;
}

}  // namespace gumption
