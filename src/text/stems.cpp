#include "gumption/text/stems.h"

#include <limits>
#include <new>

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"

#if GUMPTION_WITH_STEMS
#include <libstemmer.h>
#endif

namespace gumption {

#if GUMPTION_WITH_STEMS

struct Stemmer::Engine {
  explicit Engine(const char* name) : stemmer(sb_stemmer_new(name, "UTF_8")) {
    if (stemmer == nullptr) throw std::bad_alloc();
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() { sb_stemmer_delete(stemmer); }

  sb_stemmer* stemmer;
};

Stemmer::Stemmer(StemAlgorithm algorithm)
    : engine_(std::make_unique<Engine>(algorithm == StemAlgorithm::kPorter ? "porter" : "english")) {}

std::string_view Stemmer::stem(std::string_view word) {
  ensure(word.size() <= std::size_t{std::numeric_limits<int>::max()}, "a word is shorter than 2 GiB");
  const auto* symbols = reinterpret_cast<const sb_symbol*>(word.data());
  const sb_symbol* stem = sb_stemmer_stem(engine_->stemmer, symbols, static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(sb_stemmer_length(engine_->stemmer))};
}

#else

struct Stemmer::Engine {};

Stemmer::Stemmer(StemAlgorithm) { require_feature("stems"); }

std::string_view Stemmer::stem(std::string_view word) { return word; }

#endif

Stemmer::Stemmer(Stemmer&&) noexcept = default;
Stemmer& Stemmer::operator=(Stemmer&&) noexcept = default;
Stemmer::~Stemmer() = default;

}  // namespace gumption
