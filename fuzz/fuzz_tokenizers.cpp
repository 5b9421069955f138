// Any bytes as text, with tokenizers of every kind: the fast and the plain way agree, offsets are in order and inside,
// and byte-level ids decode to the same text.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gumption/base/error.h"
#include "gumption/text/tokenizer_files.h"
#include "gumption/text/unicode.h"

namespace {

using namespace gumption;

std::unique_ptr<Tokenizer> make_bytes() {
  std::string json = R"({"model":{"type":"BPE","merges":["t h","th e","a a","aa aa"],"vocab":{)";
  for (char32_t point = 0x21; point < 0x144; ++point) {
    const bool spells_a_byte = point < 0x7F || (point > 0xA0 && point != 0xAD);
    if (!spells_a_byte) continue;
    json += '"';
    if (point == '"' || point == '\\') json += '\\';
    append_point(json, point);
    json += "\":" + std::to_string(point) + ",";
  }
  json +=
      R"("th":1000,"the":1001,"aa":1002,"aaaa":1003}},"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false}})";
  return parse_tokenizer_json(json, "bytes");
}

std::vector<std::unique_ptr<Tokenizer>> make_all() {
  std::vector<std::unique_ptr<Tokenizer>> all;
  all.push_back(make_bytes());
  const char* words = "[UNK]\n[SEP]\na\nb\n##a\n##b\n##ab\n.\nthe\né\n##é\n日\n";
  all.push_back(parse_wordpiece(words, "uncased"));
  all.push_back(parse_wordpiece(words, "cased", R"({"do_lower_case":false})", "config"));
  const char* vocabulary = R"({"<unk>":0,"a":1,"b":2,"a</w>":3,"b</w>":4,"ab</w>":5,"'":6,"'</w>":7,"aa":8})";
  all.push_back(parse_bpe(vocabulary, "gpt1", "a b</w>\na a\n", "merges"));
  all.push_back(parse_bpe(vocabulary, "gpt1", "a b</w>\na a\n", "merges", {.gpt1_words = Gpt1Words::kOriginal}));
  return all;
}

void check(const Tokenizer& tokenizer, std::string_view text) {
  const Encoding encoding = tokenizer.encode_with_offsets(text);
  ensure(tokenizer.encode(text) == encoding.ids, "the fast way gives other ids");
  TextRange last;
  for (const TextRange& range : encoding.bytes) {
    const bool ordered = range.begin <= range.end && last.begin <= range.begin && last.end <= range.end;
    ensure(ordered && range.end <= text.size(), "an offset out of order or outside");
    last = range;
  }
  const std::string decoded = tokenizer.decode(encoding.ids);
  if (tokenizer.kind() == "byte-level bpe") ensure(decoded == replace_invalid_utf8(text), "bytes were lost");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto tokenizers = make_all();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& tokenizer : tokenizers) check(*tokenizer, text);
  return 0;
}
