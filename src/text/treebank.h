#pragma once

// Words as the Penn Treebank cuts them, by the rules that Stanford's PTBTokenizer 3.4.1 applies when the COCO caption
// tools call it: "ca n't", "dog 's", "gon na", `` and '' for quotes, -LRB- for brackets, "..." and "--" for their kin.

#include <string>
#include <string_view>
#include <vector>

namespace gumption {

struct TreebankOptions {
  bool lower_case = true;
  bool drop_punctuation = true;  // the COCO tools' list, below

  /// What follows the text in the same stream. A period is judged by the word behind it, and the COCO tools write one
  /// caption a line into one stream: the next caption matters to the last word of this one. Must not begin with white
  /// space; empty at the end of the stream.
  std::string_view following = {};
};

/// Tokens in order. Line ends are white space. Invalid UTF-8 and what the original calls untokenizable (emoji, control
/// characters) is left out. Thread-safe.
std::vector<std::string> treebank_tokens(std::string_view text, const TreebankOptions& options = {});

/// Whether the COCO caption tools leave this token out. They compare after lower-casing, so that -LRB- goes and -lrb-
/// stays.
bool is_coco_punctuation(std::string_view token);

}  // namespace gumption
