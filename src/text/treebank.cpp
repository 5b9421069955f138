#include "gumption/text/treebank.h"

#include <algorithm>
#include <array>

#include "gumption/text/treebank_lexer.h"
#include "gumption/text/unicode.h"

namespace gumption {

namespace {

struct Replacement {
  std::string_view from;
  std::string_view to;
};

constexpr std::array kBrackets = {Replacement{"(", "-LRB-"}, Replacement{")", "-RRB-"}, Replacement{"[", "-LSB-"},
                                  Replacement{"]", "-RSB-"}, Replacement{"{", "-LCB-"}, Replacement{"}", "-RCB-"}};
constexpr std::array kEntities = {Replacement{"&amp;", "&"},    Replacement{"&lt;", "<"},
                                  Replacement{"&gt;", ">"},     Replacement{"&mdash;", "--"},
                                  Replacement{"&ndash;", "--"}, Replacement{"&#151;", "--"}};
constexpr std::array kFractions = {Replacement{"¼", "1/4"}, Replacement{"½", "1/2"}, Replacement{"¾", "3/4"},
                                   Replacement{"⅓", "1/3"}, Replacement{"⅔", "2/3"}};
// What the treebank had to write with American keys.
constexpr std::array kCurrencies = {Replacement{"£", "#"}, Replacement{"€", "$"}, Replacement{"¤", "$"},
                                    Replacement{"¢", "cents"}};
constexpr std::array kQuotes = {Replacement{"“", "``"}, Replacement{"”", "''"}, Replacement{"‘", "`"},
                                Replacement{"’", "'"}};
constexpr std::array kApostrophes = {Replacement{"’", "'"}, Replacement{"‘", "`"}, Replacement{"‛", "`"},
                                     Replacement{"\u0092", "'"}, Replacement{"&apos;", "'"}};
constexpr std::array kPlain = {Replacement{"\u00AD", ""}, Replacement{" ", "\u00A0"}, Replacement{"&amp;", "&"}};
constexpr std::array kRoundBrackets = {Replacement{"(", "-LRB-"}, Replacement{")", "-RRB-"}};

template <class List>
std::string replace_all(std::string_view text, const List& list) {
  std::string result;
  while (!text.empty()) {
    const auto fits = [&](const Replacement& entry) { return text.starts_with(entry.from); };
    const auto found = std::find_if(list.begin(), list.end(), fits);
    if (found != list.end()) {
      result += found->to;
      text.remove_prefix(found->from.size());
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

std::string write(TreebankKind kind, std::string_view token) {
  switch (kind) {
    case TreebankKind::kOpenQuote:
      return "``";
    case TreebankKind::kCloseQuote:
      return "''";
    case TreebankKind::kOpenSingleQuote:
      return "`";
    case TreebankKind::kCloseSingleQuote:
      return "'";
    case TreebankKind::kEllipsis:
      return "...";
    case TreebankKind::kDash:
      return "--";
    case TreebankKind::kBracket:
      return replace_all(token, kBrackets);
    case TreebankKind::kSmiley:
      return replace_all(token, kRoundBrackets);
    case TreebankKind::kQuotes:
      return replace_all(token, kQuotes);
    case TreebankKind::kClitic:
      return replace_all(token, kApostrophes);
    case TreebankKind::kEntity:
      return replace_all(token, kEntities);
    case TreebankKind::kFraction:
      return replace_all(token, kFractions);
    case TreebankKind::kCurrency:
      return replace_all(token, kCurrencies);
    case TreebankKind::kTag:
    case TreebankKind::kPlain:
    case TreebankKind::kSpace:
    case TreebankKind::kNone:
      break;
  }
  std::string result = replace_all(token, kPlain);
  // A telephone number may hold its area code in brackets.
  return result.starts_with('(') ? replace_all(result, kRoundBrackets) : result;
}

}  // namespace

bool is_coco_punctuation(std::string_view token) {
  constexpr auto kPunctuation = std::to_array<std::string_view>(
      {"''", "'", "``", "`", "-LRB-", "-RRB-", "-LCB-", "-RCB-", ".", "?", "!", ",", ":", "-", "--", "...", ";"});
  return std::find(kPunctuation.begin(), kPunctuation.end(), token) != kPunctuation.end();
}

std::vector<std::string> treebank_tokens(std::string_view text, const TreebankOptions& options) {
  constexpr std::size_t kLookAhead = 64;  // more than any rule looks behind a line end
  std::string joined;
  std::string_view stream = text;
  if (!options.following.empty()) {
    joined.append(text).append("\n").append(options.following.substr(0, kLookAhead));
    stream = joined;
  }
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = stream.substr(at);
    const TreebankMatch match = match_treebank(rest);
    at += match.advance;
    if (match.kind == TreebankKind::kSpace || match.kind == TreebankKind::kNone) continue;
    std::string token = write(match.kind, rest.substr(0, match.length));
    if (options.lower_case) token = to_lower(std::string_view(token));
    if (token.empty() || (options.drop_punctuation && is_coco_punctuation(token))) continue;
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace gumption
