#pragma once

// Word stems by the Snowball library's algorithms.

#include <memory>
#include <string_view>

namespace gumption {

enum class StemAlgorithm {
  kPorter,   // Porter's of 1980, as published
  kEnglish,  // his later revision ("Porter 2")
};

/// Not thread-safe: stem() writes into the object. It is cheap to make; give each thread its own.
class Stemmer {
 public:
  /// UserError when stems are not built in.
  explicit Stemmer(StemAlgorithm algorithm);
  Stemmer(Stemmer&&) noexcept;
  Stemmer& operator=(Stemmer&&) noexcept;
  ~Stemmer();

  /// The stem of a word in UTF-8, which the algorithms expect in lower case. The view is valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace gumption
