// Writing and reading again is the identity on the fields that a format has, for every format, over random questions.

#include <gtest/gtest.h>

#include "gumption/base/random.h"
#include "gumption/data/event_format.h"
#include "gumption/data/pronoun_question.h"
#include "gumption/data/question_types.h"

#include "data_support.h"
#include "support/support.h"

namespace gumption {
namespace {

/// Text with the characters that make formats stumble.
std::string random_text(RandomStream& random, bool one_line) {
  static const std::vector<std::string> pieces = {
      "a",    "Z",  "7", " ", "word", "\"", "''", ",",    ";", "&",      "<b>", "]]>", "\\",     "\\n",    "é",
      "日本", "😀", "|", "%", "'s",   "\t", "\n", "\"\"", "#", "[MASK]", "{",   "}",   "\u00A0", "\u2028", "--"};
  std::string text;
  const std::size_t count = random.below(12) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& piece = pieces[random.below(pieces.size())];
    if (one_line && (piece == "\n" || piece == "\t")) continue;
    text += piece;
  }
  return text;
}

/// A word that no rule trims or cuts.
std::string random_word(RandomStream& random) {
  std::string word(1, static_cast<char>('a' + random.below(26)));
  for (std::size_t i = random.below(6); i > 0; --i) word += static_cast<char>('a' + random.below(26));
  return word;
}

struct Shape {
  std::size_t choices = 4;
  bool has_question = true;
  bool has_context = true;
  bool asks = false;
};

Question random_question(RandomStream& random, const Shape& shape, std::size_t number) {
  Question question;
  question.id = std::to_string(number);
  if (shape.has_context) question.context = random_text(random, false);
  if (shape.has_question) question.question = random_text(random, false);
  for (std::size_t i = 0; i < shape.choices; ++i) question.choices.push_back(random_text(random, false));
  question.label = static_cast<int>(random.below(shape.choices));
  if (shape.asks) question.notes.asks_for = random.below(2) == 0 ? AsksFor::kCause : AsksFor::kEffect;
  return question;
}

class RoundTrip : public testing::Test {
 protected:
  std::vector<Question> through(const std::string& format, const std::vector<Question>& questions) {
    const auto path = folder_ / ("file" + std::to_string(files_++) + question_format(format).extension);
    const auto writer = question_format(format).create(path);
    for (const Question& question : questions) writer->write(question);
    writer->commit();
    return test::read_questions(path, format);
  }

  std::vector<Question> random_questions(const Shape& shape, std::size_t count = 300) {
    std::vector<Question> questions;
    for (std::size_t i = 0; i < count; ++i) questions.push_back(random_question(random_, shape, i + 1));
    return questions;
  }

  test::TemporaryFolder folder_;
  RandomStream random_{2024};
  std::size_t files_ = 0;
};

TEST_F(RoundTrip, Native) {
  std::vector<Question> questions;
  for (std::size_t i = 0; i < 300; ++i) {
    Shape shape;
    shape.choices = 2 + random_.below(5);
    shape.asks = random_.below(2) == 0;
    Question question = random_question(random_, shape, i);
    question.id = random_text(random_, false);
    if (random_.below(3) == 0) question.label.reset();
    question.notes.category = random_word(random_);
    question.notes.author = random_text(random_, false);
    question.notes.source_event = random_text(random_, false);
    question.notes.split = "dev";
    question.notes.other["list"] = R"([1,2.5,{"x":null}])";
    for (std::size_t k = 0; k < shape.choices; ++k) question.notes.choice_kinds.push_back(random_word(random_));
    questions.push_back(std::move(question));
  }
  EXPECT_EQ(through("native", questions), questions);
}

TEST_F(RoundTrip, CopaXml) {
  const auto questions = random_questions({.choices = 2, .has_question = false, .asks = true});
  EXPECT_EQ(through("copa-xml", questions), questions);
}

TEST_F(RoundTrip, SuperGlueCopa) {
  const auto questions = random_questions({.choices = 2, .has_question = false, .asks = true});
  EXPECT_EQ(through("superglue-copa", questions), questions);
}

TEST_F(RoundTrip, SocialIqa) {
  auto questions = random_questions({.choices = 3});
  for (Question& question : questions) question.notes.question_type = social_question_type(question.question);
  EXPECT_EQ(through("social-iqa", questions), questions);
  for (Question& question : questions) question.label.reset();
  EXPECT_EQ(through("social-iqa", questions), questions);
}

TEST_F(RoundTrip, SocialIqaKeepsItsHandsOffForeignLabels) {
  folder_.write("dev-labels.lst", "1\n");
  const auto writer = question_format("social-iqa").create(folder_ / "dev.jsonl");
  writer->write(test::make_question("c", "q", {"a", "b", "c"}));
  EXPECT_THROW(writer->commit(), UserError);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "dev.jsonl"));
}

TEST_F(RoundTrip, CosmosQa) {
  const auto questions = random_questions({});
  EXPECT_EQ(through("cosmos-csv", questions), questions);
  EXPECT_EQ(through("cosmos-jsonl", questions), questions);
}

TEST_F(RoundTrip, Codah) {
  auto questions = random_questions({.has_question = false});
  const std::vector<std::string> categories = {"idioms",       "reference", "polysemy", "negation",
                                               "quantitative", "other",     "",         "idioms+negation"};
  for (Question& question : questions) question.notes.category = categories[random_.below(categories.size())];
  EXPECT_EQ(through("codah", questions), questions);
}

TEST_F(RoundTrip, Swag) {
  auto questions = random_questions({.has_question = false});
  EXPECT_EQ(through("swag", questions), questions);
  for (Question& question : questions) {
    const std::string start = random_word(random_);
    for (auto& choice : question.choices) choice = start + " " + choice;
    question.notes.other["sent2"] = "\"" + start + "\"";
    question.notes.other["video-id"] = "\"v1\"";
    question.notes.other["gold-source"] = "\"gen\"";
  }
  EXPECT_EQ(through("swag", questions), questions);
}

TEST_F(RoundTrip, Race) {
  auto questions = random_questions({.choices = 4}, 40);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::size_t article = i / 3;
    questions[i].id = "a" + std::to_string(article) + ".txt/" + std::to_string(i % 3);
    questions[i].context = "Article " + std::to_string(article);
    questions[i].notes.category = "middle";
    questions[i].notes.split = "dev";
  }
  EXPECT_EQ(through("race", questions), questions);
}

TEST_F(RoundTrip, CommonsenseQa) {
  auto questions = random_questions({.choices = 5, .has_context = false});
  for (Question& question : questions) question.notes.other["question_concept"] = "\"door\"";
  EXPECT_EQ(through("commonsense-qa", questions), questions);
}

TEST_F(RoundTrip, PronounFormats) {
  for (const std::string format : {"wsc-xml", "wsc-text", "dpr"}) {
    std::vector<Question> questions;
    for (std::size_t i = 0; i < 200; ++i) {
      PronounText text;
      text.before = random_word(random_) + " " + random_word(random_) + "x";
      text.pronoun = format == "wsc-text" ? "[MASK]" : "it";
      text.after = random_.below(4) == 0 ? "'s " + random_word(random_) + "." : random_word(random_) + ".";
      text.gap_after = text.after[0] != '\'';
      Question question;
      question.id = std::to_string(i + 1);
      fill_pronoun_question(text, {"The " + random_word(random_), random_word(random_) + "q"}, question);
      question.label = static_cast<int>(random_.below(2));
      questions.push_back(std::move(question));
    }
    EXPECT_EQ(through(format, questions), questions) << format;
  }
}

TEST_F(RoundTrip, AQuestionThatAFormatCannotSayIsRefusedAndNothingIsWritten) {
  const auto path = folder_ / "out.xml";
  EXPECT_THROW(
      {
        const auto writer = question_format("copa-xml").create(path);
        writer->write(test::make_question("P", "", {"a", "b", "c"}, 0));
      },
      UserError);
  EXPECT_FALSE(std::filesystem::exists(path));
}

std::vector<Event> events_through(const std::string& format, const std::vector<Event>& events,
                                  const std::filesystem::path& path) {
  const EventFormat& chosen = *find_event_format(format);
  const auto writer = chosen.create(path);
  for (const Event& event : events) writer->write(event);
  writer->commit();
  std::vector<Event> read;
  for_each_event(path, format, [&](const Event& event) { read.push_back(event); });
  return read;
}

std::vector<std::string> random_values(RandomStream& random) {
  std::vector<std::string> values;
  for (std::size_t i = random.below(4); i > 0; --i) values.push_back(random_text(random, false));
  return values;
}

TEST_F(RoundTrip, Events) {
  std::vector<Event> atomic;
  std::vector<Event> mind;
  std::vector<Event> atomic_2020;
  for (int i = 0; i < 100; ++i) {
    Event event;
    event.text = random_text(random_, false);
    event.split = "trn";
    event.other["prefix"] = R"(["x"])";
    for (const char* name : {"oEffect", "oReact", "oWant", "xAttr", "xEffect", "xIntent", "xNeed", "xReact", "xWant"}) {
      event.inferences.push_back({name, random_values(random_)});
    }
    atomic.push_back(event);

    Event other;
    other.text = random_text(random_, false);
    other.source = random_word(random_);
    other.other["Osent"] = "3";
    for (const char* name : {"Xintent", "Xemotion", "Otheremotion"})
      other.inferences.push_back({name, random_values(random_)});
    mind.push_back(other);

    Event single;
    single.text = "PersonX " + random_text(random_, true);
    single.inferences.push_back({"xNeed", {random_word(random_), "none", random_word(random_) + " \"quoted\""}});
    atomic_2020.push_back(single);
  }
  EXPECT_EQ(events_through("atomic-v4", atomic, folder_ / "a.csv"), atomic);
  EXPECT_EQ(events_through("native-events", atomic, folder_ / "a.jsonl"), atomic);
  EXPECT_EQ(events_through("event2mind", mind, folder_ / "m.csv"), mind);
  EXPECT_EQ(events_through("atomic-2020", atomic_2020, folder_ / "t.tsv"), atomic_2020);
}

}  // namespace
}  // namespace gumption
