#pragma once

// The inside of an EncodeScratch; for the tokenizers themselves.

#include <string>
#include <vector>

#include "gumption/text/bert_text.h"
#include "gumption/text/bpe_merges.h"
#include "gumption/text/tokenizer.h"
#include "gumption/text/word_cache.h"

namespace gumption {

struct EncodeScratch::Parts {
  WordCache cache;
  BertText::Scratch bert;
  std::vector<BpeSymbol> symbols;
  BpeMerges::Scratch merging;
  std::string prefixed;
  std::string replaced;
};

/// Appends the ids of a word, from the cache or from compute(ids), which appends them.
template <class Compute>
void append_cached(WordCache& cache, const WordKey& key, std::vector<TokenId>& ids, Compute&& compute) {
  const std::size_t hash = key.hash();
  if (const WordCache::Entry* entry = cache.find(key, hash)) {
    ids.push_back(entry->ids[0]);  // most words are one token
    if (entry->count != 1) {
      ids.pop_back();
      ids.insert(ids.end(), entry->ids.data(), entry->ids.data() + entry->count);
    }
    return;
  }
  const std::size_t before = ids.size();
  compute(ids);
  cache.insert(key, hash, ids.data() + before, ids.size() - before);
}

}  // namespace gumption
