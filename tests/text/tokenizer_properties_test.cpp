// What must hold for any text, tried on random Unicode with each kind of tokenizer.

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gumption/base/error.h"
#include "gumption/base/random.h"
#include "gumption/text/byte_bpe.h"
#include "gumption/text/tokenizer_files.h"
#include "gumption/text/unicode.h"

#include "support/support.h"

namespace gumption {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tokenizer& tokenizer_named(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Tokenizer>> loaded;
  auto& tokenizer = loaded[name];
  if (!tokenizer) tokenizer = load_tokenizer(test::source_folder() / "tests/text/fixtures/tokenizers" / name);
  return *tokenizer;
}

char32_t random_point(RandomStream& random) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  static constexpr Range kRanges[] = {{0x20, 0x7E},     {0x00, 0x1F},     {0x80, 0x24F},      {0x300, 0x36F},
                                      {0x370, 0x5FF},   {0x2000, 0x206F}, {0x3000, 0x30FF},   {0x4E00, 0x4FFF},
                                      {0xAC00, 0xACFF}, {0xF900, 0xFFFD}, {0x10000, 0x10FFFF}};
  const Range& range = kRanges[random.below(std::size(kRanges))];
  return range.first + static_cast<char32_t>(random.below(range.last - range.first + 1));
}

/// Valid UTF-8 with words, white space, marks, special tokens and rare points.
std::string random_text(RandomStream& random) {
  static const std::vector<std::string> kPieces = {" ",     "  ",    "\n", "\r\n",   "the",  "don't",         "[SEP]",
                                                   "[UNK]", "<unk>", "'s", "\u0301", "é",    "123",           ".",
                                                   "…",     "日本",  "한", "<mask>", "Word", "<|endoftext|>", "\t"};
  std::string text;
  for (std::uint64_t left = random.below(20); left > 0; --left) {
    if (random.below(2) == 0) {
      text += kPieces[random.below(kPieces.size())];
    } else {
      append_point(text, random_point(random));
    }
  }
  return text;
}

std::string random_bytes(RandomStream& random) {
  std::string bytes = random_text(random);
  for (char& byte : bytes) {
    if (random.below(8) == 0) byte = static_cast<char>(random.below(256));
  }
  return bytes;
}

void expect_ordered_inside(const std::vector<TextRange>& ranges, std::size_t size) {
  TextRange last;
  for (const TextRange& range : ranges) {
    EXPECT_LE(range.begin, range.end);
    EXPECT_LE(last.begin, range.begin);
    EXPECT_LE(last.end, range.end);
    EXPECT_LE(range.end, size);
    last = range;
  }
}

class EveryTokenizer : public testing::TestWithParam<const char*> {};

TEST_P(EveryTokenizer, KeepsOffsetsInOrderAndInside) {
  const Tokenizer& tokenizer = tokenizer_named(GetParam());
  RandomStream random(11, GetParam());
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_bytes(random);
    SCOPED_TRACE(in_quotes(text, 200));
    const Encoding encoding = tokenizer.encode_with_offsets(text);
    EXPECT_EQ(encoding.ids, tokenizer.encode(text));
    expect_ordered_inside(encoding.bytes, text.size());
    expect_ordered_inside(encoding.points, count_points(replace_invalid_utf8(text)));
    EXPECT_EQ(find_invalid_utf8(tokenizer.decode(encoding.ids)), std::nullopt);
  }
}

TEST_P(EveryTokenizer, ServesManyThreads) {
  const Tokenizer& tokenizer = tokenizer_named(GetParam());
  RandomStream random(12, GetParam());
  std::vector<std::string> texts;
  std::vector<std::vector<TokenId>> expected;
  for (int i = 0; i < 400; ++i) {
    texts.push_back(random_text(random));
    expected.push_back(tokenizer.encode_with_offsets(texts.back()).ids);
  }
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < wrong.size(); ++worker) {
    threads.emplace_back([&, worker] {
      EncodeScratch scratch(tokenizer);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t at = (i * 7 + worker) % texts.size();
        std::vector<TokenId> ids;
        tokenizer.encode(texts[at], scratch, ids);
        if (ids != expected[at] || tokenizer.encode(texts[at]) != expected[at]) ++wrong[worker];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

TEST_P(EveryTokenizer, TakesWordsAsLongAsATextInTime) {
  const Tokenizer& tokenizer = tokenizer_named(GetParam());
  for (const char* part : {"a", "ab", "'", ".", "é", "\u0301", " ", "[SE", "日"}) {
    std::string text;
    while (text.size() < 200000) text += part;
    EXPECT_EQ(tokenizer.encode(text), tokenizer.encode_with_offsets(text).ids);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryTokenizer,
                         testing::Values("uncased", "cased", "bytes", "gpt1", "roberta", "bert-json"),
                         [](const auto& given) {
                           std::string name = given.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(ByteBpe, DecodesToTheSameText) {
  const Tokenizer& tokenizer = tokenizer_named("bytes");
  RandomStream random(13);
  for (int round = 0; round < 5000; ++round) {
    const std::string text = random_text(random);
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

/// Ids of the lines, each encoded by itself.
std::vector<TokenId> ids_by_line(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<TokenId> ids;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const TokenId id : tokenizer.encode(text.substr(0, end))) ids.push_back(id);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return ids;
}

TEST(BertWords, SplittingAtLineEndsChangesNoId) {
  RandomStream random(14);
  for (const char* name : {"uncased", "cased", "gpt1"}) {
    const Tokenizer& tokenizer = tokenizer_named(name);
    for (int round = 0; round < 2000; ++round) {
      const std::string text = random_text(random) + "\n" + random_text(random);
      EXPECT_EQ(tokenizer.encode(text), ids_by_line(tokenizer, text)) << in_quotes(text, 200);
    }
  }
}

TEST(InvalidUtf8, IsRefusedWithItsPosition) {
  const Tokenizer& tokenizer = tokenizer_named("bytes");
  try {
    tokenizer.encode("good \xFF bad", InvalidUtf8::kRefuse);
    FAIL() << "nothing was refused";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("0xFF at position 5"));
  }
}

TEST(InvalidUtf8, IsReplacedAndItsPlaceKept) {
  const Tokenizer& tokenizer = tokenizer_named("bytes");
  const std::string text = "a\xF0\x9F\x98z";  // three bytes of four: one replacement
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), "a\uFFFDz");
  const Encoding encoding = tokenizer.encode_with_offsets(text);
  EXPECT_EQ(encoding.bytes.back(), (TextRange{4, 5}));
  EXPECT_EQ(encoding.points.back(), (TextRange{2, 3}));
  EXPECT_EQ(encoding.bytes[1], (TextRange{1, 4}));
}

TEST(Decode, RefusesIdsOfOtherVocabularies) {
  const Tokenizer& tokenizer = tokenizer_named("uncased");
  EXPECT_THROW(tokenizer.decode(std::vector<TokenId>{1000000}), UserError);
  EXPECT_THROW(tokenizer.decode(std::vector<TokenId>{-1}), UserError);
  EXPECT_EQ(tokenizer.decode({}), "");
}

TEST(Decode, LeavesSpecialTokensOutOnRequest) {
  const Tokenizer& tokenizer = tokenizer_named("uncased");
  const auto ids = tokenizer.encode("[CLS] the [SEP]");
  EXPECT_EQ(tokenizer.decode(ids), "[CLS] the [SEP]");
  EXPECT_EQ(tokenizer.decode(ids, {.skip_special = true}), "the");
}

TEST(ByteBpe, DecodesHalfACharacterExactly) {
  const auto& tokenizer = dynamic_cast<const ByteBpeTokenizer&>(tokenizer_named("bytes"));
  const std::vector<TokenId> ids = tokenizer.encode("😀");
  ASSERT_GT(ids.size(), 1U);
  const std::vector<TokenId> first = {ids.front()};
  EXPECT_EQ(tokenizer.decode_bytes(ids), "😀");
  EXPECT_EQ(tokenizer.decode_bytes(first)[0], '\xF0');
  EXPECT_EQ(tokenizer.decode(first), "\uFFFD");
}

}  // namespace
}  // namespace gumption
