#include "gumption/data/formats/race.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gumption/base/atomic_folder.h"
#include "gumption/base/error.h"
#include "gumption/data/format_kit.h"

namespace gumption {

namespace fs = std::filesystem;

namespace {

/// "high10.txt" after "high9.txt": numbers in names compare as numbers.
bool comes_before(const fs::path& left, const fs::path& right) {
  const std::string a = left.string();
  const std::string b = right.string();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (digit(a[i]) && digit(b[j])) {
      const std::size_t i_end = std::min(a.find_first_not_of("0123456789", i), a.size());
      const std::size_t j_end = std::min(b.find_first_not_of("0123456789", j), b.size());
      const std::string first = a.substr(i, i_end - i);
      const std::string second = b.substr(j, j_end - j);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
      i = i_end;
      j = j_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

bool is_grade(const fs::path& folder) { return folder == "middle" || folder == "high"; }
bool is_split(const fs::path& folder) { return folder == "train" || folder == "dev" || folder == "test"; }

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && (extension == ".txt" || extension == ".json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end(), comes_before);
  return files;
}

class Reader final : public QuestionReader {
 public:
  explicit Reader(QuestionInput input)
      : root_(input.path), file_(input.path.string()), single_(std::move(input.source)) {
    if (!single_) files_ = files_below(root_);
  }

  const std::string& file() const override { return file_; }
  std::size_t line() const override { return 1; }
  ReadPosition position() const override { return {next_file_, files_.size()}; }

 private:
  bool read_row(Question& question) override {
    while (next_question_ >= article_["questions"].size()) {
      if (!next_article()) return false;
    }
    const std::size_t index = next_question_++;
    question.id = fmt::format("{}/{}", article_.value("id", fs::path(file_).filename().string()), index);
    question.context = article_["article"].get<std::string>();
    question.question = article_["questions"][index].get<std::string>();
    question.choices = article_["options"][index].get<std::vector<std::string>>();
    if (article_.contains("answers")) {
      const std::string answer = article_["answers"][index].get<std::string>();
      question.label = label_of_letter(answer);
      if (!question.label) refuse("a letter as answer", in_quotes(answer));
    }
    for (const auto& folder : fs::path(file_).lexically_relative(root_).parent_path()) {
      if (is_grade(folder)) question.notes.category = folder.string();
      if (is_split(folder)) question.notes.split = folder.string();
    }
    return true;
  }

  bool next_article() {
    std::string bytes;
    if (single_) {
      bytes = read_all(*single_, std::uint64_t{1} << 28);
      single_.reset();
    } else {
      if (next_file_ == files_.size()) return false;
      file_ = files_[next_file_++].string();
      bytes = read_all(*open_input(file_), std::uint64_t{1} << 28);
    }
    article_ = {};
    next_question_ = 0;
    article_ = parse(bytes);
    return true;
  }

  nlohmann::json parse(const std::string& bytes) const {
    nlohmann::json article;
    try {
      article = nlohmann::json::parse(bytes);
    } catch (const nlohmann::json::exception& error) {
      refuse("one JSON object", error.what());
    }
    const auto texts = [](const nlohmann::json& list) {
      return list.is_array() &&
             std::all_of(list.begin(), list.end(), [](const auto& item) { return item.is_string(); });
    };
    if (!article.is_object() || !article.contains("article") || !article["article"].is_string()) {
      refuse("an object with a text \"article\"", "none");
    }
    if (!article.contains("questions") || !texts(article["questions"])) refuse("a list of texts \"questions\"", "none");
    const std::size_t count = article["questions"].size();
    if (!article.contains("options") || !article["options"].is_array() || article["options"].size() != count ||
        !std::all_of(article["options"].begin(), article["options"].end(), texts)) {
      refuse(fmt::format("a list of {} lists of texts \"options\"", count), "something else");
    }
    if (article.contains("answers") && (!texts(article["answers"]) || article["answers"].size() != count)) {
      refuse(fmt::format("a list of {} letters \"answers\"", count), "something else");
    }
    if (article.contains("id") && !article["id"].is_string()) refuse("text as \"id\"", "something else");
    return article;
  }

  fs::path root_;
  std::string file_;
  std::unique_ptr<ByteSource> single_;  // when one article's file is read instead of a folder
  std::vector<fs::path> files_;
  std::size_t next_file_ = 0;
  nlohmann::json article_ = {{"questions", nlohmann::json::array()}};
  std::size_t next_question_ = 0;
};

/// Writes a folder of articles: consecutive questions about one context are one file. The folder is filled under
/// another name and renamed at the end; it must not be there before.
class Writer final : public QuestionWriter {
 public:
  explicit Writer(const fs::path& folder) : folder_(folder) {}

  void write(const Question& question) override {
    const std::string id = question.id.substr(0, question.id.rfind('/'));
    const fs::path folder = folder_of(question.notes);
    if (!article_.is_null() && (article_["article"] != question.context || article_["id"] != id ||
                                article_folder_ != folder || !same_labelling(question))) {
      finish_article();
    }
    if (article_.is_null()) {
      article_["answers"] = nlohmann::json::array();
      article_["options"] = nlohmann::json::array();
      article_["questions"] = nlohmann::json::array();
      article_["article"] = question.context;
      article_["id"] = id;
      article_folder_ = folder;
      labelled_ = question.label.has_value();
    }
    if (question.label) article_["answers"].push_back(letter_of_label(*question.label));
    article_["options"].push_back(question.choices);
    article_["questions"].push_back(question.question);
  }

  void commit() override {
    if (!article_.is_null()) finish_article();
    folder_.commit();
  }

 private:
  /// "train/high": where RACE keeps such questions.
  static fs::path folder_of(const Notes& notes) {
    fs::path folder;
    if (is_split(notes.split)) folder /= notes.split;
    if (is_grade(notes.category)) folder /= notes.category;
    return folder;
  }

  bool same_labelling(const Question& question) const { return question.label.has_value() == labelled_; }

  void finish_article() {
    if (!labelled_) article_.erase("answers");
    const fs::path folder = folder_.filling() / article_folder_;
    fs::create_directories(folder);
    write_file(folder / fmt::format("{}.txt", ++articles_), article_.dump());
    article_ = nullptr;
  }

  AtomicFolder folder_;
  nlohmann::ordered_json article_;
  fs::path article_folder_;
  bool labelled_ = false;
  std::size_t articles_ = 0;
};

bool recognises(const FileStart& start) {
  if (!start.is_folder) return start.json_has("article") && start.json_has("options");
  // Another benchmark's folder isn't RACE: one article tells.
  for (const auto& file : files_below(start.path)) {
    const StartedInput input = start_input(file);
    return input.start.json_has("article") && input.start.json_has("questions");
  }
  return false;
}

}  // namespace

const QuestionFormat& race_format() {
  static const QuestionFormat format{
      "race",
      "RACE's folders of JSON files",
      "",
      0,
      recognises,
      [](QuestionInput input) -> std::unique_ptr<QuestionReader> { return std::make_unique<Reader>(std::move(input)); },
      create_with<Writer>};
  return format;
}

}  // namespace gumption
