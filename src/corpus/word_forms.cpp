#include "gumption/corpus/word_forms.h"

namespace gumption {

OptionSet describe(WordOptions& options) {
  OptionSet set;
  set.add_choice("form", options.form, "What makes words the same: how they are written, their stem or their lemma",
                 std::vector<NamedValue<WordForm>>{
                     {"written", WordForm::kWritten}, {"stem", WordForm::kStem}, {"lemma", WordForm::kLemma}});
  set.add("drop_stop_words", options.drop_stop_words, "Don't count stop words; positions still do");
  set.add("min_count", options.min_count, "Words that occur less often are left out; positions still count them",
          {1, std::uint64_t{1} << 40});
  return set;
}

WordFormer::WordFormer(WordForm form) {
  if (form == WordForm::kStem) stemmer_.emplace(StemAlgorithm::kEnglish);
  if (form == WordForm::kLemma) wordnet_ = WordNet::open();
}

std::string WordFormer::form_of(std::string_view word) {
  if (wordnet_) return lemma_of(word);
  if (!stemmer_) return std::string(word);
  const std::string_view stem = stemmer_->stem(word);
  return std::string(stem.empty() ? word : stem);
}

std::string WordFormer::lemma_of(std::string_view word) const {
  for (const auto part : {PartOfSpeech::kVerb, PartOfSpeech::kNoun, PartOfSpeech::kAdjective, PartOfSpeech::kAdverb}) {
    for (std::string& lemma : wordnet_->lemmas(word, part)) {
      if (lemma != word && !lemma.empty()) return std::move(lemma);
    }
  }
  return std::string(word);
}

}  // namespace gumption
