#include "gumption/data/dataset.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "gumption/base/error.h"
#include "gumption/base/progress.h"
#include "gumption/data/catalogue.h"
#include "gumption/data/event_format.h"
#include "gumption/data/label_list.h"

namespace gumption {

namespace fs = std::filesystem;

OptionSet describe(ReadOptions& options) {
  std::vector<std::string> names;
  for (const QuestionFormat* format : question_formats()) names.push_back(format->name);
  for (const EventFormat* format : event_formats()) names.push_back(format->name);
  OptionSet set;
  set.add_choice("format", options.format, "Format of the questions, where it isn't told by their content", names);
  set.add_file("labels", options.labels, "Label list, where it isn't STEM-labels.lst beside the questions");
  set.add("limit", options.limit, "Take only the first N questions; 0 takes all");
  return set;
}

namespace {

[[noreturn]] void refuse_unknown(const FileStart& start) {
  const std::string expected = "questions in a known format";
  const auto refuse = [&](const std::string& found, const std::string& advice) {
    throw UserError(Complaint{start.path.string(), 0, expected, found, advice});
  };
  if (const EventFormat* events = guess_event_format(start)) {
    throw UserError(Complaint{start.path.string(), 0, "questions", fmt::format("events ({})", events->name),
                              "`gumption data stats` and `data convert` take events"});
  }
  if (start.is_folder) refuse("a folder", "Name a file in it");
  if (start.bytes.empty()) refuse("an empty file", "Check the name");
  if (start.bytes.starts_with("\xFF\xFE") || start.bytes.starts_with("\xFE\xFF")) {
    refuse("UTF-16", "Convert the file first, for example with iconv -f UTF-16 -t UTF-8");
  }
  if (start.bytes.find('\0') != std::string::npos) refuse("binary data", "Check the name");
  refuse("something else", "Say which with --format");
  throw InternalError("refuse throws");
}

}  // namespace

OpenedQuestions open_questions(const fs::path& path, const ReadOptions& options) {
  const fs::path found = find_data_file(path);
  StartedInput input = start_input(found);
  OpenedQuestions opened;
  opened.format = options.format.empty() ? guess_question_format(input.start) : &question_format(options.format);
  if (opened.format == nullptr) refuse_unknown(input.start);
  if (input.start.is_folder && opened.format->name != "race") {
    throw UserError(fmt::format("{}: can't read it: Is a directory. Name a file in it.", found.string()));
  }
  opened.reader = opened.format->open({found, std::move(input.source)});
  opened.labels = options.labels;
  if (opened.labels.empty() && found != "-" && fs::exists(label_list_beside(found))) {
    opened.labels = label_list_beside(found);
    opened.labels_were_found = true;
  }
  if (!opened.labels.empty()) {
    opened.reader = with_labels(std::move(opened.reader), opened.labels, opened.format->first_label);
  }
  return opened;
}

namespace {

/// An opened file, how far it is read, and where its questions come from.
class QuestionSource {
 public:
  QuestionSource(const fs::path& path, const ReadOptions& options)
      : opened_(open_questions(path, options)),
        limit_(options.limit),
        progress_("reading " + path.filename().string(), "B", opened_.reader->position().total),
        source_{path, opened_.format->name, opened_.labels, opened_.labels_were_found, 0} {}

  bool next(Question& question) {
    if (limit_ != 0 && source_.questions == limit_) return false;
    if (!opened_.reader->next(question)) return false;
    // The clock is looked at now and then only: a row takes less than a microsecond.
    constexpr std::size_t kRowsPerLook = 32;
    if (++source_.questions % kRowsPerLook == 0) progress_.set(opened_.reader->position().done);
    return true;
  }

  const SourceFile& source() const { return source_; }

 private:
  OpenedQuestions opened_;
  std::uint64_t limit_;
  Progress progress_;
  SourceFile source_;
};

}  // namespace

SourceFile for_each_question(const fs::path& path, const ReadOptions& options,
                             const std::function<void(const Question&)>& take,
                             const std::function<void(const SourceFile&)>& opened) {
  QuestionSource source(path, options);
  if (opened) opened(source.source());
  Question question;
  while (source.next(question)) take(question);
  return source.source();
}

Dataset read_dataset(std::span<const fs::path> paths, const ReadOptions& options) {
  Dataset dataset;
  for (const fs::path& path : paths) {
    QuestionSource source(path, options);
    while (source.next(dataset.questions.emplace_back())) {
    }
    dataset.questions.pop_back();
    dataset.sources.push_back(source.source());
  }
  if (!paths.empty()) dataset.name = paths.front().stem().string();
  return dataset;
}

void make_ids_unique(Dataset& dataset) {
  std::unordered_set<std::string_view> seen;
  const bool unique = std::all_of(dataset.questions.begin(), dataset.questions.end(),
                                  [&](const Question& question) { return seen.insert(question.id).second; });
  if (unique || dataset.sources.size() < 2) return;
  std::size_t next = 0;
  for (const SourceFile& source : dataset.sources) {
    const std::string prefix = source.path.stem().string() + "-";
    for (std::size_t i = 0; i < source.questions; ++i) dataset.questions[next++].id.insert(0, prefix);
  }
}

Dataset read_dataset(const fs::path& path, const ReadOptions& options) {
  return read_dataset(std::span<const fs::path>(&path, 1), options);
}

}  // namespace gumption
