#include "gumption/text/tokenizer_files.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/text/wordpiece.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Action>
std::string complaint_of(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no complaint)";
}

std::string wordpiece_complaint(const std::string& vocabulary, const std::string& config = "") {
  return complaint_of([&] { parse_wordpiece(vocabulary, "v.txt", config, "c.json"); });
}

std::string bpe_complaint(const std::string& vocabulary, const std::string& merges) {
  return complaint_of([&] { parse_bpe(vocabulary, "v.json", merges, "m.txt"); });
}

std::string json_complaint(const std::string& json) {
  return complaint_of([&] { parse_tokenizer_json(json, "t.json"); });
}

TEST(TokenizerFiles, WordPieceIsUncasedUnlessTheConfigSaysOtherwise) {
  const std::string vocabulary = "[UNK]\na\nA\né\n##a\n";
  EXPECT_THAT(parse_wordpiece(vocabulary, "v.txt")->encode("A é aa"), ElementsAre(1, 0, 1, 4));
  const auto cased = parse_wordpiece(vocabulary, "v.txt", R"({"do_lower_case":false})", "c.json");
  EXPECT_THAT(cased->encode("A é"), ElementsAre(2, 3));
  const auto accents = parse_wordpiece(vocabulary, "v.txt", R"({"strip_accents":false})", "c.json");
  EXPECT_THAT(accents->encode("A É"), ElementsAre(1, 3));
}

TEST(TokenizerFiles, FoldersAreToldByTheirFiles) {
  const test::TemporaryFolder folder;
  folder.write("wordpiece/vocab.txt", "[UNK]\na\n");
  folder.write("bytes/encoder.json", R"({"a":0,"b":1,"ab":2})");
  folder.write("bytes/vocab.bpe", "#version: 0.2\na b\n");
  folder.write("gpt/encoder_bpe_40000.json", R"({"<unk>":0,"a":1,"b</w>":2,"ab</w>":3})");
  folder.write("gpt/vocab_40000.bpe", "#version: 0.2\na b</w>\n");
  EXPECT_EQ(load_tokenizer(folder / "wordpiece")->kind(), "wordpiece");
  EXPECT_EQ(load_tokenizer(folder / "wordpiece/vocab.txt")->kind(), "wordpiece");
  EXPECT_THAT(load_tokenizer(folder / "bytes")->encode("aab"), ElementsAre(0, 2));
  EXPECT_THAT(load_tokenizer(folder / "gpt")->encode("AB b"), ElementsAre(3, 2));
}

TEST(TokenizerFiles, SayWhatIsMissing) {
  const test::TemporaryFolder folder;
  folder.write("half/vocab.json", "{}");
  folder.write("other/readme.md", "");
  EXPECT_THAT(complaint_of([&] { load_tokenizer(folder / "half"); }), HasSubstr("only vocab.json"));
  EXPECT_THAT(complaint_of([&] { load_tokenizer(folder / "other"); }), HasSubstr("none of them"));
  EXPECT_THAT(complaint_of([&] { load_tokenizer(folder / "absent"); }), HasSubstr("nothing"));
}

TEST(TokenizerFiles, BadVocabulariesAreRefused) {
  EXPECT_THAT(wordpiece_complaint("a\nb\n"), HasSubstr("[UNK]"));
  EXPECT_THAT(wordpiece_complaint(""), HasSubstr("[UNK]"));
  EXPECT_THAT(wordpiece_complaint("[UNK]\na\na\n"), HasSubstr("v.txt:3"));
  EXPECT_THAT(wordpiece_complaint("[UNK]\n\xFF\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(wordpiece_complaint("[UNK]\n", R"({"do_lower_case":"yes"})"), HasSubstr("do_lower_case"));
  EXPECT_THAT(wordpiece_complaint("[UNK]\n", "{"), HasSubstr("c.json"));
  EXPECT_THAT(bpe_complaint(R"({"a":0,"b":0})", ""), HasSubstr("each id once"));
  EXPECT_THAT(bpe_complaint(R"({"a":-1})", ""), HasSubstr("ids from 0"));
  EXPECT_THAT(bpe_complaint(R"({"a":4000000000})", ""), HasSubstr("ids from 0"));
  EXPECT_THAT(bpe_complaint(R"({"a":18446744073709551615})", ""), HasSubstr("smaller"));
  EXPECT_THAT(bpe_complaint(R"({"a":1e300})", ""), HasSubstr("whole number"));
  EXPECT_THAT(bpe_complaint(R"({"a":"0"})", ""), HasSubstr("whole number"));
  EXPECT_THAT(bpe_complaint(R"({"a":0,)", ""), HasSubstr("byte"));
  EXPECT_THAT(bpe_complaint("[1]", ""), HasSubstr("object"));
  EXPECT_THAT(bpe_complaint(std::string(100000, '['), ""), HasSubstr("levels"));
}

TEST(TokenizerFiles, BadMergesAreRefused) {
  const std::string vocabulary = R"({"a":0,"b":1,"ab":2})";
  EXPECT_THAT(bpe_complaint(vocabulary, "#version: 0.2\na b c\n"), HasSubstr("m.txt:2"));
  EXPECT_THAT(bpe_complaint(vocabulary, "ab\n"), HasSubstr("two tokens"));
  EXPECT_THAT(bpe_complaint(vocabulary, "a b\na b\n"), HasSubstr("second time"));
  EXPECT_THAT(bpe_complaint(vocabulary, "b a\n"), HasSubstr("no token \"ba\""));
  EXPECT_THAT(bpe_complaint(vocabulary, "x y\n"), HasSubstr("belong together"));
  EXPECT_THAT(bpe_complaint(vocabulary, std::string("\x80 \x81\n")), HasSubstr("UTF-8"));
}

std::string bpe_json(const std::string& model, const std::string& steps) {
  return R"({"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"])" + model + "}," + steps + "}";
}

TEST(TokenizerJson, TakesBothWaysOfWritingMerges) {
  const std::string steps = R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false})";
  EXPECT_THAT(parse_tokenizer_json(bpe_json("", steps), "t.json")->encode("aab"), ElementsAre(0, 2));
  const std::string pairs = R"({"model":{"vocab":{"a":0,"b":1,"ab":2},"merges":[["a","b"]]},)" + steps + "}";
  EXPECT_THAT(parse_tokenizer_json(pairs, "t.json")->encode("aab"), ElementsAre(0, 2));
}

TEST(TokenizerJson, WhatIsNotSupportedIsRefusedByName) {
  EXPECT_THAT(json_complaint(R"({"model":{"type":"Unigram"}})"), HasSubstr("Unigram"));
  EXPECT_THAT(json_complaint(bpe_json("", R"("pre_tokenizer":{"type":"Metaspace"})")), HasSubstr("Metaspace"));
  const std::string bytes = R"("pre_tokenizer":{"type":"ByteLevel"})";
  EXPECT_THAT(json_complaint(bpe_json("", bytes + R"(,"normalizer":{"type":"NFKC"})")), HasSubstr("NFKC"));
  EXPECT_THAT(json_complaint(bpe_json("", bytes + R"(,"decoder":{"type":"Metaspace"})")), HasSubstr("Metaspace"));
  EXPECT_THAT(json_complaint(bpe_json(R"(,"dropout":0.1)", bytes)), HasSubstr("dropout"));
  EXPECT_THAT(json_complaint(bpe_json(R"(,"byte_fallback":true)", bytes)), HasSubstr("byte_fallback"));
  EXPECT_THAT(json_complaint(bpe_json(R"(,"unk_token":"<u>")", bytes)), HasSubstr("<u>"));
  EXPECT_THAT(json_complaint(bpe_json("", bytes + R"(,"post_processor":{"type":"X"})")), HasSubstr("\"X\""));
}

TEST(TokenizerJson, DamagedFilesAreRefused) {
  for (const char* json :
       {"", "{", "[]", "{}", "null", R"({"model":3})", R"({"model":{"type":"WordPiece"}})",
        R"({"model":{"type":"WordPiece","vocab":[]}})", R"({"model":{"type":"BPE","vocab":{}}})",
        R"({"model":{"type":"BPE","vocab":{},"merges":{}}})",
        R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[3]}})",
        R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[["a"]]}})",
        R"({"model":{"type":"WordPiece","vocab":{"a":0}}, "added_tokens":[{"content":"","id":3}]})"}) {
    EXPECT_NE(json_complaint(json), "(no complaint)") << json;
  }
  const std::string bytes = R"("pre_tokenizer":{"type":"ByteLevel"},"added_tokens":)";
  EXPECT_THAT(json_complaint(bpe_json("", bytes + R"([{"content":"x","id":2}])")), HasSubstr("each id once"));
  EXPECT_THAT(json_complaint(bpe_json("", bytes + R"([{"content":"a","id":7}])")), HasSubstr("one id"));
  EXPECT_THAT(json_complaint(bpe_json("", bytes + R"([{"content":"x","id":99999999999}])")), HasSubstr("ids from 0"));
}

}  // namespace
}  // namespace gumption
