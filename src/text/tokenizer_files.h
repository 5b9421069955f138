#pragma once

// Loading tokenizers from the files that their makers publish.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "gumption/text/gpt1_bpe.h"
#include "gumption/text/tokenizer.h"

namespace gumption {

struct TokenizerFileOptions {
  Gpt1Words gpt1_words = Gpt1Words::kBert;  // how a GPT-1 tokenizer makes words
};

/// Loads the tokenizer of a folder, or a single tokenizer.json or vocab.txt. In a folder, the first that is there of
///   tokenizer.json                              a Hugging Face file with a WordPiece or BPE model
///   vocab.txt                                   WordPiece, uncased unless tokenizer_config.json says otherwise
///   encoder_bpe_40000.json, vocab_40000.bpe     GPT-1
///   vocab.json or encoder.json, with merges.txt or vocab.bpe
///                                               GPT-2, or GPT-1 where the merges end words with </w>
/// UserError for what is missing, damaged, or of a kind that isn't supported, which is named.
std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& path, const TokenizerFileOptions& options = {});

/// A Hugging Face tokenizer.json; `name` is for messages.
std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, const std::string& name,
                                                const TokenizerFileOptions& options = {});

/// The text of a vocab.txt, and of a tokenizer_config.json, or an empty one.
std::unique_ptr<Tokenizer> parse_wordpiece(std::string_view vocabulary, const std::string& name,
                                           std::string_view config = {}, const std::string& config_name = {});

/// The texts of a vocabulary in JSON and of a list of merges.
std::unique_ptr<Tokenizer> parse_bpe(std::string_view vocabulary, const std::string& vocabulary_name,
                                     std::string_view merges, const std::string& merges_name,
                                     const TokenizerFileOptions& options = {});

}  // namespace gumption
