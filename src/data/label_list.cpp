#include "gumption/data/label_list.h"

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/line_reader.h"
#include "gumption/base/options.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace fs = std::filesystem;

fs::path label_list_beside(const fs::path& questions) {
  std::string name = questions.filename().string();
  const std::size_t jsonl = name.rfind(".jsonl");
  if (jsonl != std::string::npos) {
    name.resize(jsonl);
  } else {
    name = questions.stem().string();
  }
  return questions.parent_path() / (name + "-labels.lst");
}

std::vector<int> read_label_list(const fs::path& path, int first) {
  LineReader lines(open_input(path));
  std::vector<int> labels;
  std::string_view line;
  std::size_t empty_line = 0;
  while (lines.next(line)) {
    line = trim(line);
    if (line.empty()) {
      if (empty_line == 0) empty_line = lines.line_number();
      continue;
    }
    const auto label = parse_integer(line);
    constexpr std::int64_t kMany = 1'000'000;
    if (!label || *label < first || *label > kMany) {
      throw UserError(Complaint{path.string(), lines.line_number(), fmt::format("a whole number from {}", first),
                                in_quotes(line), "A label list has one label a line"});
    }
    // Only at the end may lines be empty: elsewhere every later label would belong to another question.
    if (empty_line != 0) {
      throw UserError(Complaint{path.string(), empty_line, "a label", "an empty line", ""});
    }
    labels.push_back(static_cast<int>(*label) - first);
  }
  return labels;
}

namespace {

class LabelledReader final : public QuestionReader {
 public:
  LabelledReader(std::unique_ptr<QuestionReader> reader, const fs::path& list, int first)
      : reader_(std::move(reader)), list_(list.string()), first_(first), labels_(read_label_list(list, first)) {}

  const std::string& file() const override { return reader_->file(); }
  std::size_t line() const override { return reader_->line(); }
  ReadPosition position() const override { return reader_->position(); }

 private:
  bool read_row(Question& question) override {
    if (!reader_->next(question)) {
      if (labels_.size() == reader_->rows()) return false;
      throw UserError(Complaint{list_, 0,
                                fmt::format("{} labels, one for each question of {}", reader_->rows(), file()),
                                fmt::format("{}", labels_.size()), "Do the two files belong together?"});
    }
    const std::size_t row = reader_->rows();
    if (row > labels_.size()) {
      throw UserError(Complaint{list_, 0, fmt::format("a label for question {} of {}", row, file()),
                                fmt::format("only {} labels", labels_.size()), "Do the two files belong together?"});
    }
    const int label = labels_[row - 1];
    if (static_cast<std::size_t>(label) >= question.choices.size()) {
      throw BadRow(
          {list_, row,
           fmt::format("a label from {} to {}", first_, static_cast<int>(question.choices.size()) - 1 + first_),
           fmt::format("{}", label + first_), ""});
    }
    if (question.label && *question.label != label) {
      throw BadRow({list_, row, fmt::format("the label that {} has itself, {}", file(), *question.label + first_),
                    fmt::format("{}", label + first_), "Do the two files belong together?"});
    }
    question.label = label;
    return true;
  }

  std::unique_ptr<QuestionReader> reader_;
  std::string list_;
  int first_;
  std::vector<int> labels_;
};

}  // namespace

std::unique_ptr<QuestionReader> with_labels(std::unique_ptr<QuestionReader> reader, const fs::path& list, int first) {
  return std::make_unique<LabelledReader>(std::move(reader), list, first);
}

}  // namespace gumption
