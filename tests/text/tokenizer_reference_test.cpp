// Ids, tokens, offsets and decoded text against those of Hugging Face's libraries: fixtures/make_tokenizers.py for the
// small vocabularies here, and the reference data outside for the real ones.

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "gumption/text/tokenizer_files.h"

#include "support/support.h"

namespace gumption {
namespace {

using Json = nlohmann::json;

std::filesystem::path fixture(const std::string& name) {
  return test::source_folder() / "tests/text/fixtures/tokenizers" / name;
}

Json offsets_of(const Encoding& encoding) {
  Json offsets = Json::array();
  for (const TextRange& range : encoding.points) offsets.push_back({range.begin, range.end});
  return offsets;
}

TEST(TokenizerReference, SmallVocabulariesGiveTheReferencesIdsOffsetsAndTexts) {
  std::map<std::string, std::unique_ptr<Tokenizer>> loaded;
  for (const Json& row : Json::parse(test::read_bytes(fixture("expected.json")))) {
    const auto name = row["tokenizer"].get<std::string>();
    const auto text = row["text"].get<std::string>();
    SCOPED_TRACE(name + ": " + Json(text).dump(-1, ' ', true));
    auto& tokenizer = loaded[name];
    if (!tokenizer) tokenizer = load_tokenizer(fixture(name));
    const std::vector<TokenId> ids = tokenizer->encode(text);
    EXPECT_EQ(Json(ids), row["ids"]);
    const Encoding encoding = tokenizer->encode_with_offsets(text);
    EXPECT_EQ(encoding.ids, ids);
    Json tokens = Json::array();
    for (const TokenId id : ids) tokens.push_back(tokenizer->vocabulary().token_of(id));
    EXPECT_EQ(tokens, row["tokens"]);
    EXPECT_EQ(offsets_of(encoding), row["offsets"]);
    EXPECT_EQ(tokenizer->decode(ids), row["decoded"].get<std::string>());
  }
  EXPECT_EQ(loaded.size(), 6U);
}

class RealVocabulary : public testing::TestWithParam<const char*> {};

TEST_P(RealVocabulary, GivesTheReferenceIds) {
  const std::string name = GetParam();
  GUMPTION_NEEDS_SHARED(folder, "data/vocab/" + name);
  GUMPTION_NEEDS_SHARED(golden, "golden/tokenizers.json");
  const auto tokenizer = load_tokenizer(folder);
  const Json rows = Json::parse(test::read_bytes(golden));
  EXPECT_EQ(rows.size(), 241U);
  for (const Json& row : rows) {
    const auto text = row["text"].get<std::string>();
    SCOPED_TRACE(Json(text).dump(-1, ' ', true));
    EXPECT_EQ(Json(tokenizer->encode(text)), row[name]);
    EXPECT_EQ(Json(tokenizer->encode_with_offsets(text).ids), row[name]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RealVocabulary, testing::Values("bert", "gpt1", "gpt2"),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace gumption
