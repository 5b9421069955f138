#include "gumption/data/formats/pronouns.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/options.h"
#include "gumption/data/format_kit.h"
#include "gumption/data/pronoun_question.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

constexpr std::size_t kBlockLines = 4;
constexpr std::string_view kMask = "[MASK]";

class Reader final : public QuestionReader {
 public:
  explicit Reader(std::unique_ptr<ByteSource> source) : lines_(std::move(source)) {}

  const std::string& file() const override { return lines_.source().name(); }
  std::size_t line() const override { return block_line_; }
  ReadPosition position() const override { return {lines_.source().raw_position(), lines_.source().raw_size()}; }

 private:
  /// The lines of the next block, trimmed; empty at the end of the file.
  std::vector<std::string> next_block() {
    std::vector<std::string> block;
    std::string_view line;
    while (lines_.next(line)) {
      line = trim(line);
      if (line.empty() && block.empty()) continue;
      if (line.empty()) break;
      if (block.empty()) block_line_ = lines_.line_number();
      block.emplace_back(line);
    }
    return block;
  }

  bool read_row(Question& question) override {
    const auto block = next_block();
    if (block.empty()) return false;
    if (block.size() != kBlockLines) {
      refuse("blocks of four lines (sentence, pronoun, candidates, answer)", fmt::format("one of {}", block.size()));
    }
    for (const auto& line : block) need_text(line, "block");
    const std::string& sentence = block[0];
    const std::string& pronoun = block[1];
    std::vector<std::string> candidates;
    for (const auto part : split_text(block[2], ',')) candidates.push_back(squeeze_white_space(part));
    if (candidates.size() != 2) refuse("two candidates with a comma between them", in_quotes(block[2]));
    const auto place = find_pronoun(sentence, pronoun, candidates);
    if (!place) refuse(fmt::format("the pronoun {} in the sentence", in_quotes(pronoun)), in_quotes(sentence));
    fill_pronoun_question(cut_at_pronoun(sentence, *place, pronoun), candidates, question);
    question.label = index_of(candidates, block[3]);
    return true;
  }

  int index_of(const std::vector<std::string>& candidates, const std::string& answer) const {
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
      return comparable(candidate) == comparable(answer);
    });
    if (found == candidates.end()) {
      refuse(fmt::format("one of the candidates ({}) as answer", fmt::join(candidates, ", ")), in_quotes(answer));
    }
    return static_cast<int>(found - candidates.begin());
  }

  LineReader lines_;
  std::size_t block_line_ = 0;
};

class Writer : public TextFileWriter {
 public:
  using TextFileWriter::TextFileWriter;

  void write(const Question& question) override {
    need_choices(question, 2);
    auto parts = pronoun_parts(question);
    if (!parts) refuse(question, "it has no notes pronoun and candidates that fit its choices");
    if (!question.label) refuse(question, "it has no label");
    const std::string pronoun = shown_pronoun(parts->text.pronoun);
    const std::string sentence = parts->text.before +
                                 (parts->text.gap_before && !parts->text.before.empty() ? " " : "") + pronoun +
                                 (parts->text.gap_after && !parts->text.after.empty() ? " " : "") + parts->text.after;
    for (const auto& candidate : parts->candidates) {
      if (candidate.find(',') != std::string::npos) refuse(question, "a candidate has a comma in it");
      if (candidate.empty() || pronoun.empty()) refuse(question, "its pronoun or a candidate is empty");
    }
    const auto place = find_pronoun(sentence, pronoun, parts->candidates);
    if (!place || cut_at_pronoun(sentence, *place, pronoun).before != parts->text.before) {
      refuse(question, "its pronoun would be looked for in another place");
    }
    append(fmt::format("{}\n{}\n{},{}\n{}\n\n", sentence, pronoun, parts->candidates[0], parts->candidates[1],
                       parts->candidates[static_cast<std::size_t>(*question.label)]));
  }

 protected:
  virtual std::string shown_pronoun(const std::string& pronoun) const { return pronoun; }
};

class MaskWriter final : public Writer {
 public:
  using Writer::Writer;

 protected:
  std::string shown_pronoun(const std::string&) const override { return std::string(kMask); }
};

/// The first lines look like a block; the pronoun may or may not be the mask.
bool is_block(const FileStart& start, bool masked) {
  const std::string_view pronoun = trim(start.line(1));
  if (pronoun.empty() || (pronoun == kMask) != masked) return false;
  return start.line(0).find(pronoun) != std::string_view::npos && start.line(2).find(',') != std::string_view::npos &&
         !trim(start.line(3)).empty() && trim(start.line(4)).empty();
}

}  // namespace

const QuestionFormat& wsc_text_format() {
  static const QuestionFormat format{"wsc-text",
                                     "Winograd schemas as blocks of text, the pronoun shown as [MASK]",
                                     ".txt",
                                     0,
                                     [](const FileStart& start) { return is_block(start, true); },
                                     open_with<Reader>,
                                     create_with<MaskWriter>};
  return format;
}

const QuestionFormat& dpr_format() {
  static const QuestionFormat format{"dpr",
                                     "Definite pronouns (Rahman and Ng) as blocks of text",
                                     ".txt",
                                     0,
                                     [](const FileStart& start) { return is_block(start, false); },
                                     open_with<Reader>,
                                     create_with<Writer>};
  return format;
}

}  // namespace gumption
