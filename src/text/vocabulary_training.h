#pragma once

// Making a WordPiece or byte-level BPE vocabulary from text. Both grow it the same way (Sennrich et al. 2016, and
// Hugging Face's trainers): the commonest pair of neighbouring tokens becomes a token, again and again. The result
// depends on the text and the options only, not on the number of threads.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gumption/base/options.h"
#include "gumption/text/bpe_merges.h"
#include "gumption/text/tokenizer.h"

namespace gumption {

enum class VocabularyKind { kWordPiece, kByteBpe };

struct TrainingOptions {
  VocabularyKind kind = VocabularyKind::kWordPiece;
  std::uint64_t vocabulary_size = 16000;  // special tokens included
  std::uint64_t minimum_count = 2;        // a pair must occur that often to become a token
  bool cased = false;                     // WordPiece: keep upper case and accents
  std::uint64_t alphabet = 1000;          // WordPiece: the commonest characters that are kept
  std::uint64_t most_words = 8000000;     // different words in memory; beyond, the rarest are forgotten
  std::uint64_t threads = 0;              // 0: one for each core
  InvalidUtf8 invalid = InvalidUtf8::kReplace;
};

/// The options but for the kind, the threads and what to do about bad text, which a command has flags of its own for.
OptionSet describe(TrainingOptions& options);

struct TrainedVocabulary {
  VocabularyKind kind = VocabularyKind::kWordPiece;
  bool lower_case = true;
  std::vector<std::string> tokens;  // by id
  std::vector<MergeRule> merges;    // in order
};

/// Reads the files (compressed ones too) and trains. Words of more than 100 characters (WordPiece) or 1,000 bytes are
/// left out. UserError for unreadable files, for options out of range, and for files without any word.
TrainedVocabulary train_vocabulary(const std::vector<std::filesystem::path>& files, const TrainingOptions& options);

/// Writes vocab.txt, or vocab.json and merges.txt, and a tokenizer_config.json: what load_tokenizer() and Hugging
/// Face's from_pretrained() read. The folder is made if need be.
void write_vocabulary(const TrainedVocabulary& vocabulary, const std::filesystem::path& folder);

}  // namespace gumption
