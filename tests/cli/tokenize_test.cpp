// gumption tokenize, as a user sees it.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/shell.h"
#include "support/support.h"

namespace gumption {
namespace {

using test::gumption;
using test::RunResult;
using testing::HasSubstr;

std::string fixture(const std::string& name) {
  return (test::source_folder() / "tests/text/fixtures/tokenizers" / name).string();
}

test::RunOptions with_input(const std::string& input) {
  test::RunOptions options;
  options.input = input;
  return options;
}

/// A vocabulary small enough to read: [UNK] 0, he 1, runs 2, ##s 3, run 4, . 5
std::string tiny(const test::TemporaryFolder& folder) {
  return folder.write("tiny/vocab.txt", "[UNK]\nhe\nruns\n##s\nrun\n.\n").parent_path().string();
}

TEST(Tokenize, PrintsIdsTokensOrOffsets) {
  const test::TemporaryFolder folder;
  const std::string input = "\"He runs.\"\n\"\"\n\"héhé he\"\n";
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", tiny(folder)}, with_input(input)).out, "[1,2,5]\n[]\n[0,1]\n");
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", tiny(folder), "--tokens"}, with_input(input)).out,
            "[\"he\",\"runs\",\".\"]\n[]\n[\"[UNK]\",\"he\"]\n");
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", tiny(folder), "--offsets"}, with_input(input)).out,
            "[[0,2],[3,7],[7,8]]\n[]\n[[0,4],[5,7]]\n");
}

TEST(Tokenize, DecodesIds) {
  const test::TemporaryFolder folder;
  const RunResult result =
      gumption({"tokenize", "--tokenizer", tiny(folder), "--decode"}, with_input("[1,4,3,5]\n[]\n"));
  EXPECT_EQ(result.out, "\"he runs.\"\n\"\"\n");
  const RunResult bad = gumption({"tokenize", "--tokenizer", tiny(folder), "--decode"}, with_input("[1]\n[6]\n"));
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("standard input:2: expected ids of this vocabulary, found 6"));
}

TEST(Tokenize, KeepsTheOrderOfManyLines) {
  const test::TemporaryFolder folder;
  std::string input;
  std::string expected;
  for (int i = 0; i < 20000; ++i) {
    input += i % 3 == 0 ? "\"he\"\n" : "\"runs he\"\n";
    expected += i % 3 == 0 ? "[1]\n" : "[2,1]\n";
  }
  const auto file = folder.write("lines", input);
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", tiny(folder), "--threads", "3", file.string()}).out, expected);
}

TEST(Tokenize, RoundTripsThroughBytes) {
  const std::string text = R"("naïve 😀 — \"quoted\"\n\ttabs <|endoftext|>")";
  const RunResult ids = gumption({"tokenize", "--tokenizer", fixture("bytes")}, with_input(text + "\n"));
  const RunResult back = gumption({"tokenize", "--tokenizer", fixture("bytes"), "--decode"}, with_input(ids.out));
  EXPECT_EQ(nlohmann::json::parse(back.out), nlohmann::json::parse(text));
}

TEST(Tokenize, ReplacesOrRefusesWhatIsNotUtf8) {
  const std::string input = "\"ok\"\n\"b\xFF\"\n";
  const RunResult replaced = gumption({"tokenize", "--tokenizer", fixture("bytes")}, with_input(input));
  EXPECT_EQ(replaced.exit_code, 0);
  const RunResult shown = gumption({"tokenize", "--tokenizer", fixture("bytes"), "--decode"}, with_input(replaced.out));
  EXPECT_EQ(shown.out, "\"ok\"\n\"b\uFFFD\"\n");
  const RunResult refused =
      gumption({"tokenize", "--tokenizer", fixture("bytes"), "--invalid", "refuse"}, with_input(input));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("standard input:2: expected UTF-8 text, found byte 0xFF at position 2"));
}

TEST(Tokenize, HalfASurrogatePairIsReplacedOrRefused) {
  const std::string input = "\"a\\ud83d b\\ude00 \\ud83d\\ude00 \\\\ud83d\"\n";
  const RunResult ids = gumption({"tokenize", "--tokenizer", fixture("bytes")}, with_input(input));
  const RunResult back = gumption({"tokenize", "--tokenizer", fixture("bytes"), "--decode"}, with_input(ids.out));
  EXPECT_EQ(back.out, "\"a\uFFFD b\uFFFD 😀 \\\\ud83d\"\n");
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", fixture("bytes"), "--invalid", "refuse"}, with_input(input)).exit_code,
            1);
}

TEST(Tokenize, SaysWhatIsWrong) {
  const RunResult plain = gumption({"tokenize", "--tokenizer", fixture("bytes")}, with_input("not JSON\n"));
  EXPECT_EQ(plain.exit_code, 1);
  EXPECT_THAT(plain.err, HasSubstr("standard input:1: expected a JSON string, found \"not JSON\""));
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", fixture("bytes")}, with_input("3\n")).exit_code, 1);
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", "/nowhere"}, with_input("")).exit_code, 1);
  EXPECT_EQ(gumption({"tokenize"}, with_input("")).exit_code, 2);
  EXPECT_EQ(gumption({"tokenize", "--tokenizer", fixture("bytes"), "--tokens", "--decode"}).exit_code, 2);
  EXPECT_EQ(gumption({"tokenize", "--train", "bpe"}).exit_code, 2);
}

TEST(Tokenize, TrainsWhatItThenLoads) {
  const test::TemporaryFolder folder;
  const std::string text = (test::source_folder() / "tests/text/fixtures/training.txt").string();
  for (const std::string kind : {"wordpiece", "bpe"}) {
    const std::string out = (folder / kind).string();
    const RunResult trained =
        gumption({"tokenize", "--train", kind, "--vocab-size", "400", "--out", out, "--json", text});
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    EXPECT_EQ(nlohmann::json::parse(trained.out)["tokens"], 400);
    const RunResult used = gumption({"tokenize", "--tokenizer", out, "--tokens"}, with_input("\"The man\"\n"));
    EXPECT_THAT(used.out, HasSubstr(kind == "bpe" ? "The" : "the"));
  }
}

TEST(Tokenize, HelpHasExamples) { EXPECT_THAT(gumption({"tokenize", "--help"}).out, HasSubstr("Examples:")); }

}  // namespace
}  // namespace gumption
