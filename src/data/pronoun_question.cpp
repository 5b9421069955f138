#include "gumption/data/pronoun_question.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "gumption/text/unicode.h"

namespace gumption {

namespace {

constexpr const char* kPronoun = "pronoun";
constexpr const char* kCandidates = "candidates";
constexpr const char* kGaps = "pronoun_gaps";

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || is_letter(byte) || is_digit(byte);
}

bool stands_alone(std::string_view text, std::size_t at, std::size_t size) {
  const bool free_before = at == 0 || !is_word_byte(text[at - 1]) || !is_word_byte(text[at]);
  const std::size_t end = at + size;
  const bool free_after = end >= text.size() || !is_word_byte(text[end]) || !is_word_byte(text[end - 1]);
  return free_before && free_after;
}

std::string choice_text(const std::string& candidate, const PronounText& text) {
  return candidate + (text.gap_after && !text.after.empty() ? " " : "") + text.after;
}

}  // namespace

std::optional<std::size_t> find_pronoun(std::string_view sentence, std::string_view pronoun,
                                        const std::vector<std::string>& candidates) {
  if (pronoun.empty()) return std::nullopt;
  const std::string lower = to_lower(sentence);
  std::size_t candidates_end = 0;
  for (const auto& candidate : candidates) {
    const std::size_t at = lower.find(to_lower(candidate));
    if (at != std::string::npos) candidates_end = std::max(candidates_end, at + candidate.size());
  }
  std::optional<std::size_t> first;
  for (std::size_t at = sentence.find(pronoun); at != std::string_view::npos; at = sentence.find(pronoun, at + 1)) {
    if (!stands_alone(sentence, at, pronoun.size())) continue;
    if (!first) first = at;
    if (at >= candidates_end) return at;
  }
  return first;
}

PronounText cut_at_pronoun(std::string_view sentence, std::size_t position, std::string_view pronoun) {
  const std::string_view before = sentence.substr(0, position);
  const std::string_view after = sentence.substr(position + pronoun.size());
  PronounText text;
  text.before = squeeze_white_space(before);
  text.pronoun = pronoun;
  text.after = squeeze_white_space(after);
  text.gap_before = text.before.empty() || trim(before).end() != before.end();
  text.gap_after = text.after.empty() || trim(after).begin() != after.begin();
  return text;
}

void fill_pronoun_question(const PronounText& text, const std::vector<std::string>& candidates, Question& question) {
  question.context = text.before;
  for (const auto& candidate : candidates) question.choices.push_back(choice_text(candidate, text));
  question.notes.other[kPronoun] = nlohmann::json(text.pronoun).dump();
  question.notes.other[kCandidates] = nlohmann::json(candidates).dump();
  // Only the unusual is worth a note.
  if (!text.gap_before || !text.gap_after) {
    question.notes.other[kGaps] = nlohmann::json{text.gap_before, text.gap_after}.dump();
  }
}

std::optional<PronounParts> pronoun_parts(const Question& question) {
  const auto& notes = question.notes.other;
  if (!notes.contains(kPronoun) || !notes.contains(kCandidates)) return std::nullopt;
  const auto pronoun = nlohmann::json::parse(notes.at(kPronoun), nullptr, false);
  const auto candidates = nlohmann::json::parse(notes.at(kCandidates), nullptr, false);
  if (!pronoun.is_string() || !candidates.is_array() || candidates.size() != question.choices.size())
    return std::nullopt;
  PronounParts parts;
  parts.text.before = question.context;
  parts.text.pronoun = pronoun.get<std::string>();
  if (const auto found = notes.find(kGaps); found != notes.end()) {
    const auto gaps = nlohmann::json::parse(found->second, nullptr, false);
    if (!gaps.is_array() || gaps.size() != 2 || !gaps[0].is_boolean() || !gaps[1].is_boolean()) return std::nullopt;
    parts.text.gap_before = gaps[0].get<bool>();
    parts.text.gap_after = gaps[1].get<bool>();
  }
  for (const auto& candidate : candidates) {
    if (!candidate.is_string()) return std::nullopt;
    parts.candidates.push_back(candidate.get<std::string>());
  }
  for (std::size_t i = 0; i < parts.candidates.size(); ++i) {
    if (!question.choices[i].starts_with(parts.candidates[i])) return std::nullopt;
    const std::string after(trim(std::string_view(question.choices[i]).substr(parts.candidates[i].size())));
    if (i > 0 && after != parts.text.after) return std::nullopt;
    parts.text.after = after;
  }
  return parts;
}

}  // namespace gumption
