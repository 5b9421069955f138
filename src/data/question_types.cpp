#include "gumption/data/question_types.h"

#include <algorithm>
#include <initializer_list>

#include "gumption/text/unicode.h"

namespace gumption {

namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

std::string social_question_type(std::string_view question) {
  const std::string text = " " + to_lower(question) + " ";
  // Annotators edited the templates, so a rule looks for the words that they left standing; the order settles the rest:
  // "Why did she want to do this?" asks for a motivation, "What does he need to do next?" for a want.
  if (has_any(text, {"feel", "felt", "emotion", " react", "mood"})) return "reactions";
  if (has_any(text, {"describe", "kind of person", "type of person", "sort of person", "attitude", "characteri",
                     "personality"})) {
    return "descriptions";
  }
  if (has_any(text, {" why ", "reason", "motivat", " how come", "purpose", "intent", "because of what"})) {
    return "motivations";
  }
  const bool about_before = has_any(text, {" before", " prior "});
  if (has_any(text, {" need"})) return !about_before && has_any(text, {" next", " after"}) ? "wants" : "needs";
  if (about_before) return "needs";
  if (has_any(text, {"happen", " result", "affect", "effect", "consequence", "repercussion"})) return "effects";
  if (has_any(text, {" want", " next", " do after", "going to do", " will do", " plan", " do now", " hope", " after?",
                     " do?", " wish", " like to do"})) {
    return "wants";
  }
  return "other";
}

}  // namespace gumption
